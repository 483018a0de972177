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
			spec["schedulingConstraints"] = g.topology()
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

func (g *generator) topology() object {
	key := pick(g.source, "rack", "rack", zoneLabel, hostLabel, "missing")
	return object{"topology": []object{{"key": key}}}
}

// compositeGroups makes trees of groups, each with pending pods one after the other, and some with
// running pods. Trees are tried a second time.
func (g *generator) compositeGroups(s object) {
	var groups, composites, pending []object
	running, _ := s["pods"].([]object)
	running = present(running)
	all, _ := s["pending"].([]object)
	second := func() string { return fmt.Sprintf("2026-01-01T00:00:%02dZ", g.between(0, 3)) }
	never, constrained, priority, namespace, joined := false, false, 0, "", 0
	join := func(pod object, group string) {
		pod["metadata"].(object)["namespace"] = namespace
		own := pod["spec"].(object)
		own["priority"], own["schedulingGroup"] = priority, object{"podGroupName": group}
		delete(own, "preemptionPolicy")
		if never {
			own["preemptionPolicy"] = "Never"
		}
	}
	heading := func(kind string, count int, parent string) (object, object) {
		name := fmt.Sprintf("%s%d", kind, count)
		spec := object{"priority": priority, "schedulingPolicy": object{"basic": object{}}}
		if parent != "" {
			spec["parentCompositePodGroupName"] = parent
		}
		if g.chance(50) {
			spec["disruptionMode"] = pick(g.source, object{"all": object{}}, object{"single": object{}})
		}
		if constrained && g.chance(50) {
			spec["schedulingConstraints"] = g.topology()
		}
		return object{"metadata": object{
			"name": name, "namespace": namespace, "uid": name + "-uid", "creationTimestamp": second(),
		}, "spec": spec}, spec
	}
	group := func(parent string) {
		made, spec := heading("group", len(groups), parent)
		name := made["metadata"].(object)["name"].(string)
		size := min(g.between(0, 4), len(all))
		for _, pod := range all[:size] {
			join(pod, name)
		}
		pending = append(pending, all[:size]...)
		all = all[size:]
		// Which of several pods outside of the domain an error names is left to chance.
		for len(running) > 0 && !(constrained && joined > 0) && g.chance(25) {
			join(running[0], name)
			running = running[1:]
			joined++
		}
		if g.chance(70) {
			spec["schedulingPolicy"] = object{"gang": object{"minCount": g.between(1, max(size, 1))}}
		}
		groups = append(groups, made)
	}
	var composite func(parent string, level int)
	composite = func(parent string, level int) {
		made, spec := heading("composite", len(composites), parent)
		name := made["metadata"].(object)["name"].(string)
		composites = append(composites, made)
		below := g.between(1, 3)
		for range below {
			if level < 3 && g.chance(25) {
				composite(name, level+1)
			} else {
				group(name)
			}
		}
		if g.chance(60) {
			spec["schedulingPolicy"] = object{"gang": object{"minGroupCount": g.between(1, below)}}
		}
	}
	var again []object
	for len(all) > 0 {
		before := len(pending)
		namespace, priority = pick(g.source, namespaces...), pick(g.source, -10, 0, 0, 5, 10, 10, 100, 1000)
		never, constrained, joined = g.chance(g.never), g.chance(g.topologies), 0
		if g.chance(80) {
			composite("", 1)
		} else {
			group("")
		}
		if len(pending) > before && len(all) > 0 && g.chance(40) {
			again = append(again, pending[before:]...)
		}
	}
	for len(running) > 0 && g.chance(70) { // trees without pending pods
		namespace, priority = pick(g.source, namespaces...), pick(g.source, -10, 0, 0, 5)
		composite("", 1)
		for range g.between(1, 4) {
			if len(running) > 0 {
				join(running[0], fmt.Sprintf("group%d", len(groups)-1))
				running = running[1:]
			}
		}
	}
	s["pending"], s["podGroups"], s["compositePodGroups"] = append(pending, again...), groups, composites
	s["gates"] = "GenericWorkload=true,TopologyAwareWorkloadScheduling=true,CompositePodGroup=true"
	s["events"] = []object{}
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
