package berth

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// list makes amounts of "cpu", "4", "memory", "8Gi", ...
func list(pairs ...string) corev1.ResourceList {
	out := corev1.ResourceList{}
	for i := 0; i < len(pairs); i += 2 {
		out[corev1.ResourceName(pairs[i])] = resource.MustParse(pairs[i+1])
	}
	return out
}

func testNode(name, cpu string) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": "a"}},
		Status: corev1.NodeStatus{Allocatable: list("cpu", cpu, "memory", "32Gi", "pods", "110")},
	}
}

func testPod(name, cpu string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default",
			Labels: map[string]string{"app": "web"}},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "web:1",
			Resources: corev1.ResourceRequirements{Requests: list("cpu", cpu, "memory", "100Mi")}}}},
	}
}

// must ends the test if there is an error.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// got returns the value, or ends the test if there is an error.
func got[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		must(t, err)
		return value
	}
}

// made returns an engine with `nodes` nodes of 8 cores; it is closed when the test ends.
func made(t testing.TB, nodes int) *Engine {
	t.Helper()
	e := got(New(nil))(t)
	for i := range nodes {
		got(e.AddNode(testNode(fmt.Sprintf("n%d", i), "8")))(t)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// pods adds pods of one core and returns their ids.
func pods(t testing.TB, e *Engine, count int) []PodID {
	t.Helper()
	ids := make([]PodID, count)
	ids[0] = got(e.AddPod(testPod("p", "1")))(t)
	got(e.AddLike(ids[0], "p-", 1, ids[1:]))(t)
	return ids
}
