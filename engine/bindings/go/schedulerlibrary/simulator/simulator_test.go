package simulator

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	berth "berth/go"
	"berth/go/schedulerlibrary/framework"
	"berth/go/schedulerlibrary/snapshot"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
)

var ctx = context.Background()

func node(name, cpu string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"kubernetes.io/hostname": name}},
		Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{"cpu": resource.MustParse(cpu), "pods": resource.MustParse("10")}}}
}

func pod(name, cpu, on string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "d", UID: types.UID("uid-" + name)},
		Spec: corev1.PodSpec{NodeName: on, Containers: []corev1.Container{{Name: "m",
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse(cpu)}}}}}}
}

func must[T any](out T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
}

func simulator(t *testing.T, cfg *berth.Config) *SchedulingSimulator {
	t.Helper()
	client := must(NewReadonlyClient(ObjectList{}))(t)
	return must(NewSchedulingSimulator(ctx, cfg, client))(t)
}

// three makes a snapshot of the nodes a (4 cpu), b (2) and c (8), in that order.
func three(t *testing.T, pods ...*corev1.Pod) (*snapshot.ClusterSnapshot, *framework.Placement) {
	t.Helper()
	s := must(simulator(t, nil).NewClusterSnapshot(ctx, pods, []*corev1.Node{node("a", "4"), node("b", "2"), node("c", "8")}))(t)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, must(s.MakePlacement([]string{"a", "b", "c"}))(t)
}

// look returns the pods of all nodes, and the state of the engine.
func look(t *testing.T, s *snapshot.ClusterSnapshot) string {
	t.Helper()
	var out []string
	for _, info := range must(s.MakePlacement([]string{"a", "b", "c"}))(t).Nodes {
		line := info.Node().Name + ":"
		for _, one := range info.GetPods() {
			if one.GetPod().Spec.NodeName != info.Node().Name {
				t.Error("a pod has the wrong node", one.GetPod().Name)
			}
			line += " " + one.GetPod().Name
		}
		out = append(out, line)
	}
	return strings.Join(out, "; ")
}

func wants(t *testing.T, s *snapshot.ClusterSnapshot, want string) {
	t.Helper()
	if got := look(t, s); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	counts := must(s.Engine().Counts())(t)
	if pods := strings.Count(look(t, s), " ") - 2; counts.PodsRunning != pods || counts.PodsPending != 0 {
		t.Errorf("the engine has %+v, the lists %d pods", counts, pods)
	}
}

func fails(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func short(results []snapshot.SchedulingResult) string {
	var out []string
	for _, one := range results {
		text := one.Pod.Name + "=" + one.SelectedNodeName
		if !one.Status.IsSuccess() {
			text += "!" + one.Status.Code().String() + " " + one.Status.Message()
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

var keep, dry = snapshot.NewSchedulePodsOptions(false, false), snapshot.NewSchedulePodsOptions(true, false)

func TestOptions(t *testing.T) {
	o := snapshot.NewSchedulePodsOptions(true, true)
	if !o.DryRun || !o.StopOnFailure || !snapshot.NewSchedulePodsByTemplateOptions(true).DryRun || snapshot.Commit != 0 {
		t.Error(o)
	}
}

func TestNewErrors(t *testing.T) {
	_, err := NewReadonlyClient(nil)
	fails(t, err, "got nil lister")
	_, err = NewSchedulingSimulator(ctx, nil, ReadonlyClient{})
	fails(t, err, "client needs to be provided, got nil")
	broken := simulator(t, &berth.Config{SchedulerConfiguration: "profiles: 3"})
	if _, err := broken.NewClusterState(ctx); err == nil || !strings.HasPrefix(err.Error(), "schedlib: building scheduler: ") {
		t.Error(err)
	}
	if _, err := broken.NewClusterSnapshot(ctx, nil, nil); err == nil {
		t.Error("no error of a configuration")
	}
	client := must(NewReadonlyClient(ObjectList{"text"}))(t)
	if _, err := must(NewSchedulingSimulator(ctx, nil, client))(t).NewClusterSnapshot(ctx, nil, nil); !errors.Is(err, berth.NotSupported) {
		t.Error(err)
	}
	if _, err := simulator(t, nil).NewClusterSnapshot(ctx, nil, []*corev1.Node{{}}); err == nil {
		t.Error("no error of a node without a name")
	}
	s, err := simulator(t, nil).NewClusterSnapshot(ctx, nil, []*corev1.Node{node("a", "1"), node("a", "3")})
	if err != nil {
		t.Fatal(err)
	}
	out := must(s.SchedulePods(ctx, []*corev1.Pod{pod("x", "2", "")}, must(s.MakePlacement([]string{"a"}))(t), keep))(t)
	if short(out) != "x=a" {
		t.Error("the last of two nodes of one name does not count:", short(out))
	}
}

func TestSchedulePods(t *testing.T) {
	s, all := three(t, pod("old", "3", "a"), pod("elsewhere", "1", "gone"), pod("pending", "1", ""))
	wants(t, s, "a: old; b:; c:")
	pods := []*corev1.Pod{pod("x", "2", ""), pod("y", "9", ""), pod("z", "1", "")}
	refused := "y=!Unschedulable 0/3 nodes are available: 3 Insufficient cpu."
	out := must(s.SchedulePods(ctx, pods, all, dry))(t)
	if short(out) != "x=b; "+refused+"; z=a" {
		t.Error(short(out))
	}
	wants(t, s, "a: old; b:; c:")
	if pods[0].Spec.NodeName != "b" || pods[1].Spec.NodeName != "" {
		t.Error("the node of a placed pod is not in it", pods[0].Spec.NodeName)
	}
	var fit *framework.FitError
	if err := out[1].Status.AsError(); !errors.As(err, &fit) || fit.NumAllNodes != 3 || fit.Pod != pods[1] ||
		fit.Diagnosis.NodeToStatus.Len() != 3 || !fit.Diagnosis.UnschedulablePlugins.Equal(sets.New("NodeResourcesFit")) {
		t.Error(err)
	}
	for _, one := range pods {
		one.Spec.NodeName = ""
	}
	out = must(s.SchedulePods(ctx, pods, all, snapshot.NewSchedulePodsOptions(false, true)))(t)
	if short(out) != "x=b; "+refused {
		t.Error(short(out))
	}
	wants(t, s, "a: old; b: x; c:")
	// The order of the placement decides, and only its nodes are asked.
	some := must(s.MakePlacement([]string{"c", "a"}))(t)
	out = must(s.SchedulePods(ctx, []*corev1.Pod{pod("v", "1", ""), pod("w", "9", "")}, some, keep))(t)
	if short(out) != "v=c; w=!Unschedulable 0/2 nodes are available: 2 Insufficient cpu." {
		t.Error(short(out))
	}
	wants(t, s, "a: old; b: x; c: v")
	// A pod that the snapshot already has is counted again.
	out = must(s.SchedulePods(ctx, []*corev1.Pod{pod("v", "1", "")}, some, keep))(t)
	wants(t, s, "a: old; b: x; c: v v")
}

func TestSchedulePodsEdges(t *testing.T) {
	s, all := three(t)
	for _, none := range []*framework.Placement{nil, {}} {
		if out, err := s.SchedulePods(ctx, []*corev1.Pod{pod("x", "1", "")}, none, keep); out != nil || err != nil {
			t.Error(out, err)
		}
		if out, diagnosis, err := s.CanSchedulePod(ctx, pod("x", "1", ""), none); out != nil || diagnosis != nil || err != nil {
			t.Error(out, diagnosis, err)
		}
	}
	foreign := pod("f", "1", "")
	foreign.Spec.SchedulerName = "other"
	out, err := s.SchedulePods(ctx, []*corev1.Pod{pod("x", "1", ""), foreign}, all, keep)
	fails(t, err, `failed to get framework for pod d/f: profile not found for scheduler name "other"`)
	if short(out) != "x=a" {
		t.Error(short(out))
	}
	wants(t, s, "a:; b:; c:") // all or nothing after an error
	_, _, err = s.CanSchedulePod(ctx, foreign, all)
	fails(t, err, `failed to get framework: profile not found for scheduler name "other"`)

	other, _ := three(t)
	mixed := &framework.Placement{Nodes: []framework.NodeInfo{must(other.MakePlacement([]string{"a"}))(t).Nodes[0]}}
	_, err = s.SchedulePods(ctx, nil, mixed, keep)
	fails(t, err, "error assuming placement: node a in placement is not the same instance as in the snapshot")
	_, _, err = s.CanSchedulePod(ctx, foreign, mixed)
	fails(t, err, "failed to assume placement: node a in placement is not the same instance as in the snapshot")
	far := must(simulator(t, nil).NewClusterSnapshot(ctx, nil, []*corev1.Node{node("far", "1")}))(t)
	mixed = must(far.MakePlacement([]string{"far"}))(t)
	_, err = s.SchedulePods(ctx, nil, mixed, keep)
	fails(t, err, "error assuming placement: node far in placement is not present in snapshot")
	_, err = s.MakePlacement([]string{"a", "far"})
	fails(t, err, `error getting far from snapshot: nodeinfo not found for node name "far"`)

	nameless := pod("n", "1", "")
	nameless.UID = ""
	results := must(s.SchedulePods(ctx, []*corev1.Pod{nameless}, all, keep))(t)
	if short(results) != "n=!Error cannot get cache key for pod with empty UID" {
		t.Error(short(results))
	}
	wants(t, s, "a:; b:; c:")

	nominated := pod("m", "1", "")
	nominated.Status.NominatedNodeName = "c"
	gated := pod("g", "1", "")
	gated.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "wait"}}
	done := pod("e", "1", "")
	done.Status.Phase = corev1.PodSucceeded
	results = must(s.SchedulePods(ctx, []*corev1.Pod{nominated, gated, done, pod("on", "1", "b"), pod("off", "1", "far")}, all, keep))(t)
	if short(results) != "m=c; g=a; e=a; on=b; off=!Unschedulable 0/3 nodes are available: 3 node(s) didn't match the requested node name." {
		t.Error(short(results))
	}
	wants(t, s, "a: g e; b: on; c: m")
	nominated.Name, nominated.UID, nominated.Spec.NodeName = "m2", "m2", ""
	results = must(s.SchedulePods(ctx, []*corev1.Pod{nominated}, must(s.MakePlacement([]string{"b", "a"}))(t), keep))(t)
	if short(results) != "m2=b" {
		t.Error("a nominated node outside of the placement counts", short(results))
	}
}

func TestSchedulePodsByTemplate(t *testing.T) {
	s, all := three(t)
	template := &corev1.PodTemplateSpec{Spec: pod("", "2", "").Spec}
	template.Labels = map[string]string{"app": "web"}
	if out, err := s.SchedulePodsByTemplate(ctx, template, all, 0, snapshot.SchedulePodsByTemplateOptions{}); out != nil || err != nil {
		t.Error(out, err)
	}
	out := must(s.SchedulePodsByTemplate(ctx, template, all, 9, snapshot.NewSchedulePodsByTemplateOptions(true)))(t)
	var nodes []string
	for i, one := range out {
		nodes = append(nodes, one.SelectedNodeName)
		want := fmt.Sprintf("templated-pod-%d-%s", i, one.Pod.UID)
		if one.Pod.Name != want || one.Pod.Namespace != "default" || one.Pod.Labels["app"] != "web" || len(one.Pod.UID) != 36 {
			t.Error(one.Pod.ObjectMeta)
		}
	}
	if want := []string{"a", "a", "b", "c", "c", "c", "c", ""}; !reflect.DeepEqual(nodes, want) {
		t.Error(nodes)
	}
	wants(t, s, "a:; b:; c:")
	template.Name, template.Namespace = "web", "shop"
	out = must(s.SchedulePodsByTemplate(ctx, template, all, 3, snapshot.NewSchedulePodsByTemplateOptions(false)))(t)
	if len(out) != 3 || out[2].SelectedNodeName != "b" || out[2].Pod.Namespace != "shop" || !strings.HasPrefix(out[2].Pod.Name, "web-2-") {
		t.Error(short(out))
	}
	if counts := must(s.Engine().Counts())(t); counts.PodsRunning != 3 {
		t.Error(counts)
	}
}

func TestCanSchedulePod(t *testing.T) {
	tainted := node("t", "8")
	tainted.Spec.Taints = []corev1.Taint{{Key: "k", Value: "v", Effect: corev1.TaintEffectNoSchedule}}
	closed := node("u", "8")
	closed.Spec.Unschedulable = true
	nodes := []*corev1.Node{node("a", "2"), tainted, closed, node("b", "4"), node("c", "4")}
	s := must(simulator(t, nil).NewClusterSnapshot(ctx, []*corev1.Pod{pod("old", "1", "a")}, nodes))(t)
	all := must(s.MakePlacement([]string{"c", "a", "t", "u", "b"}))(t)
	names, diagnosis, err := s.CanSchedulePod(ctx, pod("x", "2", ""), all)
	if err != nil || !reflect.DeepEqual(names, []string{"c", "b"}) {
		t.Fatal(names, err)
	}
	got := map[string]string{}
	diagnosis.NodeToStatus.ForEachExplicitNode(func(name string, status *framework.Status) {
		got[name] = status.Code().String() + " " + status.Plugin() + " " + status.Message()
	})
	if want := map[string]string{"a": "Unschedulable NodeResourcesFit Insufficient cpu",
		"t": "UnschedulableAndUnresolvable TaintToleration node(s) had untolerated taint(s)",
		"u": "UnschedulableAndUnresolvable NodeUnschedulable node(s) were unschedulable"}; !reflect.DeepEqual(got, want) {
		t.Error(got)
	}
	if diagnosis.NodeToStatus.Get("a").Code() != framework.Unschedulable || diagnosis.UnschedulablePlugins.Len() != 3 {
		t.Error(diagnosis)
	}
	names, diagnosis, err = s.CanSchedulePod(ctx, pod("x", "2", "b"), all)
	if err != nil || !reflect.DeepEqual(names, []string{"b"}) || diagnosis.NodeToStatus.Get("c").Plugin() != "NodeName" ||
		diagnosis.NodeToStatus.Get("u").Plugin() != "NodeUnschedulable" || diagnosis.NodeToStatus.Get("t").Plugin() != "NodeName" {
		t.Error(names, err, diagnosis.NodeToStatus)
	}
	claiming := pod("y", "1", "")
	claiming.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "none"}}}}
	names, diagnosis, err = s.CanSchedulePod(ctx, claiming, all)
	if err != nil || len(names) != 0 || names == nil || diagnosis.PreFilterMsg != `persistentvolumeclaim "none" not found` ||
		diagnosis.NodeToStatus.Len() != 0 || diagnosis.NodeToStatus.Get("a").Plugin() != "VolumeRestrictions" ||
		diagnosis.NodeToStatus.Get("a").Code() != framework.UnschedulableAndUnresolvable {
		t.Error(names, err, diagnosis)
	}
	if counts := must(s.Engine().Counts())(t); counts.PodsPending != 0 {
		t.Error(counts)
	}
}

func TestTransaction(t *testing.T) {
	s, all := three(t)
	run := func(name string, result snapshot.TransactionResult, err error) error {
		return s.Transaction(ctx, func() (snapshot.TransactionResult, error) {
			out := must(s.SchedulePods(ctx, []*corev1.Pod{pod(name, "1", "")}, all, keep))(t)
			if short(out) != name+"=a" {
				t.Error(short(out))
			}
			inner := s.Transaction(ctx, func() (snapshot.TransactionResult, error) { return snapshot.Commit, nil })
			fails(t, inner, "a transaction is already in progress")
			return result, err
		})
	}
	if err := run("x", snapshot.Commit, nil); err != nil {
		t.Error(err)
	}
	wants(t, s, "a: x; b:; c:")
	if err := run("y", snapshot.Revert, nil); err != nil {
		t.Error(err)
	}
	wants(t, s, "a: x; b:; c:")
	cause := errors.New("because")
	err := run("z", snapshot.Commit, cause)
	fails(t, err, "transaction failed: because")
	if !errors.Is(err, cause) {
		t.Error(err)
	}
	wants(t, s, "a: x; b:; c:")
	func() {
		defer func() { recover() }()
		s.Transaction(ctx, func() (snapshot.TransactionResult, error) {
			must(s.SchedulePods(ctx, []*corev1.Pod{pod("p", "1", "")}, all, keep))(t)
			panic("lost")
		})
	}()
	wants(t, s, "a: x; b:; c:")
	// Preemption, placements and dry runs in one transaction.
	err = s.Transaction(ctx, func() (snapshot.TransactionResult, error) {
		u := must(s.PreemptPods(ctx, []*corev1.Pod{pod("x", "1", "a")}))(t)
		must(s.SchedulePods(ctx, []*corev1.Pod{pod("big", "4", "")}, all, dry))(t)
		wants(t, s, "a:; b:; c:")
		must(s.Unpreempt(u))(t)
		wants(t, s, "a: x; b:; c:")
		must(s.PreemptPods(ctx, []*corev1.Pod{pod("x", "1", "a")}))(t)
		must(s.SchedulePods(ctx, []*corev1.Pod{pod("big", "4", "")}, all, keep))(t)
		wants(t, s, "a: big; b:; c:")
		return snapshot.Revert, nil
	})
	if err != nil {
		t.Error(err)
	}
	wants(t, s, "a: x; b:; c:")
}

func TestPreemption(t *testing.T) {
	x, y := pod("x", "3", "a"), pod("y", "1", "b")
	s, all := three(t, x, y)
	for _, bad := range []struct {
		pod  *corev1.Pod
		want string
	}{
		{pod("p", "1", ""), "pod d/p has no node name"},
		{pod("p", "1", "a"), "failed to unreserve and forget pod d/p: failed to remove pod from snapshot: no corresponding pod p in pods of node a"},
		{pod("x", "1", "far"), `failed to unreserve and forget pod d/x: failed to remove pod from snapshot: nodeinfo not found for node name "far"`},
		{&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "u"}, Spec: corev1.PodSpec{NodeName: "a"}},
			"failed to unreserve and forget pod u: failed to remove pod from snapshot: cannot get cache key for pod with empty UID"},
	} {
		_, err := s.PreemptPods(ctx, []*corev1.Pod{x, bad.pod})
		fails(t, err, bad.want)
		wants(t, s, "a: x; b: y; c:")
	}
	const mutated = "preemption handle is invalid: snapshot has been permanently mutated since preemption"
	pods := []*corev1.Pod{x, y}
	u := must(s.PreemptPods(ctx, pods))(t)
	wants(t, s, "a:; b:; c:")
	if names, _, _ := s.CanSchedulePod(ctx, pod("z", "4", ""), all); !reflect.DeepEqual(names, []string{"a", "c"}) {
		t.Error(names)
	}
	must(s.SchedulePods(ctx, []*corev1.Pod{pod("z", "4", "")}, all, dry))(t) // leaves the handle valid
	back := must(s.Unpreempt(u))(t)
	if !reflect.DeepEqual(back, pods) {
		t.Error(back)
	}
	wants(t, s, "a: x; b: y; c:")
	_, err := s.Unpreempt(u)
	fails(t, err, "preemption handle is invalid: already unpreempted")
	_, err = s.Unpreempt(nil)
	fails(t, err, "preemption handle is nil")
	other, _ := three(t)
	_, err = other.Unpreempt(u)
	fails(t, err, "preemption handle is invalid: it belongs to another snapshot")

	first, second := must(s.PreemptPods(ctx, pods[:1]))(t), must(s.PreemptPods(ctx, pods[1:]))(t)
	must(s.Unpreempt(first))(t)
	wants(t, s, "a: x; b:; c:")
	must(s.Unpreempt(second))(t)
	wants(t, s, "a: x; b: y; c:")

	u = must(s.PreemptPods(ctx, pods[:1]))(t)
	var inside *snapshot.Unpreemption
	s.Transaction(ctx, func() (snapshot.TransactionResult, error) {
		_, err := s.Unpreempt(u)
		fails(t, err, mutated)
		inside = must(s.PreemptPods(ctx, pods[1:]))(t)
		return snapshot.Revert, nil
	})
	_, err = s.Unpreempt(inside)
	fails(t, err, mutated)
	s.Transaction(ctx, func() (snapshot.TransactionResult, error) {
		_, err := s.Unpreempt(inside)
		fails(t, err, mutated)
		return snapshot.Revert, nil
	})
	must(s.Unpreempt(u))(t)
	wants(t, s, "a: x; b: y; c:")

	u = must(s.PreemptPods(ctx, pods[:1]))(t)
	s.Transaction(ctx, func() (snapshot.TransactionResult, error) { return snapshot.Commit, nil })
	_, err = s.Unpreempt(u)
	fails(t, err, mutated)
	u = must(s.PreemptPods(ctx, pods[1:]))(t)
	must(s.SchedulePods(ctx, []*corev1.Pod{pod("z", "4", "")}, all, keep))(t)
	_, err = s.Unpreempt(u)
	fails(t, err, mutated)
	wants(t, s, "a: z; b:; c:")
}

func TestClusterState(t *testing.T) {
	st := must(simulator(t, nil).NewClusterState(ctx))(t)
	log, c := klog.Background(), st.Cache
	names := func(nodes ...string) string {
		s := must(st.Snapshot(log))(t)
		defer s.Close()
		var out []string
		for _, info := range must(s.MakePlacement(nodes))(t).Nodes {
			for _, one := range info.GetPods() {
				out = append(out, info.Node().Name+"/"+one.GetPod().Name)
			}
		}
		return strings.Join(out, " ")
	}
	x := pod("x", "3", "a")
	for _, err := range []error{c.AddPod(log, x), c.AddPod(log, pod("waits", "1", ""))} { // before its node
		if err != nil {
			t.Error(err)
		}
	}
	if c.AddNode(log, node("a", "4")) == nil || c.AddNode(log, node("b", "2")) == nil || names("a", "b") != "a/x" {
		t.Error(names("a", "b"))
	}
	if count, err := c.PodCount(); count != 2 || err != nil || c.NodeCount() != 2 {
		t.Error(count, err)
	}
	fails(t, c.AddPod(log, x), "pod uid-x(d/x) was already in added state")
	fails(t, c.RemovePod(log, pod("y", "1", "a")), "pod uid-y(d/y) is not found in scheduler cache, so cannot be removed from it")
	fails(t, c.UpdatePod(log, pod("y", "1", "a"), x), "pod uid-y(d/y) is not added to scheduler cache, so cannot be updated")
	fails(t, c.RemoveNode(log, node("far", "1")), "node far is not found")
	_, err := c.GetNode("far")
	fails(t, err, "node far does not exist in scheduler cache")
	_, err = c.GetPod(pod("y", "1", ""))
	fails(t, err, "pod uid-y(d/y) does not exist in scheduler cache")
	unknown := &corev1.Pod{}
	const empty = "cannot get cache key for pod with empty UID"
	_, err = c.GetPod(unknown)
	for _, err := range []error{err, c.AddPod(log, unknown), c.RemovePod(log, unknown), c.UpdatePod(log, unknown, x)} {
		fails(t, err, empty)
	}

	// Two snapshots, each with its own changes; the state sees neither.
	one, two := must(st.Snapshot(log))(t), must(st.Snapshot(log))(t)
	for _, s := range []*snapshot.ClusterSnapshot{one, two} {
		out := must(s.SchedulePods(ctx, []*corev1.Pod{pod("p", "2", "")}, must(s.MakePlacement([]string{"a", "b"}))(t), keep))(t)
		if short(out) != "p=b" {
			t.Error(short(out))
		}
		must(s.PreemptPods(ctx, []*corev1.Pod{x}))(t)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if names("a", "b") != "a/x" {
		t.Error(names("a", "b"))
	}
	if err := c.UpdatePod(log, x, pod("x", "1", "b")); err != nil || names("a", "b") != "b/x" {
		t.Error(err, names("a", "b"))
	}
	if got := must(c.GetPod(x))(t); got.Spec.NodeName != "b" {
		t.Error(got)
	}
	if c.UpdateNode(log, nil, node("b", "9")) == nil {
		t.Error("no node")
	}
	s := must(st.Snapshot(log))(t)
	out := must(s.SchedulePods(ctx, []*corev1.Pod{pod("p", "8", "")}, must(s.MakePlacement([]string{"a", "b"}))(t), keep))(t)
	if short(out) != "p=b" {
		t.Error(short(out))
	}
	s.Close()
	if err := c.RemoveNode(log, node("b", "9")); err != nil || names("a") != "" {
		t.Error(err, names("a"))
	}
	zoned := node("b", "9")
	zoned.Labels[corev1.LabelTopologyZone] = "z"
	fails(t, c.RemoveNode(log, zoned), `node "b" in group ":\x00:z" was not found`) // its pod is still there
	zoned.Labels = nil
	fails(t, c.RemoveNode(log, zoned), `node "b" in group "" was not found`)
	if c.AddNode(log, node("b", "9")) == nil || names("a", "b") != "b/x" { // the pod has waited
		t.Error(names("a", "b"))
	}
	if err := c.RemovePod(log, x); err != nil || names("a", "b") != "" {
		t.Error(err, names("a", "b"))
	}
	if info := must(c.GetNode("b"))(t); info.Node().Name != "b" {
		t.Error(info)
	}
	if c.AddNode(log, &corev1.Node{}) != nil {
		t.Error("a node without a name was added")
	}
	if _, err := st.Snapshot(log); err == nil || !strings.HasPrefix(err.Error(), "failed to update snapshot: ") {
		t.Error(err)
	}
}

// counted is a context that ends when it has been asked so many times.
type counted struct {
	context.Context
	left int
}

func (c *counted) Err() error {
	if c.left == 0 {
		return context.DeadlineExceeded
	}
	c.left--
	return nil
}

func TestContext(t *testing.T) {
	s, all := three(t, pod("here", "1", "a"), pod("there", "1", "c"))
	const before = "a: here; b:; c: there"
	after := func(pods int) context.Context { return &counted{context.Background(), pods} }
	ended := func(what string, err error, pods int) {
		t.Helper()
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), fmt.Sprintf("ended after %d pods", pods)) {
			t.Errorf("%s: %v", what, err)
		}
		wants(t, s, before)
	}
	pending := func() []*corev1.Pod { // a placement is written into the pod
		return []*corev1.Pod{pod("p0", "1", ""), pod("p1", "1", ""), pod("p2", "1", "")}
	}
	for pods := range 3 {
		results, err := s.SchedulePods(after(pods), pending(), all, snapshot.NewSchedulePodsOptions(false, false))
		ended("SchedulePods", err, pods)
		if len(results) != pods {
			t.Errorf("%d results of %d", len(results), pods)
		}
	}
	template := &corev1.PodTemplateSpec{Spec: pending()[0].Spec}
	for _, pods := range []int{0, 1, 7} {
		results, err := s.SchedulePodsByTemplate(after(pods), template, all, 20, snapshot.NewSchedulePodsByTemplateOptions(false))
		ended("SchedulePodsByTemplate", err, pods)
		if len(results) != pods {
			t.Errorf("%d results of %d", len(results), pods)
		}
	}
	names, diagnosis, err := s.CanSchedulePod(after(0), pending()[0], all)
	ended("CanSchedulePod", err, 0)
	if names != nil || diagnosis != nil {
		t.Error(names, diagnosis)
	}
	for pods := range 2 {
		handle, err := s.PreemptPods(after(pods), []*corev1.Pod{pod("here", "1", "a"), pod("there", "1", "c")})
		ended("PreemptPods", err, pods)
		if handle != nil {
			t.Error("a handle")
		}
	}
	if results := must(s.SchedulePods(after(3), pending(), all, snapshot.NewSchedulePodsOptions(false, false)))(t); len(results) != 3 {
		t.Error(results)
	}
}
