package suites

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestChosen(t *testing.T) {
	programs := []string{"/p/scheduler.filters.test", "/p/scheduler.preemption.misc.test", "/p/scheduler.test"}
	for only, want := range map[string][]string{
		"":                   programs,
		"scheduler":          programs[2:],
		"scheduler/filters":  programs[:1],
		"filters":            programs[:1],
		"misc":               programs[1:2],
		"scheduler/":         programs[:2],
		"scheduler.filters":  {},
		"another/than/those": {},
	} {
		if got := chosen(programs, only); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", only, got, want)
		}
	}
}

// A program that ends before its test runs once more; one that ends a test does not.
func TestAttempt(t *testing.T) {
	for script, want := range map[string]string{
		`echo '=== RUN   TestA'; echo '--- FAIL: TestA (1.00s)'; exit 1`:                  "FAIL",
		`echo '=== RUN   TestA'; [ -f again ] && echo '--- PASS: TestA (1.00s)'; :>again`: "PASS",
		`echo '=== RUN   TestA'`: "",
	} {
		folder := t.TempDir()
		runs := 0
		command := func(ctx context.Context, _ ...string) *exec.Cmd {
			runs++
			command := exec.CommandContext(ctx, "sh", "-c", script)
			command.Dir = folder
			return command
		}
		options := &Options{Limit: time.Minute}
		tests, err := options.attempt(context.Background(), command, folder, "TestA")
		if err != nil || len(tests) != 1 || tests[0].Result != want {
			t.Errorf("%s: %v %v", script, tests, err)
		}
		if more := want != "FAIL"; (runs == 2) != more {
			t.Errorf("%s: %d runs", script, runs)
		}
		if _, err := os.Stat(filepath.Join(folder, "TestA.1.output")); err != nil {
			t.Error(err)
		}
	}
	options := &Options{Limit: 0} // it took all of its time
	command := func(ctx context.Context, _ ...string) *exec.Cmd {
		return exec.CommandContext(ctx, "echo", "=== RUN   TestA")
	}
	folder := t.TempDir()
	if _, err := options.attempt(context.Background(), command, folder, "TestA"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(folder, "TestA.2.output")); err == nil {
		t.Error("a test that used up its time ran again")
	}
}
