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

// batches tells whether kube-scheduler may use the scores of one pod for the next: if nothing spreads
// pods that do not ask for it.
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

// Gates that make the answer to a pod depend on the pods before it, or on how far something in the
// background has come. Their defaults differ by release; here they are off wherever they exist, but for
// OpportunisticBatching since 1.36 (schedulePod).
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

// configuration reads a KubeSchedulerConfiguration (absent: the default one), with defaults filled
// in, validated, and with the percentage of nodes to score that the mode asks for.
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
	// What kube-scheduler's own loading adds to the decoded object.
	config.TypeMeta.APIVersion = "kubescheduler.config.k8s.io/v1"
	return config, nil
}
