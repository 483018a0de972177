package generate

import "fmt"

// splitPools makes pools whose slices reach different nodes: counters that lie elsewhere, slices of
// an older or newer generation, and names that occur twice.
func (g *generator) splitPools() []object {
	var out []object
	for i := range g.between(1, 3) {
		out = append(out, g.splitPool(fmt.Sprintf("split%d", i))...)
	}
	return out
}

func (g *generator) splitPool(name string) []object {
	driver := pick(g.source, gpuDriver, gpuDriver, nicDriver)
	counters := g.chance(50)
	parts := g.between(2, 4)
	var out []object
	device := 0
	for i := range parts {
		var devices []object
		for range g.between(1, 3) {
			entry := g.device(driver, name, device, counters)
			if g.chance(12) {
				entry["bindingConditions"] = []string{"Ready"}
				entry["bindingFailureConditions"] = []string{"Failed"}
			}
			devices = append(devices, entry)
			device++
		}
		if device > 1 && g.chance(g.broken) && g.extended == 0 {
			devices[0]["name"] = fmt.Sprintf("%s-%d", driver[:3], g.below(device))
		}
		spec := object{"devices": devices}
		g.reach(spec, devices)
		out = append(out, g.part(name, i, driver, spec))
	}
	if counters {
		out = append(out, g.counterParts(name, driver)...)
	}
	count := len(out)
	if g.chance(g.broken) {
		count += pick(g.source, -1, 1)
	}
	for _, slice := range out {
		pool := slice["spec"].(object)["pool"].(object)
		pool["resourceSliceCount"] = count
		if g.chance(g.broken) {
			pool["generation"] = pick(g.source, 1, 3)
		}
	}
	return out
}

// part makes a slice of a pool, whose place in the order of names is random.
func (g *generator) part(pool string, index int, driver string, spec object) object {
	name := fmt.Sprintf("s%d-%s-%d", g.below(10), pool, index)
	spec["driver"] = driver
	spec["pool"] = object{"name": pool, "generation": 2}
	return object{"metadata": object{"name": name, "uid": name + "-uid"}, "spec": spec}
}

// counterParts puts the two sets of counters of a pool into one slice, or each into its own.
func (g *generator) counterParts(pool, driver string) []object {
	sets := []object{g.counterSet("memory", "slices"), g.counterSet("spare", "slices")}
	if g.chance(g.broken) {
		sets[1]["name"] = pick(g.source, "memory", "other")
	}
	if g.chance(g.broken) {
		sets[0]["counters"] = object{"others": object{"value": "9"}}
	}
	lists := [][]object{sets}
	if g.chance(50) || sets[0]["name"] == sets[1]["name"] { // a slice has no set twice
		lists = [][]object{sets[:1], sets[1:]}
	}
	var out []object
	for i, list := range lists {
		spec := object{"sharedCounters": list}
		g.reach(spec, nil)
		out = append(out, g.part(pool, 8+i, driver, spec))
	}
	return out
}

func zoneSelector(zone string) object {
	return object{"nodeSelectorTerms": []object{{"matchExpressions": []object{
		{"key": zoneLabel, "operator": "In", "values": []string{zone}}}}}}
}

// reach says which nodes a slice is for, or with devices, which nodes each of them is for.
func (g *generator) reach(spec object, devices []object) {
	where := func(out object) {
		switch g.below(4) {
		case 0:
			out["nodeName"] = pick(g.source, g.nodeNames...)
		case 1:
			out["nodeSelector"] = zoneSelector(pick(g.source, "z0", "z1", "z2"))
		default:
			out["allNodes"] = true
		}
	}
	if devices == nil || !g.chance(20) {
		where(spec)
		return
	}
	spec["perDeviceNodeSelection"] = true
	for _, device := range devices {
		where(device)
	}
}

// bindingStatus reports the conditions of a device that a claim holds: none yet, or some.
func (g *generator) bindingStatus(status object, result object) {
	result["bindingConditions"] = []string{"Ready", "Attached"}[:g.between(1, 2)]
	if g.chance(70) {
		result["bindingFailureConditions"] = []string{"Failed"}
	}
	if g.chance(60) {
		status["allocation"].(object)["allocationTimestamp"] = "2099-01-01T00:00:00Z"
	}
	if g.chance(25) {
		return
	}
	var conditions []object
	for _, kind := range some(g.source, 1, 3, []string{"Ready", "Attached", "Failed"}) {
		conditions = append(conditions, object{"type": kind, "status": pick(g.source, "True", "True", "False", "Unknown"),
			"reason": "Tested", "message": "said the driver", "lastTransitionTime": "2026-01-01T00:00:00Z"})
	}
	device := object{"driver": result["driver"], "pool": result["pool"], "device": result["device"], "conditions": conditions}
	if share, shared := result["shareID"]; shared {
		device["shareID"] = share
	}
	status["devices"] = []object{device}
}

// crowd reserves a claim for as many pods as it can be.
func crowd() []object {
	var out []object
	for i := range 256 {
		name := fmt.Sprintf("crowd%d", i)
		out = append(out, object{"resource": "pods", "name": name, "uid": name + "-uid"})
	}
	return out
}
