/* A snapshot of an engine's cluster. Its head is a berth__snapshot_head (base/history.h). Its body
 * is a copy of the cluster's struct, whose blocks the history keeps, and copies of data outside of
 * such blocks.
 *
 * Threads: immutable after publishing. */
#ifndef BERTH_VERSIONS_SNAPSHOT_STATE_H
#define BERTH_VERSIONS_SNAPSHOT_STATE_H

#include "berth/snapshot.h"
#include "versions/engine_state.h"

typedef struct berth__nominated {
    uint32_t pod;
    uint32_t node;
    bool from_object;
} berth__nominated;

struct berth_snapshot {
    berth__snapshot_head head;
    berth_engine *engine;
    berth__cluster
        cluster; /* only the parts in pages; counters, store and nominations are the engine's */
    berth_counts counts;
    /* Where the engine's decisions would continue. */
    uint32_t rotation;
    uint32_t round_robin;
    berth__random random;
    berth__nominated *nominated; /* in the order for making them again */
    uint32_t nominated_count;
    berth__sym *resources; /* names of resources; they live as long as the snapshot */
    uint32_t resource_count;
    /* The number of pins held by the library's callers; the head's count includes those of
     * branches. sync: none, because each unpin comes after its pin, and nothing else is ordered by
     * it */
    atomic_uint_least64_t caller_pins;
};

/* Pin a snapshot that is pinned already, for the library itself; and give that pin back, or accept
 * NULL. */
static inline berth_snapshot *berth__snapshot_hold(berth_snapshot *snapshot)
{
    berth__history_pin_again(&snapshot->head);
    return snapshot;
}

static inline void berth__snapshot_let_go(berth_snapshot *snapshot)
{
    if (snapshot != NULL)
        berth__history_unpin(&snapshot->engine->history, &snapshot->head);
}

#endif
