package kube

import (
	"sync"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

// Gates belong to the process: a scenario that sets some is answered while no other one is.
var gates sync.RWMutex

// setGates sets feature gates for the scenario; it returns a function that restores them.
func setGates(text string) (func(), error) {
	if text == "" {
		gates.RLock()
		return gates.RUnlock, nil
	}
	gates.Lock()
	reset, err := changeGates(text)
	if err != nil {
		gates.Unlock()
		return nil, err
	}
	return func() {
		reset()
		gates.Unlock()
	}, nil
}

func changeGates(text string) (func(), error) {
	before := map[string]bool{}
	for gate := range utilfeature.DefaultMutableFeatureGate.GetAll() {
		before[string(gate)] = utilfeature.DefaultFeatureGate.Enabled(gate)
	}
	if err := utilfeature.DefaultMutableFeatureGate.Set(text); err != nil {
		return nil, err
	}
	return func() {
		changed := map[string]bool{}
		for gate := range utilfeature.DefaultMutableFeatureGate.GetAll() {
			if now := utilfeature.DefaultFeatureGate.Enabled(gate); now != before[string(gate)] {
				changed[string(gate)] = before[string(gate)]
			}
		}
		if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(changed); err != nil {
			panic(err)
		}
	}, nil
}
