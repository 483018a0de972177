package berth

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// keeping returns an engine with KeepObjects and objects of several kinds.
func keeping(t testing.TB) *Engine {
	t.Helper()
	e := got(New(&Config{KeepObjects: true}))(t)
	t.Cleanup(func() { e.Close() })
	for i := range 5 {
		node := testNode(fmt.Sprintf("n%d", i), "8")
		node.Spec.Taints = []corev1.Taint{{Key: "odd", Value: "yes", Effect: corev1.TaintEffectPreferNoSchedule}}
		got(e.AddNode(node))(t)
	}
	least := intstr.FromInt32(1)
	got(e.Add(&policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "default"},
		Spec: policyv1.PodDisruptionBudgetSpec{MinAvailable: &least,
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}}}))(t)
	ids := pods(t, e, 10)
	got(e.ScheduleBatch(ids[:6], make([]Placement, 6)))(t)
	return e
}

// copyOf returns an engine made from another engine's objects, by way of the Go types.
func copyOf(t testing.TB, e *Engine) *Engine {
	t.Helper()
	twin := got(New(&Config{KeepObjects: true}))(t)
	t.Cleanup(func() { twin.Close() })
	must(t, e.Objects(func(object any) error {
		_, err := twin.Add(object)
		return err
	}))
	must(t, twin.SetRotation(got(e.Rotation())(t)))
	return twin
}

func dumped(t testing.TB, e *Engine) string {
	t.Helper()
	var out bytes.Buffer
	must(t, e.Dump(&out))
	return out.String()
}

func TestDump(t *testing.T) {
	e := keeping(t)
	whole := dumped(t, e)
	loaded := got(New(&Config{KeepObjects: true}))(t)
	t.Cleanup(func() { loaded.Close() })
	if n := got(loaded.Load([]byte(whole), &LoadOptions{Served: true}))(t); n != 5+1+10 {
		t.Fatal(n)
	}
	must(t, loaded.SetRotation(got(e.Rotation())(t)))
	twin := copyOf(t, e)
	for _, other := range []*Engine{loaded, twin} {
		if again := dumped(t, other); again != whole {
			t.Fatalf("%s\n%s", whole, again)
		}
	}
	file := filepath.Join(t.TempDir(), "cluster.json")
	must(t, e.DumpFile(file))
	if text := got(os.ReadFile(file))(t); string(text) != whole {
		t.Fatal(string(text))
	}
	for _, engine := range []*Engine{e, loaded, twin} {
		for _, pod := range got(engine.Pending(nil))(t) {
			got(engine.Schedule(pod))(t)
		}
	}
	if a, b, c := got(e.Digest())(t), got(loaded.Digest())(t), got(twin.Digest())(t); a != b || a != c {
		t.Fatal(a, b, c)
	}
	if a, b := got(e.Rotation())(t), got(twin.Rotation())(t); a != b {
		t.Fatal(a, b)
	}
}

func TestObjects(t *testing.T) {
	e := keeping(t)
	pod := got(e.PodObject(got(e.FindPod("default", "p-2"))(t)))(t)
	if pod.Name != "p-2" || pod.Spec.NodeName == "" || pod.Labels["app"] != "web" ||
		pod.Spec.Containers[0].Resources.Requests.Cpu().MilliValue() != 1000 {
		t.Fatalf("%+v", pod)
	}
	node := got(e.NodeObject(got(e.FindNode("n3"))(t)))(t)
	if node.Name != "n3" || node.Status.Allocatable.Cpu().Value() != 8 || len(node.Spec.Taints) != 1 {
		t.Fatalf("%+v", node)
	}
	if _, err := e.PodObject(NoPod); !errors.Is(err, NotFound) {
		t.Fatal(err)
	}
	if _, err := e.NodeObject(77); !errors.Is(err, NotFound) {
		t.Fatal(err)
	}
	var kinds []string
	must(t, e.Objects(func(object any) error {
		kinds = append(kinds, fmt.Sprintf("%T", object))
		return nil
	}))
	if len(slices.Compact(kinds)) != 3 {
		t.Fatal(kinds)
	}
	plain := made(t, 2)
	id := pods(t, plain, 1)[0]
	if err := plain.Dump(&bytes.Buffer{}); !errors.Is(err, State) {
		t.Fatal(err)
	}
	if _, err := plain.PodObject(id); !errors.Is(err, State) {
		t.Fatal(err)
	}
	if err := e.DumpFile("/nowhere/x.json"); !errors.Is(err, InputOutput) {
		t.Fatal(err)
	}
	if err := e.Dump(nil); !errors.Is(err, Argument) {
		t.Fatal(err)
	}
	if err := e.SetRotation(-1); !errors.Is(err, OutOfRange) {
		t.Fatal(err)
	}
}

type writer func([]byte) (int, error)

func (w writer) Write(piece []byte) (int, error) { return w(piece) }

// Callbacks may read the engine, but may neither change nor close it; the call returns their errors
// and panics.
func TestDumpCallsBack(t *testing.T) {
	e := keeping(t)
	id := got(e.Pending(nil))(t)[0]
	full := errors.New("full")
	if err := e.Dump(writer(func([]byte) (int, error) { return 0, full })); !errors.Is(err, full) {
		t.Fatal(err)
	}
	seen := 0
	must(t, e.Objects(func(any) error {
		seen++
		if got(e.Counts())(t).Nodes != 5 {
			t.Error("what is read has changed")
		}
		if err := e.Close(); !errors.Is(err, State) {
			t.Error(err)
		}
		return nil
	}))
	if seen != 16 {
		t.Fatal(seen)
	}
	var panicked *PanicError
	if err := e.Objects(func(any) error { panic("enough") }); !errors.As(err, &panicked) || panicked.Value != "enough" {
		t.Fatal(err)
	}
	got(e.Schedule(id))(t)
	must(t, e.Check())
	// Many objects: the text comes in pieces while the engine is being read.
	got(e.AddLike(id, "many-", 0, make([]PodID, 2000)))(t)
	pieces := 0
	must(t, e.Dump(writer(func(piece []byte) (int, error) {
		if pieces++; pieces == 1 {
			if _, err := e.Schedule(id); !errors.Is(err, State) {
				t.Error(err)
			}
		}
		return len(piece), nil
	})))
	if pieces < 3 {
		t.Fatal(pieces)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		e.Dump(writer(func([]byte) (int, error) { runtime.Goexit(); return 0, nil }))
	}()
	<-done
	if _, err := e.Counts(); !errors.Is(err, State) {
		t.Fatal(err)
	}
}

func TestRefusals(t *testing.T) {
	e := made(t, 3)
	huge := got(e.AddPod(testPod("huge", "64")))(t)
	for range 2 {
		got(e.Why(huge, &DecideOptions{SearchOnly: true}))(t)
	}
	got(e.Decide(huge, nil))(t) // does not record reasons
	refusals := got(e.Refusals())(t)
	if len(refusals) != 1 || refusals[0] != (RefusalCount{"NodeResourcesFit", "Insufficient cpu", false, 6}) {
		t.Fatalf("%+v", refusals)
	}
	if refusals := got(made(t, 1).Refusals())(t); len(refusals) != 0 {
		t.Fatal(refusals)
	}
}
