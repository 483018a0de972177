/* Compiles profiles: finds plugins in the registry and configures them; and computes how many
 * feasible nodes to search for. */
#include "prepare/profile.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "legacy/legacy.h"
#include "plugins/profile_lists.h"
#include "plugins/registry.h"
#include "plugins/spread_rules.h"

enum { MIN_FEASIBLE_NODES = 100, MIN_PERCENTAGE = 5 };

static berth_status missing(const berth_plugin_ref *ref, const char *phase, berth_error *error)
{
    berth__error_set(error, BERTH_E_UNSUPPORTED, "no plugin of this name has a %s phase", phase);
    berth__error_field(error, "plugins.%s.%.*s", phase, (int)ref->name.len, ref->name.data);
    return BERTH_E_UNSUPPORTED;
}

/* What compiling a profile needs. */
typedef struct workshop {
    berth__model *model;
    berth__arena *arena;
    berth__embedder_plugins own;
    berth_error *error;
} workshop;

static berth_status configure(const workshop *shop, const berth_plugin_ref *ref,
                              const berth__plugin_ops *plugin, const void **out)
{
    void *instance = berth__arena_alloc_zero(shop->arena, plugin->instance_bytes, 16);
    if (instance == NULL)
        return berth__error_set(shop->error, BERTH_E_NOMEM, "out of memory");
    *out = instance;
    return plugin->configure != NULL
               ? plugin->configure(shop->model, shop->arena, ref->args, instance, shop->error)
               : BERTH_OK;
}

const berth__plugin_ops *berth__profile_plugin_find(berth_str name)
{
    const berth__plugin_ops *plugin = berth__plugin_find(name);
    return plugin != NULL ? plugin : berth__legacy_plugin_find(name);
}

static const berth_plugin_ref *find_in(berth_plugin_list list, berth_str name)
{
    const berth_plugin_ref *items = list.items;
    for (uint32_t i = 0; i < list.count; i++)
        if (berth__str_eq(items[i].name, name))
            return &items[i];
    return NULL;
}

/* Find the plugin of a name and configure it; out->plugin is NULL if there is none. */
static berth_status make_stage(const workshop *shop, const berth_plugin_ref *ref, berth__stage *out)
{
    bool ok = true;
    berth_str name = ref->implementation.len > 0 ? ref->implementation : ref->name;
    const berth_plugin *table = berth__embedder_find(shop->own, name);
    *out = (berth__stage){.plugin = berth__profile_plugin_find(name),
                          .bare = out->bare,
                          .name = berth__arena_str(shop->arena, ref->name, &ok),
                          .weight = ref->weight > 0 ? ref->weight : 1};
    if (!ok)
        return berth__error_set(shop->error, BERTH_E_NOMEM, "out of memory");
    berth_status status = BERTH_OK;
    if (table != NULL)
        status = berth__embedder_make(shop->arena, table, ref->args, &out->plugin, &out->instance,
                                      shop->error);
    else if (out->plugin != NULL)
        status = configure(shop, ref, out->plugin, &out->instance);
    if (status != BERTH_OK && shop->error != NULL && shop->error->object[0] == '\0')
        berth__error_object(shop->error, "plugin %.*s", (int)ref->name.len, ref->name.data);
    return status;
}

/* ---- stages ---- */

static berth_status make_filter(const workshop *shop, const berth_plugin_ref *ref,
                                berth__stage *stage)
{
    BERTH_TRY(make_stage(shop, ref, stage));
    if (stage->plugin == NULL ||
        (stage->plugin->filter == NULL && stage->plugin->prepare_filter == NULL))
        return missing(ref, "filter", shop->error);
    if (!stage->bare || stage->plugin->filter_misses == NULL)
        return BERTH_OK;
    stage->instance = stage->plugin->filter_misses;
    stage->plugin = &berth__plugin_stateless;
    return BERTH_OK;
}

static berth_status make_scorer(const workshop *shop, const berth_plugin_ref *ref,
                                berth__stage *stage)
{
    BERTH_TRY(make_stage(shop, ref, stage));
    if (stage->plugin == NULL ||
        (stage->plugin->score == NULL && stage->plugin->prepare_score == NULL))
        return missing(ref, "score", shop->error);
    if (!stage->bare || stage->plugin->score_misses == NULL)
        return BERTH_OK;
    stage->instance = stage->plugin->score_misses;
    stage->plugin = &berth__plugin_stateless;
    return BERTH_OK;
}

/* Add a plugin that runs only at preFilter or preScore. The engine may have no plugin of that name:
 * an embedder's plugin does this work in its filter or score. */
static berth_status add_preparing(const workshop *shop, const berth_plugin_ref *ref, bool filter,
                                  berth__stage *stages, uint32_t *count)
{
    const berth__plugin_ops *plugin = berth__profile_plugin_find(ref->name);
    if (plugin == NULL || (filter ? plugin->prepare_filter : plugin->prepare_score) == NULL)
        return BERTH_OK;
    return make_stage(shop, ref, &stages[(*count)++]);
}

/* Put the stages into the order of the preparing point's list; stages that are not in it follow. */
static bool put_in_order(berth__arena *arena, berth_plugin_list before, const berth__stage *stages,
                         uint32_t count, uint32_t **out)
{
    uint32_t *order = berth__arena_alloc(arena, count * sizeof(*order), 4), at = 0;
    for (uint32_t k = 0; order != NULL && k < before.count; k++)
        for (uint32_t i = 0; i < count; i++)
            if (berth__str_eq(stages[i].name, before.items[k].name)) {
                order[at++] = i;
                break;
            }
    for (uint32_t i = 0; order != NULL && i < count; i++) {
        bool there = false;
        for (uint32_t k = 0; k < at && !there; k++)
            there = order[k] == i;
        if (!there)
            order[at++] = i;
    }
    *out = order;
    return order != NULL;
}

/* Whether the list of a preparing point lacks a plugin. A profile without that list lacks none:
 * such a profile names only filters and scores. */
static bool leaves_out(const berth__ready_profile *profile, berth_plugin_list before,
                       berth_str name)
{
    return !profile->legacy && before.items != NULL && find_in(before, name) == NULL;
}

/* v1.15 lists the checks before the predicates separately; they are filters, too. */
static berth_status make_filters(const workshop *shop, const berth_profile *source,
                                 berth__ready_profile *out)
{
    berth_plugin_list before = berth_profile_list(source, BERTH_POINT_PRE_FILTER);
    berth_plugin_list filters = berth_profile_list(source, BERTH_POINT_FILTER);
    uint32_t count = before.count + filters.count, made = 0;
    out->filters = berth__arena_alloc_zero(shop->arena, count * sizeof(*out->filters), 16);
    if (out->filters == NULL)
        return berth__error_set(shop->error, BERTH_E_NOMEM, "out of memory");
    for (uint32_t i = 0; out->legacy && i < before.count; i++)
        BERTH_TRY(make_filter(shop, &before.items[i], &out->filters[made++]));
    for (uint32_t i = 0; i < filters.count; i++) {
        const berth_plugin_ref *ref = &filters.items[i];
        out->filters[made].bare = leaves_out(out, before, ref->name);
        BERTH_TRY(make_filter(shop, ref, &out->filters[made++]));
    }
    out->filter_count = made;
    for (uint32_t i = 0; !out->legacy && i < before.count; i++)
        if (find_in(filters, before.items[i].name) == NULL)
            BERTH_TRY(add_preparing(shop, &before.items[i], true, out->filters, &made));
    out->filter_stages = made;
    return put_in_order(shop->arena, before, out->filters, made, &out->filter_order)
               ? BERTH_OK
               : berth__error_set(shop->error, BERTH_E_NOMEM, "out of memory");
}

static berth_status make_scorers(const workshop *shop, const berth_profile *source,
                                 berth__ready_profile *out)
{
    berth_plugin_list before = berth_profile_list(source, BERTH_POINT_PRE_SCORE);
    berth_plugin_list scores = berth_profile_list(source, BERTH_POINT_SCORE);
    uint32_t count = before.count + scores.count, made = 0;
    out->ranks_nodes = scores.count > 0;
    out->scorers = berth__arena_alloc_zero(shop->arena, count * sizeof(*out->scorers), 16);
    if (out->scorers == NULL)
        return berth__error_set(shop->error, BERTH_E_NOMEM, "out of memory");
    for (uint32_t i = 0; i < scores.count; i++) {
        const berth_plugin_ref *ref = &scores.items[i];
        berth__stage *stage = &out->scorers[made];
        stage->bare = leaves_out(out, before, ref->name);
        BERTH_TRY(make_scorer(shop, ref, stage));
        /* Until v1.36 VolumeBinding scores only behind a feature gate that is off: its preScore
         * skips it. */
        made += stage->bare || stage->plugin != &berth__plugin_volume_binding ||
                out->behaviours->volume_capacity_scores;
    }
    out->scorer_count = made;
    for (uint32_t i = 0; !out->legacy && i < before.count; i++)
        if (find_in(scores, before.items[i].name) == NULL)
            BERTH_TRY(add_preparing(shop, &before.items[i], false, out->scorers, &made));
    out->scorer_stages = made;
    return put_in_order(shop->arena, before, out->scorers, made, &out->scorer_order)
               ? BERTH_OK
               : berth__error_set(shop->error, BERTH_E_NOMEM, "out of memory");
}

static const berth_plugin_ref *find_ref(const berth_profile *profile, berth_point point,
                                        const char *name)
{
    return find_in(berth_profile_list(profile, point), (berth_str){name, (uint32_t)strlen(name)});
}

static berth_tie tie_of(berth_tie asked, const berth__behaviours *behaviours)
{
    if (asked != BERTH_TIE_DEFAULT)
        return asked;
    return behaviours->ties_by_heap ? BERTH_TIE_KUBERNETES : BERTH_TIE_FIRST;
}

/* Whether a plugin comes before another one, or the other one is not in the list. */
static bool comes_before(berth_plugin_list list, berth_str name, const berth_plugin_ref *other)
{
    for (uint32_t i = 0; i < list.count; i++) {
        if (&list.items[i] == other)
            return false;
        if (berth__str_eq(list.items[i].name, name))
            return true;
    }
    return true;
}

/* DefaultPreemption has the same arguments wherever it runs. */
static berth__post_filters post_filters_at(const berth_profile *source, berth_point point,
                                           berth__ready_profile *out)
{
    const berth_plugin_ref *preemption = find_ref(source, point, "DefaultPreemption");
    const berth_plugin_ref *claims = find_ref(source, point, "DynamicResources");
    if (preemption != NULL && preemption->args != NULL)
        out->preemption = preemption->args->preemption;
    return (berth__post_filters){
        .preempts = preemption != NULL,
        .deallocates = claims != NULL && !out->legacy,
        .deallocates_last = preemption != NULL && claims != NULL && preemption < claims,
    };
}

static void read_post_filters(const berth_profile *source, berth__ready_profile *out)
{
    berth_plugin_list pre = berth_profile_list(source, BERTH_POINT_PRE_FILTER);
    const berth_plugin_ref *seen = find_ref(source, BERTH_POINT_PRE_FILTER, "DynamicResources");
    out->post = post_filters_at(source, BERTH_POINT_POST_FILTER, out);
    out->sees_claims = seen != NULL;
    out->gives_up = berth_profile_list(source, BERTH_POINT_POST_FILTER).count == 0;
    for (uint32_t i = 0; i < out->filter_stages; i++)
        out->filters[i].before_claims = comes_before(pre, out->filters[i].name, seen);
}

static bool is_left_open(const berth_profile *source, berth_point point)
{
    return berth_profile_list(source, point).items == NULL;
}

/* Find the plugins that score placements: by default NodeResourcesFit, with its arguments at score,
 * and PodGroupPodsCount. */
static berth_status read_placement_scores(const workshop *shop, const berth_profile *source,
                                          berth__ready_profile *out)
{
    const berth_point point = BERTH_POINT_PLACEMENT_SCORE;
    berth__group_points *groups = &out->groups;
    const berth_plugin_ref *count = find_ref(source, point, "PodGroupPodsCount");
    groups->pods_count = is_left_open(source, point) ? 1 : count != NULL ? count->weight : 0;
    for (uint32_t i = 0; i < out->scorer_count && is_left_open(source, point); i++)
        if (out->scorers[i].plugin == &berth__plugin_node_resources_fit)
            groups->fit = &out->scorers[i];
    const berth_plugin_ref *fit = find_ref(source, point, "NodeResourcesFit");
    if (fit == NULL)
        return BERTH_OK;
    berth__stage *stage = berth__arena_alloc_zero(shop->arena, sizeof(*stage), 16);
    if (stage == NULL)
        return berth__error_set(shop->error, BERTH_E_NOMEM, "out of memory");
    groups->fit = stage;
    return make_stage(shop, fit, stage);
}

static berth_status read_group_points(const workshop *shop, const berth_profile *source,
                                      berth__ready_profile *out)
{
    const berth_point generate = BERTH_POINT_PLACEMENT_GENERATE;
    out->groups.generates = is_left_open(source, generate) ||
                            find_ref(source, generate, "TopologyPlacementGenerator") != NULL;
    out->groups.post = is_left_open(source, BERTH_POINT_POD_GROUP_POST_FILTER)
                           ? out->post
                           : post_filters_at(source, BERTH_POINT_POD_GROUP_POST_FILTER, out);
    return read_placement_scores(shop, source, out);
}

/* Reject a set `later`: it points to members newer than this library, which must not be ignored. */
static berth_status check_later(const berth_profile *source, berth_error *error)
{
    bool found = source->later != NULL;
    for (uint32_t p = 0; p < source->point_count; p++)
        for (uint32_t i = 0; i < source->points[p].count; i++) {
            const berth_plugin_ref *ref = &source->points[p].items[i];
            found |= ref->later != NULL || (ref->args != NULL && ref->args->later != NULL);
        }
    return found ? berth__error_set(error, BERTH_E_ARG,
                                    "`later` in a profile refers to members that this library does "
                                    "not know")
                 : BERTH_OK;
}

/* Whether any version of kube-scheduler, the engine or its embedder has a plugin. An embedder's
 * plugins never run at the points of groups. */
static bool exists(const workshop *shop, berth_point point, berth_str name)
{
    const uint32_t for_groups = UINT32_MAX << BERTH_POINT_PLACEMENT_GENERATE;
    const berth__plugin_info *info = berth__plugin_info_find(0, name);
    if (point >= BERTH_POINT_PLACEMENT_GENERATE)
        return berth__plugin_info_find_gated(0, name) != NULL ||
               (info != NULL && (info->points & for_groups) != 0);
    return berth__profile_plugin_find(name) != NULL || info != NULL ||
           berth__embedder_find(shop->own, name) != NULL;
}

/* Refuse plugins that do not exist. Filters and scores were found already. */
static berth_status check_names(const workshop *shop, const berth_profile *source)
{
    for (unsigned p = 0; p < BERTH_POINT_COUNT; p++) {
        const berth_plugin_list list = berth_profile_list(source, (berth_point)p);
        for (uint32_t i = 0; i < list.count; i++)
            if (!exists(shop, (berth_point)p,
                        list.items[i].implementation.len > 0 ? list.items[i].implementation
                                                             : list.items[i].name))
                return missing(&list.items[i], berth_point_name((berth_point)p), shop->error);
    }
    return BERTH_OK;
}

berth_status berth__profile_make(berth__model *model, berth__arena *arena,
                                 berth__embedder_plugins own, const berth_profile *source,
                                 berth__ready_profile *out, berth_error *error)
{
    const workshop shop = {model, arena, own, error};
    bool ok = true;
    BERTH_TRY(check_later(source, error));
    if (source->percentage_of_nodes_to_score < 0)
        return berth__error_set(error, BERTH_E_INVALID,
                                "percentageOfNodesToScore must not be negative");
    if (source->era == BERTH_ERA_V1ALPHA1 && !berth__legacy_built())
        return berth__error_set(error, BERTH_E_UNSUPPORTED,
                                "this library is built without v1.15 (BERTH_LEGACY=OFF)");
    *out = (berth__ready_profile){
        .scheduler_name = source->scheduler_name.len > 0
                              ? berth__intern_add(&model->strings, source->scheduler_name, &ok)
                              : model->known.default_scheduler,
        .legacy = source->era == BERTH_ERA_V1ALPHA1,
        .behaviours = &model->behaviours,
        .percentage = source->percentage_of_nodes_to_score,
        .min_feasible = source->min_feasible_nodes > 0 ? (uint32_t)source->min_feasible_nodes
                                                       : MIN_FEASIBLE_NODES,
        .tie = tie_of(source->tie, &model->behaviours),
        .always_check_all = source->always_check_all,
        .preemption = {.min_candidate_nodes_percentage = 10, .min_candidate_nodes_absolute = 100},
    };
    if (!ok)
        return berth__error_set(error, BERTH_E_NOMEM, "out of memory");
    out->gates = find_ref(source, BERTH_POINT_PRE_ENQUEUE, "SchedulingGates") != NULL;
    out->gates_claims = find_ref(source, BERTH_POINT_PRE_ENQUEUE, "DynamicResources") != NULL;
    BERTH_TRY(make_filters(&shop, source, out));
    read_post_filters(source, out);
    for (uint32_t i = 0; i < out->filter_count; i++)
        out->counts_pods |= (out->filters[i].plugin->flags & BERTH__COUNTS_PODS) != 0;
    BERTH_TRY(make_scorers(&shop, source, out));
    BERTH_TRY(read_group_points(&shop, source, out));
    return out->legacy ? BERTH_OK : check_names(&shop, source);
}

static bool spreads_all(const berth__stage *stages, uint32_t count)
{
    bool found = false;
    for (uint32_t i = 0; i < count && !found; i++)
        if (stages[i].plugin == &berth__plugin_pod_topology_spread)
            found = ((const berth__spread_defaults *)stages[i].instance)->count > 0;
    return found;
}

bool berth__profile_reuses_scores(const berth__ready_profile *profile)
{
    return !profile->legacy && !spreads_all(profile->filters, profile->filter_stages) &&
           !spreads_all(profile->scorers, profile->scorer_stages);
}

uint32_t berth__profile_limit(const berth__ready_profile *profile, uint32_t candidates)
{
    if (!profile->ranks_nodes && profile->behaviours->first_where_none_ranks)
        return 1; /* nodes are not compared, so the first one will do */
    if (candidates < profile->min_feasible || profile->percentage >= 100)
        return candidates;
    int32_t percentage = profile->percentage;
    if (percentage == 0) {
        percentage = 50 - (int32_t)(candidates / 125);
        if (percentage < MIN_PERCENTAGE)
            percentage = MIN_PERCENTAGE;
    }
    uint32_t limit = (uint32_t)((uint64_t)candidates * (uint32_t)percentage / 100);
    return limit < profile->min_feasible ? profile->min_feasible : limit;
}
