package kube

import (
	"context"
	"slices"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// recorder wraps a profile's framework and notes the scheduling cycle's calls and their results.
// Plugins know the wrapped framework, so their own calls (preemption's dry runs) are not noted.
type recorder struct {
	framework.Framework

	preFilter     *Status
	filtered      []filtered // in the order visited
	scoredNodes   []NodeInfo // nil: the cycle did not reach scoring
	scores        []NodePluginScores
	failedScoring *Status // the status that ended scoring
}

type filtered struct {
	node   string
	status *Status
}

func (r *recorder) reset() { *r = recorder{Framework: r.Framework, filtered: r.filtered[:0]} }

func (r *recorder) RunPreFilterPlugins(ctx context.Context, state CycleState, pod *v1.Pod) (
	*PreFilterResult, *Status, sets.Set[string],
) {
	result, status, plugins := r.Framework.RunPreFilterPlugins(ctx, state, pod)
	r.preFilter = status
	return result, status, plugins
}

func (r *recorder) RunFilterPluginsWithNominatedPods(ctx context.Context, state CycleState, pod *v1.Pod,
	node NodeInfo,
) *Status {
	status := r.Framework.RunFilterPluginsWithNominatedPods(ctx, state, pod, node)
	r.filtered = append(r.filtered, filtered{node.Node().Name, status})
	return status
}

func (r *recorder) RunPreScorePlugins(ctx context.Context, state CycleState, pod *v1.Pod, nodes []NodeInfo) *Status {
	status := r.Framework.RunPreScorePlugins(ctx, state, pod, nodes)
	r.scoredNodes = nodes
	if !status.IsSuccess() {
		r.failedScoring = status
	}
	return status
}

func (r *recorder) RunScorePlugins(ctx context.Context, state CycleState, pod *v1.Pod, nodes []NodeInfo) (
	[]NodePluginScores, *Status,
) {
	scores, status := r.Framework.RunScorePlugins(ctx, state, pod, nodes)
	r.scores = slices.Clone(scores) // the cycle turns its own list into a heap
	if !status.IsSuccess() {
		r.failedScoring = status
	}
	return scores, status
}
