// Package api reads and writes the few kinds of Kubernetes objects that the test bed needs, by HTTP
// and JSON alone: it shares no code with the programs under test, Berth and kube-scheduler.
package api

import "time"

// Meta is metadata.
type Meta struct {
	Name              string            `json:"name"`
	Namespace         string            `json:"namespace,omitempty"`
	UID               string            `json:"uid,omitempty"`
	ResourceVersion   string            `json:"resourceVersion,omitempty"`
	Labels            map[string]string `json:"labels,omitempty"`
	Annotations       map[string]string `json:"annotations,omitempty"`
	OwnerReferences   []Owner           `json:"ownerReferences,omitempty"`
	CreationTimestamp *time.Time        `json:"creationTimestamp,omitempty"`
	DeletionTimestamp *time.Time        `json:"deletionTimestamp,omitempty"`
}

// Owner is an element of metadata.ownerReferences.
type Owner struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
	UID        string `json:"uid"`
	Controller bool   `json:"controller"`
}

// Any is an object of any kind, written as a literal.
type Any map[string]any

// Node has the fields of a node that a scheduler reads.
type Node struct {
	Meta   Meta       `json:"metadata"`
	Spec   NodeSpec   `json:"spec"`
	Status NodeStatus `json:"status"`
}

// NodeSpec is a node's spec.
type NodeSpec struct {
	Unschedulable bool `json:"unschedulable,omitempty"`
}

// NodeStatus is a node's status.
type NodeStatus struct {
	Capacity    map[string]string `json:"capacity,omitempty"`
	Allocatable map[string]string `json:"allocatable"`
}

// Pod has the fields of a pod that a scheduler reads and that the bed's own pods use.
type Pod struct {
	Meta   Meta      `json:"metadata"`
	Spec   PodSpec   `json:"spec"`
	Status PodStatus `json:"status"`
}

// PodSpec is a pod's spec.
type PodSpec struct {
	NodeName         string            `json:"nodeName,omitempty"`
	SchedulerName    string            `json:"schedulerName,omitempty"`
	Priority         *int32            `json:"priority,omitempty"`
	NodeSelector     map[string]string `json:"nodeSelector,omitempty"`
	Containers       []Container       `json:"containers"`
	Affinity         *Affinity         `json:"affinity,omitempty"`
	Spread           []Spread          `json:"topologySpreadConstraints,omitempty"`
	Volumes          []Any             `json:"volumes,omitempty"`
	GraceSeconds     *int64            `json:"terminationGracePeriodSeconds,omitempty"`
	PriorityClass    string            `json:"priorityClassName,omitempty"`
	SchedulingGates  []Any             `json:"schedulingGates,omitempty"`
	Tolerations      []Any             `json:"tolerations,omitempty"`
	PreemptionPolicy string            `json:"preemptionPolicy,omitempty"`
	ResourceClaims   []Any             `json:"resourceClaims,omitempty"`
}

// Container is a container; only requests, and how long it takes to end, matter here.
type Container struct {
	Name      string    `json:"name"`
	Image     string    `json:"image"`
	Resources Resources `json:"resources"`
	Lifecycle *struct {
		PreStop struct {
			Sleep struct {
				Seconds int64 `json:"seconds"`
			} `json:"sleep"`
		} `json:"preStop"`
	} `json:"lifecycle,omitempty"`
}

// Resources of a container.
type Resources struct {
	Requests map[string]string `json:"requests,omitempty"`
	Limits   map[string]string `json:"limits,omitempty"`
}

// Affinity holds only required anti-affinity.
type Affinity struct {
	Anti *AntiAffinity `json:"podAntiAffinity,omitempty"`
}

// AntiAffinity is podAntiAffinity.
type AntiAffinity struct {
	Required []Term `json:"requiredDuringSchedulingIgnoredDuringExecution,omitempty"`
}

// Term of an affinity.
type Term struct {
	Selector    Selector `json:"labelSelector"`
	TopologyKey string   `json:"topologyKey"`
}

// Selector is a label selector of equalities.
type Selector struct {
	MatchLabels map[string]string `json:"matchLabels,omitempty"`
}

// Spread is a topology spread constraint.
type Spread struct {
	MaxSkew           int      `json:"maxSkew"`
	TopologyKey       string   `json:"topologyKey"`
	WhenUnsatisfiable string   `json:"whenUnsatisfiable"`
	Selector          Selector `json:"labelSelector"`
}

// PodStatus is a pod's status.
type PodStatus struct {
	Phase             string      `json:"phase,omitempty"`
	NominatedNodeName string      `json:"nominatedNodeName,omitempty"`
	Conditions        []Condition `json:"conditions,omitempty"`
}

// Condition of a pod.
type Condition struct {
	Type    string `json:"type"`
	Status  string `json:"status"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
}

// Metadata returns the metadata of a node.
func (n Node) Metadata() Meta { return n.Meta }

// Metadata returns the metadata of a pod.
func (p Pod) Metadata() Meta { return p.Meta }

// Metadata returns the metadata of an event.
func (e Event) Metadata() Meta { return e.Meta }

// Key returns "namespace/name".
func (m *Meta) Key() string { return m.Namespace + "/" + m.Name }

// Condition returns the condition of this type, or an empty one.
func (p *Pod) Condition(kind string) Condition {
	for _, c := range p.Status.Conditions {
		if c.Type == kind {
			return c
		}
	}
	return Condition{}
}

// Running reports whether the pod takes up room on its node.
func (p *Pod) Running() bool {
	return p.Spec.NodeName != "" && p.Status.Phase != "Succeeded" && p.Status.Phase != "Failed"
}

// Matches reports whether the labels meet the selector.
func (s Selector) Matches(labels map[string]string) bool {
	for key, value := range s.MatchLabels {
		if labels[key] != value {
			return false
		}
	}
	return len(s.MatchLabels) > 0
}

// Event is an object of events.k8s.io/v1.
type Event struct {
	Meta      Meta   `json:"metadata"`
	Reason    string `json:"reason"`
	Action    string `json:"action"`
	Note      string `json:"note"`
	Type      string `json:"type"`
	Reporter  string `json:"reportingController"`
	Regarding struct {
		Kind      string `json:"kind"`
		Namespace string `json:"namespace"`
		Name      string `json:"name"`
		UID       string `json:"uid"`
	} `json:"regarding"`
}
