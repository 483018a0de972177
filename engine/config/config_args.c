/* pluginConfig: decodes and validates the arguments of v1.32's plugins.
 * Source of the rules: kube-scheduler v1.32.2, apis/config/validation/validation_pluginargs.go and
 * apis/config/v1/defaults.go. Arguments of other plugins are kept as JSON text for the caller that
 * registers the plugin. */
#include "config/config.h"

#include <inttypes.h>

#include "base/text.h"
#include "model/behaviours.h"
#include "model/labels.h"
#include "plugins/profile_lists.h"

/* ---- resources and shapes ---- */

/* Read a list of named weights; an unset weight is 1. If the list is absent or empty, the result is
 * NULL: the plugin's default. */
static berth_status read_resources(berth__config_tree *tree, const berth__json *object,
                                   int64_t weight_max, const berth_weighted_resource **out,
                                   uint32_t *count)
{
    static const char *const fields[] = {"name", "weight", NULL};
    const berth__json *list;
    BERTH_TRY(berth__config_short_list(tree, object, "resources", &list));
    if (list == NULL || list->count == 0)
        return BERTH_OK;
    berth_weighted_resource *items = berth__config_array(tree, list->count, sizeof(*items));
    if (items == NULL)
        return BERTH_E_NOMEM;
    size_t outer = berth__config_enter(tree, "resources");
    for (uint32_t i = 0; i < list->count; i++) {
        const berth__json *entry = &list->as.items[i];
        size_t before = berth__config_enter_at(tree, i);
        BERTH_TRY(berth__config_object(tree, entry, fields));
        BERTH_TRY(berth__config_name(tree, entry, "name", &items[i].name));
        BERTH_TRY(berth__config_int(tree, entry, "weight", (berth__config_range){0, weight_max},
                                    &items[i].weight));
        if (items[i].weight == 0)
            items[i].weight = 1;
        berth__config_leave(tree, before);
    }
    berth__config_leave(tree, outer);
    *out = items;
    *count = list->count;
    return BERTH_OK;
}

static berth_status read_shape_point(berth__config_tree *tree, const berth__json *entry,
                                     const berth_shape_point *before, berth_shape_point *out)
{
    static const char *const fields[] = {"utilization", "score", NULL};
    BERTH_TRY(berth__config_object(tree, entry, fields));
    BERTH_TRY(berth__config_int32(tree, entry, "utilization", (berth__config_range){0, 100},
                                  &out->utilization));
    BERTH_TRY(berth__config_int32(tree, entry, "score", (berth__config_range){0, 10}, &out->score));
    if (before != NULL && out->utilization <= before->utilization) {
        berth__config_enter(tree, "utilization");
        return berth__config_fail(tree, BERTH_E_INVALID,
                                  "must be above the %" PRId32 " of the point before it, not "
                                  "%" PRId32,
                                  before->utilization, out->utilization);
    }
    return BERTH_OK;
}

berth_status berth__config_shape_read(berth__config_tree *tree, const berth__json *object,
                                      berth_fit_args *out)
{
    const berth__json *list;
    BERTH_TRY(berth__config_list(tree, object, "shape", &list));
    size_t outer = berth__config_enter(tree, "shape");
    if (list == NULL || list->count == 0)
        return berth__config_fail(tree, BERTH_E_INVALID, "must hold at least one point");
    berth_shape_point *points = berth__config_array(tree, list->count, sizeof(*points));
    if (points == NULL)
        return BERTH_E_NOMEM;
    for (uint32_t i = 0; i < list->count; i++) {
        size_t before = berth__config_enter_at(tree, i);
        BERTH_TRY(
            read_shape_point(tree, &list->as.items[i], i > 0 ? &points[i - 1] : NULL, &points[i]));
        berth__config_leave(tree, before);
    }
    berth__config_leave(tree, outer);
    out->shape = points;
    out->shape_count = list->count;
    return BERTH_OK;
}

/* ---- NodeResourcesFit ---- */

static const char *const fit_fields[] = {
    "apiVersion", "kind", "ignoredResources", "ignoredResourceGroups", "scoringStrategy", NULL};

static berth_status check_names(berth__config_tree *tree, const char *key, berth_strs names,
                                bool slash_allowed)
{
    size_t outer = berth__config_enter(tree, key);
    for (uint32_t i = 0; i < names.count; i++) {
        berth_str name = names.items[i];
        size_t before = berth__config_enter_at(tree, i);
        if (!slash_allowed && name.len > 0 && memchr(name.data, '/', name.len) != NULL)
            return berth__config_fail(tree, BERTH_E_INVALID,
                                      "a resource group has no \"/\", but \"%.*s\" has",
                                      (int)name.len, name.data);
        if (!berth__is_qualified_name(name))
            return berth__config_fail(tree, BERTH_E_INVALID, "\"%.*s\" is not a qualified name",
                                      (int)name.len, name.data);
        berth__config_leave(tree, before);
    }
    berth__config_leave(tree, outer);
    return BERTH_OK;
}

static berth_status read_strategy_type(berth__config_tree *tree, const berth__json *strategy,
                                       berth_fit_strategy *out)
{
    static const char *const names[] = {
        [BERTH_FIT_LEAST_ALLOCATED] = "LeastAllocated",
        [BERTH_FIT_MOST_ALLOCATED] = "MostAllocated",
        [BERTH_FIT_REQUESTED_TO_CAPACITY_RATIO] = "RequestedToCapacityRatio",
    };
    berth_str type;
    BERTH_TRY(berth__config_name(tree, strategy, "type", &type));
    for (uint32_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (berth__str_is(type, names[i])) {
            *out = (berth_fit_strategy)i;
            return BERTH_OK;
        }
    }
    berth__config_enter(tree, "type");
    return berth__config_fail(tree, BERTH_E_INVALID,
                              "must be LeastAllocated, MostAllocated or RequestedToCapacityRatio, "
                              "not \"%.*s\"",
                              (int)type.len, type.data);
}

static berth_status read_strategy(berth__config_tree *tree, const berth__json *strategy,
                                  berth_fit_args *out)
{
    static const char *const fields[] = {"type", "resources", "requestedToCapacityRatio", NULL};
    static const char *const ratio_fields[] = {"shape", NULL};
    BERTH_TRY(berth__config_object(tree, strategy, fields));
    BERTH_TRY(read_strategy_type(tree, strategy, &out->strategy));
    BERTH_TRY(read_resources(tree, strategy, 100, &out->resources, &out->resource_count));
    const berth__json *ratio = berth__config_member(strategy, "requestedToCapacityRatio");
    size_t before = berth__config_enter(tree, "requestedToCapacityRatio");
    bool wanted = out->strategy == BERTH_FIT_REQUESTED_TO_CAPACITY_RATIO;
    if (wanted && ratio == NULL)
        return berth__config_fail(tree, BERTH_E_INVALID,
                                  "must be given with type RequestedToCapacityRatio");
    if (!wanted && ratio != NULL)
        return berth__config_fail(tree, BERTH_E_INVALID,
                                  "only goes with type RequestedToCapacityRatio");
    if (ratio != NULL) {
        BERTH_TRY(berth__config_object(tree, ratio, ratio_fields));
        BERTH_TRY(berth__config_shape_read(tree, ratio, out));
    }
    berth__config_leave(tree, before);
    return BERTH_OK;
}

static berth_status read_fit(berth__config_tree *tree, const berth__json *args,
                             berth_plugin_args *out)
{
    berth_fit_args *fit = &out->fit;
    BERTH_TRY(berth__config_strings(tree, args, "ignoredResources", &fit->ignored_resources));
    BERTH_TRY(check_names(tree, "ignoredResources", fit->ignored_resources, true));
    BERTH_TRY(
        berth__config_strings(tree, args, "ignoredResourceGroups", &fit->ignored_resource_groups));
    BERTH_TRY(check_names(tree, "ignoredResourceGroups", fit->ignored_resource_groups, false));
    const berth__json *strategy = berth__config_member(args, "scoringStrategy");
    if (strategy == NULL)
        return BERTH_OK;
    size_t before = berth__config_enter(tree, "scoringStrategy");
    BERTH_TRY(read_strategy(tree, strategy, fit));
    berth__config_leave(tree, before);
    return BERTH_OK;
}

/* ---- NodeResourcesBalancedAllocation ---- */

static const char *const balanced_fields[] = {"apiVersion", "kind", "resources", NULL};

static berth_status read_balanced(berth__config_tree *tree, const berth__json *args,
                                  berth_plugin_args *out)
{
    berth_balanced_args *balanced = &out->balanced;
    BERTH_TRY(read_resources(tree, args, 1, &balanced->resources, &balanced->resource_count));
    for (uint32_t i = 0; i < balanced->resource_count; i++) {
        berth_str name = balanced->resources[i].name;
        for (uint32_t j = 0; j < i; j++) {
            if (!berth__str_eq(balanced->resources[j].name, name))
                continue;
            berth__config_enter(tree, "resources");
            berth__config_enter_at(tree, i);
            berth__config_enter(tree, "name");
            return berth__config_fail(tree, BERTH_E_INVALID, "\"%.*s\" is listed twice",
                                      (int)name.len, name.data);
        }
    }
    return BERTH_OK;
}

/* ---- PodTopologySpread ---- */

static const char *const spread_fields[] = {"apiVersion", "kind", "defaultConstraints",
                                            "defaultingType", NULL};

static const char *const constraint_fields[] = {
    "maxSkew",          "topologyKey",    "whenUnsatisfiable",
    "labelSelector",    "minDomains",     "nodeAffinityPolicy",
    "nodeTaintsPolicy", "matchLabelKeys", NULL};

/* Read a member that is one of two words; absent stays absent. */
static berth_status read_choice(berth__config_tree *tree, const berth__json *object,
                                const char *key, const char *const words[2], berth_str *out)
{
    BERTH_TRY(berth__config_string(tree, object, key, out));
    if (out->data == NULL || berth__str_is(*out, words[0]) || berth__str_is(*out, words[1]))
        return BERTH_OK;
    berth__config_enter(tree, key);
    return berth__config_fail(tree, BERTH_E_INVALID, "must be %s or %s, not \"%.*s\"", words[0],
                              words[1], (int)out->len, out->data);
}

static berth_status check_constraint(berth__config_tree *tree, const berth__json *entry,
                                     const berth_topology_spread *c)
{
    if (c->max_skew == 0) {
        berth__config_enter(tree, "maxSkew");
        return berth__config_fail(tree, BERTH_E_INVALID, "must be given and above 0");
    }
    if (!berth__is_qualified_name(c->topology_key)) {
        berth__config_enter(tree, "topologyKey");
        return berth__config_fail(tree, BERTH_E_INVALID, "\"%.*s\" is not a qualified name",
                                  (int)c->topology_key.len, c->topology_key.data);
    }
    if (berth__config_member(entry, "labelSelector") != NULL) {
        berth__config_enter(tree, "labelSelector");
        return berth__config_fail(tree, BERTH_E_INVALID,
                                  "must not be given: default constraints take each pod's own");
    }
    return BERTH_OK;
}

static berth_status read_constraint(berth__config_tree *tree, const berth__json *entry,
                                    berth_topology_spread *c)
{
    static const char *const actions[2] = {"DoNotSchedule", "ScheduleAnyway"};
    static const char *const policies[2] = {"Honor", "Ignore"};
    const berth__config_range positive = {1, INT32_MAX};
    BERTH_TRY(berth__config_object(tree, entry, constraint_fields));
    BERTH_TRY(berth__config_int32(tree, entry, "maxSkew", positive, &c->max_skew));
    BERTH_TRY(berth__config_name(tree, entry, "topologyKey", &c->topology_key));
    BERTH_TRY(berth__config_name(tree, entry, "whenUnsatisfiable", &c->when_unsatisfiable));
    BERTH_TRY(read_choice(tree, entry, "whenUnsatisfiable", actions, &c->when_unsatisfiable));
    BERTH_TRY(berth__config_int32(tree, entry, "minDomains", positive, &c->min_domains));
    BERTH_TRY(read_choice(tree, entry, "nodeAffinityPolicy", policies, &c->node_affinity_policy));
    BERTH_TRY(read_choice(tree, entry, "nodeTaintsPolicy", policies, &c->node_taints_policy));
    BERTH_TRY(berth__config_strings(tree, entry, "matchLabelKeys", &c->match_label_keys));
    return check_constraint(tree, entry, c);
}

/* Two constraints with the same key and action are a repetition. */
static bool constraint_repeats(const berth_topology_spread *constraints, uint32_t i)
{
    for (uint32_t j = 0; j < i; j++) {
        if (berth__str_eq(constraints[j].topology_key, constraints[i].topology_key) &&
            berth__str_eq(constraints[j].when_unsatisfiable, constraints[i].when_unsatisfiable))
            return true;
    }
    return false;
}

static berth_status read_constraints(berth__config_tree *tree, const berth__json *list,
                                     berth_spread_args *out)
{
    berth_topology_spread *items = berth__config_array(tree, list->count, sizeof(*items));
    if (items == NULL)
        return BERTH_E_NOMEM;
    size_t outer = berth__config_enter(tree, "defaultConstraints");
    for (uint32_t i = 0; i < list->count; i++) {
        size_t before = berth__config_enter_at(tree, i);
        BERTH_TRY(read_constraint(tree, &list->as.items[i], &items[i]));
        if (constraint_repeats(items, i))
            return berth__config_fail(tree, BERTH_E_INVALID,
                                      "repeats a topologyKey and whenUnsatisfiable");
        berth__config_leave(tree, before);
    }
    berth__config_leave(tree, outer);
    out->default_constraints = items;
    out->default_constraint_count = list->count;
    return BERTH_OK;
}

static berth_status read_spread(berth__config_tree *tree, const berth__json *args,
                                berth_plugin_args *out)
{
    static const char *const types[2] = {"System", "List"};
    berth_str type = {0};
    BERTH_TRY(read_choice(tree, args, "defaultingType", types, &type));
    const berth__json *list;
    BERTH_TRY(berth__config_short_list(tree, args, "defaultConstraints", &list));
    out->spread.list_defaulting = berth__str_is(type, "List");
    if (list == NULL || list->count == 0)
        return BERTH_OK;
    if (!out->spread.list_defaulting) {
        berth__config_enter(tree, "defaultingType");
        return berth__config_fail(tree, BERTH_E_INVALID,
                                  "must be List where defaultConstraints are given");
    }
    return read_constraints(tree, list, &out->spread);
}

/* ---- InterPodAffinity, DefaultPreemption, VolumeBinding ---- */

static const char *const inter_pod_fields[] = {"apiVersion", "kind", "hardPodAffinityWeight",
                                               "ignorePreferredTermsOfExistingPods", NULL};

static berth_status read_inter_pod(berth__config_tree *tree, const berth__json *args,
                                   berth_plugin_args *out)
{
    berth_inter_pod_affinity_args *affinity = &out->inter_pod_affinity;
    BERTH_TRY(berth__config_int32(tree, args, "hardPodAffinityWeight",
                                  (berth__config_range){0, 100},
                                  &affinity->hard_pod_affinity_weight));
    return berth__config_bool(tree, args, "ignorePreferredTermsOfExistingPods",
                              &affinity->ignore_preferred_terms_of_existing_pods);
}

static const char *const preemption_fields[] = {"apiVersion", "kind", "minCandidateNodesPercentage",
                                                "minCandidateNodesAbsolute", NULL};

static berth_status read_preemption(berth__config_tree *tree, const berth__json *args,
                                    berth_plugin_args *out)
{
    berth_preemption_args *preemption = &out->preemption;
    BERTH_TRY(berth__config_int32(tree, args, "minCandidateNodesPercentage",
                                  (berth__config_range){0, 100},
                                  &preemption->min_candidate_nodes_percentage));
    BERTH_TRY(berth__config_int32(tree, args, "minCandidateNodesAbsolute",
                                  (berth__config_range){0, INT32_MAX},
                                  &preemption->min_candidate_nodes_absolute));
    if (preemption->min_candidate_nodes_percentage == 0 &&
        preemption->min_candidate_nodes_absolute == 0) {
        berth__config_enter(tree, "minCandidateNodesPercentage");
        return berth__config_fail(tree, BERTH_E_INVALID,
                                  "must not be 0 together with minCandidateNodesAbsolute");
    }
    return BERTH_OK;
}

static const char *const binding_fields[] = {"apiVersion", "kind", "bindTimeoutSeconds", "shape",
                                             NULL};

/* The timeout concerns the API and changes no decision. The gate for the shape is checked when the
 * engine is made. */
static berth_status read_binding(berth__config_tree *tree, const berth__json *args,
                                 berth_plugin_args *out)
{
    int64_t timeout = 0;
    BERTH_TRY(berth__config_int(tree, args, "bindTimeoutSeconds",
                                (berth__config_range){0, INT64_MAX}, &timeout));
    const berth__json *shape = NULL;
    BERTH_TRY(berth__config_list(tree, args, "shape", &shape));
    if (shape == NULL || shape->count == 0)
        return BERTH_OK;
    if (berth__minor_of(tree->release) < 33) {
        berth__config_enter(tree, "shape");
        return berth__config_fail(tree, BERTH_E_INVALID,
                                  "needs the feature gate VolumeCapacityPriority, which is off");
    }
    return berth__config_shape_read(tree, args, &out->fit);
}

/* ---- pluginConfig ---- */

typedef struct decoder {
    const char *plugin;
    const char *kind;
    const char *const *fields;
    berth_status (*read)(berth__config_tree *tree, const berth__json *args, berth_plugin_args *out);
} decoder;

static const decoder decoders[] = {
    {"DynamicResources", "DynamicResourcesArgs", berth__config_devices_fields,
     berth__config_devices_read},
    {"DefaultPreemption", "DefaultPreemptionArgs", preemption_fields, read_preemption},
    {"InterPodAffinity", "InterPodAffinityArgs", inter_pod_fields, read_inter_pod},
    {"NodeAffinity", "NodeAffinityArgs", berth__config_affinity_fields,
     berth__config_affinity_read},
    {"NodeResourcesBalancedAllocation", "NodeResourcesBalancedAllocationArgs", balanced_fields,
     read_balanced},
    {"NodeResourcesFit", "NodeResourcesFitArgs", fit_fields, read_fit},
    {"PodTopologySpread", "PodTopologySpreadArgs", spread_fields, read_spread},
    {"VolumeBinding", "VolumeBindingArgs", binding_fields, read_binding},
};

static const decoder *find_decoder(berth_str plugin)
{
    for (uint32_t i = 0; i < sizeof(decoders) / sizeof(decoders[0]); i++) {
        if (berth__str_is(plugin, decoders[i].plugin))
            return &decoders[i];
    }
    return NULL;
}

/* If the arguments name their type, it must be the plugin's. */
static berth_status check_type(berth__config_tree *tree, const berth__json *args,
                               const char *wanted)
{
    berth_str version = {0};
    berth_str kind = {0};
    BERTH_TRY(berth__config_string(tree, args, "apiVersion", &version));
    BERTH_TRY(berth__config_string(tree, args, "kind", &kind));
    if (version.len > 0 && !berth__str_starts(version, "kubescheduler.config.k8s.io/")) {
        berth__config_enter(tree, "apiVersion");
        return berth__config_fail(tree, BERTH_E_INVALID,
                                  "must be of kubescheduler.config.k8s.io, not \"%.*s\"",
                                  (int)version.len, version.data);
    }
    if (kind.len > 0 && !berth__str_is(kind, wanted)) {
        berth__config_enter(tree, "kind");
        return berth__config_fail(tree, BERTH_E_INVALID, "must be %s, not \"%.*s\"", wanted,
                                  (int)kind.len, kind.data);
    }
    return BERTH_OK;
}

static berth_status read_args(berth__config_tree *tree, const berth__json *entry, berth_str plugin,
                              const berth_plugin_args **out)
{
    const berth__json *json = berth__config_member(entry, "args");
    if (json == NULL)
        return BERTH_OK;
    berth_plugin_args *args = berth__config_array(tree, 1, sizeof(*args));
    if (args == NULL)
        return BERTH_E_NOMEM;
    size_t before = berth__config_enter(tree, "args");
    args->inter_pod_affinity.hard_pod_affinity_weight = 1;
    args->preemption.min_candidate_nodes_percentage = 10;
    args->preemption.min_candidate_nodes_absolute = 100;
    const decoder *d = find_decoder(plugin);
    if (d == NULL) {
        BERTH_TRY(berth__config_json_text(tree, json, &args->raw_json));
    } else {
        BERTH_TRY(berth__config_object(tree, json, d->fields));
        BERTH_TRY(check_type(tree, json, d->kind));
        BERTH_TRY(d->read(tree, json, args));
    }
    berth__config_leave(tree, before);
    *out = args;
    return BERTH_OK;
}

static berth_status read_entry(berth__config_tree *tree, const berth__json *entry,
                               const berth__config_args_list *earlier, berth__config_args *out)
{
    static const char *const fields[] = {"name", "args", NULL};
    BERTH_TRY(berth__config_object(tree, entry, fields));
    BERTH_TRY(berth__config_name(tree, entry, "name", &out->plugin));
    const char *why = NULL;
    if (berth__plugin_info_removed(out->plugin))
        why = "was removed from kube-scheduler; NodeVolumeLimits counts these volumes";
    for (uint32_t i = 0; i < earlier->count && why == NULL; i++) {
        if (berth__str_eq(earlier->items[i].plugin, out->plugin))
            why = "is configured twice";
    }
    if (why != NULL) {
        berth__config_enter(tree, "name");
        return berth__config_fail(tree, BERTH_E_INVALID, "plugin \"%.*s\" %s", (int)out->plugin.len,
                                  out->plugin.data, why);
    }
    return read_args(tree, entry, out->plugin, &out->args);
}

berth_status berth__config_args_read(berth__config_tree *tree, const berth__json *profile,
                                     berth__config_args_list *out)
{
    const berth__json *list;
    *out = (berth__config_args_list){0};
    BERTH_TRY(berth__config_short_list(tree, profile, "pluginConfig", &list));
    if (list == NULL)
        return BERTH_OK;
    berth__config_args *items = berth__config_array(tree, list->count, sizeof(*items));
    if (items == NULL)
        return BERTH_E_NOMEM;
    size_t outer = berth__config_enter(tree, "pluginConfig");
    for (uint32_t i = 0; i < list->count; i++) {
        size_t before = berth__config_enter_at(tree, i);
        BERTH_TRY(
            read_entry(tree, &list->as.items[i], &(berth__config_args_list){items, i}, &items[i]));
        berth__config_leave(tree, before);
    }
    berth__config_leave(tree, outer);
    *out = (berth__config_args_list){items, list->count};
    return BERTH_OK;
}

const berth_plugin_args *berth__config_args_find(const berth__config_args_list *list,
                                                 berth_str plugin)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (berth__str_eq(list->items[i].plugin, plugin))
            return list->items[i].args;
    }
    return NULL;
}
