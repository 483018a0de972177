// Package expected compares the output of the examples with committed files, which the same programs
// in C and Python share.
package expected

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
)

const folder = "../../../../../tests/install" // seen from the folder of an example

// Check runs an example and compares what it writes with a file.
func Check(t *testing.T, run func(io.Writer) error, file string) {
	t.Helper()
	want, err := os.ReadFile(filepath.Join(folder, file))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := run(&out); err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Fatalf("the output:\n%s\nand %s:\n%s", out.String(), file, want)
	}
}
