/* Table of the fields of a Pod, also used for pod templates. */
#include "kube/decode_tables.h"

#include "base/text.h"
#include "kube/encode.h"

/* ---- containers ---- */

static const berth__field port_fields[] = {
    BERTH__FIELD("hostIP", STR, berth_port, host_ip),
    BERTH__FIELD("protocol", STR, berth_port, protocol),
    BERTH__FIELD("hostPort", INT32, berth_port, host_port),
    BERTH__FIELD("containerPort", INT32, berth_port, container_port),
    BERTH__FIELD_LAST,
};

static const berth__field resource_fields[] = {
    BERTH__FIELD("requests", RESOURCES, berth_container, requests),
    BERTH__FIELD("limits", RESOURCES, berth_container, limits),
    BERTH__FIELD_LAST,
};

static berth_status decode_restart_policy(berth__decoder *decoder, const berth__field_path *path,
                                          const berth__json *value, void *out)
{
    static const berth__field as_text = {.type = BERTH__FIELD_STR};
    berth_str policy;
    bool *restart_always = out;
    BERTH_TRY(berth__decode_value(decoder, path, value, &as_text, &policy));
    *restart_always = berth__str_is(policy, "Always");
    return BERTH_OK;
}

/* Whether one of the rules restarts all containers; nothing else of them is read. */
static berth_status decode_restart_rules(berth__decoder *decoder, const berth__field_path *path,
                                         const berth__json *value, void *out)
{
    static const berth__field rule_fields[] = {
        {.key = "action", .key_len = 6, .type = BERTH__FIELD_STR},
        BERTH__FIELD_LAST,
    };
    berth__decoded_list rules;
    bool *restarts_all = out;
    BERTH_TRY(berth__decode_list(decoder, path, value, rule_fields, sizeof(berth_str), &rules));
    for (uint32_t i = 0; i < rules.count; i++)
        *restarts_all |= berth__str_is(((const berth_str *)rules.items)[i], "RestartAllContainers");
    return BERTH_OK;
}

static void encode_restart_policy(berth__encoder *encoder, const void *from)
{
    if (*(const bool *)from)
        berth__encode_str(encoder, BERTH_STR("Always"));
}

static void encode_restart_rules(berth__encoder *encoder, const void *from)
{
    if (*(const bool *)from)
        berth__encode_raw(encoder, BERTH_STR("[{\"action\": \"RestartAllContainers\"}]"));
}

static const berth__field container_fields[] = {
    BERTH__FIELD("name", STR, berth_container, name),
    BERTH__FIELD("image", STR, berth_container, image),
    BERTH__FIELD_SAME("resources", resource_fields),
    BERTH__FIELD_MANY("ports", berth_container, ports, port_count, port_fields, berth_port),
    BERTH__FIELD_BY("restartPolicy", berth_container, restart_always, decode_restart_policy,
                    encode_restart_policy),
    BERTH__FIELD_BY("restartPolicyRules", berth_container, restarts_all, decode_restart_rules,
                    encode_restart_rules),
    BERTH__FIELD_LAST,
};

/* ---- affinity ---- */

static const berth__field preferred_node_fields[] = {
    BERTH__FIELD("weight", INT32, berth_preferred_node_term, weight),
    BERTH__FIELD_IN("preference", berth_preferred_node_term, preference, berth__fields_node_term),
    BERTH__FIELD_LAST,
};

static const berth__field node_affinity_fields[] = {
    BERTH__FIELD_TO("requiredDuringSchedulingIgnoredDuringExecution", berth_pod,
                    node_affinity.required, berth__fields_node_selector, berth_node_selector),
    BERTH__FIELD_MANY_OR_NONE("preferredDuringSchedulingIgnoredDuringExecution", berth_pod,
                              node_affinity.preferred, node_affinity.preferred_count,
                              preferred_node_fields, berth_preferred_node_term),
    BERTH__FIELD_LAST,
};

static const berth__field affinity_term_fields[] = {
    BERTH__FIELD_TO("labelSelector", berth_pod_affinity_term, label_selector,
                    berth__fields_label_selector, berth_label_selector),
    BERTH__FIELD("namespaces", STRS, berth_pod_affinity_term, namespaces),
    BERTH__FIELD_TO("namespaceSelector", berth_pod_affinity_term, namespace_selector,
                    berth__fields_label_selector, berth_label_selector),
    BERTH__FIELD("topologyKey", STR, berth_pod_affinity_term, topology_key),
    BERTH__FIELD_LAST,
};

static const berth__field weighted_term_fields[] = {
    BERTH__FIELD("weight", INT32, berth_pod_affinity_term, weight),
    BERTH__FIELD_SAME("podAffinityTerm", affinity_term_fields),
    BERTH__FIELD_LAST,
};

static const berth__field pod_affinity_fields[] = {
    BERTH__FIELD_MANY("requiredDuringSchedulingIgnoredDuringExecution", berth_pod_affinity,
                      required, required_count, affinity_term_fields, berth_pod_affinity_term),
    BERTH__FIELD_MANY("preferredDuringSchedulingIgnoredDuringExecution", berth_pod_affinity,
                      preferred, preferred_count, weighted_term_fields, berth_pod_affinity_term),
    BERTH__FIELD_LAST,
};

static const berth__field affinity_fields[] = {
    BERTH__FIELD_SAME("nodeAffinity", node_affinity_fields),
    BERTH__FIELD("podAffinity", PRESENT, berth_pod, pod_affinity.present),
    BERTH__FIELD_IN("podAffinity", berth_pod, pod_affinity, pod_affinity_fields),
    BERTH__FIELD("podAntiAffinity", PRESENT, berth_pod, pod_anti_affinity.present),
    BERTH__FIELD_IN("podAntiAffinity", berth_pod, pod_anti_affinity, pod_affinity_fields),
    BERTH__FIELD_LAST,
};

/* ---- the rest of the specification ---- */

const berth__field berth__fields_toleration[] = {
    BERTH__FIELD("key", STR, berth_toleration, key),
    BERTH__FIELD("operator", STR, berth_toleration, op),
    BERTH__FIELD("value", STR, berth_toleration, value),
    BERTH__FIELD("effect", STR, berth_toleration, effect),
    BERTH__FIELD_LAST,
};

static const berth__field spread_fields[] = {
    BERTH__FIELD("maxSkew", INT32, berth_topology_spread, max_skew),
    BERTH__FIELD("minDomains", INT32, berth_topology_spread, min_domains),
    BERTH__FIELD("topologyKey", STR, berth_topology_spread, topology_key),
    BERTH__FIELD("whenUnsatisfiable", STR, berth_topology_spread, when_unsatisfiable),
    BERTH__FIELD_TO("labelSelector", berth_topology_spread, label_selector,
                    berth__fields_label_selector, berth_label_selector),
    BERTH__FIELD("nodeAffinityPolicy", STR, berth_topology_spread, node_affinity_policy),
    BERTH__FIELD("nodeTaintsPolicy", STR, berth_topology_spread, node_taints_policy),
    BERTH__FIELD("matchLabelKeys", STRS, berth_topology_spread, match_label_keys),
    BERTH__FIELD_LAST,
};

static const berth__field volume_fields[] = {
    BERTH__FIELD("name", STR, berth_volume, name),
    BERTH__FIELD_SELF(berth_volume, source, berth__decode_pod_volume_source,
                      berth__encode_volume_source),
    BERTH__FIELD_LAST,
};

/* Gates are objects with only a name. */
static berth_status decode_gates(berth__decoder *decoder, const berth__field_path *path,
                                 const berth__json *value, void *out)
{
    static const berth__field gate_fields[] = {
        {.key = "name", .key_len = 4, .type = BERTH__FIELD_STR},
        BERTH__FIELD_LAST,
    };
    berth__decoded_list names;
    berth_strs *gates = out;
    BERTH_TRY(berth__decode_list(decoder, path, value, gate_fields, sizeof(berth_str), &names));
    *gates = (berth_strs){names.items, names.count};
    return BERTH_OK;
}

static void encode_gates(berth__encoder *encoder, const void *from)
{
    const berth_strs *gates = from;
    if (gates->count == 0)
        return;
    berth__encode_raw(encoder, BERTH_STR("["));
    for (uint32_t i = 0; i < gates->count; i++) {
        berth__encode_item(encoder);
        berth__encode_raw(encoder, BERTH_STR("{\"name\": "));
        berth__encode_str(encoder, gates->items[i]);
        berth__encode_raw(encoder, BERTH_STR("}"));
    }
    berth__encode_raw(encoder, BERTH_STR("]"));
}

static const berth__field pod_resource_fields[] = {
    BERTH__FIELD("requests", RESOURCES, berth_pod, pod_requests),
    BERTH__FIELD("limits", RESOURCES, berth_pod, pod_limits),
    BERTH__FIELD_LAST,
};

static const berth__field pod_claim_fields[] = {
    BERTH__FIELD("name", STR, berth_pod_claim, name),
    BERTH__FIELD("resourceClaimName", STR, berth_pod_claim, claim),
    BERTH__FIELD("resourceClaimTemplateName", STR, berth_pod_claim, claim_template),
    BERTH__FIELD_LAST,
};

/* Absent is true. */
static berth_status decode_host_users(berth__decoder *decoder, const berth__field_path *path,
                                      const berth__json *value, void *out)
{
    static const berth__field as_bool = {.type = BERTH__FIELD_BOOL};
    bool host_users = true;
    bool *off = out;
    BERTH_TRY(berth__decode_value(decoder, path, value, &as_bool, &host_users));
    *off = !host_users;
    return BERTH_OK;
}

static void encode_host_users(berth__encoder *encoder, const void *from)
{
    if (*(const bool *)from)
        berth__encode_raw(encoder, BERTH_STR("false"));
}

static const berth__field scheduling_group_fields[] = {
    BERTH__FIELD("podGroupName", STR, berth_pod, pod_group),
    BERTH__FIELD_LAST,
};

static const berth__field spec_fields[] = {
    BERTH__FIELD("nodeName", STR, berth_pod, node_name),
    BERTH__FIELD("schedulerName", STR, berth_pod, scheduler_name),
    BERTH__FIELD("priority", PRESENT, berth_pod, has_priority),
    BERTH__FIELD("priority", INT32, berth_pod, priority),
    BERTH__FIELD("preemptionPolicy", STR, berth_pod, preemption_policy),
    BERTH__FIELD_MANY("containers", berth_pod, containers, container_count, container_fields,
                      berth_container),
    BERTH__FIELD_MANY("initContainers", berth_pod, init_containers, init_container_count,
                      container_fields, berth_container),
    BERTH__FIELD("overhead", RESOURCES, berth_pod, overhead),
    BERTH__FIELD("nodeSelector", MAP, berth_pod, node_selector),
    BERTH__FIELD_SAME("affinity", affinity_fields),
    BERTH__FIELD_MANY("tolerations", berth_pod, tolerations, toleration_count,
                      berth__fields_toleration, berth_toleration),
    BERTH__FIELD_MANY("topologySpreadConstraints", berth_pod, spreads, spread_count, spread_fields,
                      berth_topology_spread),
    BERTH__FIELD_MANY("volumes", berth_pod, volumes, volume_count, volume_fields, berth_volume),
    BERTH__FIELD_BY("schedulingGates", berth_pod, scheduling_gates, decode_gates, encode_gates),
    BERTH__FIELD_SAME("resources", pod_resource_fields),
    BERTH__FIELD("hostNetwork", BOOL, berth_pod, host_network),
    BERTH__FIELD_BY("hostUsers", berth_pod, host_users_off, decode_host_users, encode_host_users),
    BERTH__FIELD_MANY("resourceClaims", berth_pod, resource_claims, resource_claim_count,
                      pod_claim_fields, berth_pod_claim),
    BERTH__FIELD_SAME("schedulingGroup", scheduling_group_fields),
    BERTH__FIELD_LAST,
};

static const berth__field container_status_resource_fields[] = {
    BERTH__FIELD("requests", RESOURCES, berth_container_status, requests),
    BERTH__FIELD_LAST,
};

static const berth__field container_status_fields[] = {
    BERTH__FIELD("name", STR, berth_container_status, name),
    BERTH__FIELD("resources", PRESENT, berth_container_status, has_resources),
    BERTH__FIELD_SAME("resources", container_status_resource_fields),
    BERTH__FIELD("allocatedResources", RESOURCES, berth_container_status, allocated),
    BERTH__FIELD_LAST,
};

static const berth__field pod_status_resource_fields[] = {
    BERTH__FIELD("requests", RESOURCES, berth_pod, status_requests),
    BERTH__FIELD_LAST,
};

static const berth__field status_fields[] = {
    BERTH__FIELD("phase", STR, berth_pod, phase),
    BERTH__FIELD("nominatedNodeName", STR, berth_pod, nominated_node_name),
    BERTH__FIELD("startTime", TIME, berth_pod, start_time_ns),
    BERTH__FIELD_MANY("conditions", berth_pod, conditions, condition_count, berth__fields_condition,
                      berth_condition),
    BERTH__FIELD_MANY("resourceClaimStatuses", berth_pod, resource_claim_statuses,
                      resource_claim_status_count, pod_claim_fields, berth_pod_claim),
    BERTH__FIELD_MANY("containerStatuses", berth_pod, container_statuses, container_status_count,
                      container_status_fields, berth_container_status),
    BERTH__FIELD_MANY("initContainerStatuses", berth_pod, init_container_statuses,
                      init_container_status_count, container_status_fields, berth_container_status),
    BERTH__FIELD("resources", PRESENT, berth_pod, has_status_resources),
    BERTH__FIELD_SAME("resources", pod_status_resource_fields),
    BERTH__FIELD("allocatedResources", RESOURCES, berth_pod, status_allocated),
    BERTH__FIELD_LAST,
};

const berth__field berth__fields_pod[] = {
    BERTH__FIELD_IN("metadata", berth_pod, meta, berth__fields_metadata),
    BERTH__FIELD_SAME("spec", spec_fields),
    BERTH__FIELD_SAME("status", status_fields),
    BERTH__FIELD_LAST,
};
