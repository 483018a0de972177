package generate

import (
	"fmt"
	"sort"
)

const (
	gpuDriver = "gpu.example.com"
	nicDriver = "nic.example.com"
	pcieRoot  = "resource.kubernetes.io/pcieRoot"
)

// selectors are the selectors of requests; most of them fail with an error on some device.
var selectors = []string{
	"device.attributes['gpu.example.com'].model == 'A100'",
	"device.attributes['gpu.example.com'].?model.orValue('') == 'H100'",
	"device.attributes['gpu.example.com'].index < 2",
	"has(device.attributes['gpu.example.com'].healthy) && device.attributes['gpu.example.com'].healthy",
	"device.capacity['gpu.example.com'].memory.compareTo(quantity('40Gi')) >= 0",
	"device.attributes['gpu.example.com'].driverVersion.compareTo(semver('2.0.0')) >= 0",
	"'nic.example.com' in device.attributes && device.attributes['nic.example.com'].speed >= 100",
	"device.driver == 'gpu.example.com' || device.attributes['nic.example.com'].rdma",
	"device.allowMultipleAllocations == true",
	"!has(device.attributes['gpu.example.com'].uuid) || device.attributes['gpu.example.com'].uuid.endsWith('1')",
	"true",
}

// amountsNearTheEnd are near the end of 64 bits, and some are not whole.
var amountsNearTheEnd = []string{
	"9223372036854775807", "9E", "8000000Ti", "9223372036854775806", "7Ei", "9223372036854775807500m",
	"9007199254740991Ki", "4294967296.5", "9.2e18",
}

// devices makes slices, classes, claims of other pods, and claims of the pending pods.
func (g *generator) devices(s object, pending []object) {
	var slices []object
	for _, node := range g.nodeNames {
		if g.chance(75) {
			slices = append(slices, g.localPool(node, gpuDriver)...)
		}
		if g.chance(40) {
			slices = append(slices, g.localPool(node, nicDriver)...)
		}
	}
	if g.chance(40) {
		slices = append(slices, g.sharedPools()...)
	}
	if g.splits > 0 {
		slices = append(slices, g.splitPools()...)
	}
	s["resourceSlices"] = slices
	if g.taintRules > 0 && g.chance(g.taintRules) {
		s["deviceTaintRules"] = g.deviceTaintRules()
	}
	s["deviceClasses"] = g.deviceClasses()
	claims := g.heldClaims(slices)
	if g.extended > 0 {
		s["deviceClasses"] = g.extendedClasses(s["deviceClasses"].([]object))
	}
	for i, pod := range pending {
		if g.chance(g.claims) {
			claims = append(claims, g.podClaims(pod, i, claims)...)
		}
	}
	if g.extended > 0 {
		claims = append(claims, g.specialClaims(pending)...)
	}
	s["resourceClaims"] = claims
}

// deviceTaintRules taint devices by driver, pool and name, or all of them, or none.
func (g *generator) deviceTaintRules() []object {
	var out []object
	for i := range g.between(1, 4) {
		selector := object{}
		if g.chance(60) {
			selector["driver"] = pick(g.source, gpuDriver, nicDriver, "no.example.com")
		}
		if g.chance(50) {
			selector["pool"] = pick(g.source, g.nodeNames...)
		}
		if g.chance(40) {
			selector["device"] = fmt.Sprintf("%s-%d", pick(g.source, "gpu", "nic", "d"), g.below(4))
		}
		spec := object{"taint": object{
			"key": pick(g.source, "broken", "maintenance", "slow"), "value": pick(g.source, "", "yes", "no"),
			"effect": pick(g.source, "NoSchedule", "NoSchedule", "NoExecute", "None"),
		}}
		if g.chance(90) {
			spec["deviceSelector"] = selector
		}
		out = append(out, object{"metadata": object{"name": fmt.Sprintf("rule%d", i)}, "spec": spec})
	}
	return out
}

func cel(expressions ...string) []object {
	var out []object
	for _, expression := range expressions {
		out = append(out, object{"cel": object{"expression": expression}})
	}
	return out
}

func (g *generator) deviceClasses() []object {
	class := func(name string, expressions ...string) object {
		return object{"metadata": object{"name": name, "uid": name + "-uid"}, "spec": object{"selectors": cel(expressions...)}}
	}
	nic := class("nic", "device.driver == \"nic.example.com\"")
	if g.many > 0 && g.chance(15) { // fails on devices that are not said to be healthy or not
		nic = class("nic", "device.driver == \"nic.example.com\" || device.attributes['gpu.example.com'].healthy")
	}
	return []object{
		class("gpu", "device.driver == 'gpu.example.com'"),
		nic,
		class("big", "device.driver == 'gpu.example.com'",
			"device.capacity['gpu.example.com'].memory.compareTo(quantity('40Gi')) >= 0"),
		{"metadata": object{"name": "any", "uid": "any-uid"}, "spec": object{}},
	}
}

// localPool makes the pool of a driver on one node: one slice or two, with or without partitions.
func (g *generator) localPool(node, driver string) []object {
	generation := g.between(1, 3)
	partitioned := driver == gpuDriver && g.chance(g.partitions)
	var lists [][]object
	for range g.between(1, 2) {
		lists = append(lists, nil)
	}
	count := g.between(1, 5)
	if g.many > 0 {
		count = g.between(6, 18)
	}
	for i := range count {
		list := g.below(len(lists))
		lists[list] = append(lists[list], g.device(driver, node, i, partitioned))
	}
	slice := func(i int, spec object) object {
		name := fmt.Sprintf("s-%s-%s-%d", node, driver[:3], i)
		spec["driver"], spec["nodeName"] = driver, node
		spec["pool"] = object{"name": node, "generation": generation, "resourceSliceCount": len(lists)}
		return object{"metadata": object{"name": name, "uid": name + "-uid"}, "spec": spec}
	}
	if partitioned {
		lists = append(lists, nil)
	}
	var out []object
	for i, list := range lists {
		spec := object{"devices": list}
		if partitioned && i == len(lists)-1 {
			spec = object{"sharedCounters": []object{g.counterSet("memory", "slices"), g.counterSet("spare", "slices")}}
		}
		out = append(out, slice(i, spec))
	}
	return g.spoiled(out)
}

func (g *generator) counterSet(name string, counters ...string) object {
	values := object{}
	for _, counter := range counters {
		values[counter] = object{"value": fmt.Sprint(g.between(4, 10))}
	}
	return object{"name": name, "counters": values}
}

// spoiled makes some pools incomplete, superseded or invalid.
func (g *generator) spoiled(slices []object) []object {
	if !g.chance(g.broken) {
		return slices
	}
	spec := slices[0]["spec"].(object)
	pool := spec["pool"].(object)
	switch g.below(4) {
	case 0: // a slice is missing
		for _, slice := range slices {
			pool := slice["spec"].(object)["pool"].(object)
			pool["resourceSliceCount"] = pool["resourceSliceCount"].(int) + 1
		}
	case 1: // the same name twice
		// Scores of resources backed by devices remember a device by its name, so the result would
		// depend on which of the two is visited first.
		if list, _ := spec["devices"].([]object); len(list) > 1 && g.extended == 0 {
			list[1]["name"] = list[0]["name"]
		}
	case 2: // an old generation is still there
		old := object{"metadata": object{"name": slices[0]["metadata"].(object)["name"].(string) + "-old", "uid": "old-uid"}}
		device := g.device(spec["driver"].(string), "old", 9, false)
		old["spec"] = object{"driver": spec["driver"], "nodeName": spec["nodeName"], "devices": []object{device},
			"pool": object{"name": pool["name"], "generation": 0, "resourceSliceCount": 1}}
		slices = append(slices, old)
	case 3: // another node has a newer one
		newer := object{"metadata": object{"name": slices[0]["metadata"].(object)["name"].(string) + "-new", "uid": "new-uid"}}
		device := g.device(spec["driver"].(string), "new", 8, false)
		newer["spec"] = object{"driver": spec["driver"], "nodeName": pick(g.source, g.nodeNames...), "devices": []object{device},
			"pool": object{"name": pool["name"], "generation": pool["generation"].(int) + 1, "resourceSliceCount": 1}}
		slices = append(slices, newer)
	}
	return slices
}

func (g *generator) device(driver, node string, i int, partitioned bool) object {
	device := object{"name": fmt.Sprintf("%s-%d", driver[:3], i)}
	attributes := object{pcieRoot: object{"string": fmt.Sprintf("root%d", i/2)}}
	if driver == gpuDriver {
		g.gpu(device, attributes, node, i)
	} else {
		attributes["speed"] = object{"int": pick(g.source, 25, 100, 200)}
		attributes[driver+"/rdma"] = object{"bool": g.chance(60)}
	}
	device["attributes"] = attributes
	if partitioned && g.chance(80) {
		counters := object{"slices": object{"value": fmt.Sprint(g.between(1, 5))}}
		consumes := []object{{"counterSet": pick(g.source, "memory", "spare"), "counters": counters}}
		if g.chance(g.broken / 2) {
			consumes[0]["counterSet"] = "gone"
		}
		device["consumesCounters"] = consumes
	}
	if g.chance(g.taintedDevices) {
		device["taints"] = []object{{"key": "maintenance", "value": "yes", "timeAdded": "2026-01-01T00:00:00Z",
			"effect": pick(g.source, "NoSchedule", "NoExecute", "None")}}
	}
	if g.chance(g.sharedDevices) {
		device["allowMultipleAllocations"] = true
		g.policies(device)
	}
	if g.chance(5) {
		device["bindingConditions"] = []string{"Ready"}
		device["bindingFailureConditions"] = []string{"Failed"}
		device["bindsToNode"] = g.chance(50)
	}
	return device
}

func (g *generator) gpu(device, attributes object, node string, i int) {
	if g.chance(85) {
		attributes["model"] = object{"string": pick(g.source, "A100", "H100", "L4")}
	}
	attributes["index"] = object{"int": i}
	if g.chance(90) {
		attributes["healthy"] = object{"bool": g.chance(80)}
	}
	attributes["driverVersion"] = object{"version": pick(g.source, "1.2.3", "2.0.0", "2.1.0-rc.1")}
	attributes["numa"] = object{"int": i / 2}
	attributes["uuid"] = object{"string": fmt.Sprintf("u-%s-%d", node, i)}
	device["capacity"] = object{
		"memory": object{"value": pick(g.source, "24Gi", "40Gi", "80Gi")},
		"cores":  object{"value": pick(g.source, "108", "132")},
	}
}

// policies adds rules on how much of a capacity a request may get.
func (g *generator) policies(device object) {
	capacity, _ := device["capacity"].(object)
	if capacity == nil {
		capacity = object{"bandwidth": object{"value": "10"}}
		device["capacity"] = capacity
	}
	names := make([]string, 0, len(capacity))
	for name := range capacity {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		entry := capacity[name].(object)
		switch {
		case name == "memory":
			if g.chance(70) {
				entry["requestPolicy"] = object{"default": "8Gi", "validRange": object{"min": "4Gi", "max": "32Gi", "step": "4Gi"}}
			}
		case name == "cores":
			if g.chance(70) {
				entry["requestPolicy"] = object{"default": "20", "validValues": []string{"10", "20", "54"}}
			}
		case g.chance(50):
			entry["requestPolicy"] = object{"default": "2", "validRange": object{"min": "1", "max": "8"}}
		}
	}
}

// sharedPools makes pools for all nodes, for the nodes of a zone, or with nodes named for each
// device.
func (g *generator) sharedPools() []object {
	var out []object
	slice := func(name, driver string, spec object) {
		spec["driver"] = driver
		spec["pool"] = object{"name": name, "generation": 1, "resourceSliceCount": 1}
		out = append(out, object{"metadata": object{"name": "s-" + name, "uid": "s-" + name + "-uid"}, "spec": spec})
	}
	list := func(driver string, count int) []object {
		var devices []object
		for i := range count {
			devices = append(devices, g.device(driver, "net", i, false))
		}
		return devices
	}
	zone := func() object {
		return object{"nodeSelectorTerms": []object{{"matchExpressions": []object{
			{"key": zoneLabel, "operator": "In", "values": []string{pick(g.source, "z0", "z1", "z2")}}}}}}
	}
	if g.chance(60) {
		slice("net", nicDriver, object{"allNodes": true, "devices": list(nicDriver, g.between(1, 4))})
	}
	if g.chance(60) {
		slice("zonal", pick(g.source, gpuDriver, nicDriver), object{"nodeSelector": zone(), "devices": list(gpuDriver, g.between(1, 3))})
	}
	if g.chance(60) {
		devices := list(gpuDriver, g.between(2, 4))
		for _, device := range devices {
			switch g.below(3) {
			case 0:
				device["nodeName"] = pick(g.source, g.nodeNames...)
			case 1:
				device["allNodes"] = true
			case 2:
				device["nodeSelector"] = zone()
			}
		}
		slice("mixed", gpuDriver, object{"perDeviceNodeSelection": true, "devices": devices})
	}
	return out
}

// heldClaims makes claims that have devices already.
func (g *generator) heldClaims(slices []object) []object {
	var out []object
	for _, slice := range slices {
		spec := slice["spec"].(object)
		devices, _ := spec["devices"].([]object)
		for _, device := range devices {
			if device["name"] == "" || !g.chance(g.heldDevices) {
				continue
			}
			name := fmt.Sprintf("held%d", len(out))
			result := object{"request": "r0", "driver": spec["driver"], "pool": spec["pool"].(object)["name"], "device": device["name"]}
			if g.chance(8) {
				result["adminAccess"] = true
			}
			if multi, _ := device["allowMultipleAllocations"].(bool); multi {
				result["shareID"] = "a671734a-e8e5-11e4-8fde-42010af0932" + fmt.Sprint(len(out)%10)
				result["consumedCapacity"] = g.consumed(device)
			}
			allocation := object{"devices": object{"results": []object{result}}}
			if node, local := spec["nodeName"]; local {
				allocation["nodeSelector"] = object{"nodeSelectorTerms": []object{{"matchFields": []object{
					{"key": "metadata.name", "operator": "In", "values": []any{node}}}}}}
			}
			status := object{"allocation": allocation}
			if g.chance(60) {
				status["reservedFor"] = []object{{"resource": "pods", "name": "other", "uid": "other-uid"}}
			}
			if g.splits > 0 && g.chance(40) {
				g.bindingStatus(status, result)
			}
			if g.splits > 0 && g.chance(6) {
				status["reservedFor"] = crowd()
			}
			out = append(out, object{"metadata": object{"name": name, "namespace": "default", "uid": name + "-uid"},
				"spec":   object{"devices": object{"requests": []object{{"name": "r0", "exactly": g.exact("gpu")}}}},
				"status": status})
		}
	}
	return out
}

func (g *generator) consumed(device object) object {
	out := object{}
	for name := range device["capacity"].(object) {
		switch name {
		case "memory":
			out[name] = "8Gi"
		case "cores":
			out[name] = "20"
		default:
			out[name] = "2"
		}
	}
	return out
}

// exact makes the content of one request or alternative.
func (g *generator) exact(class string) object {
	out := object{"deviceClassName": class, "allocationMode": "ExactCount", "count": pick(g.source, 1, 1, 1, 2, 3)}
	if g.chance(max(12, g.many)) {
		out["allocationMode"] = "All"
		delete(out, "count")
	} else if g.splits > 0 && g.chance(3) { // a claim gets 32 devices at most
		out["count"] = 33
	}
	if g.chance(30) {
		out["selectors"] = cel(some(g.source, 1, 2, selectors)...)
	}
	if g.chance(30) {
		toleration := object{"key": "maintenance", "operator": pick(g.source, "Exists", "Equal")}
		if toleration["operator"] == "Equal" {
			toleration["value"] = pick(g.source, "yes", "no")
		}
		if g.chance(50) {
			toleration["effect"] = pick(g.source, "NoSchedule", "NoExecute")
		}
		out["tolerations"] = []object{toleration}
	}
	if g.chance(g.sharedDevices / 2) {
		requests := object{}
		if class != "nic" {
			requests["memory"] = pick(g.source, "2Gi", "6Gi", "16Gi", "64Gi")
			if g.chance(40) {
				requests["cores"] = pick(g.source, "5", "20", "60")
			}
		} else {
			requests["bandwidth"] = pick(g.source, "1", "3", "9")
		}
		if g.splits > 0 && g.chance(4) {
			requests["memory"] = pick(g.source, "9223372036854775807", "9E", "8000000Ti")
		}
		if g.many > 0 && g.chance(20) {
			requests["memory"] = pick(g.source, amountsNearTheEnd...)
		}
		out["capacity"] = object{"requests": requests}
	}
	return out
}

func (g *generator) deviceClassName() string {
	if g.chance(2) {
		return "missing"
	}
	return pick(g.source, "gpu", "gpu", "gpu", "nic", "big", "any")
}

func (g *generator) claimSpec() object {
	var requests []object
	var names []string
	for i := range g.between(1, 3) {
		name := fmt.Sprintf("r%d", i)
		request := object{"name": name}
		if g.chance(max(25, g.many)) {
			var alternatives []object
			for k := range g.between(1, 3) {
				alternative := g.exact(g.deviceClassName())
				alternative["name"] = fmt.Sprintf("a%d", k)
				alternatives = append(alternatives, alternative)
				names = append(names, name+"/"+alternative["name"].(string))
			}
			request["firstAvailable"] = alternatives
		} else {
			exactly := g.exact(g.deviceClassName())
			if g.chance(6) {
				exactly["adminAccess"] = true
			}
			request["exactly"] = exactly
		}
		names = append(names, name)
		requests = append(requests, request)
	}
	spec := object{"requests": requests}
	var constraints []object
	for range 2 {
		if !g.chance(25) {
			continue
		}
		constraint := object{}
		attribute := pick(g.source, pcieRoot, gpuDriver+"/model", gpuDriver+"/numa", gpuDriver+"/index")
		if g.splits > 0 && g.chance(40) { // texts and numbers are not all that attributes can be
			attribute = pick(g.source, gpuDriver+"/healthy", gpuDriver+"/driverVersion", nicDriver+"/rdma")
		}
		constraint[pick(g.source, "matchAttribute", "matchAttribute", "distinctAttribute")] = attribute
		if g.chance(50) {
			constraint["requests"] = some(g.source, 1, 2, names)
		}
		constraints = append(constraints, constraint)
	}
	if constraints != nil {
		spec["constraints"] = constraints
	}
	return object{"devices": spec}
}

// podClaims gives a pod one claim or two: its own, from a template, or an existing one.
func (g *generator) podClaims(pod object, index int, there []object) []object {
	metadata := pod["metadata"].(object)
	metadata["namespace"] = "default"
	if metadata["uid"] == nil {
		metadata["uid"] = metadata["name"].(string) + "-uid"
	}
	var claims, entries, statuses []object
	for k := range g.between(1, 2) {
		entry := object{"name": fmt.Sprintf("c%d", k)}
		entries = append(entries, entry)
		if len(there) > 0 && g.chance(12) {
			entry["resourceClaimName"] = pick(g.source, there...)["metadata"].(object)["name"]
			continue
		}
		name := fmt.Sprintf("claim-new%d-%d", index, k)
		claim := object{"metadata": object{"name": name, "namespace": "default", "uid": name + "-uid"}, "spec": g.claimSpec()}
		if g.chance(40) {
			entry["resourceClaimName"] = name
		} else {
			entry["resourceClaimTemplateName"] = "template"
			owner := metadata["uid"]
			if g.chance(4) {
				owner = "other-uid"
			}
			claim["metadata"].(object)["ownerReferences"] = []object{{"apiVersion": "v1", "kind": "Pod",
				"name": metadata["name"], "uid": owner, "controller": true}}
			if g.splits > 0 && g.chance(5) { // none is needed
				statuses = append(statuses, object{"name": entry["name"]})
			} else if g.chance(96) {
				statuses = append(statuses, object{"name": entry["name"], "resourceClaimName": name})
			}
		}
		if g.chance(3) {
			claim["metadata"].(object)["deletionTimestamp"] = "2026-01-01T00:00:00Z"
		}
		if g.chance(97) {
			claims = append(claims, claim)
		}
	}
	pod["spec"].(object)["resourceClaims"] = entries
	if statuses != nil {
		status, _ := pod["status"].(object)
		if status == nil {
			status = object{}
			pod["status"] = status
		}
		status["resourceClaimStatuses"] = statuses
	}
	return claims
}
