/* The table of the fields of PodGroups. */
#include "kube/decode_tables.h"
#include "kube/encode.h"

static berth_status decode_topology(berth__decoder *decoder, const berth__field_path *path,
                                    const berth__json *value, void *out)
{
    static const berth__field constraint_fields[] = {
        {.key = "key", .key_len = 3, .type = BERTH__FIELD_STR},
        BERTH__FIELD_LAST,
    };
    berth__decoded_list keys;
    BERTH_TRY(
        berth__decode_list(decoder, path, value, constraint_fields, sizeof(berth_str), &keys));
    *(berth_strs *)out = (berth_strs){keys.items, keys.count};
    return BERTH_OK;
}

static void encode_topology(berth__encoder *encoder, const void *from)
{
    const berth_strs *keys = from;
    if (keys->count == 0)
        return;
    berth__encode_raw(encoder, BERTH_STR("["));
    for (uint32_t i = 0; i < keys->count; i++) {
        berth__encode_item(encoder);
        berth__encode_raw(encoder, BERTH_STR("{\"key\": "));
        berth__encode_str(encoder, keys->items[i]);
        berth__encode_raw(encoder, BERTH_STR("}"));
    }
    berth__encode_raw(encoder, BERTH_STR("]"));
}

/* Members that say something by being there, and have no fields that a rule reads. */
static berth_status decode_presence(berth__decoder *decoder, const berth__field_path *path,
                                    const berth__json *value, void *out)
{
    (void)decoder;
    (void)path;
    *(bool *)out = value->type != BERTH__JSON_NULL;
    return BERTH_OK;
}

static void encode_presence(berth__encoder *encoder, const void *from)
{
    if (*(const bool *)from)
        berth__encode_raw(encoder, BERTH_STR("{}"));
}

static const berth__field gang_fields[] = {
    BERTH__FIELD("minCount", INT32, berth_pod_group, min_count),
    BERTH__FIELD_LAST,
};

static void encode_basic(berth__encoder *encoder, const void *from)
{
    const berth_pod_group *group = from;
    if (group->gang)
        return;
    berth__encode_key(encoder, BERTH_STR("basic"));
    berth__encode_raw(encoder, BERTH_STR("{}"));
}

static berth_status decode_nothing(berth__decoder *decoder, const berth__field_path *path,
                                   const berth__json *value, void *out)
{
    (void)decoder;
    (void)path;
    (void)value;
    (void)out;
    return BERTH_OK;
}

static const berth__field policy_fields[] = {
    BERTH__FIELD_SELF(berth_pod_group, meta, decode_nothing, encode_basic),
    BERTH__FIELD("gang", PRESENT, berth_pod_group, gang),
    BERTH__FIELD_SAME("gang", gang_fields),
    BERTH__FIELD_LAST,
};

static const berth__field constraints_fields[] = {
    BERTH__FIELD_BY("topology", berth_pod_group, topology_keys, decode_topology, encode_topology),
    BERTH__FIELD_LAST,
};

static const berth__field disruption_fields[] = {
    BERTH__FIELD_BY("all", berth_pod_group, disrupts_all, decode_presence, encode_presence),
    BERTH__FIELD_LAST,
};

static const berth__field spec_fields[] = {
    BERTH__FIELD("parentCompositePodGroupName", STR, berth_pod_group, parent),
    BERTH__FIELD_SAME("schedulingPolicy", policy_fields),
    BERTH__FIELD("schedulingConstraints", PRESENT, berth_pod_group, constrained),
    BERTH__FIELD_SAME("schedulingConstraints", constraints_fields),
    BERTH__FIELD_SAME("disruptionMode", disruption_fields),
    BERTH__FIELD("priorityClassName", STR, berth_pod_group, priority_class),
    BERTH__FIELD("priority", PRESENT, berth_pod_group, has_priority),
    BERTH__FIELD("priority", INT32, berth_pod_group, priority),
    BERTH__FIELD("preemptionPolicy", STR, berth_pod_group, preemption_policy),
    BERTH__FIELD_LAST,
};

const berth__field berth__fields_pod_group[] = {
    BERTH__FIELD_IN("metadata", berth_pod_group, meta, berth__fields_metadata),
    BERTH__FIELD_SAME("spec", spec_fields),
    BERTH__FIELD_LAST,
};
