package generate

import (
	"strconv"
	"strings"
)

// recipe describes the objects of a family, in percentages unless stated otherwise.
type recipe struct {
	nodesMin, nodesMax int
	running            int // running pods per node, on average
	pending            int // the largest number of pending pods
	mode               string

	requests, oddRequests, initContainers, overhead, scalars, podLevel, resized int // of pods
	tight                                                                       int // of nodes: small ones
	zeroCapacity, fewPods, bareNodes                                            int // of nodes
	taints, unschedulable                                                       int // of nodes
	tolerations, nodeAffinity, nodeSelector, ports, sidecarPorts                int // of pods
	images, imageVolumes                                                        int // of nodes and pods
	spread, podAffinity, namespaceSelectors, badLabels                          int // of pods
	services, owners                                                            int
	volumes, inlineVolumes, attributes                                          int // of pods; of claims
	priorities, budgets, never                                                  int
	nominated, terminating                                                      int // of pods
	features                                                                    int // of pods
	config, partial                                                             int // of scenarios; of profiles
	secondProfile                                                               int // of scenarios
	claims, partitions, broken                                                  int // of pods, of pools
	taintedDevices, sharedDevices, heldDevices                                  int // of devices
	splits, migrated, names                                                     int // whether there are any
	many                                                                        int // of requests: all devices, or alternatives
	taintRules                                                                  int // of scenarios
	extended                                                                    int // of classes and containers
	starts                                                                      int // of pods: absent, or shared
	required, measured                                                          int // of CSI drivers, of claims
	podStatus                                                                   int // of resized pods
	zones                                                                       int // how many
	retries                                                                     int // of pods; then, events too
	groups                                                                      int // of pending pods
	topologies                                                                  int // of groups
	groupPoints                                                                 int // of the points that run only for groups
	composites                                                                  bool
	extenders                                                                   int // at most
	comparisons                                                                 int // of taints and tolerations
	shapes                                                                      int // of volumes and claims
	gates                                                                       bool
}

// since is the first release that reads the fields of a family.
var since = map[string]string{
	"podlevel": "1.34", "resize": "1.33", "features": "1.36", "imagevolumes": "1.36", "attributes": "1.34",
	"devices": "1.36", "partitions": "1.36", "shareddevices": "1.36",
	"extended": "1.36", "csidrivers": "1.37", "capacity": "1.37", "taintrules": "1.37", "podstatus": "1.36",
	"groups": "1.37", "placements": "1.37", "grouppoints": "1.37", "composites": "1.37", "pools": "1.36",
	"manydevices": "1.36",
}

// Families are the names of all families, in the order in which the driver takes turns.
var Families = []string{
	"resources", "taints", "nodeaffinity", "ports", "images", "spread", "defaultspread", "podaffinity",
	"volumes", "preempt", "preemptmix", "profiles", "sampled", "zones", "zerocap", "mixed",
	"namespaces", "nominated", "sidecars", "badlabels", "podlevel", "resize", "features",
	"imagevolumes", "attributes", "partial", "devices", "partitions", "shareddevices",
	"extended", "starts", "budgets", "csidrivers", "capacity", "taintrules", "podstatus", "large",
	"events", "evictions", "groups", "placements", "grouppoints", "composites", "extenders",
	"pools", "migrated", "names", "manydevices", "volumeshapes", "gates",
}

// Supports reports whether a release reads the fields of the family. An earlier API server would
// have dropped them.
func Supports(version, family string) bool {
	first, limited := since[family]
	return !limited || minor(version) >= minor(first)
}

// minor returns 36 for "1.36" and for "1.36.3".
func minor(version string) int {
	number, _ := strconv.Atoi(strings.Split(version, ".")[1])
	return number
}

func recipeOf(family string) (recipe, bool) {
	r := recipe{
		nodesMin: 3, nodesMax: 20, running: 2, pending: 14, mode: "all-nodes",
		requests: 85, oddRequests: 15, initContainers: 5, scalars: 4, tight: 30, zones: 3,
	}
	switch family {
	case "resources":
		r.oddRequests, r.initContainers, r.overhead, r.scalars, r.fewPods = 40, 40, 25, 35, 25
	case "taints":
		r.taints, r.unschedulable, r.tolerations = 60, 20, 65
	case "nodeaffinity":
		r.nodeAffinity, r.nodeSelector, r.bareNodes = 70, 25, 10
	case "ports":
		r.ports, r.running = 75, 3
	case "images":
		r.images = 80
	case "spread":
		r.spread, r.taints, r.tolerations, r.nodeAffinity, r.bareNodes, r.terminating = 75, 25, 30, 20, 10, 5
	case "defaultspread":
		r.services, r.owners, r.config = 80, 50, 40
	case "podaffinity":
		r.podAffinity, r.namespaceSelectors, r.bareNodes = 65, 20, 10
	case "namespaces":
		r.podAffinity, r.namespaceSelectors = 75, 85
	case "volumes":
		r.volumes, r.inlineVolumes = 60, 35
	case "attributes":
		r.volumes, r.attributes = 80, 50
	case "preempt":
		r.nodesMin, r.nodesMax, r.running, r.pending = 3, 8, 3, 6
		r.priorities, r.budgets, r.tight, r.never = 100, 60, 80, 10
	case "preemptmix":
		r.nodesMin, r.nodesMax, r.running, r.pending = 4, 10, 3, 6
		r.priorities, r.budgets, r.tight, r.never = 100, 50, 70, 5
		r.taints, r.tolerations, r.nodeAffinity, r.ports, r.spread, r.podAffinity = 20, 40, 15, 25, 30, 30
		r.inlineVolumes, r.initContainers, r.namespaceSelectors, r.unschedulable = 15, 15, 10, 5
	case "profiles":
		r.config, r.secondProfile, r.taints, r.tolerations, r.nodeAffinity, r.images = 100, 15, 30, 50, 30, 30
		r.scalars, r.spread, r.podAffinity = 25, 15, 15
	case "partial": // plugins that are left out at only one of their points
		r.config, r.partial, r.nodeAffinity, r.ports, r.spread, r.podAffinity = 100, 25, 50, 20, 20, 20
		r.volumes, r.inlineVolumes, r.priorities, r.tight, r.taints, r.tolerations = 15, 15, 40, 50, 20, 50
	case "sampled":
		r.nodesMin, r.nodesMax, r.running, r.pending, r.mode = 105, 220, 1, 8, "sampled"
		r.taints, r.tolerations, r.nodeAffinity, r.config = 15, 30, 30, 60
	case "zones":
		r.nodesMin, r.nodesMax, r.pending, r.mode, r.zones, r.bareNodes = 3, 60, 10, "sampled", 6, 25
	case "zerocap":
		r.zeroCapacity, r.config, r.scalars, r.oddRequests, r.requests = 40, 60, 40, 30, 60
	case "mixed":
		r.initContainers, r.overhead, r.scalars, r.fewPods, r.zeroCapacity = 10, 8, 8, 8, 4
		r.taints, r.unschedulable, r.tolerations, r.nodeAffinity, r.nodeSelector = 20, 8, 45, 20, 5
		r.ports, r.images, r.spread, r.podAffinity, r.namespaceSelectors = 25, 40, 30, 30, 25
		r.services, r.owners, r.volumes, r.inlineVolumes = 30, 30, 12, 12
		r.priorities, r.budgets, r.never, r.config, r.bareNodes, r.terminating = 30, 20, 10, 15, 5, 3
	case "nominated":
		r.nominated, r.priorities, r.ports, r.podAffinity, r.spread = 60, 100, 30, 25, 25
		r.running, r.tight, r.initContainers, r.taints, r.tolerations = 1, 80, 10, 15, 40
	case "sidecars":
		r.sidecarPorts, r.initContainers, r.ports, r.priorities = 60, 60, 25, 30
	case "badlabels":
		r.badLabels, r.podAffinity, r.spread, r.nodeAffinity, r.nodeSelector, r.services = 50, 45, 45, 45, 20, 20
	case "podlevel":
		r.podLevel, r.initContainers, r.overhead, r.scalars, r.priorities, r.resized = 60, 30, 15, 15, 20, 20
	case "resize":
		r.resized, r.initContainers, r.running, r.priorities, r.tight = 75, 25, 3, 20, 70
	case "features":
		r.features = 60
	case "imagevolumes":
		r.images, r.imageVolumes = 80, 50
	case "devices":
		r.claims, r.partitions, r.broken, r.taintedDevices, r.heldDevices = 85, 10, 6, 10, 25
		r.running, r.nodesMax = 1, 12
	case "partitions":
		r.claims, r.partitions, r.broken, r.taintedDevices, r.heldDevices = 90, 80, 4, 15, 15
		r.running, r.nodesMax = 1, 8
	case "shareddevices":
		r.claims, r.partitions, r.broken, r.taintedDevices, r.heldDevices = 90, 30, 3, 8, 20
		r.sharedDevices, r.running, r.nodesMax = 60, 1, 8
	case "extended": // resources that devices back
		r.claims, r.partitions, r.broken, r.taintedDevices, r.heldDevices = 25, 10, 4, 6, 15
		r.sharedDevices, r.running, r.nodesMax, r.extended, r.scalars = 10, 1, 10, 60, 25
		r.initContainers, r.config, r.overhead, r.priorities, r.tight = 35, 50, 5, 25, 20
	case "starts": // victims without a start time, or with the same one
		r.nodesMin, r.nodesMax, r.running, r.pending = 2, 4, 12, 5
		r.priorities, r.budgets, r.tight, r.starts, r.terminating = 100, 30, 90, 85, 3
	case "budgets": // several budgets for a pod
		r.nodesMin, r.nodesMax, r.running, r.pending = 2, 6, 6, 5
		r.priorities, r.budgets, r.tight, r.starts = 100, 100, 80, 30
	case "csidrivers":
		r.volumes, r.inlineVolumes, r.required, r.priorities, r.tight = 85, 15, 60, 30, 15
	case "capacity":
		r.volumes, r.measured, r.config, r.required = 90, 70, 60, 10
		r.nodesMin, r.nodesMax, r.running = 3, 12, 1
	case "taintrules":
		r.claims, r.partitions, r.broken, r.taintedDevices, r.heldDevices = 90, 15, 3, 20, 15
		r.taintRules, r.running, r.nodesMax = 90, 1, 8
	case "pools": // whose slices reach different nodes
		r.claims, r.partitions, r.broken, r.taintedDevices, r.heldDevices = 90, 15, 6, 6, 20
		r.splits, r.sharedDevices, r.running, r.nodesMax, r.config = 1, 15, 1, 8, 20
	case "manydevices": // near the number that a claim can get, and failing selectors of classes
		r.claims, r.partitions, r.broken, r.taintedDevices, r.heldDevices = 90, 8, 2, 3, 5
		r.many, r.sharedDevices, r.running, r.nodesMin, r.nodesMax, r.config = 55, 30, 1, 2, 6, 20
	case "migrated": // in-tree volumes, which CSI drivers have taken over on some nodes
		r.volumes, r.inlineVolumes, r.migrated, r.running, r.nodesMax, r.config = 85, 40, 1, 2, 12, 20
	case "names": // of nodes, in required rules
		r.nodeAffinity, r.nodeSelector, r.names, r.nodesMax, r.config, r.priorities, r.tight = 85, 10, 1, 8, 20, 40, 40
	case "podstatus":
		r.podLevel, r.resized, r.podStatus, r.running, r.tight = 50, 85, 70, 3, 60
		r.initContainers, r.scalars, r.priorities, r.overhead = 30, 15, 20, 10
	case "large":
		r.nodesMin, r.nodesMax, r.running, r.pending, r.mode = 300, 600, 1, 4, "sampled"
		r.taints, r.tolerations, r.nodeAffinity, r.spread, r.images, r.zones = 15, 30, 30, 20, 20, 5
	case "events": // between decisions
		r.nodesMin, r.nodesMax, r.pending, r.mode, r.zones, r.retries = 2, 40, 12, "sampled", 4, 20
		r.images = 50
		r.taints, r.tolerations, r.nodeAffinity, r.unschedulable, r.spread = 20, 40, 25, 8, 30
		r.podAffinity, r.namespaceSelectors, r.ports, r.scalars, r.bareNodes = 30, 20, 20, 8, 8
		r.tight, r.services, r.owners, r.config = 50, 20, 20, 20
	case "evictions": // evictions, and the pods for which they make room
		r.nodesMin, r.nodesMax, r.running, r.pending, r.retries = 2, 4, 7, 14, 40
		r.priorities, r.budgets, r.tight, r.starts, r.never = 100, 25, 95, 25, 3
		r.podAffinity, r.ports, r.tolerations, r.taints, r.images = 10, 10, 40, 10, 40
	case "groups": // groups of pods that are placed and evicted together
		r.nodesMin, r.nodesMax, r.running, r.pending, r.mode, r.groups = 2, 12, 4, 10, "sampled", 70
		r.priorities, r.budgets, r.tight, r.starts, r.never = 100, 20, 85, 25, 3
		r.podAffinity, r.ports, r.tolerations, r.taints, r.images = 15, 15, 40, 15, 30
	case "placements": // groups that are placed in one rack or zone
		r.nodesMin, r.nodesMax, r.running, r.pending, r.mode, r.groups = 2, 30, 3, 12, "sampled", 80
		r.priorities, r.budgets, r.tight, r.starts, r.never = 70, 10, 70, 15, 10
		r.podAffinity, r.ports, r.tolerations, r.taints, r.images = 15, 15, 40, 15, 30
		r.nodeAffinity, r.nodeSelector, r.scalars, r.spread, r.bareNodes = 20, 10, 20, 30, 5
		r.podLevel, r.inlineVolumes, r.topologies, r.zones = 15, 10, 75, 4
	case "grouppoints": // profiles that change what runs for groups
		r.nodesMin, r.nodesMax, r.running, r.pending, r.mode, r.groups = 2, 16, 3, 12, "sampled", 80
		r.priorities, r.budgets, r.tight, r.starts, r.never = 100, 10, 75, 15, 5
		r.scalars, r.taints, r.tolerations, r.topologies, r.zones = 20, 10, 40, 70, 4
		r.config, r.groupPoints = 100, 60
	case "composites": // groups of groups
		r.nodesMin, r.nodesMax, r.running, r.pending, r.mode, r.composites = 2, 16, 4, 16, "sampled", true
		r.priorities, r.budgets, r.tight, r.starts, r.never = 80, 10, 70, 15, 10
		r.podAffinity, r.ports, r.tolerations, r.taints, r.images = 10, 10, 40, 15, 20
		r.nodeSelector, r.scalars, r.spread, r.topologies, r.zones = 10, 20, 20, 60, 4
	case "extenders":
		r.nodesMin, r.nodesMax, r.running, r.pending, r.mode, r.extenders = 2, 12, 3, 10, "sampled", 3
		r.priorities, r.budgets, r.tight, r.never, r.retries = 100, 30, 60, 5, 30
		r.taints, r.tolerations, r.nodeAffinity, r.scalars, r.spread, r.config = 15, 40, 15, 30, 20, 25
	case "volumeshapes": // all that volumes, claims, classes and capacities may say
		r.volumes, r.inlineVolumes, r.shapes, r.config, r.nodesMax, r.running = 90, 10, 60, 25, 12, 1
		r.priorities, r.tight, r.bareNodes = 20, 15, 8
	case "gates": // feature gates that change decisions, with what they are about
		r.gates, r.config, r.bareNodes = true, 15, 5
	default:
		return r, false
	}
	return r, true
}
