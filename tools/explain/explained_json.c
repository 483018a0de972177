/* Writes an explained decision as a value of a JSON or YAML document
 * (tools/schemas/explain.json). */
#include "cli/exits.h"
#include "cli/words.h"
#include "explain/device_lacks.h"
#include "explain/explained.h"
#include "explain/pod_lookup.h"
#include "loading/usage.h"

enum { REQUESTS_MAX = 64 };

static void write_amount(output *o, const char *key, berth_str resource, int64_t amount)
{
    char text[64];
    usage_amount(resource, amount, text, sizeof(text));
    output_pair_text(o, key, text);
}

static void write_pod(const explained *e, output *o)
{
    berth_amount requests[REQUESTS_MAX];
    output_key(o, "pod");
    output_object(o);
    output_pair_str(o, "namespace", e->namespace_name);
    output_pair_str(o, "name", e->name);
    output_pair_int(o, "priority", berth_engine_pod_priority(e->engine, e->pod));
    if (e->was_on != BERTH_NODE_NONE)
        output_pair_str(o, "runningOn", berth_engine_node_name(e->engine, e->was_on));
    output_pair_int(o, "pendingAhead", (int64_t)e->ahead);
    output_key(o, "requests");
    output_object(o);
    uint32_t count = berth_engine_pod_requests(e->engine, e->pod, requests, REQUESTS_MAX);
    for (uint32_t i = 0; i < count && i < REQUESTS_MAX; i++) {
        char text[64];
        if (requests[i].amount == 0)
            continue;
        usage_amount(requests[i].resource, requests[i].amount, text, sizeof(text));
        output_key_str(o, requests[i].resource);
        output_text(o, text);
    }
    output_object_end(o);
    output_object_end(o);
}

static void write_victims(const explained *e, output *o)
{
    berth_node_id nominated = berth_explanation_nominated(e->why);
    if (nominated == BERTH_NODE_NONE)
        return;
    output_pair_str(o, "nominatedNode", berth_engine_node_name(e->engine, nominated));
    output_key(o, "victims");
    output_array(o);
    for (uint32_t i = 0; i < berth_explanation_victim_count(e->why); i++) {
        output_object(o);
        pod_lookup_write(e->engine, berth_explanation_victim(e->why, i), o);
        output_object_end(o);
    }
    output_array_end(o);
}

static void write_devices(const taken_devices *devices, berth_str node, void *context)
{
    (void)node;
    taken_devices_write(devices, context);
}

static berth_status write_answer(explained *e, const explained_view *view, output *o,
                                 berth_error *error)
{
    static const char *const verdicts[] = {[BERTH_VERDICT_PLACED] = "placed",
                                           [BERTH_VERDICT_UNSCHEDULABLE] = "unschedulable",
                                           [BERTH_VERDICT_ERROR] = "error"};
    berth_str message = berth_explanation_message(e->why);
    berth_str before = berth_explanation_pre_filter(e->why);
    output_key(o, "answer");
    output_object(o);
    output_pair_text(o, "verdict", verdicts[e->placement.verdict]);
    if (e->placement.verdict == BERTH_VERDICT_PLACED)
        output_pair_str(o, "node", berth_engine_node_name(e->engine, e->placement.node));
    TRY(explained_devices(e, write_devices, o, error));
    if (message.data != NULL)
        output_pair_str(o, "message", message);
    if (before.data != NULL)
        output_pair_str(o, "preFilter", before);
    if (e->cause != NULL)
        output_pair_text(o, "cause", e->cause);
    if (view->note.len > 0)
        output_pair_str(o, view->refused ? "refused" : "passedOver", view->note);
    write_victims(e, o);
    output_pair_int(o, "nodes", e->node_count);
    output_pair_int(o, "feasible", e->feasible_count);
    output_pair_int(o, "refused", e->lacks.count);
    output_pair_int(o, "best", e->placement.best_count);
    output_object_end(o);
    return BERTH_OK;
}

/* ---- nodes ---- */

static void write_scores(const explained *e, uint32_t i, output *o)
{
    output_key(o, "scores");
    output_array(o);
    for (uint32_t p = 0; p < berth_explanation_score_count(e->why); p++) {
        int64_t raw = 0;
        int64_t weight = berth_explanation_score_weight(e->why, p);
        int64_t score = berth_explanation_score(e->why, p, i);
        output_object(o);
        output_pair_str(o, "plugin", berth_explanation_score_plugin(e->why, p));
        if (berth_explanation_raw_score(e->why, p, i, &raw))
            output_pair_int(o, "raw", raw);
        output_pair_int(o, "normalized", weight != 0 ? score / weight : 0);
        output_pair_int(o, "weight", weight);
        output_pair_int(o, "score", score);
        output_object_end(o);
    }
    output_array_end(o);
}

static void write_feasible(const explained *e, const ranked_node *ranked, output *o)
{
    int64_t total = 0;
    berth_node_id node = berth_explanation_feasible(e->why, ranked->i, &total);
    output_object(o);
    output_pair_str(o, "node", berth_engine_node_name(e->engine, node));
    output_pair_int(o, "rank", ranked->rank);
    output_pair_int(o, "total", total);
    write_scores(e, ranked->i, o);
    output_object_end(o);
}

static void write_refusal(const explained *e, uint32_t i, output *o)
{
    berth_refusal refusal = berth_explanation_refusal(e->why, i);
    output_object(o);
    output_pair_str(o, "plugin", refusal.plugin);
    output_pair_text(o, "code",
                     refusal.code == BERTH_CODE_UNRESOLVABLE ? "UnschedulableAndUnresolvable"
                                                             : "Unschedulable");
    output_key(o, "reasons");
    output_array(o);
    for (uint32_t r = 0; r < refusal.reason_count; r++)
        output_str(o, berth_explanation_reason(e->why, i, r));
    output_array_end(o);
    output_object_end(o);
}

static void write_shortages(const explained *e, berth_node_id node, output *o)
{
    shortage all[SHORTAGES_MAX];
    uint32_t count = shortages_of(e->engine, e->pod, node, all);
    output_key(o, "short");
    output_array(o);
    for (uint32_t i = 0; i < count; i++) {
        output_object(o);
        output_pair_str(o, "resource", all[i].resource);
        write_amount(o, "asked", all[i].resource, all[i].asked);
        write_amount(o, "free", all[i].resource, all[i].free);
        write_amount(o, "short", all[i].resource, all[i].less);
        output_object_end(o);
    }
    output_array_end(o);
}

static void write_device_lacks(const explained *e, const refused_node *node, output *o)
{
    bool devices = false;
    device_lacks lacks;
    for (uint32_t i = node->first; i < node->first + node->count; i++)
        devices |= refused_for_devices(berth_explanation_refusal(e->why, i).plugin);
    if (!devices)
        return;
    device_lacks_make(&lacks, e->engine, e->pod, node->node);
    device_lacks_write(&lacks, o);
    device_lacks_free(&lacks);
}

static void write_refused(const explained *e, const refused_node *node, output *o)
{
    output_object(o);
    output_pair_str(o, "node", berth_engine_node_name(e->engine, node->node));
    output_pair_text(o, "lacks", node->lack);
    output_key(o, "refusals");
    output_array(o);
    for (uint32_t i = node->first; i < node->first + node->count; i++)
        write_refusal(e, i, o);
    output_array_end(o);
    write_shortages(e, node->node, o);
    write_device_lacks(e, node, o);
    output_object_end(o);
}

static berth_status write_unseen(explained *e, berth_node_id node, output *o, berth_error *error)
{
    berth_fit fit = {.size = sizeof(fit)};
    TRY(berth_engine_fits(e->engine, e->pod, node, BERTH_FIT_REASONS, &fit, error));
    output_key(o, "notLookedAt");
    output_array(o);
    output_object(o);
    output_pair_str(o, "node", berth_engine_node_name(e->engine, node));
    output_key(o, "fits");
    output_bool(o, fit.verdict == BERTH_VERDICT_PLACED);
    output_object_end(o);
    output_array_end(o);
    return BERTH_OK;
}

static void write_nodes(const explained *e, const explained_view *view, output *o)
{
    output_key(o, "feasible");
    output_array(o);
    for (uint32_t k = 0, told = 0; k < e->feasible_count && told < view->nodes; k++) {
        berth_node_id node = berth_explanation_feasible(e->why, e->ranked[k].i, NULL);
        if (view->node != BERTH_NODE_NONE && view->node != node)
            continue;
        write_feasible(e, &e->ranked[k], o);
        told++;
    }
    output_array_end(o);
    output_key(o, "refused");
    output_array(o);
    for (uint32_t k = 0, told = 0; k < e->lacks.count && told < view->nodes; k++) {
        if (view->node != BERTH_NODE_NONE && view->node != e->lacks.nodes[k].node)
            continue;
        write_refused(e, &e->lacks.nodes[k], o);
        told++;
    }
    output_array_end(o);
}

static void write_remedies(const explained *e, output *o)
{
    output_key(o, "remedies");
    output_array(o);
    for (size_t i = 0; i < e->remedies.count; i++) {
        const remedy *one = &e->remedies.items[i];
        output_object(o);
        output_pair_text(o, "kind", one->kind);
        output_pair_text(o, "change", one->text);
        output_pair_text(o, "node", one->answer.node);
        if (one->answer.preempts)
            output_pair_text(o, "evicting", one->answer.evicting);
        else
            output_pair_int(o, "nodesThatFit", one->answer.fits);
        output_object_end(o);
    }
    output_array_end(o);
}

berth_status explained_write(explained *e, const explained_view *view, output *o,
                             berth_error *error)
{
    bool unseen = view->node != BERTH_NODE_NONE &&
                  explained_feasible(e, view->node) == UINT32_MAX &&
                  explained_refused(e, view->node) == NULL;
    write_pod(e, o);
    TRY(write_answer(e, view, o, error));
    write_nodes(e, view, o);
    if (unseen)
        TRY(write_unseen(e, view->node, o, error));
    write_remedies(e, o);
    return BERTH_OK;
}
