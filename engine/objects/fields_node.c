/* Fields of a Node. */
#include "objects/fields.h"

static const berth__field spec_fields[] = {
    BERTH__FIELD("unschedulable", BOOL, berth_node, unschedulable),
    BERTH__FIELD_MANY("taints", berth_node, taints, taint_count, berth__fields_taint, berth_taint),
    BERTH__FIELD_KNOWN("podCIDR"),
    BERTH__FIELD_KNOWN("podCIDRs"),
    BERTH__FIELD_KNOWN("providerID"),
    BERTH__FIELD_KNOWN("configSource"),
    BERTH__FIELD_KNOWN("externalID"),
    BERTH__FIELD_LAST,
};

static const berth__field image_fields[] = {
    BERTH__FIELD("names", STRS, berth_image, names),
    BERTH__FIELD("sizeBytes", INT64, berth_image, size_bytes),
    BERTH__FIELD_AND_OTHERS,
};

static const berth__field status_fields[] = {
    /* If only capacity is given, the API server uses it as allocatable. Allocatable is read second
     * and overwrites it. */
    BERTH__FIELD_AGAIN("capacity", RESOURCES, berth_node, allocatable),
    BERTH__FIELD("allocatable", RESOURCES, berth_node, allocatable),
    BERTH__FIELD_MANY("images", berth_node, images, image_count, image_fields, berth_image),
    BERTH__FIELD_MANY("conditions", berth_node, conditions, condition_count,
                      berth__fields_condition, berth_condition),
    BERTH__FIELD("declaredFeatures", STRS, berth_node, declared_features),
    BERTH__FIELD_KNOWN("phase"),
    BERTH__FIELD_KNOWN("addresses"),
    BERTH__FIELD_KNOWN("daemonEndpoints"),
    BERTH__FIELD_KNOWN("nodeInfo"),
    BERTH__FIELD_KNOWN("volumesInUse"),
    BERTH__FIELD_KNOWN("volumesAttached"),
    BERTH__FIELD_KNOWN("config"),
    BERTH__FIELD_KNOWN("runtimeHandlers"),
    BERTH__FIELD_KNOWN("features"),
    BERTH__FIELD_LAST,
};

const berth__field berth__fields_node[] = {
    BERTH__FIELD_IN("metadata", berth_node, meta, berth__fields_metadata),
    BERTH__FIELD_SAME("spec", spec_fields),
    BERTH__FIELD_SAME("status", status_fields),
    BERTH__FIELD_LAST_OF_OBJECT,
};
