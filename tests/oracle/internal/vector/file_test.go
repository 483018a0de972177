package vector

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"
)

const lines = `{"name":"bare","nodes":[]}

{"scenario":{"name":"a<b"},"expected":{"order":[],"decisions":[],"mode":"sampled"}}
`

func read(t *testing.T, stream io.Reader) []*Line {
	t.Helper()
	reader, err := NewReader("test", stream)
	if err != nil {
		t.Fatal(err)
	}
	var all []*Line
	for {
		line, err := reader.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, line)
	}
}

func TestScenariosAndVectorsPlainAndZipped(t *testing.T) {
	var zipped bytes.Buffer
	writer := gzip.NewWriter(&zipped)
	io.WriteString(writer, lines)
	writer.Close()
	for _, stream := range []io.Reader{strings.NewReader(lines), &zipped} {
		all := read(t, stream)
		if len(all) != 2 || all[0].ModeOf() != AllNodes || all[1].ModeOf() != Sampled {
			t.Fatalf("read %d lines", len(all))
		}
		if string(all[0].Scenario) != `{"name":"bare","nodes":[]}` {
			t.Errorf("bare scenario: %s", all[0].Scenario)
		}
		var out bytes.Buffer
		if err := Write(&out, all[1]); err != nil {
			t.Fatal(err)
		}
		if want := strings.SplitAfter(lines, "\n")[2]; out.String() != want {
			t.Errorf("got  %swant %s", out.String(), want)
		}
	}
}

func TestWrongLineIsNamed(t *testing.T) {
	reader, _ := NewReader("f", strings.NewReader("{}\n{\n"))
	reader.Next()
	if _, err := reader.Next(); err == nil || !strings.HasPrefix(err.Error(), "f:2: ") {
		t.Errorf("error %v", err)
	}
}
