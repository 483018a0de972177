package berth

/*
#include "glue.h"
*/
import "C"

import (
	"context"
	"unsafe"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ObjectID is the id of an added node or pod; other objects have none, so both fields are NoNode
// and NoPod. Pods in phase Succeeded or Failed are ignored and get NoPod.
type ObjectID struct {
	Node NodeID
	Pod  PodID
}

// Add adds an object of k8s.io/api: Pod, Node, Namespace, Service, ReplicationController,
// PersistentVolume, PersistentVolumeClaim, ReplicaSet, StatefulSet, PodDisruptionBudget
// (policy/v1), StorageClass, CSINode, CSIDriver, CSIStorageCapacity, VolumeAttachment. A pod with a
// node name is bound to that node. Objects must be complete, as an API server serves them;
// [Engine.Load] can fill in the API server's defaults.
func (e *Engine) Add(object any) (ObjectID, error) {
	none := ObjectID{NoNode, NoPod}
	a := borrowArena()
	defer a.giveBack()
	packed, err := a.object(object)
	if err != nil {
		return none, err
	}
	if err := e.lock(); err != nil {
		return none, err
	}
	defer e.unlock()
	if err := e.result(C.bg_add(e.box, packed.kind, packed.object)); err != nil {
		return none, err
	}
	return ObjectID{NodeID(e.box.node), PodID(e.box.pod)}, nil
}

// AddNode adds a node.
func (e *Engine) AddNode(node *corev1.Node) (NodeID, error) {
	a := borrowArena()
	defer a.giveBack()
	out := one[C.berth_node](a)
	if err := checkObject(node); err != nil {
		return NoNode, err
	}
	if a.node(out, node); a.err != nil {
		return NoNode, a.named(node)
	}
	if err := e.lock(); err != nil {
		return NoNode, err
	}
	defer e.unlock()
	err := e.result(C.bg_add(e.box, C.BERTH_KIND_NODE, unsafe.Pointer(out)))
	if err != nil {
		return NoNode, err
	}
	return NodeID(e.box.node), nil
}

// AddPod adds a pod. For a pod that has finished it returns NoPod and no error.
func (e *Engine) AddPod(pod *corev1.Pod) (PodID, error) {
	a := borrowArena()
	defer a.giveBack()
	out := one[C.berth_pod](a)
	if err := checkObject(pod); err != nil {
		return NoPod, err
	}
	if a.pod(out, pod); a.err != nil {
		return NoPod, a.named(pod)
	}
	if err := e.lock(); err != nil {
		return NoPod, err
	}
	defer e.unlock()
	if err := e.result(C.bg_add(e.box, C.BERTH_KIND_POD, unsafe.Pointer(out))); err != nil {
		return NoPod, err
	}
	return PodID(e.box.pod), nil
}

// batch is the number of objects packed for one crossing.
const batch = 64

// AddPods adds pods in this order, dozens per crossing, and stops at the first error. It returns
// how many were added. `ids` (nil, or as long as `pods`) receives their ids.
func (e *Engine) AddPods(pods []*corev1.Pod, ids []PodID) (int, error) {
	return packBatches(pods, len(ids), ids == nil, func(a *arena) func(*C.berth_pod, *corev1.Pod) {
		return a.pod
	}, func(list []C.berth_pod, from int) (int, error) {
		if err := e.lock(); err != nil {
			return 0, err
		}
		defer e.unlock()
		var out *C.uint64_t
		if ids != nil {
			out = (*C.uint64_t)(unsafe.SliceData(ids[from:]))
		}
		status := C.bg_add_pods(e.box, unsafe.SliceData(list), C.uint32_t(len(list)), out)
		return int(e.box.done), e.result(status)
	})
}

// AddNodes adds nodes as [Engine.AddPods] adds pods.
func (e *Engine) AddNodes(nodes []*corev1.Node, ids []NodeID) (int, error) {
	return packBatches(nodes, len(ids), ids == nil, func(a *arena) func(*C.berth_node, *corev1.Node) {
		return a.node
	}, func(list []C.berth_node, from int) (int, error) {
		if err := e.lock(); err != nil {
			return 0, err
		}
		defer e.unlock()
		var out *C.uint32_t
		if ids != nil {
			out = (*C.uint32_t)(unsafe.SliceData(ids[from:]))
		}
		status := C.bg_add_nodes(e.box, unsafe.SliceData(list), C.uint32_t(len(list)), out)
		return int(e.box.done), e.result(status)
	})
}

// packBatches packs objects batch by batch and passes each batch to `add`, which returns how many
// it added. If an object cannot be packed, the objects before it are still added.
func packBatches[T, O any](from []*O, room int, roomless bool, packer func(*arena) func(*T, *O),
	add func(list []T, from int) (int, error)) (int, error) {
	if !roomless && room < len(from) {
		return 0, misuse(Argument, "there is room for %d ids of %d objects", room, len(from))
	}
	a := borrowArena()
	defer a.giveBack()
	pack := packer(a)
	for done := 0; done < len(from); {
		some := from[done:min(len(from), done+batch)]
		a.reset()
		list := many[T](a, len(some))
		var bad error
		for i, object := range some {
			if bad = packInto(a, &list[i], object, pack); bad != nil {
				list = list[:i]
				break
			}
		}
		count, err := add(list, done)
		done += count
		if err == nil {
			err = bad
		}
		if err != nil {
			return done, err
		}
	}
	return len(from), nil
}

// packInto packs one object of a batch.
func packInto[T, O any](a *arena, out *T, from *O, pack func(*T, *O)) error {
	if err := checkObject(from); err != nil {
		return err
	}
	if pack(out, from); a.err != nil {
		return a.named(from)
	}
	return nil
}

func checkObject[O any](from *O) error {
	if from == nil {
		return misuse(Argument, "the %T is nil", from)
	}
	return nil
}

// AddLike adds copies of a pod, all pending. They differ from it only in name and uid; the names
// are `prefix` followed by `first`, `first`+1, and so on. It returns how many were added.
func (e *Engine) AddLike(like PodID, prefix string, first uint64, ids []PodID) (int, error) {
	a := borrowArena()
	defer a.giveBack()
	name := a.strSet(prefix)
	if err := e.lock(); err != nil {
		return 0, err
	}
	defer e.unlock()
	status := C.bg_add_like(e.box, C.uint64_t(like), name.data, name.len, C.uint32_t(len(ids)),
		C.uint64_t(first), (*C.uint64_t)(unsafe.SliceData(ids)))
	return int(e.box.done), e.result(status)
}

// Update replaces the object that has the same kind, namespace and name.
func (e *Engine) Update(object any) error {
	a := borrowArena()
	defer a.giveBack()
	packed, err := a.object(object)
	if err != nil {
		return err
	}
	if err := e.lock(); err != nil {
		return err
	}
	defer e.unlock()
	return e.result(C.bg_update(e.box, packed.kind, packed.object))
}

// Remove removes the object that has the same kind, namespace and name; no other field is read. The
// pods of a removed node become orphans.
func (e *Engine) Remove(object any) error {
	kind, name, err := identity(object)
	if err != nil {
		return err
	}
	return e.remove(kind, name.GetNamespace(), name.GetName())
}

// identity returns the kind and the metadata of an object.
func identity(object any) (C.uint32_t, metav1.Object, error) {
	kind, known := kindNumber(object)
	name, ok := object.(metav1.Object)
	if !known || !ok {
		return 0, nil, misuse(NotSupported, "an object of type %T is none that rules read", object)
	}
	if isNil(object) {
		return 0, nil, misuse(Argument, "the %T is nil", object)
	}
	return kind, name, nil
}

// RemovePod removes a pod by its name.
func (e *Engine) RemovePod(namespace, name string) error {
	return e.remove(C.BERTH_KIND_POD, namespace, name)
}

// RemoveNode removes a node by its name; its pods become orphans.
func (e *Engine) RemoveNode(name string) error {
	return e.remove(C.BERTH_KIND_NODE, "", name)
}

func (e *Engine) remove(kind C.uint32_t, namespace, name string) error {
	a := borrowArena()
	defer a.giveBack()
	if err := e.lock(); err != nil {
		return err
	}
	defer e.unlock()
	return e.result(C.bg_remove(e.box, kind, a.str(namespace), a.strSet(name)))
}

// LoadOptions control how text is read.
type LoadOptions struct {
	// Source names the text in errors.
	Source string
	// Namespace is for objects without one, as in kubectl apply -n; empty: "default".
	Namespace string
	// Served: the objects come from an API server, which has already filled in its defaults.
	Served bool
	// Templates: make one pod for each workload, as a sample, whatever its number of replicas.
	Templates bool
	// Threads is the number of reading threads; 0: 2 if the process may use several cores, else 1.
	Threads int
	// Context ends the reading before the next object when it is done; nil: never. The error then
	// has the code [Cancelled] and wraps the context's cause, too.
	Context context.Context
	// Note is called, after the reading, with each remark about the input, such as a field that
	// Kubernetes does not have.
	Note func(Note)
}

// Load adds the objects of a text: JSON or YAML, lists, and workloads, whose pods it makes. Kinds
// that no scheduling rule reads are ignored. It returns how many objects were added; after an
// error, the objects before it stay added. Nil options mean the zero value.
func (e *Engine) Load(text []byte, options *LoadOptions) (int, error) {
	if len(text) == 0 {
		return 0, nil
	}
	return e.load(options, func(a *arena, load *C.bg_load) {
		at := a.raw(uintptr(len(text)), 1)
		copy(unsafe.Slice((*byte)(at), len(text)), text)
		load.text = C.berth_str{data: (*C.char)(at), len: C.uint32_t(len(text))}
	}, uint64(len(text)))
}

// LoadFile adds the objects of a file, plain or gzip, as [Engine.Load] does; "-" is standard input.
func (e *Engine) LoadFile(path string, options *LoadOptions) (int, error) {
	return e.load(options, func(a *arena, load *C.bg_load) { load.path = a.cString(path) }, 0)
}

func (e *Engine) load(options *LoadOptions, fill func(*arena, *C.bg_load), bytes uint64) (int, error) {
	if options == nil {
		options = &LoadOptions{}
	}
	if options.Threads < 0 || bytes >= 1<<32 {
		return 0, misuse(OutOfRange, "the text or the number of threads is out of range")
	}
	a := borrowArena()
	defer a.giveBack()
	load := one[C.bg_load](a)
	load.source = a.cString("text")
	if options.Source != "" {
		load.source = a.cString(options.Source)
	}
	if options.Namespace != "" {
		load.namespace_name = a.cString(options.Namespace)
	}
	load.apply_defaults = C.bool(!options.Served)
	load.templates = C.bool(options.Templates)
	load.threads = C.uint32_t(options.Threads)
	load.hears = C.bool(options.Note != nil)
	fill(a, load)
	ctx := options.Context
	if ctx == nil {
		ctx = context.Background()
	}
	done, err := e.loadEntered(ctx, load)
	for _, note := range takeNotes(load) {
		options.Note(note)
	}
	return done, err
}

func (e *Engine) loadEntered(ctx context.Context, load *C.bg_load) (int, error) {
	if err := e.lock(); err != nil {
		return 0, err
	}
	defer e.unlock()
	stop := e.watch(ctx)
	status := C.bg_load_objects(e.box, load)
	stop()
	return int(e.box.done), e.resultOf(ctx, status)
}

// ---- looking ----

// cText passes a Go text to a C call that only reads it.
func cText(s string) (*C.char, C.uint32_t) {
	return (*C.char)(unsafe.Pointer(unsafe.StringData(s))), C.uint32_t(len(s))
}

// FindNode returns the node of that name; NoNode if there is none.
func (e *Engine) FindNode(name string) (NodeID, error) {
	if err := e.lock(); err != nil {
		return NoNode, err
	}
	defer e.unlock()
	data, length := cText(name)
	return NodeID(C.bg_find_node(e.box, data, length)), nil
}

// FindPod returns the pod of that name; NoPod if there is none.
func (e *Engine) FindPod(namespace, name string) (PodID, error) {
	if err := e.lock(); err != nil {
		return NoPod, err
	}
	defer e.unlock()
	space, spaceLength := cText(namespace)
	data, length := cText(name)
	return PodID(C.bg_find_pod(e.box, space, spaceLength, data, length)), nil
}

// NodeName returns a node's name; "" if it is unknown.
func (e *Engine) NodeName(node NodeID) (string, error) {
	names, err := e.NodeNames([]NodeID{node})
	if err != nil {
		return "", err
	}
	return names[0], nil
}

// NodeNames returns the names of nodes in one crossing.
func (e *Engine) NodeNames(nodes []NodeID) ([]string, error) {
	a := borrowArena()
	defer a.giveBack()
	out := many[C.berth_str](a, len(nodes))
	if err := e.lock(); err != nil {
		return nil, err
	}
	defer e.unlock()
	C.bg_node_names(e.box, (*C.uint32_t)(unsafe.SliceData(nodes)), C.uint32_t(len(nodes)),
		unsafe.SliceData(out))
	return texts(out), nil
}

// PodName is a pod's namespace and name.
type PodName struct{ Namespace, Name string }

// String returns "NAMESPACE/NAME".
func (n PodName) String() string { return n.Namespace + "/" + n.Name }

// PodName returns a pod's name; the zero value if it is unknown.
func (e *Engine) PodName(pod PodID) (PodName, error) {
	names, err := e.PodNames([]PodID{pod})
	if err != nil {
		return PodName{}, err
	}
	return names[0], nil
}

// PodNames returns the names of pods in one crossing.
func (e *Engine) PodNames(pods []PodID) ([]PodName, error) {
	a := borrowArena()
	defer a.giveBack()
	out := many[C.berth_str](a, 2*len(pods))
	if err := e.lock(); err != nil {
		return nil, err
	}
	defer e.unlock()
	C.bg_pod_names(e.box, (*C.uint64_t)(unsafe.SliceData(pods)), C.uint32_t(len(pods)),
		unsafe.SliceData(out))
	return podNames(out), nil
}

func podNames(from []C.berth_str) []PodName {
	out := make([]PodName, len(from)/2)
	for i := range out {
		out[i] = PodName{text(from[2*i]), text(from[2*i+1])}
	}
	return out
}

// PodNode returns the node that a pod is on; NoNode if it is pending or unknown.
func (e *Engine) PodNode(pod PodID) (NodeID, error) {
	pods, nodes := [1]PodID{pod}, [1]NodeID{NoNode}
	err := e.PodNodes(pods[:], nodes[:])
	return nodes[0], err
}

// PodNodes fills `out`, as long as `pods`, with the nodes of the pods.
func (e *Engine) PodNodes(pods []PodID, out []NodeID) error {
	if len(out) < len(pods) {
		return misuse(Argument, "there is room for %d nodes of %d pods", len(out), len(pods))
	}
	if err := e.lock(); err != nil {
		return err
	}
	defer e.unlock()
	C.bg_pod_nodes(e.box, (*C.uint64_t)(unsafe.SliceData(pods)), C.uint32_t(len(pods)),
		(*C.uint32_t)(unsafe.SliceData(out)))
	return nil
}

// NodePods appends the pods on a node to `out`, the newest first.
func (e *Engine) NodePods(node NodeID, out []PodID) ([]PodID, error) {
	if err := e.lock(); err != nil {
		return out, err
	}
	defer e.unlock()
	return appendIDs(out, func(at *PodID, room int) int {
		return int(C.berth_engine_node_pods(e.box.engine, C.berth_node_id(node),
			(*C.berth_pod_id)(at), C.uint32_t(room)))
	}), nil
}

// appendIDs calls `fill` with the free room of `out`, and again with more if that was not enough.
func appendIDs[T any](out []T, fill func(at *T, room int) int) []T {
	used := len(out)
	for {
		room := out[used:cap(out)]
		count := fill(unsafe.SliceData(room), len(room))
		if count <= len(room) {
			return out[:used+count]
		}
		grown := make([]T, used, used+count)
		copy(grown, out)
		out = grown
	}
}

// Pending appends the pending pods to `out` in the order in which a scheduler takes them.
func (e *Engine) Pending(out []PodID) ([]PodID, error) {
	if err := e.lock(); err != nil {
		return out, err
	}
	defer e.unlock()
	box := e.box
	var status C.berth_status
	out = appendIDs(out, func(at *PodID, room int) int {
		box.amounts[0] = 0
		status = C.berth_engine_pending(box.engine, (*C.berth_pod_id)(at), C.uint64_t(room),
			(*C.uint64_t)(unsafe.Pointer(&box.amounts[0])), &box.error)
		if status != C.BERTH_OK {
			return 0
		}
		return int(box.amounts[0])
	})
	return out, e.result(C.int(status))
}

// Nodes appends all nodes to `out` in the order in which a search visits them.
func (e *Engine) Nodes(out []NodeID) ([]NodeID, error) {
	if err := e.lock(); err != nil {
		return out, err
	}
	defer e.unlock()
	box := e.box
	var status C.berth_status
	out = appendIDs(out, func(at *NodeID, room int) int {
		box.done = 0
		status = C.berth_engine_node_order(box.engine, (*C.berth_node_id)(at), C.uint32_t(room),
			&box.done, &box.error)
		if status != C.BERTH_OK {
			return 0
		}
		return int(box.done)
	})
	return out, e.result(C.int(status))
}

// Counts are numbers of objects.
type Counts struct {
	Nodes        int
	PodsRunning  int
	PodsPending  int
	PodsOrphaned int // bound to a node that does not exist
	PodClasses   int // distinct pod specifications in use
}

func countsOf(from *C.berth_counts) Counts {
	return Counts{int(from.nodes), int(from.pods_running), int(from.pods_pending),
		int(from.pods_orphaned), int(from.pod_classes)}
}

// Counts returns the numbers of objects.
func (e *Engine) Counts() (Counts, error) {
	if err := e.lock(); err != nil {
		return Counts{}, err
	}
	defer e.unlock()
	C.berth_engine_counts(e.box.engine, &e.box.counts)
	return countsOf(&e.box.counts), nil
}

// PodPriority returns a pod's priority; 0 if it is unknown.
func (e *Engine) PodPriority(pod PodID) (int32, error) {
	if err := e.lock(); err != nil {
		return 0, err
	}
	defer e.unlock()
	return int32(C.berth_engine_pod_priority(e.box.engine, C.berth_pod_id(pod))), nil
}

// PodResource returns how much of a resource a pod takes on a node: cpu in milli, everything else
// in units.
func (e *Engine) PodResource(pod PodID, resource string) (int64, error) {
	a := borrowArena()
	defer a.giveBack()
	if err := e.lock(); err != nil {
		return 0, err
	}
	defer e.unlock()
	err := e.result(C.bg_pod_resource(e.box, C.uint64_t(pod), a.strSet(resource)))
	if err != nil {
		return 0, err
	}
	return int64(e.box.amounts[0]), nil
}

// NodeResources fills two arrays, as long as `nodes`, with the allocatable amount of a resource on
// each node and the amount that its pods request: cpu in milli, everything else in units. "pods"
// counts pods.
func (e *Engine) NodeResources(resource string, nodes []NodeID, allocatable, requested []int64) error {
	if len(allocatable) < len(nodes) || len(requested) < len(nodes) {
		return misuse(Argument, "there is room for %d and %d amounts of %d nodes",
			len(allocatable), len(requested), len(nodes))
	}
	a := borrowArena()
	defer a.giveBack()
	if err := e.lock(); err != nil {
		return err
	}
	defer e.unlock()
	return e.result(C.bg_node_resources(e.box, a.strSet(resource),
		(*C.uint32_t)(unsafe.SliceData(nodes)), C.uint32_t(len(nodes)),
		(*C.int64_t)(unsafe.SliceData(allocatable)), (*C.int64_t)(unsafe.SliceData(requested))))
}

// NodeLabel returns the value of a node's label, and false if the node lacks it.
func (e *Engine) NodeLabel(node NodeID, key string) (string, bool, error) {
	a := borrowArena()
	defer a.giveBack()
	if err := e.lock(); err != nil {
		return "", false, err
	}
	defer e.unlock()
	value := C.berth_engine_node_label(e.box.engine, C.berth_node_id(node), a.strSet(key))
	return text(value), value.data != nil, nil
}
