package berth

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const withFacts = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins:
    filter: {enabled: [{name: Facts}]}
`

func facts(t *testing.T, plugin *Plugin, nodes int) *Engine {
	t.Helper()
	plugin.Name = "Facts"
	e := got(New(&Config{Plugins: []*Plugin{plugin}, SchedulerConfiguration: withFacts, Threads: 1}))(t)
	t.Cleanup(func() { e.Close() })
	for i := range nodes {
		node := testNode(fmt.Sprintf("n%d", i), "64")
		node.Labels["topology.kubernetes.io/zone"] = fmt.Sprintf("z%d", i%3)
		node.Annotations = map[string]string{"rack": fmt.Sprint(i), "other": "x"}
		got(e.AddNode(node))(t)
	}
	return e
}

// Plugins read annotations, the owner, the priority, the pod, the pods of nodes, and counts by
// domain.
func TestPluginFacts(t *testing.T) {
	apps := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	asked := 0
	var waiting PodID
	plugin := &Plugin{
		Flags: Each, NodeAnnotations: []string{"rack"}, PodAnnotations: []string{"wish", "none"},
		PodLabels: []string{"app"}, NodePods: true, NodeLabels: []string{"topology.kubernetes.io/zone"},
		Domains: func(pod *Pod) []PodSelection {
			return []PodSelection{
				{Selector: apps, TopologyKey: "topology.kubernetes.io/zone"},
				{Selector: apps, TopologyKey: "topology.kubernetes.io/zone", Namespaces: []string{"elsewhere"}},
			}
		},
		Filter: func(pod *Pod, nodes *Nodes) {
			asked++
			if pod.Annotations[0] != "rack 7" || pod.Annotations[1] != "" || pod.Priority != 9 ||
				pod.ID != waiting || pod.OwnerKind != "Job" || pod.OwnerName != "batch" || pod.OwnerUID != "u" {
				panic(fmt.Sprintf("%+v", pod))
			}
			for i := range nodes.Len() {
				if !nodes.Asked(i) {
					continue
				}
				if id := nodes.IDs[i]; nodes.Annotations[0][i] != fmt.Sprint(id) {
					panic(fmt.Sprintf("node %d is in rack %q", id, nodes.Annotations[0][i]))
				}
				// Each of the 133 nodes of z1 but n1 has two pods; no other node has any.
				pods, inZone := nodes.Pods[i], uint32(0)
				if nodes.Labels[0][i] == "z1" {
					inZone = 2*133 - 2
					if nodes.IDs[i] != 1 && (len(pods) != 2 || pods[0].Labels[0] != "web" ||
						pods[0].Annotations[0] != "stay" || pods[0].Priority != 3 ||
						pods[0].Namespace != "default" || pods[0].ID <= pods[1].ID) {
						panic(fmt.Sprintf("%+v", pods))
					}
				} else if len(pods) != 0 {
					panic(fmt.Sprintf("%+v", pods))
				}
				if nodes.Domains[0][i] != inZone || nodes.Domains[1][i] != 0 {
					panic(fmt.Sprintf("%v", nodes.Domains))
				}
				if nodes.Annotations[0][i] != "7" {
					nodes.Refuse(i)
				}
			}
		},
	}
	e := facts(t, plugin, 400)
	running := testPod("running", "1")
	running.Annotations = map[string]string{"wish": "stay"}
	three, nine := int32(3), int32(9)
	running.Spec.Priority = &three
	for i := 4; i < 400; i += 3 {
		for k := range 2 {
			running.Name, running.Spec.NodeName = fmt.Sprintf("r%d-%d", i, k), fmt.Sprintf("n%d", i)
			got(e.AddPod(running))(t)
		}
	}
	pod, yes := testPod("waits", "1"), true
	pod.Annotations = map[string]string{"wish": "rack 7"}
	pod.Spec.Priority = &nine
	pod.OwnerReferences = []metav1.OwnerReference{{Kind: "Job", Name: "batch", UID: "u", Controller: &yes}}
	waiting = got(e.AddPod(pod))(t)
	at := got(e.Decide(waiting, nil))(t)
	if got(e.NodeName(at.Node))(t) != "n7" || asked == 0 || asked > 4 {
		t.Fatalf("%+v after %d calls", at, asked)
	}
	must(t, e.Check())
}

// Plugins that break the promise of their flags, and one that reads nothing.
func TestPluginPromises(t *testing.T) {
	for _, plugin := range []*Plugin{
		{Name: "P", Flags: Static | Each, Domains: func(*Pod) []PodSelection { return nil }},
		{Name: "P", Flags: Static, NodePods: true},
		{Name: "P", PodAnnotations: make([]string, PluginLabelsMax+1)},
	} {
		if _, err := New(&Config{Plugins: []*Plugin{plugin}}); !errors.Is(err, Argument) {
			t.Fatal(err)
		}
	}
	many := func(*Pod) []PodSelection { return make([]PodSelection, PluginDomainsMax+1) }
	e := facts(t, &Plugin{Flags: Each, Domains: many, Filter: func(*Pod, *Nodes) {}}, 1)
	var panicked *PanicError
	if _, err := e.Schedule(pods(t, e, 1)[0]); !errors.As(err, &panicked) {
		t.Fatal(err)
	}
	calls := 0
	fickle := &Plugin{Name: "Facts", Flags: Static, Filter: func(pod *Pod, nodes *Nodes) {
		if calls++; calls > 1 {
			nodes.Refuse(0)
		}
	}}
	checked := got(New(&Config{Plugins: []*Plugin{fickle}, SchedulerConfiguration: withFacts, Threads: 1,
		CheckPlugins: true}))(t)
	t.Cleanup(func() { checked.Close() })
	for i := range 3 {
		got(checked.AddNode(testNode(fmt.Sprintf("n%d", i), "8")))(t)
	}
	var err error
	for _, id := range pods(t, checked, 5) {
		if _, err = checked.Schedule(id); err != nil {
			break
		}
	}
	if !errors.Is(err, Internal) {
		t.Fatal(err)
	}
}

// A snapshot returns the same facts as the engine.
func TestReadBack(t *testing.T) {
	e := made(t, 2)
	ids := pods(t, e, 2)
	at := got(e.Schedule(ids[0]))(t)
	must(t, e.Nominate(ids[1], at.Node))
	if got(e.PodNominated(ids[1]))(t) != at.Node || got(e.PodNominated(ids[0]))(t) != NoNode {
		t.Fatal("the nomination is not there")
	}
	must(t, e.Publish())
	snapshot := got(e.Snapshot())(t)
	defer snapshot.Close()
	must(t, snapshot.Check())
	for _, id := range ids {
		was, is := got(e.PodInfo(id))(t), got(snapshot.PodInfo(id))(t)
		if fmt.Sprint(was) != fmt.Sprint(is) || is.Labels["app"] != "web" || is.Requests["cpu"] != 1000 ||
			!is.MayPreempt {
			t.Fatalf("%+v %+v", was, is)
		}
		if value, has, err := snapshot.PodLabel(id, "app"); value != "web" || !has || err != nil {
			t.Fatal(value, has, err)
		}
		if _, has, err := e.PodLabel(id, "none"); has || err != nil {
			t.Fatal(has, err)
		}
	}
	was, is := got(e.NodeInfo(at.Node))(t), got(snapshot.NodeInfo(at.Node))(t)
	if fmt.Sprint(was) != fmt.Sprint(is) || is.Pods != 1 || is.Allocatable["cpu"] != 8000 {
		t.Fatalf("%+v %+v", was, is)
	}
	names := got(e.ResourceNames())(t)
	if !slices.Contains(names, "memory") || !slices.Equal(names, got(snapshot.ResourceNames())(t)) {
		t.Fatal(names)
	}
	if _, err := snapshot.PodInfo(NoPod); !errors.Is(err, NotFound) {
		t.Fatal(err)
	}
	if pod, _, err := e.Orphan(); pod != NoPod || err != nil {
		t.Fatal(pod, err)
	}
	name := got(e.NodeName(at.Node))(t)
	must(t, e.RemoveNode(name))
	if pod, node, err := e.Orphan(); pod != ids[0] || node != name || err != nil {
		t.Fatal(pod, node, err)
	}
}
