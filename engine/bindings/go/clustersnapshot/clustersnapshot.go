// Package clustersnapshot is the cluster snapshot of cluster-autoscaler over Berth: the methods of
// pkg/simulator/clustersnapshot of the autoscaler. Fork, Revert and Commit are transactions; the
// engine answers predicates, for all nodes of one pod in one crossing.
//
// The interface has the same names and meaning, but not the same types: a program cannot import the
// autoscaler's module, whose go.mod replaces k8s.io/kubernetes and its staging repositories,
// because it does not inherit these replacements. Inside the autoscaler, a few lines can wrap a
// [Snapshot], because [NodeInfo] holds the parts of its NodeInfo. Pods with claims are placed, and
// their devices are taken, if [Snapshot.SetClusterState] gets a [DraSnapshot]; volumes count with a
// [CsiSnapshot].
package clustersnapshot

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	berth "berth/go"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
)

// ErrNodeNotFound means that a node is not in the snapshot.
var ErrNodeNotFound = errors.New("node not found")

// SchedulingErrorType is the kind of a SchedulingError.
type SchedulingErrorType int

// The kinds, in the autoscaler's order.
const (
	SchedulingInternalError SchedulingErrorType = iota
	FailingPredicateError
	NoNodesPassingPredicatesFoundError
)

// SchedulingError says why a pod could not be scheduled.
type SchedulingError interface {
	error
	Type() SchedulingErrorType
	Reasons() []string
	FailingPredicateName() string
	FailingPredicateReasons() []string
}

type schedulingError struct {
	kind      SchedulingErrorType
	pod       *corev1.Pod
	predicate string
	reasons   []string
	cause     error
}

func (e *schedulingError) Type() SchedulingErrorType         { return e.kind }
func (e *schedulingError) FailingPredicateName() string      { return e.predicate }
func (e *schedulingError) FailingPredicateReasons() []string { return e.reasons }
func (e *schedulingError) Unwrap() error                     { return e.cause }

func (e *schedulingError) Reasons() []string {
	if e.kind == FailingPredicateError {
		return e.reasons
	}
	return []string{e.Error()}
}

func (e *schedulingError) Error() string {
	what := "couldn't find a matching Node with passing predicates"
	switch e.kind {
	case SchedulingInternalError:
		what = fmt.Sprintf("unexpected error: %v", e.cause)
	case FailingPredicateError:
		what = fmt.Sprintf("predicate %q didn't pass (predicateReasons=[%s])", e.predicate,
			strings.Join(e.reasons, ", "))
	}
	return fmt.Sprintf("can't schedule pod %s/%s: %s", e.pod.Namespace, e.pod.Name, what)
}

// PodInfo is a pod with its claims.
type PodInfo struct {
	*corev1.Pod
	NeededResourceClaims []*resourcev1.ResourceClaim
}

// NodeInfo is a node with its pods and its objects.
type NodeInfo struct {
	Node                *corev1.Node
	Pods                []*PodInfo
	LocalResourceSlices []*resourcev1.ResourceSlice
	CSINode             *storagev1.CSINode // nil: none
}

// NewPodInfo makes a PodInfo.
func NewPodInfo(pod *corev1.Pod, claims []*resourcev1.ResourceClaim) *PodInfo {
	return &PodInfo{pod, claims}
}

// NewNodeInfo makes a NodeInfo.
func NewNodeInfo(node *corev1.Node, all []*resourcev1.ResourceSlice, pods ...*PodInfo) *NodeInfo {
	return &NodeInfo{Node: node, Pods: pods, LocalResourceSlices: all}
}

// NodeOrderMapping is an order in which nodes are tried. Reset is called before each pod with the
// nodes that it fits; At returns an index into them, or -1 at the end; MarkMatch gets the index of
// the chosen node. PreferProcessingInOrder makes no difference here: nodes are tried in order.
type NodeOrderMapping interface {
	Reset(nodes []*NodeInfo)
	At(i int) int
	MarkMatch(i int)
	PreferProcessingInOrder() bool
}

// SchedulingOptions say which nodes [Snapshot.SchedulePodOnAnyNodeMatching] tries.
type SchedulingOptions struct {
	NodeOrdering     NodeOrderMapping     // nil: the order of kube-scheduler
	IsNodeAcceptable func(*NodeInfo) bool // nil: every node is
}

// Snapshot is a cluster that can be forked, reverted and committed. One goroutine uses it at a time.
type Snapshot struct {
	engine *berth.Engine
	forks  []fork
	nodes  map[string]*corev1.Node
	pods   map[string]*placed
	on     map[string]map[string]*placed // by node, then key
	order  []string                      // of nodes, in order of arrival
	serial uint64                        // of the last pod
	dra    *DraSnapshot
	csi    *CsiSnapshot
}

type placed struct {
	pod    *corev1.Pod
	id     berth.PodID
	node   string
	serial uint64 // in order of arrival
}

// podsOn returns the pods of a node in order of arrival.
func (s *Snapshot) podsOn(node string) []*corev1.Pod {
	all := make([]*placed, 0, len(s.on[node]))
	for _, p := range s.on[node] {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *placed) int { return cmp.Compare(a.serial, b.serial) })
	var pods []*corev1.Pod
	for _, p := range all {
		pods = append(pods, p.pod)
	}
	return pods
}

// fork remembers how to take back later changes.
type fork struct {
	tx   *berth.Transaction
	undo []func()
}

// New makes an empty snapshot; a nil configuration means the zero value.
func New(config *berth.Config) (*Snapshot, error) {
	engine, err := berth.New(config)
	if err != nil {
		return nil, err
	}
	s := &Snapshot{engine: engine}
	s.forget()
	return s, nil
}

// Close frees the snapshot.
func (s *Snapshot) Close() error { return s.engine.Close() }

// Engine returns the engine of the snapshot, for questions that the interface lacks. Do not change
// it.
func (s *Snapshot) Engine() *berth.Engine { return s.engine }

func (s *Snapshot) forget() {
	s.forks, s.order = nil, nil
	s.nodes, s.pods = map[string]*corev1.Node{}, map[string]*placed{}
	s.on = map[string]map[string]*placed{}
	s.dra, s.csi = NewDraSnapshot(nil, nil, nil), NewCsiSnapshot(nil)
	s.dra.of, s.csi.of = s, s
}

// DraSnapshot returns the objects of dynamic resource allocation; CsiSnapshot the CSINodes.
func (s *Snapshot) DraSnapshot() *DraSnapshot { return s.dra }

// CsiSnapshot returns the CSINodes.
func (s *Snapshot) CsiSnapshot() *CsiSnapshot { return s.csi }

func keyOf(namespace, name string) string { return namespace + "/" + name }

// remember stores how to undo a change, if there is a fork to revert to.
func (s *Snapshot) remember(undo func()) {
	if depth := len(s.forks); depth > 0 {
		s.forks[depth-1].undo = append(s.forks[depth-1].undo, undo)
	}
}

// Clear makes the snapshot empty and unforked.
func (s *Snapshot) Clear() {
	for i := len(s.forks); i > 0; i-- {
		s.forks[i-1].tx.Rollback()
	}
	for _, p := range s.pods {
		s.engine.RemovePod(p.pod.Namespace, p.pod.Name)
	}
	for name := range s.nodes {
		s.engine.RemoveNode(name)
	}
	s.dra.each(s.engine.Remove)
	for _, node := range s.csi.nodes {
		s.engine.Remove(node)
	}
	s.dra.of, s.csi.of = nil, nil // they belong to the caller again
	s.forget()
}

// SetClusterState clears the snapshot and fills it. Nil stands for an empty snapshot of claims or
// CSINodes; others belong to this snapshot until it is cleared.
func (s *Snapshot) SetClusterState(nodes []*corev1.Node, scheduledPods []*corev1.Pod,
	dra *DraSnapshot, csi *CsiSnapshot) error {
	s.Clear()
	if err := s.take(dra, csi); err != nil {
		return err
	}
	for _, node := range nodes {
		if err := s.addNode(node); err != nil {
			return err
		}
	}
	for _, pod := range scheduledPods {
		if s.nodes[pod.Spec.NodeName] == nil {
			continue // like the autoscaler, skip pods whose node is absent
		}
		if err := s.ForceAddPod(pod, pod.Spec.NodeName); err != nil {
			return err
		}
	}
	return nil
}

// take adds the objects of the two snapshots, which may be nil.
func (s *Snapshot) take(dra *DraSnapshot, csi *CsiSnapshot) error {
	if dra != nil && dra.of != nil || csi != nil && csi.of != nil {
		return errors.New("the DraSnapshot or the CsiSnapshot belongs to another snapshot")
	}
	if dra != nil {
		s.dra, dra.of = dra, s
		if err := dra.each(s.add); err != nil {
			return err
		}
	}
	if csi != nil {
		s.csi, csi.of = csi, s
		for _, node := range csi.nodes {
			if err := s.add(node); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Snapshot) addNode(node *corev1.Node) error {
	if _, err := s.engine.AddNode(node); err != nil {
		return err
	}
	s.nodes[node.Name], s.on[node.Name] = node, map[string]*placed{}
	s.order = append(s.order, node.Name)
	s.remember(func() {
		delete(s.nodes, node.Name)
		delete(s.on, node.Name)
		s.order = s.order[:len(s.order)-1]
	})
	return nil
}

// AddNodeInfo adds a node and its pods, with its slices and CSINode, and those claims of the pods
// that the snapshot does not have yet.
func (s *Snapshot) AddNodeInfo(info *NodeInfo) error {
	if len(info.LocalResourceSlices) > 0 {
		if err := s.dra.AddNodeResourceSlices(info.Node.Name, info.LocalResourceSlices); err != nil {
			return err
		}
	}
	if info.CSINode != nil {
		if err := s.csi.AddCSINode(info.CSINode); err != nil {
			return err
		}
	}
	for _, pod := range info.Pods {
		for _, claim := range pod.NeededResourceClaims {
			if s.dra.claims[keyOf(claim.Namespace, claim.Name)] != nil {
				continue
			}
			if err := s.dra.AddClaims([]*resourcev1.ResourceClaim{claim}); err != nil {
				return err
			}
		}
	}
	return s.StoreNodeInfo(info)
}

// StoreNodeInfo adds a node and its pods; their slices, claims and CSINode are there already.
func (s *Snapshot) StoreNodeInfo(info *NodeInfo) error {
	if err := s.addNode(info.Node); err != nil {
		return err
	}
	for _, pod := range info.Pods {
		if err := s.ForceAddPod(pod.Pod, info.Node.Name); err != nil {
			return err
		}
	}
	return nil
}

// RemoveNodeInfo removes a node with its pods, their own claims, its slices and its CSINode.
func (s *Snapshot) RemoveNodeInfo(name string) error {
	node := s.nodes[name]
	if node == nil {
		return ErrNodeNotFound
	}
	for _, pod := range s.podsOn(name) {
		if err := s.ForceRemovePod(pod.Namespace, pod.Name, name); err != nil {
			return err
		}
		if err := s.dra.RemovePodOwnedClaims(pod); err != nil {
			return err
		}
	}
	if err := s.dra.RemoveNodeResourceSlices(name); err != nil {
		return err
	}
	if err := s.csi.RemoveCSINode(name); err != nil {
		return err
	}
	if err := s.engine.RemoveNode(name); err != nil {
		return err
	}
	before := s.order
	s.order = make([]string, 0, len(before))
	for _, one := range before {
		if one != name {
			s.order = append(s.order, one)
		}
	}
	delete(s.nodes, name)
	delete(s.on, name)
	s.remember(func() { s.nodes[name], s.on[name], s.order = node, map[string]*placed{}, before })
	return nil
}

// GetNodeInfo returns a node with its pods in order of arrival, or ErrNodeNotFound.
func (s *Snapshot) GetNodeInfo(name string) (*NodeInfo, error) {
	node := s.nodes[name]
	if node == nil {
		return nil, ErrNodeNotFound
	}
	info := NewNodeInfo(node, s.dra.local[name])
	info.CSINode = s.csi.nodes[name]
	for _, pod := range s.podsOn(name) {
		claims, _ := s.dra.PodClaims(pod) // ignore claims that are missing
		info.Pods = append(info.Pods, NewPodInfo(pod, claims))
	}
	return info, nil
}

// ListNodeInfos returns all nodes with their pods, in order of arrival.
func (s *Snapshot) ListNodeInfos() ([]*NodeInfo, error) {
	out := make([]*NodeInfo, 0, len(s.order))
	for _, name := range s.order {
		info, err := s.GetNodeInfo(name)
		if err != nil {
			return nil, err
		}
		out = append(out, info)
	}
	return out, nil
}

// ---- pods ----

func pending(pod *corev1.Pod) *corev1.Pod {
	if pod.Spec.NodeName == "" {
		return pod
	}
	copied := *pod
	copied.Spec.NodeName = ""
	return &copied
}

// ForceAddPod puts a pod on a node, whether or not it fits.
func (s *Snapshot) ForceAddPod(pod *corev1.Pod, nodeName string) error {
	node, err := s.engine.FindNode(nodeName)
	if err != nil {
		return err
	}
	if node == berth.NoNode {
		return ErrNodeNotFound
	}
	id, err := s.engine.AddPod(pending(pod))
	if err != nil || id == berth.NoPod { // a finished pod takes no resources
		return err
	}
	if err := s.engine.Bind(id, node); err != nil {
		return errors.Join(err, s.engine.RemovePod(pod.Namespace, pod.Name))
	}
	s.serial++
	p, key := &placed{pod, id, nodeName, s.serial}, keyOf(pod.Namespace, pod.Name)
	s.pods[key], s.on[nodeName][key] = p, p
	s.remember(func() {
		delete(s.pods, key)
		delete(s.on[nodeName], key)
	})
	return nil
}

// StorePodInfo puts a pod on a node, whether or not it fits; its claims are there already.
func (s *Snapshot) StorePodInfo(info *PodInfo, nodeName string) error {
	return s.ForceAddPod(info.Pod, nodeName)
}

// RemovePodInfo removes a pod from its node.
func (s *Snapshot) RemovePodInfo(namespace, name, nodeName string) error {
	return s.ForceRemovePod(namespace, name, nodeName)
}

// ForceRemovePod removes a pod from its node.
func (s *Snapshot) ForceRemovePod(namespace, name, nodeName string) error {
	key := keyOf(namespace, name)
	p := s.pods[key]
	if p == nil || p.node != nodeName {
		return fmt.Errorf("pod %s is not on node %s", key, nodeName)
	}
	if err := s.engine.Unbind(p.id); err != nil { // gives back the devices that it took, too
		return err
	}
	if err := s.engine.RemovePod(namespace, name); err != nil {
		return err
	}
	delete(s.pods, key)
	delete(s.on[nodeName], key)
	s.remember(func() { s.pods[key], s.on[nodeName][key] = p, p })
	return nil
}

// UnschedulePod removes a pod from its node.
func (s *Snapshot) UnschedulePod(namespace, name, nodeName string) error {
	return s.ForceRemovePod(namespace, name, nodeName)
}

// asking calls `ask` with the pod added as a pending one, and restores everything afterwards.
func (s *Snapshot) asking(pod *corev1.Pod, ask func(id berth.PodID) error) error {
	return s.engine.Try(func() (bool, error) {
		if s.pods[keyOf(pod.Namespace, pod.Name)] != nil {
			if err := s.engine.RemovePod(pod.Namespace, pod.Name); err != nil {
				return false, err
			}
		}
		id, err := s.engine.AddPod(pending(pod))
		if err != nil {
			return false, err
		}
		return false, ask(id)
	})
}

// CheckPredicates reports whether a pod fits a node; nil: it fits.
func (s *Snapshot) CheckPredicates(pod *corev1.Pod, nodeName string) SchedulingError {
	var fit berth.Fit
	node, err := s.engine.FindNode(nodeName)
	if err == nil && node == berth.NoNode {
		err = ErrNodeNotFound
	}
	if err == nil {
		err = s.asking(pod, func(id berth.PodID) (err error) {
			fit, err = s.engine.Fit(id, node)
			return err
		})
	}
	if err != nil {
		return &schedulingError{kind: SchedulingInternalError, pod: pod, cause: err}
	}
	if fit.Verdict != berth.Placed {
		return &schedulingError{kind: FailingPredicateError, pod: pod, predicate: fit.Plugin, reasons: fit.Reasons}
	}
	return nil
}

// SchedulePod puts a pod on a node if it fits.
func (s *Snapshot) SchedulePod(pod *corev1.Pod, nodeName string) SchedulingError {
	if err := s.CheckPredicates(pod, nodeName); err != nil {
		return err
	}
	if err := s.ForceAddPod(pod, nodeName); err != nil {
		return &schedulingError{kind: SchedulingInternalError, pod: pod, cause: err}
	}
	return nil
}

// SchedulePodOnAnyNodeMatching puts a pod on the first acceptable node that it fits. All nodes are
// checked in one crossing.
func (s *Snapshot) SchedulePodOnAnyNodeMatching(pod *corev1.Pod,
	options SchedulingOptions) (string, SchedulingError) {
	var names []string
	err := s.asking(pod, func(id berth.PodID) error {
		nodes, err := s.engine.FeasibleNodes(id, nil)
		if err == nil {
			names, err = s.engine.NodeNames(nodes)
		}
		return err
	})
	var name string
	if err == nil {
		name, err = s.choose(names, options)
	}
	if err == nil && name != "" {
		err = s.ForceAddPod(pod, name)
	}
	if err != nil {
		return "", &schedulingError{kind: SchedulingInternalError, pod: pod, cause: err}
	}
	if name == "" {
		return "", &schedulingError{kind: NoNodesPassingPredicatesFoundError, pod: pod}
	}
	return name, nil
}

// choose returns the first acceptable node, in the order of the options; "": none.
func (s *Snapshot) choose(names []string, options SchedulingOptions) (string, error) {
	acceptable := func(info *NodeInfo) bool {
		return options.IsNodeAcceptable == nil || options.IsNodeAcceptable(info)
	}
	if options.NodeOrdering == nil {
		for _, name := range names {
			if info, err := s.GetNodeInfo(name); err != nil || acceptable(info) {
				return name, err
			}
		}
		return "", nil
	}
	infos := make([]*NodeInfo, len(names))
	for i, name := range names {
		info, err := s.GetNodeInfo(name)
		if err != nil {
			return "", err
		}
		infos[i] = info
	}
	options.NodeOrdering.Reset(infos)
	for i := range infos {
		at := options.NodeOrdering.At(i)
		if at < 0 || at >= len(infos) {
			break
		}
		if acceptable(infos[at]) {
			options.NodeOrdering.MarkMatch(at)
			return infos[at].Node.Name, nil
		}
	}
	return "", nil
}

// ---- forks ----

// Fork starts changes that can be reverted. Forks nest.
func (s *Snapshot) Fork() {
	tx, err := s.engine.Begin()
	if err != nil {
		panic(err) // closed engine or no memory; the interface has no error here
	}
	s.forks = append(s.forks, fork{tx: tx})
}

// Revert takes back all changes since the last Fork; without a Fork it does nothing.
func (s *Snapshot) Revert() {
	depth := len(s.forks)
	if depth == 0 {
		return
	}
	last := s.forks[depth-1]
	s.forks = s.forks[:depth-1]
	if err := last.tx.Rollback(); err != nil {
		panic(err)
	}
	for i := len(last.undo); i > 0; i-- {
		last.undo[i-1]()
	}
}

// Commit keeps all changes since the last Fork.
func (s *Snapshot) Commit() error {
	depth := len(s.forks)
	if depth == 0 {
		return nil
	}
	last := s.forks[depth-1]
	if err := last.tx.Commit(); err != nil {
		return err
	}
	s.forks = s.forks[:depth-1]
	if depth > 1 {
		s.forks[depth-2].undo = append(s.forks[depth-2].undo, last.undo...)
	}
	return nil
}

// WithForkedSnapshot calls `f` in a fork, and commits the fork if `f` returns true.
func WithForkedSnapshot(s *Snapshot, f func() (bool, error)) (err, cleanupErr error) {
	commit := false
	s.Fork()
	defer func() {
		if commit {
			cleanupErr = s.Commit()
		}
		if !commit || cleanupErr != nil {
			s.Revert()
		}
	}()
	commit, err = f()
	return err, cleanupErr
}
