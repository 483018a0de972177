// Package simulator makes the snapshots and states of sigs.k8s.io/scheduler-library over Berth. A
// caller of that library changes its imports, the configuration and the client:
//
//	lister := simulator.ObjectList{namespace, claim, volume} // all but nodes and pods
//	client, err := simulator.NewReadonlyClient(lister)
//	sim, err := simulator.NewSchedulingSimulator(ctx, &berth.Config{Kubernetes: 36}, client)
//	snap, err := sim.NewClusterSnapshot(ctx, pods, nodes)
package simulator

import (
	"context"
	"errors"
	"fmt"

	berth "berth/go"
	"berth/go/schedulerlibrary/internal/cluster"
	"berth/go/schedulerlibrary/snapshot"
	"berth/go/schedulerlibrary/state"
	corev1 "k8s.io/api/core/v1"
)

// ObjectLister lists the objects other than nodes and pods that affect decisions, of the kinds that
// berth.Engine.Add takes: Namespaces, Services, volumes and their claims, ResourceClaims and so on.
// A caller with informers lists their stores.
type ObjectLister interface {
	ListObjects(ctx context.Context) ([]any, error)
}

// ObjectList is an ObjectLister that always lists the same objects.
type ObjectList []any

// ListObjects returns the list.
func (l ObjectList) ListObjects(context.Context) ([]any, error) { return l, nil }

// ReadonlyClient reads a cluster.
type ReadonlyClient struct{ lister ObjectLister }

// NewReadonlyClient makes a client that lists what `lister` lists.
func NewReadonlyClient(lister ObjectLister) (ReadonlyClient, error) {
	if lister == nil {
		return ReadonlyClient{}, errors.New("got nil lister")
	}
	return ReadonlyClient{lister}, nil
}

// SchedulingSimulator makes states and snapshots that follow one configuration.
type SchedulingSimulator struct {
	cfg    berth.Config
	lister ObjectLister
}

// NewSchedulingSimulator makes a simulator. A nil configuration means the default profile of the
// newest Kubernetes version. The configuration is checked when a state or snapshot is made, as in
// the library.
func NewSchedulingSimulator(ctx context.Context, cfg *berth.Config, client ReadonlyClient) (*SchedulingSimulator, error) {
	if client.lister == nil {
		return nil, errors.New("client needs to be provided, got nil")
	}
	out := &SchedulingSimulator{lister: client.lister}
	if cfg != nil {
		out.cfg = *cfg
	}
	if out.cfg.Threads == 0 {
		out.cfg.Threads = 1 // questions use one thread
	}
	return out, nil
}

// allNodes makes searches visit all nodes, so that one explanation covers them.
const allNodes = "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\npercentageOfNodesToScore: 100\n"

// engine makes an engine with the objects that the client lists. It also returns the caller's
// configuration.
func (s *SchedulingSimulator) engine(ctx context.Context) (*berth.Engine, *berth.Config, error) {
	cfg := s.cfg
	if cfg.SchedulerConfiguration == "" && cfg.SchedulerConfigurationFile == "" {
		cfg.SchedulerConfiguration = allNodes
	}
	engine, err := berth.New(&cfg)
	if err != nil {
		return nil, nil, fmt.Errorf("schedlib: building scheduler: %w", err)
	}
	objects, err := s.lister.ListObjects(ctx)
	for _, object := range objects {
		if err == nil {
			_, err = engine.Add(object)
		}
	}
	if err != nil {
		return nil, nil, errors.Join(err, engine.Close())
	}
	return engine, &s.cfg, nil
}

// NewClusterState makes a state without nodes and pods.
func (s *SchedulingSimulator) NewClusterState(ctx context.Context) (*state.ClusterState, error) {
	engine, cfg, err := s.engine(ctx)
	if err != nil {
		return nil, err
	}
	made, err := state.New(engine, cfg)
	if err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	return made, nil
}

// NewClusterSnapshot makes a snapshot of these nodes and of the pods that are on them.
func (s *SchedulingSimulator) NewClusterSnapshot(ctx context.Context, pods []*corev1.Pod, nodes []*corev1.Node) (*snapshot.ClusterSnapshot, error) {
	engine, cfg, err := s.engine(ctx)
	if err != nil {
		return nil, err
	}
	all := cluster.New(engine)
	all.Rules, err = cluster.RulesOf(cfg)
	if err == nil {
		err = all.AddNodes(nodes)
	}
	if err == nil {
		err = all.AddPods(pods)
	}
	if err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	return snapshot.New(all, engine.Close), nil
}
