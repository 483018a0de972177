package compare

import (
	"testing"

	"berth/tests/oracle/internal/vector"
)

func answer() *vector.Expected {
	return &vector.Expected{Order: []string{"a", "b"}, Mode: vector.AllNodes, Decisions: []vector.Decision{{
		Pod: "default/p", Feasible: []string{}, Message: "no",
		Failed: []vector.Refusal{
			{Node: "a", Plugin: "P", Code: "Unschedulable", Reasons: []string{"x", "y"}},
			{Node: "b", Plugin: "P", Code: "Unschedulable", Reasons: []string{"x"}},
		},
		Victims: []string{"n/1", "n/2"},
	}}}
}

func TestSetsHaveNoOrder(t *testing.T) {
	other := answer()
	d := &other.Decisions[0]
	d.Failed[0], d.Failed[1] = d.Failed[1], d.Failed[0]
	d.Failed[1].Reasons = []string{"y", "x"}
	d.Victims = []string{"n/2", "n/1"}
	d.Feasible = nil
	if all := Answers(answer(), other); len(all) > 0 {
		t.Error(all)
	}
}

func TestEveryMemberIsCompared(t *testing.T) {
	changes := map[string]func(*vector.Expected, *vector.Decision){
		"mode":      func(e *vector.Expected, _ *vector.Decision) { e.Mode = vector.Sampled },
		"order":     func(e *vector.Expected, _ *vector.Decision) { e.Order[0] = "c" },
		"decisions": func(e *vector.Expected, _ *vector.Decision) { e.Decisions = nil },
		"pod":       func(_ *vector.Expected, d *vector.Decision) { d.Pod = "q" },
		"start":     func(_ *vector.Expected, d *vector.Decision) { d.Start = 1 },
		"next":      func(_ *vector.Expected, d *vector.Decision) { d.Next = 1 },
		"preFilter": func(_ *vector.Expected, d *vector.Decision) { d.PreFilter = "q" },
		"feasible":  func(_ *vector.Expected, d *vector.Decision) { d.Feasible = []string{"a"} },
		"plugin":    func(_ *vector.Expected, d *vector.Decision) { d.Failed[0].Plugin = "Q" },
		"code":      func(_ *vector.Expected, d *vector.Decision) { d.Failed[0].Code = "Q" },
		"reasons":   func(_ *vector.Expected, d *vector.Decision) { d.Failed[0].Reasons = nil },
		"scores":    func(_ *vector.Expected, d *vector.Decision) { d.Scores = map[string][]int64{"P": {1}} },
		"total":     func(_ *vector.Expected, d *vector.Decision) { d.Total = []int64{1} },
		"best":      func(_ *vector.Expected, d *vector.Decision) { d.Best = []string{"a"} },
		"bound":     func(_ *vector.Expected, d *vector.Decision) { d.Bound = "a" },
		"devices":   func(_ *vector.Expected, d *vector.Decision) { d.Devices = []string{"a"} },
		"message":   func(_ *vector.Expected, d *vector.Decision) { d.Message = "yes" },
		"nominated": func(_ *vector.Expected, d *vector.Decision) { d.Nominated = "a" },
		"victims":   func(_ *vector.Expected, d *vector.Decision) { d.Victims = nil },
		"error":     func(_ *vector.Expected, d *vector.Decision) { d.Error = "q" },
	}
	for name, change := range changes {
		other := answer()
		change(other, &other.Decisions[0])
		if len(Answers(answer(), other)) != 1 {
			t.Errorf("%s: %v", name, Answers(answer(), other))
		}
	}
}
