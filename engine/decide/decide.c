/* The decision for one pod, from top to bottom: the prepared state of its kind (question.c), the
 * nodes that fit (by index or by search), the choice among them, or the reasons if there is none.
 * The whole decision is at the end; binding follows in reserve.c.
 * Source: kube-scheduler v1.32, schedule_one.go, schedulePod. */
#include "decide/question.h"

#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "decide/preemption.h"
#include "explain/message.h"
#include "explain/node_errors.h"

/* The parts of one decision in progress. */
typedef struct pod_way {
    berth__decider *decider;
    berth__decision *decision;
    berth_explanation *explanation; /* NULL: not requested */
    berth_placement *out;
    berth_error *error; /* filled if a status is neither BERTH_OK nor BERTH_E_NOMEM */
} pod_way;

/* ---- answers before any node is visited ---- */

static berth_status refuse_with(berth_explanation *explanation, berth_str text)
{
    bool ok = true;
    if (explanation == NULL)
        return BERTH_OK;
    explanation->pre_filter = berth__arena_str(&explanation->arena, text, &ok);
    explanation->pre_filter_code = BERTH_CODE_UNRESOLVABLE;
    explanation->message = explanation->pre_filter;
    return ok ? BERTH_OK : BERTH_E_NOMEM;
}

static berth_status refuse_gated(const pod_way *way)
{
    berth__reasons reasons = {.arena = &way->decider->arena, .ok = true};
    berth__question_explain_gates(way->decision, &reasons);
    return reasons.ok ? refuse_with(way->explanation, reasons.items[0]) : BERTH_E_NOMEM;
}

/* Fail: an error of a plugin or on nodes ends the attempt, without preemption. */
static berth_status fail(const pod_way *way, const berth__reasons *reasons)
{
    berth_explanation *explanation = way->explanation;
    way->out->verdict = BERTH_VERDICT_ERROR;
    if (explanation == NULL)
        return BERTH_OK;
    explanation->message = berth__message_join(&explanation->arena, reasons->items, reasons->count);
    return explanation->message.data != NULL ? BERTH_OK : BERTH_E_NOMEM;
}

/* Fail with the error of one plugin at a point of the cycle; the framework's text names both. */
static berth_status fail_of(const pod_way *way, const char *point, const berth__stage *stage,
                            const berth__reasons *reasons)
{
    berth__arena *arena = &way->decider->arena;
    if (way->explanation == NULL || !way->decision->profile->behaviours->error_texts_name_plugins)
        return fail(way, reasons);
    berth_str text = berth__message_join(arena, reasons->items, reasons->count);
    berth__reasons named = {.arena = arena, .ok = text.data != NULL};
    if (named.ok)
        berth__reason_error(&named, point, stage->name, text);
    return named.ok ? fail(way, &named) : BERTH_E_NOMEM;
}

static berth_status explain_preemption(const pod_way *way)
{
    berth__preemption preemption;
    return way->explanation != NULL ? berth__preempt(way->decider, way->explanation, &preemption)
                                    : BERTH_OK;
}

static berth_status refuse_prepared(const pod_way *way)
{
    way->decider->attempt.refused = true;
    if (way->explanation != NULL)
        BERTH_TRY(
            berth__explanation_refuse(way->explanation, way->decision->prepared->verdict.why));
    return explain_preemption(way);
}

static berth_status fail_prepared(const pod_way *way)
{
    const berth__reasons *why = way->decision->prepared->verdict.why;
    const berth__stage *stage = berth__question_refuser(way->decision);
    way->decision->prepared = NULL; /* the attempt did not reach the filters */
    return fail_of(way, "PreFilter", stage, why);
}

static bool is_extended(const pod_way *way)
{
    return way->decider->attempt.extended.extenders != NULL;
}

/* ---- choosing ---- */

/* Choose among `count` equally good nodes: returns a number below `count`. */
static uint32_t choose(const pod_way *way, uint32_t count)
{
    berth__decider *decider = way->decider;
    switch (way->decision->profile->tie) {
    case BERTH_TIE_DEFAULT: /* resolved when the profile was compiled */
    case BERTH_TIE_FIRST:
    case BERTH_TIE_KUBERNETES: /* usually the first; otherwise see choose_by_search */
        break;
    case BERTH_TIE_RANDOM:
        return berth__random_below(&decider->random, count);
    case BERTH_TIE_ROUND_ROBIN:
        return decider->round_robin++ % count;
    }
    return 0;
}

/* Whether the choice needs heap order: not for a single best node, nor if all nodes are best. */
static bool in_heap_order(const pod_way *way, uint32_t best_count, uint32_t feasible_count)
{
    return way->decision->profile->tie == BERTH_TIE_KUBERNETES && best_count > 1 &&
           best_count < feasible_count;
}

/* Draw among the best nodes that extenders have scored; BERTH__SLOT_NONE: there are none. */
static uint32_t choose_scored(const pod_way *way)
{
    const berth__search *search = &way->decider->search;
    const berth__extended *extended = &way->decider->attempt.extended;
    uint32_t count = 0, chosen = BERTH__SLOT_NONE;
    for (uint32_t i = 0; i < search->scores.best_count && extended->scored != NULL; i++) {
        const uint32_t slot = berth__search_nth_best(search, i);
        if (!berth__bit_get(extended->scored, slot))
            continue;
        if (berth__random_below(&way->decider->random, ++count) == 0)
            chosen = slot;
    }
    return chosen;
}

static uint32_t choose_by_search(const pod_way *way)
{
    const berth__search *search = &way->decider->search;
    if (way->decision->profile->tie == BERTH_TIE_KUBERNETES) {
        const uint32_t scored = choose_scored(way);
        if (scored != BERTH__SLOT_NONE)
            return scored;
    }
    if (in_heap_order(way, search->scores.best_count, search->answer.feasible_count))
        return berth__search_heap_best(search);
    return berth__search_nth_best(search, choose(way, search->scores.best_count));
}

/* ---- by index ---- */

static uint32_t choose_by_index(const pod_way *way, const berth__index *index, uint32_t start,
                                const berth__index_answer *answer)
{
    const berth__tree_answer *slots = &answer->slots;
    if (in_heap_order(way, slots->best_count, slots->feasible_count))
        return berth__index_heap_best(index, start, answer);
    bool single = slots->feasible_count == 1;
    return berth__index_nth_best(index, start, answer, single ? 0 : choose(way, slots->best_count));
}

/* A single feasible node is taken without a score. */
static void pick_by_index(const pod_way *way, const berth__index *index, uint32_t start,
                          const berth__index_answer *answer)
{
    const berth__layout *layout = way->decision->cycle->view->layout;
    bool single = answer->slots.feasible_count == 1;
    way->out->verdict = BERTH_VERDICT_PLACED;
    way->out->node = layout->nodes[choose_by_index(way, index, start, answer)];
    way->out->best_count = answer->slots.best_count;
    way->out->total = single ? 0 : answer->best;
}

/* Whether the pod itself is nominated for a node, which is tried before all others. */
static bool is_nominated(const pod_way *way)
{
    return berth__nominations_find(&way->decider->cluster->nominations,
                                   way->decision->cycle->pod) != NULL;
}

/* Answer from the index; false, with the reason in `why`, if that is impossible. */
static bool ask_index(const pod_way *way, berth_scan_reason *why)
{
    berth__decider *decider = way->decider;
    const berth__ready_profile *profile = way->decision->profile;
    const berth__layout *layout = way->decision->cycle->view->layout;
    *why = BERTH_SCAN_NOMINATED;
    if (!berth__question_nominations_by_index(decider, way->decision))
        return false;
    *why = BERTH_SCAN_CLOSED;
    if (layout->closed_count > 0 && !profile->counts_pods)
        return false; /* trees recognize closed nodes by their room for pods */
    berth__index *index = berth__index_get(&decider->indexes, way->decision, &decider->search,
                                           &decider->arena, decider->path == BERTH_PATH_INDEX);
    *why = decider->indexes.why;
    if (index == NULL)
        return false;
    uint32_t start = decider->rotation % layout->count;
    berth__index_answer answer;
    if (!berth__index_search(&decider->indexes, index, &decider->arena, start,
                             berth__profile_limit(profile, layout->count), &answer)) {
        *why = decider->indexes.why;
        return false;
    }
    *why = BERTH_SCAN_NOMINATED;
    if (answer.slots.feasible_count > 0 && is_nominated(way))
        return false;
    decider->counts.indexed++;
    decider->counts.early_stops += answer.slots.cut_short;
    way->out->path = BERTH_PATH_INDEX;
    way->out->feasible_count = answer.slots.feasible_count;
    way->out->next = answer.slots.next;
    if (answer.slots.cut_short &&
        profile->behaviours->passes_discarded_node) /* see berth__search_filter */
        way->out->next = (answer.slots.next + 1) % layout->count;
    if (answer.slots.feasible_count > 0)
        pick_by_index(way, index, start, &answer);
    return true;
}

/* ---- by search ---- */

static bool takes_part(const berth__node_part *part, uint32_t slot)
{
    return part == NULL || slot == BERTH__SLOT_NONE ||
           berth__bit_get(part->slots[slot / BERTH__TILE].words, slot % BERTH__TILE);
}

/* Find the nodes that pass every filter: the node for which the pod is nominated, if
 * `nominated_first`, or else up to the limit of all. */
static berth_status walk(const pod_way *way, bool nominated_first)
{
    berth__decider *decider = way->decider;
    berth__dry_run *dry_run = &decider->dry_run;
    if (!berth__question_nominations(decider))
        return berth__search_filter(&decider->search, way->decision, decider->rotation);
    BERTH_TRY(berth__dry_run_ask(dry_run, way->decision));
    bool first = nominated_first && way->decision->profile->behaviours->tries_nominated_first &&
                 takes_part(way->decision->cycle->part, dry_run->own_slot);
    return berth__search_nominated(&decider->search, way->decision, decider->rotation, dry_run,
                                   first ? dry_run->own_slot : BERTH__SLOT_NONE);
}

/* Fail with the first error at preScore. If there is none, fail with the first error at score, from
 * a plugin whose preScore is disabled. */
static berth_status fail_scoring(const pod_way *way)
{
    const berth__search *search = &way->decider->search;
    const berth__ready_profile *profile = search->decision.profile;
    const berth__stage *stages = profile->scorers;
    for (uint32_t k = 0; k < profile->scorer_stages; k++) {
        uint32_t i = profile->scorer_order[k];
        const berth__prepared_stage *prepared = berth__search_scorer(search, i);
        if (!stages[i].bare && prepared->outcome == BERTH__FAIL)
            return fail_of(way, "PreScore", &stages[i], &prepared->reasons);
    }
    uint32_t i = 0;
    while (i + 1 < profile->scorer_count && search->scores.ranked[i].outcome != BERTH__FAIL)
        i++;
    return fail_of(way, "Score", &stages[i], &search->scores.ranked[i].reasons);
}

/* Score and pick. A single feasible node is picked without scores, but explained with them. */
static berth_status pick(const pod_way *way)
{
    berth__search *search = &way->decider->search;
    bool single = search->answer.feasible_count == 1;
    uint32_t slot = BERTH__SLOT_NONE;
    way->out->best_count = 1;
    if (!single || way->explanation != NULL) {
        berth_status status = berth__search_score(search, &way->decider->arena);
        if (status == BERTH_E_INVALID && !single)
            return fail_scoring(way);
        if (status == BERTH_OK && way->explanation != NULL)
            status = berth__explanation_scores(way->explanation, search);
        if (status == BERTH_OK && !single && is_extended(way))
            status = berth__extended_prioritize(&way->decider->attempt.extended);
        if (status != BERTH_OK && status != BERTH_E_INVALID)
            return status;
    }
    if (single) {
        slot = berth__search_only(search);
    } else {
        slot = choose_by_search(way);
        way->out->best_count = search->scores.best_count;
        way->out->total = search->scores.best;
    }
    way->out->verdict = BERTH_VERDICT_PLACED;
    way->out->node = way->decision->cycle->view->layout->nodes[slot];
    return BERTH_OK;
}

/* Fail because of errors on some nodes. v1.15 has run the filters on all nodes by then, so the
 * results for other nodes are explained. Later versions have no list of nodes that fit. */
static berth_status fail_on_nodes(const pod_way *way, berth_str errors)
{
    berth__decider *decider = way->decider;
    const berth__reasons reasons = {.count = 1, .items = &errors, .ok = true};
    uint32_t picks = decider->round_robin;
    if (way->explanation != NULL && way->decision->profile->behaviours->error_texts_name_plugins)
        way->explanation->feasible_count = 0;
    else if (way->explanation != NULL && decider->search.answer.feasible_count > 0)
        BERTH_TRY(pick(way));
    decider->round_robin = picks;
    way->out->node = BERTH_NODE_NONE;
    way->out->best_count = 0;
    way->out->total = 0;
    return fail(way, &reasons);
}

/* Walk, and record the result. `*errors` receives the errors of filters on nodes. */
static berth_status walk_and_note(const pod_way *way, bool nominated_first, berth_str *errors)
{
    berth__decider *decider = way->decider;
    const berth__search *search = &decider->search;
    uint32_t visited = BERTH__VISITED_ALL;
    BERTH_TRY(walk(way, nominated_first));
    decider->counts.visited += search->answer.visited_count;
    decider->counts.early_stops += search->answer.cut_short;
    way->out->next = search->answer.next;
    if (way->explanation != NULL)
        BERTH_TRY(berth__explanation_walk(way->explanation, search));
    BERTH_TRY(berth__node_errors(search, &decider->arena, errors, &visited));
    if (visited != BERTH__VISITED_ALL)
        way->out->next =
            (decider->rotation + visited) % berth__question_node_count(way->decision->cycle);
    return BERTH_OK;
}

/* ---- with extenders ---- */

static void begin_extended(const pod_way *way)
{
    berth__decider *decider = way->decider;
    const uint32_t pod = way->decision->cycle->pod;
    const bool asked = berth__decider_is_extended(decider, pod);
    decider->attempt.extended =
        (berth__extended){.extenders = asked ? decider->extenders : NULL,
                          .cluster = decider->cluster,
                          .search = &decider->search,
                          .memo = &decider->answers,
                          .arena = &decider->arena,
                          .explanation = way->explanation,
                          .pod = berth__cluster_pod_id(decider->cluster, pod),
                          .alone = {.slot = BERTH__SLOT_NONE}};
}

/* Let the extenders filter. If only the node for which the pod is nominated was tried, and the
 * extenders fail or refuse it, all nodes are tried. In kube-scheduler's rotation that node then
 * counts once more, if an extender gave a reason for refusing it.
 * Source: kube-scheduler v1.32, schedule_one.go, evaluateNominatedNode. */
static berth_status filter_extended(const pod_way *way, berth_str *errors)
{
    berth__decider *decider = way->decider;
    berth__extended *extended = &decider->attempt.extended;
    const bool alone = decider->search.answer.alone;
    BERTH_TRY(berth__extended_filter(extended));
    if (!alone || (decider->search.answer.feasible_count > 0 && extended->failure.data == NULL))
        return BERTH_OK;
    const berth__extended before = *extended;
    const uint32_t refused = before.alone.slot != BERTH__SLOT_NONE;
    begin_extended(way);
    extended->alone = before.alone;
    if (way->explanation != NULL)
        berth__explanation_reset(way->explanation);
    BERTH_TRY(walk_and_note(way, false, errors));
    way->out->next = (way->out->next + refused) % berth__question_node_count(way->decision->cycle);
    if (errors->data != NULL)
        return BERTH_OK;
    BERTH_TRY(berth__extended_keep_alone(extended));
    return berth__extended_filter(extended);
}

/* An extender has failed: there is no list of nodes that fit. */
static berth_status fail_extended(const pod_way *way)
{
    const berth__reasons reasons = {
        .count = 1, .items = &way->decider->attempt.extended.failure, .ok = true};
    if (way->explanation != NULL)
        way->explanation->feasible_count = 0;
    way->out->feasible_count = 0;
    return fail(way, &reasons);
}

static berth_status ask_search(const pod_way *way)
{
    berth__decider *decider = way->decider;
    const berth__search *search = &decider->search;
    berth_str errors = {0};
    if (way->decision->prepared->verdict.reused)
        (void)berth__prepared_keep(way->decision); /* if this fails, they are not kept */
    BERTH_TRY(walk_and_note(way, true, &errors));
    if (errors.data == NULL && search->answer.feasible_count > 0 && is_extended(way))
        BERTH_TRY(filter_extended(way, &errors));
    way->out->feasible_count = search->answer.feasible_count;
    if (errors.data != NULL)
        return fail_on_nodes(way, errors);
    if (decider->attempt.extended.failure.data != NULL)
        return fail_extended(way);
    return search->answer.feasible_count > 0 ? pick(way) : explain_preemption(way);
}

/* ---- the whole decision ---- */

static berth_status go(const pod_way *way)
{
    berth__decider *decider = way->decider;
    berth__decision *decision = way->decision;
    if (berth__question_gated(decision))
        return refuse_gated(way);
    if (decision->cycle->view->layout->count == 0)
        return refuse_with(way->explanation, BERTH_STR("no nodes available to schedule pods"));
    BERTH_TRY(berth__prepared_get(&decider->prepared, decision, &decider->arena));
    if (BERTH_UNLIKELY(decider->checks != NULL))
        BERTH_TRY(berth__plugin_checks_run(decider->checks, decision, &decider->arena, way->error));
    if (decision->prepared->verdict.outcome == BERTH__FAIL)
        return fail_prepared(way);
    if (decision->prepared->verdict.outcome == BERTH__REFUSE)
        return refuse_prepared(way);
    berth_scan_reason why = is_extended(way)                ? BERTH_SCAN_EXTENDERS
                            : way->explanation != NULL      ? BERTH_SCAN_EXPLAINED
                            : decision->cycle->part != NULL ? BERTH_SCAN_PART
                                                            : BERTH_SCAN_PATH;
    if (why == BERTH_SCAN_PATH && decider->path != BERTH_PATH_SCAN && ask_index(way, &why))
        return BERTH_OK;
    decider->counts.scans[why]++;
    return ask_search(way);
}

/* Run the decision. While pods are nominated, hold the counters, because what-ifs need them
 * unchanged. */
static berth_status go_with_nominated(const pod_way *way)
{
    bool held;
    berth_status status = berth__question_hold(way->decider, &held);
    if (status == BERTH_OK)
        status = go(way);
    return berth__question_release(way->decider, held, status);
}

berth_status berth__decide(berth__decider *decider, uint32_t pod,
                           const berth_decide_options *options, berth_placement *out,
                           berth_error *error)
{
    berth__attempt *attempt = &decider->attempt;
    berth__images *images = &decider->cluster->view.images;
    const berth__progress before = berth__decider_progress(decider);
    const uint64_t cycle = images->cycle;
    attempt->decision.prepared = NULL;
    attempt->search_only = (options->flags & BERTH_DECIDE_SEARCH_ONLY) != 0;
    BERTH_TRY(berth__question_ask(decider, pod, &attempt->cycle, &attempt->decision, error));
    if ((options->flags & BERTH_DECIDE_KEEP_ROTATION) == 0 &&
        !berth__question_gated(&attempt->decision))
        berth__images_begin_cycle(images);
    attempt->start = decider->rotation;
    attempt->refused = false;
    berth__question_begin(decider);
    if (options->explanation != NULL)
        berth__explanation_reset(options->explanation);
    *out = (berth_placement){.verdict = BERTH_VERDICT_UNSCHEDULABLE,
                             .node = BERTH_NODE_NONE,
                             .start = decider->rotation,
                             .next = decider->rotation,
                             .path = BERTH_PATH_SCAN};
    const pod_way way = {decider, &attempt->decision, options->explanation, out, error};
    begin_extended(&way);
    if (decider->repeats)
        berth__extender_memo_rewind(&decider->answers);
    else
        berth__extender_memo_forget(&decider->answers);
    berth_status status = go_with_nominated(&way);
    if (status != BERTH_OK) {
        berth__decider_set_progress(decider, &before);
        berth__images_return_to_cycle(images, cycle);
        return status == BERTH_E_INTERNAL ? status : berth__error_no_memory(error);
    }
    decider->counts.decisions++;
    decider->counts.placed += out->verdict == BERTH_VERDICT_PLACED;
    decider->counts.errors += out->verdict == BERTH_VERDICT_ERROR;
    if (options->explanation != NULL)
        berth__refusals_note_all(&decider->refusals, options->explanation);
    if ((options->flags & BERTH_DECIDE_KEEP_ROTATION) != 0)
        decider->round_robin = before.round_robin;
    else
        decider->rotation = out->next;
    return BERTH_OK;
}

berth_status berth__decide_again(berth__decider *decider, uint32_t pod, uint32_t start,
                                 const berth_decide_options *options, berth_placement *out,
                                 berth_error *error)
{
    const uint32_t rotation = decider->rotation;
    decider->rotation = start;
    decider->repeats = true;
    const berth_status status = berth__decide(decider, pod, options, out, error);
    decider->repeats = false;
    decider->rotation = rotation;
    return status;
}
