/* A snapshot of an engine's cluster. Its head is a berth__snapshot_head (base/history.h), its
 * body a copy of the cluster's struct, whose blocks the history keeps, and copies of what is not
 * kept in such blocks.
 *
 * Threads: immutable after publish. */
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
        cluster; /* what is in pages; counters, the store and nominations are the engine's alone */
    berth_counts counts;
    /* Where the engine's decisions would go on. */
    uint32_t rotation;
    uint32_t round_robin;
    berth__random random;
    berth__nominated *nominated; /* in the order in which they are to be made again */
    uint32_t nominated_count;
    berth__sym *resources; /* names of resources; they live as long as it does */
    uint32_t resource_count;
};

#endif
