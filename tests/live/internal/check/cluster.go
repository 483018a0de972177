// Package check compares a scheduler's actions on a cluster with invariants, using a watch of its
// own and the API server's audit log. The invariants are numbered I1 to I8; README.md lists them.
package check

import (
	"context"
	"fmt"
	"sync"
	"time"

	"berth/tests/live/internal/api"
	"berth/tests/live/internal/load"
)

// Subject is the scheduler that is watched.
type Subject struct {
	Scheduler string // the schedulerName of its pods
	User      string // its user at the API server
	Lossy     bool   // answers may be lost, so a patch may be sent twice
}

type node struct {
	api.Node
	milli, bytes, pods             int64 // allocatable, all in thousandths
	usedMilli, usedBytes, usedPods int64
	foreign                        time.Time // when a pod of another scheduler last came to this node
}

type pod struct {
	api.Pod
	milli, bytes int64
	added, bound time.Time
	gone         bool
	seen         map[string]time.Time // each version, and when it was seen
	listed       bool                 // seen in the last list or since
	patch        string               // the last patch of its status
}

// Cluster is the state that the watch has seen. Its methods may be called at any time, on any
// goroutine.
type Cluster struct {
	Subject
	mutex    sync.Mutex
	nodes    map[string]*node
	removed  map[string]time.Time            // removed nodes, and when their removal was seen
	pods     map[string]*pod                 // by uid
	events   map[string][]api.Event          // by the uid of their object, which may appear later
	nominees map[string]map[string]time.Time // by node and uid of the nominated pod
	deleted  bool                            // pods or nodes were deleted, so the spread may be uneven
	changed  time.Time
	early    []*pod // pods on nodes that the watch has not seen yet
	broken   []string
	over     int // how often another scheduler's pod took the room first
	synced   chan string
}

// Watch follows the cluster until the context ends; it returns once the first lists are read.
func Watch(ctx context.Context, c *api.Client, subject Subject) *Cluster {
	w := empty(subject)
	go func() { _ = api.Follow(ctx, c, "/api/v1/nodes", w.node) }()
	w.await(ctx, "nodes")
	w.watchPods(ctx, c)
	go func() { _ = api.Follow(ctx, c, "/apis/events.k8s.io/v1/events", w.event) }()
	w.await(ctx, "events")
	return w
}

// WatchPods follows only the pods, which costs the API server less; enough for Bound and Latencies.
func WatchPods(ctx context.Context, c *api.Client, subject Subject) *Cluster {
	w := empty(subject)
	w.watchPods(ctx, c)
	return w
}

func (w *Cluster) watchPods(ctx context.Context, c *api.Client) {
	go func() { _ = api.Follow(ctx, c, "/api/v1/pods", w.pod) }()
	w.await(ctx, "pods")
}

func empty(subject Subject) *Cluster {
	return &Cluster{Subject: subject, nodes: map[string]*node{}, removed: map[string]time.Time{},
		pods: map[string]*pod{}, events: map[string][]api.Event{},
		nominees: map[string]map[string]time.Time{}, synced: make(chan string, 8), changed: time.Now()}
}

func (w *Cluster) await(ctx context.Context, kind string) {
	for {
		select {
		case <-ctx.Done():
			return
		case which := <-w.synced:
			if which == kind {
				return
			}
		}
	}
}

// tellSynced never blocks: only the first report of each kind is waited for.
func (w *Cluster) tellSynced(kind string) {
	select {
	case w.synced <- kind:
	default:
	}
}

func (w *Cluster) breaks(invariant, text string, arguments ...any) {
	w.broken = append(w.broken, invariant+": "+fmt.Sprintf(text, arguments...))
}

func (w *Cluster) node(change api.Change[api.Node]) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	switch change.Kind {
	case "Listing":
		return
	case "Synced":
		w.tellSynced("nodes")
		return
	}
	name := change.Object.Meta.Name
	if change.Kind == "DELETED" {
		delete(w.nodes, name)
		w.removed[name] = change.Seen
		w.deleted = true
		return
	}
	n := w.nodes[name]
	if n == nil {
		n = &node{}
		w.nodes[name] = n
		for _, p := range w.pods {
			if !p.gone && p.Running() && p.Spec.NodeName == name {
				n.take(p, 1)
			}
		}
	}
	n.Node = change.Object
	n.milli = quantity(n.Status.Allocatable["cpu"])
	n.bytes = quantity(n.Status.Allocatable["memory"])
	n.pods = quantity(n.Status.Allocatable["pods"])
}

func quantity(text string) int64 {
	value, err := api.Milli(text)
	if err != nil {
		return 0
	}
	return value
}

func (n *node) take(p *pod, sign int64) {
	n.usedMilli += sign * p.milli
	n.usedBytes += sign * p.bytes
	n.usedPods += sign * 1000
}

func (w *Cluster) pod(change api.Change[api.Pod]) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.changed = change.Seen
	switch change.Kind {
	case "Listing":
		for _, p := range w.pods {
			p.listed = false
		}
		return
	case "Synced":
		w.relisted()
		w.tellSynced("pods")
		return
	}
	now := change.Object
	p := w.pods[now.Meta.UID]
	if p == nil {
		p = &pod{Pod: now, added: change.Seen, seen: map[string]time.Time{}}
		for _, container := range now.Spec.Containers {
			p.milli += quantity(orZero(container.Resources.Requests["cpu"]))
			p.bytes += quantity(orZero(container.Resources.Requests["memory"]))
		}
		p.Spec.NodeName = "" // the node is set below, as by a change
		w.pods[now.Meta.UID] = p
	}
	p.listed = true
	if _, known := p.seen[now.Meta.ResourceVersion]; !known {
		p.seen[now.Meta.ResourceVersion] = change.Seen
	}
	was := p.Pod
	if was.Spec.NodeName != "" && now.Spec.NodeName != was.Spec.NodeName {
		w.breaks("I1", "%s was on %s and then on %q", now.Meta.Key(), was.Spec.NodeName, now.Spec.NodeName)
	}
	w.nominated(now)
	if n := w.nodes[was.Spec.NodeName]; n != nil && was.Running() && !p.gone {
		n.take(p, -1)
	}
	p.Pod = now
	p.gone = change.Kind == "DELETED"
	if p.gone {
		w.deleted = true
		return
	}
	if n := w.nodes[now.Spec.NodeName]; n != nil && now.Running() {
		n.take(p, 1)
	}
	if was.Spec.NodeName == "" && now.Spec.NodeName != "" {
		p.bound = change.Seen
		w.came(p)
	}
}

// inFlight is how long after a node's removal a binding may still arrive.
const inFlight = time.Second

// came checks that a node had room for a pod that has come to it (I3).
func (w *Cluster) came(p *pod) {
	n := w.nodes[p.Spec.NodeName]
	if n == nil {
		if _, known := w.removed[p.Spec.NodeName]; !known {
			w.early = append(w.early, p) // separate watches are not ordered
		} else if p.Spec.SchedulerName == w.Scheduler && p.bound.Sub(w.removed[p.Spec.NodeName]) > inFlight {
			w.breaks("I3", "%s came to %s, which is not there", p.Meta.Key(), p.Spec.NodeName)
		}
		return
	}
	if p.Spec.SchedulerName != w.Scheduler {
		n.foreign = p.bound
	}
	if n.usedMilli <= n.milli && n.usedBytes <= n.bytes && n.usedPods <= n.pods {
		return
	}
	if time.Since(n.foreign) < 10*time.Second {
		w.over++
		return
	}
	w.breaks("I3", "%s came to %s: requests %dm, %d Mi, %d pods of %dm, %d Mi, %d pods",
		p.Meta.Key(), n.Meta.Name, n.usedMilli, n.usedBytes/1000>>20, n.usedPods/1000,
		n.milli, n.bytes/1000>>20, n.pods/1000)
}

func orZero(text string) string {
	if text == "" {
		return "0"
	}
	return text
}

func (w *Cluster) nominated(now api.Pod) {
	name := now.Status.NominatedNodeName
	if name == "" {
		return
	}
	if w.nominees[name] == nil {
		w.nominees[name] = map[string]time.Time{}
	}
	if _, known := w.nominees[name][now.Meta.UID]; !known {
		w.nominees[name][now.Meta.UID] = time.Now()
	}
}

// relisted, called after a list, removes everything that was not in it.
func (w *Cluster) relisted() {
	for _, p := range w.pods {
		if !p.listed && !p.gone {
			if n := w.nodes[p.Spec.NodeName]; n != nil && p.Running() {
				n.take(p, -1)
			}
			p.gone, w.deleted = true, true
		}
	}
}

func (w *Cluster) event(change api.Change[api.Event]) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	switch change.Kind {
	case "Listing":
		return
	case "Synced":
		w.tellSynced("events")
		return
	}
	if uid := change.Object.Regarding.UID; change.Kind != "DELETED" {
		w.events[uid] = append(w.events[uid], change.Object)
	}
}

// Settle waits until all pods that fit are bound and nothing changed for the quiet time, or the limit
// has passed.
func (w *Cluster) Settle(quiet, limit time.Duration) {
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		w.mutex.Lock()
		settled := time.Since(w.changed) > quiet && len(w.waiting()) == 0
		w.mutex.Unlock()
		if settled {
			return
		}
	}
}

// waiting returns the scheduler's pods that fit and have no node.
func (w *Cluster) waiting() []*pod {
	var all []*pod
	for _, p := range w.pods {
		if !p.gone && p.Spec.SchedulerName == w.Scheduler && p.Spec.NodeName == "" &&
			p.Meta.Labels[load.FitsLabel] == "true" && len(p.Spec.SchedulingGates) == 0 {
			all = append(all, p)
		}
	}
	return all
}

// Bound counts the scheduler's pods that have a node, and all of its pods.
func (w *Cluster) Bound() (bound, all int) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for _, p := range w.pods {
		if p.gone || p.Spec.SchedulerName != w.Scheduler {
			continue
		}
		all++
		if p.Spec.NodeName != "" {
			bound++
		}
	}
	return bound, all
}

// Unbound counts the scheduler's pods that fit and have no node.
func (w *Cluster) Unbound() int {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return len(w.waiting())
}

// Placements returns the nodes of the scheduler's pods, by namespace/name; "" for pods without a
// node.
func (w *Cluster) Placements() map[string]string {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	nodes := map[string]string{}
	for _, p := range w.pods {
		if !p.gone && p.Spec.SchedulerName == w.Scheduler {
			nodes[p.Meta.Key()] = p.Spec.NodeName
		}
	}
	return nodes
}
