//go:build kube1_34

package kube

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// The framework's types, by the names that they have in this release.
type (
	CycleState       = fwk.CycleState
	NodeInfo         = fwk.NodeInfo
	Status           = fwk.Status
	PreFilterResult  = framework.PreFilterResult
	NodePluginScores = framework.NodePluginScores
	eventRecorder    = events.EventRecorder
)

func schedulePod(ctx context.Context, sched *scheduler.Scheduler, f framework.Framework, state CycleState, pod *v1.Pod,
	batches bool,
) (
	scheduler.ScheduleResult, error,
) {
	return sched.SchedulePod(ctx, f, state, pod)
}
