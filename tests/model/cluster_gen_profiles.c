/* Random profiles: variations of the default one, and predicates and priorities of v1.15. */
#include "cluster_gen_parts.h"

static void fit_args(cluster_gen *g, berth_fit_args *fit)
{
    static const berth_shape_point shapes[][3] = {
        {{0, 0}, {100, 10}, {0, 0}}, {{0, 10}, {100, 0}, {0, 0}}, {{10, 3}, {40, 9}, {95, 1}}};
    static const uint32_t counts[] = {2, 2, 3};
    static const char *const names[] = {"cpu", "memory", "nvidia.com/gpu", "ephemeral-storage",
                                        "hugepages-2Mi"};
    static const berth_str ignored[] = {{"example.com/fpga", 16}};
    static const berth_str groups[] = {{"nvidia.com", 10}};
    uint32_t shape = gen_below(g, 3);
    fit->strategy = (berth_fit_strategy)gen_below(g, 3);
    fit->shape = shapes[shape];
    fit->shape_count = counts[shape];
    if (fit->strategy != BERTH_FIT_REQUESTED_TO_CAPACITY_RATIO) {
        fit->shape = NULL;
        fit->shape_count = 0;
    }
    if (gen_chance(g, 70)) {
        berth_weighted_resource *r = naive_alloc(&g->region, 5 * sizeof(*r));
        for (uint32_t i = 0; i < 5; i++) {
            if (i == 0 || gen_chance(g, 40)) {
                r[fit->resource_count++] =
                    (berth_weighted_resource){naive_str(names[i]), 1 + gen_below(g, 5)};
            }
        }
        fit->resources = r;
    }
    fit->ignored_resources = (berth_strs){ignored, gen_chance(g, 30)};
    fit->ignored_resource_groups = (berth_strs){groups, gen_chance(g, 20)};
}

static void balanced_args(cluster_gen *g, berth_balanced_args *balanced)
{
    berth_weighted_resource *r = naive_alloc(&g->region, 3 * sizeof(*r));
    r[0] = (berth_weighted_resource){naive_str("cpu"), 1};
    r[1] = (berth_weighted_resource){naive_str("memory"), 1};
    r[2] = (berth_weighted_resource){naive_str("nvidia.com/gpu"), 1};
    balanced->resources = r;
    balanced->resource_count = 1 + gen_below(g, 3);
}

static void spread_args(cluster_gen *g, berth_spread_args *args)
{
    berth_topology_spread *list = naive_alloc(&g->region, 2 * sizeof(*list));
    args->list_defaulting = true;
    for (uint32_t i = 0; i < 2; i++) {
        list[i] = (berth_topology_spread){
            .max_skew = 1 + (int32_t)gen_below(g, 2),
            .topology_key = naive_str(i == 0 ? ZONE : "rack"),
            .when_unsatisfiable = PICK(g, "DoNotSchedule", "ScheduleAnyway"),
        };
    }
    args->default_constraints = list;
    args->default_constraint_count = gen_below(g, 3);
}

static const berth_plugin_args *plugin_args(cluster_gen *g, berth_str name)
{
    berth_plugin_args *args = naive_alloc(&g->region, sizeof(*args));
    if (!gen_chance(g, 60)) {
        return NULL;
    }
    args->inter_pod_affinity.hard_pod_affinity_weight = 1;
    if (naive_is(name, "NodeResourcesFit")) {
        fit_args(g, &args->fit);
    } else if (naive_is(name, "NodeResourcesBalancedAllocation")) {
        balanced_args(g, &args->balanced);
    } else if (naive_is(name, "NodeAffinity") && gen_chance(g, 40)) {
        args->node_affinity.added_affinity = gen_node_affinity(g);
        const berth_node_selector *required = args->node_affinity.added_affinity.required;
        for (uint32_t i = 0; required != NULL && i < required->count; i++) {
            if (!naive_term_valid(&required->terms[i])) {
                args->node_affinity.added_affinity.required = NULL; /* refused by a configuration */
                break;
            }
        }
        if (required != NULL && required->count == 0) {
            args->node_affinity.added_affinity.required = NULL;
        }
    } else if (naive_is(name, "InterPodAffinity")) {
        args->inter_pod_affinity.hard_pod_affinity_weight = (int32_t)gen_below(g, 4) * 30;
        args->inter_pod_affinity.ignore_preferred_terms_of_existing_pods = gen_chance(g, 40);
    } else if (naive_is(name, "PodTopologySpread")) {
        spread_args(g, &args->spread);
    } else if (naive_is(name, "DefaultPreemption")) {
        args->preemption = (berth_preemption_args){100, 1000}; /* every node is tried */
    } else {
        return NULL;
    }
    return args;
}

/* A plugin that is left out is missing at every point that a decision reads. */
static berth_plugin_list *add_refs(cluster_gen *g, const berth_profile *base, const bool *kept,
                                   const berth_plugin_ref *all, uint32_t all_count,
                                   berth_profile *out)
{
    berth_plugin_list *points = naive_alloc(&g->region, BERTH_POINT_COUNT * sizeof(*points));
    for (int p = 0; p < BERTH_POINT_COUNT; p++) {
        const berth_plugin_list from = naive_list(base, (berth_point)p);
        berth_plugin_ref *to = naive_alloc(&g->region, (from.count + 1) * sizeof(*to));
        uint32_t count = 0;
        for (uint32_t i = 0; i < from.count; i++) {
            for (uint32_t k = 0; k < all_count; k++) {
                if (kept[k] && naive_same(all[k].name, from.items[i].name)) {
                    to[count] = from.items[i];
                    to[count].args = all[k].args;
                    to[count].weight = p == BERTH_POINT_SCORE ? all[k].weight : 0;
                    count++;
                }
            }
        }
        points[p] = (berth_plugin_list){to, count};
    }
    out->points = points;
    out->point_count = BERTH_POINT_COUNT;
    return points;
}

/* Leaves out one plugin, at this point only. VolumeBinding reserves what its filter has found, so
 * its reserve is left out with it. */
static void leave_out(cluster_gen *g, berth_plugin_list *list)
{
    if (list->count == 0) {
        return;
    }
    uint32_t at = (uint32_t)gen_below(g, list->count);
    if (naive_is(list->items[at].name, "VolumeBinding")) {
        return;
    }
    berth_plugin_ref *items = naive_alloc(&g->region, list->count * sizeof(*items));
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        if (i != at) {
            items[count++] = list->items[i];
        }
    }
    *list = (berth_plugin_list){items, count};
}

berth_profile *gen_profile(cluster_gen *g, uint32_t index, const berth_profile *base,
                           gen_has_fn has, void *context)
{
    static const int32_t percentages[] = {0, 0, 100, 100, 5, 20, 50, 70};
    berth_profile *out = naive_alloc(&g->region, sizeof(*out));
    berth_plugin_ref all[64];
    bool kept[64];
    uint32_t count = 0;
    bool plain = gen_chance(g, 25); /* the default profile as it is */
    for (int p = 0; p < BERTH_POINT_COUNT; p++) {
        const berth_plugin_list list = naive_list(base, (berth_point)p);
        for (uint32_t i = 0; i < list.count; i++) {
            const berth_plugin_ref *ref = &list.items[i];
            uint32_t k = 0;
            while (k < count && !naive_same(all[k].name, ref->name)) {
                k++;
            }
            if (k == count) {
                all[count++] = (berth_plugin_ref){.name = ref->name};
            }
            all[k].weight = p == BERTH_POINT_SCORE ? ref->weight : all[k].weight;
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        kept[k] = (has == NULL || has(context, all[k].name)) && (plain || gen_chance(g, 90));
        if (!plain) {
            all[k].args = plugin_args(g, all[k].name);
            all[k].weight = gen_chance(g, 40) ? 1 + (int32_t)gen_below(g, 9) : all[k].weight;
            all[k].weight = all[k].weight > 0 ? all[k].weight : 1;
        }
        if (naive_is(all[k].name, "PrioritySort") || naive_is(all[k].name, "DefaultBinder")) {
            kept[k] = true;
        }
    }
    berth_plugin_list *points = add_refs(g, base, kept, all, count, out);
    if (!plain && gen_chance(g, 12)) {
        leave_out(g, &points[gen_chance(g, 50) ? BERTH_POINT_FILTER : BERTH_POINT_PRE_FILTER]);
    }
    if (!plain && gen_chance(g, 12)) {
        leave_out(g, &points[gen_chance(g, 50) ? BERTH_POINT_SCORE : BERTH_POINT_PRE_SCORE]);
    }
    if (gen_chance(g, 3)) {
        points[BERTH_POINT_SCORE].count = 0; /* without scores the first feasible node is taken */
        points[BERTH_POINT_PRE_SCORE].count = 0;
    }
    out->scheduler_name = gen_numbered(g, "s", index);
    out->percentage_of_nodes_to_score = percentages[gen_below(g, 8)];
    out->min_feasible_nodes = gen_chance(g, 60) ? 1 + (int32_t)gen_below(g, 8) : 0;
    static const berth_tie ties[] = {BERTH_TIE_DEFAULT, BERTH_TIE_FIRST, BERTH_TIE_KUBERNETES,
                                     BERTH_TIE_KUBERNETES, BERTH_TIE_RANDOM};
    out->tie = ties[gen_below(g, 5)];
    return out;
}

/* In the order of evaluation by v1.15. */
static const struct {
    const char *name;
    unsigned feature;
} predicates[] =
    {
        {"CheckNodeCondition", 0},
        {"CheckNodeUnschedulable", 0},
        {"GeneralPredicates", 0},
        {"HostName", 0},
        {"PodFitsHostPorts", 0},
        {"MatchNodeSelector", 0},
        {"PodFitsResources", 0},
        {"NoDiskConflict", GEN_VOLUMES},
        {"PodToleratesNodeTaints", 0},
        {"CheckNodeLabelPresence", 0},
        {"CheckServiceAffinity", GEN_SPREAD},
        {"MaxEBSVolumeCount", GEN_VOLUMES},
        {"MaxGCEPDVolumeCount", GEN_VOLUMES},
        {"CheckNodeMemoryPressure", 0},
        {"CheckNodePIDPressure", 0},
        {"CheckNodeDiskPressure", 0},
        {"MatchInterPodAffinity", GEN_AFFINITY},
},
  priorities[] = {
      {"LeastRequestedPriority", 0},
      {"MostRequestedPriority", 0},
      {"BalancedResourceAllocation", 0},
      {"SelectorSpreadPriority", GEN_SPREAD},
      {"ServiceSpreadingPriority", GEN_SPREAD},
      {"ServiceAntiAffinityPriority", GEN_SPREAD},
      {"ImageLocalityPriority", 0},
      {"NodeAffinityPriority", 0},
      {"TaintTolerationPriority", 0},
      {"InterPodAffinityPriority", GEN_AFFINITY},
      {"NodePreferAvoidPodsPriority", 0},
      {"NodeLabelPriority", 0},
      {"RequestedToCapacityRatioPriority", 0},
      {"EqualPriority", 0},
};

static const berth_plugin_args *legacy_args(cluster_gen *g)
{
    static const berth_shape_point shape[] = {{0, 2}, {50, 10}, {100, 1}};
    static const berth_str labels[] = {{"rack", 4}, {"disk", 4}};
    berth_plugin_args *args = naive_alloc(&g->region, sizeof(*args));
    args->label.labels = (berth_strs){&labels[gen_below(g, 2)], 1};
    args->label.presence = gen_chance(g, 60);
    args->inter_pod_affinity.hard_pod_affinity_weight = (int32_t)gen_below(g, 3) * 20;
    args->fit.shape = shape;
    args->fit.shape_count = 3;
    return args;
}

berth_profile *gen_legacy_profile(cluster_gen *g, uint32_t index)
{
    const uint32_t predicate_count = sizeof(predicates) / sizeof(predicates[0]);
    const uint32_t priority_count = sizeof(priorities) / sizeof(priorities[0]);
    berth_profile *out = naive_alloc(&g->region, sizeof(*out));
    berth_plugin_ref *filters = naive_alloc(&g->region, predicate_count * sizeof(*filters));
    berth_plugin_ref *scores = naive_alloc(&g->region, priority_count * sizeof(*scores));
    uint32_t filter_count = 0, score_count = 0;
    for (uint32_t i = 0; i < predicate_count; i++) {
        berth_str name = naive_str(predicates[i].name);
        unsigned feature = predicates[i].feature;
        if (gen_chance(g, 60) && (g->features & feature) == feature) {
            filters[filter_count++] = (berth_plugin_ref){.name = name, .args = legacy_args(g)};
        }
    }
    for (uint32_t i = 0; i < priority_count; i++) {
        berth_str name = naive_str(priorities[i].name);
        unsigned feature = priorities[i].feature;
        if (gen_chance(g, 60) && (g->features & feature) == feature) {
            scores[score_count++] = (berth_plugin_ref){
                .name = name, .weight = 1 + (int32_t)gen_below(g, 5), .args = legacy_args(g)};
        }
    }
    berth_plugin_list *points = naive_alloc(&g->region, BERTH_POINT_COUNT * sizeof(*points));
    points[BERTH_POINT_FILTER] = (berth_plugin_list){filters, filter_count};
    points[BERTH_POINT_SCORE] = (berth_plugin_list){scores, score_count};
    out->points = points;
    out->point_count = BERTH_POINT_COUNT;
    out->scheduler_name = gen_numbered(g, "s", index);
    out->era = BERTH_ERA_V1ALPHA1;
    out->percentage_of_nodes_to_score = (int32_t[]){100, 100, 100, 0, 10, 60}[gen_below(g, 6)];
    out->min_feasible_nodes = gen_chance(g, 60) ? 1 + (int32_t)gen_below(g, 8) : 0;
    out->always_check_all = gen_chance(g, 50);
    out->tie = gen_chance(g, 50) ? BERTH_TIE_ROUND_ROBIN : BERTH_TIE_FIRST;
    return out;
}
