package generate

import "fmt"

// sequence adds events between decisions: nodes and pods are added, changed and removed. Some
// pending pods are listed again, to be tried once more.
func (g *generator) sequence(s object) {
	events := []object{}
	first := s["pending"].([]object)
	var pending []object
	for i, pod := range first {
		pending = append(pending, pod)
		for g.chance(g.retries) {
			pending = append(pending, first[g.below(i+1)])
		}
	}
	s["pending"] = pending
	note := func(before int, do, kind string, what object) {
		events = append(events, object{"before": before, "do": do, "kind": kind, "object": what})
	}
	running := s["pods"].([]object)
	for i := range pending {
		for range g.below(4) {
			switch g.below(10) {
			case 0, 1:
				g.nodeNames = append(g.nodeNames, fmt.Sprintf("n%d", len(g.nodeNames)))
				note(i, "put", "Node", g.node(len(g.nodeNames)-1))
			case 2, 3: // changed, or added again
				note(i, "put", "Node", g.node(g.below(len(g.nodeNames))))
			case 4:
				note(i, "delete", "Node", object{"metadata": object{"name": pick(g.source, g.nodeNames...)}})
			case 5, 6:
				pod := g.runningPod(fmt.Sprintf("late%d", len(events)))
				running = append(running, pod)
				note(i, "put", "Pod", pod)
			case 7:
				if len(running) > 0 {
					note(i, "put", "Pod", g.changed(pick(g.source, running...)))
				}
			default:
				if all := append(running[:len(running):len(running)], pending[:i]...); len(all) > 0 {
					note(i, "delete", "Pod", object{"metadata": pick(g.source, all...)["metadata"]})
				}
			}
		}
	}
	s["events"] = events
}

// changed returns the pod with other labels; its specification stays.
func (g *generator) changed(pod object) object {
	metadata := object{}
	for key, value := range pod["metadata"].(object) {
		metadata[key] = value
	}
	metadata["labels"] = object{"app": pick(g.source, apps...), "env": pick(g.source, "prod", "dev")}
	return object{"metadata": metadata, "spec": pod["spec"], "status": pod["status"]}
}
