package clustersnapshot

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// NodeInfos lists nodes, as the scheduler framework's lister of these names does.
func (s *Snapshot) NodeInfos() NodeInfoLister { return NodeInfoLister{s} }

// NodeInfoLister lists the nodes of a snapshot.
type NodeInfoLister struct{ of *Snapshot }

// List returns all nodes, in order of arrival.
func (l NodeInfoLister) List() ([]*NodeInfo, error) { return l.of.ListNodeInfos() }

// Get returns one node, or ErrNodeNotFound.
func (l NodeInfoLister) Get(name string) (*NodeInfo, error) { return l.of.GetNodeInfo(name) }

func (l NodeInfoLister) having(has func(*corev1.Affinity) bool) ([]*NodeInfo, error) {
	all, err := l.List()
	return slices.DeleteFunc(all, func(info *NodeInfo) bool {
		return !slices.ContainsFunc(info.Pods, func(pod *PodInfo) bool {
			return pod.Spec.Affinity != nil && has(pod.Spec.Affinity)
		})
	}), err
}

// HavePodsWithAffinityList returns the nodes with pods that have (anti-)affinity to pods.
func (l NodeInfoLister) HavePodsWithAffinityList() ([]*NodeInfo, error) {
	return l.having(func(a *corev1.Affinity) bool {
		return a.PodAffinity != nil || a.PodAntiAffinity != nil
	})
}

// HavePodsWithRequiredAntiAffinityList returns the nodes with pods that require anti-affinity.
func (l NodeInfoLister) HavePodsWithRequiredAntiAffinityList() ([]*NodeInfo, error) {
	return l.having(func(a *corev1.Affinity) bool {
		return a.PodAntiAffinity != nil &&
			len(a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution) > 0
	})
}

// StorageInfos answers which claims of volumes are in use.
func (s *Snapshot) StorageInfos() StorageInfoLister { return StorageInfoLister{s} }

// StorageInfoLister knows the volumes of the pods of a snapshot.
type StorageInfoLister struct{ of *Snapshot }

// IsPVCUsedByPods reports whether a pod on a node uses the claim "namespace/name". Cost: a look at
// each pod.
func (l StorageInfoLister) IsPVCUsedByPods(key string) bool {
	for _, p := range l.of.pods {
		for _, volume := range p.pod.Spec.Volumes {
			claim := volume.PersistentVolumeClaim
			if claim != nil && keyOf(p.pod.Namespace, claim.ClaimName) == key {
				return true
			}
		}
	}
	return false
}
