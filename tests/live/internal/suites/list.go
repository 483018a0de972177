package suites

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
)

// listed is a test that need not pass, with its reason.
type listed struct {
	suite  string // the package below test/integration/scheduler, or the name of another suite
	test   string // this test, or a test with subtests; '*' stands for any characters
	reason string
}

// parseList reads lines of a suite, a test and a reason; '#' begins a comment.
func parseList(from io.Reader) ([]listed, error) {
	var list []listed
	lines := bufio.NewScanner(from)
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) < 3 {
			return nil, fmt.Errorf("line %d: a suite, a test and a reason were expected, not %q", number, line)
		}
		list = append(list, listed{fields[0], fields[1], strings.Join(fields[2:], " ")})
	}
	return list, lines.Err()
}

// readList reads such a file; "" is an empty one.
func readList(path string) ([]listed, error) {
	if path == "" {
		return nil, nil
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	list, err := parseList(file)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return list, err
}

func find(list []listed, suite, test string) *listed {
	for i, one := range list {
		if one.suite == suite && (matches(one.test, test) || strings.HasPrefix(test, one.test+"/")) {
			return &list[i]
		}
	}
	return nil
}

// matches reports whether a name is the pattern, with any characters for its '*', of which it has one at most.
func matches(pattern, name string) bool {
	before, behind, open := strings.Cut(pattern, "*")
	if !open {
		return pattern == name
	}
	return len(name) >= len(before)+len(behind) && strings.HasPrefix(name, before) && strings.HasSuffix(name, behind)
}

// Counts are the results of a suite. With Berth, only tests count in which Berth schedules.
type Counts struct {
	Passed, Skipped int
	GoCode          int      // kube-scheduler itself scheduled, because the test plugs Go code into it
	Steps           int      // no scheduler ran: the test calls parts of kube-scheduler itself
	Listed          []string // need not pass: failed, or did not run if all of its subtests are listed
	Failed          []string
}

func sortOut(suite string, tests []Test, list []listed, berth bool) Counts {
	var c Counts
	for _, test := range tests {
		switch {
		case test.Result == "SKIP":
			c.Skipped++
		case berth && test.Who == KubeScheduler:
			c.GoCode++
		case berth && test.Who == Nobody:
			c.Steps++
		case test.Result == "PASS":
			c.Passed++
		case berth && find(list, suite, test.Name) != nil:
			c.Listed = append(c.Listed, test.Name)
		default:
			c.Failed = append(c.Failed, test.Name)
		}
	}
	return c
}
