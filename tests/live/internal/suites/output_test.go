package suites

import (
	"strings"
	"testing"
)

const output = `=== RUN   TestOne
berth: schedules in place of kube-scheduler
=== RUN   TestOne/first
=== RUN   TestOne/second
I1127 20:28:01.785425   30752 etcd.go:286] berth: kube-scheduler schedules itself: Go code is plugged in
--- PASS: TestOne (1.00s)
    --- PASS: TestOne/first (0.10s)
    --- FAIL: TestOne/second (0.10s)
=== RUN   TestTwo
--- SKIP: TestTwo (0.00s)
=== RUN   TestThree
=== RUN   TestThree/a
=== RUN   TestThree/a/b
berth: schedules in place of kube-scheduler
panic: it ends here
`

func TestRead(t *testing.T) {
	tests, err := Read(strings.NewReader(output))
	if err != nil {
		t.Fatal(err)
	}
	want := []Test{
		{"TestOne/first", "PASS", Berth},
		{"TestOne/second", "FAIL", KubeScheduler},
		{"TestTwo", "SKIP", Nobody},
		{"TestThree/a/b", "", Berth},
	}
	if len(tests) != len(want) {
		t.Fatalf("%d tests, not %d: %v", len(tests), len(want), tests)
	}
	for i := range want {
		if tests[i] != want[i] {
			t.Errorf("%v, not %v", tests[i], want[i])
		}
	}
}

func TestSort(t *testing.T) {
	list, err := parseList(strings.NewReader(`# tests
preemption/misc TestOne/second  looks into the queue
scheduler TestTwo  the same
`))
	if err != nil {
		t.Fatal(err)
	}
	tests := []Test{
		{"TestOne/first", "PASS", Berth},
		{"TestOne/second", "FAIL", Berth},
		{"TestOne/second_more", "FAIL", Berth},
		{"TestTwo", "FAIL", Berth},
		{"TestThree", "FAIL", KubeScheduler},
		{"TestFour", "SKIP", Nobody},
		{"TestFive", "", Berth},
		{"TestSix", "PASS", Nobody},
	}
	counts := sortOut("preemption/misc", tests, list, true)
	if counts.Passed != 1 || counts.GoCode != 1 || counts.Steps != 1 || counts.Skipped != 1 ||
		len(counts.Listed) != 1 || len(counts.Failed) != 3 {
		t.Errorf("%+v", counts)
	}
	if plain := sortOut("preemption/misc", tests, list, false); plain.Passed != 2 || len(plain.Failed) != 5 {
		t.Errorf("without Berth: %+v", plain)
	}
	for _, wrong := range []string{"scheduler", "scheduler TestTwo"} {
		if _, err := parseList(strings.NewReader(wrong)); err == nil {
			t.Errorf("%q was accepted", wrong)
		}
	}
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		wanted        bool
	}{
		{"TestA", "TestA", true},
		{"TestA", "TestAB", false},
		{"TestA/*_(CPG:_true)", "TestA/one_(CPG:_true)", true},
		{"TestA/*_(CPG:_true)", "TestA/one_(CPG:_false)", false},
		{"TestA/*_(CPG:_true)", "TestB/one_(CPG:_true)", false},
		{"TestA/ab*bc", "TestA/abc", false},
		{"*", "TestA", true},
	} {
		if got := matches(c.pattern, c.name); got != c.wanted {
			t.Errorf("%q and %q: %v", c.pattern, c.name, got)
		}
	}
}
