// Package provisioning answers a node provisioner's question in one call: where do these pods run,
// on the nodes that exist and on new nodes of these instance types, the cheapest first? It is meant
// for Karpenter's simulation, Scheduler.Solve, and for programs like it. It imports neither
// Karpenter nor Kubernetes itself.
//
//	catalog, err := provisioning.NewCatalog(nil, pools, daemons)
//	if err != nil { ... }
//	defer catalog.Close()
//	results, err := catalog.Solve(ctx, branch.Engine, pods, nil)
//
// # How pods are placed
//
// Pods are taken one by one, the largest first: by cpu, then memory, then age, then uid. A pod goes
//
//  1. to an existing node, if kube-scheduler's filters admit it to one;
//  2. else to a new node of this solution, the one with the fewest pods first, if some instance type
//     remains that holds all its pods;
//  3. else to a node that is opened for it: in the pool with the greatest weight that can take it,
//
// and of the cheapest type and offering that takes it.
//
// The engine decides whether a pod fits a new node: the node, its DaemonSet pods and its devices are
// added to the engine, and the pod meets every filter there. So affinity, spread constraints, ports,
// volumes and devices count. Everything happens in a transaction that is rolled back at the end.
//
// # What differs from Karpenter
//
//   - Among existing nodes, the pod goes where kube-scheduler would bind it, by score. Karpenter
//     takes the first node that fits.
//   - Preferences never exclude a node, as in kube-scheduler. Karpenter first requires them, and
//     relaxes them one by one.
//   - A new node stands for its cheapest type and offering from the start, and moves to a dearer one
//     when a pod needs it. If any pod of the question has topology constraints, it then keeps the
//     values of their topology keys. The other options that fit are reported, too.
//   - New nodes of pods with spread constraints are decided as if every zone that can take the pod
//     had an empty node, as in Karpenter, unless a constraint sets minDomains. Existing nodes are
//     decided as in kube-scheduler, which knows only the domains of nodes.
//   - After one type was refused because of pods, volumes or devices, types that differ from it in
//     nothing but size are not tried for that pod.
//   - A requirement of a pool for a label that an instance type does not define sets the label to the
//     first value of In. Karpenter leaves it open until a pod chooses.
//   - The limits of a pool count the cheapest option of each new node; the options reported leave the
//     limits intact whichever is chosen. Karpenter counts the largest type from the start.
//   - Spread constraints that a profile adds to pods are filters here, too, but such a pod is not
//     tried again on existing nodes after others were placed.
//   - Minimum numbers of values, reserved capacity and startup taints are not known. DaemonSet pods
//     that an existing node still lacks are not counted there. Consolidation is up to the caller:
//     [Options].Without removes nodes first.
package provisioning

import (
	"context"

	berth "berth/go"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
)

// Labels that new nodes get in addition to those of Kubernetes.
const (
	NodePoolLabel     = "karpenter.sh/nodepool"
	CapacityTypeLabel = "karpenter.sh/capacity-type"
)

// Offering is a zone and a capacity type in which an instance type can be bought.
type Offering struct {
	Zone, CapacityType string // "": the node has no such label
	Price              float64
	Available          bool
}

// InstanceType is a type of machine.
type InstanceType struct {
	Name string
	// Labels are the labels of every node of the type, such as architecture and operating system.
	// Name, zone, capacity type and host name are added.
	Labels map[string]string
	// Capacity counts towards the limits of a pool; Allocatable is what pods can use, their number
	// ("pods") included. Nil: the capacity.
	Capacity, Allocatable corev1.ResourceList
	Offerings             []Offering
	// Devices are templates of the ResourceSlices that a node of the type publishes. Name, node name
	// and the name of the pool are set for each node.
	Devices []resourcev1.ResourceSlice
	// VolumeLimits are the numbers of volumes that a node can attach, by CSI driver.
	VolumeLimits map[string]int32
}

// NodePool is a set of nodes that may be added.
type NodePool struct {
	Name         string
	Weight       int32 // pools with a greater weight are tried first
	Labels       map[string]string
	Taints       []corev1.Taint
	Requirements []corev1.NodeSelectorRequirement // of the labels of a node
	// Limits are the most that all nodes of the pool may have, by capacity; "nodes" limits their
	// number. Used is the capacity of the existing nodes.
	Limits, Used  corev1.ResourceList
	InstanceTypes []*InstanceType
}

// Options control [Catalog.Solve]. Nil options mean the zero value.
type Options struct {
	// Without names existing nodes that the solution must not use, as when they are consolidated.
	// Their pods are removed with them: pass those that must run elsewhere to Solve.
	Without []string
	// MaxOptions is the largest number of options to report for a new node; 0: all.
	MaxOptions int
}

// Results is a solution.
type Results struct {
	Existing []ExistingNode // the nodes that get pods, in the order in which they got the first
	New      []*NodeClaim   // in the order in which they were opened
	Unplaced []Unplaced
	// Order lists the pods in the order in which they were placed: each passes all filters at its
	// turn.
	Order []Placement
}

// ExistingNode is a node of the cluster with the pods that it gets.
type ExistingNode struct {
	Name string
	Pods []*corev1.Pod
}

// Placement is a pod with the name of its node, which may be a new one.
type Placement struct {
	Pod  *corev1.Pod
	Node string
}

// NodeClaim is a node to add.
type NodeClaim struct {
	Name    string    // a made-up name, which [NodeClaim.Objects] uses
	Pool    string    // its NodePool
	Options []*Option // what the node may be, the cheapest first; at least one
	Pods    []*corev1.Pod
}

// Option is an instance type with one of its offerings. It belongs to the catalog.
type Option struct {
	InstanceType *InstanceType
	Offering     Offering

	of *option
}

// Unplaced is a pod that fits nowhere.
type Unplaced struct {
	Pod      *corev1.Pod
	Existing string       // kube-scheduler's message; new nodes count as nodes that are closed
	Pools    []PoolReason // in the order in which the pools were tried
}

// PoolReason says why no node of a pool was opened for a pod.
type PoolReason struct{ Pool, Reason string }

// Objects are a node and the objects that belong to it.
type Objects struct {
	Node    *corev1.Node
	Daemons []*corev1.Pod
	Slices  []*resourcev1.ResourceSlice
	CSINode *storagev1.CSINode // nil: none
}

// Objects returns the objects that stood for the node, if the node is of the option with that
// index.
func (n *NodeClaim) Objects(index int) Objects { return n.Options[index].of.objects(n.Name) }

// Solve answers one question with a catalog of its own. [NewCatalog] is cheaper for several.
func Solve(ctx context.Context, engine *berth.Engine, config *berth.Config, pods []*corev1.Pod,
	pools []*NodePool, daemons []*corev1.Pod, options *Options) (*Results, error) {
	catalog, err := NewCatalog(config, pools, daemons)
	if err != nil {
		return nil, err
	}
	defer catalog.Close()
	return catalog.Solve(ctx, engine, pods, options)
}
