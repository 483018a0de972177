// Package suites runs Kubernetes' own tests of a scheduler with Berth in the place of kube-scheduler, and counts
// what they say.
package suites

import (
	"bufio"
	"io"
	"regexp"
	"strings"
)

// Who scheduled in a test, by the lines that ../../suites/scheduler/berth.go prints.
type Who int

const (
	Nobody Who = iota // the test steps through a scheduler's parts itself
	Berth
	KubeScheduler // because Go code is plugged in, or Berth is not tested
)

// Test is one test without subtests, as `go test -v` shows it.
type Test struct {
	Name   string
	Result string // PASS, FAIL or SKIP; "" if the program ended before
	Who    Who
}

var (
	began = regexp.MustCompile(`^\s*=== (RUN|CONT|NAME)\s+(\S+)`)
	ended = regexp.MustCompile(`^\s*--- (PASS|FAIL|SKIP): (\S+) \(`)
)

const (
	tookOver = "berth: schedules in place of kube-scheduler"
	notAsked = "berth: kube-scheduler schedules itself: "
)

// Read reads the output of a test program and returns its tests in the order in which they began.
func Read(from io.Reader) ([]Test, error) {
	who := map[string]Who{}
	results := map[string]string{}
	var names []string
	current := ""
	lines := bufio.NewScanner(from)
	lines.Buffer(make([]byte, 1<<16), 1<<24)
	for lines.Scan() {
		line := lines.Text()
		if match := began.FindStringSubmatch(line); match != nil {
			current = match[2]
			if match[1] == "RUN" {
				names = append(names, current)
			}
		} else if match := ended.FindStringSubmatch(line); match != nil {
			results[match[2]] = match[1]
		} else if strings.Contains(line, notAsked) {
			who[current] = KubeScheduler
		} else if strings.Contains(line, tookOver) && who[current] == Nobody {
			who[current] = Berth
		}
	}
	var tests []Test
	for _, name := range leaves(names) {
		tests = append(tests, Test{Name: name, Result: results[name], Who: whoOf(who, name)})
	}
	return tests, lines.Err()
}

// leaves drops the tests that have subtests.
func leaves(names []string) []string {
	parents := map[string]bool{}
	for _, name := range names {
		for at := strings.LastIndexByte(name, '/'); at > 0; at = strings.LastIndexByte(name[:at], '/') {
			parents[name[:at]] = true
		}
	}
	var out []string
	for _, name := range names {
		if !parents[name] {
			out = append(out, name)
		}
	}
	return out
}

// A scheduler that a test starts serves its subtests, too. One of kube-scheduler's own counts before Berth.
func whoOf(who map[string]Who, name string) Who {
	found := who[name]
	for at := strings.LastIndexByte(name, '/'); at > 0 && found != KubeScheduler; at = strings.LastIndexByte(name[:at], '/') {
		if above := who[name[:at]]; above > found {
			found = above
		}
	}
	return found
}
