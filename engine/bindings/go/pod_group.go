package berth

/*
#include "glue.h"
*/
import "C"

import (
	"unsafe"
)

// PodGroupOutcome is the outcome of a scheduling cycle of a PodGroup. Its lists have an entry for
// each pod.
type PodGroupOutcome struct {
	Verdict   Verdict
	Nodes     []NodeID // where each pod was placed, or NoNode
	Nominated []NodeID // where each pod is to go once the victims have left, or NoNode
	Ended     []bool   // whether the nomination that the pod had ends now
	Preempts  bool     // the group waits for victims to leave
	Victims   []PodID  // the pods to evict, most important first
	Message   string   // kube-scheduler's words about a group that was not placed
	Placed    int      // pods placed
	Minimum   int      // how many pods of the group must be on nodes
	Already   int      // how many were on nodes before
}

const podGroupMessage = 4096

// SchedulePodGroup runs one scheduling cycle for these pending pods of one PodGroup, or of all that
// are below one CompositePodGroup: all that fit are placed if they are enough, and otherwise none. Victims and nominations are only reported. The
// engine must have been made with the feature gate GenericWorkload. Errors: [Argument], [NotFound],
// [State], [Invalid], as berth_engine_schedule_pod_group in berth/pod_group.h.
func (e *Engine) SchedulePodGroup(pods []PodID) (PodGroupOutcome, error) {
	if err := e.lock(); err != nil {
		return PodGroupOutcome{}, err
	}
	defer e.unlock()
	a := borrowArena()
	defer a.giveBack()
	C.berth_engine_counts(e.box.engine, &e.box.counts)
	room := int(e.box.counts.pods_running) + 1
	out := one[C.berth_pod_group_outcome](a)
	nodes, nominated := many[C.berth_node_id](a, len(pods)+1), many[C.berth_node_id](a, len(pods)+1)
	ended, victims := many[C.bool](a, len(pods)+1), many[C.berth_pod_id](a, room)
	message := many[C.char](a, podGroupMessage)
	*out = C.berth_pod_group_outcome{
		size:             C.uint32_t(unsafe.Sizeof(*out)),
		nodes:            unsafe.SliceData(nodes),
		nominated:        unsafe.SliceData(nominated),
		ended:            unsafe.SliceData(ended),
		victims:          unsafe.SliceData(victims),
		victim_capacity:  C.uint32_t(room),
		message:          unsafe.SliceData(message),
		message_capacity: podGroupMessage,
	}
	status := C.berth_engine_schedule_pod_group(e.box.engine,
		(*C.berth_pod_id)(unsafe.SliceData(pods)), C.uint32_t(len(pods)), out, &e.box.error)
	if status != C.BERTH_OK {
		return PodGroupOutcome{}, e.result(C.int(status))
	}
	result := PodGroupOutcome{
		Verdict:  Verdict(out.verdict),
		Preempts: bool(out.preempts),
		Message:  C.GoString(&message[0]),
		Placed:   int(out.placed),
		Minimum:  int(out.minimum),
		Already:  int(out.already),
	}
	for i := range pods {
		result.Nodes = append(result.Nodes, NodeID(nodes[i]))
		result.Nominated = append(result.Nominated, NodeID(nominated[i]))
		result.Ended = append(result.Ended, bool(ended[i]))
	}
	for _, victim := range victims[:int(out.victim_count)] {
		result.Victims = append(result.Victims, PodID(victim))
	}
	return result, nil
}
