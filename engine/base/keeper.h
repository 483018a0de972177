/* A keeper: whoever changes a state whose parts may be shared with published versions: the
 * engine, or a branch of one of its versions.
 *
 * Every block of the state carries the stamp of the keeper that made it. A block with the
 * keeper's present stamp is seen by nobody else and is changed in place; any other is
 * frozen: it is copied before the first change ("owned"). Publishing gives the engine's
 * keeper a new stamp, so all of its blocks are frozen at once. While nothing was ever
 * published, `shared` is false and there is nothing to own.
 *
 * Operations own what they will write before they write anything. This is the one step that may run
 * out of memory; afterwards nothing can fail for it, and nothing has changed if it does.
 *
 * Who frees what: the engine's keeper notes blocks that it replaced, for the version they
 * were last shown by (history.h). A branch's keeper notes the blocks that it made; they go
 * when the branch does.
 *
 * Threads: that of the engine or branch. */
#ifndef BERTH_BASE_KEEPER_H
#define BERTH_BASE_KEEPER_H

#include "base/history.h"

typedef struct berth__keeper {
    const berth_allocator *allocator;
    void *context;  /* of releases */
    uint64_t stamp; /* of the engine: the number of the next version */
    bool shared;    /* some blocks may be frozen */
    bool branch;
    berth__retired *retired; /* replaced since the last publication; of a branch: made by it */
    berth__retired *spares;  /* for further ones */
    uint32_t spare_count;
    uint32_t held; /* of the spares: kept for objects that an open transaction may let go */
} berth__keeper;

void berth__keeper_init(berth__keeper *keeper, const berth_allocator *allocator, void *context);

/* Free what a branch made, and the spares. */
void berth__keeper_destroy(berth__keeper *keeper);

/* Make sure that so many blocks can be noted. Returns false when out of memory. */
bool berth__keeper_reserve_slow(berth__keeper *keeper, uint32_t count);
static inline bool berth__keeper_reserve(berth__keeper *keeper, uint32_t count)
{
    return !keeper->shared || keeper->spare_count >= keeper->held + count ||
           berth__keeper_reserve_slow(keeper, count);
}

/* Keep so many notes until what they are for is let go, or stays. Returns false when out of
 * memory. */
bool berth__keeper_hold(berth__keeper *keeper, uint32_t count);
void berth__keeper_unhold(berth__keeper *keeper, uint32_t count);

/* A block was made; uses up a reserved note if the keeper is shared. */
void berth__keeper_made(berth__keeper *keeper,
                        berth__release *release, void *object,
                        size_t bytes);

/* A block with the stamp `born` is no longer part of the state: freed at once if nobody
 * else can see it. Likewise uses up a note. */
void berth__keeper_let_go(berth__keeper *keeper, uint64_t born,
                          berth__release *release, void *object,
                        size_t bytes);

/* Release plain memory. */
berth__release berth__release_block;

/* What was replaced since the last time, for a version; the stamp becomes that of the next. */
berth__retired *berth__keeper_publish(berth__keeper *keeper, uint64_t next_stamp);

#endif
