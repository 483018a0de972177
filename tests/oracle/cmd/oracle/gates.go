package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"slices"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	logs "k8s.io/component-base/logs/api/v1"
	metrics "k8s.io/component-base/metrics/features"
)

// listGates prints what this release of kube-scheduler makes of each setting of each feature gate,
// and of each gate that is on while one that it needs is off: SETTINGS and accepted or refused.
func listGates([]string) (int, error) {
	all := utilfeature.DefaultMutableFeatureGate
	// As the command itself does; importing the other packages registers their gates.
	if err := errors.Join(logs.AddFeatureGates(all), metrics.AddFeatureGates(all)); err != nil {
		return 0, err
	}
	out := bufio.NewWriter(os.Stdout)
	for _, settings := range settingsOf(all) {
		answer := "accepted"
		if err := all.DeepCopy().Set(settings); err != nil {
			answer = "refused"
		}
		fmt.Fprintln(out, settings, answer)
	}
	return 0, out.Flush()
}

func settingsOf(all featuregate.MutableVersionedFeatureGate) []string {
	var out []string
	for name := range all.GetAll() {
		out = append(out, string(name)+"=true", string(name)+"=false")
	}
	if newer, ok := all.(interface {
		Dependencies() map[featuregate.Feature][]featuregate.Feature
	}); ok {
		for name, needed := range newer.Dependencies() {
			for _, other := range needed {
				out = append(out, fmt.Sprintf("%s=true,%s=false", name, other), fmt.Sprintf("%s=true,%s=true", other, name))
			}
		}
	}
	slices.Sort(out)
	return out
}
