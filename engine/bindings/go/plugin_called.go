package berth

/*
#include <stdlib.h>
#include "glue.h"
*/
import "C"

import (
	"fmt"
	"runtime/cgo"
	"runtime/debug"
	"slices"
	"unsafe"
)

// plugged finds the plugin of a handle. The caller must defer the returned function, which stops a
// panic before it unwinds C frames.
func plugged(handle C.uintptr_t) (*boundPlugin, func()) {
	bound := cgo.Handle(handle).Value().(*boundPlugin)
	bound.set.running.Add(1)
	return bound, func() {
		if value := recover(); value != nil {
			bound.set.broken.CompareAndSwap(nil, &PanicError{
				fmt.Errorf("plugin %s: %w", bound.Name, asError(value)), debug.Stack()})
		}
		bound.set.running.Add(-1)
	}
}

func asError(value any) error {
	if err, ok := value.(error); ok {
		return err
	}
	return fmt.Errorf("%v", value)
}

// putText writes a Go text into a C buffer, cut to fit and terminated.
func putText(at *C.char, room C.size_t, s string) {
	out := unsafe.Slice((*byte)(unsafe.Pointer(at)), int(room))
	out[copy(out[:len(out)-1], s)] = 0
}

//export bgGoConfigure
func bgGoConfigure(handle C.uintptr_t, at *C.char, length C.uint32_t, message *C.char,
	room C.size_t) (status C.int) {
	status = C.BERTH_E_INVALID
	bound, after := plugged(handle)
	defer after()
	putText(message, room, "the plugin's Configure has panicked")
	var arguments []byte
	if at != nil {
		arguments = C.GoBytes(unsafe.Pointer(at), C.int(length))
	}
	if err := bound.Configure(arguments); err != nil {
		putText(message, room, err.Error())
		return C.BERTH_E_INVALID
	}
	return C.BERTH_OK
}

// fill copies a pod's facts.
func (p *Pod) fill(bound *boundPlugin, from *C.bg_pod_facts) {
	p.Namespace = bound.text(from.namespace_name)
	p.Requests = p.Requests[:0]
	for _, amount := range view(from.requests, C.uint32_t(len(bound.Resources))) {
		p.Requests = append(p.Requests, int64(amount))
	}
	p.Labels = p.Labels[:0]
	for _, label := range view(from.labels, C.uint32_t(len(bound.PodLabels))) {
		p.Labels = append(p.Labels, bound.text(label))
	}
	p.Annotations = p.Annotations[:0]
	for _, annotation := range view(from.annotations, C.uint32_t(len(bound.PodAnnotations))) {
		p.Annotations = append(p.Annotations, bound.text(annotation))
	}
	p.OwnerKind, p.OwnerName = bound.text(from.owner_kind), bound.text(from.owner_name)
	p.OwnerUID = bound.text(from.owner_uid)
	p.ID, p.Priority = PodID(from.id), int32(from.priority)
}

// text returns the string for a C text, from the cache if possible.
func (bound *boundPlugin) text(from C.berth_str) string {
	if from.len == 0 {
		return ""
	}
	seen := unsafe.String((*byte)(unsafe.Pointer(from.data)), int(from.len))
	if known, ok := bound.known.Load(seen); ok {
		return known.(string)
	}
	own := text(from)
	if bound.texts.Add(1)%textsMax == 0 {
		bound.known.Clear()
	}
	bound.known.Store(own, own)
	return own
}

//export bgGoPrepare
func bgGoPrepare(handle C.uintptr_t, preparation unsafe.Pointer, facts *C.bg_pod_facts,
	reason *C.char, room C.size_t) (answer C.int) {
	answer = C.BERTH_PREPARED_SKIP
	bound, after := plugged(handle)
	defer after()
	var pod Pod
	pod.fill(bound, facts)
	prepared, why := Active, ""
	if bound.Prepare != nil {
		prepared, why = bound.Prepare(&pod)
	}
	if prepared != Active && prepared != Skip && prepared != Refuse {
		panic(fmt.Errorf("prepare answered %d", prepared))
	}
	putText(reason, room, why)
	if prepared == Active && bound.Domains != nil && !count(preparation, bound.Domains(&pod)) {
		return C.BERTH_PREPARED_NO_MEMORY
	}
	return C.int(prepared)
}

// count requests counts by topology domain for the decision being prepared.
func count(preparation unsafe.Pointer, selections []PodSelection) bool {
	if len(selections) > PluginDomainsMax {
		panic(fmt.Errorf("domains are asked for by %d selections", len(selections)))
	}
	a := borrowArena()
	defer a.giveBack()
	list := many[C.berth_pod_selection](a, len(selections))
	for i := range selections {
		from := &selections[i]
		list[i] = C.berth_pod_selection{
			size:               C.sizeof_berth_pod_selection,
			namespaces:         strs(a, from.Namespaces),
			namespace_selector: a.labelSelector(from.NamespaceSelector),
			selector:           a.labelSelector(from.Selector),
			topology_key:       a.str(from.TopologyKey),
		}
	}
	return bool(C.bg_plugin_count(preparation, unsafe.SliceData(list), C.uint32_t(len(list))))
}

// fill copies the facts of a slice that a plugin reads.
func (n *Nodes) fill(bound *boundPlugin, from *C.bg_slice) {
	count := int(from.count)
	n.IDs = n.ids[:count]
	for i, id := range view(from.nodes, from.count) {
		n.ids[i] = NodeID(id)
	}
	n.mask = *(*[2]uint64)(unsafe.Pointer(from.mask))
	n.pod.fill(bound, from.pod)
	resources := C.uint32_t(len(bound.Resources))
	copyColumns(n.Allocatable, view(from.allocatable, resources), count)
	copyColumns(n.Requested, view(from.requested, resources), count)
	copyTexts(bound, n.Labels, from.labels, count)
	copyTexts(bound, n.Annotations, from.annotations, count)
	n.Domains = n.Domains[:0]
	for i := range int(from.domain_count) {
		row := unsafe.Slice((*uint32)(unsafe.Pointer(from.domains)), (i+1)*sliceNodes)[i*sliceNodes:]
		n.Domains = append(n.Domains, append([]uint32(nil), row[:count]...))
	}
	if bound.NodePods {
		n.fillPods(bound, from)
	}
	if bound.NodeNames {
		for i, name := range view(from.names, from.count) {
			n.Names[i] = bound.text(name)
		}
	}
}

func copyTexts(bound *boundPlugin, to [][]string, from *C.berth_str, count int) {
	for row := range to {
		texts := unsafe.Slice(from, (row+1)*sliceNodes)[row*sliceNodes:]
		for i := range to[row][:count] {
			to[row][i] = bound.text(texts[i])
		}
	}
}

// fillPods copies the pods of each node.
func (n *Nodes) fillPods(bound *boundPlugin, from *C.bg_slice) {
	if from.pod_ends == nil {
		panic("berth: out of memory")
	}
	ends := view(from.pod_ends, from.count)
	labels, annotations := len(bound.PodLabels), len(bound.PodAnnotations)
	all := ends[len(ends)-1]
	known := view(from.pods, all)
	texts := view(from.pod_texts, all*C.uint32_t(labels+annotations))
	pods := make([]NodePod, all)
	for i := range pods {
		own := make([]string, labels+annotations)
		for k := range own {
			own[k] = bound.text(texts[i*len(own)+k])
		}
		pods[i] = NodePod{PodID(known[i].id), bound.text(known[i].namespace_name),
			int32(known[i].priority), own[:labels:labels], own[labels:]}
	}
	n.Pods = n.Pods[:0]
	for i, begin := 0, C.uint32_t(0); i < len(ends); i++ {
		n.Pods = append(n.Pods, pods[begin:ends[i]:ends[i]])
		begin = ends[i]
	}
}

// annotationKeys returns the annotations that plugins read.
func annotationKeys(plugins []*Plugin) []string {
	var keys []string
	for _, plugin := range plugins {
		for _, key := range append(append([]string(nil), plugin.NodeAnnotations...), plugin.PodAnnotations...) {
			if !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// check panics if a value is not valid for C.
func (n *Nodes) check(bound *boundPlugin) {
	for i, value := range n.values[:n.Len()] {
		if !n.Asked(i) {
			continue
		}
		if value < 0 || bound.Normalize == NormalizeNone && value > 100 {
			panic(fmt.Errorf("the score %d is out of range", value))
		}
	}
}

func copyColumns(to [][]int64, from []*C.int64_t, count int) {
	for i, column := range from {
		if column == nil {
			clear(to[i])
			continue
		}
		copy(to[i], unsafe.Slice((*int64)(unsafe.Pointer(column)), count))
	}
}

func newNodes(bound *boundPlugin) *Nodes {
	out := &Nodes{Names: make([]string, sliceNodes)}
	for range bound.Resources {
		out.Allocatable = append(out.Allocatable, make([]int64, sliceNodes))
		out.Requested = append(out.Requested, make([]int64, sliceNodes))
	}
	for range bound.NodeLabels {
		out.Labels = append(out.Labels, make([]string, sliceNodes))
	}
	for range bound.NodeAnnotations {
		out.Annotations = append(out.Annotations, make([]string, sliceNodes))
	}
	return out
}

//export bgGoSlice
func bgGoSlice(handle C.uintptr_t, from *C.bg_slice) {
	bound, after := plugged(handle)
	defer after()
	if bound.set.broken.Load() != nil {
		return
	}
	nodes, ok := bound.pool.Get().(*Nodes)
	if !ok {
		nodes = newNodes(bound)
	}
	nodes.fill(bound, from)
	if from.values == nil {
		bound.Filter(&nodes.pod, nodes)
		mask := (*[2]uint64)(unsafe.Pointer(from.mask))
		mask[0] &= nodes.mask[0]
		mask[1] &= nodes.mask[1]
	} else {
		clear(nodes.values[:])
		bound.Score(&nodes.pod, nodes, nodes.values[:nodes.Len()])
		nodes.check(bound)
		copy(unsafe.Slice((*int64)(unsafe.Pointer(from.values)), nodes.Len()), nodes.values[:])
	}
	bound.pool.Put(nodes)
}

//export bgGoReserve
func bgGoReserve(handle C.uintptr_t, pod C.uint64_t, node C.uint32_t) (status C.int) {
	status = C.BERTH_E_INTERNAL
	bound, after := plugged(handle)
	defer after()
	if err := bound.Reserve(PodID(pod), NodeID(node)); err != nil {
		return C.BERTH_E_CONFLICT
	}
	return C.BERTH_OK
}

//export bgGoUnreserve
func bgGoUnreserve(handle C.uintptr_t, pod C.uint64_t, node C.uint32_t) {
	bound, after := plugged(handle)
	defer after()
	bound.Unreserve(PodID(pod), NodeID(node))
}
