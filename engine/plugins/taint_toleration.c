/* TaintToleration: refuses nodes with a NoSchedule or NoExecute taint that the pod does not
 * tolerate; nodes with fewer untolerated PreferNoSchedule taints score higher. Nodes share few
 * distinct taint lists, so verdicts are computed once for each list. The same rules also exist
 * under v1.15's names, PodToleratesNodeTaints and TaintTolerationPriority.
 * Source: kube-scheduler v1.36, plugins/tainttoleration; v1.15.3,
 * predicates.PodToleratesNodeTaints, priorities/taint_toleration.go. */
#include "plugins/registry.h"

typedef struct state {
    const uint32_t *refused; /* by taint list: 0 or 1 */
    const int32_t *counts;   /* by taint list: untolerated PreferNoSchedule taints */
    const int16_t *kept;     /* the same, if they are small */
    uint32_t list_count;
} state;

/* The first taint of a list that refuses the pod, or NULL. */
static const berth__interned_taint *refusing(const berth__question *cycle,
                                             const berth__taint_list *list)
{
    return berth__node_rules_refused_by(cycle->view->model, cycle->cls->node_rules, list);
}

static berth__outcome taint_toleration_prepare_filter(berth__prepare *prepare)
{
    const berth__model *model = prepare->cycle->view->model;
    const berth__layout *layout = prepare->cycle->view->layout;
    state *own = prepare->state;
    uint32_t list_count = layout->taint_end;
    uint32_t *refused =
        berth__arena_alloc(prepare->arena, (size_t)list_count * sizeof(*refused), 4);
    if (refused == NULL) {
        prepare->ok = false;
        return BERTH__SKIP;
    }
    bool any = false;
    for (uint32_t id = 0; id < list_count; id++) {
        refused[id] = berth__layout_has_taints(layout, id) &&
                      refusing(prepare->cycle, berth__taints_at(model, id)) != NULL;
        any |= refused[id] != 0;
    }
    own->refused = refused;
    own->list_count = list_count;
    return any ? BERTH__ACTIVE : BERTH__SKIP;
}

static void taint_toleration_filter(const berth__question *cycle, const void *instance,
                                    const void *opaque, uint32_t tile, berth__mask *mask)
{
    (void)instance;
    const state *own = opaque;
    const berth__kernels *kernels = cycle->view->kernels;
    _Alignas(64) uint32_t refused[BERTH__TILE];
    kernels->gather(own->refused, own->list_count,
                    cycle->view->layout->taints + (size_t)tile * BERTH__TILE, refused);
    kernels->at_most(refused, 0, mask);
}

static void taint_toleration_explain(const berth__question *cycle, const void *instance,
                                     const void *opaque, uint32_t slot, berth__reasons *reasons)
{
    (void)instance;
    (void)opaque;
    const berth__model *model = cycle->view->model;
    if (model->behaviours.taint_text_names_none) {
        berth__reason(reasons, BERTH_CODE_UNRESOLVABLE, "node(s) had untolerated taint(s)");
        return;
    }
    const berth__interned_taint *taint =
        refusing(cycle, berth__taints_at(model, cycle->view->layout->taints[slot]));
    berth_str key = berth__text(model, taint->key), value = berth__text(model, taint->value);
    berth__reason(reasons, BERTH_CODE_UNRESOLVABLE, "node(s) had untolerated taint {%.*s: %.*s}",
                  (int)key.len, key.data, (int)value.len, value.data);
}

BERTH__EXPLAIN_ALWAYS(taint_toleration_explain_legacy, BERTH_CODE_UNRESOLVABLE,
                      "node(s) had taints that the pod didn't tolerate")

/* In scores, only tolerations without an effect, or with effect PreferNoSchedule, matter: no other
 * toleration accepts such a taint. */
static berth__outcome prepare_counts(berth__prepare *prepare, int64_t best)
{
    const berth__model *model = prepare->cycle->view->model;
    const berth__layout *layout = prepare->cycle->view->layout;
    const berth__node_rules *rules = prepare->cycle->cls->node_rules;
    state *own = prepare->state;
    uint32_t list_count = layout->taint_end;
    int32_t *counts = berth__arena_alloc_zero(prepare->arena, list_count * sizeof(*counts), 4);
    if (counts == NULL) {
        prepare->ok = false;
        return BERTH__SKIP;
    }
    int16_t *kept = berth__arena_alloc(prepare->arena, list_count * sizeof(*kept), 4);
    bool any = false;
    prepare->ok = kept != NULL;
    prepare->small = true;
    for (uint32_t id = 0; prepare->ok && id < list_count; id++) {
        const berth__taint_list *list =
            berth__layout_has_taints(layout, id) ? berth__taints_at(model, id) : NULL;
        for (uint32_t i = 0; list != NULL && i < list->count; i++)
            counts[id] += list->items[i].effect == model->known.prefer_no_schedule &&
                          !berth__node_rules_tolerate(model, rules, &list->items[i]);
        any |= counts[id] > 0;
        prepare->small &= counts[id] <= BERTH__NARROW_MAX;
        kept[id] = (int16_t)counts[id];
    }
    own->counts = counts;
    own->kept = kept;
    own->list_count = list_count;
    prepare->uniform = best; /* no node has an untolerated taint */
    return any ? BERTH__ACTIVE : BERTH__UNIFORM;
}

static berth__outcome taint_toleration_prepare_score(berth__prepare *prepare)
{
    return prepare_counts(prepare, BERTH__SCORE_MAX);
}

static berth__outcome taint_toleration_prepare_priority(berth__prepare *prepare)
{
    return prepare_counts(prepare, BERTH__SCORE_MAX_LEGACY);
}

static void taint_toleration_score(const berth__question *cycle, const void *instance,
                                   const void *opaque, uint32_t tile, const berth__mask *mask,
                                   int64_t *out)
{
    (void)instance;
    (void)mask;
    const state *own = opaque;
    cycle->view->kernels->clear(out);
    cycle->view->kernels->gather_add(own->counts, own->list_count,
                                     cycle->view->layout->taints + (size_t)tile * BERTH__TILE, out);
}

static void taint_toleration_score_kept(const berth__question *cycle, const void *instance,
                                        const void *opaque, uint32_t tile, const berth__mask *mask,
                                        int16_t *kept)
{
    (void)instance;
    (void)mask;
    const state *own = opaque;
    cycle->view->kernels->gather_kept(
        own->kept, own->list_count, cycle->view->layout->taints + (size_t)tile * BERTH__TILE, kept);
}

/* Wake if the node's taints are tolerated now and were not before. */
static bool taint_toleration_wakes(berth__wake *wake, const berth__waiter *waiter,
                                   const void *instance)
{
    (void)instance;
    const berth__question cycle = {.view = wake->view, .cls = waiter->cls};
    return refusing(&cycle, wake->new_facts->taints) == NULL &&
           (wake->old_facts == NULL || refusing(&cycle, wake->old_facts->taints) != NULL);
}

const berth__plugin_ops berth__plugin_taint_toleration = {
    .name = "TaintToleration",
    .flags = BERTH__STATIC_FILTER | BERTH__STATIC_SCORE | BERTH__ALWAYS_UNRESOLVABLE,
    .wake_on = BERTH_WAKE_NODE_ADD | BERTH_WAKE_NODE_TAINTS | BERTH__WAKE_POD_SELF,
    .wakes = taint_toleration_wakes,
    .filter_state_bytes = sizeof(state),
    .prepare_filter = taint_toleration_prepare_filter,
    .filter = taint_toleration_filter,
    .explain = taint_toleration_explain,
    .score_misses = "failed to read \"PreScoreTaintToleration\" from cycleState: not found",
    .score_state_bytes = sizeof(state),
    .prepare_score = taint_toleration_prepare_score,
    .score = taint_toleration_score,
    .score_kept = taint_toleration_score_kept,
    .normalize = BERTH__NORMALIZATION_MAX_REVERSED,
};

const berth__plugin_ops berth__plugin_pod_tolerates_node_taints = {
    .name = "PodToleratesNodeTaints",
    .flags = BERTH__STATIC_FILTER | BERTH__ALWAYS_UNRESOLVABLE,
    .wake_on = BERTH_WAKE_NODE_ADD | BERTH_WAKE_NODE_TAINTS | BERTH__WAKE_POD_SELF,
    .wakes = taint_toleration_wakes,
    .filter_state_bytes = sizeof(state),
    .prepare_filter = taint_toleration_prepare_filter,
    .filter = taint_toleration_filter,
    .explain = taint_toleration_explain_legacy,
};

const berth__plugin_ops berth__plugin_taint_toleration_priority = {
    .name = "TaintTolerationPriority",
    .flags = BERTH__STATIC_SCORE,
    .score_state_bytes = sizeof(state),
    .prepare_score = taint_toleration_prepare_priority,
    .score = taint_toleration_score,
    .score_kept = taint_toleration_score_kept,
    .normalize = BERTH__NORMALIZATION_MAX_REVERSED,
    .score_max = BERTH__SCORE_MAX_LEGACY,
};
