/* Fields of volumes, claims, storage classes and what CSI drivers publish. */
#include "objects/fields.h"

/* How a source is written depends on its kind, and on where it stands: kube/forms_volume.c. */
const berth__field berth__fields_volume_source[] = {
    BERTH__FIELD_SELF(UNWRITTEN, STR, berth_volume_source, handle),
    BERTH__FIELD_SELF(UNWRITTEN, STR, berth_volume_source, driver),
    BERTH__FIELD_SELF(UNWRITTEN, STR, berth_volume_source, pool),
    BERTH__FIELD_SELF(UNWRITTEN, STRS, berth_volume_source, monitors),
    BERTH__FIELD_SELF(UNWRITTEN, STR, berth_volume_source, uri),
    BERTH__FIELD_SELF(UNWRITTEN, STR, berth_volume_source, disk_kind),
    BERTH__FIELD_AND_OTHERS,
};

/* ---- PersistentVolume ---- */

static const berth__field capacity_fields[] = {
    BERTH__FIELD("storage", QUANTITY, berth_persistent_volume, capacity),
    BERTH__FIELD_AND_OTHERS,
};

static const berth__field claim_ref_fields[] = {
    BERTH__FIELD("namespace", STR, berth_persistent_volume, claim_namespace),
    BERTH__FIELD("name", STR, berth_persistent_volume, claim_name),
    BERTH__FIELD("uid", STR, berth_persistent_volume, claim_uid),
    BERTH__FIELD_AND_OTHERS,
};

static const berth__field volume_affinity_fields[] = {
    BERTH__FIELD_TO("required", berth_persistent_volume, node_affinity, berth__fields_node_selector,
                    berth_node_selector),
    BERTH__FIELD_LAST,
};

static const berth__field volume_spec_fields[] = {
    BERTH__FIELD_SAME("capacity", capacity_fields),
    BERTH__FIELD("accessModes", STRS, berth_persistent_volume, access_modes),
    BERTH__FIELD("storageClassName", STR, berth_persistent_volume, storage_class),
    BERTH__FIELD("volumeMode", STR, berth_persistent_volume, volume_mode),
    BERTH__FIELD("volumeAttributesClassName", STR, berth_persistent_volume,
                 volume_attributes_class),
    BERTH__FIELD_SAME_HAS("claimRef", berth_persistent_volume, has_claim_ref, claim_ref_fields),
    BERTH__FIELD_SAME("nodeAffinity", volume_affinity_fields),
    BERTH__FIELD_SELF_IN(VOLUME, berth_persistent_volume, source, berth__fields_volume_source),
    BERTH__FIELD_KNOWN("csi"),
    BERTH__FIELD_KNOWN("persistentVolumeReclaimPolicy"),
    BERTH__FIELD_KNOWN("mountOptions"),
    BERTH__FIELD_KNOWN("local"),
    BERTH__FIELD_KNOWN("hostPath"),
    BERTH__FIELD_KNOWN("nfs"),
    BERTH__FIELD_KNOWN("gcePersistentDisk"),
    BERTH__FIELD_KNOWN("awsElasticBlockStore"),
    BERTH__FIELD_KNOWN("glusterfs"),
    BERTH__FIELD_KNOWN("rbd"),
    BERTH__FIELD_KNOWN("iscsi"),
    BERTH__FIELD_KNOWN("cinder"),
    BERTH__FIELD_KNOWN("cephfs"),
    BERTH__FIELD_KNOWN("fc"),
    BERTH__FIELD_KNOWN("flocker"),
    BERTH__FIELD_KNOWN("flexVolume"),
    BERTH__FIELD_KNOWN("azureFile"),
    BERTH__FIELD_KNOWN("vsphereVolume"),
    BERTH__FIELD_KNOWN("quobyte"),
    BERTH__FIELD_KNOWN("azureDisk"),
    BERTH__FIELD_KNOWN("photonPersistentDisk"),
    BERTH__FIELD_KNOWN("portworxVolume"),
    BERTH__FIELD_KNOWN("scaleIO"),
    BERTH__FIELD_KNOWN("storageos"),
    BERTH__FIELD_LAST,
};

static const berth__field volume_status_fields[] = {
    BERTH__FIELD("phase", STR, berth_persistent_volume, phase),
    BERTH__FIELD_AND_OTHERS,
};

const berth__field berth__fields_persistent_volume[] = {
    BERTH__FIELD_IN("metadata", berth_persistent_volume, meta, berth__fields_metadata),
    BERTH__FIELD_SAME("spec", volume_spec_fields),
    BERTH__FIELD_SAME("status", volume_status_fields),
    BERTH__FIELD_LAST_OF_OBJECT,
};

/* ---- PersistentVolumeClaim ---- */

static const berth__field request_fields[] = {
    BERTH__FIELD("storage", QUANTITY, berth_persistent_volume_claim, request),
    BERTH__FIELD_AND_OTHERS,
};

static const berth__field claim_resource_fields[] = {
    BERTH__FIELD_SAME("requests", request_fields),
    BERTH__FIELD_KNOWN("limits"),
    BERTH__FIELD_LAST,
};

static const berth__field claim_spec_fields[] = {
    BERTH__FIELD("accessModes", STRS, berth_persistent_volume_claim, access_modes),
    BERTH__FIELD("storageClassName", STR, berth_persistent_volume_claim, storage_class),
    BERTH__FIELD("volumeName", STR, berth_persistent_volume_claim, volume_name),
    BERTH__FIELD("volumeMode", STR, berth_persistent_volume_claim, volume_mode),
    BERTH__FIELD("volumeAttributesClassName", STR, berth_persistent_volume_claim,
                 volume_attributes_class),
    BERTH__FIELD_TO("selector", berth_persistent_volume_claim, selector,
                    berth__fields_label_selector, berth_label_selector),
    BERTH__FIELD_SAME("resources", claim_resource_fields),
    BERTH__FIELD_KNOWN("dataSource"),
    BERTH__FIELD_KNOWN("dataSourceRef"),
    BERTH__FIELD_LAST,
};

static const berth__field claim_status_fields[] = {
    BERTH__FIELD("phase", STR, berth_persistent_volume_claim, phase),
    BERTH__FIELD_AND_OTHERS,
};

const berth__field berth__fields_persistent_volume_claim[] = {
    BERTH__FIELD_IN("metadata", berth_persistent_volume_claim, meta, berth__fields_metadata),
    BERTH__FIELD_SAME("spec", claim_spec_fields),
    BERTH__FIELD_SAME("status", claim_status_fields),
    BERTH__FIELD_LAST_OF_OBJECT,
};

const berth__field berth__fields_volume_claim_template[] = {
    BERTH__FIELD_KNOWN_PARTS("metadata", berth__fields_metadata),
    BERTH__FIELD_KNOWN_PARTS("spec", claim_spec_fields),
    BERTH__FIELD_LAST,
};

/* ---- StorageClass ---- */

static const berth__field topology_expression_fields[] = {
    BERTH__FIELD("key", STR, berth_requirement, key),
    BERTH__FIELD_SELF(OPERATOR_IN, STR, berth_requirement, op),
    BERTH__FIELD("values", STRS, berth_requirement, values),
    BERTH__FIELD_LAST,
};

static const berth__field topology_term_fields[] = {
    BERTH__FIELD_MANY("matchLabelExpressions", berth_topology_term, expressions.items,
                      expressions.count, topology_expression_fields, berth_requirement),
    BERTH__FIELD_LAST,
};

const berth__field berth__fields_storage_class[] = {
    BERTH__FIELD_IN("metadata", berth_storage_class, meta, berth__fields_metadata),
    BERTH__FIELD("provisioner", STR, berth_storage_class, provisioner),
    BERTH__FIELD("volumeBindingMode", STR, berth_storage_class, binding_mode),
    BERTH__FIELD_MANY("allowedTopologies", berth_storage_class, allowed_topologies,
                      allowed_topology_count, topology_term_fields, berth_topology_term),
    BERTH__FIELD_KNOWN("parameters"),
    BERTH__FIELD_KNOWN("reclaimPolicy"),
    BERTH__FIELD_KNOWN("mountOptions"),
    BERTH__FIELD_KNOWN("allowVolumeExpansion"),
    BERTH__FIELD_LAST_OF_OBJECT,
};

/* ---- drivers ---- */

static const berth__field driver_limit_fields[] = {
    BERTH__FIELD_HAS("count", INT32, berth_csi_node_driver, count, has_count),
    BERTH__FIELD_LAST,
};

static const berth__field driver_fields[] = {
    BERTH__FIELD("name", STR, berth_csi_node_driver, name),
    BERTH__FIELD("nodeID", STR, berth_csi_node_driver, node_id),
    BERTH__FIELD_SAME("allocatable", driver_limit_fields),
    BERTH__FIELD_KNOWN("topologyKeys"),
    BERTH__FIELD_LAST,
};

static const berth__field csi_node_spec_fields[] = {
    BERTH__FIELD_MANY("drivers", berth_csi_node, drivers, driver_count, driver_fields,
                      berth_csi_node_driver),
    BERTH__FIELD_LAST,
};

const berth__field berth__fields_csi_node[] = {
    BERTH__FIELD_IN("metadata", berth_csi_node, meta, berth__fields_metadata),
    BERTH__FIELD_SAME("spec", csi_node_spec_fields),
    BERTH__FIELD_LAST_OF_OBJECT,
};

static const berth__field csi_driver_spec_fields[] = {
    BERTH__FIELD("storageCapacity", BOOL, berth_csi_driver, storage_capacity),
    BERTH__FIELD("preventPodSchedulingIfMissing", BOOL, berth_csi_driver,
                 prevent_pod_scheduling_if_missing),
    BERTH__FIELD_KNOWN("attachRequired"),
    BERTH__FIELD_KNOWN("podInfoOnMount"),
    BERTH__FIELD_KNOWN("volumeLifecycleModes"),
    BERTH__FIELD_KNOWN("fsGroupPolicy"),
    BERTH__FIELD_KNOWN("tokenRequests"),
    BERTH__FIELD_KNOWN("requiresRepublish"),
    BERTH__FIELD_KNOWN("seLinuxMount"),
    BERTH__FIELD_KNOWN("nodeAllocatableUpdatePeriodSeconds"),
    BERTH__FIELD_KNOWN("serviceAccountTokenInSecrets"),
    BERTH__FIELD_LAST,
};

const berth__field berth__fields_csi_driver[] = {
    BERTH__FIELD_IN("metadata", berth_csi_driver, meta, berth__fields_metadata),
    BERTH__FIELD_SAME("spec", csi_driver_spec_fields),
    BERTH__FIELD_LAST_OF_OBJECT,
};

const berth__field berth__fields_csi_storage_capacity[] = {
    BERTH__FIELD_IN("metadata", berth_csi_storage_capacity, meta, berth__fields_metadata),
    BERTH__FIELD("storageClassName", STR, berth_csi_storage_capacity, storage_class),
    BERTH__FIELD_TO("nodeTopology", berth_csi_storage_capacity, node_topology,
                    berth__fields_label_selector, berth_label_selector),
    BERTH__FIELD_HAS("capacity", QUANTITY, berth_csi_storage_capacity, capacity, has_capacity),
    BERTH__FIELD_HAS("maximumVolumeSize", QUANTITY, berth_csi_storage_capacity, maximum_volume_size,
                     has_maximum_volume_size),
    BERTH__FIELD_LAST_OF_OBJECT,
};

static const berth__field attached_fields[] = {
    BERTH__FIELD("persistentVolumeName", STR, berth_volume_attachment, persistent_volume),
    BERTH__FIELD_KNOWN("inlineVolumeSpec"),
    BERTH__FIELD_LAST,
};

static const berth__field attachment_spec_fields[] = {
    BERTH__FIELD("attacher", STR, berth_volume_attachment, attacher),
    BERTH__FIELD("nodeName", STR, berth_volume_attachment, node_name),
    BERTH__FIELD_SAME("source", attached_fields),
    BERTH__FIELD_LAST,
};

const berth__field berth__fields_volume_attachment[] = {
    BERTH__FIELD_IN("metadata", berth_volume_attachment, meta, berth__fields_metadata),
    BERTH__FIELD_SAME("spec", attachment_spec_fields),
    BERTH__FIELD_KNOWN("status"),
    BERTH__FIELD_LAST_OF_OBJECT,
};
