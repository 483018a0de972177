package provisioning

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	berth "berth/go"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

var ctx = context.Background()

func list(cpu string) corev1.ResourceList {
	return corev1.ResourceList{"cpu": resource.MustParse(cpu), "memory": resource.MustParse("64Gi"), "pods": resource.MustParse("20")}
}

func node(name, cpu, zone string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name,
		Labels: map[string]string{corev1.LabelHostname: name, corev1.LabelTopologyZone: zone}},
		Status: corev1.NodeStatus{Allocatable: list(cpu)}}
}

func pod(name, cpu string, change ...func(*corev1.Pod)) *corev1.Pod {
	out := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "d", Labels: map[string]string{"app": "x"}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "m",
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse(cpu)}}}}}}
	out.UID = types.UID("u-" + name)
	for _, do := range change {
		do(out)
	}
	return out
}

func on(name string) func(*corev1.Pod) { return func(p *corev1.Pod) { p.Spec.NodeName = name } }

func selects(key, value string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{key: value} }
}

func spreads(key string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: key,
			WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}}}}
	}
}

func apart(p *corev1.Pod) {
	p.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{TopologyKey: corev1.LabelHostname,
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}}}}}}
}

func kindOf(name, cpu string, price float64, zones ...string) *InstanceType {
	if len(zones) == 0 {
		zones = []string{"a"}
	}
	out := &InstanceType{Name: name, Labels: map[string]string{corev1.LabelArchStable: "amd64", corev1.LabelOSStable: "linux"}, Capacity: list(cpu)}
	for i, zone := range zones {
		out.Offerings = append(out.Offerings, Offering{zone, "spot", price + float64(i)/1000, true},
			Offering{zone, "on-demand", 2*price + float64(i)/1000, true})
	}
	return out
}

func poolOf(name string, kinds ...*InstanceType) *NodePool {
	return &NodePool{Name: name, InstanceTypes: kinds}
}

// sizes returns three types, the largest first.
func sizes() []*InstanceType {
	return []*InstanceType{kindOf("large", "16", 8), kindOf("medium", "8", 4), kindOf("small", "4", 2)}
}

func engineOf(t testing.TB, objects ...any) *berth.Engine {
	e, err := berth.New(&berth.Config{KeepObjects: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	for _, object := range objects {
		if _, err := e.Add(object); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

func dump(t testing.TB, e *berth.Engine) string {
	var out bytes.Buffer
	if err := e.Dump(&out); err != nil {
		t.Fatal(err)
	}
	digest, _ := e.Digest()
	counts, _ := e.Counts()
	rotation, _ := e.Rotation()
	return fmt.Sprint(out.String(), digest, counts, rotation)
}

type asked struct {
	t       *testing.T
	e       *berth.Engine
	pools   []*NodePool
	daemons []*corev1.Pod
	options *Options
}

// solve solves, and checks that the engine has not changed.
func (a asked) solve(pods ...*corev1.Pod) *Results {
	a.t.Helper()
	before := dump(a.t, a.e)
	results, err := Solve(ctx, a.e, nil, pods, a.pools, a.daemons, a.options)
	if err != nil {
		a.t.Fatal(err)
	}
	if after := dump(a.t, a.e); after != before {
		a.t.Fatal("the engine has changed:", before, after)
	}
	if err := a.e.Check(); err != nil {
		a.t.Fatal(err)
	}
	return results
}

// show writes a solution as text: "n: p q; new POOL cheapest/zone x2: r; left: s".
func show(r *Results) string {
	var parts []string
	names := func(pods []*corev1.Pod) (out string) {
		for _, one := range pods {
			out += " " + one.Name
		}
		return out
	}
	for _, existing := range r.Existing {
		parts = append(parts, existing.Name+":"+names(existing.Pods))
	}
	for _, claim := range r.New {
		first := claim.Options[0]
		parts = append(parts, fmt.Sprintf("new %s %s/%s x%d:%s", claim.Pool, first.InstanceType.Name, first.Offering.Zone,
			len(claim.Options), names(claim.Pods)))
	}
	for _, one := range r.Unplaced {
		parts = append(parts, "left: "+one.Pod.Name)
	}
	return strings.Join(parts, "; ")
}

func (a asked) want(want string, pods ...*corev1.Pod) *Results {
	a.t.Helper()
	results := a.solve(pods...)
	if got := show(results); got != want {
		a.t.Fatalf("got  %s\nwant %s", got, want)
	}
	return results
}

func one(t *testing.T, pools ...*NodePool) asked {
	return asked{t: t, e: engineOf(t), pools: pools}
}

func TestExistingFirst(t *testing.T) {
	a := asked{t: t, e: engineOf(t, node("n", "4", "a")), pools: []*NodePool{poolOf("p", sizes()...)}}
	a.want("n: big", pod("big", "3"))
	a.want("n: big; new p small/a x6: next", pod("next", "2"), pod("big", "3"))
	a.want("n: big tiny; new p small/a x6: next", pod("tiny", "1"), pod("next", "2"), pod("big", "3"))
	a.want("")
}

func TestCheapest(t *testing.T) {
	a := one(t, poolOf("p", sizes()...))
	r := a.want("new p medium/a x4: q", pod("q", "6"))
	var got []string
	for _, o := range r.New[0].Options {
		got = append(got, fmt.Sprint(o.InstanceType.Name, o.Offering.Price, o.Offering.CapacityType))
	}
	if want := []string{"medium4spot", "large8spot", "medium8on-demand", "large16on-demand"}; !reflect.DeepEqual(got, want) {
		t.Fatal(got)
	}
	// An open node grows before another one is opened.
	a.want("new p large/a x2: q r s", pod("q", "6"), pod("r", "5"), pod("s", "4"))
	a.want("new p large/a x2: q r; new p medium/a x4: s", pod("q", "8"), pod("r", "7"), pod("s", "6"))
	a.options = &Options{MaxOptions: 1}
	a.want("new p medium/a x1: q", pod("q", "6"))
	sold := sizes()
	sold[1].Offerings[0].Available = false
	a.pools = []*NodePool{poolOf("p", sold...)}
	a.options = nil
	a.want("new p large/a x3: q", pod("q", "6"))
}

func TestPools(t *testing.T) {
	cheap, dear := poolOf("cheap", kindOf("c", "4", 1)), poolOf("dear", kindOf("d", "8", 9))
	dear.Weight = 10
	a := one(t, cheap, dear)
	a.want("new dear d/a x2: q", pod("q", "2"))
	dear.Limits = corev1.ResourceList{"cpu": resource.MustParse("10")}
	a.want("new dear d/a x2: q; new cheap c/a x2: r", pod("q", "7"), pod("r", "4"))
	dear.Used = corev1.ResourceList{"cpu": resource.MustParse("3")}
	r := a.want("new cheap c/a x2: r; left: q", pod("q", "7"), pod("r", "4"))
	if why := r.Unplaced[0].Pools; len(why) != 2 || !strings.Contains(why[0].Reason, "limits") || why[1].Pool != "cheap" {
		t.Fatal(why)
	}
	dear.Used, dear.Limits = nil, corev1.ResourceList{"nodes": resource.MustParse("1")}
	a.want("new dear d/a x2: q; new cheap c/a x2: r", pod("q", "7"), pod("r", "4"))
}

// Whichever option is chosen for each node, the limits hold.
func TestLimitsOfOptions(t *testing.T) {
	p := poolOf("p", sizes()...)
	p.Limits = corev1.ResourceList{"cpu": resource.MustParse("24")}
	a := one(t, p)
	a.want("new p small/a x6: q; new p small/a x4: r", pod("q", "4", apart), pod("r", "4", apart))
	p.Limits = corev1.ResourceList{"cpu": resource.MustParse("8")}
	a.want("new p small/a x2: q; new p small/a x2: r; left: s", pod("q", "4", apart), pod("r", "4", apart), pod("s", "4", apart))
}

func TestTaints(t *testing.T) {
	tainted := poolOf("tainted", kindOf("c", "4", 1))
	tainted.Weight = 5
	tainted.Taints = []corev1.Taint{{Key: "gpu", Value: "yes", Effect: corev1.TaintEffectNoSchedule}}
	a := one(t, tainted, poolOf("plain", kindOf("d", "4", 1)))
	tolerates := func(p *corev1.Pod) {
		p.Spec.Tolerations = []corev1.Toleration{{Key: "gpu", Operator: corev1.TolerationOpExists}}
	}
	a.want("new plain d/a x2: q; new tainted c/a x2: r", pod("q", "3"), pod("r", "2", tolerates))
}

func TestRequirements(t *testing.T) {
	arm := kindOf("arm", "4", 1)
	arm.Labels[corev1.LabelArchStable] = "arm64"
	p := poolOf("p", arm, kindOf("intel", "4", 2, "a", "b"))
	p.Labels = map[string]string{"team": "red"}
	a := one(t, p)
	a.want("new p arm/a x6: q", pod("q", "2"))
	a.want("new p intel/a x4: q", pod("q", "2", selects(corev1.LabelArchStable, "amd64")))
	a.want("new p intel/b x2: q", pod("q", "2", selects(corev1.LabelTopologyZone, "b")))
	a.want("new p arm/a x3: q", pod("q", "2", selects(CapacityTypeLabel, "on-demand")))
	a.want("new p arm/a x2: q", pod("q", "2", selects(corev1.LabelInstanceTypeStable, "arm")))
	a.want("new p arm/a x6: q", pod("q", "2", selects("team", "red")))
	a.want("left: q", pod("q", "2", selects("team", "blue")))
	for i, one := range []struct {
		requirement corev1.NodeSelectorRequirement
		want        string
	}{
		{corev1.NodeSelectorRequirement{Key: corev1.LabelTopologyZone, Operator: "In", Values: []string{"b"}}, "new p intel/b x2: q"},
		{corev1.NodeSelectorRequirement{Key: corev1.LabelArchStable, Operator: "NotIn", Values: []string{"arm64"}}, "new p intel/a x4: q"},
		{corev1.NodeSelectorRequirement{Key: "rack", Operator: "Exists"}, "left: q"},
		{corev1.NodeSelectorRequirement{Key: "rack", Operator: "DoesNotExist"}, "new p arm/a x6: q"},
		{corev1.NodeSelectorRequirement{Key: "rack", Operator: "In", Values: []string{"7"}}, "new p arm/a x6: q"},
		{corev1.NodeSelectorRequirement{Key: "rack", Operator: "Gt", Values: []string{"7"}}, "left: q"},
		{corev1.NodeSelectorRequirement{Key: "rack", Operator: "?"}, "left: q"},
	} {
		p.Requirements = []corev1.NodeSelectorRequirement{one.requirement}
		t.Log(i)
		a.want(one.want, pod("q", "2"))
	}
	labels := map[string]string{"n": "5", "x": "y"}
	for _, one := range []struct {
		key      string
		operator corev1.NodeSelectorOperator
		value    string
		want     bool
	}{{"n", "Gt", "4", true}, {"n", "Gt", "5", false}, {"n", "Lt", "6", true}, {"n", "Lt", "5", false}, {"x", "Lt", "5", false}} {
		r := corev1.NodeSelectorRequirement{Key: one.key, Operator: one.operator, Values: []string{one.value}}
		if meets(labels, &r) != one.want {
			t.Fatal(one)
		}
	}
}

func TestSpread(t *testing.T) {
	a := one(t, poolOf("p", kindOf("k", "16", 1, "a", "b", "c")))
	a.want("new p k/a x2: q s; new p k/b x2: r; new p k/c x2: t",
		pod("q", "4", spreads(corev1.LabelTopologyZone)), pod("r", "3", spreads(corev1.LabelTopologyZone)),
		pod("t", "2", spreads(corev1.LabelTopologyZone)), pod("s", "1", spreads(corev1.LabelTopologyZone)))
	a.want("new p k/a x6: q; new p k/a x6: r", pod("q", "4", spreads(corev1.LabelHostname)), pod("r", "3", spreads(corev1.LabelHostname)))
}

func TestAntiAffinity(t *testing.T) {
	a := one(t, poolOf("p", kindOf("k", "16", 1)))
	a.want("new p k/a x2: q; new p k/a x2: r; new p k/a x2: s", pod("q", "3", apart), pod("r", "2", apart), pod("s", "1", apart))
	a.e = engineOf(t, node("n", "16", "a"))
	a.want("n: q; new p k/a x2: r", pod("q", "3", apart), pod("r", "2", apart))
}

// A pod that needs another one waits for it.
func TestAffinityOfLaterPod(t *testing.T) {
	a := one(t, poolOf("p", kindOf("k", "16", 1, "a", "b")))
	needs := func(p *corev1.Pod) {
		p.Spec.Affinity = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{TopologyKey: corev1.LabelTopologyZone,
				LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "leader"}}}}}}
	}
	a.want("new p k/b x2: leads q", pod("q", "3", needs), pod("leads", "1", func(p *corev1.Pod) {
		p.Labels = map[string]string{"app": "leader"}
	}, selects(corev1.LabelTopologyZone, "b")))
}

func TestDaemons(t *testing.T) {
	a := one(t, poolOf("p", sizes()...))
	a.daemons = []*corev1.Pod{pod("agent", "1"), pod("elsewhere", "1", selects("team", "blue"))}
	r := a.want("new p medium/a x4: q", pod("q", "4"))
	if objects := r.New[0].Objects(0); len(objects.Daemons) != 1 || objects.Daemons[0].Spec.NodeName != r.New[0].Name {
		t.Fatal(objects)
	}
	a.daemons = []*corev1.Pod{pod("huge", "100")}
	a.want("left: q", pod("q", "4"))
}

func TestPorts(t *testing.T) {
	a := one(t, poolOf("p", sizes()...))
	port := func(p *corev1.Pod) {
		p.Spec.Containers[0].Ports = []corev1.ContainerPort{{HostPort: 80, ContainerPort: 80, Protocol: "TCP"}}
	}
	a.want("new p small/a x6: q; new p small/a x6: r", pod("q", "1", port), pod("r", "1", port))
	a.daemons = []*corev1.Pod{pod("agent", "1", port)}
	a.want("left: q", pod("q", "1", port))
}

// devices returns a slice with that many devices.
func devices(count int) resourcev1.ResourceSlice {
	out := resourcev1.ResourceSlice{Spec: resourcev1.ResourceSliceSpec{Driver: "g", Pool: resourcev1.ResourcePool{ResourceSliceCount: 1}}}
	for i := range count {
		out.Spec.Devices = append(out.Spec.Devices, resourcev1.Device{Name: fmt.Sprint("g", i)})
	}
	return out
}

func deviceClass() *resourcev1.DeviceClass {
	return &resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "g"}, Spec: resourcev1.DeviceClassSpec{
		Selectors: []resourcev1.DeviceSelector{{CEL: &resourcev1.CELDeviceSelector{Expression: `device.driver == "g"`}}}}}
}

// claimOf returns a claim for one device.
func claimOf(name string) *resourcev1.ResourceClaim {
	return &resourcev1.ResourceClaim{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "d", UID: types.UID("u-" + name)},
		Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{{Name: "r",
			Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "g", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: 1}}}}}}
}

func claims(name string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "g", ResourceClaimName: &name}}
	}
}

func TestDevices(t *testing.T) {
	gpu := kindOf("gpu", "16", 20)
	gpu.Devices = []resourcev1.ResourceSlice{devices(2)}
	objects := []any{deviceClass()}
	var pods []*corev1.Pod
	for i := range 3 {
		name := fmt.Sprint("c", i)
		objects = append(objects, claimOf(name))
		pods = append(pods, pod(fmt.Sprint("q", i), fmt.Sprint(3-i), claims(name)))
	}
	a := asked{t: t, e: engineOf(t, objects...), pools: []*NodePool{poolOf("p", append(sizes(), gpu)...)}}
	a.want("new p gpu/a x2: q0 q1; new p gpu/a x2: q2", pods...)
	a.pools = []*NodePool{poolOf("p", sizes()...)}
	r := a.want("left: q0", pods[0])
	if !strings.Contains(r.Unplaced[0].Pools[0].Reason, "DynamicResources") {
		t.Fatal(r.Unplaced[0])
	}
}

func TestUnplaced(t *testing.T) {
	a := asked{t: t, e: engineOf(t, node("n", "4", "a")), pools: []*NodePool{poolOf("p", sizes()...)}}
	r := a.want("n: r; left: q", pod("q", "100"), pod("r", "1"))
	left := r.Unplaced[0]
	if !strings.Contains(left.Existing, "Insufficient cpu") || len(left.Pools) != 1 || !strings.Contains(left.Pools[0].Reason, "Insufficient cpu") {
		t.Fatal(left)
	}
	a.pools = nil
	a.want("left: q", pod("q", "100"))
	a.pools = []*NodePool{poolOf("empty"), poolOf("p", kindOf("k", "4", 1))}
	if r := a.want("left: q", pod("q", "4", func(p *corev1.Pod) { p.Spec.Containers[0].Resources.Requests["x/y"] = resource.MustParse("1") })); len(r.Unplaced[0].Pools) != 2 {
		t.Fatal(r)
	}
}

// A pod that the engine already has is moved, and its node can be removed.
func TestWithout(t *testing.T) {
	running := pod("q", "3", on("n"))
	a := asked{t: t, e: engineOf(t, node("n", "4", "a"), node("m", "4", "a"), running, pod("fixed", "2", on("m"))), pools: []*NodePool{poolOf("p", sizes()...)}}
	a.want("n: q", running)
	a.options = &Options{Without: []string{"n"}}
	a.want("new p small/a x6: q", running)
	a.options = &Options{Without: []string{"n", "m"}}
	a.want("new p medium/a x4: q r", running, pod("r", "2"))
	if _, err := Solve(ctx, a.e, nil, nil, a.pools, nil, &Options{Without: []string{"none"}}); !errors.Is(err, berth.NotFound) {
		t.Fatal(err)
	}
}

func TestErrors(t *testing.T) {
	e := engineOf(t, node("n", "4", "a"))
	before := dump(t, e)
	done, cancel := context.WithCancelCause(ctx)
	cause := errors.New("enough")
	cancel(cause)
	for _, one := range []struct {
		ctx   context.Context
		pods  []*corev1.Pod
		pools []*NodePool
		want  error
	}{
		{done, nil, nil, cause},
		{done, []*corev1.Pod{pod("q", "1")}, nil, berth.Cancelled},
		{ctx, []*corev1.Pod{pod("q", "1"), pod("q", "1")}, nil, berth.Exists},
		{ctx, []*corev1.Pod{nil}, nil, nil},
		{ctx, nil, []*NodePool{{}}, nil},
		{ctx, nil, []*NodePool{poolOf("p"), poolOf("p")}, nil},
	} {
		_, err := Solve(one.ctx, e, nil, one.pods, one.pools, nil, nil)
		if err == nil || one.want != nil && !errors.Is(err, one.want) {
			t.Fatal(one, err)
		}
		if dump(t, e) != before {
			t.Fatal("the engine has changed")
		}
	}
	if _, err := NewCatalog(&berth.Config{Threads: -1}, nil, nil); !errors.Is(err, berth.Argument) {
		t.Fatal(err)
	}
}

// The names of new nodes avoid those in use, also on a branch.
func TestBranch(t *testing.T) {
	e := engineOf(t, node("p-new-1", "1", "a"))
	if err := e.Publish(); err != nil {
		t.Fatal(err)
	}
	branch, err := e.Branch()
	if err != nil {
		t.Fatal(err)
	}
	defer branch.Close()
	r, err := Solve(ctx, branch.Engine, nil, []*corev1.Pod{pod("q", "3")}, []*NodePool{poolOf("p", sizes()...)}, nil, nil)
	if err != nil || len(r.New) != 1 || r.New[0].Name != "p-new-2" {
		t.Fatal(r, err)
	}
}

// A pod whose claim or volume is missing is reported as not placed, with the reason.
func TestMissing(t *testing.T) {
	a := one(t, poolOf("p", sizes()...))
	r := a.want("left: q", pod("q", "1", claims("none")))
	if why := r.Unplaced[0].Pools[0].Reason; !strings.Contains(why, "DynamicResources") {
		t.Fatal(why)
	}
	r = a.want("left: q", pod("q", "1", func(p *corev1.Pod) {
		p.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "none"}}}}
	}))
	if why := r.Unplaced[0].Pools[0].Reason; !strings.Contains(why, "none") {
		t.Fatal(why)
	}
}

func TestVolumeLimits(t *testing.T) {
	var objects []any
	var pods []*corev1.Pod
	for i := range 3 {
		name := fmt.Sprint("v", i)
		objects = append(objects, &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: corev1.PersistentVolumeSpec{ClaimRef: &corev1.ObjectReference{Namespace: "d", Name: name, UID: types.UID(name)},
				AccessModes:            []corev1.PersistentVolumeAccessMode{"ReadWriteOnce"},
				Capacity:               corev1.ResourceList{"storage": resource.MustParse("1Gi")},
				PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: "disk", VolumeHandle: name}}}},
			&corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "d", Name: name, UID: types.UID(name),
				Annotations: map[string]string{"pv.kubernetes.io/bind-completed": "yes"}},
				Spec: corev1.PersistentVolumeClaimSpec{VolumeName: name, AccessModes: []corev1.PersistentVolumeAccessMode{"ReadWriteOnce"},
					Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{"storage": resource.MustParse("1Gi")}}},
				Status: corev1.PersistentVolumeClaimStatus{Phase: corev1.ClaimBound}})
		pods = append(pods, pod(fmt.Sprint("q", i), fmt.Sprint(3-i), func(p *corev1.Pod) {
			p.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: name}}}}
		}))
	}
	few, more := kindOf("few", "8", 1), kindOf("more", "8", 5)
	few.VolumeLimits, more.VolumeLimits = map[string]int32{"disk": 1}, map[string]int32{"disk": 2}
	a := asked{t: t, e: engineOf(t, objects...), pools: []*NodePool{poolOf("p", few)}}
	a.want("new p few/a x2: q0; new p few/a x2: q1; new p few/a x2: q2", pods...)
	a.pools = []*NodePool{poolOf("p", few, more)}
	a.want("new p more/a x2: q0 q1; new p few/a x4: q2", pods...)
}

// countdown is a context that is done after it has been checked some number of times.
type countdown struct {
	context.Context
	left *int
}

func (c countdown) Err() error {
	if *c.left--; *c.left < 0 {
		return context.DeadlineExceeded
	}
	return nil
}

// Wherever the deadline strikes, the engine is unchanged.
func TestDeadline(t *testing.T) {
	e := engineOf(t, node("n", "4", "a"))
	before := dump(t, e)
	var pods []*corev1.Pod
	for i := range 6 {
		pods = append(pods, pod(fmt.Sprint("q", i), fmt.Sprint(i+1), apart))
	}
	for looks := range 1000 {
		left := looks
		_, err := Solve(countdown{ctx, &left}, e, nil, pods, []*NodePool{poolOf("p", sizes()...)}, nil, nil)
		if dump(t, e) != before {
			t.Fatal("the engine has changed")
		}
		if err == nil {
			if looks < 5 {
				t.Fatal("the context is hardly looked at")
			}
			return
		}
		if !errors.Is(err, berth.Cancelled) || !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
	}
	t.Fatal("no end")
}

// A catalog serves branches on several goroutines at once, and forgets kinds of pods when it knows
// too many.
func TestGoroutines(t *testing.T) {
	defer func(most int) { knownMax = most }(knownMax)
	knownMax = 3
	e := engineOf(t, node("n", "4", "a"))
	if err := e.Publish(); err != nil {
		t.Fatal(err)
	}
	c, err := NewCatalog(nil, []*NodePool{poolOf("p", sizes()...)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	errs := make(chan error)
	for range 4 {
		go func() {
			branch, err := e.Branch()
			if err != nil {
				errs <- err
				return
			}
			defer func() { errs <- errors.Join(err, branch.Close()) }()
			for i := range 20 {
				var r *Results
				r, err = c.Solve(ctx, branch.Engine, []*corev1.Pod{pod("q", fmt.Sprint(5+i%7)), pod("r", "4")}, nil)
				if err != nil {
					return
				}
				if len(r.New) != 1 || len(r.Existing) != 1 {
					err = errors.New(show(r))
					return
				}
			}
		}()
	}
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if len(c.known) > 3 {
		t.Error(len(c.known))
	}
}
