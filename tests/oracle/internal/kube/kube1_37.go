//go:build kube1_37

package kube

import (
	resource "k8s.io/api/resource/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"

	"berth/tests/oracle/internal/vector"
)

// The tracker of ResourceSlices registers its handlers with options, and waits for a channel.
func (i *informer) AddEventHandlerWithOptions(handler cache.ResourceEventHandler, _ cache.HandlerOptions) (
	cache.ResourceEventHandlerRegistration, error,
) {
	return i.AddEventHandler(handler)
}

func (registration) HasSyncedChecker() cache.DoneChecker { return synced{} }

func (i *informer) HasSyncedChecker() cache.DoneChecker { return synced{} }

type synced struct{}

func (synced) Name() string { return "oracle" }

func (synced) Done() <-chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}

func registerTaintRules(factory informers.SharedInformerFactory) *informer {
	return register(factory, &resource.DeviceTaintRule{})
}

func loadTaintRules(into *informer, s *vector.Scenario) error {
	return load[resource.DeviceTaintRule](into, s.DeviceTaintRules, "DeviceTaintRule")
}
