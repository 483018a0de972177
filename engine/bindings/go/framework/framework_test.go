package framework

import (
	"context"
	"fmt"
	"testing"

	berth "berth/go"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// A plugin sees only these methods of the framework's types.
type info struct {
	fwk.NodeInfo
	node *corev1.Node
}

func (i info) Node() *corev1.Node { return i.node }

type cycle struct {
	fwk.CycleState
	data map[fwk.StateKey]fwk.StateData
}

func (c cycle) Write(key fwk.StateKey, value fwk.StateData) { c.data[key] = value }
func (c cycle) Read(key fwk.StateKey) (fwk.StateData, error) {
	if value, found := c.data[key]; found {
		return value, nil
	}
	return nil, fwk.ErrNotFound
}

func TestPlugin(t *testing.T) {
	engine, err := berth.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	var nodes []fwk.NodeInfo
	for i := range 300 {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("n%d", i)},
			Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
				"cpu": resource.MustParse(fmt.Sprint(1 + i%4)), "pods": resource.MustParse("10")}}}
		if _, err := engine.AddNode(node); err != nil {
			t.Fatal(err)
		}
		nodes = append(nodes, info{node: node})
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "d"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "m",
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("3")}}}}}}
	ctx, state, plugin := context.Background(), cycle{data: map[fwk.StateKey]fwk.StateData{}}, New(engine)
	if status := plugin.Filter(ctx, state, pod, nodes[0]); status.Code() != fwk.Error {
		t.Fatal("a filter without a prefilter:", status)
	}
	if _, status := plugin.PreFilter(ctx, state, pod, nodes); !status.IsSuccess() {
		t.Fatal(status)
	}
	best := int64(0)
	for i, node := range nodes {
		fits := i%4 >= 2
		if status := plugin.Filter(ctx, state, pod, node); status.IsSuccess() != fits {
			t.Fatal(i, status)
		}
		score, status := plugin.Score(ctx, state, pod, node)
		if !status.IsSuccess() || !fits && score != 0 || score < 0 || score > 100 {
			t.Fatal(i, score, status)
		}
		best = max(best, score)
	}
	if best != 100 {
		t.Fatal(best)
	}
	plugin.Reasons = true
	status := plugin.Filter(ctx, state, pod, nodes[0])
	if status.Code() != fwk.UnschedulableAndUnresolvable || status.Reasons()[0] != "Insufficient cpu" {
		t.Fatal(status)
	}
	if counts, _ := engine.Counts(); counts.PodsPending != 0 {
		t.Fatal("the pod is still in the engine")
	}
	none := info{node: &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "none"}}}
	if status := plugin.Filter(ctx, state, pod, none); status.Code() != fwk.Error {
		t.Fatal(status)
	}
}

// The engine reuses the ids of removed nodes, so a name does not keep its id.
func TestNodesComeAndGo(t *testing.T) {
	engine, err := berth.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	node := func(name, cpu string) fwk.NodeInfo {
		object := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name},
			Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
				"cpu": resource.MustParse(cpu), "pods": resource.MustParse("10")}}}
		if _, err := engine.AddNode(object); err != nil {
			t.Fatal(err)
		}
		return info{node: object}
	}
	remove := func(name string) {
		if err := engine.RemoveNode(name); err != nil {
			t.Fatal(err)
		}
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "p", Namespace: "d"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "m",
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{"cpu": resource.MustParse("3")}}}}}}
	ctx, plugin := context.Background(), New(engine)
	ask := func(node fwk.NodeInfo) *fwk.Status {
		state := cycle{data: map[fwk.StateKey]fwk.StateData{}}
		if _, status := plugin.PreFilter(ctx, state, pod, nil); !status.IsSuccess() {
			t.Fatal(status)
		}
		return plugin.Filter(ctx, state, pod, node)
	}
	large := node("large", "4")
	if status := ask(large); !status.IsSuccess() {
		t.Fatal(status)
	}
	remove("large")
	if status := ask(large); status.Code() != fwk.Error {
		t.Fatal("a node that left:", status)
	}
	for i := range 600 {
		name := fmt.Sprintf("small%d", i)
		node(name, "1")
		if i%2 == 0 {
			remove(name)
		}
	}
	large = node("large", "4")
	if status := ask(large); !status.IsSuccess() {
		t.Fatal("the right node was refused:", status)
	}
}
