package berth

/*
#include "glue.h"
*/
import "C"

import (
	"time"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
)

// reading is an engine or a snapshot to read from, with the buffers for reading.
type reading struct {
	*arena
	engine   *C.berth_engine
	snapshot *C.berth_snapshot
	error    *C.berth_error
}

// reading begins to read an engine; the caller calls `end` afterwards.
func (e *Engine) reading() (r *reading, end func(), err error) {
	if err := e.lock(); err != nil {
		return nil, nil, err
	}
	a := borrowArena()
	return &reading{a, e.box.engine, nil, one[C.berth_error](a)}, func() { a.giveBack(); e.unlock() }, nil
}

// reading begins to read a snapshot.
func (s *Snapshot) reading() (r *reading, end func(), err error) {
	if err := s.use(); err != nil {
		return nil, nil, err
	}
	a := borrowArena()
	return &reading{a, nil, s.snapshot, one[C.berth_error](a)}, func() { a.giveBack(); s.done() }, nil
}

// PodInfo holds the stored facts about a pod.
type PodInfo struct {
	Name          PodName
	SchedulerName string
	Priority      int32
	Kind          uint64 // pods of one kind are equal to scheduling rules, except for the priority
	Node          NodeID // NoNode: the pod is pending
	Start         time.Time
	OwnerVersion  string // apiVersion of the controller; "": none
	OwnerKind     string
	OwnerName     string
	OwnerUID      string
	Labels        map[string]string
	Requests      map[string]int64 // cpu in milli, everything else in units
	Gated         bool
	Deleting      bool
	HasVolumes    bool
	MayPreempt    bool // spec.preemptionPolicy is not Never
}

// PodInfo reads a pod back.
func (e *Engine) PodInfo(pod PodID) (*PodInfo, error) {
	r, end, err := e.reading()
	if err != nil {
		return nil, err
	}
	defer end()
	return r.podInfo(pod)
}

// PodInfo reads a pod back.
func (s *Snapshot) PodInfo(pod PodID) (*PodInfo, error) {
	r, end, err := s.reading()
	if err != nil {
		return nil, err
	}
	defer end()
	return r.podInfo(pod)
}

// PodKind returns the Kind of a pod's [PodInfo], at less cost than the whole.
func (e *Engine) PodKind(pod PodID) (uint64, error) {
	r, end, err := e.reading()
	if err != nil {
		return 0, err
	}
	defer end()
	info := one[C.berth_pod_info](r.arena)
	info.size = C.sizeof_berth_pod_info
	if C.bg_pod_info(r.engine, nil, C.uint64_t(pod), info, r.error) != C.BERTH_OK {
		return 0, failure(r.error)
	}
	return uint64(info.kind), nil
}

func (r *reading) podInfo(pod PodID) (*PodInfo, error) {
	info, id := one[C.berth_pod_info](r.arena), C.uint64_t(pod)
	info.size = C.sizeof_berth_pod_info
	if C.bg_pod_info(r.engine, r.snapshot, id, info, r.error) != C.BERTH_OK {
		return nil, failure(r.error)
	}
	labels := many[C.berth_key_value](r.arena, int(info.label_count))
	requests := many[C.berth_amount](r.arena, int(info.resource_count))
	C.bg_pod_parts(r.engine, r.snapshot, id, unsafe.SliceData(labels), info.label_count,
		unsafe.SliceData(requests), info.resource_count)
	out := &PodInfo{
		Name:          PodName{text(info.namespace_name), text(info.name)},
		SchedulerName: text(info.scheduler_name), Priority: int32(info.priority),
		Kind: uint64(info.kind), Node: NodeID(info.node),
		OwnerVersion: text(info.owner_api_version), OwnerKind: text(info.owner_kind), OwnerName: text(info.owner_name), OwnerUID: text(info.owner_uid),
		Labels: mapOf(labels), Requests: amountsOf(requests),
		Gated: bool(info.gated), Deleting: bool(info.deleting), HasVolumes: bool(info.has_volumes),
		MayPreempt: bool(info.may_preempt),
	}
	if info.start_time_ns != 0 {
		out.Start = time.Unix(0, int64(info.start_time_ns))
	}
	return out, nil
}

// NodeInfo holds the stored facts about a node.
type NodeInfo struct {
	Name          string
	Pods          int
	Unschedulable bool
	Closed        bool // by CloseNode
	Labels        map[string]string
	Taints        []corev1.Taint
	Allocatable   map[string]int64 // cpu in milli, everything else in units
}

// NodeInfo reads a node back.
func (e *Engine) NodeInfo(node NodeID) (*NodeInfo, error) {
	r, end, err := e.reading()
	if err != nil {
		return nil, err
	}
	defer end()
	return r.nodeInfo(node)
}

// NodeInfo reads a node back.
func (s *Snapshot) NodeInfo(node NodeID) (*NodeInfo, error) {
	r, end, err := s.reading()
	if err != nil {
		return nil, err
	}
	defer end()
	return r.nodeInfo(node)
}

func (r *reading) nodeInfo(node NodeID) (*NodeInfo, error) {
	info, id := one[C.berth_node_info](r.arena), C.uint32_t(node)
	info.size = C.sizeof_berth_node_info
	if C.bg_node_info(r.engine, r.snapshot, id, info, r.error) != C.BERTH_OK {
		return nil, failure(r.error)
	}
	labels := many[C.berth_key_value](r.arena, int(info.label_count))
	taints := many[C.berth_taint](r.arena, int(info.taint_count))
	amounts := many[C.berth_amount](r.arena, int(info.resource_count))
	C.bg_node_parts(r.engine, r.snapshot, id, unsafe.SliceData(labels), info.label_count,
		unsafe.SliceData(taints), info.taint_count, unsafe.SliceData(amounts), info.resource_count)
	out := &NodeInfo{text(info.name), int(info.pod_count), bool(info.unschedulable),
		bool(info.closed), mapOf(labels), nil, amountsOf(amounts)}
	for _, taint := range taints {
		out.Taints = append(out.Taints, corev1.Taint{Key: text(taint.key), Value: text(taint.value),
			Effect: corev1.TaintEffect(text(taint.effect))})
	}
	return out, nil
}

func mapOf(from []C.berth_key_value) map[string]string {
	out := make(map[string]string, len(from))
	for _, entry := range from {
		out[text(entry.key)] = text(entry.value)
	}
	return out
}

func amountsOf(from []C.berth_amount) map[string]int64 {
	out := make(map[string]int64, len(from))
	for _, entry := range from {
		out[text(entry.resource)] = int64(entry.amount)
	}
	return out
}

// PodLabel returns the value of a pod's label; false if the pod lacks it.
func (e *Engine) PodLabel(pod PodID, key string) (string, bool, error) {
	r, end, err := e.reading()
	if err != nil {
		return "", false, err
	}
	defer end()
	value := C.berth_engine_pod_label(r.engine, C.berth_pod_id(pod), r.strSet(key))
	return text(value), value.data != nil, nil
}

// PodLabel returns the value of a pod's label; false if the pod lacks it.
func (s *Snapshot) PodLabel(pod PodID, key string) (string, bool, error) {
	r, end, err := s.reading()
	if err != nil {
		return "", false, err
	}
	defer end()
	value := C.berth_snapshot_pod_label(r.snapshot, C.berth_pod_id(pod), r.strSet(key))
	return text(value), value.data != nil, nil
}

// ResourceNames returns the names of all resources that nodes and pods name. "pods" is not among
// them, but is valid wherever a resource is.
func (e *Engine) ResourceNames() ([]string, error) {
	r, end, err := e.reading()
	if err != nil {
		return nil, err
	}
	defer end()
	return r.resourceNames(), nil
}

// ResourceNames returns the names of all resources that nodes and pods name.
func (s *Snapshot) ResourceNames() ([]string, error) {
	r, end, err := s.reading()
	if err != nil {
		return nil, err
	}
	defer end()
	return r.resourceNames(), nil
}

func (r *reading) resourceNames() []string {
	count := C.bg_resource_names(r.engine, r.snapshot, nil, 0)
	out := many[C.berth_str](r.arena, int(count))
	C.bg_resource_names(r.engine, r.snapshot, unsafe.SliceData(out), count)
	return texts(out)
}

// PodNominated returns the node reserved for a pod ([Engine.Nominate]), or NoNode.
func (e *Engine) PodNominated(pod PodID) (NodeID, error) {
	if err := e.lock(); err != nil {
		return NoNode, err
	}
	defer e.unlock()
	return NodeID(C.berth_engine_pod_nominated(e.box.engine, C.berth_pod_id(pod))), nil
}

// Orphan returns one of the pods bound to a node that does not exist, and the name of that node;
// NoPod if there is none.
func (e *Engine) Orphan() (PodID, string, error) {
	if err := e.lock(); err != nil {
		return NoPod, "", err
	}
	defer e.unlock()
	name := &e.box.texts[0]
	*name = C.berth_str{}
	pod := PodID(C.berth_engine_orphan(e.box.engine, name))
	return pod, text(*name), nil
}

// Check compares the snapshot with itself: for tests. Cost: linear.
func (s *Snapshot) Check() error {
	r, end, err := s.reading()
	if err != nil {
		return err
	}
	defer end()
	if C.berth_snapshot_check(r.snapshot, r.error) != C.BERTH_OK {
		return failure(r.error)
	}
	return nil
}
