//go:build kube1_37

package kube

import (
	"context"

	v1 "k8s.io/api/core/v1"
	resource "k8s.io/api/resource/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"berth/tests/oracle/internal/vector"
)

// The framework's types, by the names that they have in this release.
type (
	CycleState       = fwk.CycleState
	NodeInfo         = fwk.NodeInfo
	Status           = fwk.Status
	PreFilterResult  = fwk.PreFilterResult
	NodePluginScores = fwk.NodePluginScores
	eventRecorder    = events.EventRecorderLogger
)

func schedulePod(ctx context.Context, sched *scheduler.Scheduler, f framework.Framework, state CycleState, pod *v1.Pod) (
	scheduler.ScheduleResult, error,
) {
	info, _ := framework.NewPodInfo(pod) // the queue does not mind terms that cannot be read, either
	return sched.SchedulePod(ctx, f, state, &framework.QueuedPodInfo{PodInfo: info})
}

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
