package berth

import (
	"errors"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

const groupObjects = `
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 4, memory: 8Gi, pods: 20}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {schedulingGroup: {podGroupName: g}, priority: 5,
  containers: [{name: c, image: i, resources: {requests: {cpu: 2}}}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: b}, spec: {schedulingGroup: {podGroupName: g}, priority: 5,
  containers: [{name: c, image: i, resources: {requests: {cpu: 2}}}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: low}, spec: {nodeName: n1, priority: 1,
  containers: [{name: c, image: i, resources: {requests: {cpu: 2}}}]}}
`

// A gang evicts a pod, and is placed when that pod has left.
func TestSchedulePodGroup(t *testing.T) {
	e := got(New(&Config{FeatureGates: "GenericWorkload=true"}))(t)
	defer e.Close()
	group := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup",
		"metadata": map[string]any{"name": "g", "namespace": "default"},
		"spec": map[string]any{
			"priority":         int64(5),
			"schedulingPolicy": map[string]any{"gang": map[string]any{"minCount": int64(2)}},
		},
	}}
	got(e.Add(group))(t)
	got(e.Load([]byte(groupObjects), nil))(t)
	find := func(name string) PodID { return got(e.FindPod("default", name))(t) }
	pods := []PodID{find("a"), find("b")}
	out := got(e.SchedulePodGroup(pods))(t)
	if out.Verdict != Unschedulable || !out.Preempts || len(out.Victims) != 1 || out.Victims[0] != find("low") ||
		out.Minimum != 2 || out.Nominated[0] == NoNode || out.Message == "" {
		t.Fatalf("%+v", out)
	}
	must(t, e.RemovePod("default", "low"))
	if out = got(e.SchedulePodGroup(pods))(t); out.Verdict != Placed || out.Placed != 2 || out.Nodes[1] == NoNode {
		t.Fatalf("%+v", out)
	}
	if _, err := e.SchedulePodGroup(nil); !errors.Is(err, Argument) {
		t.Fatal(err)
	}
}
