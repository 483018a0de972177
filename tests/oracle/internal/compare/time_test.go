package compare

import (
	"testing"

	"berth/tests/oracle/internal/vector"
)

func TestAnswersThatDependOnTime(t *testing.T) {
	answer := &vector.Expected{Decisions: []vector.Decision{
		{Pod: "default/a", Bound: "n1"},
		{Pod: "default/b", Error: `running "DynamicResources" filter plugin: claim default/c: no such key`},
	}}
	if pod := OutOfTime(answer); pod != "" {
		t.Errorf("%s is not late", pod)
	}
	answer.Decisions = append(answer.Decisions, vector.Decision{Pod: "default/c",
		Error: `running "DynamicResources" filter plugin: node n5: timed out trying to allocate devices`})
	if pod := OutOfTime(answer); pod != "default/c" {
		t.Errorf("found %q instead of default/c", pod)
	}
}
