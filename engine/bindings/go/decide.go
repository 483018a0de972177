package berth

/*
#include "glue.h"
*/
import "C"

import (
	"context"
	"errors"
	"unsafe"
)

// Verdict is the outcome of a decision on a pod.
type Verdict uint32

// The verdicts.
const (
	Placed        Verdict = C.BERTH_VERDICT_PLACED
	Unschedulable Verdict = C.BERTH_VERDICT_UNSCHEDULABLE // no node fits
	Failed        Verdict = C.BERTH_VERDICT_ERROR         // a rule failed on this pod
)

// String returns the verdict's name.
func (v Verdict) String() string {
	switch v {
	case Placed:
		return "placed"
	case Unschedulable:
		return "unschedulable"
	}
	return "error"
}

// Placement is one decision.
type Placement struct {
	Verdict  Verdict
	Node     NodeID // NoNode unless Placed
	Feasible uint32 // feasible nodes found by the search
	Best     uint32 // nodes that share the best total
	Total    int64  // the best total; 0 when a single node was feasible and none was scored
	Path     Path   // how the node was found
	_        uint32
}

// A Placement has the layout of the C struct, so that C fills arrays of them in place.
var _ = [1]struct{}{}[unsafe.Sizeof(Placement{})-C.sizeof_bg_placement]

func placement(from *C.bg_placement) Placement { return *(*Placement)(unsafe.Pointer(from)) }

// DecideOptions control one decision.
type DecideOptions struct {
	KeepRotation bool // do not move the engine's rotation over nodes
	SearchOnly   bool // explain the search but not preemption: much cheaper
}

func (o *DecideOptions) flags() C.uint32_t {
	var flags C.uint32_t
	if o != nil && o.KeepRotation {
		flags |= C.BERTH_DECIDE_KEEP_ROTATION
	}
	if o != nil && o.SearchOnly {
		flags |= C.BERTH_DECIDE_SEARCH_ONLY
	}
	return flags
}

// Schedule decides where a pending pod runs and, if it is placed, binds it. A pod that fits nowhere
// is a verdict, not an error.
func (e *Engine) Schedule(pod PodID) (Placement, error) {
	if err := e.lock(); err != nil {
		return Placement{Node: NoNode}, err
	}
	defer e.unlock()
	if err := e.result(C.bg_schedule(e.box, C.uint64_t(pod))); err != nil {
		return Placement{Node: NoNode}, err
	}
	return placement(&e.box.placement), nil
}

// Decide decides where a pending pod would run, without binding it. Nil options mean the zero
// value.
func (e *Engine) Decide(pod PodID, options *DecideOptions) (Placement, error) {
	if err := e.lock(); err != nil {
		return Placement{Node: NoNode}, err
	}
	defer e.unlock()
	if err := e.result(C.bg_decide(e.box, C.uint64_t(pod), options.flags(), false)); err != nil {
		return Placement{Node: NoNode}, err
	}
	return placement(&e.box.placement), nil
}

// Explain decides as [Engine.Decide] does, and explains the decision. Cost: every plugin scores
// every feasible node, and the explanation is copied.
func (e *Engine) Explain(pod PodID, options *DecideOptions) (Placement, *Explanation, error) {
	if err := e.lock(); err != nil {
		return Placement{Node: NoNode}, nil, err
	}
	defer e.unlock()
	if err := e.result(C.bg_decide(e.box, C.uint64_t(pod), options.flags(), true)); err != nil {
		return Placement{Node: NoNode}, nil, err
	}
	out := placement(&e.box.placement)
	explanation, err := e.explanation()
	return out, explanation, err
}

// Why decides and returns kube-scheduler's message about why the pod fits nowhere, preemption
// included; "" if it fits. Nil options mean the zero value.
func (e *Engine) Why(pod PodID, options *DecideOptions) (string, error) {
	if err := e.lock(); err != nil {
		return "", err
	}
	defer e.unlock()
	if err := e.result(C.bg_decide(e.box, C.uint64_t(pod), options.flags(), true)); err != nil {
		return "", err
	}
	return text(C.berth_explanation_message(e.box.explanation)), nil
}

// ScheduleBatch schedules pods one after the other in one crossing, and stops at the first error.
// It returns the number of decisions; `out` is as long as `pods`.
func (e *Engine) ScheduleBatch(pods []PodID, out []Placement) (int, error) {
	return e.many(pods, out, func(box *C.bg_box, ids *C.uint64_t, count C.uint32_t,
		to *C.bg_placement) C.int {
		return C.bg_schedule_many(box, ids, count, to)
	})
}

// DecideBatch decides on pods in one crossing, on each as if the others did not exist.
func (e *Engine) DecideBatch(pods []PodID, options *DecideOptions, out []Placement) (int, error) {
	return e.many(pods, out, func(box *C.bg_box, ids *C.uint64_t, count C.uint32_t,
		to *C.bg_placement) C.int {
		return C.bg_decide_many(box, ids, count, options.flags(), to)
	})
}

func (e *Engine) many(pods []PodID, out []Placement,
	decide func(*C.bg_box, *C.uint64_t, C.uint32_t, *C.bg_placement) C.int) (int, error) {
	if len(out) < len(pods) {
		return 0, misuse(Argument, "there is room for %d decisions on %d pods", len(out), len(pods))
	}
	if err := e.lock(); err != nil {
		return 0, err
	}
	defer e.unlock()
	status := decide(e.box, (*C.uint64_t)(unsafe.SliceData(pods)), C.uint32_t(len(pods)),
		(*C.bg_placement)(unsafe.Pointer(unsafe.SliceData(out))))
	return int(e.box.done), e.result(status)
}

// ScheduleGroup places all of these pending pods or none. It returns the number of pods placed, or,
// if a pod does not fit, the number of pods before it; then all are pending again. `out` (nil, or
// as long as `pods`) receives the decisions up to the first pod that does not fit.
func (e *Engine) ScheduleGroup(pods []PodID, out []Placement) (int, error) {
	if out == nil {
		out = make([]Placement, len(pods))
	}
	return e.many(pods, out, func(box *C.bg_box, ids *C.uint64_t, count C.uint32_t,
		to *C.bg_placement) C.int {
		return C.bg_schedule_group(box, ids, count, to)
	})
}

// FitCount counts how many pods like `like` would fit, up to `limit`, if they were placed one after
// the other, and returns their nodes. The engine does not change.
func (e *Engine) FitCount(like PodID, limit int) ([]NodeID, error) {
	nodes, _, err := e.fitCount(context.Background(), like, limit, false)
	return nodes, err
}

// FitCountContext does the same until ctx is done. Then it returns the nodes so far, and an error of
// code [Cancelled] that wraps the context's cause, too.
func (e *Engine) FitCountContext(ctx context.Context, like PodID, limit int) ([]NodeID, error) {
	nodes, _, err := e.fitCount(ctx, like, limit, false)
	return nodes, err
}

// FitCountExplain does the same, and explains the first pod that does not fit; nil if all fit.
func (e *Engine) FitCountExplain(like PodID, limit int) ([]NodeID, *Explanation, error) {
	return e.fitCount(context.Background(), like, limit, true)
}

func (e *Engine) fitCount(ctx context.Context, like PodID, limit int, explain bool) ([]NodeID, *Explanation, error) {
	if limit < 0 || limit > 1<<31-1 {
		return nil, nil, misuse(OutOfRange, "the limit %d is out of range", limit)
	}
	if err := e.lock(); err != nil {
		return nil, nil, err
	}
	defer e.unlock()
	nodes := make([]NodeID, limit)
	stop := e.watch(ctx)
	status := C.bg_fit_count(e.box, C.uint64_t(like), C.uint32_t(limit),
		(*C.uint32_t)(unsafe.SliceData(nodes)), C.bool(explain))
	stop()
	nodes = nodes[:e.box.done]
	if err := e.resultOf(ctx, status); errors.Is(err, Cancelled) {
		return nodes, nil, err
	} else if err != nil {
		return nil, nil, err
	}
	if !explain || len(nodes) == limit {
		return nodes, nil, nil
	}
	explanation, err := e.explanation()
	return nodes, explanation, err
}

// Bind binds a pod to a node, whether or not it fits: use it to follow another scheduler's choice.
func (e *Engine) Bind(pod PodID, node NodeID) error {
	if err := e.lock(); err != nil {
		return err
	}
	defer e.unlock()
	return e.result(C.int(C.berth_engine_bind(e.box.engine, C.berth_pod_id(pod),
		C.berth_node_id(node), &e.box.error)))
}

// BindBatch binds pods in one crossing, and stops at the first error. It returns how many were
// bound.
func (e *Engine) BindBatch(pods []PodID, nodes []NodeID) (int, error) {
	if len(nodes) != len(pods) {
		return 0, misuse(Argument, "there are %d nodes for %d pods", len(nodes), len(pods))
	}
	if err := e.lock(); err != nil {
		return 0, err
	}
	defer e.unlock()
	status := C.bg_bind_many(e.box, (*C.uint64_t)(unsafe.SliceData(pods)),
		(*C.uint32_t)(unsafe.SliceData(nodes)), C.uint32_t(len(pods)))
	return int(e.box.done), e.result(status)
}

// Unbind takes a pod off its node; the pod becomes pending again.
func (e *Engine) Unbind(pod PodID) error {
	if err := e.lock(); err != nil {
		return err
	}
	defer e.unlock()
	return e.result(C.int(C.berth_engine_unbind(e.box.engine, C.berth_pod_id(pod), &e.box.error)))
}

// UnbindBatch takes pods off their nodes in one crossing, and stops at the first error.
func (e *Engine) UnbindBatch(pods []PodID) (int, error) {
	if err := e.lock(); err != nil {
		return 0, err
	}
	defer e.unlock()
	status := C.bg_unbind_many(e.box, (*C.uint64_t)(unsafe.SliceData(pods)), C.uint32_t(len(pods)))
	return int(e.box.done), e.result(status)
}

// Nominate reserves a node for a pending pod, as preemption does; NoNode ends the reservation.
func (e *Engine) Nominate(pod PodID, node NodeID) error {
	if err := e.lock(); err != nil {
		return err
	}
	defer e.unlock()
	return e.result(C.int(C.berth_engine_nominate(e.box.engine, C.berth_pod_id(pod),
		C.berth_node_id(node), &e.box.error)))
}

// Forbidden reports which of these pods PodDisruptionBudgets would protect if all were evicted in
// this order. The engine does not change.
func (e *Engine) Forbidden(pods []PodID) ([]bool, error) {
	if err := e.lock(); err != nil {
		return nil, err
	}
	defer e.unlock()
	out := make([]bool, len(pods))
	C.berth_engine_forbidden(e.box.engine, (*C.berth_pod_id)(unsafe.SliceData(pods)),
		C.uint32_t(len(pods)), (*C.bool)(unsafe.SliceData(out)))
	return out, nil
}

// Cordon sets or clears a node's spec.unschedulable.
func (e *Engine) Cordon(node NodeID, unschedulable bool) error {
	if err := e.lock(); err != nil {
		return err
	}
	defer e.unlock()
	return e.result(C.int(C.berth_engine_cordon_node(e.box.engine, C.berth_node_id(node),
		C.bool(unschedulable), &e.box.error)))
}

// CloseNode closes a node, so that it takes no pod at all, whatever the pod tolerates, as during a
// drain; or opens it again (false). It is much cheaper than a cordon.
func (e *Engine) CloseNode(node NodeID, closed bool) error {
	if err := e.lock(); err != nil {
		return err
	}
	defer e.unlock()
	return e.result(C.int(C.berth_engine_close_node(e.box.engine, C.berth_node_id(node),
		C.bool(closed), &e.box.error)))
}
