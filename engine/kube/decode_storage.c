/* Tables of the fields of volumes, claims, storage classes and what CSI drivers publish. */
#include "kube/decode_tables.h"

#include "base/text.h"
#include "kube/encode.h"

/* ---- volume sources ---- */

#define HANDLE(key) BERTH__FIELD(key, STR, berth_volume_source, handle)
#define READ_ONLY BERTH__FIELD("readOnly", BOOL, berth_volume_source, read_only)

static const berth__field claim_fields[] = {HANDLE("claimName"), READ_ONLY, BERTH__FIELD_LAST};
static const berth__field no_fields[] = {BERTH__FIELD_LAST};
static const berth__field pd_name_fields[] = {HANDLE("pdName"), READ_ONLY, BERTH__FIELD_LAST};
static const berth__field volume_id_fields[] = {HANDLE("volumeID"), READ_ONLY, BERTH__FIELD_LAST};
static const berth__field iqn_fields[] = {HANDLE("iqn"), READ_ONLY, BERTH__FIELD_LAST};
static const berth__field disk_fields[] = {
    HANDLE("diskName"),
    READ_ONLY,
    BERTH__FIELD("diskURI", STR, berth_volume_source, uri),
    BERTH__FIELD_LAST,
};
static const berth__field rbd_fields[] = {
    HANDLE("image"),
    READ_ONLY,
    BERTH__FIELD("pool", STR, berth_volume_source, pool),
    BERTH__FIELD("monitors", STRS, berth_volume_source, monitors),
    BERTH__FIELD_LAST,
};
static const berth__field csi_fields[] = {
    HANDLE("volumeHandle"),
    READ_ONLY,
    BERTH__FIELD("driver", STR, berth_volume_source, driver),
    BERTH__FIELD_LAST,
};

static const berth__field image_volume_fields[] = {
    BERTH__FIELD("reference", STR, berth_volume_source, handle),
    BERTH__FIELD_LAST,
};

typedef struct source_entry {
    const char *key;
    berth_volume_kind kind;
    const berth__field *fields;
    bool in_pod;
    bool in_volume;
} source_entry;

static const source_entry sources[] = {
    {"persistentVolumeClaim", BERTH_VOLUME_CLAIM, claim_fields, true, false},
    {"ephemeral", BERTH_VOLUME_EPHEMERAL, no_fields, true, false},
    {"gcePersistentDisk", BERTH_VOLUME_GCE_PD, pd_name_fields, true, true},
    {"awsElasticBlockStore", BERTH_VOLUME_AWS_EBS, volume_id_fields, true, true},
    {"iscsi", BERTH_VOLUME_ISCSI, iqn_fields, true, true},
    {"rbd", BERTH_VOLUME_RBD, rbd_fields, true, true},
    {"azureDisk", BERTH_VOLUME_AZURE_DISK, disk_fields, true, true},
    {"cinder", BERTH_VOLUME_CINDER, volume_id_fields, true, true},
    {"portworxVolume", BERTH_VOLUME_PORTWORX, volume_id_fields, true, true},
    {"csi", BERTH_VOLUME_CSI, csi_fields, false, true},
    {"image", BERTH_VOLUME_IMAGE, image_volume_fields, true, false},
    {"emptyDir", BERTH_VOLUME_EMPTY_DIR, no_fields, true, false},
};

static berth_status decode_source(berth__decoder *decoder, const berth__field_path *path,
                                  const berth__json *value, bool of_pod, berth_volume_source *out)
{
    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
        const source_entry *entry = &sources[i];
        const berth__json *found =
            (of_pod ? entry->in_pod : entry->in_volume) ? berth__json_get(value, entry->key) : NULL;
        if (found == NULL || (entry->fields == no_fields && found->type == BERTH__JSON_NULL))
            continue;
        berth__field_path at = {.up = path, .key = berth__text_of(entry->key)};
        out->kind = entry->kind;
        return berth__decode_fields(decoder, &at, found, entry->fields, out);
    }
    return BERTH_OK;
}

berth_status berth__decode_pod_volume_source(berth__decoder *decoder, const berth__field_path *path,
                                             const berth__json *value, void *out)
{
    return decode_source(decoder, path, value, true, out);
}

berth_status berth__decode_volume_source(berth__decoder *decoder, const berth__field_path *path,
                                         const berth__json *value, void *out)
{
    return decode_source(decoder, path, value, false, out);
}

void berth__encode_volume_source(berth__encoder *encoder, const void *from)
{
    const berth_volume_source *source = from;
    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++) {
        if (sources[i].kind != source->kind)
            continue;
        berth__encode_key(encoder, berth__text_of(sources[i].key));
        berth__encode_raw(encoder, BERTH_STR("{"));
        berth__encode_fields(encoder, sources[i].fields, source);
        berth__encode_raw(encoder, BERTH_STR("}"));
    }
}

/* ---- PersistentVolume ---- */

static const berth__field capacity_fields[] = {
    BERTH__FIELD("storage", QUANTITY, berth_persistent_volume, capacity),
    BERTH__FIELD_LAST,
};

static const berth__field claim_ref_fields[] = {
    BERTH__FIELD("namespace", STR, berth_persistent_volume, claim_namespace),
    BERTH__FIELD("name", STR, berth_persistent_volume, claim_name),
    BERTH__FIELD("uid", STR, berth_persistent_volume, claim_uid),
    BERTH__FIELD_LAST,
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
    BERTH__FIELD("claimRef", PRESENT, berth_persistent_volume, has_claim_ref),
    BERTH__FIELD_SAME("claimRef", claim_ref_fields),
    BERTH__FIELD_SAME("nodeAffinity", volume_affinity_fields),
    BERTH__FIELD_SELF(berth_persistent_volume, source, berth__decode_volume_source,
                      berth__encode_volume_source),
    BERTH__FIELD_LAST,
};

static const berth__field volume_status_fields[] = {
    BERTH__FIELD("phase", STR, berth_persistent_volume, phase),
    BERTH__FIELD_LAST,
};

const berth__field berth__fields_persistent_volume[] = {
    BERTH__FIELD_IN("metadata", berth_persistent_volume, meta, berth__fields_metadata),
    BERTH__FIELD_SAME("spec", volume_spec_fields),
    BERTH__FIELD_SAME("status", volume_status_fields),
    BERTH__FIELD_LAST,
};

/* ---- PersistentVolumeClaim ---- */

static const berth__field request_fields[] = {
    BERTH__FIELD("storage", QUANTITY, berth_persistent_volume_claim, request),
    BERTH__FIELD_LAST,
};

static const berth__field claim_resource_fields[] = {
    BERTH__FIELD_SAME("requests", request_fields),
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
    BERTH__FIELD_LAST,
};

static const berth__field claim_status_fields[] = {
    BERTH__FIELD("phase", STR, berth_persistent_volume_claim, phase),
    BERTH__FIELD_LAST,
};

const berth__field berth__fields_persistent_volume_claim[] = {
    BERTH__FIELD_IN("metadata", berth_persistent_volume_claim, meta, berth__fields_metadata),
    BERTH__FIELD_SAME("spec", claim_spec_fields),
    BERTH__FIELD_SAME("status", claim_status_fields),
    BERTH__FIELD_LAST,
};

/* ---- StorageClass ---- */

static berth_status set_operator_in(berth__decoder *decoder, const berth__field_path *path,
                                    const berth__json *value, void *out)
{
    (void)decoder;
    (void)path;
    (void)value;
    *(berth_str *)out = BERTH_STR("In");
    return BERTH_OK;
}

static const berth__field topology_expression_fields[] = {
    BERTH__FIELD("key", STR, berth_requirement, key),
    BERTH__FIELD_SELF(berth_requirement, op, set_operator_in, NULL),
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
    BERTH__FIELD_LAST,
};

/* ---- drivers ---- */

static const berth__field driver_limit_fields[] = {
    BERTH__FIELD("count", PRESENT, berth_csi_node_driver, has_count),
    BERTH__FIELD("count", INT32, berth_csi_node_driver, count),
    BERTH__FIELD_LAST,
};

static const berth__field driver_fields[] = {
    BERTH__FIELD("name", STR, berth_csi_node_driver, name),
    BERTH__FIELD("nodeID", STR, berth_csi_node_driver, node_id),
    BERTH__FIELD_SAME("allocatable", driver_limit_fields),
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
    BERTH__FIELD_LAST,
};

static const berth__field csi_driver_spec_fields[] = {
    BERTH__FIELD("storageCapacity", BOOL, berth_csi_driver, storage_capacity),
    BERTH__FIELD("preventPodSchedulingIfMissing", BOOL, berth_csi_driver,
                 prevent_pod_scheduling_if_missing),
    BERTH__FIELD_LAST,
};

const berth__field berth__fields_csi_driver[] = {
    BERTH__FIELD_IN("metadata", berth_csi_driver, meta, berth__fields_metadata),
    BERTH__FIELD_SAME("spec", csi_driver_spec_fields),
    BERTH__FIELD_LAST,
};

const berth__field berth__fields_csi_storage_capacity[] = {
    BERTH__FIELD_IN("metadata", berth_csi_storage_capacity, meta, berth__fields_metadata),
    BERTH__FIELD("storageClassName", STR, berth_csi_storage_capacity, storage_class),
    BERTH__FIELD_TO("nodeTopology", berth_csi_storage_capacity, node_topology,
                    berth__fields_label_selector, berth_label_selector),
    BERTH__FIELD("capacity", PRESENT, berth_csi_storage_capacity, has_capacity),
    BERTH__FIELD("capacity", QUANTITY, berth_csi_storage_capacity, capacity),
    BERTH__FIELD("maximumVolumeSize", PRESENT, berth_csi_storage_capacity, has_maximum_volume_size),
    BERTH__FIELD("maximumVolumeSize", QUANTITY, berth_csi_storage_capacity, maximum_volume_size),
    BERTH__FIELD_LAST,
};

static const berth__field attached_fields[] = {
    BERTH__FIELD("persistentVolumeName", STR, berth_volume_attachment, persistent_volume),
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
    BERTH__FIELD_LAST,
};
