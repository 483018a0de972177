/* Runs the filters on one node, as a decision would, without a search. */
#include "decide/one_node.h"

#include <string.h>

#include "base/bits.h"
#include "base/error.h"
#include "decide/question.h"

/* A question in progress. */
typedef struct node_question {
    berth__decider *decider;
    const berth__decision *decision;
    uint32_t slot;
    bool texts; /* reasons are requested */
    berth__filter_set skipped;
    berth__node_verdict *out;
} node_question;

static bool is_skipped(const node_question *own, uint32_t filter)
{
    return filter < BERTH__FILTER_SET_MAX && (own->skipped >> filter & 1) != 0;
}

/* ---- refusals ---- */

static void tell(berth__node_verdict *out, berth_verdict verdict, berth_str plugin,
                 const berth__reasons *reasons)
{
    *out = (berth__node_verdict){.verdict = verdict, .code = reasons->code, .plugin = plugin};
    out->reasons = reasons->items;
    out->reason_count = reasons->count;
}

static bool has_prefix(const berth__reasons *reasons)
{
    berth_str last = reasons->items[reasons->count - 1];
    const size_t prefix = sizeof(BERTH__ERROR_PREFIX) - 1;
    return last.len >= prefix && memcmp(last.data, BERTH__ERROR_PREFIX, prefix) == 0;
}

/* Format an error like other errors on nodes (explain/node_errors.c). */
static void tell_error(const node_question *own, const berth__stage *stage, berth__reasons *reasons)
{
    const size_t prefix = sizeof(BERTH__ERROR_PREFIX) - 1;
    berth_str last = reasons->items[reasons->count - 1];
    last = (berth_str){last.data + prefix, last.len - (uint32_t)prefix};
    reasons->count = 0;
    if (own->decision->profile->behaviours->error_texts_name_plugins)
        berth__reason_error(reasons, "Filter", stage->name, last);
    else
        berth__reason(reasons, reasons->code, "%.*s", (int)last.len, last.data);
    tell(own->out, BERTH_VERDICT_ERROR, stage->name, reasons);
}

/* Store a filter's refusal, given its `reasons`. A dry run has already worded an error. */
static berth_status tell_reasons(const node_question *own, const berth__stage *stage,
                                 berth__reasons *reasons)
{
    bool failed = reasons->ok && reasons->failed && reasons->count > 0;
    if (failed && has_prefix(reasons))
        tell_error(own, stage, reasons);
    else if (failed)
        tell(own->out, BERTH_VERDICT_ERROR, stage->name, reasons);
    else
        tell(own->out, BERTH_VERDICT_UNSCHEDULABLE, stage->name, reasons);
    if (!own->texts)
        own->out->reason_count = 0;
    return reasons->ok ? BERTH_OK : BERTH_E_NOMEM;
}

/* Store only the code of a refusal, if neither the caller nor the code needs texts; otherwise
 * returns false. */
static bool tell_code(const node_question *own, uint32_t filter)
{
    const berth__stage *stage = &own->decision->profile->filters[filter];
    const berth__prepared_stage *prepared = &own->decision->prepared->filters[filter];
    const berth__plugin_ops *plugin = stage->plugin;
    berth_code code = BERTH_CODE_UNSCHEDULABLE;
    if (own->texts || prepared->may_fail)
        return false;
    if ((plugin->flags & BERTH__ALWAYS_UNRESOLVABLE) != 0) {
        code = BERTH_CODE_UNRESOLVABLE;
    } else if ((plugin->flags & BERTH__ALWAYS_UNSCHEDULABLE) == 0) {
        uint32_t at = own->slot % BERTH__TILE;
        berth__mask alone = berth__mask_range(at, at + 1);
        if (plugin->keep_resolvable == NULL)
            return false;
        plugin->keep_resolvable(own->decision->cycle, stage->instance, prepared->state,
                                own->slot >> BERTH__TILE_SHIFT, &alone);
        if (berth__mask_empty(&alone))
            code = BERTH_CODE_UNRESOLVABLE;
    }
    *own->out = (berth__node_verdict){
        .verdict = BERTH_VERDICT_UNSCHEDULABLE, .code = code, .plugin = stage->name};
    return true;
}

static berth_status refuse(const node_question *own, uint32_t filter)
{
    const berth__stage *stage = &own->decision->profile->filters[filter];
    if (tell_code(own, filter))
        return BERTH_OK;
    berth__reasons reasons = {.arena = &own->decider->arena, .ok = true};
    stage->plugin->explain(own->decision->cycle, stage->instance,
                           own->decision->prepared->filters[filter].state, own->slot, &reasons);
    return tell_reasons(own, stage, &reasons);
}

/* Refuse with a text that no filter provides. */
static berth_status refuse_plainly(const node_question *own, const char *plugin, const char *text)
{
    const berth__stage stage = {.name = {plugin, (uint32_t)strlen(plugin)}};
    berth__reasons reasons = {.arena = &own->decider->arena, .ok = true};
    berth__reason(&reasons, BERTH_CODE_UNRESOLVABLE, "%s", text);
    return tell_reasons(own, &stage, &reasons);
}

/* ---- before the filters ---- */

static berth_status refuse_gated(const node_question *own)
{
    const berth__stage stage = {.name = BERTH_STR("SchedulingGates")};
    berth__reasons reasons = {.arena = &own->decider->arena, .ok = true};
    berth__question_explain_gates(own->decision, &reasons);
    return tell_reasons(own, &stage, &reasons);
}

static berth_status refuse_prepared(const node_question *own)
{
    const berth__prepared_verdict *verdict = &own->decision->prepared->verdict;
    const berth__stage *stage = berth__question_refuser(own->decision);
    bool failed = verdict->outcome == BERTH__FAIL;
    tell(own->out, failed ? BERTH_VERDICT_ERROR : BERTH_VERDICT_UNSCHEDULABLE, stage->name,
         verdict->why);
    if (!own->texts)
        own->out->reason_count = 0;
    return BERTH_OK;
}

/* ---- the filters ---- */

static bool passes(const node_question *own, uint32_t filter)
{
    const berth__stage *stage = &own->decision->profile->filters[filter];
    const void *state = own->decision->prepared->filters[filter].state;
    if (stage->plugin->filter_slot != NULL)
        return stage->plugin->filter_slot(own->decision->cycle, stage->instance, state, own->slot);
    uint32_t at = own->slot % BERTH__TILE;
    berth__mask alone = berth__mask_range(at, at + 1);
    stage->plugin->filter(own->decision->cycle, stage->instance, state,
                          own->slot >> BERTH__TILE_SHIFT, &alone);
    return !berth__mask_empty(&alone);
}

/* Run the filters in order. Static filters are known to pass, or run again to find the first that
 * does not. */
static berth_status ask_filters(const node_question *own)
{
    const berth__prepared_kind *prepared = own->decision->prepared;
    const berth__ready_profile *profile = own->decision->profile;
    uint32_t tile = own->slot >> BERTH__TILE_SHIFT;
    bool statics_pass =
        berth__bit_get(berth__prepared_mask(own->decision, tile)->words, own->slot % BERTH__TILE);
    for (uint32_t i = 0; i < profile->filter_count; i++) {
        bool known =
            statics_pass && (profile->filters[i].plugin->flags & BERTH__STATIC_FILTER) != 0;
        if (prepared->filters[i].outcome == BERTH__ACTIVE && !known && !is_skipped(own, i) &&
            !passes(own, i))
            return refuse(own, i);
    }
    return BERTH_OK;
}

/* Run the filters on a node for which pods are nominated: first with these pods there, then
 * without. */
static berth_status ask_kept(const node_question *own)
{
    berth__dry_run *dry_run = &own->decider->dry_run;
    uint32_t filter_count = own->decision->profile->filter_count;
    berth_status status = BERTH_OK;
    BERTH_TRY(berth__dry_run_begin(dry_run, own->slot));
    dry_run->passed_over = own->skipped;
    berth__dry_run_put_nominated(dry_run);
    uint32_t refuser = berth__dry_run_refuser(dry_run, 0);
    bool with_them = refuser < filter_count;
    if (!with_them) {
        berth__dry_run_take_nominated(dry_run);
        refuser = berth__dry_run_refuser(dry_run, 0);
    }
    if (refuser < filter_count) {
        berth__reasons reasons = {.arena = &own->decider->arena, .ok = true};
        berth__dry_run_explain(dry_run, refuser, &reasons);
        status = tell_reasons(own, &own->decision->profile->filters[refuser], &reasons);
    }
    if (with_them)
        berth__dry_run_take_nominated(dry_run);
    return berth__dry_run_end(dry_run) == BERTH_OK ? status : BERTH_E_NOMEM;
}

/* Whether preparing excluded the node by name. The node for which the pod itself is nominated is
 * exempt, because it is tried before the allow-list applies. */
static bool is_ruled_out(const node_question *own)
{
    const uint64_t *allowed = own->decision->prepared->verdict.allowed;
    if (allowed == NULL || berth__bit_get(allowed, own->slot))
        return false;
    const berth__nomination *kept =
        berth__nominations_find(&own->decider->cluster->nominations, own->decision->cycle->pod);
    return kept == NULL || !own->decision->profile->behaviours->tries_nominated_first ||
           kept->node != own->decision->cycle->view->layout->nodes[own->slot];
}

static berth_status ask_node(const node_question *own)
{
    const berth__decision *decision = own->decision;
    const berth__view *view = decision->cycle->view;
    const berth__prepared_verdict *verdict = &decision->prepared->verdict;
    if (verdict->outcome != BERTH__ACTIVE)
        return refuse_prepared(own);
    if (is_ruled_out(own))
        return refuse_plainly(
            own, decision->cycle->required_node == BERTH_NODE_NONE ? "NodeAffinity" : "NodeName",
            berth__question_not_named(decision));
    if (berth__layout_closed(view->layout, own->slot))
        return refuse_plainly(
            own, decision->profile->legacy ? "CheckNodeUnschedulable" : "NodeUnschedulable",
            "node(s) were unschedulable");
    if (berth__nominations_on(&own->decider->cluster->nominations,
                              view->layout->nodes[own->slot]) != NULL) {
        BERTH_TRY(berth__dry_run_ask(&own->decider->dry_run, decision));
        if (berth__dry_run_concerns(&own->decider->dry_run, own->slot))
            return ask_kept(own);
    }
    return ask_filters(own);
}

/* ---- the whole question ---- */

/* Answer the question. While pods are nominated, hold the counters, as in a decision. */
static berth_status ask_held(const node_question *own, berth__decision *decision)
{
    berth__decider *decider = own->decider;
    bool held;
    berth_status status = berth__question_hold(decider, &held);
    if (status == BERTH_OK)
        status = berth__prepared_get(&decider->prepared, decision, &decider->arena);
    if (status == BERTH_OK)
        status = ask_node(own);
    return berth__question_release(decider, held, status);
}

static berth_status ask(berth__decider *decider, uint32_t pod, uint32_t node, bool reasons,
                        berth__filter_set skipped, berth__node_verdict *out, berth_error *error)
{
    berth__question cycle;
    berth__decision decision;
    berth__node_verdict verdict = {.verdict = BERTH_VERDICT_PLACED};
    decider->attempt.decision.prepared = NULL;
    decider->counts.questions++;
    BERTH_TRY(berth__question_ask(decider, pod, &cycle, &decision, error));
    const node_question own = {.decider = decider,
                               .decision = &decision,
                               .slot = berth__cluster_node(decider->cluster, node)->slot,
                               .texts = reasons,
                               .skipped = skipped,
                               .out = &verdict};
    berth__question_begin(decider);
    berth_status status = BERTH_OK;
    if (own.slot == BERTH__SLOT_NONE)
        verdict.verdict = BERTH_VERDICT_UNSCHEDULABLE;
    else
        status = berth__question_gated(&decision) ? refuse_gated(&own) : ask_held(&own, &decision);
    if (status != BERTH_OK)
        return berth__error_no_memory(error);
    *out = verdict;
    return BERTH_OK;
}

berth_status berth__decider_fits(berth__decider *decider, uint32_t pod, uint32_t node, bool reasons,
                                 berth__node_verdict *out, berth_error *error)
{
    return ask(decider, pod, node, reasons, 0, out, error);
}

berth__filter_set berth__decider_skipped(const berth__decider *decider)
{
    const berth__decision *decision = &decider->attempt.decision;
    berth__filter_set set = 0;
    for (uint32_t i = 0; i < decision->profile->filter_count && i < BERTH__FILTER_SET_MAX; i++)
        set |= (berth__filter_set)(decision->prepared->filters[i].outcome != BERTH__ACTIVE) << i;
    return set;
}

berth_status berth__decider_still_fits(berth__decider *decider, uint32_t pod, uint32_t node,
                                       berth__filter_set skipped, bool *fits, berth_error *error)
{
    berth__node_verdict verdict = {.verdict = BERTH_VERDICT_ERROR};
    BERTH_TRY(ask(decider, pod, node, false, skipped, &verdict, error));
    *fits = verdict.verdict == BERTH_VERDICT_PLACED;
    return BERTH_OK;
}
