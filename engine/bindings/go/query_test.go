package berth

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestQuestions(t *testing.T) {
	e := made(t, 3)
	small := got(e.AddPod(testPod("small", "3")))(t)
	nodes := got(e.FeasibleNodes(small, nil))(t)
	if len(nodes) != 3 || !got(e.Fits(small, nodes[0]))(t) {
		t.Fatal(nodes)
	}
	filler := got(e.AddPod(testPod("filler", "6")))(t)
	must(t, e.Bind(filler, nodes[1]))
	fit := got(e.Fit(small, nodes[1]))(t)
	if fit.Verdict != Unschedulable || fit.Plugin != "NodeResourcesFit" || !fit.Resolvable ||
		!slices.Equal(fit.Reasons, []string{"Insufficient cpu"}) {
		t.Fatalf("%+v", fit)
	}
	left, totals, err := e.FeasibleTotals(small)
	if err != nil || !slices.Equal(left, []NodeID{nodes[0], nodes[2]}) || len(totals) != 2 || totals[0] == 0 {
		t.Fatal(left, totals, err)
	}
	if _, err := e.Fits(small, 1234); !errors.Is(err, NotFound) {
		t.Fatal(err)
	}
	huge := got(e.AddPod(testPod("huge", "64")))(t)
	counts := got(e.WhyCounts(huge, &DecideOptions{SearchOnly: true}))(t)
	if len(counts) != 1 || counts[0] != (ReasonCount{"Insufficient cpu", "NodeResourcesFit", 3, false}) {
		t.Fatalf("%+v", counts)
	}
	if s := got(e.Statistics())(t); s.Questions == 0 || s.Decisions != 1 {
		t.Fatalf("%+v", s)
	}
	var amounts NodeAmounts
	must(t, e.Amounts("cpu", &amounts))
	if len(amounts.Nodes) != 3 || amounts.Allocatable[0] != 8000 || slices.Max(amounts.Requested) != 6000 {
		t.Fatal(amounts)
	}
	must(t, e.Publish())
	snapshot := got(e.Snapshot())(t)
	defer snapshot.Close()
	var again NodeAmounts
	must(t, snapshot.Amounts("cpu", &again))
	if !slices.Equal(again.Requested, amounts.Requested) {
		t.Fatal(again)
	}
}

func TestPartOfAGroup(t *testing.T) {
	e := made(t, 1)
	ids := pods(t, e, 10)
	if n := got(e.SchedulePods(ids, GroupOptions{Minimum: 9}, nil))(t); n > 8 || got(e.Counts())(t).PodsRunning != 0 {
		t.Fatal(n)
	}
	out := make([]Placement, 10)
	if n := got(e.SchedulePods(ids, GroupOptions{Minimum: 8}, out))(t); n != 8 || out[9].Verdict != Unschedulable {
		t.Fatal(n, out)
	}
}

func TestGroupPreempts(t *testing.T) {
	e := made(t, 1)
	ids := pods(t, e, 8)
	if n := got(e.SchedulePods(ids, GroupOptions{}, nil))(t); n != 8 {
		t.Fatal(n)
	}
	priority := int32(10)
	urgent := make([]PodID, 2)
	for i := range urgent {
		pod := testPod(fmt.Sprintf("urgent-%d", i), "2")
		pod.Spec.Priority = &priority
		urgent[i] = got(e.AddPod(pod))(t)
	}
	evicted := []Eviction{{}}
	if n := got(e.SchedulePods(urgent, GroupOptions{Evicted: &evicted}, nil))(t); n != 0 || len(evicted) != 0 {
		t.Fatal(n, evicted)
	}
	out := make([]Placement, 2)
	if n := got(e.SchedulePods(urgent, GroupOptions{Preempt: true, Evicted: &evicted}, out))(t); n != 2 {
		t.Fatal(n)
	}
	if len(evicted) != 4 || evicted[0].Preemptor != urgent[0] || evicted[3].Preemptor != urgent[1] || evicted[3].Node != out[1].Node {
		t.Fatal(evicted, out)
	}
	for _, one := range evicted {
		if !slices.Contains(ids, one.Victim) || got(e.PodNode(one.Victim))(t) != NoNode {
			t.Fatal(one)
		}
	}
}

func TestNodeTemplate(t *testing.T) {
	e := made(t, 1)
	daemon := testPod("agent", "1")
	err := e.Try(func() (bool, error) {
		nodes, err := e.AddGroup(&NodeTemplate{Node: testNode("group", "4"), Pods: []*corev1.Pod{daemon}}, 3)
		if err != nil || len(nodes) != 3 {
			t.Fatal(nodes, err)
		}
		info := got(e.NodeInfo(nodes[1]))(t)
		if info.Name != "group-2" || info.Pods != 1 || info.Labels["kubernetes.io/hostname"] != "group-2" ||
			info.Allocatable["cpu"] != 4000 {
			t.Fatalf("%+v", info)
		}
		pod := got(e.PodInfo(got(e.NodePods(nodes[1], nil))(t)[0]))(t)
		if kind := got(e.PodKind(got(e.NodePods(nodes[1], nil))(t)[0]))(t); kind != pod.Kind {
			t.Error("two kinds of one pod", kind, pod.Kind)
		}
		if pod.Node != nodes[1] || pod.Requests["cpu"] != 1000 || pod.Labels["app"] != "web" {
			t.Fatalf("%+v", pod)
		}
		return false, nil
	})
	must(t, err)
	if got(e.Counts())(t).Nodes != 1 {
		t.Fatal("the nodes are still there")
	}
	if _, err := e.AddGroup(&NodeTemplate{}, 1); !errors.Is(err, Argument) {
		t.Fatal(err)
	}
}
