// Package vector defines the format of decision vectors: JSON lines with a scenario and a
// scheduler's decisions on it (tests/vectors/README.md).
package vector

import "encoding/json"

// The two modes of a search over nodes.
const (
	AllNodes = "all-nodes" // every node is visited
	Sampled  = "sampled"   // one worker visits the adaptive or the configured percentage of nodes
)

// Line is one line of a vector file. The scenario is kept as it was written.
type Line struct {
	Scenario json.RawMessage `json:"scenario"`
	Expected *Expected       `json:"expected,omitempty"`
}

// Scenario is a cluster and the pods to place in it, one after the other.
type Scenario struct {
	Name    string          `json:"name"`
	Config  json.RawMessage `json:"config,omitempty"`
	Nodes   List            `json:"nodes"`
	Pods    List            `json:"pods,omitempty"`
	Pending List            `json:"pending"`
	Events  []Event         `json:"events,omitempty"` // in order
	Gates   string          `json:"gates,omitempty"`  // feature gates: Name=true,Other=false

	Extenders []Extender `json:"extenders,omitempty"`

	Namespaces             List `json:"namespaces,omitempty"`
	Services               List `json:"services,omitempty"`
	ReplicationControllers List `json:"replicationControllers,omitempty"`
	ReplicaSets            List `json:"replicaSets,omitempty"`
	StatefulSets           List `json:"statefulSets,omitempty"`
	PodGroups              List `json:"podGroups,omitempty"`
	CompositePodGroups     List `json:"compositePodGroups,omitempty"`
	PodDisruptionBudgets   List `json:"podDisruptionBudgets,omitempty"`
	PersistentVolumes      List `json:"persistentVolumes,omitempty"`
	PersistentVolumeClaims List `json:"persistentVolumeClaims,omitempty"`
	StorageClasses         List `json:"storageClasses,omitempty"`
	CSINodes               List `json:"csiNodes,omitempty"`
	CSIDrivers             List `json:"csiDrivers,omitempty"`
	CSIStorageCapacities   List `json:"csiStorageCapacities,omitempty"`
	VolumeAttachments      List `json:"volumeAttachments,omitempty"`
	ResourceSlices         List `json:"resourceSlices,omitempty"`
	ResourceClaims         List `json:"resourceClaims,omitempty"`
	DeviceClasses          List `json:"deviceClasses,omitempty"`
	DeviceTaintRules       List `json:"deviceTaintRules,omitempty"`
}

// List holds the objects of one kind, in the order of their creation.
type List []json.RawMessage

// Extender is a scripted extender: percentages of the nodes, or pods, for which it does something, by
// a hash of their names.
type Extender struct {
	Name             string   `json:"name"`
	Ignorable        bool     `json:"ignorable,omitempty"`
	ByName           bool     `json:"byName,omitempty"` // nodeCacheCapable
	ManagedResources []string `json:"managedResources,omitempty"`
	Fails            int      `json:"fails,omitempty"` // of pods

	Filters   bool `json:"filters,omitempty"`
	Refuses   int  `json:"refuses,omitempty"`
	ForGood   int  `json:"forGood,omitempty"`
	LeavesOut int  `json:"leavesOut,omitempty"`

	Prioritizes bool `json:"prioritizes,omitempty"`
	Weight      int  `json:"weight,omitempty"`

	Preempts bool `json:"preempts,omitempty"`
	Drops    int  `json:"drops,omitempty"`
	Spares   int  `json:"spares,omitempty"` // spares all victims but the first
	Empties  int  `json:"empties,omitempty"`
}

// Event is a change that happens before a decision.
type Event struct {
	Before int             `json:"before"` // index among the pending pods
	Do     string          `json:"do"`     // "put": add or replace; "delete": remove if it exists
	Kind   string          `json:"kind"`   // Node or Pod
	Object json.RawMessage `json:"object"`
}

// Expected is a scheduler's answer to a scenario.
type Expected struct {
	Version   string     `json:"version,omitempty"` // absent: 1.32
	Order     []string   `json:"order"`
	Decisions []Decision `json:"decisions"`
	Mode      string     `json:"mode"`
	Gates     string     `json:"gates,omitempty"` // the scenario's
}

// Decision is the answer to one pending pod.
type Decision struct {
	Pod       string             `json:"pod"`
	Start     int                `json:"start"`
	Next      int                `json:"next"`
	PreFilter string             `json:"preFilter,omitempty"`
	Feasible  []string           `json:"feasible"`
	Failed    []Refusal          `json:"failed,omitempty"`
	Scores    map[string][]int64 `json:"scores,omitempty"`
	Total     []int64            `json:"total,omitempty"`
	Best      []string           `json:"best,omitempty"`
	Bound     string             `json:"bound,omitempty"`
	Devices   []string           `json:"devices,omitempty"`
	Message   string             `json:"message,omitempty"`
	Nominated string             `json:"nominated,omitempty"`
	Victims   []string           `json:"victims,omitempty"`
	Error     string             `json:"error,omitempty"`

	Unnominated []string `json:"unnominated,omitempty"` // in a sequence: pods whose nomination it ended

	Group   string   `json:"group,omitempty"` // the decision is about this group, not about a pod
	Members []Member `json:"members,omitempty"`

	Messages map[string]string `json:"messages,omitempty"` // of a composite group: by PodGroup
}

// Member is the outcome for one pod of a group.
type Member struct {
	Pod       string `json:"pod"`
	Bound     string `json:"bound,omitempty"`
	Nominated string `json:"nominated,omitempty"`
	Ended     bool   `json:"ended,omitempty"` // the pod's earlier nomination has ended
}

// Refusal is a node that was visited and rejected.
type Refusal struct {
	Node    string   `json:"node"`
	Plugin  string   `json:"plugin"`
	Code    string   `json:"code"`
	Reasons []string `json:"reasons"`
}

// ModeOf returns the search mode that a line requests; a scenario without an expected part is
// answered over all nodes.
func (l *Line) ModeOf() string {
	if l.Expected != nil && l.Expected.Mode != "" {
		return l.Expected.Mode
	}
	return AllNodes
}
