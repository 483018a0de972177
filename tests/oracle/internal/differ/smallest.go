package differ

import (
	"encoding/json"
	"time"

	"berth/tests/oracle/internal/kube"
	"berth/tests/oracle/internal/minimize"
	"berth/tests/oracle/internal/vector"
)

// What is not dropped from a scenario by then stays.
const smallestWithin = 5 * time.Minute

// smallest drops parts of a scenario as long as berth still differs from kube-scheduler in one of
// the things that differed at first. kube-scheduler answers each smaller scenario again.
func smallest(berth Berth, line *vector.Line, kinds map[string]bool) (*vector.Line, error) {
	mode := line.Expected.Mode
	end := time.Now().Add(smallestWithin)
	answered := func(scenario json.RawMessage) (*vector.Line, bool) {
		tried := &vector.Line{Scenario: scenario, Expected: &vector.Expected{Mode: mode}}
		answer, err := kube.Answer(tried)
		if err != nil {
			return nil, false
		}
		tried.Expected = answer
		return tried, true
	}
	scenario, err := minimize.Scenario(line.Scenario, func(scenario json.RawMessage) bool {
		if time.Now().After(end) {
			return false
		}
		tried, ok := answered(scenario)
		if !ok {
			return false
		}
		differences, err := berth.Verify([]*vector.Line{tried})
		if err != nil {
			return false
		}
		for kind := range what(differences[nameOf(scenario)]) {
			if kinds[kind] {
				return defined(tried)
			}
		}
		return false
	})
	if err != nil {
		return nil, err
	}
	small, ok := answered(scenario)
	if !ok {
		return line, nil
	}
	return small, nil
}
