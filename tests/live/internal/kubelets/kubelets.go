// Package kubelets simulates kubelets: nodes that are ready, pods that start as soon as they are bound and end as
// soon as they are deleted, or after the sleep of their preStop hook.
package kubelets

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"berth/tests/live/internal/api"
)

// Nodes describes the simulated nodes.
type Nodes struct {
	Count int
	Room  map[string]string // capacity and allocatable amounts of each
}

const (
	leases         = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases"
	heartbeat      = 10 * time.Second
	strategicPatch = "application/strategic-merge-patch+json"
	workers        = 8
)

// NodeName returns the name of node i.
func NodeName(i int) string { return fmt.Sprintf("node-%d", i) }

// Run creates the nodes and plays their kubelets until the context ends.
func (n Nodes) Run(ctx context.Context, c *api.Client) error {
	if err := c.Ensure("/api/v1/namespaces", api.Any{"metadata": api.Any{"name": "kube-node-lease"}}); err != nil {
		return err
	}
	mine := map[string]bool{}
	for i := range n.Count {
		if err := n.register(c, i); err != nil {
			return err
		}
		mine[NodeName(i)] = true
	}
	pods := make(chan api.Pod, 1024)
	var running sync.WaitGroup
	running.Add(workers + 2)
	for range workers {
		go func() {
			defer running.Done()
			for pod := range pods {
				play(ctx, c, pod)
			}
		}()
	}
	go func() {
		defer running.Done()
		n.renew(ctx, c)
	}()
	go func() {
		defer running.Done()
		_ = api.Follow(ctx, c, "/api/v1/nodes", func(change api.Change[api.Node]) {
			if (change.Kind == "ADDED" || change.Kind == "MODIFIED") && mine[change.Object.Meta.Name] {
				allow(ctx, c, change.Object)
			}
		})
	}()
	err := api.Follow(ctx, c, "/api/v1/pods", func(change api.Change[api.Pod]) {
		if (change.Kind == "ADDED" || change.Kind == "MODIFIED") && mine[change.Object.Spec.NodeName] {
			pods <- change.Object
		}
	})
	close(pods)
	running.Wait()
	return err
}

func (n Nodes) register(c *api.Client, i int) error {
	name := NodeName(i)
	labels := map[string]string{"kubernetes.io/hostname": name, "kubernetes.io/os": "linux",
		"kubernetes.io/arch": "amd64", "topology.kubernetes.io/zone": fmt.Sprintf("zone-%d", i%2)}
	conditions := []api.Any{condition("Ready", "True")}
	for _, kind := range []string{"MemoryPressure", "DiskPressure", "PIDPressure"} {
		conditions = append(conditions, condition(kind, "False"))
	}
	err := c.Ensure("/api/v1/nodes", api.Any{"apiVersion": "v1", "kind": "Node",
		"metadata": api.Any{"name": name, "labels": labels},
		"status": api.Any{"capacity": n.Room, "allocatable": n.Room, "conditions": conditions,
			"addresses": []api.Any{{"type": "InternalIP", "address": address(i)}}}})
	if err != nil {
		return err
	}
	if err := c.Ensure(leases, lease(name)); err != nil {
		return err
	}
	return c.Patch("/api/v1/nodes/"+name, api.Any{"spec": api.Any{"taints": nil}})
}

// allow makes a node's whole capacity allocatable: tests add resources to the capacity alone.
func allow(ctx context.Context, c *api.Client, node api.Node) {
	changed := api.Any{}
	for name, amount := range node.Status.Capacity {
		if node.Status.Allocatable[name] != amount {
			changed[name] = amount
		}
	}
	for name := range node.Status.Allocatable {
		if _, there := node.Status.Capacity[name]; !there {
			changed[name] = nil
		}
	}
	if len(changed) > 0 {
		_ = c.Send(ctx, http.MethodPatch, "/api/v1/nodes/"+node.Meta.Name+"/status", "application/merge-patch+json",
			api.Any{"status": api.Any{"allocatable": changed}}, nil)
	}
}

func address(i int) string { return fmt.Sprintf("10.1.0.%d", i+1) }

func condition(kind, status string) api.Any {
	now := time.Now().UTC().Format(time.RFC3339)
	return api.Any{"type": kind, "status": status, "reason": "Simulated", "lastHeartbeatTime": now,
		"lastTransitionTime": now}
}

func lease(name string) api.Any {
	return api.Any{"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": api.Any{"name": name},
		"spec": api.Any{"holderIdentity": name, "leaseDurationSeconds": 40,
			"renewTime": time.Now().UTC().Format("2006-01-02T15:04:05.000000Z")}}
}

func (n Nodes) renew(ctx context.Context, c *api.Client) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(heartbeat):
		}
		for i := range n.Count {
			// A server that is away gets the next one.
			_ = c.Patch(leases+"/"+NodeName(i), api.Any{"spec": lease(NodeName(i))["spec"]})
		}
	}
}

// play does what a kubelet does about a pod: it starts it, or ends it. What fails is tried again when the pod
// changes the next time.
func play(ctx context.Context, c *api.Client, pod api.Pod) {
	path := "/api/v1/namespaces/" + pod.Meta.Namespace + "/pods/" + pod.Meta.Name
	switch {
	case pod.Meta.DeletionTimestamp != nil && sleep(pod) > 0:
		go func() { // deleting a pod that is gone does nothing
			select {
			case <-ctx.Done():
			case <-time.After(sleep(pod)):
				end(ctx, c, path, pod)
			}
		}()
	case pod.Meta.DeletionTimestamp != nil:
		end(ctx, c, path, pod)
	case pod.Status.Phase == "Pending":
		_ = c.Send(ctx, http.MethodPatch, path+"/status", strategicPatch, started(pod), nil)
	}
}

func sleep(pod api.Pod) (longest time.Duration) {
	for _, container := range pod.Spec.Containers {
		if container.Lifecycle != nil {
			longest = max(longest, time.Duration(container.Lifecycle.PreStop.Sleep.Seconds)*time.Second)
		}
	}
	return longest
}

func end(ctx context.Context, c *api.Client, path string, pod api.Pod) {
	now := api.Any{"gracePeriodSeconds": 0, "preconditions": api.Any{"uid": pod.Meta.UID}}
	_ = c.Send(ctx, http.MethodDelete, path, "application/json", now, nil)
}

func started(pod api.Pod) api.Any {
	now := time.Now().UTC().Format(time.RFC3339)
	var conditions, containers []api.Any
	for _, kind := range []string{"Initialized", "ContainersReady", "Ready"} {
		conditions = append(conditions, api.Any{"type": kind, "status": "True", "lastTransitionTime": now})
	}
	for _, container := range pod.Spec.Containers {
		containers = append(containers, api.Any{"name": container.Name, "image": container.Image,
			"imageID": container.Image, "containerID": "simulated://" + pod.Meta.UID + "/" + container.Name,
			"ready": true, "started": true, "restartCount": 0,
			"state": api.Any{"running": api.Any{"startedAt": now}}})
	}
	return api.Any{"metadata": api.Any{"uid": pod.Meta.UID},
		"status": api.Any{"phase": "Running", "startTime": now, "hostIP": "10.1.0.1", "podIP": "10.2.0.1",
			"podIPs": []api.Any{{"ip": "10.2.0.1"}}, "conditions": conditions, "containerStatuses": containers}}
}
