package clustersnapshot

import (
	"reflect"
	"testing"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func sliceOf(name string, devices ...string) *resourcev1.ResourceSlice {
	out := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "s-" + name},
		Spec: resourcev1.ResourceSliceSpec{Driver: "gpu.example.com", NodeName: &name,
			Pool: resourcev1.ResourcePool{Name: name, Generation: 1, ResourceSliceCount: 1}}}
	for _, device := range devices {
		out.Spec.Devices = append(out.Spec.Devices, resourcev1.Device{Name: device})
	}
	return out
}

func claim(name string, owner types.UID) *resourcev1.ResourceClaim {
	out := &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "d", UID: types.UID("u-" + name)},
		Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{{
			Name: "r", Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu", Count: 1,
				AllocationMode: resourcev1.DeviceAllocationModeExactCount}}}}}}
	if owner != "" {
		yes := true
		out.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: name, UID: owner, Controller: &yes}}
	}
	return out
}

func withClaim(p *corev1.Pod, name string) *corev1.Pod {
	p.UID = types.UID("u-" + p.Name)
	p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "g", ResourceClaimName: &name}}
	return p
}

func fail(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Pods with claims are placed where devices are free, and a revert gives the devices back.
func TestClaims(t *testing.T) {
	s, err := New(nil)
	fail(t, err)
	defer s.Close()
	dra := NewDraSnapshot([]*resourcev1.ResourceClaim{claim("c1", ""), claim("c2", "u-p2")},
		[]*resourcev1.ResourceSlice{sliceOf("a", "d0")},
		[]*resourcev1.DeviceClass{{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}}})
	fail(t, s.SetClusterState([]*corev1.Node{node("a", "4"), node("b", "4")}, nil, dra, nil))
	p1, p2 := withClaim(pod("p1", "1", ""), "c1"), withClaim(pod("p2", "1", ""), "c2")
	if refused := s.CheckPredicates(p1, "b"); refused == nil || refused.FailingPredicateName() != "DynamicResources" {
		t.Fatal(refused)
	}
	s.Fork()
	if name, refused := s.SchedulePodOnAnyNodeMatching(p1, SchedulingOptions{}); refused != nil || name != "a" {
		t.Fatal(name, refused)
	}
	if refused := s.CheckPredicates(p2, "a"); refused == nil {
		t.Fatal("the device was given twice")
	}
	fail(t, s.AddNodeInfo(NewNodeInfo(node("c", "4"), []*resourcev1.ResourceSlice{sliceOf("c", "d0")},
		NewPodInfo(withClaim(pod("p3", "1", ""), "c3"), []*resourcev1.ResourceClaim{claim("c3", "u-p3")}))))
	if claims, err := dra.PodClaims(withClaim(pod("p3", "1", ""), "c3")); err != nil || len(claims) != 1 {
		t.Fatal(claims, err)
	}
	fail(t, s.RemoveNodeInfo("c"))
	if _, err := dra.PodClaims(withClaim(pod("p3", "1", ""), "c3")); err == nil {
		t.Fatal("the claim of a removed pod stays")
	}
	if _, found := dra.NodeResourceSlices("c"); found {
		t.Fatal("the slices of a removed node stay")
	}
	s.Revert()
	if refused := s.SchedulePod(p2, "a"); refused != nil {
		t.Fatal(refused)
	}
	info, err := s.GetNodeInfo("a")
	fail(t, err)
	if len(info.Pods) != 1 || len(info.Pods[0].NeededResourceClaims) != 1 || len(info.LocalResourceSlices) != 1 {
		t.Fatal(info)
	}
	fail(t, s.RemovePodInfo("d", "p2", "a"))
	if refused := s.SchedulePod(p1, "a"); refused != nil {
		t.Fatal(refused)
	}
	other, err := New(nil)
	fail(t, err)
	defer other.Close()
	if other.SetClusterState(nil, nil, dra, nil) == nil {
		t.Fatal("objects of two snapshots")
	}
	s.Clear()
	fail(t, other.SetClusterState(nil, nil, dra, nil))
}

func TestMissingClaims(t *testing.T) {
	dra := NewDraSnapshot(nil, nil, nil)
	if _, err := dra.PodClaims(withClaim(pod("p", "1", ""), "none")); err == nil {
		t.Fatal("a claim that is not there")
	}
	p := pod("p", "1", "")
	template, made := "t", "made"
	p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "g", ResourceClaimTemplateName: &template}}
	if _, err := dra.PodClaims(p); err == nil {
		t.Fatal("a claim that was not made")
	}
	p.Status.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{Name: "g"}}
	if claims, err := dra.PodClaims(p); err != nil || len(claims) != 0 {
		t.Fatal(claims, err)
	}
	p.Status.ResourceClaimStatuses[0].ResourceClaimName = &made
	fail(t, dra.AddClaims([]*resourcev1.ResourceClaim{claim("made", "")}))
	if claims, err := dra.PodClaims(p); err != nil || len(claims) != 1 {
		t.Fatal(claims, err)
	}
	if dra.AddClaims([]*resourcev1.ResourceClaim{claim("made", "")}) == nil {
		t.Fatal("a claim twice")
	}
}

func TestCSINodes(t *testing.T) {
	s, err := New(nil)
	fail(t, err)
	defer s.Close()
	csi := NewCsiSnapshot([]*storagev1.CSINode{{ObjectMeta: metav1.ObjectMeta{Name: "a"}}})
	fail(t, s.SetClusterState([]*corev1.Node{node("a", "4")}, nil, nil, csi))
	info := NewNodeInfo(node("b", "4"), nil)
	info.CSINode = &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: "b"}}
	s.Fork()
	fail(t, s.AddNodeInfo(info))
	if csi.AddCSINode(info.CSINode) == nil {
		t.Fatal("a CSINode twice")
	}
	if got, err := s.CsiSnapshot().Get("b"); err != nil || got != info.CSINode {
		t.Fatal(got, err)
	}
	s.Revert()
	if _, err := csi.Get("b"); err == nil {
		t.Fatal("a reverted CSINode stays")
	}
	fail(t, s.AddNodeInfo(info))
	fail(t, s.RemoveNodeInfo("a"))
	if _, err := csi.Get("a"); err == nil {
		t.Fatal("the CSINode of a removed node stays")
	}
}

// backwards tries the last node first.
type backwards struct {
	count, marked int
}

func (b *backwards) Reset(nodes []*NodeInfo)       { b.count = len(nodes) }
func (b *backwards) At(i int) int                  { return b.count - 1 - i }
func (b *backwards) MarkMatch(i int)               { b.marked = i }
func (b *backwards) PreferProcessingInOrder() bool { return true }

func TestOrderingAndListers(t *testing.T) {
	s, err := New(nil)
	fail(t, err)
	defer s.Close()
	apart := pod("apart", "1", "b")
	apart.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{TopologyKey: "kubernetes.io/hostname",
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}}}}}}
	apart.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "data"}}}}
	fail(t, s.SetClusterState([]*corev1.Node{node("a", "4"), node("b", "4"), node("c", "4")},
		[]*corev1.Pod{pod("plain", "1", "a")}, nil, nil))
	fail(t, s.StorePodInfo(NewPodInfo(apart, nil), "b"))
	order := &backwards{}
	name, refused := s.SchedulePodOnAnyNodeMatching(pod("p", "1", ""), SchedulingOptions{NodeOrdering: order,
		IsNodeAcceptable: func(info *NodeInfo) bool { return info.Node.Name != "c" }})
	if refused != nil || name != "b" || order.count != 3 || order.marked != 1 {
		t.Fatal(name, refused, order)
	}
	var names [][]string
	for _, list := range []func() ([]*NodeInfo, error){s.NodeInfos().List, s.NodeInfos().HavePodsWithAffinityList,
		s.NodeInfos().HavePodsWithRequiredAntiAffinityList} {
		infos, err := list()
		fail(t, err)
		var some []string
		for _, info := range infos {
			some = append(some, info.Node.Name)
		}
		names = append(names, some)
	}
	if !reflect.DeepEqual(names, [][]string{{"a", "b", "c"}, {"b"}, {"b"}}) {
		t.Fatal(names)
	}
	if _, err := s.NodeInfos().Get("a"); err != nil {
		t.Fatal(err)
	}
	if !s.StorageInfos().IsPVCUsedByPods("d/data") || s.StorageInfos().IsPVCUsedByPods("d/other") {
		t.Fatal("claims in use")
	}
}
