//go:build kube1_36 || kube1_37

package kube

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// The framework's types, by the names that they have in these releases.
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
