package generate

// configuration makes a KubeSchedulerConfiguration with one profile or two.
func (g *generator) configuration(second bool) object {
	profiles := []object{g.profile("default-scheduler")}
	if second {
		profiles = append(profiles, g.profile("second"))
	}
	config := object{
		"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration", "profiles": profiles,
	}
	if g.mode == "sampled" && g.chance(40) {
		config["percentageOfNodesToScore"] = pick(g.source, 0, 5, 50, 80, 100)
	}
	return config
}

func (g *generator) profile(name string) object {
	profile := object{"schedulerName": name}
	if g.mode == "sampled" && g.chance(40) {
		profile["percentageOfNodesToScore"] = pick(g.source, 0, 10, 60, 90)
	}
	args := []object{}
	add := func(plugin string, value object) {
		args = append(args, object{"name": plugin, "args": value})
	}
	if g.chance(50) {
		add("NodeResourcesFit", g.fitArgs())
	}
	if g.chance(25) {
		add("NodeResourcesBalancedAllocation", object{"resources": g.resourceList(true)})
	}
	if g.chance(20) {
		add("NodeAffinity", object{"addedAffinity": g.addedAffinity()})
	}
	if g.chance(25) {
		add("InterPodAffinity", object{
			"hardPodAffinityWeight": pick(g.source, 0, 1, 5, 100), "ignorePreferredTermsOfExistingPods": g.chance(50),
		})
	}
	if g.services > 0 || g.chance(15) {
		add("PodTopologySpread", g.spreadArgs())
	}
	if g.measured > 0 && g.chance(70) {
		add("VolumeBinding", object{"shape": g.shape()})
	}
	if len(args) > 0 {
		profile["pluginConfig"] = args
	}
	if plugins := g.plugins(); len(plugins) > 0 {
		profile["plugins"] = plugins
	}
	return profile
}

// shape makes a piecewise linear function from utilization to score.
func (g *generator) shape() []object {
	var out []object
	for at := g.between(0, 40); at <= 100; at += g.between(1, 60) {
		out = append(out, object{"utilization": at, "score": g.between(0, 10)})
	}
	return out
}

func (g *generator) resourceList(unweighted bool) []object {
	var out []object
	names := []string{"cpu", "memory", "nvidia.com/gpu", "ephemeral-storage"}
	if g.extended > 0 && unweighted {
		// kube-scheduler 1.36.2 crashes in NodeResourcesBalancedAllocation if a class with selectors
		// backs a resource, because the plugin has no cache of selectors.
		names[2] = "nobody.io/any"
	}
	for _, name := range some(g.source, 1, 4, names) {
		weight := 1
		if !unweighted {
			weight = pick(g.source, 1, 2, 3, 5, 100)
		}
		out = append(out, object{"name": name, "weight": weight})
	}
	return out
}

func (g *generator) fitArgs() object {
	args := object{}
	if g.chance(20) {
		args["ignoredResources"] = []string{"example.com/fpga"}
	}
	if g.chance(20) {
		args["ignoredResourceGroups"] = []string{"nobody.io"}
	}
	strategy := object{
		"type":      pick(g.source, "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"),
		"resources": g.resourceList(false),
	}
	if strategy["type"] == "RequestedToCapacityRatio" {
		shape, utilization := []object{}, g.between(0, 20)
		for utilization <= 100 {
			shape = append(shape, object{"utilization": utilization, "score": g.between(0, 10)})
			utilization += g.between(15, 60)
		}
		strategy["requestedToCapacityRatio"] = object{"shape": shape}
	}
	args["scoringStrategy"] = strategy
	return args
}

func (g *generator) addedAffinity() object {
	affinity := object{}
	if g.chance(50) {
		affinity["requiredDuringSchedulingIgnoredDuringExecution"] = object{
			"nodeSelectorTerms": []object{g.nodeTerm(false), g.nodeTerm(false)},
		}
	}
	if len(affinity) == 0 || g.chance(50) {
		affinity["preferredDuringSchedulingIgnoredDuringExecution"] = []object{
			{"weight": g.between(1, 100), "preference": g.nodeTerm(false)},
		}
	}
	return affinity
}

func (g *generator) spreadArgs() object {
	if g.chance(25) {
		return object{"defaultingType": "System"}
	}
	constraints := []object{}
	for _, key := range some(g.source, 0, 2, []string{zoneLabel, hostLabel, "rack"}) {
		constraints = append(constraints, object{
			"maxSkew": g.between(1, 4), "topologyKey": key,
			"whenUnsatisfiable": pick(g.source, "ScheduleAnyway", "ScheduleAnyway", "DoNotSchedule"),
		})
	}
	return object{"defaultingType": "List", "defaultConstraints": constraints}
}

func (g *generator) plugins() object {
	scorers := []string{
		"TaintToleration", "NodeAffinity", "NodeResourcesFit", "PodTopologySpread", "InterPodAffinity",
		"NodeResourcesBalancedAllocation", "ImageLocality",
	}
	plugins := object{}
	disabled, enabled := []object{}, []object{}
	for _, name := range scorers {
		switch {
		case g.chance(8):
			disabled = append(disabled, object{"name": name})
		case g.chance(12):
			disabled = append(disabled, object{"name": name})
			enabled = append(enabled, object{"name": name, "weight": g.between(1, 9)})
		case g.chance(5): // replaced in place
			enabled = append(enabled, object{"name": name, "weight": g.between(1, 9)})
		}
	}
	if g.partial == 0 && g.chance(8) {
		plugins["multiPoint"] = object{"enabled": []object{{"name": pick(g.source, scorers...), "weight": g.between(1, 9)}}}
	}
	if g.chance(3) {
		disabled, enabled = []object{{"name": "*"}}, []object{{"name": "ImageLocality", "weight": 2}}
	}
	if len(disabled)+len(enabled) > 0 {
		plugins["score"] = object{"disabled": disabled, "enabled": enabled}
	}
	if g.chance(20) {
		plugins["filter"] = g.filterPoint()
	}
	if g.chance(g.partial) {
		without := append([]string{"NodeVolumeLimits", "VolumeBinding", "VolumeZone"}, preFilters...)
		plugins["preFilter"] = object{"disabled": []object{{"name": pick(g.source, without...)}}}
	}
	if g.partial > 0 && g.chance(g.partial) {
		plugins["preScore"] = object{"disabled": []object{{"name": pick(g.source, preScorers...)}}}
	}
	if g.chance(6) {
		plugins["postFilter"] = object{"disabled": []object{{"name": "DefaultPreemption"}}}
	}
	if g.chance(g.partial) {
		plugins["multiPoint"] = g.multiPoint(scorers)
	}
	if g.groupPoints > 0 {
		g.pointsOfGroups(plugins)
	}
	return plugins
}

// pointsOfGroups fills the lists of the points that run only for groups.
func (g *generator) pointsOfGroups(plugins object) {
	points := map[string][]string{
		"placementGenerate":  {"TopologyPlacementGenerator"},
		"placementScore":     {"NodeResourcesFit", "PodGroupPodsCount"},
		"podGroupPostFilter": {"DefaultPreemption", "DynamicResources"},
	}
	for _, point := range []string{"placementGenerate", "placementScore", "podGroupPostFilter"} {
		disabled, enabled := []object{}, []object{}
		for _, name := range points[point] {
			entry := object{"name": name}
			if point == "placementScore" && g.chance(70) {
				entry["weight"] = g.between(1, 9)
			}
			if g.chance(30) {
				disabled = append(disabled, object{"name": name})
			}
			if g.chance(30) {
				enabled = append(enabled, entry)
			}
		}
		if g.chance(10) {
			disabled = []object{{"name": "*"}}
		}
		if len(enabled) == 2 && g.chance(50) {
			enabled[0], enabled[1] = enabled[1], enabled[0]
		}
		if g.chance(g.groupPoints) {
			plugins[point] = object{"disabled": disabled, "enabled": enabled}
		}
	}
	if _, there := plugins["multiPoint"]; !there && g.chance(15) {
		name := pick(g.source, "TopologyPlacementGenerator", "PodGroupPodsCount", "NodeResourcesFit")
		plugins["multiPoint"] = object{"enabled": []object{{"name": name, "weight": g.between(1, 9)}}}
	}
}

var preFilters = []string{
	"NodeAffinity", "NodePorts", "NodeResourcesFit", "VolumeRestrictions", "PodTopologySpread", "InterPodAffinity",
}

var preScorers = []string{
	"TaintToleration", "NodeAffinity", "NodeResourcesFit", "VolumeBinding", "PodTopologySpread", "InterPodAffinity",
	"NodeResourcesBalancedAllocation",
}

var filters = append([]string{"NodeUnschedulable", "NodeName", "TaintToleration"}, preFilters...)

// filterPoint leaves a filter out, or puts some filters first, in another order.
func (g *generator) filterPoint() object {
	if g.chance(60) {
		name := pick(g.source, filters...)
		if g.partial == 0 && name == "NodeAffinity" { // its PreFilter still narrows the search
			name = "TaintToleration"
		}
		return object{"disabled": []object{{"name": name}}}
	}
	first := some(g.source, 1, 3, filters)
	enabled := []object{}
	for i := len(first) - 1; i >= 0; i-- {
		enabled = append(enabled, object{"name": first[i]})
	}
	return object{"enabled": enabled}
}

// multiPoint changes a plugin at all of its points.
func (g *generator) multiPoint(scorers []string) object {
	name := pick(g.source, scorers...)
	switch g.below(3) {
	case 0:
		return object{"disabled": []object{{"name": name}}}
	case 1:
		return object{"enabled": []object{{"name": name, "weight": g.between(1, 9)}}}
	}
	return object{"disabled": []object{{"name": name}}, "enabled": []object{{"name": name, "weight": g.between(1, 9)}}}
}
