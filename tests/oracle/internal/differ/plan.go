package differ

import (
	"fmt"
	"regexp"
	"strconv"
	"sync"

	"berth/tests/oracle/internal/generate"
	"berth/tests/oracle/internal/kube"
	"berth/tests/oracle/internal/vector"
)

// The number of scenarios in a batch, which one process of berth answers.
const batchSize = 200

// Families with large clusters take part only once in this many rounds, so that the others are not
// starved.
var rareFamilies = map[string]int{"sampled": 20, "zones": 4}

// plan hands out scenarios: families take turns, and each numbers its own scenarios.
type plan struct {
	sync.Mutex
	seed     uint64
	families []string
	round    int
	turn     int
	indexes  map[string]int
}

func newPlan(seed uint64, families []string) *plan {
	return &plan{seed: seed, families: families, indexes: map[string]int{}}
}

type place struct {
	family string
	index  int
}

func (p *plan) next() place {
	for {
		if p.turn == len(p.families) {
			p.turn = 0
			p.round++
		}
		family := p.families[p.turn]
		p.turn++
		if rare := rareFamilies[family]; rare > 0 && len(p.families) > 1 && p.round%rare != 0 {
			continue
		}
		index := p.indexes[family]
		p.indexes[family]++
		return place{family, index}
	}
}

func (p *plan) batch() ([]*vector.Line, error) {
	p.Lock()
	places := make([]place, batchSize)
	for i := range places {
		places[i] = p.next()
	}
	p.Unlock()
	lines := make([]*vector.Line, batchSize)
	for i, place := range places {
		line, err := generate.Scenario(kube.Version, p.seed, place.family, place.index)
		if err != nil {
			return nil, err
		}
		lines[i] = line
	}
	return lines, nil
}

var scenarioName = regexp.MustCompile(`^([a-z]+)-([0-9]+)-([0-9]+)$`)

// named makes the scenario with this name, FAMILY-SEED-INDEX.
func named(name string) (*vector.Line, error) {
	parts := scenarioName.FindStringSubmatch(name)
	if parts == nil {
		return nil, fmt.Errorf("%q is not FAMILY-SEED-INDEX", name)
	}
	seed, err := strconv.ParseUint(parts[2], 10, 64)
	if err != nil {
		return nil, err
	}
	index, err := strconv.Atoi(parts[3])
	if err != nil {
		return nil, err
	}
	return generate.Scenario(kube.Version, seed, parts[1], index)
}
