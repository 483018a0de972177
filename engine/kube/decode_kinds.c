/* Tables of the fields of small kinds (Namespace, Service, ...), and the register of all kinds. */
#include "kube/decode_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "kube/encode.h"

/* For a field that is only written. */
static berth_status decode_nothing(berth__decoder *decoder, const berth__field_path *path,
                                   const berth__json *value, void *out)
{
    (void)decoder;
    (void)path;
    (void)value;
    (void)out;
    return BERTH_OK;
}

/* ---- Namespace, Service, PodDisruptionBudget ---- */

const berth__field berth__fields_namespace[] = {
    BERTH__FIELD_IN("metadata", berth_namespace, meta, berth__fields_metadata),
    BERTH__FIELD_LAST,
};

static const berth__field service_spec_fields[] = {
    BERTH__FIELD("selector", PRESENT, berth_service, has_selector),
    BERTH__FIELD("selector", MAP, berth_service, selector),
    BERTH__FIELD_LAST,
};

const berth__field berth__fields_service[] = {
    BERTH__FIELD_IN("metadata", berth_service, meta, berth__fields_metadata),
    BERTH__FIELD_SAME("spec", service_spec_fields),
    BERTH__FIELD_LAST,
};

static berth_status decode_bound(berth__decoder *decoder, const berth__field_path *path,
                                 const berth__json *value, void *out)
{
    if (value->type == BERTH__JSON_NULL)
        return BERTH_OK;
    if (!berth__count_or_percent_read(value, out))
        return berth__decode_fault(decoder, path, BERTH_E_INVALID,
                                   "expected a number of pods, or a percentage such as \"25%%\"");
    return BERTH_OK;
}

static void encode_bound(berth__encoder *encoder, const void *from)
{
    const berth_count_or_percent *bound = from;
    char text[24];
    if (!bound->given)
        return;
    int len = snprintf(text, sizeof(text), bound->percent ? "\"%" PRId32 "%%\"" : "%" PRId32,
                       bound->value);
    berth__encode_raw(encoder, (berth_str){text, (uint32_t)len});
}

static berth_status decode_absence(berth__decoder *decoder, const berth__field_path *path,
                                   const berth__json *value, void *out)
{
    berth_pod_disruption_budget *budget = out;
    const berth__json *status = berth__json_get(value, "status");
    const berth__json *allowed = berth__json_get(status, "disruptionsAllowed");
    (void)decoder;
    (void)path;
    budget->status_absent = allowed == NULL || allowed->type == BERTH__JSON_NULL;
    return BERTH_OK;
}

/* An empty list differs from an absent one. */
static void encode_none_allowed(berth__encoder *encoder, const void *from)
{
    const berth_pod_disruption_budget *budget = from;
    if (budget->status_absent || budget->disruptions_allowed != 0)
        return;
    berth__encode_key(encoder, BERTH_STR("disruptionsAllowed"));
    berth__encode_raw(encoder, BERTH_STR("0"));
}

static const berth__field budget_spec_fields[] = {
    BERTH__FIELD_BY("minAvailable", berth_pod_disruption_budget, min_available, decode_bound,
                    encode_bound),
    BERTH__FIELD_BY("maxUnavailable", berth_pod_disruption_budget, max_unavailable, decode_bound,
                    encode_bound),
    BERTH__FIELD_TO("selector", berth_pod_disruption_budget, selector, berth__fields_label_selector,
                    berth_label_selector),
    BERTH__FIELD_LAST,
};

static const berth__field budget_status_fields[] = {
    BERTH__FIELD_SELF(berth_pod_disruption_budget, meta, decode_nothing, encode_none_allowed),
    BERTH__FIELD("disruptionsAllowed", INT32, berth_pod_disruption_budget, disruptions_allowed),
    BERTH__FIELD("disruptedPods", KEYS, berth_pod_disruption_budget, disrupted_pods),
    BERTH__FIELD_LAST,
};

const berth__field berth__fields_pod_disruption_budget[] = {
    BERTH__FIELD_SELF(berth_pod_disruption_budget, meta, decode_absence, NULL),
    BERTH__FIELD_IN("metadata", berth_pod_disruption_budget, meta, berth__fields_metadata),
    BERTH__FIELD_SAME("spec", budget_spec_fields),
    BERTH__FIELD_SAME("status", budget_status_fields),
    BERTH__FIELD_LAST,
};

/* ---- controllers ---- */

/* Decoding reads only the selector. A controller is written so that it makes no pods, because the
 * pods are written themselves. */
static void encode_no_replicas(berth__encoder *encoder, const void *from)
{
    (void)from;
    berth__encode_key(encoder, BERTH_STR("replicas"));
    berth__encode_raw(encoder, BERTH_STR("0"));
}

static const berth__field controller_spec_fields[] = {
    BERTH__FIELD_SELF(berth_controller, meta, decode_nothing, encode_no_replicas),
    BERTH__FIELD_TO("selector", berth_controller, selector, berth__fields_label_selector,
                    berth_label_selector),
    BERTH__FIELD_LAST,
};

const berth__field berth__fields_controller[] = {
    BERTH__FIELD_IN("metadata", berth_controller, meta, berth__fields_metadata),
    BERTH__FIELD_SAME("spec", controller_spec_fields),
    BERTH__FIELD_LAST,
};

berth_status berth__decode_map_selector(berth__decoder *decoder, const berth__field_path *path,
                                        const berth__json *value, void *out)
{
    static const berth__field as_map = BERTH__FIELD("", MAP, berth_label_selector, match_labels);
    berth_label_selector *selector =
        berth__arena_alloc_zero(decoder->arena, sizeof(*selector), _Alignof(berth_label_selector));
    if (selector == NULL)
        return berth__decode_no_memory(decoder);
    *(const berth_label_selector **)out = selector;
    return berth__decode_value(decoder, path, value, &as_map, selector);
}

void berth__encode_map_selector(berth__encoder *encoder, const void *from)
{
    static const berth__field as_map[] = {
        BERTH__FIELD("selector", MAP, berth_label_selector, match_labels),
        BERTH__FIELD_LAST,
    };
    const berth_label_selector *selector = *(const berth_label_selector *const *)from;
    if (selector != NULL)
        berth__encode_value(encoder, as_map, selector);
}

static const berth__field replication_spec_fields[] = {
    BERTH__FIELD_SELF(berth_controller, meta, decode_nothing, encode_no_replicas),
    BERTH__FIELD_BY("selector", berth_controller, selector, berth__decode_map_selector,
                    berth__encode_map_selector),
    BERTH__FIELD_LAST,
};

const berth__field berth__fields_replication_controller[] = {
    BERTH__FIELD_IN("metadata", berth_controller, meta, berth__fields_metadata),
    BERTH__FIELD_SAME("spec", replication_spec_fields),
    BERTH__FIELD_LAST,
};

/* ---- the register ---- */

#define ENTRY(group_, fields_, type, in_namespace)                                                 \
    {                                                                                              \
        .group = (group_), .fields = (fields_), .size = sizeof(type), .namespaced = (in_namespace) \
    }

static const berth__kind_entry entries[BERTH_KIND_COUNT] = {
    [BERTH_KIND_NAMESPACE] = ENTRY("", berth__fields_namespace, berth_namespace, false),
    [BERTH_KIND_STORAGE_CLASS] =
        ENTRY("storage.k8s.io", berth__fields_storage_class, berth_storage_class, false),
    [BERTH_KIND_CSI_DRIVER] =
        ENTRY("storage.k8s.io", berth__fields_csi_driver, berth_csi_driver, false),
    [BERTH_KIND_CSI_NODE] = ENTRY("storage.k8s.io", berth__fields_csi_node, berth_csi_node, false),
    [BERTH_KIND_CSI_STORAGE_CAPACITY] = ENTRY("storage.k8s.io", berth__fields_csi_storage_capacity,
                                              berth_csi_storage_capacity, true),
    [BERTH_KIND_PERSISTENT_VOLUME] =
        ENTRY("", berth__fields_persistent_volume, berth_persistent_volume, false),
    [BERTH_KIND_PERSISTENT_VOLUME_CLAIM] =
        ENTRY("", berth__fields_persistent_volume_claim, berth_persistent_volume_claim, true),
    [BERTH_KIND_VOLUME_ATTACHMENT] =
        ENTRY("storage.k8s.io", berth__fields_volume_attachment, berth_volume_attachment, false),
    [BERTH_KIND_SERVICE] = ENTRY("", berth__fields_service, berth_service, true),
    [BERTH_KIND_REPLICATION_CONTROLLER] =
        ENTRY("", berth__fields_replication_controller, berth_controller, true),
    [BERTH_KIND_REPLICA_SET] = ENTRY("apps", berth__fields_controller, berth_controller, true),
    [BERTH_KIND_STATEFUL_SET] = ENTRY("apps", berth__fields_controller, berth_controller, true),
    [BERTH_KIND_POD_DISRUPTION_BUDGET] =
        ENTRY("policy", berth__fields_pod_disruption_budget, berth_pod_disruption_budget, true),
    [BERTH_KIND_NODE] = ENTRY("", berth__fields_node, berth_node, false),
    [BERTH_KIND_POD] = ENTRY("", berth__fields_pod, berth_pod, true),
    [BERTH_KIND_RESOURCE_SLICE] =
        ENTRY("resource.k8s.io", berth__fields_resource_slice, berth_resource_slice, false),
    [BERTH_KIND_DEVICE_CLASS] =
        ENTRY("resource.k8s.io", berth__fields_device_class, berth_device_class, false),
    [BERTH_KIND_RESOURCE_CLAIM] =
        ENTRY("resource.k8s.io", berth__fields_resource_claim, berth_resource_claim, true),
    [BERTH_KIND_POD_GROUP] =
        ENTRY("scheduling.k8s.io", berth__fields_pod_group, berth_pod_group, true),
    [BERTH_KIND_DEVICE_TAINT_RULE] =
        ENTRY("resource.k8s.io", berth__fields_device_taint_rule, berth_device_taint_rule, false),
};

const berth__kind_entry *berth__kind_entry_of(berth_kind kind)
{
    return &entries[kind];
}

static berth_str group_of(berth_str api_version)
{
    const char *slash = api_version.len > 0 ? memchr(api_version.data, '/', api_version.len) : NULL;
    return slash == NULL ? BERTH_STR("")
                         : (berth_str){api_version.data, (uint32_t)(slash - api_version.data)};
}

bool berth__api_group_is(berth_str api_version, const char *group)
{
    berth_str found = group_of(api_version);
    /* Controllers used to be in the group "extensions". */
    return api_version.data == NULL || berth__str_is(found, group) ||
           (strcmp(group, "apps") == 0 && berth__str_is(found, "extensions"));
}

bool berth__kind_find(berth_str kind, berth_str api_version, berth_kind *out)
{
    for (int i = BERTH_KIND_COUNT; i-- > 0;) { /* nodes and pods, the most, are near the end */
        if (berth__str_is(kind, berth_kind_name((berth_kind)i)) &&
            berth__api_group_is(api_version, entries[i].group)) {
            *out = (berth_kind)i;
            return true;
        }
    }
    return false;
}
