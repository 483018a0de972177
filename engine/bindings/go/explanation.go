package berth

/*
#include "glue.h"
*/
import "C"

// Explanation explains one decision. It is a plain Go value: it needs no closing and outlives its
// engine.
type Explanation struct {
	// Feasible nodes in the order found, with their totals.
	Feasible []NodeID
	Totals   []int64
	// ScorePlugins are the plugins that scored; Scores[p][i] is the weighted, normalized value of
	// plugin p on feasible node i.
	ScorePlugins []string
	Scores       [][]int64
	// RawScores[p][i] is the value that the plugin returned, before it was normalized and
	// multiplied by Weights[p]; NoRawScore if the plugin did not score the node.
	RawScores [][]int64
	Weights   []int64
	// Refusals are the nodes that were visited and refused.
	Refusals []Refusal
	// PreFilter is the reason why the pod was refused before any node was visited; "" if it was
	// not.
	PreFilter string
	// Message is kube-scheduler's message, preemption's part included; "" for a placed pod.
	Message string
	// Nominated is the node that preemption chose, or NoNode; Victims are the pods to evict from
	// it.
	Nominated NodeID
	Victims   []PodID
}

// NoRawScore means that a plugin did not score a node: it skips the node, or its score is the same
// on all nodes.
const NoRawScore int64 = C.BG_NO_RAW_SCORE

// Refusal is a node that was visited and refused.
type Refusal struct {
	Node    NodeID
	Plugin  string
	Reasons []string
	// Resolvable: preemption may help.
	Resolvable bool
}

// explanation copies the explanation from C in one crossing, each text once.
func (s *state) explanation() (*Explanation, error) {
	if C.bg_flatten(s.box) != C.BERTH_OK {
		return nil, misuse(NoMemory, "out of memory")
	}
	defer C.bg_flat_drop(s.box)
	flat := s.box.flat
	names := texts(view(flat.texts, flat.text_count))
	name := func(i C.uint32_t) string {
		if int(i) >= len(names) {
			return ""
		}
		return names[i]
	}
	out := &Explanation{
		Feasible:  copied[NodeID](view(flat.feasible, flat.feasible_count)),
		Totals:    copied[int64](view(flat.totals, flat.feasible_count)),
		PreFilter: text(flat.pre_filter),
		Message:   text(flat.message),
		Nominated: NodeID(flat.nominated),
		Victims:   copied[PodID](view(flat.victims, flat.victim_count)),
	}
	values := copied[int64](view(flat.scores, flat.score_count*flat.feasible_count))
	raws := copied[int64](view(flat.raws, flat.score_count*flat.feasible_count))
	out.Weights = copied[int64](view(flat.weights, flat.score_count))
	width := len(out.Feasible)
	for p, number := range view(flat.score_plugins, flat.score_count) {
		out.ScorePlugins = append(out.ScorePlugins, name(number))
		out.Scores = append(out.Scores, values[p*width:(p+1)*width:(p+1)*width])
		out.RawScores = append(out.RawScores, raws[p*width:(p+1)*width:(p+1)*width])
	}
	reasons := make([]string, flat.reason_count)
	for i, number := range view(flat.reasons, flat.reason_count) {
		reasons[i] = name(number)
	}
	out.Refusals = make([]Refusal, flat.refusal_count)
	for i, from := range view(flat.refusals, flat.refusal_count) {
		first, last := from.first_reason, from.first_reason+from.reason_count
		out.Refusals[i] = Refusal{NodeID(from.node), name(from.plugin), reasons[first:last:last],
			from.code == C.BERTH_CODE_UNSCHEDULABLE}
	}
	return out, nil
}

// copied copies a C array into a Go slice whose elements have the same size.
func copied[To, From number](from []From) []To {
	out := make([]To, len(from))
	for i, value := range from {
		out[i] = To(value)
	}
	return out
}

type number interface {
	~int32 | ~int64 | ~uint32 | ~uint64
}
