// Package state runs the scenarios of the library's state on ours.
package state

import (
	berth "berth/go"
	"berth/go/schedulerlibrary/framework"
	"berth/go/schedulerlibrary/snapshot"
	"berth/go/schedulerlibrary/state"
	"berth/tests/schedulerlibrary/scenarios/cache"
	"berth/tests/schedulerlibrary/scenarios/frames"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
)

// ClusterState is ours, whose last snapshot the scenarios look at as the shared one.
type ClusterState struct {
	Cache      *watched
	of         *state.ClusterState
	sharedSnap *cache.Snapshot
}

// watched is our cache; it also notes the names of nodes.
type watched struct {
	state.Cache
	names map[string]bool
}

func (w *watched) AddNode(logger klog.Logger, node *corev1.Node) framework.NodeInfo {
	w.names[node.Name] = true
	return w.Cache.AddNode(logger, node)
}

// New makes a state. Its engine lives as long as the tests.
func New(_ *cache.Cache, _ *frames.ProfileMap, shared *cache.Snapshot) *ClusterState {
	cfg := &berth.Config{Kubernetes: 36}
	engine, err := berth.New(cfg)
	if err != nil {
		panic(err)
	}
	of, err := state.New(engine, cfg)
	if err != nil {
		panic(err)
	}
	return &ClusterState{&watched{of.Cache, map[string]bool{}}, of, shared}
}

// Snapshot makes a snapshot, which becomes the shared one.
func (s *ClusterState) Snapshot(logger klog.Logger) (*snapshot.ClusterSnapshot, error) {
	made, err := s.of.Snapshot(logger)
	if err != nil {
		return nil, err
	}
	s.sharedSnap.Of, s.sharedSnap.Names = made, nil
	for name := range s.Cache.names {
		s.sharedSnap.Names = append(s.sharedSnap.Names, name)
	}
	return made, nil
}
