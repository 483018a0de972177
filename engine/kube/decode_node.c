/* Table of the fields of a Node. */
#include "kube/decode_tables.h"

const berth__field berth__fields_taint[] = {
    BERTH__FIELD("key", STR, berth_taint, key),
    BERTH__FIELD("value", STR, berth_taint, value),
    BERTH__FIELD("effect", STR, berth_taint, effect),
    BERTH__FIELD_LAST,
};

static const berth__field spec_fields[] = {
    BERTH__FIELD("unschedulable", BOOL, berth_node, unschedulable),
    BERTH__FIELD_MANY("taints", berth_node, taints, taint_count, berth__fields_taint, berth_taint),
    BERTH__FIELD_LAST,
};

static const berth__field image_fields[] = {
    BERTH__FIELD("names", STRS, berth_image, names),
    BERTH__FIELD("sizeBytes", INT64, berth_image, size_bytes),
    BERTH__FIELD_LAST,
};

static const berth__field status_fields[] = {
    /* If only capacity is given, the API server uses it as allocatable. Allocatable is read second
     * and overwrites it. */
    BERTH__FIELD("capacity", RESOURCES, berth_node, allocatable),
    BERTH__FIELD("allocatable", RESOURCES, berth_node, allocatable),
    BERTH__FIELD_MANY("images", berth_node, images, image_count, image_fields, berth_image),
    BERTH__FIELD_MANY("conditions", berth_node, conditions, condition_count,
                      berth__fields_condition, berth_condition),
    BERTH__FIELD("declaredFeatures", STRS, berth_node, declared_features),
    BERTH__FIELD_LAST,
};

const berth__field berth__fields_node[] = {
    BERTH__FIELD_IN("metadata", berth_node, meta, berth__fields_metadata),
    BERTH__FIELD_SAME("spec", spec_fields),
    BERTH__FIELD_SAME("status", status_fields),
    BERTH__FIELD_LAST,
};
