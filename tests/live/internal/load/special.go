package load

import (
	"context"
	"fmt"

	"berth/tests/live/internal/api"
)

// LoadUnfit creates pods that fit nowhere, each with the expected message; nodes is the
// number of all nodes of the cluster.
func (p Plan) LoadUnfit(c *api.Client, nodes int) error {
	kinds := []struct {
		app  App
		text string
	}{
		{App{"huge", 1, 900000, 1, func(*api.Pod) {}}, fmt.Sprintf(
			"0/%d nodes are available: %d Insufficient cpu.", nodes, nodes)},
		{App{"nowhere", 1, 100, 1, func(pod *api.Pod) {
			pod.Spec.NodeSelector = map[string]string{"disk": "none"}
		}}, fmt.Sprintf("0/%d nodes are available: %d node(s) didn't match Pod's node affinity/selector.",
			nodes, nodes)},
	}
	for _, kind := range kinds {
		pod := p.Pod(kind.app, "unfit-"+kind.app.Name)
		pod.Meta.Labels[FitsLabel] = "false"
		pod.Meta.Annotations = map[string]string{MessageNote: kind.text}
		if err := c.Create("/api/v1/namespaces/"+p.Namespace+"/pods", pod, nil); err != nil {
			return err
		}
	}
	return nil
}

// The priorities are also in the pods, for servers without admission.
var lowPriority, highPriority = int32(-10), int32(1000)

// loadClasses creates two priority classes: for pods that are evicted, and for pods that evict.
func loadClasses(c *api.Client) error {
	for name, value := range map[string]int32{"bed-low": lowPriority, "bed-high": highPriority} {
		err := c.Ensure("/apis/scheduling.k8s.io/v1/priorityclasses",
			api.Any{"metadata": api.Any{"name": name}, "value": value})
		if err != nil {
			return err
		}
	}
	return nil
}

// addFull creates a node of a pool with pods of low priority on it, bound by hand.
func (p Plan) addFull(c *api.Client, i, milli int, pool string, low App) error {
	node := fmt.Sprintf("full-%03d", i)
	if err := AddNode(c, node, i, milli, 4096, pool); err != nil {
		return err
	}
	for j := range low.Replicas {
		pod := p.Pod(low, fmt.Sprintf("low-%03d-%d", i, j))
		pod.Spec.PriorityClass, pod.Spec.Priority, pod.Spec.NodeName = "bed-low", &lowPriority, node
		if err := c.Create(p.path(), pod, nil); err != nil {
			return err
		}
	}
	return nil
}

// addHigh creates a pod of high priority.
func (p Plan) addHigh(c *api.Client, i int, high App) error {
	pod := p.Pod(high, fmt.Sprintf("high-%03d", i))
	pod.Spec.PriorityClass, pod.Spec.Priority = "bed-high", &highPriority
	return c.Create(p.path(), pod, nil)
}

func (p Plan) path() string { return "/api/v1/namespaces/" + p.Namespace + "/pods" }

// LoadFull creates a pool of nodes filled with pods of low priority, bound by hand, and as many
// pods of high priority, each of which must evict one. Eviction makes room for them, so they fit.
func (p Plan) LoadFull(c *api.Client, nodes int) error {
	if err := loadClasses(c); err != nil {
		return err
	}
	for i := range nodes {
		if err := p.addFull(c, i, 2100, "full", App{"low", 2, 1000, 64, func(*api.Pod) {}}); err != nil {
			return err
		}
	}
	high := App{"high", nodes, 1100, 64, func(pod *api.Pod) {
		pod.Spec.NodeSelector = map[string]string{poolLabel: "full"}
	}}
	for i := range nodes {
		if err := p.addHigh(c, i, high); err != nil {
			return err
		}
	}
	return nil
}

// LoadStormNodes fills each of the plan's nodes, of 8 cores, with four pods of 2 cores and low
// priority.
func (p Plan) LoadStormNodes(c *api.Client) error {
	if err := loadClasses(c); err != nil {
		return err
	}
	if err := c.Ensure("/api/v1/namespaces", api.Any{"metadata": api.Any{"name": p.Namespace}}); err != nil {
		return err
	}
	return each(p.Nodes, func(i int) error {
		return p.addFull(c, i, 8000, "", App{"low", 4, 2000, 64, func(*api.Pod) {}})
	})
}

// LoadStorm creates the plan's pods, of 3 cores and high priority, as fast as the server accepts
// them. Each must evict two pods, or only one on a node where an eviction for another pod of the
// storm has left 2 cores free.
func (p Plan) LoadStorm(c *api.Client) error {
	high := App{"high", p.Pods, 3000, 64, func(*api.Pod) {}}
	return each(p.Pods, func(i int) error { return p.addHigh(c, i, high) })
}

// Kubelet ends pods that are being deleted, as a real kubelet would, until the context ends.
func Kubelet(ctx context.Context, c *api.Client) {
	_ = api.Follow(ctx, c, "/api/v1/pods", func(change api.Change[api.Pod]) {
		if change.Object.Meta.DeletionTimestamp != nil && change.Kind != "DELETED" {
			meta := change.Object.Meta
			_ = c.Delete("/api/v1/namespaces/" + meta.Namespace + "/pods/" + meta.Name)
		}
	})
}
