package berth

/*
#include <stdlib.h>
#include "glue.h"
*/
import "C"

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"runtime/cgo"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
)

// writing is a dump under way: who is given the pieces, and what came of it.
type writing struct {
	owner    *state
	give     func(piece []byte) error
	err      error
	panicked *PanicError
}

//export bgGoPiece
func bgGoPiece(handle C.uintptr_t, at *C.char, length C.uint32_t) C.int {
	w := cgo.Handle(handle).Value().(*writing)
	piece := unsafe.Slice((*byte)(unsafe.Pointer(at)), int(length))
	w.panicked = w.owner.outside(func() { w.err = w.give(piece) })
	if w.panicked != nil || w.err != nil {
		return 1
	}
	return 0
}

// pieces calls `write`, which hands text to `give`.
func (e *Engine) pieces(write func(*C.bg_box, C.uintptr_t) C.int, give func([]byte) error) error {
	if err := e.lock(); err != nil {
		return err
	}
	defer e.unlock()
	if give == nil {
		return misuse(Argument, "there is nobody to give the objects to")
	}
	w := &writing{owner: e.state, give: give}
	handle := cgo.NewHandle(w)
	defer handle.Delete()
	status := write(e.box, C.uintptr_t(handle))
	if w.panicked != nil {
		return w.panicked
	}
	if w.err != nil {
		return w.err
	}
	return e.result(status)
}

// Dump writes all objects that the engine holds as a v1 List of JSON, an object a line. An engine of
// the same configuration that loads it, with LoadOptions.Served, decides as this one (its rotation is
// apart: [Engine.SetRotation]), and writes the same text again. berth/kube.h says what of Kubernetes'
// objects is not in it. The writer may look at the engine; changing, deciding and closing are refused
// with code [State] meanwhile. Errors: [State] unless Config.KeepObjects was set; the writer's.
func (e *Engine) Dump(to io.Writer) error {
	var give func([]byte) error
	if to != nil {
		give = func(piece []byte) error {
			_, err := to.Write(piece)
			return err
		}
	}
	return e.pieces(func(box *C.bg_box, handle C.uintptr_t) C.int { return C.bg_dump(box, handle) }, give)
}

// DumpFile does the same into a file, which is made or emptied.
func (e *Engine) DumpFile(path string) error {
	a := borrowArena()
	defer a.giveBack()
	if err := e.lock(); err != nil {
		return err
	}
	defer e.unlock()
	return e.result(C.int(C.berth_engine_dump_file(e.box.engine, a.cString(path), &e.box.error)))
}

// Objects calls `each` with every object that the engine holds, as the type that [Engine.Add] takes
// it as, in the order in which another engine is to be given them; an error of its own ends that, and
// is returned. It may look at the engine, as the writer of [Engine.Dump] may.
func (e *Engine) Objects(each func(object any) error) error {
	var give func([]byte) error
	if each != nil {
		give = func(piece []byte) error {
			for len(piece) > 0 {
				line, rest, _ := bytes.Cut(piece, []byte("\n"))
				object, err := decoded(kindExamples[line[0]-'A'], line[1:])
				if err == nil {
					err = each(object)
				}
				if err != nil {
					return err
				}
				piece = rest
			}
			return nil
		}
	}
	return e.pieces(func(box *C.bg_box, handle C.uintptr_t) C.int { return C.bg_objects(box, handle) }, give)
}

// decoded makes an object, whose type `as` points to, of its JSON.
func decoded(as reflect.Type, text []byte) (any, error) {
	out := reflect.New(as.Elem()).Interface()
	if err := json.Unmarshal(text, out); err != nil {
		return nil, misuse(Internal, "%s: %v", as, err)
	}
	return out, nil
}

// NodeObject returns a node as it could be added to another engine: what rules read of it.
func (e *Engine) NodeObject(node NodeID) (*corev1.Node, error) {
	object, err := e.object(func(box *C.bg_box, out *C.berth_str) C.int {
		return C.bg_node_object(box, C.uint32_t(node), out)
	}, kindExamples[C.BERTH_KIND_NODE])
	if err != nil {
		return nil, err
	}
	return object.(*corev1.Node), nil
}

// PodObject returns a pod as it could be added to another engine, on the node that it is on, without
// its uid. Errors: [NotFound]; [State] unless Config.KeepObjects was set.
func (e *Engine) PodObject(pod PodID) (*corev1.Pod, error) {
	object, err := e.object(func(box *C.bg_box, out *C.berth_str) C.int {
		return C.bg_pod_object(box, C.uint64_t(pod), out)
	}, kindExamples[C.BERTH_KIND_POD])
	if err != nil {
		return nil, err
	}
	return object.(*corev1.Pod), nil
}

func (e *Engine) object(write func(*C.bg_box, *C.berth_str) C.int, as reflect.Type) (any, error) {
	if err := e.lock(); err != nil {
		return nil, err
	}
	defer e.unlock()
	out := &e.box.texts[0]
	if err := e.result(write(e.box, out)); err != nil {
		return nil, err
	}
	defer C.bg_text_free(*out)
	return decoded(as, unsafe.Slice((*byte)(unsafe.Pointer(out.data)), int(out.len)))
}

// Rotation is the place in the order of nodes where the next search begins.
func (e *Engine) Rotation() (int, error) {
	if err := e.lock(); err != nil {
		return 0, err
	}
	defer e.unlock()
	return int(C.berth_engine_rotation(e.box.engine)), nil
}

// SetRotation sets it, to go on where another engine, or another scheduler, was. A number beyond the
// nodes counts round.
func (e *Engine) SetRotation(rotation int) error {
	if err := e.lock(); err != nil {
		return err
	}
	defer e.unlock()
	if rotation < 0 || rotation > 1<<32-1 {
		return misuse(OutOfRange, "the rotation %d is out of range", rotation)
	}
	status := C.berth_engine_set_rotation(e.box.engine, C.uint32_t(rotation), &e.box.error)
	return e.result(C.int(status))
}

// RefusalCount is how often one plugin refused for one reason.
type RefusalCount struct {
	Plugin     string // "": the pod was refused before any node was visited
	Reason     string // "": of a scheduler's attempts, where the plugin alone is known
	Resolvable bool   // preemption may help
	Count      uint64
}

// Refusals are counted over the engine's life, in the order in which they first came: of decisions
// with an explanation ([Engine.Explain], [Engine.Why], [Engine.WhyCounts]) a node for each of its
// reasons; of a scheduler's attempts that found no node, each plugin that stood in the way. Other
// decisions do not look why a node refuses. After 256 different ones all others are the last, without
// plugin and reason.
func (e *Engine) Refusals() ([]RefusalCount, error) {
	a := borrowArena()
	defer a.giveBack()
	if err := e.lock(); err != nil {
		return nil, err
	}
	defer e.unlock()
	count := C.berth_engine_refusal_kinds(e.box.engine)
	found := many[C.bg_refused](a, int(count))
	C.bg_refusals(e.box, unsafe.SliceData(found), count)
	out := make([]RefusalCount, count)
	for i, one := range found {
		out[i] = RefusalCount{text(one.plugin), text(one.reason),
			one.code == C.BERTH_CODE_UNSCHEDULABLE, uint64(one.count)}
	}
	return out, nil
}
