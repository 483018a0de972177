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
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// PluginFlags say what a plugin's answers follow from.
type PluginFlags uint32

// The flags. Without any of them every decision is a scan.
const (
	// Static: verdicts and values follow from the pod, facts of nodes (names, labels, allocatable)
	// and the arguments alone: they are computed once for each kind of pod and kept.
	Static PluginFlags = C.BERTH_PLUGIN_STATIC
	// NodeLocal: a node's verdict and value change only when pods come to or leave that node, or its
	// facts change: they are kept in the index.
	NodeLocal PluginFlags = C.BERTH_PLUGIN_NODE_LOCAL
	// Each: Prepare at every decision, not once for each kind of pod.
	Each PluginFlags = C.BERTH_PLUGIN_EACH
)

// Normalize says how raw values become scores of 0 to 100.
type Normalize uint32

// The ways.
const (
	NormalizeNone        Normalize = C.BERTH_NORMALIZE_NONE         // they are scores
	NormalizeMax         Normalize = C.BERTH_NORMALIZE_MAX          // value * 100 / the largest
	NormalizeMaxReversed Normalize = C.BERTH_NORMALIZE_MAX_REVERSED // 100 minus that
)

// Prepared is what comes of preparing a decision.
type Prepared uint32

// What a Prepare answers.
const (
	Active Prepared = C.BERTH_PREPARED_ACTIVE // the plugin takes part
	Skip   Prepared = C.BERTH_PREPARED_SKIP   // it takes no part in this decision
	Refuse Prepared = C.BERTH_PREPARED_REFUSE // no node can take the pod, for the reason given
)

// The limits of what one plugin reads.
const (
	PluginResourcesMax = 16
	PluginLabelsMax    = 8
)

// A Plugin filters and scores in Go, beside Kubernetes' plugins and told apart by nothing but its
// name, which a scheduler configuration enables.
//
// Nodes come in slices of up to 128, one crossing a slice: what a plugin reads of them it names
// beforehand, and finds in arrays. Filter and Score run on several goroutines at once, one slice
// each, and do nothing but fill their output. No function may call the engine: such a call waits a
// second and fails. A function that panics makes the engine and its branches unusable, since what it
// would have answered is kept in the index: every call returns the [PanicError] from then on.
type Plugin struct {
	Name  string
	Flags PluginFlags
	// What it reads, by position in [Nodes] and [Pod]: at most PluginResourcesMax resources and
	// PluginLabelsMax labels each.
	Resources  []string
	NodeLabels []string
	PodLabels  []string
	NodeNames  bool
	// Unresolvable says that preemption can't turn its refusals around.
	Unresolvable bool
	// Reason is that of its refusals; "": "node(s) were refused by NAME".
	Reason string
	// WakeOn are BERTH_WAKE_* of berth/plugin.h: changes that can turn its refusals around; 0: what
	// its flags imply.
	WakeOn    uint32
	Normalize Normalize

	// Configure gets the plugin's pluginConfig as JSON, nil if there is none. Optional, as all.
	Configure func(arguments []byte) error
	// Prepare is called once for each kind of pod, or as Flags say, before Filter and before Score.
	Prepare func(pod *Pod) (Prepared, string)
	// Filter calls nodes.Refuse for those that do not fit.
	Filter func(pod *Pod, nodes *Nodes)
	// Score sets values[i] for every node i that nodes.Asked.
	Score func(pod *Pod, nodes *Nodes, values []int64)
	// Reserve is called when a pod is put on a node, and may refuse; Unreserve when it is taken off.
	Reserve   func(pod PodID, node NodeID) error
	Unreserve func(pod PodID, node NodeID)
}

// Pod is what a plugin reads of a pod; valid during the call.
type Pod struct {
	Namespace string
	Requests  []int64  // by position in Plugin.Resources: cpu in milli, all else in units
	Labels    []string // by position in Plugin.PodLabels; "" if the pod lacks it
}

// Nodes is a slice of nodes; valid during the call.
type Nodes struct {
	IDs []NodeID
	// By position in Plugin.Resources, then node.
	Allocatable, Requested [][]int64
	// By position in Plugin.NodeLabels, then node; "" if the node lacks it.
	Labels [][]string
	Names  []string // if Plugin.NodeNames

	mask   [2]uint64
	pod    Pod
	ids    [sliceNodes]NodeID
	values [sliceNodes]int64
}

const (
	sliceNodes = 128
	textsMax   = 1 << 20
)

// Len is the number of nodes.
func (n *Nodes) Len() int { return len(n.IDs) }

// Asked tells whether node i is asked about; what is said of others is not looked at.
func (n *Nodes) Asked(i int) bool { return n.mask[i/64]>>(i%64)&1 != 0 }

// Refuse says that the pod does not fit node i.
func (n *Nodes) Refuse(i int) { n.mask[i/64] &^= 1 << (i % 64) }

// pluginSet holds the plugins of one engine and of its branches.
type pluginSet struct {
	tables  **C.berth_plugin
	count   int
	memory  []unsafe.Pointer
	handles []cgo.Handle
	running atomic.Int32 // functions that run now
	broken  atomic.Pointer[PanicError]
}

// boundPlugin is what a handle stands for.
type boundPlugin struct {
	*Plugin
	set   *pluginSet
	pool  sync.Pool
	known sync.Map // texts of C's, each made a string once; forgotten when they are many
	texts atomic.Int64
}

// makePlugins turns plugins into tables of C's.
func (s *state) makePlugins(plugins []*Plugin) error {
	if len(plugins) == 0 {
		return nil
	}
	for _, plugin := range plugins {
		if plugin == nil || plugin.Name == "" {
			return misuse(Argument, "a plugin is nil or has no name")
		}
		if len(plugin.Resources) > PluginResourcesMax || len(plugin.NodeLabels) > PluginLabelsMax ||
			len(plugin.PodLabels) > PluginLabelsMax {
			return misuse(Argument, "plugin %s reads too many resources or labels", plugin.Name)
		}
	}
	set := &pluginSet{count: len(plugins)}
	tables := cArray[*C.berth_plugin](len(plugins))
	set.tables = &tables[0]
	set.memory = append(set.memory, unsafe.Pointer(set.tables))
	for i, plugin := range plugins {
		tables[i] = set.add(plugin)
	}
	s.plugins = set
	return nil
}

func (set *pluginSet) strs(from []string) (*C.berth_str, C.uint32_t) {
	out := cArray[C.berth_str](len(from))
	set.memory = append(set.memory, unsafe.Pointer(&out[:1][0]))
	for i, s := range from {
		out[i] = C.berth_str{data: set.cString(s), len: C.uint32_t(len(s))}
	}
	return &out[:1][0], C.uint32_t(len(from))
}

func (set *pluginSet) cString(s string) *C.char {
	out := C.CString(s)
	set.memory = append(set.memory, unsafe.Pointer(out))
	return out
}

func (set *pluginSet) add(plugin *Plugin) *C.berth_plugin {
	own := *plugin // what the embedder changes afterwards is not seen
	bound := &boundPlugin{Plugin: &own, set: set}
	handle := cgo.NewHandle(bound)
	set.handles = append(set.handles, handle)
	to := &cArray[C.bg_plugin](1)[0]
	set.memory = append(set.memory, unsafe.Pointer(to))
	to.handle = C.uintptr_t(handle)
	to.table.name = set.cString(own.Name)
	to.table.flags = C.uint32_t(own.Flags)
	to.table.normalize = C.berth_normalize(own.Normalize)
	to.table.wake_on = C.uint32_t(own.WakeOn)
	to.table.code = C.BERTH_CODE_UNSCHEDULABLE
	if own.Unresolvable {
		to.table.code = C.BERTH_CODE_UNRESOLVABLE
	}
	if own.Reason != "" {
		to.reason = C.berth_str{data: set.cString(own.Reason), len: C.uint32_t(len(own.Reason))}
	}
	to.resources, to.resource_count = set.strs(own.Resources)
	to.node_labels, to.node_label_count = set.strs(own.NodeLabels)
	to.pod_labels, to.pod_label_count = set.strs(own.PodLabels)
	to.node_names = C.bool(own.NodeNames)
	to.has_configure = C.bool(own.Configure != nil)
	to.has_prepare = C.bool(own.Prepare != nil)
	to.has_reserve = C.bool(own.Reserve != nil)
	to.has_unreserve = C.bool(own.Unreserve != nil)
	C.bg_plugin_fill(to, C.bool(own.Filter != nil), C.bool(own.Score != nil))
	return &to.table
}

func (set *pluginSet) free() {
	if set == nil {
		return
	}
	for _, handle := range set.handles {
		handle.Delete()
	}
	for _, memory := range set.memory {
		C.free(memory)
	}
	set.handles, set.memory = nil, nil
}

// panicked returns the panic that has made the plugins unusable, or nil.
func (set *pluginSet) panicked() error {
	if set == nil {
		return nil
	}
	if err := set.broken.Load(); err != nil {
		return err
	}
	return nil
}

// await locks an engine that is in use. While a function of a plugin runs it does not wait for ever:
// the caller may be that function.
func (set *pluginSet) await(mu *sync.Mutex) error {
	if set == nil {
		mu.Lock()
		return nil
	}
	for waited := time.Duration(0); waited < pluginPatience; {
		if set.running.Load() == 0 {
			waited = 0
		}
		if mu.TryLock() {
			return nil
		}
		time.Sleep(pluginNap)
		waited += pluginNap
	}
	return misuse(State, "the engine is in use: a function of a plugin runs")
}

const (
	pluginPatience = time.Second
	pluginNap      = time.Millisecond
)

// ---- called by C ----

// plugged finds the plugin of a handle, and returns what has to be deferred: it keeps a panic from
// unwinding C.
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

// putText writes a text of Go's into room of C's, cut to fit and terminated.
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
}

// text returns the string for a text of C's without making one twice.
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
func bgGoPrepare(handle C.uintptr_t, facts *C.bg_pod_facts, reason *C.char,
	room C.size_t) (answer C.int) {
	answer = C.BERTH_PREPARED_SKIP
	bound, after := plugged(handle)
	defer after()
	var pod Pod
	pod.fill(bound, facts)
	prepared, why := bound.Prepare(&pod)
	if prepared != Active && prepared != Skip && prepared != Refuse {
		panic(fmt.Errorf("prepare answered %d", prepared))
	}
	putText(reason, room, why)
	return C.int(prepared)
}

// fill copies what a plugin reads of a slice.
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
	for label := range bound.NodeLabels {
		row := unsafe.Slice(from.labels, (label+1)*sliceNodes)[label*sliceNodes:]
		for i := range n.Labels[label][:count] {
			n.Labels[label][i] = bound.text(row[i])
		}
	}
	if bound.NodeNames {
		for i, name := range view(from.names, from.count) {
			n.Names[i] = bound.text(name)
		}
	}
}

// check panics if a value is none that C may get.
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
