package suites

import (
	"slices"
	"testing"
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
