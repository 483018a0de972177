package kube

import (
	"encoding/json"
	"fmt"
	"slices"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"

	"berth/tests/oracle/internal/vector"
)

// batches reports whether kube-scheduler may reuse the scores of one pod for the next one: it may
// if there are no default spread constraints.
func batches(profile schedulerapi.KubeSchedulerProfile) bool {
	const spread = "PodTopologySpread"
	names := func(set schedulerapi.PluginSet, name string) bool {
		return slices.ContainsFunc(set.Enabled, func(p schedulerapi.Plugin) bool { return p.Name == name })
	}
	plugins := profile.Plugins
	runs := false
	for _, set := range []schedulerapi.PluginSet{plugins.PreFilter, plugins.Filter, plugins.PreScore, plugins.Score} {
		disabled := slices.ContainsFunc(set.Disabled, func(p schedulerapi.Plugin) bool { return p.Name == spread || p.Name == "*" })
		runs = runs || names(set, spread) || (names(plugins.MultiPoint, spread) && !disabled)
	}
	for _, config := range profile.PluginConfig {
		args, ok := config.Args.(*schedulerapi.PodTopologySpreadArgs)
		if ok && args.DefaultingType == schedulerapi.ListDefaulting && len(args.DefaultConstraints) == 0 {
			return true
		}
	}
	return !runs
}

// Gates that make the answer for a pod depend on the pods before it, or on the progress of
// background work. Their defaults differ by release; here they are off wherever they exist, except
// for OpportunisticBatching since 1.36 (schedulePod).
var gatesOff = []featuregate.Feature{
	"OpportunisticBatching",
	"SchedulerAsyncPreemption",
	"SchedulerAsyncAPICalls",
}

func init() {
	known := utilfeature.DefaultMutableFeatureGate.GetAll()
	for _, gate := range gatesOff {
		if _, there := known[gate]; !there {
			continue
		}
		if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(map[string]bool{string(gate): false}); err != nil {
			panic(err)
		}
	}
}

// configuration reads a KubeSchedulerConfiguration (absent: the default one), fills in defaults,
// validates it, and sets the percentage of nodes to score that the mode requires.
func configuration(text json.RawMessage, mode string) (*schedulerapi.KubeSchedulerConfiguration, error) {
	config, err := decodeConfiguration(text)
	if err != nil {
		return nil, err
	}
	if err := validation.ValidateKubeSchedulerConfiguration(config); err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	if mode == vector.AllNodes {
		all := int32(100)
		config.PercentageOfNodesToScore = &all
		for i := range config.Profiles {
			config.Profiles[i].PercentageOfNodesToScore = &all
		}
	}
	return config, nil
}

func decodeConfiguration(text json.RawMessage) (*schedulerapi.KubeSchedulerConfiguration, error) {
	if len(text) == 0 || string(text) == "null" {
		return latest.Default()
	}
	object, _, err := scheme.Codecs.UniversalDecoder().Decode(text, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("config: %w", err)
	}
	config, ok := object.(*schedulerapi.KubeSchedulerConfiguration)
	if !ok {
		return nil, fmt.Errorf("config: %T is not a KubeSchedulerConfiguration", object)
	}
	// kube-scheduler's own loading sets these after decoding, too.
	config.TypeMeta.APIVersion = "kubescheduler.config.k8s.io/v1"
	return config, nil
}
