/* Fields of the parts that many kinds share: metadata, conditions, taints, selectors. */
#include "objects/fields.h"

static const berth__field owner_fields[] = {
    BERTH__FIELD("apiVersion", STR, berth_owner, api_version),
    BERTH__FIELD("kind", STR, berth_owner, kind),
    BERTH__FIELD("name", STR, berth_owner, name),
    BERTH__FIELD("uid", STR, berth_owner, uid),
    BERTH__FIELD("controller", BOOL, berth_owner, controller),
    BERTH__FIELD_KNOWN("blockOwnerDeletion"),
    BERTH__FIELD_LAST,
};

const berth__field berth__fields_metadata[] = {
    BERTH__FIELD("name", STR, berth_metadata, name),
    BERTH__FIELD("namespace", STR, berth_metadata, namespace_name),
    BERTH__FIELD("uid", STR, berth_metadata, uid),
    BERTH__FIELD("labels", MAP, berth_metadata, labels),
    BERTH__FIELD("annotations", MAP, berth_metadata, annotations),
    BERTH__FIELD_MANY("ownerReferences", berth_metadata, owners, owner_count, owner_fields,
                      berth_owner),
    BERTH__FIELD("creationTimestamp", TIME, berth_metadata, creation_time_ns),
    BERTH__FIELD("deletionTimestamp", PRESENT, berth_metadata, deleting),
    BERTH__FIELD_KNOWN("generateName"),
    BERTH__FIELD_KNOWN("resourceVersion"),
    BERTH__FIELD_KNOWN("generation"),
    BERTH__FIELD_KNOWN("deletionGracePeriodSeconds"),
    BERTH__FIELD_KNOWN("finalizers"),
    BERTH__FIELD_KNOWN("managedFields"),
    BERTH__FIELD_KNOWN("selfLink"),
    BERTH__FIELD_LAST,
};

const berth__field berth__fields_condition[] = {
    BERTH__FIELD("type", STR, berth_condition, type),
    BERTH__FIELD("status", STR, berth_condition, status),
    BERTH__FIELD("reason", STR, berth_condition, reason),
    BERTH__FIELD_AND_OTHERS,
};

const berth__field berth__fields_taint[] = {
    BERTH__FIELD("key", STR, berth_taint, key),
    BERTH__FIELD("value", STR, berth_taint, value),
    BERTH__FIELD("effect", STR, berth_taint, effect),
    BERTH__FIELD_KNOWN("timeAdded"),
    BERTH__FIELD_LAST,
};

const berth__field berth__fields_toleration[] = {
    BERTH__FIELD("key", STR, berth_toleration, key),
    BERTH__FIELD("operator", STR, berth_toleration, op),
    BERTH__FIELD("value", STR, berth_toleration, value),
    BERTH__FIELD("effect", STR, berth_toleration, effect),
    BERTH__FIELD_KNOWN("tolerationSeconds"),
    BERTH__FIELD_LAST,
};

/* ---- selectors ---- */

static const berth__field requirement_fields[] = {
    BERTH__FIELD("key", STR, berth_requirement, key),
    BERTH__FIELD("operator", STR, berth_requirement, op),
    BERTH__FIELD("values", STRS, berth_requirement, values),
    BERTH__FIELD_LAST,
};

const berth__field berth__fields_label_selector[] = {
    BERTH__FIELD("matchLabels", MAP, berth_label_selector, match_labels),
    BERTH__FIELD_MANY("matchExpressions", berth_label_selector, match_expressions.items,
                      match_expressions.count, requirement_fields, berth_requirement),
    BERTH__FIELD_LAST,
};

const berth__field berth__fields_node_term[] = {
    BERTH__FIELD_MANY("matchExpressions", berth_node_selector_term, match_expressions.items,
                      match_expressions.count, requirement_fields, berth_requirement),
    BERTH__FIELD_MANY("matchFields", berth_node_selector_term, match_fields.items,
                      match_fields.count, requirement_fields, berth_requirement),
    BERTH__FIELD_LAST,
};

const berth__field berth__fields_node_selector[] = {
    BERTH__FIELD_MANY("nodeSelectorTerms", berth_node_selector, terms, count,
                      berth__fields_node_term, berth_node_selector_term),
    BERTH__FIELD_LAST,
};
