package main

import (
	"bufio"
	"io"
	"os"

	"berth/tests/oracle/internal/kube"
	"berth/tests/oracle/internal/vector"
)

// answer reads scenarios from standard input and writes vectors.
func answer([]string) (int, error) {
	reader, err := vector.Open("-")
	if err != nil {
		return 0, err
	}
	out := bufio.NewWriter(os.Stdout)
	for {
		line, err := reader.Next()
		if err == io.EOF {
			return 0, out.Flush()
		}
		if err != nil {
			return 0, err
		}
		expected, err := kube.Answer(line)
		if err != nil {
			return 0, err
		}
		if err := vector.Write(out, &vector.Line{Scenario: line.Scenario, Expected: expected}); err != nil {
			return 0, err
		}
	}
}
