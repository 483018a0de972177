/* Plans how to compute the totals of slots for an index, and computes them, slot by slot or by one
 * kernel. */
#include "index/slot_plan.h"

#include <math.h>

#include "plugins/extended_resources.h"

/* ---- grouping the stages ---- */

/* Group the active filters; false: one of them can't be indexed. */
static bool plan_filters(const berth__decision *decision, berth__slot_plan *plan)
{
    const berth__ready_profile *profile = decision->profile;
    const berth__prepared_stage *filters = decision->prepared->filters;
    for (uint32_t i = 0; i < profile->filter_count; i++) {
        const berth__stage *stage = &profile->filters[i];
        const berth__plugin_ops *plugin = stage->plugin;
        if (filters[i].outcome != BERTH__ACTIVE || (plugin->flags & BERTH__STATIC_FILTER) != 0)
            continue;
        if (plugin->filter_slot != NULL) {
            plan->filters[plan->filter_count++] = i;
            if (plugin->basic_filter == NULL ||
                !plugin->basic_filter(decision->cycle, stage->instance, filters[i].state,
                                      &plan->ask))
                plan->extra_filters[plan->extra_filter_count++] = i;
        } else if (plugin->gate != NULL) {
            plan->gates[plan->gate_count++] = i;
        } else if ((plugin->flags & BERTH__FILTERS_LATE) != 0 && !filters[i].may_fail) {
            plan->late[plan->late_count++] = i;
        } else {
            return false;
        }
    }
    return true;
}

/* Whether a scorer's normalized values can be computed outside the tree: class by class
 * (score_classes.h), or because gates make them equal. */
static bool stands_apart(const berth__stage *stage, const berth__prepared_stage *own)
{
    const berth__plugin_ops *plugin = stage->plugin;
    if (own->outcome != BERTH__ACTIVE || plugin->normalize == BERTH__NORMALIZATION_NONE)
        return false;
    return plugin->score_parts != NULL || plugin->is_level != NULL ||
           (own->is_static && plugin->rank == NULL);
}

static bool is_by_slot(const berth__stage *stage, const berth__prepared_stage *own)
{
    const berth__plugin_ops *plugin = stage->plugin;
    return own->outcome == BERTH__ACTIVE && plugin->rank == NULL &&
           plugin->normalize == BERTH__NORMALIZATION_NONE &&
           (plugin->score_slot != NULL || own->is_static);
}

static bool is_keyed(const berth__stage *stage, const berth__prepared_stage *own)
{
    return own->outcome == BERTH__ACTIVE && stage->plugin->value_key != NULL;
}

/* Group the active scorers; false: one of them can't be indexed, or totals may not fit into an
 * int32 leaf, which only extreme weights cause. */
static bool plan_scorers(const berth__decision *decision, berth__slot_plan *plan)
{
    const berth__ready_profile *profile = decision->profile;
    int64_t weights = 0;
    for (uint32_t i = 0; i < profile->scorer_count; i++) {
        const berth__stage *stage = &profile->scorers[i];
        const berth__plugin_ops *plugin = stage->plugin;
        const berth__prepared_stage *own = &decision->prepared->scorers[i];
        if (own->outcome == BERTH__SKIP || own->outcome == BERTH__UNIFORM)
            continue;
        if (stage->weight > BERTH__BASIC_WEIGHT_MAX)
            return false;
        weights += stage->weight;
        if (stands_apart(stage, own)) {
            plan->apart[plan->apart_count++] = i;
            continue;
        }
        if (is_keyed(stage, own) && !plan->has_keyed) {
            plan->has_keyed = true;
            plan->keyed = i;
            continue;
        }
        if (!is_by_slot(stage, own))
            return false;
        plan->scorers[plan->scorer_count++] = i;
        if (plugin->basic_score != NULL &&
            plugin->basic_score(decision->cycle, stage->instance, own->state,
                                (int32_t)stage->weight, &plan->ask))
            continue;
        plan->extra_scorers[plan->extra_scorer_count++] = i;
        plan->basic &= own->is_static || own->by_node;
    }
    for (uint32_t i = profile->scorer_count; i < profile->scorer_stages; i++)
        if (decision->prepared->scorers[i].outcome == BERTH__FAIL)
            return false;
    return weights <= 1 << 23;
}

bool berth__slot_plan_make(const berth__decision *decision)
{
    berth__prepared_kind *prepared = decision->prepared;
    berth__slot_plan *plan = &prepared->memory.slot_plan;
    if (plan->stage_epoch == prepared->verdict.stage_epoch)
        return plan->possible;
    plan->stage_epoch = prepared->verdict.stage_epoch;
    prepared->memory.asked = NULL;
    plan->filter_count = plan->extra_filter_count = 0;
    plan->gate_count = plan->late_count = 0;
    plan->scorer_count = plan->extra_scorer_count = plan->apart_count = 0;
    plan->has_keyed = false;
    plan->basic = true;
    plan->ask = (berth__basic_ask){.cpu = -INFINITY, .memory = -INFINITY, .places = -INFINITY};
    plan->possible = false;
    if (prepared->verdict.allowed != NULL || decision->cycle->required_node != BERTH_NODE_NONE)
        plan->why = BERTH_SCAN_NAMED;
    else if (!plan_filters(decision, plan) ||
             berth__asks_backed(decision->cycle->view, decision->cycle->cls))
        plan->why = BERTH_SCAN_FILTER;
    else if (!plan_scorers(decision, plan))
        plan->why = BERTH_SCAN_SCORE;
    else
        plan->possible = true;
    return plan->possible;
}

/* ---- totals ---- */

static bool filters_pass(const berth__decision *decision, const uint32_t *filters, uint32_t count,
                         uint32_t slot)
{
    for (uint32_t i = 0; i < count; i++) {
        const berth__stage *stage = &decision->profile->filters[filters[i]];
        if (!stage->plugin->filter_slot(decision->cycle, stage->instance,
                                        decision->prepared->filters[filters[i]].state, slot))
            return false;
    }
    return true;
}

static bool is_kept(const berth__decision *decision, uint32_t tile)
{
    return (decision->prepared->statics.ready[tile] & BERTH__STATIC_RAW) != 0;
}

enum { SMALL_TILES = 64 };

/* A scorer's value at a slot whose tile has no raw values kept. On a small cluster the whole tile
 * is computed and kept, because all tiles will soon be needed. On a large one, a few slots do not
 * justify that. */
static int64_t new_value(const berth__decision *decision, uint32_t scorer, uint32_t slot)
{
    const berth__stage *stage = &decision->profile->scorers[scorer];
    const berth__prepared_stage *own = &decision->prepared->scorers[scorer];
    const uint32_t tile = slot / BERTH__TILE, s = slot % BERTH__TILE;
    if (own->is_static && decision->cycle->view->layout->tile_count <= SMALL_TILES &&
        berth__prepared_keep(decision)) {
        berth__prepared_tile(decision, tile);
        return own->static_raw[slot];
    }
    if (stage->plugin->score_slot != NULL)
        return stage->plugin->score_slot(decision->cycle, stage->instance, own->state, slot);
    _Alignas(64) int64_t raws[BERTH__TILE];
    const berth__mask one = berth__mask_range(s, s + 1);
    stage->plugin->score(decision->cycle, stage->instance, own->state, tile, &one, raws);
    return raws[s];
}

static int64_t value_of(const berth__decision *decision, uint32_t scorer, uint32_t slot)
{
    const berth__prepared_stage *own = &decision->prepared->scorers[scorer];
    return own->is_static && is_kept(decision, slot / BERTH__TILE)
               ? own->static_raw[slot]
               : new_value(decision, scorer, slot);
}

/* The total of one slot, for any plugins and any amounts. */
static int32_t plain_total(const berth__decision *decision, uint32_t slot)
{
    const berth__slot_plan *plan = &decision->prepared->memory.slot_plan;
    if (!filters_pass(decision, plan->filters, plan->filter_count, slot))
        return BERTH__TREE_INFEASIBLE;
    int64_t total = 0;
    for (uint32_t i = 0; i < plan->scorer_count; i++)
        total += decision->profile->scorers[plan->scorers[i]].weight *
                 value_of(decision, plan->scorers[i], slot);
    return (int32_t)total;
}

/* Read a scorer's values of some slots: kept ones, or all at once if the plugin can. */
static void read_values(const berth__decision *decision, uint32_t scorer, const uint32_t *slots,
                        uint32_t count, int64_t *values)
{
    const berth__plugin_ops *plugin = decision->profile->scorers[scorer].plugin;
    const berth__prepared_stage *own = &decision->prepared->scorers[scorer];
    if (plugin->score_slots != NULL && decision->cycle->view->layout->tile_count > SMALL_TILES) {
        plugin->score_slots(decision->cycle, decision->profile->scorers[scorer].instance,
                            own->state, slots, count, values);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        values[i] = value_of(decision, scorer, slots[i]);
}

/* Apply the filters and scores that the kernel does not compute to at most BERTH__TILE slots. */
static void complete(const berth__decision *decision, const berth__search_tree *tree,
                     const uint32_t *slots, uint32_t count, int32_t *totals)
{
    const berth__slot_plan *plan = &decision->prepared->memory.slot_plan;
    uint32_t open[BERTH__TILE], places[BERTH__TILE], open_count = 0;
    int64_t values[BERTH__TILE];
    for (uint32_t i = 0; i < count; i++) {
        if (totals[i] < 0 || tree->leaves[slots[i]] == BERTH__TREE_NEVER)
            continue;
        if (!filters_pass(decision, plan->extra_filters, plan->extra_filter_count, slots[i])) {
            totals[i] = BERTH__TREE_INFEASIBLE;
            continue;
        }
        open[open_count] = slots[i];
        places[open_count++] = i;
    }
    for (uint32_t i = 0; i < plan->extra_scorer_count; i++) {
        const uint32_t scorer = plan->extra_scorers[i];
        const int64_t weight = decision->profile->scorers[scorer].weight;
        read_values(decision, scorer, open, open_count, values);
        for (uint32_t k = 0; k < open_count; k++)
            totals[places[k]] += (int32_t)(weight * values[k]);
    }
}

void berth__slot_plan_totals(const berth__decision *decision, const berth__search_tree *tree,
                             const berth__slot_states *states, uint32_t first, uint32_t count,
                             int32_t *totals)
{
    const berth__slot_plan *plan = &decision->prepared->memory.slot_plan;
    const uint32_t *slots = states->slots + first;
    if (!plan->basic || decision->cycle->view->wide) {
        for (uint32_t i = 0; i < count; i++)
            totals[i] =
                tree->leaves[slots[i]] == BERTH__TREE_NEVER ? 0 : plain_total(decision, slots[i]);
        return;
    }
    const berth__basic_columns columns = berth__slot_states_columns(states);
    decision->cycle->view->kernels->basic(&columns, first, count, &plan->ask, totals);
    if (plan->extra_filter_count + plan->extra_scorer_count == 0)
        return;
    for (uint32_t i = 0; i < count; i += BERTH__TILE)
        complete(decision, tree, slots + i, count - i < BERTH__TILE ? count - i : BERTH__TILE,
                 totals + i);
}

void berth__slot_plan_set_aside(const berth__decision *decision, berth__outcome outcome)
{
    const berth__slot_plan *plan = &decision->prepared->memory.slot_plan;
    for (uint32_t i = 0; i < plan->gate_count; i++)
        decision->prepared->filters[plan->gates[i]].outcome = outcome;
    for (uint32_t i = 0; i < plan->late_count; i++)
        decision->prepared->filters[plan->late[i]].outcome = outcome;
    for (uint32_t i = 0; i < plan->apart_count; i++)
        decision->prepared->scorers[plan->apart[i]].outcome = outcome;
    if (plan->has_keyed)
        decision->prepared->scorers[plan->keyed].outcome = outcome;
}
