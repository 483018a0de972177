// Package framework has the few types of kube-scheduler that the scheduler library shows to its
// callers, with the same names and members: placements, statuses and diagnoses. A caller imports it
// in place of both k8s.io/kube-scheduler/framework and k8s.io/kubernetes/pkg/scheduler/framework.
package framework

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
)

// PodInfo is a pod on a node.
type PodInfo interface {
	GetPod() *corev1.Pod
}

// NodeInfo is a node of one snapshot. A placement holds those of the snapshot that it is used with.
type NodeInfo interface {
	Node() *corev1.Node
	// GetPods returns the pods on the node at this moment.
	GetPods() []PodInfo
}

// Placement is the list of nodes to which a call is confined. Nodes are tried in this order.
type Placement struct {
	Name  string // for the caller's own use
	Nodes []NodeInfo
}

// Code is the kind of a status.
type Code int

// The codes, with kube-scheduler's numbers.
const (
	Success Code = iota
	Error
	Unschedulable
	UnschedulableAndUnresolvable
	Wait
	Skip
	Pending
)

var codes = [...]string{"Success", "Error", "Unschedulable", "UnschedulableAndUnresolvable", "Wait", "Skip", "Pending"}

// String returns the name of a code.
func (c Code) String() string {
	if c < 0 || int(c) >= len(codes) {
		return fmt.Sprintf("Code(%d)", int(c))
	}
	return codes[c]
}

// Status is the outcome of a question. A nil Status means success.
type Status struct {
	code    Code
	reasons []string
	err     error
	plugin  string
}

// NewStatus makes a status.
func NewStatus(code Code, reasons ...string) *Status { return &Status{code: code, reasons: reasons} }

// AsStatus makes a status of code Error; nil if there is no error.
func AsStatus(err error) *Status {
	if err == nil {
		return nil
	}
	return &Status{code: Error, err: err}
}

// WithError sets the error of a status and returns the status.
func (s *Status) WithError(err error) *Status {
	s.err = err
	return s
}

// WithPlugin sets the plugin of a status and returns the status.
func (s *Status) WithPlugin(plugin string) *Status {
	s.plugin = plugin
	return s
}

// SetPlugin sets the plugin of a status.
func (s *Status) SetPlugin(plugin string) { s.plugin = plugin }

// AppendReason adds a reason.
func (s *Status) AppendReason(reason string) { s.reasons = append(s.reasons, reason) }

// Code returns the code of a status.
func (s *Status) Code() Code {
	if s == nil {
		return Success
	}
	return s.code
}

// Plugin returns the plugin that refused or failed; "" if it is unknown.
func (s *Status) Plugin() string {
	if s == nil {
		return ""
	}
	return s.plugin
}

// Reasons returns the text of the error, if there is one, and the reasons.
func (s *Status) Reasons() []string {
	if s == nil {
		return nil
	}
	if s.err != nil {
		return append([]string{s.err.Error()}, s.reasons...)
	}
	return s.reasons
}

// Message returns the reasons in one line.
func (s *Status) Message() string { return strings.Join(s.Reasons(), ", ") }

// String returns the message.
func (s *Status) String() string { return s.Message() }

// IsSuccess reports whether the code is Success, as it is for nil.
func (s *Status) IsSuccess() bool { return s.Code() == Success }

// IsWait reports whether the code is Wait.
func (s *Status) IsWait() bool { return s.Code() == Wait }

// IsSkip reports whether the code is Skip.
func (s *Status) IsSkip() bool { return s.Code() == Skip }

// IsError reports whether the code is Error.
func (s *Status) IsError() bool { return s.Code() == Error }

// IsRejected reports whether a plugin refused: Unschedulable, UnschedulableAndUnresolvable or
// Pending.
func (s *Status) IsRejected() bool {
	code := s.Code()
	return code == Unschedulable || code == UnschedulableAndUnresolvable || code == Pending
}

// AsError returns the error of a status other than Success, Wait and Skip; nil for those.
func (s *Status) AsError() error {
	if s.IsSuccess() || s.IsWait() || s.IsSkip() {
		return nil
	}
	if s.err != nil {
		return s.err
	}
	return errors.New(s.Message())
}

// Equal reports whether code, error, reasons and plugin are the same.
func (s *Status) Equal(other *Status) bool {
	if s == nil || other == nil {
		return s.IsSuccess() && other.IsSuccess()
	}
	return s.code == other.code && s.plugin == other.plugin && slices.Equal(s.reasons, other.reasons) &&
		(errors.Is(s.err, other.err) || errors.Is(other.err, s.err))
}

// Clone copies a status.
func (s *Status) Clone() *Status {
	if s == nil {
		return nil
	}
	out := *s
	out.reasons = slices.Clone(s.reasons)
	return &out
}

// NodeToStatus holds the statuses of the nodes that refused a pod, and one status for all nodes that
// it does not list. Nodes that refuse for the same reason may share one status.
type NodeToStatus struct {
	names    []string
	statuses []*Status
	index    map[string]int // made by the first question about one node
	absent   *Status
}

// NewDefaultNodeToStatus makes a NodeToStatus that lists no node.
func NewDefaultNodeToStatus() *NodeToStatus {
	return &NodeToStatus{absent: NewStatus(UnschedulableAndUnresolvable)}
}

func (m *NodeToStatus) position(name string) (int, bool) {
	if m.index == nil {
		m.index = make(map[string]int, len(m.names))
		for i, one := range m.names {
			m.index[one] = i
		}
	}
	at, known := m.index[name]
	return at, known
}

// Get returns the status of a node.
func (m *NodeToStatus) Get(nodeName string) *Status {
	if at, known := m.position(nodeName); known {
		return m.statuses[at]
	}
	return m.absent
}

// Set sets the status of a node.
func (m *NodeToStatus) Set(nodeName string, status *Status) {
	if at, known := m.position(nodeName); known {
		m.statuses[at] = status
		return
	}
	m.index[nodeName] = len(m.names)
	m.names, m.statuses = append(m.names, nodeName), append(m.statuses, status)
}

// Append adds the status of a node that must not be listed yet; it does not check this.
func (m *NodeToStatus) Append(nodeName string, status *Status) {
	m.names, m.statuses, m.index = append(m.names, nodeName), append(m.statuses, status), nil
}

// Grow makes room for nodes to be appended.
func (m *NodeToStatus) Grow(nodes int) {
	m.names, m.statuses = slices.Grow(m.names, nodes), slices.Grow(m.statuses, nodes)
}

// Len returns the number of nodes listed.
func (m *NodeToStatus) Len() int { return len(m.names) }

// AbsentNodesStatus returns the status of the nodes that are not listed.
func (m *NodeToStatus) AbsentNodesStatus() *Status { return m.absent }

// SetAbsentNodesStatus sets the status of the nodes that are not listed.
func (m *NodeToStatus) SetAbsentNodesStatus(status *Status) { m.absent = status }

// ForEachExplicitNode calls `do` for each node listed.
func (m *NodeToStatus) ForEachExplicitNode(do func(nodeName string, status *Status)) {
	for i, name := range m.names {
		do(name, m.statuses[i])
	}
}

// Diagnosis says why nodes refused a pod.
type Diagnosis struct {
	NodeToStatus         *NodeToStatus
	UnschedulablePlugins sets.Set[string] // that refused
	PendingPlugins       sets.Set[string]
	PreFilterMsg         string // why the pod was refused before any node was looked at; "": it was not
	PostFilterMsg        string
}

// Clone copies a diagnosis; the statuses are shared.
func (d *Diagnosis) Clone() *Diagnosis {
	out := *d
	out.UnschedulablePlugins, out.PendingPlugins = d.UnschedulablePlugins.Clone(), d.PendingPlugins.Clone()
	if d.NodeToStatus != nil {
		out.NodeToStatus = &NodeToStatus{names: slices.Clone(d.NodeToStatus.names),
			statuses: slices.Clone(d.NodeToStatus.statuses), absent: d.NodeToStatus.absent}
	}
	return &out
}

// AddPluginStatus notes the plugin of a status.
func (d *Diagnosis) AddPluginStatus(status *Status) {
	insert := func(into *sets.Set[string]) {
		if *into == nil {
			*into = sets.New[string]()
		}
		into.Insert(status.Plugin())
	}
	if status.Plugin() == "" {
		return
	}
	if status.IsRejected() {
		insert(&d.UnschedulablePlugins)
	}
	if status.Code() == Pending {
		insert(&d.PendingPlugins)
	}
}

// FitError is the error of a status that says that a pod fits no node.
type FitError struct {
	Pod         *corev1.Pod
	NumAllNodes int // of the placement
	Diagnosis   Diagnosis
}

// Error returns kube-scheduler's message.
func (e *FitError) Error() string {
	out := fmt.Sprintf("0/%d nodes are available:", e.NumAllNodes)
	if e.Diagnosis.PreFilterMsg != "" {
		out += " " + e.Diagnosis.PreFilterMsg + "."
	} else if listed := e.reasons(); len(listed) > 0 {
		out += " " + strings.Join(listed, ", ") + "."
	}
	if e.Diagnosis.PostFilterMsg != "" {
		out += " " + e.Diagnosis.PostFilterMsg
	}
	return out
}

// reasons returns the number of nodes for each reason, as sorted text.
func (e *FitError) reasons() []string {
	statuses := e.Diagnosis.NodeToStatus
	if statuses == nil {
		return nil
	}
	nodes, counts := map[*Status]int{}, map[string]int{}
	statuses.ForEachExplicitNode(func(_ string, status *Status) { nodes[status]++ })
	if absent := e.NumAllNodes - statuses.Len(); absent > 0 {
		nodes[statuses.AbsentNodesStatus()] += absent
	}
	for status, count := range nodes {
		for _, reason := range status.Reasons() {
			counts[reason] += count
		}
	}
	var out []string
	for reason, count := range counts {
		out = append(out, fmt.Sprintf("%d %s", count, reason))
	}
	slices.Sort(out)
	return out
}
