package clustersnapshot

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// DraSnapshot holds the objects of dynamic resource allocation of a cluster. Once a [Snapshot] has
// it, changes through its methods change the cluster, and forks cover them.
//
// Claims are kept as they were added: allocations that the snapshot makes are the engine's, and are
// not written into the objects.
type DraSnapshot struct {
	of      *Snapshot // nil: not part of a snapshot yet
	claims  map[string]*resourcev1.ResourceClaim
	local   map[string][]*resourcev1.ResourceSlice // by node
	shared  []*resourcev1.ResourceSlice            // slices that belong to no single node
	classes []*resourcev1.DeviceClass
}

// NewDraSnapshot collects objects. Slices with a node name are that node's own.
func NewDraSnapshot(claims []*resourcev1.ResourceClaim, all []*resourcev1.ResourceSlice,
	classes []*resourcev1.DeviceClass) *DraSnapshot {
	d := &DraSnapshot{claims: map[string]*resourcev1.ResourceClaim{},
		local: map[string][]*resourcev1.ResourceSlice{}, classes: classes}
	for _, claim := range claims {
		d.claims[keyOf(claim.Namespace, claim.Name)] = claim
	}
	for _, slice := range all {
		if node := slice.Spec.NodeName; node != nil && *node != "" {
			d.local[*node] = append(d.local[*node], slice)
		} else {
			d.shared = append(d.shared, slice)
		}
	}
	return d
}

// CsiSnapshot holds the CSINodes of a cluster, as [DraSnapshot] holds its objects.
type CsiSnapshot struct {
	of    *Snapshot
	nodes map[string]*storagev1.CSINode
}

// NewCsiSnapshot collects CSINodes.
func NewCsiSnapshot(nodes []*storagev1.CSINode) *CsiSnapshot {
	c := &CsiSnapshot{nodes: map[string]*storagev1.CSINode{}}
	for _, node := range nodes {
		c.nodes[node.Name] = node
	}
	return c
}

// add and remove change the engine of the snapshot, if there is one.
func (s *Snapshot) add(object any) error {
	if s == nil {
		return nil
	}
	_, err := s.engine.Add(object)
	return err
}

func (s *Snapshot) remove(object any) error {
	if s == nil {
		return nil
	}
	return s.engine.Remove(object)
}

// setKey changes an entry of a map, and remembers how to undo that.
func setKey[V any](s *Snapshot, m map[string]V, key string, value V) {
	before, had := m[key]
	m[key] = value
	if s != nil {
		s.remember(func() { restore(m, key, before, had) })
	}
}

func deleteKey[V any](s *Snapshot, m map[string]V, key string) {
	before, had := m[key]
	delete(m, key)
	if s != nil {
		s.remember(func() { restore(m, key, before, had) })
	}
}

func restore[V any](m map[string]V, key string, before V, had bool) {
	if had {
		m[key] = before
	} else {
		delete(m, key)
	}
}

// AddClaims adds claims that the snapshot does not have.
func (d *DraSnapshot) AddClaims(claims []*resourcev1.ResourceClaim) error {
	for _, claim := range claims {
		key := keyOf(claim.Namespace, claim.Name)
		if d.claims[key] != nil {
			return fmt.Errorf("claim %s is already in the snapshot", key)
		}
		if err := d.of.add(claim); err != nil {
			return err
		}
		setKey(d.of, d.claims, key, claim)
	}
	return nil
}

// claimName returns the name of the claim that an entry of a pod refers to; "" if it needs none.
func claimName(pod *corev1.Pod, of *corev1.PodResourceClaim) (string, error) {
	if of.ResourceClaimName != nil {
		return *of.ResourceClaimName, nil
	}
	for _, status := range pod.Status.ResourceClaimStatuses {
		if status.Name != of.Name {
			continue
		}
		if status.ResourceClaimName == nil {
			return "", nil
		}
		return *status.ResourceClaimName, nil
	}
	return "", fmt.Errorf("pod %s: the claim %q was not made from its template yet",
		keyOf(pod.Namespace, pod.Name), of.Name)
}

// PodClaims returns the claims that a pod refers to; an error if one of them is not there.
func (d *DraSnapshot) PodClaims(pod *corev1.Pod) ([]*resourcev1.ResourceClaim, error) {
	var out []*resourcev1.ResourceClaim
	for i := range pod.Spec.ResourceClaims {
		name, err := claimName(pod, &pod.Spec.ResourceClaims[i])
		if err != nil {
			return nil, err
		}
		if name == "" {
			continue
		}
		claim := d.claims[keyOf(pod.Namespace, name)]
		if claim == nil {
			return nil, fmt.Errorf("claim %s is not in the snapshot", keyOf(pod.Namespace, name))
		}
		out = append(out, claim)
	}
	return out, nil
}

// RemovePodOwnedClaims removes the claims that were made for the pod alone. The pod must have left
// its node.
func (d *DraSnapshot) RemovePodOwnedClaims(pod *corev1.Pod) error {
	for key, claim := range d.claims {
		owned := slices.ContainsFunc(claim.OwnerReferences, func(owner metav1.OwnerReference) bool {
			return owner.UID == pod.UID && pod.UID != "" && owner.Controller != nil && *owner.Controller
		})
		if !owned || claim.Namespace != pod.Namespace {
			continue
		}
		if err := d.of.remove(claim); err != nil {
			return err
		}
		deleteKey(d.of, d.claims, key)
	}
	return nil
}

// NodeResourceSlices returns the slices of one node, and whether it has any.
func (d *DraSnapshot) NodeResourceSlices(node string) ([]*resourcev1.ResourceSlice, bool) {
	all, found := d.local[node]
	return all, found
}

// AddNodeResourceSlices adds the slices of a node that has none.
func (d *DraSnapshot) AddNodeResourceSlices(node string, all []*resourcev1.ResourceSlice) error {
	if d.local[node] != nil {
		return fmt.Errorf("the ResourceSlices of node %q are already in the snapshot", node)
	}
	for _, slice := range all {
		if err := d.of.add(slice); err != nil {
			return err
		}
	}
	setKey(d.of, d.local, node, all)
	return nil
}

// RemoveNodeResourceSlices removes the slices of a node, if it has any.
func (d *DraSnapshot) RemoveNodeResourceSlices(node string) error {
	for _, slice := range d.local[node] {
		if err := d.of.remove(slice); err != nil {
			return err
		}
	}
	deleteKey(d.of, d.local, node)
	return nil
}

// each calls f for every object.
func (d *DraSnapshot) each(f func(object any) error) error {
	for _, class := range d.classes {
		if err := f(class); err != nil {
			return err
		}
	}
	all := slices.Clone(d.shared)
	for _, local := range d.local {
		all = append(all, local...)
	}
	for _, slice := range all {
		if err := f(slice); err != nil {
			return err
		}
	}
	for _, claim := range d.claims {
		if err := f(claim); err != nil {
			return err
		}
	}
	return nil
}

// Get returns the CSINode of a node.
func (c *CsiSnapshot) Get(node string) (*storagev1.CSINode, error) {
	if found := c.nodes[node]; found != nil {
		return found, nil
	}
	return nil, fmt.Errorf("CSINode %s is not in the snapshot", node)
}

// AddCSINode adds a CSINode that the snapshot does not have.
func (c *CsiSnapshot) AddCSINode(node *storagev1.CSINode) error {
	if c.nodes[node.Name] != nil {
		return fmt.Errorf("CSINode %s is already in the snapshot", node.Name)
	}
	if err := c.of.add(node); err != nil {
		return err
	}
	setKey(c.of, c.nodes, node.Name, node)
	return nil
}

// RemoveCSINode removes a CSINode, if it is there.
func (c *CsiSnapshot) RemoveCSINode(node string) error {
	found := c.nodes[node]
	if found == nil {
		return nil
	}
	if err := c.of.remove(found); err != nil {
		return err
	}
	deleteKey(c.of, c.nodes, node)
	return nil
}
