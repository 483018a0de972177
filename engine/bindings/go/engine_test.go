package berth

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

func TestDecisions(t *testing.T) {
	e := made(t, 3)
	pod := got(e.AddPod(testPod("web", "2")))(t)
	if at := got(e.Decide(pod, nil))(t); at.Verdict != Placed || at.Feasible != 3 {
		t.Fatalf("%+v", at)
	}
	if node := got(e.PodNode(pod))(t); node != NoNode {
		t.Fatal("decided is not bound")
	}
	at := got(e.Schedule(pod))(t)
	if node := got(e.PodNode(pod))(t); node != at.Node {
		t.Fatal(node, at)
	}
	name := got(e.NodeName(at.Node))(t)
	if found := got(e.FindNode(name))(t); found != at.Node {
		t.Fatal(name)
	}
	if on := got(e.NodePods(at.Node, nil))(t); !slices.Equal(on, []PodID{pod}) {
		t.Fatal(on)
	}
	if found := got(e.FindPod("default", "web"))(t); found != pod {
		t.Fatal(found)
	}
	if name := got(e.PodName(pod))(t); name.String() != "default/web" {
		t.Fatal(name)
	}
	nodes := got(e.Nodes(nil))(t)
	allocatable, requested := make([]int64, 3), make([]int64, 3)
	must(t, e.NodeResources("cpu", nodes, allocatable, requested))
	if allocatable[0] != 8000 || requested[0]+requested[1]+requested[2] != 2000 {
		t.Fatal(allocatable, requested)
	}
	must(t, e.Unbind(pod))
	must(t, e.Bind(pod, nodes[2]))
	if c := got(e.Counts())(t); c.PodsRunning != 1 || c.Nodes != 3 {
		t.Fatal(c)
	}
	if value, found, err := e.NodeLabel(nodes[0], "topology.kubernetes.io/zone"); value != "a" || !found || err != nil {
		t.Fatal(value, found, err)
	}
	must(t, e.Check())
}

func TestExplanation(t *testing.T) {
	e := made(t, 3)
	small := got(e.AddPod(testPod("small", "1")))(t)
	at, why, err := e.Explain(small, nil)
	must(t, err)
	if len(why.Feasible) != 3 || len(why.Totals) != 3 || why.Message != "" || at.Verdict != Placed {
		t.Fatalf("%+v", why)
	}
	total := int64(0)
	for p := range why.ScorePlugins {
		total += why.Scores[p][0]
	}
	if total != why.Totals[0] || !slices.Contains(why.ScorePlugins, "NodeResourcesFit") {
		t.Fatalf("%+v", why)
	}
	fit := slices.Index(why.ScorePlugins, "NodeResourcesFit")
	if why.Weights[fit] != 1 || why.RawScores[fit][0] != why.Scores[fit][0] {
		t.Fatalf("%+v", why)
	}
	taints := slices.Index(why.ScorePlugins, "TaintToleration")
	if why.RawScores[taints][0] != NoRawScore && why.Scores[taints][0] != 300 {
		t.Fatalf("%+v", why)
	}
	huge := got(e.AddPod(testPod("huge", "64")))(t)
	_, why, err = e.Explain(huge, nil)
	must(t, err)
	if len(why.Refusals) != 3 || why.Refusals[1].Plugin != "NodeResourcesFit" ||
		!slices.Equal(why.Refusals[1].Reasons, []string{"Insufficient cpu"}) {
		t.Fatalf("%+v", why)
	}
	if why.Message != got(e.Why(huge, nil))(t) || !strings.HasPrefix(why.Message, "0/3 nodes are available: 3 Insufficient cpu.") {
		t.Fatal(why.Message)
	}
}

func TestGroupsAndCounts(t *testing.T) {
	e := made(t, 2)
	ids := pods(t, e, 20)
	if n := got(e.ScheduleGroup(ids, nil))(t); n != 16 {
		t.Fatal(n)
	}
	if c := got(e.Counts())(t); c.PodsRunning != 0 {
		t.Fatal(c)
	}
	out := make([]Placement, 20)
	if n := got(e.DecideBatch(ids, &DecideOptions{KeepRotation: true}, out))(t); n != 20 {
		t.Fatal(n)
	}
	nodes, why, err := e.FitCountExplain(ids[0], 100)
	must(t, err)
	if len(nodes) != 16 || why == nil || why.Message == "" {
		t.Fatal(nodes, why)
	}
	if n := got(e.ScheduleBatch(ids, out))(t); n != 20 || out[15].Verdict != Placed || out[16].Verdict != Unschedulable {
		t.Fatal(n, out)
	}
	if pending := got(e.Pending(nil))(t); !slices.Equal(pending, ids[16:]) {
		t.Fatal(pending)
	}
	if n := got(e.UnbindBatch(ids[:16]))(t); n != 16 {
		t.Fatal(n)
	}
}

func TestTransactions(t *testing.T) {
	e := made(t, 1)
	before := got(e.Digest())(t)
	outer := got(e.Begin())(t)
	pods(t, e, 3)
	inner := got(e.Begin())(t)
	if err := outer.Commit(); !errors.Is(err, State) {
		t.Fatal(err)
	}
	must(t, inner.Commit())
	if err := inner.Rollback(); !errors.Is(err, State) {
		t.Fatal(err)
	}
	must(t, outer.Rollback())
	if got(e.Digest())(t) != before || got(e.Counts())(t).PodsPending != 0 {
		t.Fatal("something is left")
	}
	func() {
		defer func() { recover() }()
		e.Try(func() (bool, error) { pods(t, e, 1); panic("no") })
	}()
	if got(e.Depth())(t) != 0 || got(e.Counts())(t).PodsPending != 0 {
		t.Fatal("a panic leaves a transaction open")
	}
	must(t, e.Try(func() (bool, error) { pods(t, e, 1); return true, nil }))
	if got(e.Counts())(t).PodsPending != 1 {
		t.Fatal("not kept")
	}
}

func TestErrors(t *testing.T) {
	e := made(t, 1)
	_, err := e.AddNode(testNode("n0", "8"))
	var is *Error
	if !errors.As(err, &is) || is.Code != Exists || is.Object != "Node n0" || !errors.Is(err, Exists) {
		t.Fatalf("%#v", err)
	}
	pod := testPod("bad", "1")
	pod.Spec.Containers[0].Resources.Requests["cpu"] = resource.MustParse("-1")
	if _, err = e.AddPod(pod); !errors.As(err, &is) || is.Object != "Pod default/bad" || is.Field != "cpu" {
		t.Fatalf("%#v", err)
	}
	large := resource.MustParse("9e18")
	large.Add(large)
	pod.Spec.Containers[0].Resources.Requests["cpu"] = large
	if _, err = e.AddPod(pod); !errors.Is(err, OutOfRange) || !strings.Contains(err.Error(), "default/bad") {
		t.Fatalf("%#v", err)
	}
	n, err := e.AddPods([]*corev1.Pod{testPod("a", "1"), testPod("b", "1"), pod, testPod("c", "1")}, nil)
	if n != 2 || !errors.Is(err, OutOfRange) || got(e.Counts())(t).PodsPending != 2 {
		t.Fatal(n, err)
	}
	n, err = e.AddPods([]*corev1.Pod{testPod("d", "1"), nil}, nil)
	if n != 1 || !errors.Is(err, Argument) {
		t.Fatal(n, err)
	}
	if _, err = e.Add(&corev1.ConfigMap{}); !errors.Is(err, NotSupported) {
		t.Fatal(err)
	}
	for _, object := range []any{nil, (*corev1.Pod)(nil), 7, corev1.Pod{}} {
		if _, err = e.Add(object); err == nil {
			t.Fatal(object)
		}
		if err = e.Remove(object); err == nil {
			t.Fatal(object)
		}
	}
	if _, err = e.Schedule(12345); !errors.Is(err, NotFound) {
		t.Fatal(err)
	}
	if _, err = e.ScheduleBatch(make([]PodID, 3), nil); !errors.Is(err, Argument) {
		t.Fatal(err)
	}
	if err = e.RemovePod("default", "none"); !errors.Is(err, NotFound) {
		t.Fatal(err)
	}
	if _, err = New(&Config{FeatureGates: "NoSuchGate=true"}); err == nil {
		t.Fatal("a gate that is none")
	}
	if _, err = New(&Config{SchedulerConfiguration: "kind: Nothing"}); !errors.As(err, &is) || is.Source == "" {
		t.Fatalf("%#v", err)
	}
}

func TestLoad(t *testing.T) {
	const text = `
{apiVersion: v1, kind: Node, metadata: {name: a}, status: {allocatable: {cpu: '4', pods: '10'}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: x}, spec: {containers: [{name: m, resources: {limits: {cpu: '1'}}}]}}
`
	e := got(New(nil))(t)
	defer e.Close()
	if n := got(e.Load([]byte(text), nil))(t); n != 2 {
		t.Fatal(n)
	}
	pod := got(e.FindPod("default", "x"))(t)
	if cpu := got(e.PodResource(pod, "cpu"))(t); cpu != 1000 { // an API server's default
		t.Fatal(cpu)
	}
	file := filepath.Join(t.TempDir(), "more.yaml")
	must(t, os.WriteFile(file, []byte("kind: Pod\napiVersion: v1\nmetadata: {name: z}\nspec: {containers: 7}\n"), 0o600))
	var is *Error
	if _, err := e.LoadFile(file, nil); !errors.As(err, &is) || is.Source != file || is.Line == 0 || is.Field == "" {
		t.Fatalf("%#v", err)
	}
	if _, err := e.LoadFile("/does/not/exist", nil); !errors.Is(err, InputOutput) {
		t.Fatal(err)
	}
}

// Objects that name no namespace are in that of the options.
func TestLoadNamespace(t *testing.T) {
	e := got(New(nil))(t)
	t.Cleanup(func() { e.Close() })
	text := []byte("kind: Pod\napiVersion: v1\nmetadata: {name: p}\n---\n" +
		"kind: Pod\napiVersion: v1\nmetadata: {name: q, namespace: other}\n")
	if n := got(e.Load(text, &LoadOptions{Namespace: "shop"}))(t); n != 2 {
		t.Fatal(n)
	}
	got(e.Load(text[:48], nil))(t)
	for name, namespace := range map[string]string{"p": "shop", "q": "other"} {
		if got(e.FindPod(namespace, name))(t) == NoPod {
			t.Fatalf("%s/%s is not there", namespace, name)
		}
	}
	if got(e.FindPod("default", "p"))(t) == NoPod {
		t.Fatal("without the option it is default")
	}
}

func TestSnapshotsAndBranches(t *testing.T) {
	e := made(t, 2)
	if _, err := e.Snapshot(); !errors.Is(err, State) {
		t.Fatal(err)
	}
	ids := pods(t, e, 3)
	must(t, e.Publish())
	snapshot := got(e.Snapshot())(t)
	defer snapshot.Close()
	branch := got(snapshot.Branch())(t)
	defer branch.Close()
	out := make([]Placement, 3)
	got(branch.ScheduleBatch(ids, out))(t)
	if got(e.Counts())(t).PodsRunning != 0 || got(snapshot.Counts())(t).PodsRunning != 0 {
		t.Fatal("a branch is seen")
	}
	if _, err := branch.Snapshot(); !errors.Is(err, State) {
		t.Fatal(err)
	}
	if err := branch.Publish(); !errors.Is(err, State) {
		t.Fatal(err)
	}
	if _, err := branch.NewScheduler(nil); !errors.Is(err, State) {
		t.Fatal(err)
	}
	if conflicts := got(branch.Commit())(t); len(conflicts) != 0 || got(e.Counts())(t).PodsRunning != 3 {
		t.Fatal(conflicts)
	}
	if conflicts := got(branch.Commit())(t); len(conflicts) != 3 || conflicts[0].Kind != PodMoved {
		t.Fatal(conflicts)
	}
	if n := len(got(snapshot.Nodes(nil))(t)); n != 2 {
		t.Fatal(n)
	}
	if pending := got(snapshot.Pending(nil))(t); !slices.Equal(pending, ids) {
		t.Fatal(pending)
	}
	if names := got(snapshot.PodNames(ids))(t); names[2] != (PodName{"default", "p-2"}) {
		t.Fatal(names)
	}
	allocatable, requested := make([]int64, 2), make([]int64, 2)
	must(t, snapshot.NodeResources("cpu", got(snapshot.Nodes(nil))(t), allocatable, requested))
	if allocatable[1] != 8000 || requested[1] != 0 {
		t.Fatal(allocatable, requested)
	}
	must(t, branch.Check())
}

func TestFilters(t *testing.T) {
	all, err := (&Config{}).Filters()
	if err != nil || !slices.Contains(all["default-scheduler"], "NodeName") || len(all) != 1 {
		t.Errorf("found %v, %v", all, err)
	}
	two := `{apiVersion: kubescheduler.config.k8s.io/v1, kind: KubeSchedulerConfiguration, profiles: [
{schedulerName: a, plugins: {multiPoint: {disabled: [{name: "*"}]}, queueSort: {enabled: [{name: PrioritySort}]}, bind: {enabled: [{name: DefaultBinder}]}, filter: {enabled: [{name: NodeResourcesFit}, {name: TaintToleration}]}}},
{schedulerName: b, plugins: {queueSort: {enabled: [{name: PrioritySort}]}}}]}`
	all, err = (&Config{SchedulerConfiguration: two}).Filters()
	if err != nil || !slices.Equal(all["a"], []string{"NodeResourcesFit", "TaintToleration"}) || len(all["b"]) < 10 {
		t.Errorf("found %v, %v", all, err)
	}
	if _, err = (&Config{SchedulerConfiguration: "kind: x"}).Filters(); !errors.Is(err, NotSupported) && !errors.Is(err, Invalid) {
		t.Errorf("found %v", err)
	}
	if _, err = (&Config{SchedulerConfiguration: two, SchedulerConfigurationFile: "f"}).Filters(); !errors.Is(err, Argument) {
		t.Errorf("found %v", err)
	}
	if _, err = (&Config{SchedulerConfigurationFile: "/no/such/file"}).Filters(); !errors.Is(err, InputOutput) {
		t.Errorf("found %v", err)
	}
}
