// Package simulator runs the scenarios of the library's simulator on ours: the configuration is a
// text here, and no informers are needed.
package simulator

import (
	"context"
	"errors"

	berth "berth/go"
	"berth/go/schedulerlibrary/simulator"
	"k8s.io/apimachinery/pkg/runtime"
	configv1 "k8s.io/kube-scheduler/config/v1"
	schedulerapi "k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
)

// ReadonlyClient holds what the library's client would.
type ReadonlyClient struct{ client any }

// NewReadonlyClient makes a client.
func NewReadonlyClient(client any) (ReadonlyClient, error) { return ReadonlyClient{client}, nil }

// SchedulingSimulator is ours; it needs no informers, and says so where scenarios look for them.
type SchedulingSimulator struct {
	*simulator.SchedulingSimulator
	informerFactory any
}

// NewSchedulingSimulator writes the configuration as a text and makes a simulator.
func NewSchedulingSimulator(ctx context.Context, cfg *schedulerapi.KubeSchedulerConfiguration, client ReadonlyClient, factory any) (*SchedulingSimulator, error) {
	if client.client == nil {
		return nil, errors.New("there is no client")
	}
	text, err := textOf(cfg)
	if err != nil {
		return nil, err
	}
	lister, err := simulator.NewReadonlyClient(simulator.ObjectList{})
	if err != nil {
		return nil, err
	}
	made, err := simulator.NewSchedulingSimulator(ctx, &berth.Config{Kubernetes: 36, SchedulerConfiguration: text}, lister)
	return &SchedulingSimulator{made, "not needed"}, err
}

// textOf writes a configuration whose profiles have exactly the plugins that they name.
func textOf(cfg *schedulerapi.KubeSchedulerConfiguration) (string, error) {
	copied := cfg.DeepCopy()
	all := int32(100)
	copied.Parallelism = 16
	copied.PercentageOfNodesToScore = &all
	copied.PodInitialBackoffSeconds, copied.PodMaxBackoffSeconds = 1, 10
	for i := range copied.Profiles {
		copied.Profiles[i].Plugins.MultiPoint.Disabled = []schedulerapi.Plugin{{Name: "*"}}
	}
	var out configv1.KubeSchedulerConfiguration
	if err := scheme.Scheme.Convert(copied, &out, nil); err != nil {
		return "", err
	}
	scheme.Scheme.Default(&out)
	text, err := runtime.Encode(scheme.Codecs.LegacyCodec(configv1.SchemeGroupVersion), &out)
	return string(text), err
}
