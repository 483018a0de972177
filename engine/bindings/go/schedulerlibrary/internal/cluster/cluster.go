// Package cluster holds nodes and their pods, both as Go objects and in an engine.
package cluster

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	berth "berth/go"
	"berth/go/schedulerlibrary/framework"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Pod is a pod on a node, or one that was there.
type Pod struct {
	pod             corev1.Pod // with the name of its node
	ID              berth.PodID
	namespace, name string // in the engine
	At              *Node
}

// GetPod returns the pod, with the name of its node.
func (p *Pod) GetPod() *corev1.Pod { return &p.pod }

// Node is a node with its pods.
type Node struct {
	node *corev1.Node
	pods []*Pod
	Name string
	ID   berth.NodeID
	of   *Cluster

	rank  int    // in the placement in use
	stamp uint64 // of that placement
	gone  bool

	status *framework.Status // why it refuses the pod in question
	asked  uint64            // the number of that question
}

// Node returns the object.
func (n *Node) Node() *corev1.Node { return n.node }

// GetPods returns the pods on the node.
func (n *Node) GetPods() []framework.PodInfo {
	out := make([]framework.PodInfo, len(n.pods))
	for i, pod := range n.pods {
		out[i] = pod
	}
	return out
}

// Cluster is an engine with the Go objects of its nodes and pods.
type Cluster struct {
	Engine *berth.Engine
	nodes  map[string]*Node
	byID   map[berth.NodeID]*Node
	dense  []*Node // by id; for small ids only
	inUse  []*Node // the placement in use, valid until a node goes
	stamp  uint64
	asked  uint64 // questions about statuses
	serial uint64 // last number used in a made-up name
	Rules  Rules
}

// Rules are what the package knows of the engine's configuration.
type Rules struct {
	// Default: the filters are kube-scheduler's, without constraints that a profile adds to pods.
	Default bool
	// unnamed has the schedulers whose profiles lack the filter NodeName.
	unnamed map[string]bool
}

// RulesOf returns the rules of a configuration.
func RulesOf(cfg *berth.Config) (Rules, error) {
	filters, err := cfg.Filters()
	if err != nil {
		return Rules{}, err
	}
	out := Rules{cfg.SchedulerConfiguration == "" && cfg.SchedulerConfigurationFile == "" && len(cfg.Plugins) == 0,
		map[string]bool{}}
	for name, plugins := range filters {
		out.unnamed[name] = !slices.Contains(plugins, "NodeName")
	}
	return out, nil
}

// NodeName returns the name of the only node on which a pod may run; "": its spec.nodeName is empty, or
// its profile does not heed it.
func (r *Rules) NodeName(pod *corev1.Pod) string {
	name := pod.Spec.SchedulerName
	if name == "" {
		name = corev1.DefaultSchedulerName
	}
	if r.unnamed[name] {
		return ""
	}
	return pod.Spec.NodeName
}

// New wraps an engine that has neither nodes nor pods yet.
func New(engine *berth.Engine) *Cluster {
	return &Cluster{Engine: engine, nodes: map[string]*Node{}, byID: map[berth.NodeID]*Node{}}
}

// Branch makes a copy that starts in the present state and changes independently.
func (c *Cluster) Branch() (*Cluster, *berth.Branch, error) {
	if err := c.Engine.Publish(); err != nil {
		return nil, nil, err
	}
	branch, err := c.Engine.Branch()
	if err != nil {
		return nil, nil, err
	}
	out := New(branch.Engine)
	out.serial, out.Rules = c.serial, c.Rules
	for name, from := range c.nodes {
		node := &Node{node: from.node, Name: name, ID: from.ID, of: out, pods: make([]*Pod, len(from.pods))}
		for i, pod := range from.pods {
			copied := *pod
			copied.At, node.pods[i] = node, &copied
		}
		out.nodes[name] = node
		out.enterID(node)
	}
	return out, branch, nil
}

// Node returns a node by its name; nil if there is none.
func (c *Cluster) Node(name string) *Node { return c.nodes[name] }

// ByID returns a node by its id; nil if there is none.
func (c *Cluster) ByID(id berth.NodeID) *Node {
	if int(id) < len(c.dense) {
		return c.dense[id]
	}
	return c.byID[id]
}

// Nodes returns the number of nodes.
func (c *Cluster) Nodes() int { return len(c.nodes) }

// AddNodes adds nodes. Of several nodes with one name, the last counts.
func (c *Cluster) AddNodes(nodes []*corev1.Node) error {
	last := make(map[string]int, len(nodes))
	for i, node := range nodes {
		last[node.Name] = i
	}
	if len(last) < len(nodes) {
		var kept []*corev1.Node
		for i, node := range nodes {
			if last[node.Name] == i {
				kept = append(kept, node)
			}
		}
		nodes = kept
	}
	ids := make([]berth.NodeID, len(nodes))
	if _, err := c.Engine.AddNodes(nodes, ids); err != nil {
		return err
	}
	for i, node := range nodes {
		added := &Node{node: node, Name: node.Name, ID: ids[i], of: c}
		c.nodes[node.Name] = added
		c.enterID(added)
	}
	return nil
}

const smallIDs = 1 << 20

func (c *Cluster) enterID(node *Node) {
	if node.ID >= smallIDs {
		c.byID[node.ID] = node
		return
	}
	for len(c.dense) <= int(node.ID) {
		c.dense = append(c.dense, make([]*Node, 1+len(c.dense))...)
	}
	c.dense[node.ID] = node
}

// UpdateNode replaces a node, or adds it.
func (c *Cluster) UpdateNode(node *corev1.Node) (*Node, error) {
	if known := c.nodes[node.Name]; known != nil {
		if err := c.Engine.Update(node); err != nil {
			return nil, err
		}
		known.node = node
		return known, nil
	}
	if err := c.AddNodes([]*corev1.Node{node}); err != nil {
		return nil, err
	}
	return c.nodes[node.Name], nil
}

// RemoveNode removes a node, after its pods.
func (c *Cluster) RemoveNode(node *Node) error {
	for len(node.pods) > 0 {
		if err := c.Remove(node.pods[len(node.pods)-1]); err != nil {
			return err
		}
	}
	if err := c.Engine.RemoveNode(node.node.Name); err != nil {
		return err
	}
	delete(c.nodes, node.node.Name)
	delete(c.byID, node.ID)
	if int(node.ID) < len(c.dense) {
		c.dense[node.ID] = nil
	}
	node.gone, c.inUse = true, nil
	return nil
}

// waiting changes a copy of a pod so that the engine takes it as a pending pod without gates and
// nomination, whatever its phase.
func waiting(pod *corev1.Pod) {
	pod.Spec.NodeName, pod.Spec.SchedulingGates, pod.Status.NominatedNodeName = "", nil, ""
	if pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
		pod.Status.Phase = ""
	}
}

// Add adds a pod as a pending one. The pod gets another name in the engine if its own is in use
// there, because snapshots may hold a pod twice.
func (c *Cluster) Add(pod *corev1.Pod) (*Pod, error) {
	out := &Pod{pod: *pod}
	waiting(&out.pod)
	for {
		id, err := c.Engine.AddPod(&out.pod)
		if err == nil {
			out.ID, out.namespace, out.name = id, out.pod.Namespace, out.pod.Name
			out.pod.Name = pod.Name
			return out, nil
		}
		if !errors.Is(err, berth.Exists) {
			return nil, err
		}
		c.serial++
		out.pod.Name = fmt.Sprintf("%s.%d", pod.Name, c.serial)
	}
}

// AddLike adds pods that differ from a pending pod only in name and uid, in one crossing.
func (c *Cluster) AddLike(like *Pod, pods []*corev1.Pod) ([]*Pod, error) {
	ids, out := make([]berth.PodID, len(pods)), make([]*Pod, len(pods))
	prefix, first := like.name+".", c.serial+1
	c.serial += uint64(len(pods))
	if _, err := c.Engine.AddLike(like.ID, prefix, first, ids); err != nil {
		return nil, err
	}
	for i, pod := range pods {
		out[i] = &Pod{pod: *pod, ID: ids[i], namespace: like.namespace, name: prefix + strconv.FormatUint(first+uint64(i), 10)}
	}
	return out, nil
}

// Drop removes a pending pod.
func (c *Cluster) Drop(pod *Pod) error { return c.Engine.RemovePod(pod.namespace, pod.name) }

// Bind puts a pending pod on a node.
func (c *Cluster) Bind(pod *Pod, node *Node) error {
	if err := c.Engine.Bind(pod.ID, node.ID); err != nil {
		return err
	}
	c.Enter(pod, node)
	return nil
}

// Enter lists a pod on a node where the engine has put it already.
func (c *Cluster) Enter(pod *Pod, node *Node) {
	pod.At, pod.pod.Spec.NodeName = node, node.Name
	node.pods = append(node.pods, pod)
}

// Leave removes a pod from the list of its node, after the engine has removed it there.
func (c *Cluster) Leave(pod *Pod) {
	pods := pod.At.pods
	if last := len(pods) - 1; pods[last] == pod {
		pod.At.pods = pods[:last]
	} else if at := slices.Index(pods, pod); at >= 0 {
		pod.At.pods = slices.Delete(pods, at, at+1)
	}
}

// Remove takes a pod off its node and out of the engine.
func (c *Cluster) Remove(pod *Pod) error {
	if err := c.Engine.Unbind(pod.ID); err != nil { // gives back the devices that it took, too
		return err
	}
	if err := c.Drop(pod); err != nil {
		return err
	}
	c.Leave(pod)
	return nil
}

// Return puts a removed pod back on its node. It returns the new entry of the pod there.
func (c *Cluster) Return(pod *Pod) (*Pod, error) {
	again, err := c.Add(&pod.pod)
	if err != nil {
		return nil, err
	}
	if err := c.Bind(again, pod.At); err != nil {
		return nil, errors.Join(err, c.Drop(again))
	}
	return again, nil
}

// AddPods adds the pods that are on nodes of the cluster; it skips all others.
func (c *Cluster) AddPods(pods []*corev1.Pod) error {
	var run []*corev1.Pod
	flush := func() error {
		ids := make([]berth.PodID, len(run))
		done, err := c.Engine.AddPods(run, ids)
		for i, pod := range run[:done] {
			c.Enter(&Pod{pod: *pod, ID: ids[i], namespace: pod.Namespace, name: pod.Name}, c.nodes[pod.Spec.NodeName])
		}
		if errors.Is(err, berth.Exists) {
			for _, pod := range run[done:] {
				if err := c.addOn(pod); err != nil {
					return err
				}
			}
			err = nil
		}
		run = run[:0]
		return err
	}
	for _, pod := range pods {
		if c.nodes[pod.Spec.NodeName] == nil {
			continue
		}
		if pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed {
			run = append(run, pod)
			continue
		}
		if err := flush(); err != nil {
			return err
		}
		if err := c.addOn(pod); err != nil {
			return err
		}
	}
	return flush()
}

func (c *Cluster) addOn(pod *corev1.Pod) error {
	added, err := c.Add(pod)
	if err == nil {
		err = c.Bind(added, c.nodes[pod.Spec.NodeName])
	}
	return err
}

// Find returns the pod of that uid on a node; nil if there is none.
func (n *Node) Find(uid types.UID) *Pod {
	for _, pod := range n.pods {
		if pod.pod.UID == uid {
			return pod
		}
	}
	return nil
}

// Use makes a placement the one in use and returns its nodes, valid until the next call.
func (c *Cluster) Use(placement *framework.Placement) ([]*Node, error) {
	if c.usedLast(placement.Nodes) {
		return c.inUse, nil
	}
	c.stamp++
	out := c.inUse[:0]
	c.inUse = nil
	for i, info := range placement.Nodes {
		known, ok := info.(*Node)
		if !ok || known.of != c || known.gone {
			if name := info.Node().Name; c.nodes[name] == nil {
				return nil, fmt.Errorf("node %s in placement is not present in snapshot", name)
			}
			return nil, fmt.Errorf("node %s in placement is not the same instance as in the snapshot", info.Node().Name)
		}
		if known.stamp != c.stamp { // of a node listed twice, the first place counts
			known.rank, known.stamp = i, c.stamp
		}
		out = append(out, known)
	}
	c.inUse = out
	return out, nil
}

func (c *Cluster) usedLast(nodes []framework.NodeInfo) bool {
	if len(nodes) != len(c.inUse) {
		return false
	}
	for i, node := range c.inUse {
		if nodes[i] != framework.NodeInfo(node) {
			return false
		}
	}
	return true
}

// Ask begins a question whose answers are noted with the nodes.
func (c *Cluster) Ask() { c.asked++ }

// Note notes the status of a node.
func (n *Node) Note(status *framework.Status) { n.status, n.asked = status, n.of.asked }

// Noted returns the status noted since the last Ask; nil if there is none.
func (n *Node) Noted() *framework.Status {
	if n.asked != n.of.asked {
		return nil
	}
	return n.status
}

// Rank returns the place of a node in the placement in use; -1 if it has none.
func (n *Node) Rank() int {
	if n.stamp != n.of.stamp {
		return -1
	}
	return n.rank
}
