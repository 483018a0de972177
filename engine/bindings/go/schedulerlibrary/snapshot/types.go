package snapshot

import (
	"berth/go/schedulerlibrary/framework"
	"berth/go/schedulerlibrary/internal/cluster"
	corev1 "k8s.io/api/core/v1"
)

// CommonSchedulingOptions are the options of every call that places pods.
type CommonSchedulingOptions struct {
	// DryRun: answer without changing the snapshot.
	DryRun bool
}

// SchedulePodsOptions are the options of [ClusterSnapshot.SchedulePods].
type SchedulePodsOptions struct {
	CommonSchedulingOptions
	StopOnFailure bool // end at the first pod that is not placed
}

// SchedulePodsByTemplateOptions are the options of [ClusterSnapshot.SchedulePodsByTemplate].
type SchedulePodsByTemplateOptions struct {
	CommonSchedulingOptions
}

// NewSchedulePodsOptions makes options.
func NewSchedulePodsOptions(dryRun bool, stopOnFailure bool) SchedulePodsOptions {
	return SchedulePodsOptions{CommonSchedulingOptions{dryRun}, stopOnFailure}
}

// NewSchedulePodsByTemplateOptions makes options.
func NewSchedulePodsByTemplateOptions(dryRun bool) SchedulePodsByTemplateOptions {
	return SchedulePodsByTemplateOptions{CommonSchedulingOptions{dryRun}}
}

// TransactionResult says how a transaction ends.
type TransactionResult int

// The results.
const (
	Commit TransactionResult = iota
	Revert
)

// SchedulingResult is the decision on one pod. Status is nil for a pod that was placed.
type SchedulingResult struct {
	Pod              *corev1.Pod
	Status           *framework.Status
	SelectedNodeName string
}

// Unpreemption can take back one call of [ClusterSnapshot.PreemptPods].
type Unpreemption struct {
	of       *ClusterSnapshot
	pods     []*corev1.Pod
	removed  []*cluster.Pod
	reverted bool
	version  uint64
}
