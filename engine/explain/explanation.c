/* The record of one decision (berth_explanation): the decision fills it, its caller reads it. */
#include "explain/explanation.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/error.h"
#include "base/sized.h"
#include "base/text.h"
#include "explain/message.h"

berth_status berth_explanation_create(const berth_allocator *allocator, berth_explanation **out,
                                      berth_error *error)
{
    *out = NULL;
    if (allocator == NULL)
        allocator = berth__allocator_default();
    berth_explanation *explanation =
        berth__alloc_zero(allocator, sizeof(*explanation), _Alignof(berth_explanation));
    if (explanation == NULL)
        return berth__error_no_memory(error);
    berth__arena_init(&explanation->arena, allocator);
    explanation->nominated = BERTH_NODE_NONE;
    *out = explanation;
    return BERTH_OK;
}

void berth_explanation_destroy(berth_explanation *explanation)
{
    if (explanation == NULL)
        return;
    const berth_allocator *allocator = explanation->arena.allocator;
    berth__free(allocator, explanation->feasible,
                explanation->feasible_capacity * sizeof(*explanation->feasible));
    berth__free(allocator, explanation->totals,
                explanation->total_capacity * sizeof(*explanation->totals));
    berth__free(allocator, explanation->scorers,
                explanation->scorer_capacity * sizeof(*explanation->scorers));
    berth__free(allocator, explanation->scores,
                explanation->score_capacity * sizeof(*explanation->scores));
    berth__free(allocator, explanation->refused,
                explanation->refused_capacity * sizeof(*explanation->refused));
    berth__free(allocator, explanation->reasons,
                explanation->reason_capacity * sizeof(*explanation->reasons));
    berth__free(allocator, explanation->victims,
                explanation->victim_capacity * sizeof(*explanation->victims));
    berth__arena_destroy(&explanation->arena);
    berth__free(allocator, explanation, sizeof(*explanation));
}

void berth__explanation_reset(berth_explanation *explanation)
{
    berth__arena_reset(&explanation->arena);
    explanation->feasible_count = explanation->scorer_count = explanation->score_count = 0;
    explanation->refused_count = explanation->reason_count = explanation->victim_count = 0;
    explanation->pre_filter = explanation->message = (berth_str){0};
    explanation->about_claims = explanation->freed_namespace = explanation->freed_claim =
        (berth_str){0};
    explanation->nominated = BERTH_NODE_NONE;
}

/* ---- filling ---- */

static bool add_reasons(berth_explanation *explanation, const berth__reasons *reasons)
{
    if (!reasons->ok ||
        !berth__grow(explanation->arena.allocator, &explanation->reasons,
                     &explanation->reason_capacity, explanation->reason_count + reasons->count,
                     sizeof(*explanation->reasons)))
        return false;
    bool ok = true;
    for (uint32_t i = 0; i < reasons->count; i++)
        explanation->reasons[explanation->reason_count++] =
            berth__arena_str(&explanation->arena, reasons->items[i], &ok);
    return ok;
}

berth_status berth__explanation_refuse(berth_explanation *explanation,
                                       const berth__reasons *reasons)
{
    berth_str joined = berth__message_join(&explanation->arena, reasons->items, reasons->count);
    if (joined.data == NULL)
        return BERTH_E_NOMEM;
    explanation->pre_filter = joined;
    explanation->pre_filter_code = reasons->code;
    return BERTH_OK;
}

static bool add_feasible(berth_explanation *explanation, berth_node_id node)
{
    const berth_allocator *allocator = explanation->arena.allocator;
    uint32_t need = explanation->feasible_count + 1;
    if (!berth__grow(allocator, &explanation->feasible, &explanation->feasible_capacity, need,
                     sizeof(*explanation->feasible)) ||
        !berth__grow(allocator, &explanation->totals, &explanation->total_capacity, need,
                     sizeof(*explanation->totals)))
        return false;
    explanation->totals[explanation->feasible_count] = 0;
    explanation->feasible[explanation->feasible_count++] = node;
    return true;
}

static bool add_refused(berth_explanation *explanation, berth_node_id node, berth_str plugin,
                        const berth__reasons *reasons)
{
    if (!berth__grow(explanation->arena.allocator, &explanation->refused,
                     &explanation->refused_capacity, explanation->refused_count + 1,
                     sizeof(*explanation->refused)))
        return false;
    explanation->refused[explanation->refused_count++] = (berth__refused_node){
        node, plugin, reasons->code, explanation->reason_count, reasons->count};
    return add_reasons(explanation, reasons);
}

/* Record why a filter cleared a slot. */
static bool explain_slot(berth_explanation *explanation, const berth__search *search,
                         uint32_t filter, uint32_t slot)
{
    const berth__stage *stage = &search->decision.profile->filters[filter];
    berth__reasons reasons = {.arena = &explanation->arena, .ok = true};
    stage->plugin->explain(search->decision.cycle, stage->instance,
                           search->decision.prepared->filters[filter].state, slot, &reasons);
    return add_refused(explanation, search->decision.cycle->view->layout->nodes[slot], stage->name,
                       &reasons);
}

/* Find the first filter that cleared each slot of a segment; 255 for slots that passed. */
static void find_refusers(const berth__search *search, uint32_t tile, const berth__mask *slots,
                          uint32_t *refusers)
{
    berth__mask left = *slots;
    for (uint32_t i = 0; i < search->decision.profile->filter_count; i++) {
        const berth__stage *stage = &search->decision.profile->filters[i];
        if (search->decision.prepared->filters[i].outcome != BERTH__ACTIVE)
            continue;
        berth__mask before = left;
        stage->plugin->filter(search->decision.cycle, stage->instance,
                              search->decision.prepared->filters[i].state, tile, &left);
        berth__mask cleared = {
            {before.words[0] & ~left.words[0], before.words[1] & ~left.words[1]}};
        BERTH__MASK_EACH(&cleared, s)
        {
            refusers[s] = i;
        }
    }
}

/* Predicates of v1.15 with always_check_all: record every filter that clears the slot by itself. */
static bool explain_all(berth_explanation *explanation, const berth__search *search, uint32_t tile,
                        uint32_t s)
{
    for (uint32_t i = 0; i < search->decision.profile->filter_count; i++) {
        const berth__stage *stage = &search->decision.profile->filters[i];
        berth__mask alone = berth__mask_range(s, s + 1);
        if (search->decision.prepared->filters[i].outcome != BERTH__ACTIVE)
            continue;
        stage->plugin->filter(search->decision.cycle, stage->instance,
                              search->decision.prepared->filters[i].state, tile, &alone);
        if (berth__mask_empty(&alone) &&
            !explain_slot(explanation, search, i, tile * BERTH__TILE + s))
            return false;
    }
    return true;
}

/* Record the refusal of a node with nominated pods: with these pods there, or else without them. */
static bool explain_kept(berth_explanation *explanation, const berth__search *search, uint32_t slot)
{
    berth__dry_run *dry_run = search->range.dry_run;
    uint32_t filter_count = search->decision.profile->filter_count;
    if (berth__dry_run_begin(dry_run, slot) != BERTH_OK)
        return false;
    berth__dry_run_put_nominated(dry_run);
    uint32_t refuser = berth__dry_run_refuser(dry_run, 0);
    bool with_them = refuser < filter_count, ok = true;
    if (!with_them) {
        berth__dry_run_take_nominated(dry_run);
        refuser = berth__dry_run_refuser(dry_run, 0);
    }
    while (ok && refuser < filter_count) {
        berth__reasons reasons = {.arena = &explanation->arena, .ok = true};
        berth__dry_run_explain(dry_run, refuser, &reasons);
        ok = add_refused(explanation, search->decision.cycle->view->layout->nodes[slot],
                         search->decision.profile->filters[refuser].name, &reasons);
        refuser = search->decision.profile->always_check_all
                      ? berth__dry_run_refuser(dry_run, refuser + 1)
                      : filter_count;
    }
    if (with_them)
        berth__dry_run_take_nominated(dry_run);
    return berth__dry_run_end(dry_run) == BERTH_OK && ok;
}

/* A closed node is reported like a cordoned node that nobody tolerates. */
static bool explain_closed(berth_explanation *explanation, const berth__search *search,
                           uint32_t slot)
{
    berth__reasons reasons = {.arena = &explanation->arena, .ok = true};
    berth__reason(&reasons, BERTH_CODE_UNRESOLVABLE, "node(s) were unschedulable");
    return add_refused(explanation, search->decision.cycle->view->layout->nodes[slot],
                       search->decision.profile->legacy ? BERTH_STR("CheckNodeUnschedulable")
                                                        : BERTH_STR("NodeUnschedulable"),
                       &reasons);
}

static bool explain_refusal(berth_explanation *explanation, const berth__search *search,
                            const uint32_t *refusers, uint32_t slot)
{
    if (slot == search->answer.refused_slot)
        return true; /* it was explained before */
    if (berth__layout_closed(search->decision.cycle->view->layout, slot))
        return explain_closed(explanation, search, slot);
    if (search->range.dry_run != NULL && berth__dry_run_concerns(search->range.dry_run, slot))
        return explain_kept(explanation, search, slot);
    uint32_t s = slot % BERTH__TILE;
    return search->decision.profile->always_check_all
               ? explain_all(explanation, search, slot / BERTH__TILE, s)
               : explain_slot(explanation, search, refusers[s], slot);
}

berth_status berth__explanation_walk(berth_explanation *explanation, const berth__search *search)
{
    uint32_t refusers[BERTH__TILE];
    uint32_t refused = search->answer.refused_slot;
    if (refused != BERTH__SLOT_NONE &&
        !(berth__layout_closed(search->decision.cycle->view->layout, refused)
              ? explain_closed(explanation, search, refused)
              : explain_kept(explanation, search, refused)))
        return BERTH_E_NOMEM;
    for (uint32_t segment = 0; segment < search->answer.used_segments; segment++) {
        berth__mask slots;
        uint32_t tile = berth__search_segment(search, segment, &slots);
        const berth__mask *visited = &search->walk.visited[segment],
                          *found = &search->walk.found[segment];
        find_refusers(search, tile, visited, refusers);
        BERTH__MASK_EACH(visited, s)
        {
            uint32_t slot = tile * BERTH__TILE + s;
            bool ok =
                berth__bit_get(found->words, s)
                    ? add_feasible(explanation, search->decision.cycle->view->layout->nodes[slot])
                    : explain_refusal(explanation, search, refusers, slot);
            if (!ok)
                return BERTH_E_NOMEM;
        }
    }
    return BERTH_OK;
}

/* Run the statement for each feasible slot in search order; `at` counts them. */
#define EACH_FEASIBLE(search, tile, s, at)                                                     \
    for (uint32_t segment_ = 0, at = 0; segment_ < (search)->answer.used_segments; segment_++) \
        for (uint32_t tile = ((search)->range.start / BERTH__TILE + segment_) %                \
                             (search)->decision.cycle->view->layout->tile_count,               \
                      run_ = 1;                                                                \
             run_ != 0; run_ = 0)                                                              \
    BERTH__MASK_EACH(&(search)->walk.found[segment_], s)

/* Add a scorer. Returns its entries, one for each feasible node, or NULL when out of memory. */
static berth__explained_score *begin_scorer(berth_explanation *explanation, berth_str name,
                                            int64_t weight)
{
    const berth_allocator *allocator = explanation->arena.allocator;
    if (!berth__grow(allocator, &explanation->scorers, &explanation->scorer_capacity,
                     explanation->scorer_count + 1, sizeof(*explanation->scorers)) ||
        !berth__grow(allocator, &explanation->scores, &explanation->score_capacity,
                     explanation->score_count + explanation->feasible_count,
                     sizeof(*explanation->scores)))
        return NULL;
    explanation->scorers[explanation->scorer_count++] = (berth__explained_scorer){name, weight};
    berth__explained_score *scores = explanation->scores + explanation->score_count;
    explanation->score_count += explanation->feasible_count;
    return scores;
}

static berth_status add_scorer(berth_explanation *explanation, const berth__search *search,
                               uint32_t scorer)
{
    const berth__stage *stage = &search->decision.profile->scorers[scorer];
    berth__explained_score *scores = begin_scorer(explanation, stage->name, stage->weight);
    if (scores == NULL)
        return BERTH_E_NOMEM;
    _Alignas(64) int64_t values[BERTH__TILE], raw[BERTH__TILE];
    uint32_t cached = UINT32_MAX;
    EACH_FEASIBLE(search, tile, s, at)
    {
        if (cached != tile) {
            berth__search_scorer_values(search, scorer, tile, values, raw);
            cached = tile;
        }
        scores[at++] = (berth__explained_score){values[s], raw[s]};
    }
    return BERTH_OK;
}

berth_status berth__explanation_scores(berth_explanation *explanation, const berth__search *search)
{
    for (uint32_t i = 0; i < search->decision.profile->scorer_count; i++) {
        berth__outcome outcome = search->scores.ranked[i].outcome;
        if (outcome != BERTH__ACTIVE && outcome != BERTH__UNIFORM)
            continue;
        berth_status status = add_scorer(explanation, search, i);
        if (status != BERTH_OK)
            return status;
    }
    EACH_FEASIBLE(search, tile, s, at)
    {
        explanation->totals[at++] = berth__search_total(search, tile * BERTH__TILE + s);
    }
    return BERTH_OK;
}

berth_status berth__explanation_add_refusal(berth_explanation *explanation, berth_node_id node,
                                            berth_str extender, berth_extender_verdict verdict,
                                            berth_str reason)
{
    berth__reasons given = {.arena = &explanation->arena, .ok = true};
    const bool for_good = verdict == BERTH_EXTENDER_REFUSES_FOR_GOOD;
    berth__reason(&given, for_good ? BERTH_CODE_UNRESOLVABLE : BERTH_CODE_UNSCHEDULABLE, "%.*s",
                  (int)reason.len, reason.len > 0 ? reason.data : "");
    return add_refused(explanation, node, extender, &given) ? BERTH_OK : BERTH_E_NOMEM;
}

berth_status berth__explanation_extend(berth_explanation *explanation, berth_str extender,
                                       const berth_extender_verdict *verdicts,
                                       const berth_str *reasons)
{
    const uint32_t count = explanation->feasible_count;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        const berth_node_id node = explanation->feasible[i];
        if (verdicts[i] == BERTH_EXTENDER_KEEPS)
            explanation->feasible[kept++] = node;
        else if (verdicts[i] != BERTH_EXTENDER_LEAVES_OUT)
            BERTH_TRY(berth__explanation_add_refusal(explanation, node, extender, verdicts[i],
                                                     reasons[i]));
    }
    explanation->feasible_count = kept;
    return BERTH_OK;
}

berth_status berth__explanation_add_extender(berth_explanation *explanation, berth_str extender,
                                             int64_t weight, const int64_t *scores)
{
    berth__explained_score *out = begin_scorer(explanation, extender, weight);
    if (out == NULL)
        return BERTH_E_NOMEM;
    for (uint32_t i = 0; i < explanation->feasible_count; i++) {
        out[i] =
            (berth__explained_score){(int64_t)((uint64_t)scores[i] * (uint64_t)weight), scores[i]};
        explanation->totals[i] =
            (int64_t)((uint64_t)explanation->totals[i] + (uint64_t)out[i].weighted);
    }
    return BERTH_OK;
}

berth_status berth__explanation_write_message(berth_explanation *explanation, uint32_t node_count,
                                              const berth_str *absent)
{
    berth__histogram histogram;
    berth__histogram_init(&histogram, &explanation->arena);
    bool ok = true;
    uint32_t explicit_count = 0;
    for (uint32_t i = 0; i < explanation->refused_count; i++) {
        const berth__refused_node *refused = &explanation->refused[i];
        explicit_count += i == 0 || refused[-1].node != refused->node;
        for (uint32_t r = 0; r < refused->reason_count; r++)
            ok &= berth__histogram_add(&histogram, explanation->reasons[refused->first_reason + r],
                                       1);
    }
    if (absent != NULL && explicit_count < node_count)
        ok &= berth__histogram_add(&histogram, *absent, node_count - explicit_count);
    berth_str text = berth__message_unschedulable(&explanation->arena, node_count,
                                                  explanation->pre_filter, &histogram);
    explanation->message = text;
    return ok && text.data != NULL ? BERTH_OK : BERTH_E_NOMEM;
}

/* ---- reading ---- */

uint32_t berth_explanation_feasible_count(const berth_explanation *explanation)
{
    return explanation->feasible_count;
}

berth_node_id berth_explanation_feasible(const berth_explanation *explanation, uint32_t i,
                                         int64_t *total)
{
    if (i >= explanation->feasible_count)
        return BERTH_NODE_NONE;
    if (total != NULL)
        *total = explanation->totals[i];
    return explanation->feasible[i];
}

uint32_t berth_explanation_score_count(const berth_explanation *explanation)
{
    return explanation->scorer_count;
}

berth_str berth_explanation_score_plugin(const berth_explanation *explanation, uint32_t p)
{
    return p < explanation->scorer_count ? explanation->scorers[p].name : (berth_str){0};
}

int64_t berth_explanation_score_weight(const berth_explanation *explanation, uint32_t p)
{
    return p < explanation->scorer_count ? explanation->scorers[p].weight : 0;
}

static const berth__explained_score *score_at(const berth_explanation *explanation, uint32_t p,
                                              uint32_t i)
{
    BERTH_ASSERT(p < explanation->scorer_count && i < explanation->feasible_count);
    return &explanation->scores[(size_t)p * explanation->feasible_count + i];
}

int64_t berth_explanation_score(const berth_explanation *explanation, uint32_t p, uint32_t i)
{
    return score_at(explanation, p, i)->weighted;
}

bool berth_explanation_raw_score(const berth_explanation *explanation, uint32_t p, uint32_t i,
                                 int64_t *raw)
{
    const berth__explained_score *score = score_at(explanation, p, i);
    if (score->raw == BERTH__SCORE_IGNORED)
        return false;
    *raw = score->raw;
    return true;
}

uint32_t berth_explanation_refusal_count(const berth_explanation *explanation)
{
    return explanation->refused_count;
}

void berth_explanation_refusal_sized(const berth_explanation *explanation, uint32_t i,
                                     berth_refusal *out, size_t size)
{
    berth_refusal own = {.node = BERTH_NODE_NONE};
    if (i < explanation->refused_count) {
        const berth__refused_node *refused = &explanation->refused[i];
        own = (berth_refusal){refused->node, refused->plugin, refused->code, refused->reason_count};
    }
    berth__sized_give(out, size, &own, sizeof(own));
}

berth_str berth_explanation_reason(const berth_explanation *explanation, uint32_t i, uint32_t r)
{
    if (i >= explanation->refused_count || r >= explanation->refused[i].reason_count)
        return (berth_str){0};
    return explanation->reasons[explanation->refused[i].first_reason + r];
}

/* Whether a refusal counts with those of `as`: same plugin, code and reason. */
static bool is_alike(const berth_reason_count *as, const berth__refused_node *refused,
                     berth_str reason)
{
    return as->code == refused->code && berth__str_eq(as->reason, reason) &&
           berth__str_eq(as->plugin, refused->plugin);
}

/* Whether no earlier refusal is equal; used if there was no memory to remember them. */
static bool is_first(const berth_explanation *explanation, const berth_reason_count *own,
                     const berth__refused_node *refused, uint32_t reason)
{
    for (const berth__refused_node *one = explanation->refused; one <= refused; one++) {
        uint32_t end = one < refused ? one->reason_count : reason;
        for (uint32_t r = 0; r < end; r++)
            if (is_alike(own, one, explanation->reasons[one->first_reason + r]))
                return false;
    }
    return true;
}

/* The i-th entry of a caller's array. Its entries have `size` bytes and begin with the members of
 * this library's first version. */
static berth_reason_count *entry_at(berth_reason_count *out, uint32_t i, size_t size)
{
    return (berth_reason_count *)(void *)((char *)out + (size_t)i * size);
}

uint32_t berth_explanation_reason_counts_sized(const berth_explanation *explanation,
                                               berth_reason_count *out, size_t size,
                                               uint32_t capacity)
{
    uint32_t count = 0, noted = 0;
    for (uint32_t i = 0; i < explanation->refused_count; i++) {
        const berth__refused_node *refused = &explanation->refused[i];
        for (uint32_t r = 0; r < refused->reason_count; r++) {
            const berth_reason_count own = {explanation->reasons[refused->first_reason + r],
                                            refused->plugin, refused->code, 1};
            uint32_t at = 0;
            while (at < noted && !is_alike(entry_at(out, at, size), refused, own.reason))
                at++;
            if (at < noted) {
                entry_at(out, at, size)->nodes++;
                continue;
            }
            count += noted < capacity || is_first(explanation, &own, refused, r);
            if (noted < capacity)
                berth__sized_give_at(out, noted++, size, &own, sizeof(own));
        }
    }
    return count;
}

berth_str berth_explanation_pre_filter(const berth_explanation *explanation)
{
    return explanation->pre_filter;
}

berth_str berth_explanation_message(const berth_explanation *explanation)
{
    return explanation->message;
}

static bool tell_freed(const berth_explanation *explanation, bool deleted,
                       berth_str *namespace_name, berth_str *name)
{
    bool has = explanation->freed_claim.len > 0 && explanation->deletes_freed == deleted;
    *namespace_name = has ? explanation->freed_namespace : (berth_str){0};
    *name = has ? explanation->freed_claim : (berth_str){0};
    return has;
}

bool berth_explanation_freed_claim(const berth_explanation *explanation, berth_str *namespace_name,
                                   berth_str *name)
{
    return tell_freed(explanation, false, namespace_name, name);
}

bool berth_explanation_deleted_claim(const berth_explanation *explanation,
                                     berth_str *namespace_name, berth_str *name)
{
    return tell_freed(explanation, true, namespace_name, name);
}

berth_node_id berth_explanation_nominated(const berth_explanation *explanation)
{
    return explanation->nominated;
}

uint32_t berth_explanation_victim_count(const berth_explanation *explanation)
{
    return explanation->victim_count;
}

berth_pod_id berth_explanation_victim(const berth_explanation *explanation, uint32_t i)
{
    return i < explanation->victim_count ? explanation->victims[i] : BERTH_POD_NONE;
}
