package berth

/*
#include <stdlib.h>
#include "glue.h"
*/
import "C"

import (
	"runtime/cgo"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// PluginFlags say what a plugin's answers depend on.
type PluginFlags uint32

// The flags. Without any of them every decision is a scan.
const (
	// Static: verdicts and values depend only on the pod, on facts of nodes (names, labels,
	// allocatable) and on the arguments. They are computed once for each kind of pod and kept.
	Static PluginFlags = C.BERTH_PLUGIN_STATIC
	// NodeLocal: a node's verdict and value change only when pods come to or leave that node, or
	// when its facts change. They are kept in the index.
	NodeLocal PluginFlags = C.BERTH_PLUGIN_NODE_LOCAL
	// Each: call Prepare at every decision, not once for each kind of pod.
	Each PluginFlags = C.BERTH_PLUGIN_EACH
)

// Normalize is how raw values become scores of 0 to 100.
type Normalize uint32

// The ways.
const (
	NormalizeNone        Normalize = C.BERTH_NORMALIZE_NONE         // values are scores already
	NormalizeMax         Normalize = C.BERTH_NORMALIZE_MAX          // value * 100 / the largest
	NormalizeMaxReversed Normalize = C.BERTH_NORMALIZE_MAX_REVERSED // 100 minus the value of NormalizeMax
)

// Prepared is the result of preparing a decision.
type Prepared uint32

// The results of Prepare.
const (
	Active Prepared = C.BERTH_PREPARED_ACTIVE // the plugin takes part
	Skip   Prepared = C.BERTH_PREPARED_SKIP   // the plugin takes no part in this decision
	Refuse Prepared = C.BERTH_PREPARED_REFUSE // no node can take the pod; Prepare returns the reason
)

// The changes of the cluster that a pod refused by a plugin may wait for, as in berth/plugin.h.
const (
	WakeNodeAdd         = C.BERTH_WAKE_NODE_ADD
	WakeNodeLabels      = C.BERTH_WAKE_NODE_LABELS // also annotations that plugins read
	WakeNodeTaints      = C.BERTH_WAKE_NODE_TAINTS
	WakeNodeAllocatable = C.BERTH_WAKE_NODE_ALLOCATABLE
	WakeNodeConditions  = C.BERTH_WAKE_NODE_CONDITIONS
	WakePodAdd          = C.BERTH_WAKE_POD_ADD
	WakePodRemove       = C.BERTH_WAKE_POD_REMOVE
	WakePodLabels       = C.BERTH_WAKE_POD_LABELS
	WakeNodeRemove      = C.BERTH_WAKE_NODE_REMOVE
	WakeClaim           = C.BERTH_WAKE_CLAIM
	WakeVolume          = C.BERTH_WAKE_VOLUME
	WakeStorageClass    = C.BERTH_WAKE_STORAGE_CLASS
	WakeCSINode         = C.BERTH_WAKE_CSI_NODE
	WakeCSIDriver       = C.BERTH_WAKE_CSI_DRIVER
	WakeCSICapacity     = C.BERTH_WAKE_CSI_CAPACITY
	WakeAttachment      = C.BERTH_WAKE_ATTACHMENT
	WakeResourceClaim   = C.BERTH_WAKE_RESOURCE_CLAIM
	WakeDeviceClass     = C.BERTH_WAKE_DEVICE_CLASS
	WakeResourceSlice   = C.BERTH_WAKE_RESOURCE_SLICE
	WakeRelated         = C.BERTH_WAKE_RELATED // services and controllers
	WakeNamespace       = C.BERTH_WAKE_NAMESPACE
	WakeNodeFeatures    = C.BERTH_WAKE_NODE_FEATURES
)

// The limits on what one plugin reads.
const (
	PluginResourcesMax = 16
	PluginLabelsMax    = 8 // also the limit for annotations
	PluginDomainsMax   = 4
)

// A Plugin filters and scores in Go, on equal terms with Kubernetes' plugins. A scheduler
// configuration enables it by its name.
//
// Nodes come in slices of up to 128, with one crossing per slice. A plugin declares in advance
// which facts about nodes and pods it reads, and gets them as arrays. Filter and Score run on
// several goroutines at once, one slice each; they must only fill their output. No function may
// call the engine: such a call waits a second and fails. A function that panics makes the engine
// and its branches unusable, because the index keeps its answers: every later call returns the
// [PanicError].
type Plugin struct {
	Name  string
	Flags PluginFlags
	// The facts to read, which [Nodes] and [Pod] hold in the same order: at most PluginResourcesMax
	// resources and PluginLabelsMax labels and annotations each.
	Resources       []string
	NodeLabels      []string
	PodLabels       []string
	NodeAnnotations []string
	PodAnnotations  []string
	NodeNames       bool
	NodePods        bool // the pods on each node; not allowed with Static
	// Unresolvable: preemption cannot resolve the refusals.
	Unresolvable bool
	// Reason is the reason of the refusals; "": "node(s) were refused by NAME".
	Reason string
	// WakeOn are the changes (Wake*) that can resolve the refusals; 0: those that follow from the
	// flags.
	WakeOn    uint32
	Normalize Normalize

	// Configure receives the plugin's pluginConfig as JSON, nil if there is none. This and all
	// other functions are optional.
	Configure func(arguments []byte) error
	// Prepare is called before Filter and before Score: once for each kind of pod, or as Flags say.
	Prepare func(pod *Pod) (Prepared, string)
	// Domains is called after Prepare and returns the pods to count by topology domain: at most
	// PluginDomainsMax selections. The counts are in Nodes.Domains. Only with the flag Each.
	Domains func(pod *Pod) []PodSelection
	// Filter calls nodes.Refuse for each node that does not fit.
	Filter func(pod *Pod, nodes *Nodes)
	// Score sets values[i] for every node i for which nodes.Asked is true.
	Score func(pod *Pod, nodes *Nodes, values []int64)
	// Reserve is called when a pod has come to a node, and may refuse a pod that is being bound;
	// Unreserve is called when a pod leaves. A plugin has both or neither, and with them a Filter.
	Reserve   func(pod PodID, node NodeID) error
	Unreserve func(pod PodID, node NodeID)
}

// Pod is the facts of a pod that a plugin reads; valid during the call.
type Pod struct {
	Namespace string
	Requests  []int64  // by position in Plugin.Resources: cpu in milli, everything else in units
	Labels    []string // by position in Plugin.PodLabels; "" if the pod lacks it
	// By position in Plugin.PodAnnotations; "" if the pod lacks it.
	Annotations []string
	// The controller; "": the pod has none.
	OwnerKind, OwnerName, OwnerUID string
	// The pod and its priority, which differ between pods of one kind. Set only with the flag Each,
	// else NoPod and 0.
	ID       PodID
	Priority int32
}

// PodSelection says which pods to count, and which label of nodes divides them into domains.
type PodSelection struct {
	Namespaces        []string              // empty, with NamespaceSelector nil: the pod's namespace
	NamespaceSelector *metav1.LabelSelector // further namespaces, by their labels; nil: none
	Selector          *metav1.LabelSelector // nil: no pod
	TopologyKey       string
}

// NodePod is a pod on a node.
type NodePod struct {
	ID        PodID
	Namespace string
	Priority  int32
	// By position in Plugin.PodLabels and PodAnnotations.
	Labels, Annotations []string
}

// Nodes is a slice of nodes; valid during the call. Its arrays may be longer than Len; what lies beyond
// has no meaning.
type Nodes struct {
	IDs []NodeID
	// By position in Plugin.Resources, then node.
	Allocatable, Requested [][]int64
	// By position in Plugin.NodeLabels, then node; "" if the node lacks it.
	Labels [][]string
	// By position in Plugin.NodeAnnotations, then node.
	Annotations [][]string
	Names       []string // if Plugin.NodeNames
	// By position in the result of Plugin.Domains, then node: the number of such pods in the domain
	// of the node; 0 if the node lacks the label.
	Domains [][]uint32
	// If Plugin.NodePods is set: the pods of each asked node, the newest first.
	Pods [][]NodePod

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

// Asked reports whether an answer about node i is wanted; answers about other nodes are ignored.
func (n *Nodes) Asked(i int) bool { return n.mask[i/64]>>(i%64)&1 != 0 }

// Refuse records that the pod does not fit node i.
func (n *Nodes) Refuse(i int) { n.mask[i/64] &^= 1 << (i % 64) }

// pluginSet holds the plugins of one engine and of its branches.
type pluginSet struct {
	tables  **C.berth_plugin
	count   int
	memory  []unsafe.Pointer
	handles []cgo.Handle
	running atomic.Int32 // running functions
	broken  atomic.Pointer[PanicError]
}

// boundPlugin is the plugin behind a handle.
type boundPlugin struct {
	*Plugin
	set   *pluginSet
	pool  sync.Pool
	known sync.Map // cache of strings made from C texts; emptied when it gets large
	texts atomic.Int64
}

// makePlugins converts plugins into C tables.
func (s *state) makePlugins(plugins []*Plugin) error {
	if len(plugins) == 0 {
		return nil
	}
	for _, plugin := range plugins {
		if plugin == nil || plugin.Name == "" {
			return misuse(Argument, "a plugin is nil or has no name")
		}
		if len(plugin.Resources) > PluginResourcesMax || len(plugin.NodeLabels) > PluginLabelsMax ||
			len(plugin.PodLabels) > PluginLabelsMax || len(plugin.NodeAnnotations) > PluginLabelsMax ||
			len(plugin.PodAnnotations) > PluginLabelsMax {
			return misuse(Argument, "plugin %s reads too many resources, labels or annotations", plugin.Name)
		}
		if plugin.Domains != nil && plugin.Flags != Each || plugin.NodePods && plugin.Flags&Static != 0 {
			return misuse(Argument, "plugin %s reads what its flags say that it does not", plugin.Name)
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
	if len(from) == 0 {
		return nil, 0
	}
	out := cArray[C.berth_str](len(from))
	set.memory = append(set.memory, unsafe.Pointer(&out[0]))
	for i, s := range from {
		out[i] = C.berth_str{data: set.cString(s), len: C.uint32_t(len(s))}
	}
	return &out[0], C.uint32_t(len(from))
}

func (set *pluginSet) cString(s string) *C.char {
	out := C.CString(s)
	set.memory = append(set.memory, unsafe.Pointer(out))
	return out
}

func (set *pluginSet) add(plugin *Plugin) *C.berth_plugin {
	own := *plugin // a copy: later changes by the embedder have no effect
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
	to.node_annotations, to.node_annotation_count = set.strs(own.NodeAnnotations)
	to.pod_annotations, to.pod_annotation_count = set.strs(own.PodAnnotations)
	to.node_pods = C.bool(own.NodePods)
	to.reads_id = C.bool(own.Flags == Each)
	to.node_names = C.bool(own.NodeNames)
	to.has_configure = C.bool(own.Configure != nil)
	to.has_prepare = C.bool(own.Prepare != nil || own.Domains != nil)
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

// panicked returns the panic that made the plugins unusable, or nil.
func (set *pluginSet) panicked() error {
	if set == nil {
		return nil
	}
	if err := set.broken.Load(); err != nil {
		return err
	}
	return nil
}

// await locks an engine that is in use. While a function of a plugin runs, it does not wait
// forever: the caller may be that function.
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
