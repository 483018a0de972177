// Package state is the cluster's state of sigs.k8s.io/scheduler-library over Berth: a cache of nodes
// and pods, which follows a real cluster, and the snapshots made of it.
package state

import (
	"errors"
	"fmt"

	berth "berth/go"
	"berth/go/schedulerlibrary/framework"
	"berth/go/schedulerlibrary/internal/cluster"
	"berth/go/schedulerlibrary/snapshot"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
)

// Cache is the part of kube-scheduler's cache that follows a cluster. Errors have its texts.
type Cache interface {
	NodeCount() int
	PodCount() (int, error)
	GetNode(name string) (framework.NodeInfo, error)
	// AddNode adds a node, or replaces the one of that name. It returns nil for a node that the
	// engine refuses; the next Snapshot returns the reason.
	AddNode(logger klog.Logger, node *corev1.Node) framework.NodeInfo
	UpdateNode(logger klog.Logger, oldNode, newNode *corev1.Node) framework.NodeInfo
	RemoveNode(logger klog.Logger, node *corev1.Node) error
	// AddPod adds a pod. It has no effect until its node exists.
	AddPod(logger klog.Logger, pod *corev1.Pod) error
	UpdatePod(logger klog.Logger, oldPod, newPod *corev1.Pod) error
	RemovePod(logger klog.Logger, pod *corev1.Pod) error
	GetPod(pod *corev1.Pod) (*corev1.Pod, error)
}

// ClusterState is a cluster that Cache keeps up to date. One goroutine uses it at a time.
type ClusterState struct {
	Cache Cache
	cache *cache
}

// New makes the state of an engine that has neither nodes nor pods yet, and was made with `cfg`.
func New(engine *berth.Engine, cfg *berth.Config) (*ClusterState, error) {
	rules, err := cluster.RulesOf(cfg)
	if err != nil {
		return nil, err
	}
	c := &cache{cluster: cluster.New(engine), pods: map[types.UID]*corev1.Pod{},
		placed: map[types.UID]*cluster.Pod{}}
	c.cluster.Rules = rules
	return &ClusterState{c, c}, nil
}

// Engine returns the engine of the state, to which objects other than nodes and pods can be added.
func (s *ClusterState) Engine() *berth.Engine { return s.cache.cluster.Engine }

// Snapshot makes a snapshot of the present state. Each snapshot has a state of its own, which
// changes on other snapshots do not affect. In the library, a new snapshot takes over from the one
// before.
func (s *ClusterState) Snapshot(logger klog.Logger) (*snapshot.ClusterSnapshot, error) {
	if s.cache.failed != nil {
		return nil, fmt.Errorf("failed to update snapshot: %w", s.cache.failed)
	}
	copied, branch, err := s.cache.cluster.Branch()
	if err != nil {
		return nil, fmt.Errorf("failed to update snapshot: %w", err)
	}
	return snapshot.New(copied, branch.Close), nil
}

// cache holds all pods by uid, and those on known nodes in the cluster, too.
type cache struct {
	cluster *cluster.Cluster
	pods    map[types.UID]*corev1.Pod
	placed  map[types.UID]*cluster.Pod
	failed  error // of calls that return none
}

func (c *cache) NodeCount() int         { return c.cluster.Nodes() }
func (c *cache) PodCount() (int, error) { return len(c.pods), nil }

func (c *cache) GetNode(name string) (framework.NodeInfo, error) {
	if node := c.cluster.Node(name); node != nil {
		return node, nil
	}
	return nil, fmt.Errorf("node %v does not exist in scheduler cache", name)
}

func (c *cache) AddNode(logger klog.Logger, node *corev1.Node) framework.NodeInfo {
	fresh := c.cluster.Node(node.Name) == nil
	added, err := c.cluster.UpdateNode(node)
	if err == nil && fresh {
		for uid, pod := range c.pods {
			if pod.Spec.NodeName == node.Name {
				err = errors.Join(err, c.place(uid, pod))
			}
		}
	}
	if err != nil {
		c.failed = errors.Join(c.failed, err)
		return nil
	}
	return added
}

func (c *cache) UpdateNode(logger klog.Logger, _, node *corev1.Node) framework.NodeInfo {
	return c.AddNode(logger, node)
}

func (c *cache) RemoveNode(logger klog.Logger, node *corev1.Node) error {
	known := c.cluster.Node(node.Name)
	if known == nil {
		for _, pod := range c.pods {
			if pod.Spec.NodeName == node.Name { // kube-scheduler still has a place for the node
				return fmt.Errorf("node %q in group %q was not found", node.Name, groupOf(node))
			}
		}
		return fmt.Errorf("node %v is not found", node.Name)
	}
	for _, pod := range known.GetPods() {
		delete(c.placed, pod.GetPod().UID)
	}
	return c.cluster.RemoveNode(known)
}

// groupOf returns the name of the group in which kube-scheduler's cache has a node: its region and zone.
func groupOf(node *corev1.Node) string {
	region, zone := node.Labels[corev1.LabelTopologyRegion], node.Labels[corev1.LabelTopologyZone]
	if region == "" && zone == "" {
		return ""
	}
	return region + ":\x00:" + zone
}

func keyOf(pod *corev1.Pod) (types.UID, error) {
	if pod.UID == "" {
		return "", errors.New("cannot get cache key for pod with empty UID")
	}
	return pod.UID, nil
}

// place puts a pod on its node, if the node exists.
func (c *cache) place(uid types.UID, pod *corev1.Pod) error {
	node := c.cluster.Node(pod.Spec.NodeName)
	if node == nil {
		return nil
	}
	added, err := c.cluster.Add(pod)
	if err != nil {
		return err
	}
	if err := c.cluster.Bind(added, node); err != nil {
		return errors.Join(err, c.cluster.Drop(added))
	}
	c.placed[uid] = added
	return nil
}

func (c *cache) AddPod(logger klog.Logger, pod *corev1.Pod) error {
	uid, err := keyOf(pod)
	if err != nil {
		return err
	}
	if c.pods[uid] != nil {
		return fmt.Errorf("pod %v(%v) was already in added state", uid, klog.KObj(pod))
	}
	if err := c.place(uid, pod); err != nil {
		return err
	}
	c.pods[uid] = pod
	return nil
}

func (c *cache) UpdatePod(logger klog.Logger, oldPod, newPod *corev1.Pod) error {
	uid, err := keyOf(oldPod)
	if err != nil {
		return err
	}
	if c.pods[uid] == nil {
		return fmt.Errorf("pod %v(%v) is not added to scheduler cache, so cannot be updated", uid, klog.KObj(oldPod))
	}
	if err := c.drop(uid); err != nil {
		return err
	}
	return c.AddPod(logger, newPod)
}

func (c *cache) drop(uid types.UID) error {
	if placed := c.placed[uid]; placed != nil {
		if err := c.cluster.Remove(placed); err != nil {
			return err
		}
		delete(c.placed, uid)
	}
	delete(c.pods, uid)
	return nil
}

func (c *cache) RemovePod(logger klog.Logger, pod *corev1.Pod) error {
	uid, err := keyOf(pod)
	if err != nil {
		return err
	}
	if c.pods[uid] == nil {
		return fmt.Errorf("pod %v(%v) is not found in scheduler cache, so cannot be removed from it", uid, klog.KObj(pod))
	}
	return c.drop(uid)
}

func (c *cache) GetPod(pod *corev1.Pod) (*corev1.Pod, error) {
	uid, err := keyOf(pod)
	if err != nil {
		return nil, err
	}
	if known := c.pods[uid]; known != nil {
		return known, nil
	}
	return nil, fmt.Errorf("pod %v(%v) does not exist in scheduler cache", uid, klog.KObj(pod))
}
