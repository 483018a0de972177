package berth

/*
#include "glue.h"
*/
import "C"

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// A Snapshot is a published state of an engine, complete and immutable, for any number of reading
// goroutines at once. Close it after the last use; if it is being read at that moment, it is freed
// when the read ends.
type Snapshot struct {
	*pin
	engine *Engine // reachable as long as the snapshot is
}

// pin is the part of a snapshot that its cleanup needs.
type pin struct {
	snapshot *C.berth_snapshot
	uses     atomic.Int64 // readers, plus 1 while it is open; 0: freed
	closed   atomic.Bool
	owner    *state
}

// Publish publishes the current state of the engine, which [Engine.Snapshot] then returns.
func (e *Engine) Publish() error {
	if err := e.lock(); err != nil {
		return err
	}
	defer e.unlock()
	return e.result(C.int(C.berth_engine_publish(e.box.engine, &e.box.error)))
}

// Snapshot returns the latest published state. It does not wait for the engine, which may be in use
// on another goroutine. Error: [State] if nothing was published yet.
func (e *Engine) Snapshot() (*Snapshot, error) {
	s := e.state
	which := func(c *children) *int { return &c.snapshots }
	if s.exited.Load() {
		return nil, errExited()
	}
	if s.parent != nil {
		return nil, misuse(State, "a branch publishes nothing")
	}
	if err := s.adopt(which); err != nil {
		return nil, err
	}
	// The child is counted, so the engine cannot be closed before the release.
	at := C.berth_engine_pin(s.box.engine)
	if at == nil {
		s.release(which)
		return nil, misuse(State, "the engine has published nothing yet")
	}
	p := &pin{snapshot: at, owner: s}
	p.uses.Store(1)
	out := &Snapshot{p, e}
	runtime.AddCleanup(out, (*pin).collected, p)
	return out, nil
}

// Close releases the snapshot.
func (s *Snapshot) Close() error {
	if s.closed.Swap(true) {
		return misuse(State, "the snapshot is closed")
	}
	s.pin.done()
	runtime.KeepAlive(s)
	return nil
}

func (p *pin) collected() {
	if !p.closed.Swap(true) {
		p.done()
	}
}

// use begins a read.
func (p *pin) use() error {
	for {
		uses := p.uses.Load()
		if uses == 0 || p.closed.Load() {
			return misuse(State, "the snapshot is closed")
		}
		if p.uses.CompareAndSwap(uses, uses+1) {
			return nil
		}
	}
}

// done ends a read, or the snapshot itself.
func (p *pin) done() {
	if p.uses.Add(-1) == 0 {
		C.berth_snapshot_unpin(p.snapshot)
		p.owner.release(func(c *children) *int { return &c.snapshots })
	}
}

func (s *Snapshot) done() {
	s.pin.done()
	runtime.KeepAlive(s)
}

// Number is the number of the publication, from 1.
func (s *Snapshot) Number() (uint64, error) {
	if err := s.use(); err != nil {
		return 0, err
	}
	defer s.done()
	return uint64(C.berth_snapshot_number(s.snapshot)), nil
}

// Counts returns the numbers of objects.
func (s *Snapshot) Counts() (Counts, error) {
	if err := s.use(); err != nil {
		return Counts{}, err
	}
	defer s.done()
	a := borrowArena()
	defer a.giveBack()
	counts := one[C.berth_counts](a)
	C.berth_snapshot_counts(s.snapshot, counts)
	return countsOf(counts), nil
}

// FindNode returns the node of that name; NoNode if there is none.
func (s *Snapshot) FindNode(name string) (NodeID, error) {
	if err := s.use(); err != nil {
		return NoNode, err
	}
	defer s.done()
	a := borrowArena()
	defer a.giveBack()
	return NodeID(C.berth_snapshot_find_node(s.snapshot, a.strSet(name))), nil
}

// FindPod returns the pod of that name; NoPod if there is none.
func (s *Snapshot) FindPod(namespace, name string) (PodID, error) {
	if err := s.use(); err != nil {
		return NoPod, err
	}
	defer s.done()
	a := borrowArena()
	defer a.giveBack()
	return PodID(C.berth_snapshot_find_pod(s.snapshot, a.strSet(namespace), a.strSet(name))), nil
}

// NodeNames returns the names of nodes in one crossing; "" for an unknown node.
func (s *Snapshot) NodeNames(nodes []NodeID) ([]string, error) {
	if err := s.use(); err != nil {
		return nil, err
	}
	defer s.done()
	a := borrowArena()
	defer a.giveBack()
	out := many[C.berth_str](a, len(nodes))
	C.bg_snapshot_names(s.snapshot, (*C.uint32_t)(unsafe.SliceData(nodes)),
		C.uint32_t(len(nodes)), unsafe.SliceData(out))
	return texts(out), nil
}

// PodNames returns the names of pods in one crossing.
func (s *Snapshot) PodNames(pods []PodID) ([]PodName, error) {
	if err := s.use(); err != nil {
		return nil, err
	}
	defer s.done()
	a := borrowArena()
	defer a.giveBack()
	out := many[C.berth_str](a, 2*len(pods))
	C.bg_snapshot_pod_names(s.snapshot, (*C.uint64_t)(unsafe.SliceData(pods)),
		C.uint32_t(len(pods)), unsafe.SliceData(out))
	return podNames(out), nil
}

// PodNode returns the node that a pod is on; NoNode if it is pending or unknown.
func (s *Snapshot) PodNode(pod PodID) (NodeID, error) {
	if err := s.use(); err != nil {
		return NoNode, err
	}
	defer s.done()
	return NodeID(C.berth_snapshot_pod_node(s.snapshot, C.berth_pod_id(pod))), nil
}

// Nodes appends all nodes to `out`, by id.
func (s *Snapshot) Nodes(out []NodeID) ([]NodeID, error) {
	if err := s.use(); err != nil {
		return out, err
	}
	defer s.done()
	return appendIDs(out, func(at *NodeID, room int) int {
		return int(C.bg_snapshot_nodes(s.snapshot, (*C.uint32_t)(at), C.uint32_t(room)))
	}), nil
}

// NodePods appends the pods on a node to `out`.
func (s *Snapshot) NodePods(node NodeID, out []PodID) ([]PodID, error) {
	if node == NoNode {
		return out, nil
	}
	return s.pods(node, out)
}

// Pending appends the pending pods to `out`, in order of arrival.
func (s *Snapshot) Pending(out []PodID) ([]PodID, error) { return s.pods(NoNode, out) }

func (s *Snapshot) pods(node NodeID, out []PodID) ([]PodID, error) {
	if err := s.use(); err != nil {
		return out, err
	}
	defer s.done()
	return appendIDs(out, func(at *PodID, room int) int {
		return int(C.bg_snapshot_pods(s.snapshot, C.uint32_t(node), (*C.uint64_t)(at),
			C.uint32_t(room)))
	}), nil
}

// NodeResources fills two arrays, as [Engine.NodeResources] does.
func (s *Snapshot) NodeResources(resource string, nodes []NodeID, allocatable, requested []int64) error {
	if len(allocatable) < len(nodes) || len(requested) < len(nodes) {
		return misuse(Argument, "there is room for %d and %d amounts of %d nodes",
			len(allocatable), len(requested), len(nodes))
	}
	if err := s.use(); err != nil {
		return err
	}
	defer s.done()
	a := borrowArena()
	defer a.giveBack()
	cErr := one[C.berth_error](a)
	status := C.bg_snapshot_resources(s.snapshot, a.strSet(resource),
		(*C.uint32_t)(unsafe.SliceData(nodes)), C.uint32_t(len(nodes)),
		(*C.int64_t)(unsafe.SliceData(allocatable)), (*C.int64_t)(unsafe.SliceData(requested)), cErr)
	if status != C.BERTH_OK {
		return failure(cErr)
	}
	return nil
}

// NodeLabel returns the value of a node's label; false if the node lacks it.
func (s *Snapshot) NodeLabel(node NodeID, key string) (string, bool, error) {
	if err := s.use(); err != nil {
		return "", false, err
	}
	defer s.done()
	a := borrowArena()
	defer a.giveBack()
	value := C.berth_snapshot_node_label(s.snapshot, C.berth_node_id(node), a.strSet(key))
	return text(value), value.data != nil, nil
}

// Digest returns the same hash as [Engine.Digest].
func (s *Snapshot) Digest() (uint64, error) {
	if err := s.use(); err != nil {
		return 0, err
	}
	defer s.done()
	return uint64(C.berth_snapshot_digest(s.snapshot)), nil
}

// ---- branches ----

// A Branch is a what-if engine that starts in the state of a snapshot. All methods of [Engine] work
// on it except publishing and schedulers; changes of volumes, CSINodes, Services and other objects
// are possible, too. Reserve and Unreserve of plugins are not called. Nothing outside sees its
// changes. Close it with [Branch.Close], before its engine.
type Branch struct {
	*Engine
	owner *Engine // reachable as long as the branch is
}

// Branch makes a branch. The branch outlives the snapshot.
func (s *Snapshot) Branch() (*Branch, error) {
	if err := s.use(); err != nil {
		return nil, err
	}
	defer s.done()
	owner := s.owner
	which := func(c *children) *int { return &c.branches }
	if err := owner.adopt(which); err != nil {
		return nil, err
	}
	a := borrowArena()
	defer a.giveBack()
	cErr := one[C.berth_error](a)
	out := one[*C.berth_engine](a)
	if C.berth_branch_create(s.snapshot, out, cErr) != C.BERTH_OK {
		owner.release(which)
		return nil, failure(cErr)
	}
	box := C.bg_box_new(*out)
	if box == nil {
		C.berth_branch_drop(*out)
		owner.release(which)
		return nil, misuse(NoMemory, "out of memory")
	}
	child := &state{box: box, parent: owner, plugins: owner.plugins}
	e := &Engine{child}
	runtime.AddCleanup(e, (*state).collected, child)
	return &Branch{e, s.engine}, nil
}

// Branch makes a branch of the latest published state.
func (e *Engine) Branch() (*Branch, error) {
	snapshot, err := e.Snapshot()
	if err != nil {
		return nil, err
	}
	defer snapshot.Close()
	return snapshot.Branch()
}

// ConflictKind says why a change of a branch cannot be applied to the engine.
type ConflictKind int

// The kinds of conflicts.
const (
	PodGone  ConflictKind = C.BERTH_CONFLICT_POD_GONE
	PodMoved ConflictKind = C.BERTH_CONFLICT_POD_MOVED
	NodeGone ConflictKind = C.BERTH_CONFLICT_NODE_GONE
	NoFit    ConflictKind = C.BERTH_CONFLICT_NO_FIT
	Refused  ConflictKind = C.BERTH_CONFLICT_REFUSED
)

// Conflict is a pod whose change a commit could not apply.
type Conflict struct {
	Pod  PodID
	Node NodeID // its node on the branch; NoNode: none
	Kind ConflictKind
}

// Commit repeats on the engine the branch's changes to pods of its snapshot, all or nothing. If
// there are conflicts, it returns them (at most 64), and the engine does not change. The branch
// stays as it is.
func (b *Branch) Commit() ([]Conflict, error) {
	const room = 64
	if err := b.owner.lock(); err != nil {
		return nil, err
	}
	defer b.owner.unlock()
	if err := b.Engine.lock(); err != nil {
		return nil, err
	}
	defer b.Engine.unlock()
	a := borrowArena()
	defer a.giveBack()
	found := many[C.berth_conflict](a, room)
	box := b.Engine.box
	status := C.berth_branch_commit(box.engine, unsafe.SliceData(found), room, &box.done, &box.error)
	if err := b.result(C.int(status)); err != nil {
		return nil, err
	}
	var out []Conflict
	for _, one := range found[:min(int(box.done), room)] {
		out = append(out, Conflict{PodID(one.pod), NodeID(one.node), ConflictKind(one.kind)})
	}
	return out, nil
}
