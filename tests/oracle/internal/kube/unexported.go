package kube

import (
	"reflect"
	"unsafe"

	"k8s.io/kubernetes/pkg/scheduler"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
)

// field returns a pointer to an unexported field of the scheduler: there is no exported access to
// the rotation and the snapshot.
func field[T any](sched *scheduler.Scheduler, name string) *T {
	f := reflect.ValueOf(sched).Elem().FieldByName(name)
	if !f.IsValid() || f.Type() != reflect.TypeFor[T]() {
		panic("scheduler.Scheduler has no field " + name + " of type " + reflect.TypeFor[T]().String())
	}
	return (*T)(unsafe.Pointer(f.UnsafeAddr()))
}

func rotation(sched *scheduler.Scheduler) *int { return field[int](sched, "nextStartNodeIndex") }

func snapshot(sched *scheduler.Scheduler) *internalcache.Snapshot {
	return *field[*internalcache.Snapshot](sched, "nodeInfoSnapshot")
}
