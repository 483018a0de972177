package generate

import (
	"bytes"
	"encoding/json"
	"hash/fnv"
	"testing"
)

func TestSameSeedSameBytes(t *testing.T) {
	for _, family := range Families {
		first, err := Scenario("1.37", 7, family, 3)
		if err != nil {
			t.Fatal(err)
		}
		again, _ := Scenario("1.37", 7, family, 3)
		if !bytes.Equal(first.Scenario, again.Scenario) {
			t.Errorf("%s: two scenarios of one seed", family)
		}
		other, _ := Scenario("1.37", 8, family, 3)
		next, _ := Scenario("1.37", 7, family, 4)
		if bytes.Equal(first.Scenario, other.Scenario) || bytes.Equal(first.Scenario, next.Scenario) {
			t.Errorf("%s: one scenario of two seeds", family)
		}
	}
}

// The random numbers are our own, so that no release of Go changes the meaning of a seed.
func TestNumbersStay(t *testing.T) {
	s := newSource(1, "mixed", 0)
	hash := fnv.New64a()
	for range 1000 {
		hash.Write([]byte{byte(s.below(256))})
	}
	if got := hash.Sum64(); got != 0x473fb5efd519d957 {
		t.Errorf("the numbers of seed 1 hash to %#x", got)
	}
}

func TestEveryScenarioHasWhatItMust(t *testing.T) {
	for _, family := range Families {
		for index := range 20 {
			line, err := Scenario("1.37", 1, family, index)
			if err != nil {
				t.Fatal(err)
			}
			var scenario struct{ Nodes, Pending []json.RawMessage }
			if err := json.Unmarshal(line.Scenario, &scenario); err != nil {
				t.Fatal(err)
			}
			if len(scenario.Nodes) < 2 || len(scenario.Pending) < 1 {
				t.Errorf("%s %d: %d nodes, %d pending pods", family, index, len(scenario.Nodes), len(scenario.Pending))
			}
		}
	}
}

func TestUnknownFamily(t *testing.T) {
	if _, err := Scenario("1.37", 1, "nosuch", 0); err == nil {
		t.Error("no error")
	}
}
