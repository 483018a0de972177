package generate

import "fmt"

var accessModes = []string{"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"}

// shapeVolume gives a volume other modes, reaches and labels than most have.
func (g *generator) shapeVolume(volume object) {
	metadata, spec := volume["metadata"].(object), volume["spec"].(object)
	labels := metadata["labels"].(object)
	if g.chance(g.shapes) {
		spec["accessModes"] = some(g.source, 1, 3, accessModes)
	}
	if g.chance(g.shapes) {
		spec["nodeAffinity"] = object{"required": object{"nodeSelectorTerms": g.reachTerms()}}
	}
	if g.chance(8) {
		delete(spec, "volumeMode")
	}
	if g.chance(8) {
		labels[oldZoneLabel] = pick(g.source, "z0", "z1", "z0__z1", "")
	}
	if g.chance(8) {
		labels[regionLabel] = pick(g.source, "r1", "r2", "r1__r2")
	}
	if g.chance(5) {
		metadata["deletionTimestamp"] = "2026-02-01T00:00:00Z"
	}
	if g.chance(5) {
		metadata["annotations"] = object{"volume.beta.kubernetes.io/storage-class": pick(g.source, "local", "late", "")}
	}
}

// reachTerms say which nodes reach a volume.
func (g *generator) reachTerms() []object {
	var terms []object
	for range g.between(1, 2) {
		switch g.below(8) {
		case 0:
			terms = append(terms, object{}) // matches nothing
		case 1:
			terms = append(terms, object{"matchFields": []object{{"key": "metadata.name", "operator": "In",
				"values": []string{pick(g.source, g.nodeNames...)}}}})
		case 2, 3:
			terms = append(terms, object{"matchExpressions": []object{{"key": hostLabel, "operator": "In",
				"values": some(g.source, 1, 2, g.nodeNames)}}})
		default:
			expressions := []object{g.nodeExpression()}
			if g.chance(35) {
				expressions = append(expressions, g.nodeExpression())
			}
			terms = append(terms, object{"matchExpressions": expressions})
		}
	}
	return terms
}

// shapeFree makes a volume that is still to be bound harder to choose. Sizes stay different.
func (g *generator) shapeFree(volume object, size int) {
	spec := volume["spec"].(object)
	if g.chance(g.shapes) {
		spec["capacity"] = object{"storage": fmt.Sprintf("%dMi", size*1024+g.below(900))}
	}
	if g.chance(g.shapes) {
		spec["accessModes"] = some(g.source, 1, 3, accessModes[:3])
	}
	if g.chance(12) {
		volume["status"] = object{"phase": pick(g.source, "Released", "Failed", "Pending", "Bound")}
	}
	if g.chance(10) {
		spec["storageClassName"] = pick(g.source, "late", "", "unknown")
	}
}

// shapeClaim makes a claim that asks for more than a size and one mode. Its volume, if it has one,
// may no longer offer all that.
func (g *generator) shapeClaim(volume, metadata, spec object) {
	if g.chance(g.shapes) {
		spec["accessModes"] = some(g.source, 1, 2, accessModes[:3])
	}
	if g.chance(g.shapes) {
		spec["resources"] = object{"requests": object{
			"storage": pick(g.source, "1", "1G", "1500Mi", "2000000000", "2.5Gi", "3072Mi", "1e9", "4096Mi", "1025Mi", "9Gi")}}
	}
	if g.chance(g.shapes / 2) {
		spec["selector"] = object{"matchExpressions": []object{
			g.expression("tier", []string{"gold", "iron"}, regionLabel, []string{"r1", "r2"}),
		}}
		if g.chance(40) {
			spec["selector"] = object{"matchLabels": object{"tier": pick(g.source, "not a label!", "-x")}}
		}
	}
	if g.chance(8) {
		delete(spec, "volumeMode")
	}
	if volume == nil && g.chance(8) {
		delete(spec, "storageClassName")
	}
	if volume == nil && g.chance(5) { // asked for by name, and not bound yet
		spec["volumeName"] = pick(g.source, "free0", "free1", "nosuch")
	}
	if volume != nil && g.chance(4) {
		volume["spec"].(object)["claimRef"].(object)["uid"] = "another-uid"
	}
	if _, annotated := metadata["annotations"]; !annotated && g.chance(5) {
		metadata["annotations"] = object{"volume.beta.kubernetes.io/storage-provisioner": drivers[0]}
	}
}

// topologyTerms make the topologies in which a class allows volumes.
func (g *generator) topologyTerms() []object {
	var terms []object
	for range g.between(1, 3) {
		var expressions []object
		for range g.between(1, 2) {
			expressions = append(expressions, pick(g.source,
				object{"key": zoneLabel, "values": some(g.source, 1, 2, []string{"z0", "z1", "z2"})},
				object{"key": hostLabel, "values": some(g.source, 1, 3, g.nodeNames)},
				object{"key": "disk", "values": []string{pick(g.source, "ssd", "hdd", "")}},
				object{"key": regionLabel, "values": []string{"r1"}},
			))
		}
		terms = append(terms, object{"matchLabelExpressions": expressions})
	}
	return terms
}

// shapeCapacity changes whom a capacity is for, and what it says.
func (g *generator) shapeCapacity(capacity object) {
	if g.chance(g.shapes) {
		capacity["storageClassName"] = pick(g.source, "measured", "late", "unknown")
	}
	if g.chance(g.shapes) {
		capacity["nodeTopology"] = object{"matchExpressions": []object{
			g.expression(zoneLabel, []string{"z0", "z1"}, "disk", []string{"ssd", "hdd"}),
		}}
	}
	if g.chance(10) {
		delete(capacity, "nodeTopology")
	}
	if g.chance(15) {
		capacity["capacity"] = pick(g.source, "0", "1G", "1500Mi", "2.5Gi", "1000000001")
	}
	if g.chance(15) { // a maximum alone makes the score of VolumeBinding panic
		delete(capacity, "capacity")
		delete(capacity, "maximumVolumeSize")
	}
}
