package generate

import "fmt"

const (
	zoneLabel      = "topology.kubernetes.io/zone"
	regionLabel    = "topology.kubernetes.io/region"
	oldZoneLabel   = "failure-domain.beta.kubernetes.io/zone"
	oldRegionLabel = "failure-domain.beta.kubernetes.io/region"
	hostLabel      = "kubernetes.io/hostname"
	pressureTaint  = "node.kubernetes.io/memory-pressure"
	cordonedTaint  = "node.kubernetes.io/unschedulable"
)

var (
	taintKeys   = []string{"dedicated", "spot", pressureTaint, cordonedTaint}
	taintValues = []string{"", "gpu", "db"}
	imageNames  = []string{
		"nginx:1.25", "nginx", "redis:7", "postgres:16", "registry.local:5000/app", "registry.local:5000/app:v2",
		"big/model:v3", "busybox",
	}
	scalarNames  = []string{"nvidia.com/gpu", "example.com/fpga", "hugepages-2Mi"}
	featureNames = []string{"RestartAllContainersOnContainerExits", "UserNamespacesHostNetworkSupport"}
)

func (g *generator) node(index int) object {
	name := g.nodeNames[index]
	metadata := object{"name": name, "labels": g.nodeLabels(name)}
	spec := object{}
	status := object{"conditions": []object{{"type": "Ready", "status": "True"}}}
	if g.chance(g.taints) {
		spec["taints"] = g.nodeTaints()
	}
	if g.chance(g.unschedulable) {
		spec["unschedulable"] = true
	}
	capacity := g.capacity()
	status["allocatable"], status["capacity"] = capacity, capacity
	if g.chance(g.images) {
		status["images"] = g.nodeImages()
	}
	if g.features > 0 && g.chance(60) {
		status["declaredFeatures"] = some(g.source, 1, 2, featureNames)
	}
	return object{"metadata": metadata, "spec": spec, "status": status}
}

func (g *generator) nodeLabels(name string) object {
	labels := object{}
	if g.chance(g.bareNodes) {
		if g.chance(30) {
			return labels
		}
	} else {
		labels[zoneLabel] = fmt.Sprintf("z%d", g.below(g.zones))
		if g.chance(60) {
			labels[regionLabel] = pick(g.source, "r1", "r2")
		}
	}
	labels[hostLabel] = name
	if g.chance(2) { // the label need not be the node's own name
		labels[hostLabel] = pick(g.source, g.nodeNames...)
	}
	if g.chance(5) {
		labels[oldZoneLabel] = fmt.Sprintf("z%d", g.below(g.zones))
	}
	if g.chance(2) {
		labels[oldRegionLabel] = ""
	}
	if g.chance(70) {
		labels["disk"] = pick(g.source, "ssd", "hdd", "")
	}
	if g.chance(60) {
		labels["gen"] = pick(g.source, "1", "2", "9", "10", "x", "007")
	}
	if g.chance(40) {
		labels["rack"] = fmt.Sprintf("k%d", g.below(4))
	}
	if g.migrated > 0 {
		g.zonesOfDrivers(labels)
	}
	return labels
}

func (g *generator) nodeTaints() []object {
	var out []object
	seen := map[string]bool{}
	for range g.between(1, 3) {
		key, effect := pick(g.source, taintKeys...), pick(g.source, "NoSchedule", "PreferNoSchedule", "NoExecute")
		if seen[key+effect] {
			continue
		}
		seen[key+effect] = true
		taint := object{"key": key, "effect": effect}
		if g.comparisons > 0 && g.chance(g.comparisons) {
			taint["value"] = pick(g.source, numbers...)
		} else if value := pick(g.source, taintValues...); value != "" {
			taint["value"] = value
		}
		out = append(out, taint)
	}
	return out
}

func (g *generator) capacity() object {
	cpus, memories := []string{"4", "8", "16", "3920m"}, []string{"8Gi", "16Gi", "32Gi", "15842216Ki"}
	if g.chance(g.tight) {
		cpus, memories = []string{"1", "2", "1930m"}, []string{"1Gi", "2Gi", "4Gi", "3Gi"}
	}
	capacity := object{
		"cpu": pick(g.source, cpus...), "memory": pick(g.source, memories...), "pods": "110",
		"ephemeral-storage": pick(g.source, "20Gi", "100Gi", "95551679124"),
	}
	if g.chance(g.fewPods) {
		capacity["pods"] = fmt.Sprint(g.between(0, 4))
	}
	if g.scalars > 0 {
		for _, name := range scalarNames {
			if g.chance(45) {
				capacity[name] = g.scalar(name)
			}
		}
	}
	if g.chance(g.zeroCapacity) {
		name := pick(g.source, "cpu", "memory", "nvidia.com/gpu", "pods", "ephemeral-storage")
		if g.chance(50) {
			capacity[name] = "0"
		} else {
			delete(capacity, name)
		}
	}
	return capacity
}

func (g *generator) scalar(name string) string {
	if name == "hugepages-2Mi" {
		return pick(g.source, "0", "256Mi", "512Mi", "1Gi")
	}
	return fmt.Sprint(g.between(0, 8))
}

func (g *generator) nodeImages() []object {
	var out []object
	for _, name := range some(g.source, 1, 5, imageNames) {
		names := []string{name}
		if g.chance(30) {
			names = append(names, "docker.io/library/"+name)
		}
		if g.chance(60) { // the scheduler's spelling of an image without a tag
			switch name {
			case "nginx", "busybox", "registry.local:5000/app":
				names = append(names, name+":latest")
			}
		}
		// an image has the same size on each node; otherwise the result would depend on
		// which node comes first
		out = append(out, object{"names": names, "sizeBytes": imageSize(name)})
	}
	return out
}

func imageSize(name string) int {
	size := 30 << 20
	for _, letter := range name {
		size = (size*31 + int(letter)*4099*len(name)) % (1800 << 20)
	}
	return size
}
