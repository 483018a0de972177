package load

import (
	"context"
	"fmt"

	"berth/tests/live/internal/api"
)

// LoadUnfit creates pods that have no room anywhere, each with the text that tells why; nodes is the
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

// LoadFull creates a pool of nodes that pods of low priority fill, bound by hand, and as many pods of
// high priority that must evict one each. Eviction makes room for them, so they fit.
func (p Plan) LoadFull(c *api.Client, nodes int) error {
	lowPriority, highPriority := int32(-10), int32(1000) // said, too, for servers without admission
	for name, value := range map[string]int32{"bed-low": lowPriority, "bed-high": highPriority} {
		err := c.Ensure("/apis/scheduling.k8s.io/v1/priorityclasses",
			api.Any{"metadata": api.Any{"name": name}, "value": value})
		if err != nil {
			return err
		}
	}
	low := App{"low", nodes, 1000, 64, func(*api.Pod) {}}
	high := App{"high", nodes, 1100, 64, func(pod *api.Pod) {
		pod.Spec.NodeSelector = map[string]string{poolLabel: "full"}
	}}
	path := "/api/v1/namespaces/" + p.Namespace + "/pods"
	for i := range nodes {
		node := fmt.Sprintf("full-%03d", i)
		if err := AddNode(c, node, i, 2100, 4096, "full"); err != nil {
			return err
		}
		for j := range 2 {
			pod := p.Pod(low, fmt.Sprintf("low-%03d-%d", i, j))
			pod.Spec.PriorityClass, pod.Spec.Priority, pod.Spec.NodeName = "bed-low", &lowPriority, node
			if err := c.Create(path, pod, nil); err != nil {
				return err
			}
		}
	}
	for i := range nodes {
		pod := p.Pod(high, fmt.Sprintf("high-%03d", i))
		pod.Spec.PriorityClass, pod.Spec.Priority = "bed-high", &highPriority
		if err := c.Create(path, pod, nil); err != nil {
			return err
		}
	}
	return nil
}

// Kubelet ends pods that are being deleted, as theirs would, until the context ends.
func Kubelet(ctx context.Context, c *api.Client) {
	_ = api.Follow(ctx, c, "/api/v1/pods", func(change api.Change[api.Pod]) {
		if change.Object.Meta.DeletionTimestamp != nil && change.Kind != "DELETED" {
			meta := change.Object.Meta
			_ = c.Delete("/api/v1/namespaces/" + meta.Namespace + "/pods/" + meta.Name)
		}
	})
}
