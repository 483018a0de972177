package generate

import "fmt"

func (g *generator) containers(spec object) {
	var containers, inits []object
	for i := range g.between(1, 2) {
		containers = append(containers, g.container(fmt.Sprintf("c%d", i)))
	}
	if g.chance(g.ports) {
		containers[0]["ports"] = g.hostPorts()
	}
	if g.chance(g.initContainers) {
		for i := range g.between(1, 3) {
			container := g.container(fmt.Sprintf("i%d", i))
			if g.chance(45) {
				container["restartPolicy"] = "Always"
			}
			if g.chance(g.sidecarPorts) {
				container["ports"] = g.hostPorts()
			}
			inits = append(inits, container)
		}
	}
	spec["containers"] = containers
	if inits != nil {
		spec["initContainers"] = inits
	}
}

func (g *generator) container(name string) object {
	container := object{"name": name, "image": pick(g.source, imageNames...)}
	if !g.chance(g.requests) {
		return container
	}
	requests := object{}
	if g.chance(85) {
		requests["cpu"] = g.cpu()
	}
	if g.chance(75) {
		requests["memory"] = g.memory()
	}
	if g.chance(12) {
		requests["ephemeral-storage"] = pick(g.source, "1Gi", "10Gi", "30Gi", "0")
	}
	resources := object{"requests": requests}
	if g.chance(g.scalars) {
		g.scalarRequests(resources)
	}
	if g.chance(g.extended) {
		g.extendedRequests(resources)
	}
	if len(requests) > 0 {
		container["resources"] = resources
	}
	return container
}

func (g *generator) cpu() string {
	if g.chance(g.oddRequests) {
		return pick(g.source, "0", "1m", "0.5", "1e-1", "333m", "1.5", "5", "100", "100u", "1500001u", "1n")
	}
	return pick(g.source, "100m", "250m", "500m", "1", "1500m", "2", "3")
}

func (g *generator) memory() string {
	if g.chance(g.oddRequests) {
		return pick(g.source, "0", "1", "1e9", "0.5Gi", "3G", "1000000001", "256M", "40Gi", "1500m", "1E-3", "1Ti", "3000Ki")
	}
	return pick(g.source, "64Mi", "128Mi", "256Mi", "512Mi", "1Gi", "2Gi", "4Gi")
}

// scalarRequests adds requests with equal limits, as the API requires.
func (g *generator) scalarRequests(resources object) {
	requests := resources["requests"].(object)
	limits := object{}
	for _, name := range append([]string{"nobody.io/thing"}, scalarNames...) {
		if g.chance(25) {
			amount := g.scalar(name)
			requests[name], limits[name] = amount, amount
		}
	}
	if len(limits) > 0 {
		resources["limits"] = limits
	}
}

// podResources adds requests of the pod as a whole; of huge pages and other resources, only if no
// container requests more, because the API server would refuse the pod otherwise.
func (g *generator) podResources(spec object) {
	requests := object{}
	if g.chance(80) {
		requests["cpu"] = pick(g.source, "2", "4", "6", "6500m")
	}
	if g.chance(70) {
		requests["memory"] = pick(g.source, "4Gi", "9000M", "8Gi")
	}
	if g.chance(15) {
		requests["hugepages-2Mi"] = pick(g.source, "1Gi", "2Gi")
	}
	if len(requests) == 0 {
		return
	}
	spec["resources"] = object{"requests": requests}
}

// resize makes the status of containers that are being resized in place.
func (g *generator) resize(spec, status object) {
	statuses := func(key string) []object {
		containers, _ := spec[key].([]object)
		var out []object
		for _, container := range containers {
			if g.chance(15) {
				continue
			}
			entry := object{"name": container["name"], "ready": true, "state": object{"running": object{}}}
			if g.chance(80) {
				resources := object{"cpu": g.cpu(), "memory": g.memory()}
				if g.chance(15) {
					delete(resources, pick(g.source, "cpu", "memory"))
				}
				entry["resources"] = object{"requests": resources}
			}
			if g.chance(75) {
				entry["allocatedResources"] = object{"cpu": g.cpu(), "memory": g.memory()}
			}
			out = append(out, entry)
		}
		return out
	}
	status["containerStatuses"] = statuses("containers")
	if inits := statuses("initContainers"); inits != nil {
		status["initContainerStatuses"] = inits
	}
	if g.chance(40) {
		status["conditions"] = []object{{
			"type": "PodResizePending", "status": "True", "reason": pick(g.source, "Infeasible", "Infeasible", "Deferred"),
		}}
	}
	if g.podStatus > 0 {
		g.podStatusOf(status)
	} else if g.podLevel > 0 && g.chance(40) {
		status["resources"] = object{"requests": object{"cpu": g.cpu(), "memory": g.memory()}}
		status["allocatedResources"] = object{"cpu": g.cpu(), "memory": g.memory()}
	}
}

// podStatusOf makes a kubelet's status of the pod as a whole: each of its lists may be missing, or
// name fewer or more resources than the specification.
func (g *generator) podStatusOf(status object) {
	list := func() object {
		out := object{}
		if g.chance(85) {
			out["cpu"] = g.cpu()
		}
		if g.chance(80) {
			out["memory"] = g.memory()
		}
		if g.chance(15) {
			out["hugepages-2Mi"] = pick(g.source, "512Mi", "1Gi")
		}
		if g.chance(8) {
			out["example.com/fpga"] = pick(g.source, "1", "2")
		}
		return out
	}
	if g.chance(g.podStatus) {
		resources := object{}
		if requests := list(); g.chance(85) && len(requests) > 0 {
			resources["requests"] = requests
		}
		status["resources"] = resources
	}
	if allocated := list(); g.chance(g.podStatus) && len(allocated) > 0 {
		status["allocatedResources"] = allocated
	}
}
