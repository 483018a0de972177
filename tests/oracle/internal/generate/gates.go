package generate

import "strings"

// gateCase is a setting of a feature gate that is not the default of the releases 1.`first` to
// 1.`last`, and what scenarios are about in which it changes decisions. A gate that others need is
// set with them, because kube-scheduler would not start otherwise.
type gateCase struct {
	first, last int
	settings    string
	about       func(*recipe)
}

var gateCases = []gateCase{
	{33, 34, "InPlacePodVerticalScaling=false", aboutResizes},
	{33, 33, "PodLevelResources=true", aboutPods},
	{34, 35, "PodLevelResources=false", aboutPods},
	{36, 36, "PodLevelResources=false,InPlacePodLevelResourcesVerticalScaling=false", aboutPods},
	{37, 37, "PodLevelResources=false,InPlacePodLevelResourcesVerticalScaling=false," +
		"PodLevelResourcesFixDefaulting=false,PodLevelResourcesFixKubeletQOSClass=false", aboutPods},
	{36, 37, "InPlacePodLevelResourcesVerticalScaling=false", aboutPodStatus},
	{35, 37, "TaintTolerationComparisonOperators=true", aboutTaints},
	{36, 36, "NodeDeclaredFeatures=false,InPlacePodLevelResourcesVerticalScaling=false,ExtendWebSocketsToKubelet=false," +
		"InPlacePodVerticalScalingInitContainers=false,RestartAllContainersOnContainerExits=false",
		func(r *recipe) { r.features = 60 }},
	{32, 33, "VolumeAttributesClass=true", aboutAttributes},
	{34, 35, "VolumeAttributesClass=false", aboutAttributes},
	{32, 32, "NodeInclusionPolicyInPodTopologySpread=false", aboutSpread},
	{32, 33, "MatchLabelKeysInPodTopologySpread=false", aboutSpread},
	{34, 37, "MatchLabelKeysInPodTopologySpread=false,MatchLabelKeysInPodTopologySpreadSelectorMerge=false", aboutSpread},
	{33, 36, "StorageCapacityScoring=true", aboutCapacity},
	{37, 37, "StorageCapacityScoring=false", aboutCapacity},
	{36, 36, "VolumeLimitScaling=true", aboutDrivers},
	{37, 37, "VolumeLimitScaling=false", aboutDrivers},
	{36, 36, "DRAExtendedResource=false", func(r *recipe) { aboutDevices(r); r.extended, r.scalars = 60, 25 }},
	{37, 37, "DRADeviceTaintRules=false", func(r *recipe) { aboutDevices(r); r.taintRules = 90 }},
	{37, 37, "InterPodAffinityHostnameFastPath=false", func(r *recipe) { r.podAffinity = 60 }},
}

func aboutResizes(r *recipe) { r.resized, r.initContainers, r.running, r.tight = 75, 25, 3, 70 }

func aboutPods(r *recipe) {
	r.podLevel, r.initContainers, r.overhead, r.scalars, r.resized = 60, 30, 15, 15, 20
}

func aboutPodStatus(r *recipe) {
	r.podLevel, r.resized, r.podStatus, r.running, r.tight = 50, 85, 70, 3, 60
}

func aboutTaints(r *recipe) { r.taints, r.tolerations, r.comparisons = 80, 85, 60 }

func aboutAttributes(r *recipe) { r.volumes, r.attributes = 80, 50 }

func aboutSpread(r *recipe) {
	r.spread, r.taints, r.tolerations, r.nodeAffinity = 75, max(r.taints, 25), max(r.tolerations, 30), 20
}

// Without the gate there is no shape to configure.
func aboutCapacity(r *recipe) { r.volumes, r.measured, r.config = 90, 70, 0 }

func aboutDrivers(r *recipe) { r.volumes, r.required = 85, 60 }

func aboutDevices(r *recipe) {
	r.claims, r.partitions, r.taintedDevices, r.heldDevices = 60, 10, 15, 15
	r.running, r.nodesMax = 1, 8
}

// numbers are values that tolerations can compare, and some that they cannot.
var numbers = []string{"0", "1", "5", "10", "-3", "950", "9223372036854775807", "9223372036854775808", "007", "x", ""}

// setGates picks settings for a release and what the scenario is about.
func (g *generator) setGates(minor int) string {
	var there []gateCase
	for _, candidate := range gateCases {
		if candidate.first <= minor && minor <= candidate.last {
			there = append(there, candidate)
		}
	}
	var settings []string
	for _, chosen := range some(g.source, 1, 3, there) {
		chosen.about(&g.recipe)
		if g.chance(90) { // otherwise the default
			settings = append(settings, chosen.settings)
		}
	}
	return strings.Join(settings, ",")
}
