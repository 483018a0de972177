package check

import (
	"fmt"

	"berth/tests/live/internal/api"
)

type claim struct {
	Meta   api.Meta `json:"metadata"`
	Spec   struct{ VolumeName string }
	Status struct{ Phase string }
}

// ReadBack lists the server's objects once nothing changes any more, and compares them with what
// the watch saw: the same pods must be on the same nodes, no node may be overcommitted, and all
// claims of pods must have volumes.
func (w *Cluster) ReadBack(c *api.Client) error {
	var nodes struct{ Items []api.Node }
	var pods struct{ Items []api.Pod }
	var claims struct{ Items []claim }
	for path, list := range map[string]any{"/api/v1/nodes": &nodes, "/api/v1/pods": &pods,
		"/api/v1/persistentvolumeclaims": &claims} {
		if err := c.Get(path, list); err != nil {
			return err
		}
	}
	volumes := map[string]bool{}
	for _, q := range claims.Items {
		volumes[q.Meta.Key()] = q.Spec.VolumeName != "" && q.Status.Phase == "Bound"
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	used := map[string]*node{}
	there := map[string]bool{}
	for _, now := range pods.Items {
		there[now.Meta.UID] = true
		w.holdBack(&now, volumes)
		if !now.Running() {
			continue
		}
		n := used[now.Spec.NodeName]
		if n == nil {
			n = &node{}
			used[now.Spec.NodeName] = n
		}
		if p := w.pods[now.Meta.UID]; p != nil {
			n.take(p, 1)
		}
	}
	for uid, p := range w.pods {
		if !p.gone && !there[uid] {
			w.breaks("I1", "%s was seen and is not in the final list", p.Meta.Key())
		}
	}
	for _, now := range nodes.Items {
		w.holdRoom(&now, used[now.Meta.Name])
	}
	return nil
}

func (w *Cluster) holdBack(now *api.Pod, volumes map[string]bool) {
	p := w.pods[now.Meta.UID]
	if p == nil || p.gone || p.Spec.NodeName != now.Spec.NodeName {
		w.breaks("I1", "%s is on %q in the final list, and the watch told otherwise", now.Meta.Key(),
			now.Spec.NodeName)
	}
	if now.Spec.NodeName == "" || now.Spec.SchedulerName != w.Scheduler {
		return
	}
	for _, volume := range now.Spec.Volumes {
		source, _ := volume["persistentVolumeClaim"].(map[string]any)
		if source == nil {
			continue
		}
		if name := fmt.Sprint(source["claimName"]); !volumes[now.Meta.Namespace+"/"+name] {
			w.breaks("I3", "%s is on %s and its claim %s has no volume", now.Meta.Key(), now.Spec.NodeName, name)
		}
	}
}

func (w *Cluster) holdRoom(now *api.Node, used *node) {
	seen := w.nodes[now.Meta.Name]
	if used == nil || seen == nil || !seen.foreign.IsZero() {
		return
	}
	room := now.Status.Allocatable
	if used.usedMilli > quantity(room["cpu"]) || used.usedBytes > quantity(room["memory"]) ||
		used.usedPods > quantity(room["pods"]) {
		w.breaks("I3", "%s has more than it can have in the final list", now.Meta.Name)
	}
}
