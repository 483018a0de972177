package generate

// migratedDrivers are the CSI drivers that took over in-tree plugins.
var migratedDrivers = []string{
	"pd.csi.storage.gke.io", "ebs.csi.aws.com", "disk.csi.azure.com", "cinder.csi.openstack.org", "pxd.portworx.com",
}

var inTreePlugins = []string{
	"kubernetes.io/gce-pd", "kubernetes.io/aws-ebs", "kubernetes.io/azure-disk", "kubernetes.io/cinder",
	"kubernetes.io/portworx-volume", "kubernetes.io/vsphere-volume", "kubernetes.io/azure-file",
}

// inTreeSource makes a volume of an in-tree plugin, for a PersistentVolume or, with the same fields, for
// a pod. A running pod has none that its CSI driver does not have.
func (g *generator) inTreeSource(name string, any bool) object {
	switch g.below(7) {
	case 0:
		return object{"gcePersistentDisk": object{"pdName": "disk-" + name, "fsType": "ext4", "readOnly": g.chance(40)}}
	case 1:
		id := "vol-" + name
		if g.chance(60) {
			id = "aws://z0/" + id
		}
		if any && g.chance(5) {
			id = pick(g.source, "aws://z0/disk-"+name, "aws:///vol-"+name+"/x")
		}
		return object{"awsElasticBlockStore": object{"volumeID": id, "fsType": "ext4", "readOnly": g.chance(40)}}
	case 2:
		kind := pick(g.source, "Managed", "Managed", "managed")
		if any && g.chance(20) {
			kind = pick(g.source, "Shared", "Dedicated")
		}
		return object{"azureDisk": object{"diskName": "disk-" + name, "diskURI": "/subscriptions/s/disks/" + name, "kind": kind,
			"cachingMode": "ReadWrite", "fsType": "ext4", "readOnly": false}}
	case 3:
		return object{"cinder": object{"volumeID": "cinder-" + name, "fsType": "ext4"}}
	case 4:
		return object{"portworxVolume": object{"volumeID": "px-" + name, "fsType": "ext4"}}
	case 5:
		return object{"vsphereVolume": object{"volumePath": "[store] disks/" + name + ".vmdk", "fsType": "ext4"}}
	}
	return object{"nfs": object{"server": "10.0.0.1", "path": "/" + name}}
}

// oldTopology adds labels and rules about zones and regions under their earlier names.
func (g *generator) oldTopology(volume object) {
	labels := volume["metadata"].(object)["labels"].(object)
	if g.chance(30) {
		labels[oldZoneLabel] = pick(g.source, "z0", "z1", "z0__z2", "z9", "us-a-1__us-a-2", "us-b-1__us-a-2__us-b-3")
	}
	if g.chance(15) {
		labels[oldRegionLabel] = pick(g.source, "r1", "r2")
	}
	if g.chance(20) {
		labels[regionLabel] = pick(g.source, "r1", "r2", "r1__r2")
	}
	if !g.chance(40) {
		return
	}
	var terms []object
	for range g.between(1, 2) {
		var expressions []object
		for _, key := range some(g.source, 1, 2, []string{oldZoneLabel, zoneLabel, oldRegionLabel, regionLabel, "topology.gke.io/zone"}) {
			values := []string{"z0", "z1", "z2"}
			if key == regionLabel || key == oldRegionLabel {
				values = []string{"r1", "r2"}
			}
			expressions = append(expressions, object{"key": key, "operator": pick(g.source, "In", "In", "In", "NotIn"),
				"values": some(g.source, 1, 2, values)})
		}
		terms = append(terms, object{"matchExpressions": expressions})
	}
	volume["spec"].(object)["nodeAffinity"] = object{"required": object{"nodeSelectorTerms": terms}}
}

// migrateNode says which plugins a node has migrated, and gives it drivers with limits.
func (g *generator) migrateNode(csiNode object) {
	if g.chance(80) {
		list := ""
		for i, plugin := range some(g.source, 1, 5, inTreePlugins) {
			if i > 0 {
				list += ","
			}
			list += plugin
		}
		csiNode["metadata"].(object)["annotations"] = object{
			"storage.alpha.kubernetes.io/migrated-plugins": pick(g.source, list, list, list, ""),
		}
	}
	var list []object
	for _, driver := range some(g.source, 1, 5, migratedDrivers) {
		entry := object{"name": driver, "nodeID": "id", "topologyKeys": nil}
		if g.chance(85) {
			entry["allocatable"] = object{"count": g.between(0, 3)}
		}
		list = append(list, entry)
	}
	csiNode["spec"] = object{"drivers": list}
}

// zonesOfDrivers are labels that CSI drivers put on their nodes.
func (g *generator) zonesOfDrivers(labels object) {
	zone, _ := labels[zoneLabel].(string)
	if zone == "" || g.chance(5) {
		zone = pick(g.source, "z0", "z1")
	}
	for _, key := range []string{"topology.gke.io/zone", "topology.ebs.csi.aws.com/zone", "topology.disk.csi.azure.com/zone",
		"topology.cinder.csi.openstack.org/zone"} {
		if g.chance(70) {
			labels[key] = zone
		}
	}
	if g.chance(25) {
		labels[oldZoneLabel] = zone
	}
	if g.chance(15) {
		labels[oldRegionLabel] = pick(g.source, "r1", "r2")
	}
}
