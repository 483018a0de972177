/* Handles nodes in a replay: they come, fail, return and are removed. */
#include "replay/replay_nodes.h"

#include <stdio.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/words.h"
#include "replay/replay_pods.h"
#include "traces/random_times.h"

enum { ABOUT_FAILURES = 48 }; /* the purpose passed to workload_hash */

/* Draw the time at which a new node fails at random. The draw depends on the node and on the number
 * of its failures, not on anything else. */
static void await_chance(replay *r, berth_node_id node)
{
    const node_record *record = replay_records_node(&r->records, node);
    if (r->options.failure_mean_ns == 0)
        return;
    uint64_t which = (uint64_t)node << 32 | record->failures;
    workload_random random = {workload_hash(r->options.seed, ABOUT_FAILURES, which)};
    int64_t after_ns = random_exponential_ns(&random, r->options.failure_mean_ns);
    event_heap_push(&r->events, trace_later(r->now_ns, after_ns), RANK_CHANCE, node, record->stamp);
}

static void set_node(replay *r, berth_node_id node, const berth_node *object)
{
    if (replay_load_set_node(&r->load, r->engine, node, object))
        replay_pod_measure_all(r);
}

static void end_return(replay *r, node_record *record)
{
    r->outstanding -= record->return_pending;
    record->return_pending = false;
    record->stamp++;
}

/* Record a node that has come, for the first time or again. */
static void come(replay *r, berth_node_id node, const berth_node *object)
{
    node_record *record = replay_records_node(&r->records, node);
    end_return(r, record);
    record->state = NODE_PRESENT;
    set_node(r, node, object);
    await_chance(r, node);
}

berth_status replay_node_add(replay *r, const trace_event *event, const berth_error *origin,
                             berth_error *error)
{
    berth_node_id node = 0;
    berth_status status =
        berth_scheduler_add_node(r->scheduler, r->now_ns, event->object.as.node, &node, error);
    if (status != BERTH_OK)
        return replay_refuse(r, status, origin, error);
    node_record *record = replay_records_node(&r->records, node);
    berth_object_destroy(record->copy);
    record->copy = r->options.keep_copies ? heap_object(&event->object) : NULL;
    come(r, node, event->object.as.node);
    return BERTH_OK;
}

berth_status replay_node_update(replay *r, const trace_event *event, const berth_error *origin,
                                berth_error *error)
{
    berth_status status = berth_scheduler_update(r->scheduler, r->now_ns, &event->object, error);
    if (status != BERTH_OK)
        return replay_refuse(r, status, origin, error);
    berth_node_id node = berth_engine_find_node(r->engine, trace_meta(event)->name);
    node_record *record = replay_records_node(&r->records, node);
    berth_object_destroy(record->copy);
    record->copy = r->options.keep_copies ? heap_object(&event->object) : NULL;
    set_node(r, node, event->object.as.node);
    return BERTH_OK;
}

/* Remove a node and all of its pods. */
static berth_status go(replay *r, berth_node_id node, node_state state, berth_error *error)
{
    TRY(berth_scheduler_remove(r->scheduler, r->now_ns, BERTH_KIND_NODE, (berth_str){0},
                               berth_engine_node_name(r->engine, node), error));
    node_record *record = replay_records_node(&r->records, node);
    record->state = state;
    record->stamp++;
    while (record->first_pod != RECORD_NONE)
        TRY(replay_pod_lose(r, record->first_pod, error));
    replay_load_drop_node(&r->load, node);
    return replay_pod_restart_all(r, error);
}

static berth_status fail(replay *r, berth_node_id node, int64_t duration_ns, berth_error *error)
{
    TRY(go(r, node, NODE_FAILED, error));
    node_record *record = replay_records_node(&r->records, node);
    record->failures++;
    r->node_failures++;
    int64_t return_ns = trace_later(r->now_ns, duration_ns);
    if (return_ns == TRACE_NEVER)
        return BERTH_OK;
    record->return_pending = true;
    r->outstanding++;
    event_heap_push(&r->events, return_ns, RANK_RETURN, node, record->stamp);
    return BERTH_OK;
}

berth_status replay_node_fail_by_chance(replay *r, berth_node_id node, berth_error *error)
{
    return fail(r, node, r->options.repair_ns, error);
}

berth_status replay_node_return(replay *r, berth_node_id node, berth_error *error)
{
    const node_record *record = replay_records_node(&r->records, node);
    TRY(berth_scheduler_add(r->scheduler, r->now_ns, record->copy, NULL, error));
    r->node_returns++;
    come(r, node, record->copy->as.node);
    return BERTH_OK;
}

static berth_status refuse(replay *r, const trace_event *event, const char *why,
                           const berth_error *origin, berth_error *error)
{
    error_set(error, BERTH_E_NOT_FOUND, NULL, "%s", why);
    error_object(error, "Node %.*s", (int)event->name.len, event->name.data);
    return replay_refuse(r, BERTH_E_NOT_FOUND, origin, error);
}

berth_status replay_node_change(replay *r, const trace_event *event, const berth_error *origin,
                                berth_error *error)
{
    berth_node_id node = berth_engine_find_node(r->engine, event->name);
    for (berth_node_id i = 0; node == BERTH_NODE_NONE && i < r->records.node_count; i++)
        if (r->records.nodes[i].state == NODE_FAILED &&
            words_equal(berth_engine_node_name(r->engine, i), event->name))
            node = i;
    node_state state =
        node == BERTH_NODE_NONE ? NODE_UNKNOWN : replay_records_node(&r->records, node)->state;
    if (event->verb == TRACE_RETURN)
        return state == NODE_FAILED
                   ? replay_node_return(r, node, error)
                   : refuse(r, event, "there is no such node that has failed", origin, error);
    if (event->verb == TRACE_REMOVE && state == NODE_FAILED) {
        end_return(r, replay_records_node(&r->records, node));
        replay_records_node(&r->records, node)->state = NODE_REMOVED;
        return BERTH_OK;
    }
    if (state != NODE_PRESENT)
        return refuse(r, event, "there is no such node (any more)", origin, error);
    return event->verb == TRACE_FAIL ? fail(r, node, event->duration_ns, error)
                                     : go(r, node, NODE_REMOVED, error);
}
