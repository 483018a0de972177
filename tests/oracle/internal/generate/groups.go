package generate

import "fmt"

// podGroups makes groups of running pods, and of consecutive pending ones. Groups are tried a
// second time.
func (g *generator) podGroups(s object) {
	var made, pending, again []object
	group := func(members []object) {
		name, namespace := fmt.Sprintf("group%d", len(made)), pick(g.source, namespaces...)
		priority := pick(g.source, -10, 0, 0, 5, 10, 10, 100, 1000)
		spec := object{"priority": priority, "schedulingPolicy": object{"basic": object{}}}
		if g.chance(75) {
			count := g.between(1, len(members))
			if g.chance(5) {
				count++
			}
			spec["schedulingPolicy"] = object{"gang": object{"minCount": count}}
		}
		if g.chance(60) {
			spec["disruptionMode"] = pick(g.source, object{"all": object{}}, object{"single": object{}})
		}
		if g.chance(g.topologies) {
			key := pick(g.source, "rack", "rack", zoneLabel, hostLabel, "missing")
			spec["schedulingConstraints"] = object{"topology": []object{{"key": key}}}
		}
		made = append(made, object{"metadata": object{"name": name, "namespace": namespace, "uid": name + "-uid"},
			"spec": spec})
		never := g.chance(g.never)
		for _, pod := range members {
			pod["metadata"].(object)["namespace"] = namespace
			own := pod["spec"].(object)
			own["priority"], own["schedulingGroup"] = priority, object{"podGroupName": name}
			delete(own, "preemptionPolicy")
			if never {
				own["preemptionPolicy"] = "Never"
			}
			if g.chance(1) {
				own["priority"] = priority + 1
			}
		}
	}
	running, _ := s["pods"].([]object)
	for at := 0; at < len(running); {
		size := min(g.between(1, 5), len(running)-at)
		members := present(running[at : at+size])
		if g.chance(35) && len(members) > 0 {
			group(members)
		}
		at += size
	}
	all, _ := s["pending"].([]object)
	for at := 0; at < len(all); {
		size := min(g.between(1, 5), len(all)-at)
		members := all[at : at+size]
		if g.chance(g.groups) {
			group(members)
			if g.chance(40) && (len(again) > 0 || at+size < len(all)) { // not at once
				again = append(again, members...)
			}
		}
		pending = append(pending, members...)
		at += size
	}
	s["pending"], s["podGroups"], s["gates"] = append(pending, again...), made, "GenericWorkload=true"
	s["events"] = []object{}
	if g.topologies > 0 {
		s["gates"] = "GenericWorkload=true,TopologyAwareWorkloadScheduling=true"
	}
}

// present returns the pods on existing nodes: a group with a pod on a missing node cannot be
// evicted, an error that does not last long on a real API server.
func present(pods []object) []object {
	var out []object
	for _, pod := range pods {
		if pod["spec"].(object)["nodeName"] != "gone" {
			out = append(out, pod)
		}
	}
	return out
}
