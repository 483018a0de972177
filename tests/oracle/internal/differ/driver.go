package differ

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"berth/tests/oracle/internal/compare"
	"berth/tests/oracle/internal/kube"
	"berth/tests/oracle/internal/vector"
)

// Options of a run.
type Options struct {
	Berth       Berth
	Seed        uint64
	Families    []string
	Decisions   int    // the least number of decisions to compare
	Differences int    // the run ends after this many differences
	Only        string // name of the one scenario to compare; empty: random ones
	Workers     int    // number of scenarios answered at a time
	Folder      string // the folder for minimized scenarios
	Log         io.Writer
}

// Result is the result of a run.
type Result struct {
	Scenarios, Decisions int
	Undefined            int // scenarios with no answer, or with more than one
	Refused              int // scenarios that kube-scheduler refused
	Files                []string
	Elapsed              time.Duration
}

type run struct {
	Options
	plan *plan

	sync.Mutex
	result Result
	seen   map[string]bool // kinds of differences already reported
	failed error
}

// Run compares until it has compared enough decisions or found enough differences.
func Run(options Options) (Result, error) {
	r := &run{Options: options, plan: newPlan(options.Seed, options.Families), seen: map[string]bool{}}
	start := time.Now()
	if options.Only != "" {
		line, err := named(options.Only)
		if err == nil {
			err = r.compare([]*vector.Line{line})
		}
		r.result.Elapsed = time.Since(start)
		return r.result, err
	}
	var workers sync.WaitGroup
	for range options.Workers {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for r.more() {
				if err := r.batch(); err != nil {
					r.fail(err)
				}
			}
		}()
	}
	workers.Wait()
	r.result.Elapsed = time.Since(start)
	return r.result, r.failed
}

func (r *run) more() bool {
	r.Lock()
	defer r.Unlock()
	return r.failed == nil && r.result.Decisions < r.Decisions && len(r.result.Files) < r.Differences
}

// wanted reports whether another difference should be examined.
func (r *run) wanted() bool {
	r.Lock()
	defer r.Unlock()
	return len(r.result.Files) < r.Differences
}

func (r *run) fail(err error) {
	r.Lock()
	defer r.Unlock()
	if r.failed == nil {
		r.failed = err
	}
}

func (r *run) batch() error {
	scenarios, err := r.plan.batch()
	if err != nil {
		return err
	}
	return r.compare(scenarios)
}

// compare answers scenarios with both programs and examines the differences.
func (r *run) compare(scenarios []*vector.Line) error {
	var lines []*vector.Line
	decisions, refused, undefined := 0, 0, 0
	for _, scenario := range scenarios {
		answer, err := kube.Answer(scenario)
		if errors.Is(err, kube.ErrUndefined) {
			undefined++
			continue
		}
		if err != nil {
			refused++
			fmt.Fprintf(r.Log, "refused: %v\n", err)
			continue
		}
		decisions += len(answer.Decisions)
		lines = append(lines, &vector.Line{Scenario: scenario.Scenario, Expected: answer})
	}
	differences, err := r.Berth.Verify(lines)
	if err != nil {
		return err
	}
	r.Lock()
	r.result.Scenarios += len(lines)
	r.result.Decisions += decisions
	r.result.Refused += refused
	r.result.Undefined += undefined
	r.Unlock()
	for _, line := range lines {
		if text, differs := differences[nameOf(line.Scenario)]; differs && r.wanted() {
			if err := r.look(line, text); err != nil {
				return err
			}
		}
	}
	return nil
}

func nameOf(scenario json.RawMessage) string {
	name := struct{ Name string }{}
	json.Unmarshal(scenario, &name)
	return name.Name
}

// look sets aside scenarios to which kube-scheduler itself has several answers, and minimizes the
// others.
func (r *run) look(line *vector.Line, text string) error {
	if !defined(line) {
		r.Lock()
		r.result.Undefined++
		r.Unlock()
		return nil
	}
	kinds := what(text)
	if !r.isNew("found", kinds, line) {
		return nil
	}
	fmt.Fprintf(r.Log, "%s differs; minimizing\n%s", nameOf(line.Scenario), text)
	small, err := smallest(r.Berth, line, kinds)
	if err != nil {
		return err
	}
	differences, err := r.Berth.Verify([]*vector.Line{small})
	if err != nil {
		return err
	}
	left := differences[nameOf(small.Scenario)]
	if kinds = what(left); !r.isNew("minimized", kinds, small) {
		fmt.Fprintf(r.Log, "%s, minimized, differs as one before\n", nameOf(line.Scenario))
		return nil
	}
	return r.report(small, left)
}

// isNew notes kinds of differences and errors, and reports whether one of them is new; known kinds
// are not examined again.
func (r *run) isNew(stage string, kinds map[string]bool, line *vector.Line) bool {
	key := fmt.Sprint(stage, kinds)
	if kinds["error"] {
		for _, decision := range line.Expected.Decisions {
			if decision.Error != "" {
				key += errorNames.ReplaceAllString(decision.Error, "")
			}
		}
	}
	r.Lock()
	defer r.Unlock()
	known := r.seen[key]
	r.seen[key] = true
	return !known
}

// Names in an error that belong to objects of the scenario, not to plugins.
var errorNames = regexp.MustCompile(`[a-z]+/|[a-z]+[0-9]+|: .*`)

func (r *run) report(line *vector.Line, differences string) error {
	name := nameOf(line.Scenario)
	path := filepath.Join(r.Folder, "v"+kube.Version+"-"+name+".jsonl")
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := vector.Write(file, line); err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	r.Lock()
	defer r.Unlock()
	r.result.Files = append(r.result.Files, path)
	fmt.Fprintf(r.Log, "%s, minimized, is in %s\n%s  scenario %s\n", name, path, differences, line.Scenario)
	fmt.Fprintf(r.Log, "replay: tests/oracle/run --version %s --scenario %s\n", kube.Version, name)
	return nil
}

// How often kube-scheduler is asked again whether its answer stays the same: if several answers are
// possible (because of a hash map's order or a random number), it usually chooses among few. Scenarios
// that take it seconds are asked less often.
const (
	askedAgain = 60
	askedFor   = time.Minute
)

// defined reports whether kube-scheduler always gives the line's answer to its scenario.
func defined(line *vector.Line) bool {
	end := time.Now().Add(askedFor)
	for range askedAgain {
		if time.Now().After(end) {
			break
		}
		again, err := kube.Answer(line)
		if err != nil || len(compare.Answers(line.Expected, again)) > 0 {
			return false
		}
	}
	return true
}
