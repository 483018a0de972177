/* Which nodes of a report take pods, why others do not, and how much is free where. */
#include "report/report_nodes.h"

#include <stdlib.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "loading/node_list.h"

const char *const report_node_state_names[] = {
#define X(name, text) text,
    REPORT_NODE_STATES(X)
#undef X
};

enum { NOTE_BYTES = 1024 };

/* ---- one node ---- */

static bool is(berth_str text, const char *word)
{
    return words_equal(text, words_of(word));
}

static bool keeps_pods_off(const berth_taint *taint)
{
    return is(taint->effect, "NoSchedule") || is(taint->effect, "NoExecute");
}

/* The taints by which the node controller says what the node's own fields say, too. */
static report_node_state state_of_taint(const berth_taint *taint)
{
    if (!keeps_pods_off(taint))
        return REPORT_NODE_OPEN;
    if (is(taint->key, "node.kubernetes.io/not-ready") ||
        is(taint->key, "node.kubernetes.io/unreachable"))
        return REPORT_NODE_NOT_READY;
    if (is(taint->key, "node.kubernetes.io/unschedulable"))
        return REPORT_NODE_CORDONED;
    return REPORT_NODE_TAINTED;
}

/* A node without conditions, as in a manifest, is ready. Of a condition that is not True the engine
 * does not keep whether it is False or Unknown. */
static bool is_ready(const berth_node *node)
{
    for (uint32_t i = 0; i < node->condition_count; i++)
        if (is(node->conditions[i].type, "Ready") && !is(node->conditions[i].status, "True"))
            return false;
    return true;
}

static report_node_state later_state(report_node_state a, report_node_state b)
{
    return a > b ? a : b;
}

static report_node_state state_of_taints(const berth_node *node)
{
    report_node_state state = REPORT_NODE_OPEN;
    for (uint32_t i = 0; i < node->taint_count; i++)
        state = later_state(state, state_of_taint(&node->taints[i]));
    return state;
}

static report_node_state state_of(const berth_node *node)
{
    report_node_state state = state_of_taints(node);
    if (node->unschedulable)
        state = later_state(state, REPORT_NODE_CORDONED);
    return is_ready(node) ? state : REPORT_NODE_NOT_READY;
}

static void write_taint(const berth_taint *taint, output *o)
{
    char text[NOTE_BYTES];
    snprintf(text, sizeof(text), "taint %.*s%s%.*s:%.*s", (int)taint->key.len, taint->key.data,
             taint->value.len > 0 ? "=" : "", (int)taint->value.len, taint->value.data,
             (int)taint->effect.len, taint->effect.data);
    output_text(o, text);
}

static void write_not_ready(const berth_node *node, output *o)
{
    char text[NOTE_BYTES];
    for (uint32_t i = 0; i < node->taint_count; i++) {
        const berth_taint *taint = &node->taints[i];
        if (state_of_taint(taint) != REPORT_NODE_NOT_READY)
            continue;
        snprintf(text, sizeof(text), "not ready: taint %.*s", (int)taint->key.len, taint->key.data);
        output_text(o, text);
        return;
    }
    if (!is_ready(node))
        output_text(o, "not ready");
}

/* Taints that repeat what "not ready" and "cordoned" say are left out. */
static void write_notes(const berth_node *node, output *o)
{
    bool cordoned = node->unschedulable;
    output_array(o);
    write_not_ready(node, o);
    for (uint32_t i = 0; i < node->taint_count; i++)
        cordoned = cordoned || state_of_taint(&node->taints[i]) == REPORT_NODE_CORDONED;
    if (cordoned)
        output_text(o, "cordoned");
    for (uint32_t i = 0; i < node->taint_count; i++)
        if (state_of_taint(&node->taints[i]) == REPORT_NODE_TAINTED)
            write_taint(&node->taints[i], o);
    output_array_end(o);
}

berth_status report_nodes_notes(const cluster_side *side, berth_node_id node, output *o,
                                berth_error *error)
{
    berth_object *object = NULL;
    TRY(berth_engine_node_object(side->engine, node, NULL, &object, error));
    write_notes(object->as.node, o);
    berth_object_destroy(object);
    return BERTH_OK;
}

/* ---- all nodes ---- */

berth_status report_nodes_make(report_nodes *n, const cluster_side *side, berth_error *error)
{
    TRY(node_list_make(side->engine, &n->ids, &n->count, error));
    n->states = heap_new(n->count, sizeof(*n->states));
    for (uint32_t i = 0; i < n->count; i++) {
        berth_object *object = NULL;
        TRY(berth_engine_node_object(side->engine, n->ids[i], NULL, &object, error));
        n->states[i] = state_of(object->as.node);
        n->state_nodes[n->states[i]]++;
        berth_object_destroy(object);
    }
    return BERTH_OK;
}

void report_nodes_release(report_nodes *n)
{
    free(n->ids);
    free(n->states);
    *n = (report_nodes){0};
}

report_free report_nodes_free(const report_nodes *n, const cluster_side *side, uint32_t resource)
{
    const replay_load *l = &side->load;
    report_free result = {.most = 0};
    for (uint32_t i = 0; i < n->count; i++) {
        size_t at = (size_t)n->ids[i] * l->width + resource;
        int64_t amount = l->allocatable[at] - l->requested[at];
        if (amount <= 0)
            continue;
        result.amounts[n->states[i]] += amount;
        if (n->states[i] == REPORT_NODE_OPEN && amount > result.most)
            result.most = amount;
    }
    return result;
}
