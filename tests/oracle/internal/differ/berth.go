// Package differ compares the decisions of berth with those of kube-scheduler on random scenarios.
package differ

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strings"

	"berth/tests/oracle/internal/vector"
)

// Berth is the program under test.
type Berth struct{ Path string }

// Verify passes lines of vectors to one `berth verify`. The result maps the name of each scenario
// that differs to berth's report on it.
func (b Berth) Verify(lines []*vector.Line) (map[string]string, error) {
	var input, output, diagnostics bytes.Buffer
	for _, line := range lines {
		if err := vector.Write(&input, line); err != nil {
			return nil, err
		}
	}
	command := exec.Command(b.Path, "verify", "--threads", "1", "--show", "1000000", "-")
	command.Stdin, command.Stdout, command.Stderr = &input, &output, &diagnostics
	err := command.Run()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
		return nil, fmt.Errorf("%s verify: %w: %s", b.Path, err, diagnostics.String())
	}
	differences := differencesOf(output.String())
	if (err != nil) != (len(differences) > 0) {
		return nil, fmt.Errorf("%s verify: exit code and output disagree: %s", b.Path, output.String())
	}
	return differences, nil
}

// A difference begins with a line "  SCENARIO" or "  SCENARIO decision N ..."; the differences
// follow on lines that are indented further.
var title = regexp.MustCompile(`^  ([a-z]+-[0-9]+-[0-9]+)\b`)

func differencesOf(output string) map[string]string {
	differences := map[string]string{}
	name := ""
	for _, line := range strings.Split(output, "\n") {
		if match := title.FindStringSubmatch(line); match != nil {
			name = match[1]
		}
		if name != "" && line != "" {
			differences[name] += line + "\n"
		}
	}
	return differences
}

// what returns the names of the things that differ, without their values: "failed", "scores
// NodeResourcesFit".
func what(differences string) map[string]bool {
	kinds := map[string]bool{}
	for _, line := range strings.Split(differences, "\n") {
		if !strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "     ") {
			if strings.Contains(line, ": not taken") {
				kinds["not taken"] = true
			}
			continue
		}
		words := strings.Fields(line)
		kind := words[0]
		if kind == "scores" && len(words) > 1 {
			kind += " " + words[1]
		}
		kinds[kind] = true
	}
	return kinds
}
