package berth

/*
#cgo noescape berth_engine_resource_by_node
#cgo nocallback berth_engine_resource_by_node
#cgo noescape berth_snapshot_resource_by_node
#cgo nocallback berth_snapshot_resource_by_node
#include "glue.h"
*/
import "C"

import (
	"context"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
)

// Fit says whether a pod fits a node, and if not, why.
type Fit struct {
	Verdict    Verdict  // Placed: the pod fits; Failed: a plugin failed on this pod or node
	Plugin     string   // the first plugin that refused or failed
	Reasons    []string // of that plugin
	Resolvable bool     // preemption may help
}

// Fits reports whether a pending pod fits a node. Cost: about a microsecond for a known kind of
// pod.
func (e *Engine) Fits(pod PodID, node NodeID) (bool, error) {
	if err := e.lock(); err != nil {
		return false, err
	}
	defer e.unlock()
	if err := e.result(C.bg_fits(e.box, C.uint64_t(pod), C.uint32_t(node), 0)); err != nil {
		return false, err
	}
	return e.box.fit.verdict == C.BERTH_VERDICT_PLACED, nil
}

// Fit does the same and returns the reasons if the pod does not fit.
func (e *Engine) Fit(pod PodID, node NodeID) (Fit, error) {
	if err := e.lock(); err != nil {
		return Fit{}, err
	}
	defer e.unlock()
	err := e.result(C.bg_fits(e.box, C.uint64_t(pod), C.uint32_t(node), C.BERTH_FIT_REASONS))
	if err != nil {
		return Fit{}, err
	}
	fit := &e.box.fit
	out := Fit{Verdict: Verdict(fit.verdict)}
	if out.Verdict != Placed {
		out.Plugin = text(fit.plugin)
		out.Reasons = texts(view(fit.reasons, fit.reason_count))
		out.Resolvable = fit.code == C.BERTH_CODE_UNSCHEDULABLE
	}
	return out, nil
}

// FeasibleNodes appends all nodes that a pending pod fits to `out`, in the order of [Engine.Nodes],
// even if the profile would search only a share of the nodes. It needs one crossing, or two if
// `out` has too little room.
func (e *Engine) FeasibleNodes(pod PodID, out []NodeID) ([]NodeID, error) {
	if err := e.lock(); err != nil {
		return out, err
	}
	defer e.unlock()
	var status C.int
	out = appendIDs(out, func(at *NodeID, room int) int {
		status = C.bg_feasible(e.box, C.uint64_t(pod), (*C.uint32_t)(at), nil, C.uint32_t(room))
		if status != C.BERTH_OK {
			return 0
		}
		return int(e.box.done)
	})
	return out, e.result(status)
}

// FeasibleTotals returns all nodes that a pending pod fits, with their total scores.
func (e *Engine) FeasibleTotals(pod PodID) ([]NodeID, []int64, error) {
	if err := e.lock(); err != nil {
		return nil, nil, err
	}
	defer e.unlock()
	C.berth_engine_counts(e.box.engine, &e.box.counts)
	room := int(e.box.counts.nodes)
	nodes, totals := make([]NodeID, room), make([]int64, room)
	err := e.result(C.bg_feasible(e.box, C.uint64_t(pod), (*C.uint32_t)(unsafe.SliceData(nodes)),
		(*C.int64_t)(unsafe.SliceData(totals)), C.uint32_t(room)))
	if err != nil {
		return nil, nil, err
	}
	count := min(int(e.box.done), room)
	return nodes[:count], totals[:count], nil
}

// GroupOptions control how [Engine.SchedulePods] places a group.
type GroupOptions struct {
	All     bool // place all pods or none
	Stop    bool // end at the first pod that fits nowhere
	Minimum int  // if fewer pods fit, none is placed
	// Preempt: a pod that fits nowhere preempts as its profile and its preemptionPolicy say, but no
	// pod of the same group. Victims are pending at once: schedule them again, or remove them.
	Preempt bool
	// Evicted, if not nil, receives the evictions, by preemptor; none if the group is taken back.
	Evicted *[]Eviction
}

// SchedulePods places as many of these pending pods as fit, and returns how many fit. If those are
// too few for the options, all pods are pending again. `out` (nil, or as long as `pods`) receives
// the decision on each pod.
func (e *Engine) SchedulePods(pods []PodID, options GroupOptions, out []Placement) (int, error) {
	return e.SchedulePodsContext(context.Background(), pods, options, out)
}

// SchedulePodsContext does the same until ctx is done. Then all pods are pending again, and it
// returns how many had fitted, and an error of code [Cancelled] that wraps the context's cause, too.
func (e *Engine) SchedulePodsContext(ctx context.Context, pods []PodID, options GroupOptions, out []Placement) (int, error) {
	if options.Minimum < 0 || out != nil && len(out) < len(pods) {
		return 0, misuse(Argument, "the minimum, or the room for decisions, is too small")
	}
	var flags C.uint32_t
	if options.All {
		flags |= C.BERTH_GROUP_ALL
	}
	if options.Stop {
		flags |= C.BERTH_GROUP_STOP
	}
	if options.Preempt {
		flags |= C.BERTH_GROUP_PREEMPT
	}
	if err := e.lock(); err != nil {
		return 0, err
	}
	defer e.unlock()
	stop := e.watch(ctx)
	var evictions C.bg_evictions
	defer C.bg_evictions_free(&evictions)
	status := C.bg_schedule_pods(e.box, (*C.uint64_t)(unsafe.SliceData(pods)),
		C.uint32_t(len(pods)), flags, C.uint32_t(options.Minimum),
		(*C.bg_placement)(unsafe.Pointer(unsafe.SliceData(out))), &evictions)
	stop()
	if options.Evicted != nil {
		*options.Evicted = (*options.Evicted)[:0]
		for _, one := range unsafe.Slice(evictions.items, int(evictions.count)) {
			*options.Evicted = append(*options.Evicted,
				Eviction{pods[one.preemptor], NodeID(one.node), PodID(one.victim)})
		}
	}
	return int(e.box.done), e.resultOf(ctx, status)
}

// NodeTemplate describes nodes that a cloud would add: a kind of node, with the pods that start on
// each one.
type NodeTemplate struct {
	Node    *corev1.Node       // its name is the prefix of the names of the nodes
	Pods    []*corev1.Pod      // such as those of DaemonSets
	CSINode *storagev1.CSINode // of each node; nil: none
}

// AddGroup adds `count` nodes of a template, all or none, named NAME-1, NAME-2 and so on; names in
// use are skipped. Meant for what-ifs: in a transaction, or on a branch.
func (e *Engine) AddGroup(template *NodeTemplate, count int) ([]NodeID, error) {
	if template == nil || template.Node == nil || count < 0 || count > 1<<31-1 {
		return nil, misuse(Argument, "there is no node, or the count is out of range")
	}
	a := borrowArena()
	defer a.giveBack()
	node := one[C.berth_node](a)
	if err := packInto(a, node, template.Node, a.node); err != nil {
		return nil, err
	}
	list := many[C.berth_pod](a, len(template.Pods))
	for i, pod := range template.Pods {
		if err := packInto(a, &list[i], pod, a.pod); err != nil {
			return nil, err
		}
	}
	var csiNode *C.berth_csi_node
	if template.CSINode != nil {
		csiNode = one[C.berth_csi_node](a)
		a.csiNode(csiNode, template.CSINode)
	}
	if err := e.lock(); err != nil {
		return nil, err
	}
	defer e.unlock()
	nodes := make([]NodeID, count)
	err := e.result(C.bg_add_group(e.box, node, unsafe.SliceData(list), C.uint32_t(len(list)), csiNode,
		C.uint32_t(count), (*C.uint32_t)(unsafe.SliceData(nodes))))
	if err != nil {
		return nil, err
	}
	return nodes, nil
}

// NodeAmounts are the amounts of one resource on all nodes, by position: cpu in milli, everything
// else in units.
type NodeAmounts struct {
	Nodes                  []NodeID
	Allocatable, Requested []int64
}

func (n *NodeAmounts) resize(count int) {
	if cap(n.Nodes) < count || cap(n.Allocatable) < count || cap(n.Requested) < count {
		n.Nodes, n.Allocatable, n.Requested = make([]NodeID, count), make([]int64, count), make([]int64, count)
	}
	n.Nodes, n.Allocatable, n.Requested = n.Nodes[:count], n.Allocatable[:count], n.Requested[:count]
}

// Amounts fills `out` with one resource of all nodes; it reuses the arrays in `out` if they are
// large enough.
func (e *Engine) Amounts(resource string, out *NodeAmounts) error {
	a := borrowArena()
	defer a.giveBack()
	if err := e.lock(); err != nil {
		return err
	}
	defer e.unlock()
	C.berth_engine_counts(e.box.engine, &e.box.counts)
	out.resize(int(e.box.counts.nodes))
	C.berth_engine_resource_by_node(e.box.engine, a.strSet(resource),
		(*C.berth_node_id)(unsafe.SliceData(out.Nodes)), (*C.int64_t)(unsafe.SliceData(out.Allocatable)),
		(*C.int64_t)(unsafe.SliceData(out.Requested)), C.uint32_t(len(out.Nodes)))
	return nil
}

// Amounts does the same for a snapshot.
func (s *Snapshot) Amounts(resource string, out *NodeAmounts) error {
	counts, err := s.Counts()
	if err != nil {
		return err
	}
	if err := s.use(); err != nil {
		return err
	}
	defer s.done()
	a := borrowArena()
	defer a.giveBack()
	out.resize(counts.Nodes)
	C.berth_snapshot_resource_by_node(s.snapshot, a.strSet(resource),
		(*C.berth_node_id)(unsafe.SliceData(out.Nodes)), (*C.int64_t)(unsafe.SliceData(out.Allocatable)),
		(*C.int64_t)(unsafe.SliceData(out.Requested)), C.uint32_t(len(out.Nodes)))
	return nil
}

// ReasonCount is the number of nodes that one plugin refused for one reason.
type ReasonCount struct {
	Reason, Plugin string
	Nodes          int
	Resolvable     bool // preemption may help
}

// WhyCounts decides, and returns the number of nodes for each reason of refusal, in the order in
// which the reasons first occurred.
func (e *Engine) WhyCounts(pod PodID, options *DecideOptions) ([]ReasonCount, error) {
	if err := e.lock(); err != nil {
		return nil, err
	}
	defer e.unlock()
	if err := e.result(C.bg_decide(e.box, C.uint64_t(pod), options.flags(), true)); err != nil {
		return nil, err
	}
	a := borrowArena()
	defer a.giveBack()
	count := C.berth_explanation_reason_counts(e.box.explanation, nil, 0)
	found := many[C.berth_reason_count](a, int(count))
	C.berth_explanation_reason_counts(e.box.explanation, unsafe.SliceData(found), count)
	out := make([]ReasonCount, count)
	for i, one := range found {
		out[i] = ReasonCount{text(one.reason), text(one.plugin), int(one.nodes),
			one.code == C.BERTH_CODE_UNSCHEDULABLE}
	}
	return out, nil
}

// Statistics count the decisions of an engine. They only grow.
type Statistics struct {
	Trees        int    // of the index, at present
	TreeBytes    uint64 // memory of these trees
	Decisions    uint64
	Placed       uint64
	Errors       uint64
	Indexed      uint64 // decisions that the index answered
	EarlyStops   uint64 // searches that ended with enough nodes
	Visited      uint64 // nodes visited by scans
	Questions    uint64 // calls of Fits and FeasibleNodes
	TreesBuilt   uint64
	TreesDropped uint64
	Repairs      uint64
	Scans        map[string]uint64 // decisions that scanned, by reason
	Layouts      uint64            // layouts of all nodes, made because nodes came or went
}

// Statistics returns the counts so far.
func (e *Engine) Statistics() (Statistics, error) {
	if err := e.lock(); err != nil {
		return Statistics{}, err
	}
	defer e.unlock()
	c := &e.box.statistics
	c.size = C.sizeof_berth_statistics
	if err := e.result(C.int(C.berth_engine_statistics(e.box.engine, c, &e.box.error))); err != nil {
		return Statistics{}, err
	}
	out := Statistics{int(c.trees), uint64(c.tree_bytes), uint64(c.decisions), uint64(c.placed),
		uint64(c.errors), uint64(c.indexed), uint64(c.early_stops), uint64(c.visited),
		uint64(c.questions), uint64(c.trees_built), uint64(c.trees_dropped), uint64(c.repairs),
		map[string]uint64{}, uint64(c.layouts)}
	for i, count := range c.scans {
		if count > 0 {
			out.Scans[C.GoString(C.berth_scan_reason_text(C.berth_scan_reason(i)))] = uint64(count)
		}
	}
	return out, nil
}
