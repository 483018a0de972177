// Consolidate finds nodes that the cluster does not need. Several goroutines ask, each on a branch
// of its own, whether the pods of one node fit elsewhere. Then nodes are emptied one after the
// other, each in a transaction that is kept only if all pods have found a place.
package main

import (
	"fmt"
	"io"
	"log"
	"os"
	"sync"

	berth "berth/go"
)

const cluster = `
{apiVersion: v1, kind: Node, metadata: {name: a}, status: {allocatable: {cpu: '8', pods: '10'}}}
---
{apiVersion: v1, kind: Node, metadata: {name: b}, status: {allocatable: {cpu: '8', pods: '10'}}}
---
{apiVersion: v1, kind: Node, metadata: {name: c}, status: {allocatable: {cpu: '8', pods: '10'}}}
---
{apiVersion: v1, kind: Pod, metadata: {name: w}, spec: {nodeName: a, containers: [{name: m, resources: {requests: {cpu: '5'}}}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: x}, spec: {nodeName: b, containers: [{name: m, resources: {requests: {cpu: '2'}}}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: yy}, spec: {nodeName: c, containers: [{name: m, resources: {requests: {cpu: '2'}}}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: z}, spec: {nodeName: c, containers: [{name: m, resources: {requests: {cpu: '1'}}}]}}
`

// empty closes a node and places its pods elsewhere; it reports whether all of them fit.
func empty(engine *berth.Engine, node berth.NodeID) (bool, error) {
	if err := engine.CloseNode(node, true); err != nil {
		return false, err
	}
	pods, err := engine.NodePods(node, nil)
	if err != nil {
		return false, err
	}
	if _, err := engine.UnbindBatch(pods); err != nil {
		return false, err
	}
	placed, err := engine.ScheduleGroup(pods, nil)
	return placed == len(pods), err
}

// candidates asks about all nodes at the same time, each on a branch.
func candidates(engine *berth.Engine, nodes []berth.NodeID) ([]bool, error) {
	if err := engine.Publish(); err != nil {
		return nil, err
	}
	snapshot, err := engine.Snapshot()
	if err != nil {
		return nil, err
	}
	defer snapshot.Close()
	can, errs := make([]bool, len(nodes)), make([]error, len(nodes))
	var planners sync.WaitGroup
	for i, node := range nodes {
		planners.Add(1)
		go func() {
			defer planners.Done()
			branch, err := snapshot.Branch()
			if err != nil {
				errs[i] = err
				return
			}
			defer branch.Close()
			can[i], errs[i] = empty(branch.Engine, node)
		}()
	}
	planners.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return can, nil
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
	nodes, err := engine.Nodes(nil)
	if err != nil {
		return err
	}
	names, err := engine.NodeNames(nodes)
	if err != nil {
		return err
	}
	can, err := candidates(engine, nodes)
	if err != nil {
		return err
	}
	for i, name := range names {
		fmt.Fprintf(out, "%s alone could go: %v\n", name, can[i])
	}
	for i, node := range nodes {
		if !can[i] {
			continue
		}
		gone := false
		if err := engine.Try(func() (bool, error) {
			gone, err = empty(engine, node)
			return gone, err
		}); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s goes: %v\n", names[i], gone)
	}
	return nil
}

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}
