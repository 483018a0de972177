/* Repeats a decision with an explanation and evaluates it. */
#include "explain/explained.h"

#include <stdlib.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/words.h"
#include "explain/claim_remedies.h"

/* Sorts the best first: the chosen node, then by total, then in search order. */
typedef struct rank_key {
    uint32_t i;
    int64_t total;
    bool taken;
} rank_key;

static int by_total(const void *a, const void *b)
{
    const rank_key *left = a;
    const rank_key *right = b;
    if (left->taken != right->taken)
        return left->taken ? -1 : 1;
    if (left->total != right->total)
        return left->total > right->total ? -1 : 1;
    return left->i < right->i ? -1 : left->i > right->i;
}

static void rank(explained *e)
{
    e->feasible_count = berth_explanation_feasible_count(e->why);
    rank_key *keys = heap_new(e->feasible_count, sizeof(*keys));
    e->ranked = heap_new(e->feasible_count, sizeof(*e->ranked));
    for (uint32_t i = 0; i < e->feasible_count; i++) {
        keys[i].i = i;
        keys[i].taken = berth_explanation_feasible(e->why, i, &keys[i].total) == e->placement.node;
    }
    if (e->feasible_count > 0)
        qsort(keys, e->feasible_count, sizeof(*keys), by_total);
    for (uint32_t i = 0; i < e->feasible_count; i++) {
        bool equal = i > 0 && keys[i].total == keys[i - 1].total;
        e->ranked[i] = (ranked_node){keys[i].i, equal ? e->ranked[i - 1].rank : i + 1};
    }
    free(keys);
}

static berth_status count_ahead(explained *e, berth_error *error)
{
    uint64_t count = 0;
    TRY(berth_engine_pending(e->engine, NULL, 0, &count, error));
    berth_pod_id *pods = heap_new(count, sizeof(*pods));
    berth_status status = berth_engine_pending(e->engine, pods, count, NULL, error);
    if (status == BERTH_OK)
        for (e->ahead = 0; e->ahead < count && pods[e->ahead] != e->pod; e->ahead++)
            ;
    free(pods);
    return status;
}

static berth_status decide(explained *e, berth_error *error)
{
    const berth_decide_options options = {
        .size = sizeof(options), .flags = BERTH_DECIDE_KEEP_ROTATION, .explanation = e->why};
    e->was_on = berth_engine_pod_node(e->engine, e->pod);
    if (e->was_on != BERTH_NODE_NONE)
        TRY(berth_engine_unbind(e->engine, e->pod, error));
    else
        TRY(count_ahead(e, error));
    TRY(berth_engine_pod_object(e->engine, e->pod, NULL, &e->object, error));
    return berth_engine_decide(e->engine, e->pod, &options, &e->placement, error);
}

static berth_status seek_remedies(explained *e, berth_error *error)
{
    const remedy_search search = {.engine = e->engine,
                                  .state = e->state,
                                  .pod = e->pod,
                                  .object = e->object->as.pod,
                                  .why = e->why,
                                  .lacks = &e->lacks};
    return remedies_find(&search, &e->remedies, error);
}

/* Claims without a class keep a pod off every node, before any node is visited. */
static berth_status find_cause(explained *e, berth_error *error)
{
    unclassed_claims claims = {0};
    text_buffer text = {0};
    berth_status status = unclassed_claims_find(&claims, e->engine, e->object->as.pod, error);
    if (status == BERTH_OK && claims.count > 0) {
        unclassed_claims_text(&claims, &text);
        e->cause = heap_text(text.text, text.len);
    }
    text_free(&text);
    unclassed_claims_free(&claims);
    return status;
}

berth_status explained_make(explained *out, berth_engine *engine, berth_snapshot *state,
                            berth_pod_id pod, bool seek, berth_error *error)
{
    berth_counts counts;
    *out = (explained){.engine = engine, .state = state, .pod = pod, .was_on = BERTH_NODE_NONE};
    berth_engine_counts(engine, &counts);
    out->node_count = counts.nodes;
    berth_engine_pod_name(engine, pod, &out->namespace_name, &out->name);
    TRY(berth_explanation_create(NULL, &out->why, error));
    berth_status status = decide(out, error);
    if (status != BERTH_OK) {
        error_object(error, "Pod %.*s/%.*s", (int)out->namespace_name.len, out->namespace_name.data,
                     (int)out->name.len, out->name.data);
        return status;
    }
    rank(out);
    shortfalls_make(&out->lacks, engine, pod, out->object->as.pod, out->why);
    bool nowhere = out->placement.verdict == BERTH_VERDICT_UNSCHEDULABLE;
    if (nowhere)
        TRY(find_cause(out, error));
    return seek && nowhere ? seek_remedies(out, error) : BERTH_OK;
}

void explained_free(explained *e)
{
    remedies_free(&e->remedies);
    shortfalls_free(&e->lacks);
    berth_explanation_destroy(e->why);
    berth_object_destroy(e->object);
    free(e->ranked);
    free(e->cause);
    *e = (explained){0};
}

uint32_t explained_feasible(const explained *e, berth_node_id node)
{
    for (uint32_t i = 0; i < e->feasible_count; i++)
        if (berth_explanation_feasible(e->why, i, NULL) == node)
            return i;
    return UINT32_MAX;
}

uint32_t explained_named_nodes(const explained *e)
{
    const berth_node_selector *required = e->object->as.pod->node_affinity.required;
    uint32_t count = 0;
    if (required == NULL)
        return e->node_count;
    word_table names = {0};
    bool by_name = true;
    for (uint32_t t = 0; t < required->count; t++)
        by_name &= node_names_of(&required->terms[t], &names);
    for (uint32_t i = 0; i < names.count; i++) {
        berth_node_id node = berth_engine_find_node(e->engine, word_table_get(&names, i));
        count += node != BERTH_NODE_NONE && berth_engine_node_present(e->engine, node);
    }
    word_table_free(&names);
    return by_name ? count : e->node_count;
}

/* Devices are chosen when the pod is put on the node, so the pod is put there and taken back. */
berth_status explained_devices(explained *e, explained_devices_fn tell, void *context,
                               berth_error *error)
{
    taken_devices devices;
    if (e->placement.verdict != BERTH_VERDICT_PLACED ||
        e->object->as.pod->resource_claim_count == 0)
        return BERTH_OK;
    TRY(berth_engine_begin(e->engine, error));
    berth_status status = berth_engine_bind(e->engine, e->pod, e->placement.node, error);
    if (status == BERTH_OK) {
        taken_devices_make(&devices, e->engine, e->pod, NULL);
        if (devices.count > 0)
            tell(&devices, berth_engine_node_name(e->engine, e->placement.node), context);
        taken_devices_free(&devices);
    }
    (void)berth_engine_rollback(e->engine, NULL);
    return status;
}

const refused_node *explained_refused(const explained *e, berth_node_id node)
{
    for (uint32_t i = 0; i < e->lacks.count; i++)
        if (e->lacks.nodes[i].node == node)
            return &e->lacks.nodes[i];
    return NULL;
}
