package berth

/*
#include "glue.h"
*/
import "C"

import (
	"unsafe"

	corev1 "k8s.io/api/core/v1"
)

// scheduleInC schedules pods one by one in C: the baseline for the loop of single decisions in Go.
// It returns the number of pods placed.
func (e *Engine) scheduleInC(pods []PodID) int {
	return int(C.bg_c_loop(e.box, (*C.uint64_t)(unsafe.SliceData(pods)), C.uint32_t(len(pods))))
}

// packOnly packs a pod and drops the result.
func packOnly(pod *corev1.Pod) error {
	a := borrowArena()
	defer a.giveBack()
	a.pod(one[C.berth_pod](a), pod)
	return a.err
}

func (e *Engine) cross() { C.berth_engine_pod_priority(e.box.engine, 1) }
