package vector

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
)

// Reader reads lines of vectors, gzip or not.
type Reader struct {
	lines *bufio.Reader
	name  string
	line  int
	close func() error
}

var gzipMagic = []byte{0x1f, 0x8b}

// NewReader reads from a stream; `name` is used in messages.
func NewReader(name string, stream io.Reader) (*Reader, error) {
	buffered := bufio.NewReaderSize(stream, 1<<20)
	if head, _ := buffered.Peek(len(gzipMagic)); bytes.Equal(head, gzipMagic) {
		unzipped, err := gzip.NewReader(buffered)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		buffered = bufio.NewReaderSize(unzipped, 1<<20)
	}
	return &Reader{lines: buffered, name: name, close: func() error { return nil }}, nil
}

// Open opens a file; "-" is standard input.
func Open(path string) (*Reader, error) {
	if path == "-" {
		return NewReader("standard input", os.Stdin)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	reader, err := NewReader(path, file)
	if err != nil {
		file.Close()
		return nil, err
	}
	reader.close = file.Close
	return reader, nil
}

// Close closes the file that Open opened.
func (r *Reader) Close() error { return r.close() }

// Next returns the next line; io.EOF at the end. A line without "scenario" is the scenario itself.
func (r *Reader) Next() (*Line, error) {
	for {
		text, err := r.lines.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("%s: %w", r.name, err)
		}
		r.line++
		text = bytes.TrimSpace(text)
		if len(text) > 0 {
			return r.parse(text)
		}
		if err == io.EOF {
			return nil, io.EOF
		}
	}
}

func (r *Reader) parse(text []byte) (*Line, error) {
	line := &Line{}
	if err := json.Unmarshal(text, line); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", r.name, r.line, err)
	}
	if line.Scenario == nil {
		line.Scenario = text
	}
	return line, nil
}

// Write writes one line.
func Write(out io.Writer, line *Line) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(line); err != nil {
		return err
	}
	_, err := out.Write(text.Bytes())
	return err
}
