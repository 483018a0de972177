// Whatif asks what-ifs of a live engine: does a group of pods fit as a whole, how many more of a pod
// fit, and can a node be emptied? Each question is a transaction; a group that fits stays.
package main

import (
	"fmt"
	"io"
	"log"
	"os"

	berth "berth/go"
)

const cluster = `
{apiVersion: v1, kind: Node, metadata: {name: a},
 status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}}
---
{apiVersion: v1, kind: Node, metadata: {name: b},
 status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: running},
 spec: {nodeName: a, containers: [{name: main, resources: {requests: {cpu: '1'}}}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: worker-0},
 spec: {containers: [{name: main, resources: {requests: {cpu: '2'}}}]}}
`

// tryGroup answers whether all of `count` workers fit. If they do, they stay placed.
func tryGroup(out io.Writer, engine *berth.Engine, worker berth.PodID, count int) error {
	pods := make([]berth.PodID, count)
	pods[0] = worker
	answer := "not placed"
	err := engine.Try(func() (bool, error) {
		if _, err := engine.AddLike(worker, "worker-", 1, pods[1:]); err != nil {
			return false, err
		}
		placed, err := engine.ScheduleGroup(pods, nil)
		if placed == count {
			answer = "placed"
		}
		return placed == count, err
	})
	if err == nil {
		fmt.Fprintf(out, "%d workers: %s\n", count, answer)
	}
	return err
}

// tryDrain answers whether the pods of a node would fit elsewhere.
func tryDrain(out io.Writer, engine *berth.Engine, name string) error {
	node, err := engine.FindNode(name)
	if err != nil {
		return err
	}
	return engine.Try(func() (bool, error) {
		pods, err := engine.NodePods(node, nil)
		if err != nil {
			return false, err
		}
		if err := engine.CloseNode(node, true); err != nil {
			return false, err
		}
		if _, err := engine.UnbindBatch(pods); err != nil {
			return false, err
		}
		placed, err := engine.ScheduleGroup(pods, nil)
		if err == nil {
			fmt.Fprintf(out, "node %s: %d of %d pods fit elsewhere\n", name, placed, len(pods))
		}
		return false, err
	})
}

func run(out io.Writer) error {
	engine, err := berth.New(nil)
	if err != nil {
		return err
	}
	defer engine.Close()
	if _, err := engine.Load([]byte(cluster), nil); err != nil {
		return err
	}
	worker, err := engine.FindPod("default", "worker-0")
	if err != nil {
		return err
	}
	for _, count := range []int{4, 2} {
		if err := tryGroup(out, engine, worker, count); err != nil {
			return err
		}
	}
	more, err := engine.FitCount(worker, 64)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d more of them would fit\n", len(more))
	return tryDrain(out, engine, "a")
}

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}
