/* Profiles compiled: plugins found in the registry and configured; and the number of feasible
 * nodes to look for. */
#include "decide/profile.h"

#include "base/error.h"
#include "base/text.h"
#include "legacy/legacy.h"

enum { MIN_FEASIBLE_NODES = 100, MIN_PERCENTAGE = 5 };

static berth_status missing(const berth_plugin_ref *ref, const char *phase, berth_error *error)
{
    berth__error_set(error, BERTH_E_UNSUPPORTED, "no plugin of this name has a %s phase", phase);
    berth__error_field(error, "plugins.%s.%.*s", phase, (int)ref->name.len, ref->name.data);
    return BERTH_E_UNSUPPORTED;
}

/* What a profile is compiled with. */
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

/* The plugin behind a name, configured; out->plugin is NULL if there is none. */
static berth_status make_stage(const workshop *shop, const berth_plugin_ref *ref, berth__stage *out)
{
    bool ok = true;
    berth_str name = ref->implementation.len > 0 ? ref->implementation : ref->name;
    const berth_plugin *table = berth__embedder_find(shop->own, name);
    *out = (berth__stage){.plugin = berth__profile_plugin_find(name),
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

static berth_status add_filters(const workshop *shop, berth_plugin_list list,
                                berth__ready_profile *out)
{
    for (uint32_t i = 0; i < list.count; i++) {
        berth__stage *stage = &out->filters[out->filter_count++];
        BERTH_TRY(make_stage(shop, &list.items[i], stage));
        if (stage->plugin == NULL || stage->plugin->filter == NULL)
            return missing(&list.items[i], "filter", shop->error);
    }
    return BERTH_OK;
}

/* v1.15's checks before the predicates are listed apart from them; v1.32's PreFilter plugins are
 * filters with a prepare phase. */
static berth_status make_filters(const workshop *shop, const berth_profile *source,
                                 berth__ready_profile *out)
{
    berth_plugin_list checks = berth_profile_list(source, BERTH_POINT_PRE_FILTER);
    berth_plugin_list filters = berth_profile_list(source, BERTH_POINT_FILTER);
    uint32_t count = checks.count + filters.count;
    out->filters = berth__arena_alloc(shop->arena, count * sizeof(*out->filters), 16);
    if (out->filters == NULL)
        return berth__error_set(shop->error, BERTH_E_NOMEM, "out of memory");
    if (source->era == BERTH_ERA_V1ALPHA1)
        BERTH_TRY(add_filters(shop, checks, out));
    return add_filters(shop, filters, out);
}

static berth_status make_scorers(const workshop *shop, berth_plugin_list list,
                                 berth__ready_profile *out)
{
    out->ranks_nodes = list.count > 0;
    out->scorers = berth__arena_alloc(shop->arena, list.count * sizeof(*out->scorers), 16);
    if (out->scorers == NULL)
        return berth__error_set(shop->error, BERTH_E_NOMEM, "out of memory");
    for (uint32_t i = 0; i < list.count; i++) {
        berth__stage *stage = &out->scorers[out->scorer_count];
        BERTH_TRY(make_stage(shop, &list.items[i], stage));
        /* VolumeBinding scores only behind a feature gate that is off: it is there, and silent. */
        if (stage->plugin != NULL && stage->plugin->score == NULL &&
            berth__str_is(list.items[i].name, "VolumeBinding"))
            continue;
        if (stage->plugin == NULL || stage->plugin->score == NULL)
            return missing(&list.items[i], "score", shop->error);
        out->scorer_count++;
    }
    return BERTH_OK;
}

static const berth_plugin_ref *find_ref(const berth_profile *profile, berth_point point,
                                        const char *name)
{
    const berth_plugin_list list = berth_profile_list(profile, point);
    const berth_plugin_ref *items = list.items;
    for (uint32_t i = 0; i < list.count; i++)
        if (berth__str_is(items[i].name, name))
            return &items[i];
    return NULL;
}

static berth_tie tie_of(berth_tie asked, const berth__behaviours *behaviours)
{
    if (asked != BERTH_TIE_DEFAULT)
        return asked;
    return behaviours->ties_by_heap ? BERTH_TIE_KUBERNETES : BERTH_TIE_FIRST;
}

/* Whether a plugin comes before another one, or that is not there at all. */
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

static void read_post_filters(const berth_profile *source, berth__ready_profile *out)
{
    berth_plugin_list pre = berth_profile_list(source, BERTH_POINT_PRE_FILTER);
    const berth_plugin_ref *preemption =
        find_ref(source, BERTH_POINT_POST_FILTER, "DefaultPreemption");
    const berth_plugin_ref *seen = find_ref(source, BERTH_POINT_PRE_FILTER, "DynamicResources");
    const berth_plugin_ref *claims = find_ref(source, BERTH_POINT_POST_FILTER, "DynamicResources");
    out->preempts = preemption != NULL;
    if (preemption != NULL && preemption->args != NULL)
        out->preemption = preemption->args->preemption;
    out->deallocates = claims != NULL && !out->legacy;
    out->deallocates_last = preemption != NULL && claims != NULL && preemption < claims;
    out->sees_claims = seen != NULL;
    out->gives_up = berth_profile_list(source, BERTH_POINT_POST_FILTER).count == 0;
    for (uint32_t i = 0; i < out->filter_count; i++)
        out->filters[i].before_claims = comes_before(pre, out->filters[i].name, seen);
}

berth_status berth__profile_make(berth__model *model, berth__arena *arena,
                                 berth__embedder_plugins own, const berth_profile *source,
                                 berth__ready_profile *out, berth_error *error)
{
    const workshop shop = {model, arena, own, error};
    bool ok = true;
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
    BERTH_TRY(make_filters(&shop, source, out));
    read_post_filters(source, out);
    for (uint32_t i = 0; i < out->filter_count; i++)
        out->counts_pods |= (out->filters[i].plugin->flags & BERTH__COUNTS_PODS) != 0;
    return make_scorers(&shop, berth_profile_list(source, BERTH_POINT_SCORE), out);
}

uint32_t berth__profile_limit(const berth__ready_profile *profile, uint32_t candidates)
{
    if (!profile->ranks_nodes && profile->behaviours->first_where_none_ranks)
        return 1; /* nobody compares them: the first will do */
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
