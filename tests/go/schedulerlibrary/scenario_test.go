// Package compare asks sigs.k8s.io/scheduler-library and its interface over Berth the same questions.
package compare

import (
	"fmt"
	"math/rand"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// source makes random objects.
type source struct {
	*rand.Rand
	pods int
}

func (r *source) chance(percent int) bool { return r.Intn(100) < percent }

func pick[T any](r *source, from ...T) T { return from[r.Intn(len(from))] }

var apps = []string{"web", "db", "job"}

func (r *source) node(name string) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
		"kubernetes.io/hostname": name, "zone": pick(r, "x", "y", "z"), "disk": pick(r, "ssd", "hdd")}}}
	node.Status.Allocatable = corev1.ResourceList{"cpu": *resource.NewQuantity(int64(2+r.Intn(7)), resource.DecimalSI),
		"memory": *resource.NewQuantity(int64(4+r.Intn(13))<<30, resource.BinarySI),
		"pods":   *resource.NewQuantity(int64(4+r.Intn(12)), resource.DecimalSI)}
	if r.chance(15) {
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: "team", Value: pick(r, "a", "b"),
			Effect: pick(r, corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute)})
	}
	if r.chance(8) {
		node.Spec.Unschedulable = true
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: "node.kubernetes.io/unschedulable", Effect: corev1.TaintEffectNoSchedule})
	}
	return node
}

// marker returns a pod with affinity that matches no pod. With one on every node, the library
// follows the affinity of the pods that it places.
func marker(node string) *corev1.Pod {
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"nobody": "has"}}
	terms := []corev1.PodAffinityTerm{{LabelSelector: selector, TopologyKey: "kubernetes.io/hostname"}}
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "marker-" + node, Namespace: "system", UID: types.UID("marker-" + node)},
		Spec: corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: "m"}}, Affinity: &corev1.Affinity{
			PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: terms},
			PodAffinity: &corev1.PodAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{
				{Weight: 1, PodAffinityTerm: terms[0]}}}}}}
}

func (r *source) spec() corev1.PodSpec {
	requests := corev1.ResourceList{}
	if r.chance(85) {
		requests["cpu"] = *resource.NewMilliQuantity(int64(100*(1+r.Intn(30))), resource.DecimalSI)
	}
	if r.chance(70) {
		requests["memory"] = *resource.NewQuantity(int64(1+r.Intn(40))<<27, resource.BinarySI)
	}
	if r.chance(4) {
		requests["example.com/none"] = resource.MustParse("1")
	}
	container := corev1.Container{Name: "m", Image: "i", Resources: corev1.ResourceRequirements{Requests: requests}}
	if r.chance(15) {
		container.Ports = []corev1.ContainerPort{{HostPort: int32(8000 + r.Intn(2)), ContainerPort: 80, Protocol: corev1.ProtocolTCP}}
	}
	spec := corev1.PodSpec{Containers: []corev1.Container{container}}
	if r.chance(15) {
		spec.NodeSelector = map[string]string{"disk": pick(r, "ssd", "hdd", "tape")}
	}
	if r.chance(25) {
		spec.Tolerations = []corev1.Toleration{{Key: pick(r, "team", "node.kubernetes.io/unschedulable"), Operator: corev1.TolerationOpExists}}
	}
	spec.Affinity = r.affinity()
	if r.chance(20) {
		spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{MaxSkew: int32(1 + r.Intn(2)),
			TopologyKey: pick(r, "zone", "kubernetes.io/hostname", "rack"), WhenUnsatisfiable: corev1.DoNotSchedule,
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": pick(r, apps...)}}}}
	}
	return spec
}

func (r *source) affinity() *corev1.Affinity {
	out := &corev1.Affinity{}
	term := func() []corev1.PodAffinityTerm {
		var spaces *metav1.LabelSelector
		if r.chance(25) {
			spaces = &metav1.LabelSelector{MatchLabels: map[string]string{"team": "e"}}
		}
		return []corev1.PodAffinityTerm{{NamespaceSelector: spaces, TopologyKey: pick(r, "zone", "kubernetes.io/hostname"),
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": pick(r, apps...)}}}}
	}
	if r.chance(15) {
		out.PodAntiAffinity = &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: term()}
	}
	if r.chance(12) {
		out.PodAffinity = &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: term()}
	}
	if r.chance(12) {
		need := corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "zone",
			Operator: pick(r, corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn), Values: []string{pick(r, "x", "y")}}}}
		if r.chance(25) {
			need = corev1.NodeSelectorTerm{MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name",
				Operator: corev1.NodeSelectorOpIn, Values: []string{fmt.Sprintf("n%d", r.Intn(14))}}}}
		}
		out.NodeAffinity = &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{need}}}
	}
	return out
}

func (r *source) pod() *corev1.Pod {
	r.pods++
	name := fmt.Sprintf("p%d", r.pods)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: pick(r, "d", "d", "e"), UID: types.UID("uid-" + name),
		Labels: map[string]string{"app": pick(r, apps...)}}, Spec: r.spec()}
	// The library also reports the nominated node's reason for nodes that such affinity excludes.
	if r.chance(6) && !namesNodes(pod) {
		pod.Status.NominatedNodeName = fmt.Sprintf("n%d", r.Intn(14))
	}
	if r.chance(4) {
		pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "g"}}
	}
	if r.chance(3) {
		pod.Spec.SchedulerName = pick(r, "other", corev1.DefaultSchedulerName)
	}
	if r.chance(2) {
		pod.UID = ""
	}
	if r.chance(12) {
		pod.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: pick(r, "none", "c0", "c1", "c2")}}}}
	}
	return pod
}

func namesNodes(pod *corev1.Pod) bool {
	affinity := pod.Spec.Affinity.NodeAffinity
	return affinity != nil && affinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0].MatchFields != nil
}

// objects makes the objects other than nodes and pods: namespaces, and volumes, each in one zone,
// with the claims that are bound to them.
func (r *source) objects() (out []runtime.Object) {
	for _, name := range []string{"d", "e", "system", "default"} {
		out = append(out, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"team": name}}})
	}
	size := corev1.ResourceList{"storage": resource.MustParse("1Gi")}
	class := "fast"
	out = append(out, &storagev1.StorageClass{ObjectMeta: metav1.ObjectMeta{Name: class}, Provisioner: "example.com/p"})
	for i := range 3 {
		for _, space := range []string{"d", "e"} {
			claim, volume := fmt.Sprintf("c%d", i), fmt.Sprintf("v-%s-%d", space, i)
			affinity := &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "zone", Operator: corev1.NodeSelectorOpIn, Values: []string{pick(r, "x", "y")}}}}}}}
			out = append(out, &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: volume, UID: types.UID(volume)}, Spec: corev1.PersistentVolumeSpec{
				Capacity: size, StorageClassName: class, NodeAffinity: affinity, AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany},
				ClaimRef:               &corev1.ObjectReference{Namespace: space, Name: claim, UID: types.UID(space + claim)},
				PersistentVolumeSource: corev1.PersistentVolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/data"}}},
				Status: corev1.PersistentVolumeStatus{Phase: corev1.VolumeBound}},
				&corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: claim, Namespace: space, UID: types.UID(space + claim),
					Annotations: map[string]string{"pv.kubernetes.io/bind-completed": "yes"}},
					Spec: corev1.PersistentVolumeClaimSpec{StorageClassName: &class, VolumeName: volume,
						AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany}, Resources: corev1.VolumeResourceRequirements{Requests: size}},
					Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimBound}})
		}
	}
	return out
}

// cluster makes nodes and the pods on them.
func (r *source) cluster() (nodes []*corev1.Node, pods []*corev1.Pod) {
	for i := range 1 + r.Intn(12) {
		name := fmt.Sprintf("n%d", i)
		nodes, pods = append(nodes, r.node(name)), append(pods, marker(name))
	}
	taken := map[string]bool{}
	for range r.Intn(3 * len(nodes)) {
		pod := r.pod()
		pod.Spec.NodeName, pod.Spec.Volumes = pick(r, nodes...).Name, nil
		pod.UID = types.UID("uid-" + pod.Name)
		// Only one pod has a host port, because kube-scheduler forgets a shared port when either pod
		// leaves.
		for _, port := range pod.Spec.Containers[0].Ports {
			key := fmt.Sprint(pod.Spec.NodeName, port.HostPort)
			if taken[key] {
				pod.Spec.Containers[0].Ports = nil
			}
			taken[key] = true
		}
		pods = append(pods, pod)
	}
	return nodes, pods
}
