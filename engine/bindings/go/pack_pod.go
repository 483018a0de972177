package berth

/*
#include "glue.h"
*/
import "C"

import (
	"unsafe"

	corev1 "k8s.io/api/core/v1"
)

func (a *arena) pod(out *C.berth_pod, from *corev1.Pod) {
	spec := &from.Spec
	a.meta(&out.meta, &from.ObjectMeta)
	out.node_name = a.str(spec.NodeName)
	out.scheduler_name = a.str(spec.SchedulerName)
	if spec.Priority != nil {
		out.has_priority = true
		out.priority = C.int32_t(*spec.Priority)
	}
	out.preemption_policy = a.strTo((*string)(spec.PreemptionPolicy))
	out.containers, out.container_count = a.containers(spec.Containers)
	out.init_containers, out.init_container_count = a.containers(spec.InitContainers)
	out.overhead = a.resources(spec.Overhead)
	out.pod_group = a.strTo(newerFields.podGroup(spec))
	out.node_selector = a.labels(spec.NodeSelector)
	if spec.Affinity != nil {
		a.affinity(out, spec.Affinity)
	}
	out.tolerations, out.toleration_count = a.tolerations(spec.Tolerations)
	out.spreads, out.spread_count = a.spreads(spec.TopologySpreadConstraints)
	out.volumes, out.volume_count = a.volumes(spec.Volumes)
	gates := many[C.berth_str](a, len(spec.SchedulingGates))
	for i := range spec.SchedulingGates {
		gates[i] = a.strSet(spec.SchedulingGates[i].Name)
	}
	out.scheduling_gates = C.berth_strs{
		items: unsafe.SliceData(gates), count: C.uint32_t(len(gates))}
	if spec.Resources != nil {
		out.pod_requests = a.resources(spec.Resources.Requests)
		out.pod_limits = a.resources(spec.Resources.Limits)
	}
	out.host_network = C.bool(spec.HostNetwork)
	out.host_users_off = C.bool(spec.HostUsers != nil && !*spec.HostUsers)
	claims := many[C.berth_pod_claim](a, len(spec.ResourceClaims))
	for i := range spec.ResourceClaims {
		claim := &spec.ResourceClaims[i]
		claims[i] = C.berth_pod_claim{name: a.strSet(claim.Name),
			claim:          a.strTo(claim.ResourceClaimName),
			claim_template: a.strTo(claim.ResourceClaimTemplateName)}
	}
	out.resource_claims = unsafe.SliceData(claims)
	out.resource_claim_count = C.uint32_t(len(claims))
	a.podStatus(out, &from.Status)
}

func (a *arena) podStatus(out *C.berth_pod, from *corev1.PodStatus) {
	out.phase = a.str(string(from.Phase))
	out.nominated_node_name = a.str(from.NominatedNodeName)
	if from.StartTime != nil {
		out.start_time_ns = unixNano(from.StartTime)
	}
	list := many[C.berth_condition](a, len(from.Conditions))
	for i := range from.Conditions {
		condition := &from.Conditions[i]
		list[i] = C.berth_condition{_type: a.strSet(string(condition.Type)),
			status: a.strSet(string(condition.Status)), reason: a.str(condition.Reason)}
	}
	out.conditions = unsafe.SliceData(list)
	out.condition_count = C.uint32_t(len(list))
	claims := many[C.berth_pod_claim](a, len(from.ResourceClaimStatuses))
	for i := range from.ResourceClaimStatuses {
		claim := &from.ResourceClaimStatuses[i]
		claims[i] = C.berth_pod_claim{
			name: a.strSet(claim.Name), claim: a.strTo(claim.ResourceClaimName)}
	}
	out.resource_claim_statuses = unsafe.SliceData(claims)
	out.resource_claim_status_count = C.uint32_t(len(claims))
	out.container_statuses, out.container_status_count = a.containerStatuses(from.ContainerStatuses)
	out.init_container_statuses, out.init_container_status_count =
		a.containerStatuses(from.InitContainerStatuses)
	if resources := newerFields.podResources(from); resources != nil {
		out.has_status_resources = true
		out.status_requests = a.resources(resources.Requests)
	}
	out.status_allocated = a.resources(newerFields.podAllocated(from))
}

func (a *arena) containerStatuses(from []corev1.ContainerStatus) (*C.berth_container_status, C.uint32_t) {
	list := many[C.berth_container_status](a, len(from))
	for i := range from {
		status := &from[i]
		list[i].name = a.strSet(status.Name)
		list[i].allocated = a.resources(status.AllocatedResources)
		if status.Resources != nil {
			list[i].has_resources = true
			list[i].requests = a.resources(status.Resources.Requests)
		}
	}
	return unsafe.SliceData(list), C.uint32_t(len(list))
}

func (a *arena) containers(from []corev1.Container) (*C.berth_container, C.uint32_t) {
	list := many[C.berth_container](a, len(from))
	for i := range from {
		container, out := &from[i], &list[i]
		out.name = a.strSet(container.Name)
		out.image = a.str(container.Image)
		out.requests = a.resources(container.Resources.Requests)
		out.limits = a.resources(container.Resources.Limits)
		ports := many[C.berth_port](a, len(container.Ports))
		for p := range container.Ports {
			port := &container.Ports[p]
			ports[p] = C.berth_port{host_ip: a.str(port.HostIP), protocol: a.str(string(port.Protocol)),
				host_port: C.int32_t(port.HostPort), container_port: C.int32_t(port.ContainerPort)}
		}
		out.ports = unsafe.SliceData(ports)
		out.port_count = C.uint32_t(len(ports))
		out.restart_always = C.bool(container.RestartPolicy != nil &&
			*container.RestartPolicy == corev1.ContainerRestartPolicyAlways)
		for r := range container.RestartPolicyRules {
			if container.RestartPolicyRules[r].Action == "RestartAllContainers" {
				out.restarts_all = true
			}
		}
	}
	return unsafe.SliceData(list), C.uint32_t(len(list))
}

// ---- affinity ----

func (a *arena) affinity(out *C.berth_pod, from *corev1.Affinity) {
	if node := from.NodeAffinity; node != nil {
		out.node_affinity.required = a.nodeSelector(node.RequiredDuringSchedulingIgnoredDuringExecution)
		terms := node.PreferredDuringSchedulingIgnoredDuringExecution
		list := many[C.berth_preferred_node_term](a, len(terms))
		for i := range terms {
			list[i].weight = C.int32_t(terms[i].Weight)
			list[i].preference = a.nodeTerm(&terms[i].Preference)
		}
		out.node_affinity.preferred = unsafe.SliceData(list)
		out.node_affinity.preferred_count = C.uint32_t(len(list))
	}
	if near := from.PodAffinity; near != nil {
		a.podAffinity(&out.pod_affinity, near.RequiredDuringSchedulingIgnoredDuringExecution,
			near.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	if apart := from.PodAntiAffinity; apart != nil {
		a.podAffinity(&out.pod_anti_affinity, apart.RequiredDuringSchedulingIgnoredDuringExecution,
			apart.PreferredDuringSchedulingIgnoredDuringExecution)
	}
}

func (a *arena) podAffinity(out *C.berth_pod_affinity, required []corev1.PodAffinityTerm,
	preferred []corev1.WeightedPodAffinityTerm) {
	out.present = true
	list := many[C.berth_pod_affinity_term](a, len(required))
	for i := range required {
		a.podAffinityTerm(&list[i], &required[i])
	}
	out.required = unsafe.SliceData(list)
	out.required_count = C.uint32_t(len(list))
	list = many[C.berth_pod_affinity_term](a, len(preferred))
	for i := range preferred {
		a.podAffinityTerm(&list[i], &preferred[i].PodAffinityTerm)
		list[i].weight = C.int32_t(preferred[i].Weight)
	}
	out.preferred = unsafe.SliceData(list)
	out.preferred_count = C.uint32_t(len(list))
}

func (a *arena) podAffinityTerm(out *C.berth_pod_affinity_term, from *corev1.PodAffinityTerm) {
	out.label_selector = a.labelSelector(from.LabelSelector)
	out.namespaces = strs(a, from.Namespaces)
	out.namespace_selector = a.labelSelector(from.NamespaceSelector)
	out.topology_key = a.strSet(from.TopologyKey)
}

// ---- the rest of the specification ----

func (a *arena) tolerations(from []corev1.Toleration) (*C.berth_toleration, C.uint32_t) {
	list := many[C.berth_toleration](a, len(from))
	for i := range from {
		list[i] = C.berth_toleration{key: a.str(from[i].Key), op: a.str(string(from[i].Operator)),
			value: a.str(from[i].Value), effect: a.str(string(from[i].Effect))}
	}
	return unsafe.SliceData(list), C.uint32_t(len(list))
}

func (a *arena) spreads(from []corev1.TopologySpreadConstraint) (*C.berth_topology_spread, C.uint32_t) {
	list := many[C.berth_topology_spread](a, len(from))
	for i := range from {
		spread, out := &from[i], &list[i]
		out.max_skew = C.int32_t(spread.MaxSkew)
		if spread.MinDomains != nil {
			out.min_domains = C.int32_t(*spread.MinDomains)
		}
		out.topology_key = a.strSet(spread.TopologyKey)
		out.when_unsatisfiable = a.strSet(string(spread.WhenUnsatisfiable))
		out.label_selector = a.labelSelector(spread.LabelSelector)
		out.node_affinity_policy = a.strTo((*string)(spread.NodeAffinityPolicy))
		out.node_taints_policy = a.strTo((*string)(spread.NodeTaintsPolicy))
		out.match_label_keys = strs(a, spread.MatchLabelKeys)
	}
	return unsafe.SliceData(list), C.uint32_t(len(list))
}

func (a *arena) volumes(from []corev1.Volume) (*C.berth_volume, C.uint32_t) {
	list := many[C.berth_volume](a, len(from))
	for i := range from {
		list[i].name = a.strSet(from[i].Name)
		a.podVolume(&list[i].source, &from[i].VolumeSource)
	}
	return unsafe.SliceData(list), C.uint32_t(len(list))
}

// podVolume packs the source that is set. If several are set, it takes the first of them in this
// order, as the reader does.
func (a *arena) podVolume(out *C.berth_volume_source, from *corev1.VolumeSource) {
	switch {
	case from.PersistentVolumeClaim != nil:
		a.disk(out, C.BERTH_VOLUME_CLAIM, from.PersistentVolumeClaim.ClaimName, from.PersistentVolumeClaim.ReadOnly)
	case from.Ephemeral != nil:
		out.kind = C.BERTH_VOLUME_EPHEMERAL
	case from.GCEPersistentDisk != nil:
		a.disk(out, C.BERTH_VOLUME_GCE_PD, from.GCEPersistentDisk.PDName, from.GCEPersistentDisk.ReadOnly)
	case from.AWSElasticBlockStore != nil:
		a.disk(out, C.BERTH_VOLUME_AWS_EBS, from.AWSElasticBlockStore.VolumeID,
			from.AWSElasticBlockStore.ReadOnly)
	case from.ISCSI != nil:
		a.disk(out, C.BERTH_VOLUME_ISCSI, from.ISCSI.IQN, from.ISCSI.ReadOnly)
	case from.RBD != nil:
		a.rbd(out, from.RBD.RBDImage, from.RBD.RBDPool, from.RBD.CephMonitors, from.RBD.ReadOnly)
	case from.AzureDisk != nil:
		a.azureDisk(out, from.AzureDisk)
	case from.Cinder != nil:
		a.disk(out, C.BERTH_VOLUME_CINDER, from.Cinder.VolumeID, from.Cinder.ReadOnly)
	case from.PortworxVolume != nil:
		a.disk(out, C.BERTH_VOLUME_PORTWORX, from.PortworxVolume.VolumeID, from.PortworxVolume.ReadOnly)
	case from.Image != nil:
		out.kind = C.BERTH_VOLUME_IMAGE
		out.handle = a.str(from.Image.Reference)
	case from.EmptyDir != nil:
		out.kind = C.BERTH_VOLUME_EMPTY_DIR
	}
}

// disk packs the fields that most kinds of volumes share: the disk, and whether it is read-only.
func (a *arena) disk(out *C.berth_volume_source, kind C.berth_volume_kind, handle string, readOnly bool) {
	out.kind = kind
	out.handle = a.strSet(handle)
	out.read_only = C.bool(readOnly)
}

func (a *arena) rbd(out *C.berth_volume_source, image, pool string, monitors []string, readOnly bool) {
	a.disk(out, C.BERTH_VOLUME_RBD, image, readOnly)
	out.pool = a.str(pool)
	out.monitors = strs(a, monitors)
}

func (a *arena) azureDisk(out *C.berth_volume_source, from *corev1.AzureDiskVolumeSource) {
	a.disk(out, C.BERTH_VOLUME_AZURE_DISK, from.DiskName, from.ReadOnly != nil && *from.ReadOnly)
	out.uri = a.strSet(from.DataDiskURI)
	if from.Kind != nil {
		out.disk_kind = a.str(string(*from.Kind))
	}
}
