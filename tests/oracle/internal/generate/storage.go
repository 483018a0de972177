package generate

import (
	"fmt"
	"strings"
)

var drivers = []string{"ebs.csi.aws.com", "pd.csi.storage.gke.io", "other.csi.example.com"}

// storage makes classes, volumes and claims of every state that a scheduler can meet.
func (g *generator) storage(s object) {
	s["storageClasses"] = g.storageClasses()
	var volumes, claims []object
	size := 0
	for i := range g.between(4, 12) {
		volume, claim := g.claim(i)
		if volume != nil {
			volumes = append(volumes, volume)
		}
		if claim != nil {
			claims = append(claims, claim)
		}
	}
	for i := range g.between(0, 5) { // to be bound by the scheduler; no two of one size, or any would do
		size += g.between(1, 3)
		volume := g.volume(fmt.Sprintf("free%d", i), fmt.Sprintf("%dGi", size), "local", drivers[2])
		volume["status"] = object{"phase": "Available"}
		if len(claims) > 0 && g.chance(15) { // reserved for a claim
			claim := pick(g.source, claims...)["metadata"].(object)
			reference := object{"namespace": claim["namespace"], "name": claim["name"]}
			if g.chance(50) {
				reference["uid"] = claim["uid"]
			}
			volume["spec"].(object)["claimRef"] = reference
		}
		if g.shapes > 0 {
			g.shapeFree(volume, size)
		}
		volumes = append(volumes, volume)
	}
	s["persistentVolumes"], s["persistentVolumeClaims"] = volumes, claims
	var csiNodes []object
	for _, name := range g.nodeNames {
		if g.chance(75) {
			csiNodes = append(csiNodes, g.csiNode(name))
		}
	}
	s["csiNodes"] = csiNodes
	var attachments []object
	for i, volume := range volumes {
		if _, driven := volume["spec"].(object)["csi"]; driven && g.chance(8) {
			attachments = append(attachments, object{
				"metadata": object{"name": fmt.Sprintf("attached%d", i)},
				"spec": object{
					"attacher": volume["spec"].(object)["csi"].(object)["driver"],
					"nodeName": pick(g.source, g.nodeNames...),
					"source":   object{"persistentVolumeName": volume["metadata"].(object)["name"]},
				},
				"status": object{"attached": true},
			})
		}
	}
	s["volumeAttachments"] = attachments
	g.storageCapacity(s)
}

func (g *generator) storageClasses() []object {
	late := object{"metadata": object{"name": "late"}, "provisioner": drivers[0],
		"volumeBindingMode": "WaitForFirstConsumer"}
	if g.chance(40) {
		late["allowedTopologies"] = []object{{"matchLabelExpressions": []object{
			{"key": zoneLabel, "values": []string{"z0", "z1"}},
		}}}
	}
	fast := drivers[1]
	if g.migrated > 0 {
		fast, late["provisioner"] = pick(g.source, inTreePlugins...), pick(g.source, inTreePlugins...)
	}
	if g.shapes > 0 && g.chance(g.shapes) {
		late["allowedTopologies"] = g.topologyTerms()
	}
	return []object{
		{"metadata": object{"name": "fast"}, "provisioner": fast, "volumeBindingMode": "Immediate"},
		late,
		{"metadata": object{"name": "local"}, "provisioner": "kubernetes.io/no-provisioner",
			"volumeBindingMode": "WaitForFirstConsumer"},
		{"metadata": object{"name": "measured"}, "provisioner": drivers[2],
			"volumeBindingMode": "WaitForFirstConsumer"},
	}
}

func (g *generator) volume(name, size, class, driver string) object {
	labels := object{}
	if g.chance(15) {
		labels[zoneLabel] = pick(g.source, "z0", "z1", "z0__z2", "z9")
	}
	if g.chance(5) {
		labels[oldRegionLabel] = pick(g.source, "r1", "r2")
	}
	spec := object{
		"capacity": object{"storage": size}, "accessModes": []string{"ReadWriteOnce"}, "volumeMode": "Filesystem",
		"storageClassName": class, "csi": object{"driver": driver, "volumeHandle": "h-" + name},
		"persistentVolumeReclaimPolicy": "Retain",
	}
	if g.chance(35) {
		spec["nodeAffinity"] = object{"required": object{"nodeSelectorTerms": []object{
			{"matchExpressions": []object{
				{"key": zoneLabel, "operator": "In", "values": some(g.source, 1, 2, []string{"z0", "z1", "z2"})},
			}},
		}}}
	}
	if g.chance(8) {
		spec["volumeMode"] = "Block"
	}
	labels["tier"] = pick(g.source, "gold", "iron")
	volume := object{
		"metadata": object{"name": name, "labels": labels, "uid": name + "-uid", "resourceVersion": "1"}, "spec": spec,
	}
	if g.migrated > 0 {
		g.oldTopology(volume)
	}
	if g.shapes > 0 {
		g.shapeVolume(volume)
	}
	return volume
}

// claim makes a claim and, if it is bound, its volume.
func (g *generator) claim(index int) (volume, claim object) {
	name := fmt.Sprintf("claim%d", index)
	namespace := pick(g.source, namespaces...)
	if !g.chance(4) { // otherwise pods name a claim that does not exist
		g.claimNames[namespace] = append(g.claimNames[namespace], name)
	}
	mode := pick(g.source, "ReadWriteOnce", "ReadWriteOnce", "ReadWriteMany", "ReadOnlyMany", "ReadWriteOncePod")
	size := fmt.Sprintf("%dGi", g.between(1, 6))
	class := pick(g.source, "fast", "late", "late", "local", "measured")
	if g.measured > 0 && g.chance(g.measured) {
		class = pick(g.source, "measured", "measured", "late", "local")
	}
	metadata := object{"name": name, "namespace": namespace, "uid": name + "-uid", "resourceVersion": "1"}
	spec := object{
		"accessModes": []string{mode}, "storageClassName": class, "volumeMode": "Filesystem",
		"resources": object{"requests": object{"storage": size}},
	}
	status := object{"phase": "Pending"}
	bound := 60
	if g.measured > 0 {
		bound = 15
	}
	if g.chance(bound) {
		volumeName := fmt.Sprintf("pv%d", index)
		volume = g.volume(volumeName, size, class, pick(g.source, drivers...))
		volume["spec"].(object)["accessModes"] = []string{mode}
		volume["spec"].(object)["claimRef"] = object{
			"kind": "PersistentVolumeClaim", "namespace": namespace, "name": name, "uid": name + "-uid",
		}
		volume["status"] = object{"phase": "Bound"}
		spec["volumeName"] = volumeName
		status["phase"] = "Bound"
		annotations := object{"pv.kubernetes.io/bound-by-controller": "yes"}
		if g.chance(96) {
			annotations["pv.kubernetes.io/bind-completed"] = "yes"
		}
		metadata["annotations"] = annotations
		switch g.below(40) {
		case 0:
			volume = nil
		case 1:
			status["phase"] = "Lost"
		case 2, 3, 4, 5: // in-tree volumes
			delete(volume["spec"].(object), "csi")
			source := g.inTree(volumeName)
			for key, value := range source {
				volume["spec"].(object)[key] = value
			}
		}
		if g.migrated > 0 && volume != nil && g.chance(75) {
			spec := volume["spec"].(object)
			for _, key := range []string{"csi", "gcePersistentDisk", "awsElasticBlockStore"} {
				delete(spec, key)
			}
			for key, value := range g.inTreeSource(pick(g.source, volumeName, "shared"), true) {
				spec[key] = value
			}
		}
	} else if g.chance(8) {
		metadata["annotations"] = object{"volume.kubernetes.io/selected-node": pick(g.source, g.nodeNames...)}
	}
	if g.chance(8) {
		spec["selector"] = object{"matchLabels": object{"tier": "gold"}}
	}
	if g.chance(6) {
		spec["volumeMode"] = "Block"
	}
	if g.chance(3) {
		annotations, _ := metadata["annotations"].(object)
		if annotations == nil {
			annotations = object{}
			metadata["annotations"] = annotations
		}
		annotations["volume.beta.kubernetes.io/storage-class"] = pick(g.source, "fast", "late", "local")
	}
	if g.chance(3) {
		spec["storageClassName"] = pick(g.source, "", "unknown")
	}
	if g.chance(3) {
		metadata["deletionTimestamp"] = "2026-02-01T00:00:00Z"
		metadata["finalizers"] = []string{"kubernetes.io/pvc-protection"}
	}
	if g.chance(g.attributes) {
		attributes := pick(g.source, "gold", "silver")
		spec["volumeAttributesClassName"] = attributes
		if volume != nil && g.chance(70) {
			volume["spec"].(object)["volumeAttributesClassName"] = attributes
		}
	}
	if g.shapes > 0 {
		g.shapeClaim(volume, metadata, spec)
	}
	return volume, object{"metadata": metadata, "spec": spec, "status": status}
}

func (g *generator) csiNode(name string) object {
	var list []object
	for _, driver := range some(g.source, 1, 3, drivers) {
		entry := object{"name": driver, "nodeID": "id-" + name, "topologyKeys": nil}
		if g.chance(80) {
			entry["allocatable"] = object{"count": g.between(0, 3)}
		}
		if g.shapes > 0 && g.chance(10) {
			entry["allocatable"] = object{}
		}
		list = append(list, entry)
	}
	csiNode := object{"metadata": object{"name": name}, "spec": object{"drivers": list}}
	if g.migrated > 0 {
		g.migrateNode(csiNode)
	}
	return csiNode
}

// rooms makes the capacities that drivers report, at most one for each zone, because the scheduler
// takes any of several that a node reaches.
func (g *generator) rooms() []object {
	var out []object
	for zone := range g.zones {
		for _, class := range []string{"measured", "late"} {
			if g.chance(20) {
				continue
			}
			room := object{
				"metadata":         object{"name": fmt.Sprintf("%s-z%d", class, zone), "namespace": "default"},
				"storageClassName": class,
				"capacity":         pick(g.source, "4Gi", "6Gi", "10Gi", "17Gi", "50Gi", "5000M"),
				"nodeTopology":     object{"matchLabels": object{zoneLabel: fmt.Sprintf("z%d", zone)}},
			}
			if g.chance(25) {
				room["maximumVolumeSize"] = fmt.Sprintf("%dGi", g.between(2, 8))
			}
			out = append(out, room)
		}
	}
	return out
}

func (g *generator) csiDriverObjects() []object {
	var out []object
	for _, driver := range drivers {
		if g.chance(15) {
			continue
		}
		spec := object{"attachRequired": true, "storageCapacity": g.measured > 0 && g.chance(75)}
		if g.chance(g.required) {
			spec["preventPodSchedulingIfMissing"] = true
		}
		out = append(out, object{"metadata": object{"name": driver}, "spec": spec})
	}
	return out
}

func (g *generator) storageCapacity(s object) {
	if g.required > 0 || g.measured > 0 {
		s["csiDrivers"] = g.csiDriverObjects()
		if g.measured > 0 {
			s["csiStorageCapacities"] = g.rooms()
		}
		return
	}
	s["csiDrivers"] = []object{{"metadata": object{"name": drivers[2]},
		"spec": object{"storageCapacity": g.chance(70), "attachRequired": true}}}
	var capacities []object
	for i := range g.between(0, 3) {
		capacity := object{
			"metadata":         object{"name": fmt.Sprintf("capacity%d", i), "namespace": "default"},
			"storageClassName": "measured",
			"capacity":         fmt.Sprintf("%dGi", g.between(1, 8)),
		}
		if g.chance(85) {
			capacity["nodeTopology"] = object{"matchLabels": object{zoneLabel: fmt.Sprintf("z%d", g.below(g.zones))}}
		}
		if g.chance(30) {
			capacity["maximumVolumeSize"] = fmt.Sprintf("%dGi", g.between(1, 4))
		}
		if g.shapes > 0 {
			g.shapeCapacity(capacity)
		}
		capacities = append(capacities, capacity)
	}
	s["csiStorageCapacities"] = capacities
}

func (g *generator) inTree(name string) object {
	if g.chance(50) {
		return object{"gcePersistentDisk": object{"pdName": "disk-" + name, "fsType": "ext4"}}
	}
	return object{"awsElasticBlockStore": object{"volumeID": "aws://z0/vol-" + name, "fsType": "ext4"}}
}

// ephemeralVolume makes a volume whose claim belongs to the pod; the claim may not exist yet, or
// belong to another pod.
func (g *generator) ephemeralVolume(pod, namespace, volume string) object {
	class := pick(g.source, "late", "measured", "fast")
	claim := object{
		"accessModes": []string{"ReadWriteOnce"}, "storageClassName": class, "volumeMode": "Filesystem",
		"resources": object{"requests": object{"storage": "1Gi"}},
	}
	if g.chance(85) {
		owner := pod + "-uid"
		if strings.HasPrefix(pod, "new") && g.chance(10) { // a running pod cannot have such a claim
			owner = "another-uid"
		}
		name := pod + "-" + volume
		g.ephemeral = append(g.ephemeral, object{
			"metadata": object{"name": name, "namespace": namespace, "uid": name + "-uid", "resourceVersion": "1",
				"ownerReferences": []object{{
					"apiVersion": "v1", "kind": "Pod", "name": pod, "uid": owner, "controller": true,
				}}},
			"spec": claim, "status": object{"phase": "Pending"},
		})
	}
	return object{"ephemeral": object{"volumeClaimTemplate": object{"metadata": object{}, "spec": claim}}}
}

func (g *generator) podVolumes(spec object, pod, namespace string) {
	var volumes []object
	add := func(volume object) {
		volume["name"] = fmt.Sprintf("v%d", len(volumes))
		volumes = append(volumes, volume)
	}
	if g.chance(g.volumes) {
		names := g.claimNames[namespace]
		if len(names) == 0 || g.chance(2) {
			names = []string{"nosuch"}
		}
		for _, name := range some(g.source, 1, 2, names) {
			add(object{"persistentVolumeClaim": object{"claimName": name}})
		}
	}
	if g.chance(g.volumes / 6) {
		add(g.ephemeralVolume(pod, namespace, fmt.Sprintf("v%d", len(volumes))))
	}
	if g.chance(g.inlineVolumes) {
		for range g.between(1, 2) {
			add(g.inlineVolume(strings.HasPrefix(pod, "new")))
		}
	}
	if g.chance(g.imageVolumes) {
		add(object{"image": object{"reference": pick(g.source, imageNames...), "pullPolicy": "IfNotPresent"}})
	}
	if volumes != nil {
		spec["volumes"] = volumes
	}
}

func (g *generator) inlineVolume(pending bool) object {
	which, readOnly := fmt.Sprint(g.below(3)), g.chance(40)
	if g.migrated > 0 && g.chance(75) {
		return g.inTreeSource(pick(g.source, which, "shared"), pending)
	}
	switch g.below(5) {
	case 0:
		return object{"gcePersistentDisk": object{"pdName": "pd" + which, "readOnly": readOnly}}
	case 1:
		return object{"awsElasticBlockStore": object{"volumeID": "ebs" + which, "readOnly": readOnly}}
	case 2:
		return object{"iscsi": object{"targetPortal": "10.0.0.9:3260", "iqn": "iqn.2026-01.example:" + which,
			"lun": g.below(2), "readOnly": readOnly, "iscsiInterface": "default"}}
	case 3:
		return object{"rbd": object{"monitors": some(g.source, 1, 2, []string{"m1", "m2", "m3"}), "pool": "p",
			"image": "img" + which, "readOnly": readOnly, "user": "admin", "keyring": "/etc/ceph/keyring"}}
	}
	return object{"emptyDir": object{}}
}
