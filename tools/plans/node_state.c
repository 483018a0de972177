/* Finds why a node accepts no pods: cordoned, tainted or not ready, by its fields and taints. */
#include "plans/node_state.h"

#include <stdio.h>

#include "cli/exits.h"
#include "cli/words.h"

const char *const node_state_names[] = {
#define X(name, text) text,
    NODE_STATES(X)
#undef X
};

enum { NOTE_BYTES = 1024 };

static bool is(berth_str text, const char *wanted)
{
    return words_equal(text, words_of(wanted));
}

static bool keeps_pods_off(const berth_taint *taint)
{
    return is(taint->effect, "NoSchedule") || is(taint->effect, "NoExecute");
}

/* The state that a taint stands for. The node controller repeats some fields of a node as
 * taints. */
static node_state state_of_taint(const berth_taint *taint)
{
    if (!keeps_pods_off(taint))
        return NODE_STATE_OPEN;
    if (is(taint->key, "node.kubernetes.io/not-ready") ||
        is(taint->key, "node.kubernetes.io/unreachable"))
        return NODE_STATE_NOT_READY;
    if (is(taint->key, "node.kubernetes.io/unschedulable"))
        return NODE_STATE_CORDONED;
    return NODE_STATE_TAINTED;
}

/* A node without conditions, as in a manifest, is ready. If a condition is not True, the engine
 * does not keep whether it is False or Unknown. */
static bool is_ready(const berth_node *node)
{
    for (uint32_t i = 0; i < node->condition_count; i++)
        if (is(node->conditions[i].type, "Ready") && !is(node->conditions[i].status, "True"))
            return false;
    return true;
}

static node_state later_state(node_state a, node_state b)
{
    return a > b ? a : b;
}

static node_state state_of_taints(const berth_node *node)
{
    node_state state = NODE_STATE_OPEN;
    for (uint32_t i = 0; i < node->taint_count; i++)
        state = later_state(state, state_of_taint(&node->taints[i]));
    return state;
}

node_state node_state_of(const berth_node *node)
{
    node_state state = state_of_taints(node);
    if (node->unschedulable)
        state = later_state(state, NODE_STATE_CORDONED);
    return is_ready(node) ? state : NODE_STATE_NOT_READY;
}

berth_status node_state_read(const berth_engine *engine, berth_node_id node, node_state *out,
                             berth_error *error)
{
    berth_object *object = NULL;
    TRY(berth_engine_node_object(engine, node, NULL, &object, error));
    *out = node_state_of(object->as.node);
    berth_object_destroy(object);
    return BERTH_OK;
}

/* ---- in words ---- */

typedef struct notes {
    void (*each)(void *context, const char *note);
    void *context;
} notes;

static void note_taint(const berth_taint *taint, const notes *out)
{
    char text[NOTE_BYTES];
    snprintf(text, sizeof(text), "taint %.*s%s%.*s:%.*s", (int)taint->key.len, taint->key.data,
             taint->value.len > 0 ? "=" : "", (int)taint->value.len, taint->value.data,
             (int)taint->effect.len, taint->effect.data);
    out->each(out->context, text);
}

static void note_not_ready(const berth_node *node, const notes *out)
{
    char text[NOTE_BYTES];
    for (uint32_t i = 0; i < node->taint_count; i++) {
        const berth_taint *taint = &node->taints[i];
        if (state_of_taint(taint) != NODE_STATE_NOT_READY)
            continue;
        snprintf(text, sizeof(text), "not ready: taint %.*s", (int)taint->key.len, taint->key.data);
        out->each(out->context, text);
        return;
    }
    if (!is_ready(node))
        out->each(out->context, "not ready");
}

/* Report all reasons, except taints that repeat "not ready" and "cordoned". */
static void note_all(const berth_node *node, const notes *out)
{
    bool cordoned = node->unschedulable;
    note_not_ready(node, out);
    for (uint32_t i = 0; i < node->taint_count; i++)
        cordoned = cordoned || state_of_taint(&node->taints[i]) == NODE_STATE_CORDONED;
    if (cordoned)
        out->each(out->context, "cordoned");
    for (uint32_t i = 0; i < node->taint_count; i++)
        if (state_of_taint(&node->taints[i]) == NODE_STATE_TAINTED)
            note_taint(&node->taints[i], out);
}

berth_status node_state_notes(const berth_engine *engine, berth_node_id node,
                              void (*each)(void *context, const char *note), void *context,
                              berth_error *error)
{
    const notes out = {each, context};
    berth_object *object = NULL;
    TRY(berth_engine_node_object(engine, node, NULL, &object, error));
    note_all(object->as.node, &out);
    berth_object_destroy(object);
    return BERTH_OK;
}
