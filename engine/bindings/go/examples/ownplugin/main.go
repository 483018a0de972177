// Ownplugin has a plugin of its own: a pod goes to the cheapest node whose price it accepts. The price
// of a node is a label, and so is the highest price that a pod accepts. Both follow from objects
// alone, so the plugin is static: its answers are computed once for each kind of pod, then found in
// the index.
package main

import (
	"fmt"
	"io"
	"log"
	"os"
	"strconv"

	berth "berth/go"
)

// number is the number in a label; 0 if there is none.
func number(label string) int64 {
	value, _ := strconv.ParseInt(label, 10, 64)
	return value
}

var nodePrice = &berth.Plugin{
	Name:       "NodePrice",
	Flags:      berth.Static,
	NodeLabels: []string{"example.com/price"},
	PodLabels:  []string{"example.com/highest-price"},
	Filter: func(pod *berth.Pod, nodes *berth.Nodes) {
		if pod.Labels[0] == "" {
			return // the pod accepts every price
		}
		limit := number(pod.Labels[0])
		for i := range nodes.Len() {
			if nodes.Asked(i) && number(nodes.Labels[0][i]) > limit {
				nodes.Refuse(i)
			}
		}
	},
	Reason:       "node(s) cost more than the pod accepts",
	Unresolvable: true,                                     // preemption does not make a node cheaper,
	WakeOn:       berth.WakeNodeAdd | berth.WakeNodeLabels, // but these events may
	Score: func(_ *berth.Pod, nodes *berth.Nodes, values []int64) {
		for i := range values {
			values[i] = number(nodes.Labels[0][i])
		}
	},
	Normalize: berth.NormalizeMaxReversed,
}

// A configuration names the plugin like any other.
const configuration = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins:
    filter: {enabled: [{name: NodePrice}]}
    score: {enabled: [{name: NodePrice, weight: 100}]}
`

const objects = `
apiVersion: v1
kind: Node
metadata: {name: dear, labels: {example.com/price: "90"}}
status: {allocatable: {cpu: "8", memory: 32Gi, pods: "110"}}
---
apiVersion: v1
kind: Node
metadata: {name: cheap, labels: {example.com/price: "20"}}
status: {allocatable: {cpu: "2", memory: 8Gi, pods: "110"}}
---
apiVersion: v1
kind: Pod
metadata: {name: first}
spec: {containers: [{name: main, resources: {requests: {cpu: "1"}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: thrifty, labels: {example.com/highest-price: "30"}}
spec: {containers: [{name: main, resources: {requests: {cpu: "4"}}}]}
`

func run(out io.Writer) error {
	engine, err := berth.New(&berth.Config{
		Plugins: []*berth.Plugin{nodePrice}, SchedulerConfiguration: configuration})
	if err != nil {
		return err
	}
	defer engine.Close()
	if _, err := engine.Load([]byte(objects), nil); err != nil {
		return err
	}
	for _, name := range []string{"first", "thrifty"} {
		pod, err := engine.FindPod("default", name)
		if err != nil {
			return err
		}
		placement, err := engine.Schedule(pod)
		if err != nil {
			return err
		}
		answer := ""
		if placement.Verdict == berth.Placed {
			answer, err = engine.NodeName(placement.Node)
		} else {
			answer, err = engine.Why(pod, nil)
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %s\n", name, answer)
	}
	return nil
}

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}
