package berth

/*
#include "glue.h"
*/
import "C"

import (
	"runtime/cgo"
	"runtime/debug"
)

// outside runs a callback in the middle of a C call. The engine's lock is released meanwhile, so
// that the callback can read the engine; C refuses everything else. A panic must not unwind C
// frames, so it is returned.
func (s *state) outside(callback func()) (panicked *PanicError) {
	returned := false
	s.calling.Add(1)
	s.mu.Unlock()
	defer func() {
		value := recover()
		var trace []byte
		if value != nil {
			trace = debug.Stack()
		}
		s.mu.Lock()
		s.calling.Add(-1)
		if returned {
			return
		}
		if value == nil { // runtime.Goexit: the C call never returns
			s.exited.Store(true)
			return
		}
		panicked = &PanicError{value, trace}
	}()
	callback()
	returned = true
	return nil
}

// call runs a callback of a scheduler. A panic is stored for the call that the callback was made
// from.
func (l *loop) call(callback func()) {
	panicked := l.owner.outside(callback)
	if panicked == nil {
		return
	}
	if l.panicked == nil {
		l.panicked = panicked
	}
	l.owner.box.callback_broke = true
}

func looped(handle C.uintptr_t) *loop { return cgo.Handle(handle).Value().(*loop) }

//export bgGoBind
func bgGoBind(handle C.uintptr_t, id, pod C.uint64_t, node C.uint32_t) C.int {
	answer := Cannot
	l := looped(handle)
	l.call(func() { answer = l.callbacks.Bind(Binding{BindingID(id), PodID(pod), NodeID(node)}) })
	return answer.forC()
}

// forC returns the answer for C; an invalid one becomes Cannot.
func (a Answer) forC() C.int {
	if a != Done && a != Later {
		a = Cannot
	}
	return C.int(a)
}

//export bgGoUnbind
func bgGoUnbind(handle C.uintptr_t, id, pod C.uint64_t, node C.uint32_t, reason C.int) {
	l := looped(handle)
	l.call(func() {
		l.callbacks.Unbind(Binding{BindingID(id), PodID(pod), NodeID(node)}, UnbindReason(reason))
	})
}

//export bgGoEvict
func bgGoEvict(handle C.uintptr_t, preemptor C.uint64_t, node C.uint32_t, victim C.uint64_t) C.int {
	answer := Cannot
	l := looped(handle)
	l.call(func() {
		answer = l.callbacks.Evict(Eviction{PodID(preemptor), NodeID(node), PodID(victim)})
	})
	return answer.forC()
}

//export bgGoReport
func bgGoReport(handle C.uintptr_t, trouble C.int, from *C.berth_error) {
	l := looped(handle)
	var err error
	if from != nil {
		err = failure(from)
	}
	l.call(func() { l.callbacks.Report(Trouble(trouble), err) })
}

//export bgGoNotify
func bgGoNotify(handle C.uintptr_t) {
	l := looped(handle)
	defer func() {
		if value := recover(); value != nil {
			l.notified.Store(&PanicError{value, debug.Stack()})
		}
	}()
	l.callbacks.Notify()
}
