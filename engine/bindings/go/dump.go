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

// writing is a dump in progress: the receiver of its pieces, and its outcome.
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

// pieces calls `write`, whose text is passed to `give` piece by piece.
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

// Dump writes all objects of the engine as a v1 List in JSON, one object a line. An engine of the
// same configuration that loads this text with LoadOptions.Served decides as this one does and
// dumps the same text (which does not contain the rotation: see [Engine.SetRotation]). berth/kube.h
// lists the parts of Kubernetes' objects that a dump lacks. The writer may read the engine;
// meanwhile changing, deciding and closing are refused with code [State]. Errors: [State] unless
// Config.KeepObjects was set; the writer's.
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

// DumpFile does the same into a file, which is created or overwritten.
func (e *Engine) DumpFile(path string) error {
	a := borrowArena()
	defer a.giveBack()
	if err := e.lock(); err != nil {
		return err
	}
	defer e.unlock()
	return e.result(C.int(C.berth_engine_dump_file(e.box.engine, a.cString(path), &e.box.error)))
}

// Objects calls `each` with every object of the engine, as the type that [Engine.Add] takes, in the
// order in which another engine can add them. An error of `each` ends this and is returned. `each`
// may read the engine, as the writer of [Engine.Dump] may.
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

// decoded parses the JSON of an object into a new value of the type that `as` points to.
func decoded(as reflect.Type, text []byte) (any, error) {
	out := reflect.New(as.Elem()).Interface()
	if err := json.Unmarshal(text, out); err != nil {
		return nil, misuse(Internal, "%s: %v", as, err)
	}
	return out, nil
}

// NodeObject returns a node in a form that another engine can add: the fields that scheduling rules
// read.
func (e *Engine) NodeObject(node NodeID) (*corev1.Node, error) {
	object, err := e.object(func(box *C.bg_box, out *C.berth_str) C.int {
		return C.bg_node_object(box, C.uint32_t(node), out)
	}, kindExamples[C.BERTH_KIND_NODE])
	if err != nil {
		return nil, err
	}
	return object.(*corev1.Node), nil
}

// PodObject returns a pod in a form that another engine can add, with its node name and without its
// uid. Errors: [NotFound]; [State] unless Config.KeepObjects was set.
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

// SetRotation sets the rotation, to continue where another engine or scheduler was. Values beyond
// the number of nodes wrap around.
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

// RefusalCount is the number of times that one plugin refused for one reason.
type RefusalCount struct {
	Plugin     string // "": the pod was refused before any node was visited
	Reason     string // "" for attempts of a scheduler, which record only the plugin
	Resolvable bool   // preemption may help
	Count      uint64
}

// Refusals returns the refusals counted over the engine's life, in the order in which they first
// occurred. Decisions with an explanation ([Engine.Explain], [Engine.Why], [Engine.WhyCounts])
// count each node once for each of its reasons. Attempts of a scheduler that found no node count
// each plugin that refused. Other decisions do not record why a node refuses. After 256 different
// refusals, the last entry counts all others, without plugin and reason.
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
