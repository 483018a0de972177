/* DefaultPreemption: which pods may preempt, on which nodes, and the choice of one. */
#include "decide/preemption.h"

#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/error.h"
#include "base/text.h"
#include "columns/pod_counts.h"
#include "decide/preemption_words.h"

static const berth_str NEVER = {"not eligible due to preemptionPolicy=Never.", 43};
static const berth_str NO_CANDIDATE = {"no candidate node for preemption", 32};
static const berth_str NOT_FOUND = {"not found", 9};
static const berth_str TERMINATING = {
    "not eligible due to a terminating pod on the nominated node.", 60};

static const berth__behaviours *behaviours_of(const berth__attempt *attempt)
{
    return attempt->decision.profile->behaviours;
}

/* ---- potential nodes ---- */

/* Keep the slots that a filter cleared and whose refusal may change through evictions. */
static bool keep_potential(berth__decider *decider, uint32_t filter, uint32_t tile,
                           berth__mask *cleared)
{
    const berth__attempt *attempt = &decider->attempt;
    const berth__stage *stage = &attempt->decision.profile->filters[filter];
    if ((stage->plugin->flags & BERTH__ALWAYS_UNSCHEDULABLE) != 0)
        return true;
    if (stage->plugin->keep_resolvable != NULL) {
        stage->plugin->keep_resolvable(&attempt->cycle, stage->instance,
                                       attempt->decision.prepared->filters[filter].state, tile,
                                       cleared);
        return true;
    }
    berth__mask asked = *cleared;
    *cleared = berth__mask_range(0, 0);
    if ((stage->plugin->flags & BERTH__ALWAYS_UNRESOLVABLE) != 0)
        return true;
    BERTH__MASK_EACH(&asked, s)
    {
        berth__reasons reasons = {.arena = &decider->arena, .ok = true};
        stage->plugin->explain(&attempt->cycle, stage->instance,
                               attempt->decision.prepared->filters[filter].state,
                               tile * BERTH__TILE + s, &reasons);
        if (!reasons.ok)
            return false;
        if (reasons.code == BERTH_CODE_UNSCHEDULABLE)
            berth__bit_set(cleared->words, s);
    }
    return true;
}

/* Whether a filter is static and known to pass, so that it need not run again. */
static bool passes_all(const berth__attempt *attempt, uint32_t filter, uint32_t tile,
                       const berth__mask *left)
{
    const berth__mask *passing = &attempt->decision.prepared->statics.mask[tile];
    return (attempt->decision.profile->filters[filter].plugin->flags & BERTH__STATIC_FILTER) != 0 &&
           ((left->words[0] & ~passing->words[0]) | (left->words[1] & ~passing->words[1])) == 0;
}

/* Find the potential slots of a tile: those whose first refusal (with always_check_all: every
 * refusal) may be changed by evictions. */
static bool find_in_tile(berth__decider *decider, uint32_t tile, berth__mask left, berth__mask *out)
{
    const berth__attempt *attempt = &decider->attempt;
    bool all = attempt->decision.profile->always_check_all;
    berth__mask hopeless = berth__mask_range(0, 0);
    (void)berth__prepared_mask(&attempt->decision, tile);
    *out = hopeless;
    for (uint32_t i = 0; i < attempt->decision.profile->filter_count && !berth__mask_empty(&left);
         i++) {
        const berth__stage *stage = &attempt->decision.profile->filters[i];
        if (attempt->decision.prepared->filters[i].outcome != BERTH__ACTIVE ||
            passes_all(attempt, i, tile, &left))
            continue;
        berth__mask kept = left, cleared, potential;
        stage->plugin->filter(&attempt->cycle, stage->instance,
                              attempt->decision.prepared->filters[i].state, tile, &kept);
        for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
            cleared.words[w] = left.words[w] & ~kept.words[w];
        potential = cleared;
        if (!keep_potential(decider, i, tile, &potential))
            return false;
        for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++) {
            out->words[w] |= potential.words[w];
            hopeless.words[w] |= cleared.words[w] & ~potential.words[w];
        }
        left = all ? left : kept;
    }
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        out->words[w] &= ~hopeless.words[w];
    return true;
}

/* On slots with nominated pods, the refusal with these pods there counts, if there is one. */
static berth_status heed_nominated(berth__decider *decider, uint32_t tile, const berth__mask *slots)
{
    BERTH__MASK_EACH(slots, s)
    {
        berth__kept_verdict kept;
        BERTH_TRY(berth__dry_run_kept(&decider->dry_run, tile * BERTH__TILE + s, &kept));
        if (kept != BERTH__KEPT_PLAIN)
            berth__bit_put(decider->potential[tile].words, s, kept == BERTH__KEPT_UNSCHEDULABLE);
    }
    return BERTH_OK;
}

/* Nodes that an extender refused, but not as unresolvable, are potential ones, too. */
static uint32_t add_refused(berth__decider *decider)
{
    const berth__extended *extended = &decider->attempt.extended;
    for (uint32_t i = 0; i < extended->refused_count; i++) {
        const uint32_t slot = extended->refused[i];
        berth__bit_set(decider->potential[slot / BERTH__TILE].words, slot % BERTH__TILE);
    }
    return extended->refused_count;
}

/* Keep only the slots of a tile that the walk has visited. If extenders refused all nodes that were
 * found, the walk may have stopped before visiting every node. */
static void leave_visited(const berth__search *search, uint32_t tile, berth__mask *slots)
{
    const uint32_t tiles = search->decision.cycle->view->layout->tile_count;
    const uint32_t first = (tile + tiles - search->range.start / BERTH__TILE) % tiles;
    berth__mask visited = berth__mask_range(0, 0);
    for (uint32_t segment = first; segment < search->answer.used_segments; segment += tiles)
        for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
            visited.words[w] |= search->walk.visited[segment].words[w];
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        slots->words[w] &= visited.words[w];
}

static berth_status find_potential(berth__decider *decider, uint32_t *count)
{
    const berth__attempt *attempt = &decider->attempt;
    const berth__layout *layout = attempt->cycle.view->layout;
    const uint64_t *allowed = attempt->decision.prepared->verdict.allowed;
    bool kept = decider->cluster->nominations.awake_count > 0;
    *count = 0;
    for (uint32_t tile = 0; tile < layout->tile_count; tile++) {
        uint32_t end = layout->count - tile * BERTH__TILE;
        berth__mask slots = berth__mask_range(0, end < BERTH__TILE ? end : BERTH__TILE);
        for (uint32_t w = 0; allowed != NULL && w < BERTH__TILE_WORDS; w++)
            slots.words[w] &= allowed[(size_t)tile * BERTH__TILE_WORDS + w];
        berth__layout_leave_closed(layout, tile, &slots);
        if (attempt->extended.lost_nodes && decider->search.answer.cut_short)
            leave_visited(&decider->search, tile, &slots);
        if (!find_in_tile(decider, tile, slots, &decider->potential[tile]))
            return BERTH_E_NOMEM;
        if (kept)
            BERTH_TRY(heed_nominated(decider, tile, &slots));
        *count += berth__mask_count(&decider->potential[tile]);
    }
    *count += add_refused(decider); /* they passed every filter */
    return BERTH_OK;
}

/* ---- eligibility ---- */

static bool is_potential(const berth__decider *decider, uint32_t slot)
{
    return berth__bit_get(decider->potential[slot / BERTH__TILE].words, slot % BERTH__TILE);
}

static bool is_leaving_for(const berth__attempt *attempt, const berth__pod_record *pod,
                           int32_t priority)
{
    if (pod->priority >= priority)
        return false;
    return pod->evicting ||
           (pod->cls->deleting && (!behaviours_of(attempt)->samples_candidates || pod->disrupted));
}

/* Whether the pod's earlier victims are still leaving its nominated node. A node with a permanent
 * refusal does not count, except in v1.15. */
static bool must_wait(const berth__decider *decider)
{
    const berth__cluster *cluster = decider->cluster;
    const berth__attempt *attempt = &decider->attempt;
    uint32_t slot = decider->dry_run.own_slot;
    int32_t priority = decider->dry_run.priority;
    if (slot == BERTH__SLOT_NONE ||
        (behaviours_of(attempt)->samples_candidates && !is_potential(decider, slot)))
        return false;
    uint32_t index = berth__view_node(&cluster->view, slot)->first_pod;
    for (; index != BERTH_POD_INDEX_NONE; index = berth__pod_at(&cluster->pods, index)->next)
        if (is_leaving_for(attempt, berth__pod_at(&cluster->pods, index), priority))
            return true;
    return false;
}

/* The reason why the pod may not preempt; absent if it may. */
static berth_str ineligible(const berth__decider *decider)
{
    const berth__attempt *attempt = &decider->attempt;
    if (!attempt->cycle.cls->preempts && behaviours_of(attempt)->preemption_policies)
        return NEVER;
    return must_wait(decider) ? TERMINATING : (berth_str){0};
}

/* ---- candidates ---- */

/* The trials of one preemption. */
typedef struct trials {
    berth__decider *decider;
    uint32_t wanted;    /* stop after this many candidates, */
    uint32_t violating; /* if at least one is not violating */
    uint32_t found;
    bool failed; /* a trial ended with an error */
    uint32_t best_slot;
    berth__candidate best;
    uint32_t *slots;     /* of all candidates, for extenders; NULL: none takes part */
    berth__arena *arena; /* receives reasons; NULL: not requested */
    berth__preemption_trials why;
} trials;

static uint32_t wanted_candidates(const berth__attempt *attempt, uint32_t potential_count)
{
    const berth_preemption_args *args = &attempt->decision.profile->preemption;
    uint64_t wanted =
        (uint64_t)potential_count * (uint64_t)args->min_candidate_nodes_percentage / 100;
    uint64_t least = (uint64_t)args->min_candidate_nodes_absolute;
    wanted = wanted > least ? wanted : least;
    return wanted > potential_count || !behaviours_of(attempt)->samples_candidates
               ? potential_count
               : (uint32_t)wanted;
}

/* The rank among equals: the node for which the pod is nominated comes first, then search order. */
static uint32_t rank(const berth__decider *decider, uint32_t slot)
{
    uint32_t count = decider->attempt.cycle.view->layout->count;
    uint32_t start = decider->attempt.start % count;
    if (slot == decider->dry_run.own_slot)
        return 0;
    return 1 + (slot >= start ? slot - start : slot + count - start);
}

static void keep_better(trials *own, uint32_t slot, const berth__candidate *candidate)
{
    int order = own->found == 0 ? -1 : berth__candidate_compare(candidate, &own->best);
    if (own->slots != NULL)
        own->slots[own->found] = slot;
    own->found++;
    own->violating += candidate->violations > 0;
    if (order > 0 || (order == 0 && rank(own->decider, slot) > rank(own->decider, own->best_slot)))
        return;
    own->best = *candidate;
    own->best_slot = slot;
}

/* A trial that needs no victims fails: the pod was refused for another reason, such as an extender.
 * Source: kube-scheduler v1.32, framework/preemption, DryRunPreemption. */
static bool check_needed(const berth__decider *decider, uint32_t slot, berth__candidate *candidate,
                         berth__reasons *reasons)
{
    const berth__node_record *node = berth__view_node(&decider->cluster->view, slot);
    const berth_str name = berth__text(decider->cluster->model, node->name);
    if (candidate->state != BERTH__TRIED_FITS || candidate->victim_count > 0 ||
        !behaviours_of(&decider->attempt)->samples_candidates)
        return true;
    candidate->state = BERTH__TRIED_FAILED;
    if (reasons == NULL)
        return true;
    berth__reason(reasons, BERTH_CODE_UNSCHEDULABLE,
                  "expected at least one victim pod on node \"%.*s\"", (int)name.len, name.data);
    reasons->failed = true;
    return reasons->ok;
}

/* Try one slot. A remembered result replaces the dry run, unless reasons are requested. */
static berth_status try_slot(trials *own, uint32_t slot)
{
    berth__decider *decider = own->decider;
    bool remembers = berth__dry_run_remembers(&decider->dry_run, slot);
    berth__candidate candidate = {.state = BERTH__TRIED_NOT};
    if (remembers)
        candidate = decider->dry_run.memo->candidates[slot];
    if (candidate.state == BERTH__TRIED_NOT ||
        (candidate.state != BERTH__TRIED_FITS && own->arena != NULL)) {
        berth__reasons reasons = {.arena = own->arena, .ok = true};
        BERTH_TRY(berth__victims_select(&decider->victims, &decider->dry_run, slot, &candidate,
                                        own->arena != NULL ? &reasons : NULL));
        if (!check_needed(decider, slot, &candidate, own->arena != NULL ? &reasons : NULL))
            return BERTH_E_NOMEM;
        berth__histogram *to = reasons.failed ? &own->why.errors : &own->why.reasons;
        for (uint32_t i = 0; i < reasons.count; i++)
            reasons.ok &= berth__histogram_add(to, reasons.items[i], 1);
        if (!reasons.ok)
            return BERTH_E_NOMEM;
        if (remembers)
            decider->dry_run.memo->candidates[slot] = candidate;
    }
    own->failed |= candidate.state == BERTH__TRIED_FAILED;
    if (candidate.state == BERTH__TRIED_FITS)
        keep_better(own, slot, &candidate);
    return BERTH_OK;
}

static bool has_enough(const trials *own)
{
    return own->found >= own->wanted && own->found > own->violating;
}

/* Try the slots of one tile from `from` on. `*left` potential slots are still to try. */
static berth_status try_tile(trials *own, uint32_t tile, uint32_t from, uint32_t *left)
{
    berth__mask slots = own->decider->potential[tile];
    const berth__mask begin = berth__mask_range(from, BERTH__TILE);
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        slots.words[w] &= begin.words[w];
    BERTH__MASK_EACH(&slots, s)
    {
        if (*left == 0 || has_enough(own))
            return BERTH_OK;
        (*left)--;
        BERTH_TRY(try_slot(own, tile * BERTH__TILE + s));
    }
    return BERTH_OK;
}

/* The n-th (from 0) potential slot. */
static uint32_t nth_potential(const berth__decider *decider, uint32_t n)
{
    uint32_t tile = 0, count;
    for (; n >= (count = berth__mask_count(&decider->potential[tile])); tile++)
        n -= count;
    const berth__mask *mask = &decider->potential[tile];
    uint32_t low = (uint32_t)__builtin_popcountll(mask->words[0]);
    uint32_t at =
        n < low ? berth__nth_bit(mask->words[0], n) : 64 + berth__nth_bit(mask->words[1], n - low);
    return tile * BERTH__TILE + at;
}

static berth_status try_nodes(trials *own)
{
    berth__decider *decider = own->decider;
    const berth__layout *layout = decider->attempt.cycle.view->layout;
    uint32_t left = own->why.potential_count, from = 0;
    if (own->wanted < own->why.potential_count)
        from =
            nth_potential(decider, berth__random_below(&decider->random, own->why.potential_count));
    BERTH_TRY(try_tile(own, from / BERTH__TILE, from % BERTH__TILE, &left));
    for (uint32_t i = 1; i <= layout->tile_count && left > 0 && !has_enough(own); i++)
        BERTH_TRY(try_tile(own, (from / BERTH__TILE + i) % layout->tile_count, 0, &left));
    return BERTH_OK;
}

/* ---- the whole preemption ---- */

static bool reserve_potential(berth__decider *decider)
{
    uint32_t tile_count = decider->attempt.cycle.view->layout->tile_count;
    if (!berth__grow(decider->cluster->model->allocator, &decider->potential,
                     &decider->potential_capacity, tile_count, sizeof(*decider->potential)))
        return false;
    memset(decider->potential, 0, tile_count * sizeof(*decider->potential));
    return true;
}

/* Whether a victim is terminating already and need not be evicted. */
static bool is_leaving(const berth__decider *decider, uint32_t pod)
{
    return behaviours_of(&decider->attempt)->spares_leaving_victims &&
           berth__pod_at(&decider->cluster->pods, pod)->cls->deleting;
}

/* Find the victims on a candidate's node by repeating its dry run. */
static berth_status repeat_trial(const trials *own, uint32_t slot, berth__candidate *again)
{
    berth__decider *decider = own->decider;
    BERTH_TRY(berth__victims_select(&decider->victims, &decider->dry_run, slot, again, NULL));
    BERTH_ASSERT(again->state == BERTH__TRIED_FITS);
    return BERTH_OK;
}

/* The victims of the last trial, by pod index; `out` has room for all of them. */
static void copy_victims(const berth__victims *victims, uint32_t *out)
{
    for (uint32_t i = 0; i < victims->lower_count; i++)
        for (uint32_t k = 0; !victims->lower[i].stays && k < berth__lower_count(&victims->lower[i]);
             k++)
            *out++ = berth__lower_at(&victims->lower[i], k);
}

static berth_status reserve_chosen(berth__decider *decider, uint32_t count)
{
    return berth__grow(decider->cluster->model->allocator, &decider->chosen,
                       &decider->chosen_capacity, count, sizeof(uint32_t))
               ? BERTH_OK
               : BERTH_E_NOMEM;
}

static bool is_among(const uint32_t *pods, uint32_t count, uint32_t pod)
{
    for (uint32_t i = 0; i < count; i++)
        if (pods[i] == pod)
            return true;
    return false;
}

/* Drop from the chosen victims the pods that are terminating already, and those that an extender
 * has named twice. */
static void name_chosen(berth__decider *decider, uint32_t count, uint32_t node,
                        berth__preemption *out)
{
    for (uint32_t i = 0; i < count; i++)
        if (!is_leaving(decider, decider->chosen[i]) &&
            !is_among(decider->chosen, out->victim_count, decider->chosen[i]))
            decider->chosen[out->victim_count++] = decider->chosen[i];
    out->victims = decider->chosen;
    out->node = node;
}

static berth_status name_victims(const trials *own, berth__preemption *out)
{
    berth__decider *decider = own->decider;
    berth__candidate again;
    BERTH_TRY(repeat_trial(own, own->best_slot, &again));
    BERTH_ASSERT(again.victim_count == own->best.victim_count);
    BERTH_TRY(reserve_chosen(decider, again.victim_count));
    copy_victims(&decider->victims, decider->chosen);
    name_chosen(decider, again.victim_count,
                decider->attempt.cycle.view->layout->nodes[own->best_slot], out);
    return BERTH_OK;
}

/* ---- extenders ---- */

/* List a candidate for the extenders. */
static berth_status describe_candidate(const trials *own, uint32_t slot,
                                       berth_extender_victims *out)
{
    berth__decider *decider = own->decider;
    berth__candidate again;
    BERTH_TRY(repeat_trial(own, slot, &again));
    BERTH_TRY(reserve_chosen(decider, again.victim_count));
    copy_victims(&decider->victims, decider->chosen);
    berth_pod_id *pods = berth__arena_alloc(&decider->arena, again.victim_count * sizeof(*pods), 8);
    for (uint32_t i = 0; pods != NULL && i < again.victim_count; i++)
        pods[i] = berth__cluster_pod_id(decider->cluster, decider->chosen[i]);
    *out = (berth_extender_victims){.node = decider->attempt.cycle.view->layout->nodes[slot],
                                    .pod_count = again.victim_count,
                                    .pods = pods,
                                    .budget_violations = again.violations};
    return pods != NULL ? BERTH_OK : BERTH_E_NOMEM;
}

static uint32_t violations_of(const berth_extender_victims *victims)
{
    const int64_t count = victims->budget_violations;
    return count < 0 ? 0 : count > UINT32_MAX ? UINT32_MAX : (uint32_t)count;
}

/* Replace the candidates by those that the extenders left, and find the best one again. */
static berth_status choose_extended(trials *own, const berth_extender_victims *left, uint32_t count,
                                    berth__preemption *out)
{
    berth__decider *decider = own->decider;
    const berth__cluster *cluster = decider->cluster;
    const berth_extender_victims *best = NULL;
    own->found = own->violating = 0;
    own->slots = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t slot =
            berth__view_slot_of(&cluster->view, berth__cluster_node(cluster, left[i].node)->name);
        berth__candidate candidate = {.state = BERTH__TRIED_FITS,
                                      .violations = violations_of(&left[i])};
        if (slot == BERTH__SLOT_NONE)
            continue;
        BERTH_TRY(reserve_chosen(decider, left[i].pod_count));
        for (uint32_t k = 0; k < left[i].pod_count; k++)
            decider->chosen[k] = berth__cluster_pod(cluster, left[i].pods[k]);
        berth__candidate_weigh(&cluster->pods, decider->chosen, left[i].pod_count, &candidate);
        keep_better(own, slot, &candidate);
        if (own->best_slot == slot)
            best = &left[i];
    }
    if (best == NULL)
        return BERTH_OK;
    for (uint32_t k = 0; k < best->pod_count; k++)
        decider->chosen[k] = berth__cluster_pod(cluster, best->pods[k]);
    name_chosen(decider, best->pod_count, best->node, out);
    return BERTH_OK;
}

/* Let the extenders choose among the candidates. If they fail, or leave none, nothing is nominated,
 * and nominations stay as they are. */
static berth_status ask_extenders(trials *own, berth_explanation *explanation,
                                  berth__preemption *out)
{
    berth__decider *decider = own->decider;
    berth__extended *extended = &decider->attempt.extended;
    uint32_t count = own->found;
    berth_extender_victims *all =
        berth__arena_alloc(&decider->arena, count * sizeof(*all), _Alignof(berth_extender_victims));
    if (all == NULL)
        return BERTH_E_NOMEM;
    for (uint32_t i = 0; i < count; i++)
        BERTH_TRY(describe_candidate(own, own->slots[i], &all[i]));
    const berth_extender_victims *left = all;
    extended->failure = (berth_str){0};
    BERTH_TRY(berth__extended_preempt(extended, &left, &count));
    out->outcome = BERTH__PREEMPTION_FAILED;
    if (extended->failure.data != NULL)
        return explanation != NULL ? berth__preemption_say_alone(explanation, extended->failure)
                                   : BERTH_OK;
    BERTH_TRY(choose_extended(own, left, count, out));
    if (own->found == 0)
        return explanation != NULL
                   ? berth__preemption_say(&decider->attempt, explanation, NO_CANDIDATE)
                   : BERTH_OK;
    out->outcome = BERTH__PREEMPTION_NOMINATED;
    return explanation != NULL
               ? berth__preemption_say_choice(decider, explanation, out, own->best.victim_count)
               : BERTH_OK;
}

/* Whether an extender takes part in preemption for the pod. */
static bool is_extended(const berth__decider *decider)
{
    return decider->attempt.extended.extenders != NULL &&
           berth__extenders_preempt(decider->extenders, decider->cluster->model,
                                    decider->attempt.cycle.cls);
}

static berth_status choose_node(trials *own, berth_explanation *explanation, berth__preemption *out)
{
    berth__decider *decider = own->decider;
    BERTH_TRY(berth__victims_begin(&decider->victims, &decider->cluster->view,
                                   &decider->cluster->pods,
                                   behaviours_of(&decider->attempt)->pod_groups));
    if (is_extended(decider)) {
        own->slots =
            berth__arena_alloc(&decider->arena, own->why.potential_count * sizeof(*own->slots), 8);
        if (own->slots == NULL)
            return BERTH_E_NOMEM;
    }
    BERTH_TRY(try_nodes(own));
    if (own->found > 0 && own->slots != NULL)
        return ask_extenders(own, explanation, out);
    if (own->found > 0) {
        out->outcome = BERTH__PREEMPTION_NOMINATED;
        BERTH_TRY(name_victims(own, out));
        return explanation != NULL
                   ? berth__preemption_say_choice(decider, explanation, out, own->best.victim_count)
                   : BERTH_OK;
    }
    out->outcome = own->failed ? BERTH__PREEMPTION_FAILED : BERTH__PREEMPTION_HOPELESS;
    return explanation != NULL && behaviours_of(&decider->attempt)->explains_preemption
               ? berth__preemption_say_hopeless(&decider->attempt, explanation, &own->why)
               : BERTH_OK;
}

static berth_status preempt(berth__decider *decider, berth_explanation *explanation,
                            berth__preemption *out)
{
    const berth__attempt *attempt = &decider->attempt;
    trials own = {.decider = decider};
    if (!reserve_potential(decider))
        return BERTH_E_NOMEM;
    BERTH_TRY(berth__dry_run_ask(&decider->dry_run, &attempt->decision));
    if (!attempt->refused)
        BERTH_TRY(find_potential(decider, &own.why.potential_count));
    berth_str words = ineligible(decider);
    if (words.data != NULL) {
        out->outcome = BERTH__PREEMPTION_INELIGIBLE;
        return explanation != NULL && behaviours_of(attempt)->explains_preemption
                   ? berth__preemption_say(attempt, explanation, words)
                   : BERTH_OK;
    }
    own.wanted = wanted_candidates(attempt, own.why.potential_count);
    if (explanation != NULL && behaviours_of(attempt)->explains_preemption) {
        own.arena = &explanation->arena;
        berth__histogram_init(&own.why.reasons, own.arena);
        berth__histogram_init(&own.why.errors, own.arena);
    }
    return choose_node(&own, explanation, out);
}

bool berth__attempt_misses_claims(const berth__attempt *attempt)
{
    const berth__ready_profile *profile = attempt->decision.profile;
    if (!profile->post.deallocates)
        return false;
    bool misses = !profile->sees_claims;
    for (uint32_t i = 0; attempt->refused && i < profile->filter_stages; i++)
        if (&attempt->decision.prepared->filters[i].reasons ==
            attempt->decision.prepared->verdict.why)
            misses |= attempt->decision.prepared->verdict.why->code == BERTH_CODE_UNRESOLVABLE &&
                      profile->filters[i].before_claims;
    return misses;
}

/* Run postFilter without preemption. */
static berth_status go_without(const berth__attempt *attempt, berth_explanation *explanation,
                               berth__preemption *out)
{
    const berth__ready_profile *profile = attempt->decision.profile;
    if (profile->gives_up && behaviours_of(attempt)->forgets_nominations)
        out->outcome = BERTH__PREEMPTION_HOPELESS;
    if (!profile->post.deallocates || explanation == NULL)
        return BERTH_OK;
    const berth_str claims = berth__preemption_about_claims(attempt, explanation);
    if (claims.data == NULL)
        return BERTH_E_NOMEM;
    return claims.len > 0 ? berth__preemption_append(explanation, &claims, 1) : BERTH_OK;
}

/* If DynamicResources runs before preemption, store its message about the decision without
 * preemption. */
static berth_status hear_claims_first(const berth__attempt *attempt, berth_explanation *explanation)
{
    const berth__ready_profile *profile = attempt->decision.profile;
    if (!profile->post.deallocates || profile->post.deallocates_last)
        return BERTH_OK;
    explanation->about_claims = berth__preemption_about_claims(attempt, explanation);
    return explanation->about_claims.data != NULL ? BERTH_OK : BERTH_E_NOMEM;
}

berth_status berth__preempt(berth__decider *decider, berth_explanation *explanation,
                            berth__preemption *out)
{
    const berth__attempt *attempt = &decider->attempt;
    *out = (berth__preemption){.outcome = BERTH__PREEMPTION_OFF, .node = BERTH_NODE_NONE};
    if (attempt->decision.prepared == NULL)
        return BERTH_OK;
    if (explanation != NULL)
        BERTH_TRY(berth__preemption_say_attempt(decider, explanation));
    if (attempt->search_only)
        return BERTH_OK;
    if (berth__attempt_misses_claims(attempt))
        return explanation != NULL ? berth__preemption_append(explanation, &NOT_FOUND, 1)
                                   : BERTH_OK;
    if (!attempt->decision.profile->post.preempts)
        return go_without(attempt, explanation, out);
    if (explanation != NULL)
        BERTH_TRY(hear_claims_first(attempt, explanation));
    struct berth__pod_counts *counts = decider->cluster->view.counts;
    bool held = berth__pod_counts_hold(counts, true);
    berth_status status = preempt(decider, explanation, out);
    berth__pod_counts_hold(counts, held);
    return status;
}
