/* Keeps a replay's records of pods and nodes in arrays; records of pods that left are reused. */
#include "replay/replay_records.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"
#include "traces/trace.h"

const char *const replay_outcome_names[OUTCOME_COUNT] = {
#define X(name, text) #name,
    REPLAY_OUTCOME_LIST(X)
#undef X
};

const char *const replay_outcome_texts[OUTCOME_COUNT] = {
#define X(name, text) text,
    REPLAY_OUTCOME_LIST(X)
#undef X
};

void replay_records_init(replay_records *r)
{
    *r = (replay_records){.first_free = RECORD_NONE};
}

void replay_records_free(replay_records *r)
{
    for (size_t i = 0; i < r->pod_count; i++)
        berth_object_destroy(r->pods[i].copy);
    for (size_t i = 0; i < r->node_count; i++)
        berth_object_destroy(r->nodes[i].copy);
    free(r->pods);
    free(r->nodes);
    free(r->amounts);
    id_table_free(&r->by_id);
}

/* ---- pods ---- */

uint32_t replay_records_add_pod(replay_records *r, berth_pod_id id)
{
    uint32_t pod = r->first_free;
    if (pod == RECORD_NONE) {
        pod = (uint32_t)r->pod_count++;
        r->pods = heap_grow(r->pods, &r->pod_capacity, r->pod_count, sizeof(*r->pods));
        r->pods[pod] = (pod_record){.generation = 0};
        r->amounts = heap_grow(r->amounts, &r->amount_capacity, r->pod_count * r->width,
                               sizeof(*r->amounts));
    } else {
        r->first_free = r->pods[pod].next;
    }
    r->pods[pod] = (pod_record){
        .id = id,
        .node = BERTH_NODE_NONE,
        .next = RECORD_NONE,
        .previous = RECORD_NONE,
        .generation = r->pods[pod].generation + 1,
        .run = r->pods[pod].run + 1,
        .live = true,
        .placed_ns = TRACE_NEVER,
    };
    memset(replay_records_amounts(r, pod), 0, r->width * sizeof(*r->amounts));
    id_table_add(&r->by_id, id, pod);
    r->live_count++;
    return pod;
}

void replay_records_drop_pod(replay_records *r, uint32_t pod)
{
    pod_record *record = &r->pods[pod];
    assert(record->live && record->node == BERTH_NODE_NONE);
    id_table_remove(&r->by_id, record->id);
    berth_object_destroy(record->copy);
    record->copy = NULL;
    record->live = false;
    record->generation++;
    record->run++;
    record->next = r->first_free;
    r->first_free = pod;
    r->live_count--;
}

void replay_records_renew_pod(replay_records *r, uint32_t pod, berth_pod_id id)
{
    id_table_remove(&r->by_id, r->pods[pod].id);
    r->pods[pod].id = id;
    id_table_add(&r->by_id, id, pod);
}

void replay_records_attach(replay_records *r, uint32_t pod, berth_node_id node)
{
    pod_record *record = &r->pods[pod];
    node_record *on = replay_records_node(r, node);
    assert(record->node == BERTH_NODE_NONE);
    record->node = node;
    record->run++;
    record->previous = RECORD_NONE;
    record->next = on->first_pod;
    if (on->first_pod != RECORD_NONE)
        r->pods[on->first_pod].previous = pod;
    on->first_pod = pod;
}

void replay_records_detach(replay_records *r, uint32_t pod)
{
    pod_record *record = &r->pods[pod];
    assert(record->node != BERTH_NODE_NONE);
    if (record->previous != RECORD_NONE)
        r->pods[record->previous].next = record->next;
    else
        r->nodes[record->node].first_pod = record->next;
    if (record->next != RECORD_NONE)
        r->pods[record->next].previous = record->previous;
    record->node = BERTH_NODE_NONE;
    record->run++;
    record->on_way = false;
}

int64_t *replay_records_amounts(replay_records *r, uint32_t pod)
{
    return r->amounts + (size_t)pod * r->width;
}

void replay_records_widen(replay_records *r, uint32_t width)
{
    if (width <= r->width)
        return;
    size_t from = r->width;
    r->amounts =
        heap_grow(r->amounts, &r->amount_capacity, r->pod_count * width, sizeof(*r->amounts));
    for (size_t pod = r->pod_count; pod-- > 0;) {
        memmove(r->amounts + pod * width, r->amounts + pod * from, from * sizeof(*r->amounts));
        memset(r->amounts + pod * width + from, 0, (width - from) * sizeof(*r->amounts));
    }
    r->width = width;
}

/* ---- nodes ---- */

node_record *replay_records_node(replay_records *r, berth_node_id node)
{
    if (node >= r->node_count) {
        r->nodes = heap_grow(r->nodes, &r->node_capacity, (size_t)node + 1, sizeof(*r->nodes));
        for (size_t i = r->node_count; i <= node; i++)
            r->nodes[i] = (node_record){.first_pod = RECORD_NONE};
        r->node_count = (size_t)node + 1;
    }
    return &r->nodes[node];
}
