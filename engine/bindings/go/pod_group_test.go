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

// Two gangs below a composite group are placed together, or not at all.
func TestScheduleCompositeGroup(t *testing.T) {
	e := got(New(&Config{
		FeatureGates: "GenericWorkload=true,TopologyAwareWorkloadScheduling=true,CompositePodGroup=true",
	}))(t)
	defer e.Close()
	object := func(version, kind, name string, spec map[string]any) *unstructured.Unstructured {
		return &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "scheduling.k8s.io/" + version, "kind": kind,
			"metadata": map[string]any{"name": name, "namespace": "default"}, "spec": spec,
		}}
	}
	got(e.Add(object("v1alpha3", "CompositePodGroup", "both", map[string]any{
		"schedulingPolicy": map[string]any{"gang": map[string]any{"minGroupCount": int64(2)}},
		"priority":         int64(5),
	})))(t)
	for _, name := range []string{"g", "h"} {
		got(e.Add(object("v1beta1", "PodGroup", name, map[string]any{"parentCompositePodGroupName": "both"})))(t)
	}
	got(e.Load([]byte(groupObjects), nil))(t)
	must(t, e.RemovePod("default", "low"))
	a, b := got(e.FindPod("default", "a"))(t), got(e.FindPod("default", "b"))(t)
	if out := got(e.SchedulePodGroup([]PodID{a, b}))(t); out.Verdict != Unschedulable || out.Minimum != 2 {
		t.Fatalf("%+v", out)
	}
	got(e.Load([]byte(`{apiVersion: v1, kind: Pod, metadata: {name: c}, spec: {schedulingGroup: {podGroupName: h},
  priority: 5, containers: [{name: c, image: i}]}}`), nil))(t)
	pods := []PodID{a, b, got(e.FindPod("default", "c"))(t)}
	if out := got(e.SchedulePodGroup(pods))(t); out.Verdict != Placed || out.Placed != 3 {
		t.Fatalf("%+v", out)
	}
}
