package scale

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"strconv"
)

// The server shares the machine with the scheduler that is measured, so bindings and events, which are nearly all
// requests, are read without net/http. All others go to the handler.

var (
	bindings = []byte("POST /api/v1/namespaces/" + namespace + "/pods/")
	events   = []byte("POST /apis/events.k8s.io/v1/namespaces/")
)

func (s *server) serve(listener net.Listener) {
	for {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		go s.converse(connection)
	}
}

func (s *server) converse(connection net.Conn) {
	defer connection.Close()
	reader := bufio.NewReaderSize(connection, 16<<10)
	var body, out []byte
	for {
		line, err := reader.Peek(len(events)) // the longer of the two; no request is shorter
		if err != nil {
			return
		}
		isBinding := bytes.HasPrefix(line, bindings)
		if !isBinding && !bytes.HasPrefix(line, events) {
			if !s.other(connection, reader) {
				return
			}
			continue
		}
		path, length, ok := readHead(reader)
		if !ok {
			return
		}
		if cap(body) < length {
			body = make([]byte, length)
		}
		body = body[:length]
		if _, err := io.ReadFull(reader, body); err != nil {
			return
		}
		code, text := http.StatusCreated, body
		if isBinding {
			name := path[len(bindings)-len("POST "):]
			code, text = s.bind(podNumber(string(bytes.TrimSuffix(name, []byte("/binding")))), body)
		} else {
			s.events.Add(1)
		}
		out = fmt.Appendf(out[:0], "HTTP/1.1 %d OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", code, len(text))
		if _, err := connection.Write(append(out, text...)); err != nil {
			return
		}
	}
}

// readHead reads a request up to its body, and returns its path and the body's length.
func readHead(reader *bufio.Reader) (path []byte, length int, ok bool) {
	first, err := reader.ReadSlice('\n')
	if err != nil {
		return nil, 0, false
	}
	fields := bytes.Fields(first)
	if len(fields) != 3 {
		return nil, 0, false
	}
	path = bytes.Clone(fields[1])
	for {
		line, err := reader.ReadSlice('\n')
		if err != nil {
			return nil, 0, false
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			return path, length, true
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		if bytes.EqualFold(name, []byte("Content-Length")) {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil || length < 0 || length > 1<<20 {
				return nil, 0, false
			}
		}
	}
}

// other passes a request to the handler; it returns whether the connection can go on.
func (s *server) other(connection net.Conn, reader *bufio.Reader) bool {
	request, err := http.ReadRequest(reader)
	if err != nil {
		return false
	}
	answer := &response{connection: connection, header: http.Header{}}
	s.ServeHTTP(answer, request)
	_, _ = io.Copy(io.Discard, request.Body)
	return answer.end() == nil && !request.Close
}

// response writes an answer, in chunks unless its length is known.
type response struct {
	connection net.Conn
	header     http.Header
	began      bool
	chunked    bool
	failure    error
}

func (r *response) Header() http.Header { return r.header }

func (r *response) WriteHeader(code int) {
	if r.began {
		return
	}
	r.began = true
	r.chunked = r.header.Get("Content-Length") == ""
	if r.chunked {
		r.header.Set("Transfer-Encoding", "chunked")
	}
	out := fmt.Appendf(nil, "HTTP/1.1 %d %s\r\n", code, http.StatusText(code))
	for name, values := range r.header {
		for _, value := range values {
			out = fmt.Appendf(out, "%s: %s\r\n", textproto.CanonicalMIMEHeaderKey(name), value)
		}
	}
	r.send(append(out, "\r\n"...))
}

func (r *response) send(bytes []byte) {
	if r.failure == nil {
		_, r.failure = r.connection.Write(bytes)
	}
}

func (r *response) Write(bytes []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	if len(bytes) == 0 {
		return 0, r.failure
	}
	if r.chunked {
		bytes = append(append(fmt.Appendf(nil, "%x\r\n", len(bytes)), bytes...), "\r\n"...)
	}
	r.send(bytes)
	return len(bytes), r.failure
}

// Flush has nothing to do: nothing is held back.
func (r *response) Flush() { r.WriteHeader(http.StatusOK) }

func (r *response) end() error {
	r.WriteHeader(http.StatusOK)
	if r.chunked {
		r.send([]byte("0\r\n\r\n"))
	}
	return r.failure
}
