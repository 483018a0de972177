//go:build kube1_36 || kube1_37

package kube

import (
	"context"
	"errors"

	v1 "k8s.io/api/core/v1"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
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

// OpportunisticBatching is on by default, and therefore also here: a pod with a signature may get
// the node that was next best for an equal pod before it. schedulePod shows that no pod of a
// profile with default constraints for PodTopologySpread has one. In other profiles, pods get no
// signature here, because kube-scheduler's answer would then depend on the half second for which it
// keeps scores.
func init() {
	if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(map[string]bool{"OpportunisticBatching": true}); err != nil {
		panic(err)
	}
}

func schedulePod(ctx context.Context, sched *scheduler.Scheduler, f framework.Framework, state CycleState, pod *v1.Pod,
	batches bool,
) (
	scheduler.ScheduleResult, error,
) {
	info, _ := framework.NewPodInfo(pod) // the queue ignores unreadable terms, too
	if !batches && f.SignPod(ctx, pod) != nil {
		return scheduler.ScheduleResult{}, errors.New("the pod could be batched, although the profile has default constraints")
	}
	return sched.SchedulePod(ctx, f, state, &framework.QueuedPodInfo{PodInfo: info})
}
