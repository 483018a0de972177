package berth_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"berth/go"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const twoNodes = `
{apiVersion: v1, kind: Node, metadata: {name: small}, status: {allocatable: {cpu: '2', pods: '110'}}}
---
{apiVersion: v1, kind: Node, metadata: {name: large, labels: {price: '7'}}, status: {allocatable: {cpu: '16', pods: '110'}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: c, resources: {requests: {cpu: '4'}}}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: huge}, spec: {containers: [{name: c, resources: {requests: {cpu: '64'}}}]}}
`

// open returns an engine with twoNodes and the pod of this name.
func open(name string, config *berth.Config) (*berth.Engine, berth.PodID) {
	engine, err := berth.New(config)
	if err != nil {
		panic(err)
	}
	if _, err := engine.Load([]byte(twoNodes), nil); err != nil {
		panic(err)
	}
	pod, err := engine.FindPod("default", name)
	if err != nil {
		panic(err)
	}
	return engine, pod
}

func Example() {
	engine, err := berth.New(nil)
	if err != nil {
		panic(err)
	}
	defer engine.Close()
	if _, err := engine.Load([]byte(twoNodes), nil); err != nil {
		panic(err)
	}
	pending, err := engine.Pending(nil)
	if err != nil {
		panic(err)
	}
	for _, pod := range pending {
		name, _ := engine.PodName(pod)
		placement, err := engine.Schedule(pod) // decides, and binds the pod if it fits
		if err != nil {
			panic(err)
		}
		if placement.Verdict == berth.Placed {
			node, _ := engine.NodeName(placement.Node)
			fmt.Println(name.Name, "on", node)
		} else {
			why, _ := engine.Why(pod, &berth.DecideOptions{SearchOnly: true})
			fmt.Println(name.Name, "nowhere:", why)
		}
	}
	// Output:
	// web on large
	// huge nowhere: 0/2 nodes are available: 2 Insufficient cpu.
}

// Objects of k8s.io/api are added as they are.
func ExampleEngine_AddPod() {
	engine, _ := open("web", nil)
	defer engine.Close()
	pod, err := engine.AddPod(&corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "cart"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "main",
			Resources: corev1.ResourceRequirements{
				Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("3")},
			},
		}}},
	})
	if err != nil {
		panic(err)
	}
	feasible, _ := engine.FeasibleNodes(pod, nil)
	names, _ := engine.NodeNames(feasible)
	fmt.Println(names)
	// Output: [large]
}

// How many more of these pods fit? A context ends the question between two decisions; the error
// then says how far it came.
func ExampleEngine_FitCountContext() {
	engine, web := open("web", nil)
	defer engine.Close()
	nodes, err := engine.FitCountContext(context.Background(), web, 100)
	fmt.Println(len(nodes), err)

	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = engine.FitCountContext(ended, web, 100)
	fmt.Println(errors.Is(err, berth.Cancelled), errors.Is(err, context.Canceled))
	// Output:
	// 4 <nil>
	// true true
}

// What if the large node were drained? A branch answers, and the engine does not change.
func ExampleEngine_Branch() {
	engine, web := open("web", nil)
	defer engine.Close()
	if err := engine.Publish(); err != nil { // branches start from what is published
		panic(err)
	}
	branch, err := engine.Branch()
	if err != nil {
		panic(err)
	}
	defer branch.Close()
	large, _ := branch.FindNode("large")
	branch.Cordon(large, true)
	why, _ := branch.Why(web, &berth.DecideOptions{SearchOnly: true})
	fmt.Println("branch:", why)

	placement, _ := engine.Schedule(web)
	fmt.Println("engine:", placement.Verdict)
	// Output:
	// branch: 0/2 nodes are available: 1 Insufficient cpu, 1 node(s) were unschedulable.
	// engine: placed
}

// All pods or none: Try takes everything back unless its function says to keep it.
func ExampleEngine_Try() {
	engine, web := open("web", nil)
	defer engine.Close()
	huge, _ := engine.FindPod("default", "huge")
	err := engine.Try(func() (keep bool, err error) {
		for _, pod := range []berth.PodID{web, huge} {
			placement, err := engine.Schedule(pod)
			if err != nil || placement.Verdict != berth.Placed {
				return false, err
			}
		}
		return true, nil
	})
	counts, _ := engine.Counts()
	fmt.Println(err, counts.PodsRunning, "running")
	// Output: <nil> 0 running
}

// A plugin in Go that prefers cheap nodes and refuses those without a price.
func ExamplePlugin() {
	price := &berth.Plugin{
		Name:       "Price",
		Flags:      berth.Static, // the answers follow from labels alone, so they are kept
		NodeLabels: []string{"price"},
		Reason:     "node(s) had no price",
		Normalize:  berth.NormalizeMaxReversed,
		Filter: func(_ *berth.Pod, nodes *berth.Nodes) {
			for i := range nodes.Len() {
				if nodes.Asked(i) && nodes.Labels[0][i] == "" {
					nodes.Refuse(i)
				}
			}
		},
		Score: func(_ *berth.Pod, nodes *berth.Nodes, values []int64) {
			for i := range values {
				if nodes.Asked(i) {
					values[i], _ = strconv.ParseInt(nodes.Labels[0][i], 10, 64)
				}
			}
		},
	}
	engine, web := open("web", &berth.Config{Plugins: []*berth.Plugin{price}, SchedulerConfiguration: `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins:
    filter: {enabled: [{name: Price}]}
    score: {enabled: [{name: Price, weight: 10}]}
`})
	defer engine.Close()
	large, _ := engine.FindNode("large")
	engine.Cordon(large, true)
	engine.Load([]byte("{apiVersion: v1, kind: Node, metadata: {name: new}, status: {allocatable: {cpu: '8', pods: '110'}}}"), nil)
	why, _ := engine.Why(web, &berth.DecideOptions{SearchOnly: true})
	fmt.Println(why)
	// Output: 0/3 nodes are available: 1 Insufficient cpu, 1 node(s) had no price, 1 node(s) were unschedulable.
}
