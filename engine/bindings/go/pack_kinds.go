package berth

/*
#include "glue.h"
*/
import "C"

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// newer finds fields that only some of the supported versions of k8s.io/api have: their offset in
// the struct, or nothing.
type newer struct {
	resources, allocated, features uintptr
	group, groupName               uintptr // of the pod's spec, and in what it points to
	has                            [4]bool
}

var newerFields = findNewerFields()

func findNewerFields() (out newer) {
	find := func(i int, in, want reflect.Type, name string) uintptr {
		field, found := in.FieldByName(name)
		out.has[i] = found && field.Type == want
		return field.Offset
	}
	status := reflect.TypeFor[corev1.PodStatus]()
	out.resources = find(0, status, reflect.TypeFor[*corev1.ResourceRequirements](), "Resources")
	out.allocated = find(1, status, reflect.TypeFor[corev1.ResourceList](), "AllocatedResources")
	out.features = find(2, reflect.TypeFor[corev1.NodeStatus](), reflect.TypeFor[[]string](),
		"DeclaredFeatures")
	out.findGroup()
	return out
}

// findGroup finds PodSpec.SchedulingGroup, a pointer to a struct with the PodGroup's name.
func (n *newer) findGroup() {
	group, found := reflect.TypeFor[corev1.PodSpec]().FieldByName("SchedulingGroup")
	if !found || group.Type.Kind() != reflect.Pointer || group.Type.Elem().Kind() != reflect.Struct {
		return
	}
	name, found := group.Type.Elem().FieldByName("PodGroupName")
	n.has[3] = found && name.Type == reflect.TypeFor[*string]()
	n.group, n.groupName = group.Offset, name.Offset
}

func (n *newer) podGroup(spec *corev1.PodSpec) *string {
	if !n.has[3] {
		return nil
	}
	group := *(*unsafe.Pointer)(unsafe.Add(unsafe.Pointer(spec), n.group))
	if group == nil {
		return nil
	}
	return *(**string)(unsafe.Add(group, n.groupName))
}

func (n *newer) podResources(status *corev1.PodStatus) *corev1.ResourceRequirements {
	if !n.has[0] {
		return nil
	}
	return *(**corev1.ResourceRequirements)(unsafe.Add(unsafe.Pointer(status), n.resources))
}

func (n *newer) podAllocated(status *corev1.PodStatus) corev1.ResourceList {
	if !n.has[1] {
		return nil
	}
	return *(*corev1.ResourceList)(unsafe.Add(unsafe.Pointer(status), n.allocated))
}

func (n *newer) nodeFeatures(status *corev1.NodeStatus) []string {
	if !n.has[2] {
		return nil
	}
	return *(*[]string)(unsafe.Add(unsafe.Pointer(status), n.features))
}

// A packed object: its kind, and its struct in an arena.
type packed struct {
	kind   C.uint32_t
	object unsafe.Pointer
}

// object packs any object that scheduling rules read; others are an error.
func (a *arena) object(from any) (packed, error) {
	out, known := a.kindOf(from)
	if !known {
		return out, misuse(NotSupported, "an object of type %T is none that rules read", from)
	}
	if out.object == nil {
		return out, misuse(Argument, "the %T is nil", from)
	}
	if a.err != nil {
		return out, a.named(from)
	}
	return out, nil
}

// named returns the packing error with the name of the object in it.
func (a *arena) named(from any) error {
	if err, ok := a.err.(*Error); ok && err.Object == "" {
		err.Object = describe(from)
	}
	return a.err
}

// describe names an object as errors name it.
func describe(from any) string {
	object, ok := from.(metav1.Object)
	if !ok {
		return ""
	}
	kind := reflect.TypeOf(from).Elem().Name()
	if object.GetNamespace() == "" {
		return kind + " " + object.GetName()
	}
	return kind + " " + object.GetNamespace() + "/" + object.GetName()
}

// put packs one object with the function for its kind.
func put[T, O any](a *arena, kind C.uint32_t, from *O, pack func(*T, *O)) (packed, bool) {
	if from == nil {
		return packed{kind: kind}, true
	}
	out := one[T](a)
	pack(out, from)
	return packed{kind, unsafe.Pointer(out)}, true
}

func (a *arena) kindOf(from any) (packed, bool) {
	switch o := from.(type) {
	case *corev1.Pod:
		return put(a, C.BERTH_KIND_POD, o, a.pod)
	case *corev1.Node:
		return put(a, C.BERTH_KIND_NODE, o, a.node)
	case *corev1.Namespace:
		return put(a, C.BERTH_KIND_NAMESPACE, o, a.namespace)
	case *corev1.Service:
		return put(a, C.BERTH_KIND_SERVICE, o, a.service)
	case *corev1.ReplicationController:
		return put(a, C.BERTH_KIND_REPLICATION_CONTROLLER, o, a.replicationController)
	case *corev1.PersistentVolume:
		return put(a, C.BERTH_KIND_PERSISTENT_VOLUME, o, a.persistentVolume)
	case *corev1.PersistentVolumeClaim:
		return put(a, C.BERTH_KIND_PERSISTENT_VOLUME_CLAIM, o, a.persistentVolumeClaim)
	case *appsv1.ReplicaSet:
		return put(a, C.BERTH_KIND_REPLICA_SET, o, a.replicaSet)
	case *appsv1.StatefulSet:
		return put(a, C.BERTH_KIND_STATEFUL_SET, o, a.statefulSet)
	case *policyv1.PodDisruptionBudget:
		return put(a, C.BERTH_KIND_POD_DISRUPTION_BUDGET, o, a.disruptionBudget)
	case *storagev1.StorageClass:
		return put(a, C.BERTH_KIND_STORAGE_CLASS, o, a.storageClass)
	case *storagev1.CSINode:
		return put(a, C.BERTH_KIND_CSI_NODE, o, a.csiNode)
	case *storagev1.CSIDriver:
		return put(a, C.BERTH_KIND_CSI_DRIVER, o, a.csiDriver)
	case *storagev1.CSIStorageCapacity:
		return put(a, C.BERTH_KIND_CSI_STORAGE_CAPACITY, o, a.csiCapacity)
	case *storagev1.VolumeAttachment:
		return put(a, C.BERTH_KIND_VOLUME_ATTACHMENT, o, a.volumeAttachment)
	}
	return a.device(from)
}

// kindNumber returns the kind of an object without packing it.
func kindNumber(from any) (C.uint32_t, bool) {
	if kind, _, known := deviceKind(from); known {
		return kind, true
	}
	for i, example := range kindExamples {
		if reflect.TypeOf(from) == example && example != devices {
			return C.uint32_t(i), true
		}
	}
	return 0, false
}

var kindExamples = [C.BERTH_KIND_COUNT]reflect.Type{
	C.BERTH_KIND_POD:                     reflect.TypeFor[*corev1.Pod](),
	C.BERTH_KIND_NODE:                    reflect.TypeFor[*corev1.Node](),
	C.BERTH_KIND_NAMESPACE:               reflect.TypeFor[*corev1.Namespace](),
	C.BERTH_KIND_SERVICE:                 reflect.TypeFor[*corev1.Service](),
	C.BERTH_KIND_REPLICATION_CONTROLLER:  reflect.TypeFor[*corev1.ReplicationController](),
	C.BERTH_KIND_PERSISTENT_VOLUME:       reflect.TypeFor[*corev1.PersistentVolume](),
	C.BERTH_KIND_PERSISTENT_VOLUME_CLAIM: reflect.TypeFor[*corev1.PersistentVolumeClaim](),
	C.BERTH_KIND_REPLICA_SET:             reflect.TypeFor[*appsv1.ReplicaSet](),
	C.BERTH_KIND_STATEFUL_SET:            reflect.TypeFor[*appsv1.StatefulSet](),
	C.BERTH_KIND_POD_DISRUPTION_BUDGET:   reflect.TypeFor[*policyv1.PodDisruptionBudget](),
	C.BERTH_KIND_STORAGE_CLASS:           reflect.TypeFor[*storagev1.StorageClass](),
	C.BERTH_KIND_CSI_NODE:                reflect.TypeFor[*storagev1.CSINode](),
	C.BERTH_KIND_CSI_DRIVER:              reflect.TypeFor[*storagev1.CSIDriver](),
	C.BERTH_KIND_CSI_STORAGE_CAPACITY:    reflect.TypeFor[*storagev1.CSIStorageCapacity](),
	C.BERTH_KIND_VOLUME_ATTACHMENT:       reflect.TypeFor[*storagev1.VolumeAttachment](),
	C.BERTH_KIND_RESOURCE_SLICE:          devices,
	C.BERTH_KIND_DEVICE_CLASS:            devices,
	C.BERTH_KIND_RESOURCE_CLAIM:          devices,
	C.BERTH_KIND_DEVICE_TAINT_RULE:       devices,
	C.BERTH_KIND_POD_GROUP:               devices,
	C.BERTH_KIND_COMPOSITE_POD_GROUP:     devices,
}

// ---- nodes ----

func (a *arena) node(out *C.berth_node, from *corev1.Node) {
	a.meta(&out.meta, &from.ObjectMeta)
	out.unschedulable = C.bool(from.Spec.Unschedulable)
	taints := many[C.berth_taint](a, len(from.Spec.Taints))
	for i := range from.Spec.Taints {
		taint := &from.Spec.Taints[i]
		taints[i] = C.berth_taint{key: a.strSet(taint.Key), value: a.str(taint.Value),
			effect: a.strSet(string(taint.Effect))}
	}
	out.taints, out.taint_count = unsafe.SliceData(taints), C.uint32_t(len(taints))
	allocatable := from.Status.Allocatable
	if len(allocatable) == 0 {
		allocatable = from.Status.Capacity
	}
	out.allocatable = a.resources(allocatable)
	images := many[C.berth_image](a, len(from.Status.Images))
	for i := range from.Status.Images {
		images[i].names = strs(a, from.Status.Images[i].Names)
		images[i].size_bytes = C.int64_t(from.Status.Images[i].SizeBytes)
	}
	out.images, out.image_count = unsafe.SliceData(images), C.uint32_t(len(images))
	list := many[C.berth_condition](a, len(from.Status.Conditions))
	for i := range from.Status.Conditions {
		condition := &from.Status.Conditions[i]
		list[i] = C.berth_condition{_type: a.strSet(string(condition.Type)),
			status: a.strSet(string(condition.Status)), reason: a.str(condition.Reason)}
	}
	out.conditions, out.condition_count = unsafe.SliceData(list), C.uint32_t(len(list))
	out.declared_features = strs(a, newerFields.nodeFeatures(&from.Status))
}

// ---- services and controllers ----

func (a *arena) namespace(out *C.berth_namespace, from *corev1.Namespace) {
	a.meta(&out.meta, &from.ObjectMeta)
}

func (a *arena) service(out *C.berth_service, from *corev1.Service) {
	a.meta(&out.meta, &from.ObjectMeta)
	out.has_selector = C.bool(len(from.Spec.Selector) > 0)
	out.selector = a.labels(from.Spec.Selector)
}

func (a *arena) replicationController(out *C.berth_controller, from *corev1.ReplicationController) {
	a.meta(&out.meta, &from.ObjectMeta)
	out.selector = a.mapSelector(from.Spec.Selector)
}

func (a *arena) replicaSet(out *C.berth_controller, from *appsv1.ReplicaSet) {
	a.meta(&out.meta, &from.ObjectMeta)
	out.selector = a.labelSelector(from.Spec.Selector)
}

func (a *arena) statefulSet(out *C.berth_controller, from *appsv1.StatefulSet) {
	a.meta(&out.meta, &from.ObjectMeta)
	out.selector = a.labelSelector(from.Spec.Selector)
}

// countOrPercent packs a number or a percentage; anything else counts as absent.
func countOrPercent(out *C.berth_count_or_percent, from *intstr.IntOrString) {
	if from == nil {
		return
	}
	value := int64(from.IntVal)
	percent := from.Type == intstr.String
	if percent {
		digits, found := strings.CutSuffix(from.StrVal, "%")
		number, err := strconv.ParseInt(digits, 10, 32)
		if !found || err != nil {
			return
		}
		value = number
	}
	if value >= 0 {
		out.given, out.percent, out.value = true, C.bool(percent), C.int32_t(value)
	}
}

func (a *arena) disruptionBudget(out *C.berth_pod_disruption_budget, from *policyv1.PodDisruptionBudget) {
	a.meta(&out.meta, &from.ObjectMeta)
	out.selector = a.labelSelector(from.Spec.Selector)
	out.disruptions_allowed = C.int32_t(from.Status.DisruptionsAllowed)
	countOrPercent(&out.min_available, from.Spec.MinAvailable)
	countOrPercent(&out.max_unavailable, from.Spec.MaxUnavailable)
	pods := many[C.berth_str](a, len(from.Status.DisruptedPods))
	i := 0
	for name := range from.Status.DisruptedPods {
		pods[i] = a.strSet(name)
		i++
	}
	slices.SortFunc(pods, compare)
	out.disrupted_pods = C.berth_strs{items: unsafe.SliceData(pods), count: C.uint32_t(len(pods))}
}

// ---- storage ----

func (a *arena) persistentVolume(out *C.berth_persistent_volume, from *corev1.PersistentVolume) {
	spec := &from.Spec
	a.meta(&out.meta, &from.ObjectMeta)
	if amount, found := spec.Capacity[corev1.ResourceStorage]; found {
		out.capacity = a.quantity(&amount)
	}
	out.access_modes = strs(a, spec.AccessModes)
	out.storage_class = a.str(spec.StorageClassName)
	out.volume_mode = a.strTo((*string)(spec.VolumeMode))
	out.volume_attributes_class = a.strTo(spec.VolumeAttributesClassName)
	if claim := spec.ClaimRef; claim != nil {
		out.has_claim_ref = true
		out.claim_namespace = a.str(claim.Namespace)
		out.claim_name = a.str(claim.Name)
		out.claim_uid = a.str(string(claim.UID))
	}
	if spec.NodeAffinity != nil {
		out.node_affinity = a.nodeSelector(spec.NodeAffinity.Required)
	}
	a.volumeSource(&out.source, &spec.PersistentVolumeSource)
	out.phase = a.str(string(from.Status.Phase))
}

func (a *arena) volumeSource(out *C.berth_volume_source, from *corev1.PersistentVolumeSource) {
	switch {
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
	case from.CSI != nil:
		a.disk(out, C.BERTH_VOLUME_CSI, from.CSI.VolumeHandle, from.CSI.ReadOnly)
		out.driver = a.strSet(from.CSI.Driver)
	}
}

func (a *arena) persistentVolumeClaim(out *C.berth_persistent_volume_claim,
	from *corev1.PersistentVolumeClaim) {
	spec := &from.Spec
	a.meta(&out.meta, &from.ObjectMeta)
	out.access_modes = strs(a, spec.AccessModes)
	out.storage_class = a.strTo(spec.StorageClassName)
	out.volume_name = a.str(spec.VolumeName)
	out.volume_mode = a.strTo((*string)(spec.VolumeMode))
	out.volume_attributes_class = a.strTo(spec.VolumeAttributesClassName)
	out.selector = a.labelSelector(spec.Selector)
	if amount, found := spec.Resources.Requests[corev1.ResourceStorage]; found {
		out.request = a.quantity(&amount)
	}
	out.phase = a.str(string(from.Status.Phase))
}

func (a *arena) storageClass(out *C.berth_storage_class, from *storagev1.StorageClass) {
	a.meta(&out.meta, &from.ObjectMeta)
	out.provisioner = a.strSet(from.Provisioner)
	out.binding_mode = a.strTo((*string)(from.VolumeBindingMode))
	terms := many[C.berth_topology_term](a, len(from.AllowedTopologies))
	for i := range from.AllowedTopologies {
		expressions := from.AllowedTopologies[i].MatchLabelExpressions
		list := many[C.berth_requirement](a, len(expressions))
		for e := range expressions {
			list[e] = C.berth_requirement{key: a.strSet(expressions[e].Key), op: a.strSet("In"),
				values: strs(a, expressions[e].Values)}
		}
		terms[i].expressions = C.berth_requirements{
			items: unsafe.SliceData(list), count: C.uint32_t(len(list))}
	}
	out.allowed_topologies = unsafe.SliceData(terms)
	out.allowed_topology_count = C.uint32_t(len(terms))
}

func (a *arena) csiNode(out *C.berth_csi_node, from *storagev1.CSINode) {
	a.meta(&out.meta, &from.ObjectMeta)
	drivers := many[C.berth_csi_node_driver](a, len(from.Spec.Drivers))
	for i := range from.Spec.Drivers {
		driver := &from.Spec.Drivers[i]
		drivers[i].name = a.strSet(driver.Name)
		drivers[i].node_id = a.strSet(driver.NodeID)
		if driver.Allocatable != nil && driver.Allocatable.Count != nil {
			drivers[i].has_count = true
			drivers[i].count = C.int32_t(*driver.Allocatable.Count)
		}
	}
	out.drivers, out.driver_count = unsafe.SliceData(drivers), C.uint32_t(len(drivers))
}

func (a *arena) csiDriver(out *C.berth_csi_driver, from *storagev1.CSIDriver) {
	a.meta(&out.meta, &from.ObjectMeta)
	out.storage_capacity = C.bool(from.Spec.StorageCapacity != nil && *from.Spec.StorageCapacity)
	out.prevent_pod_scheduling_if_missing = C.bool(laterFlag(from.Spec, "PreventPodSchedulingIfMissing"))
}

// laterFlag returns a flag that only some of the supported versions of k8s.io/api have.
func laterFlag(spec any, name string) bool {
	flag, _ := fieldOf(spec, name).(*bool)
	return flag != nil && *flag
}

func fieldOf(spec any, name string) any {
	field := reflect.ValueOf(spec).FieldByName(name)
	if !field.IsValid() {
		return nil
	}
	return field.Interface()
}

func (a *arena) csiCapacity(out *C.berth_csi_storage_capacity, from *storagev1.CSIStorageCapacity) {
	amount := func(has *C.bool, to *C.berth_quantity, from *resource.Quantity) {
		if from != nil {
			*has = true
			*to = a.quantity(from)
		}
	}
	a.meta(&out.meta, &from.ObjectMeta)
	out.storage_class = a.strSet(from.StorageClassName)
	out.node_topology = a.labelSelector(from.NodeTopology)
	amount(&out.has_capacity, &out.capacity, from.Capacity)
	amount(&out.has_maximum_volume_size, &out.maximum_volume_size, from.MaximumVolumeSize)
}

func (a *arena) volumeAttachment(out *C.berth_volume_attachment, from *storagev1.VolumeAttachment) {
	a.meta(&out.meta, &from.ObjectMeta)
	out.attacher = a.strSet(from.Spec.Attacher)
	out.node_name = a.strSet(from.Spec.NodeName)
	out.persistent_volume = a.strTo(from.Spec.Source.PersistentVolumeName)
}

func isNil(from any) bool { return reflect.ValueOf(from).IsNil() }
