/* Copy-on-write owner: whoever changes a state whose parts may be shared with snapshots: the
 * engine, or a branch of one of its snapshots.
 *
 * Every block of the state carries the stamp of the copy-on-write owner that made it. A block with
 * the owner's present stamp is seen by nobody else and is changed in place; any other is frozen: it
 * is copied before the first change ("made writable"). Publishing gives the engine's owner a new
 * stamp, so all of its blocks are frozen at once. While nothing was ever published, `shared` is
 * false and everything is writable.
 *
 * Operations make writable what they will write before they write anything. This is the one step
 * that may run out of memory; afterwards nothing can fail for it, and nothing has changed if it
 * does.
 *
 * Who frees what: the engine's owner notes blocks that it replaced, for the snapshot they
 * were last shown by (history.h). A branch's owner notes the blocks that it made; they go
 * when the branch does.
 *
 * Threads: that of the engine or branch. */
#ifndef BERTH_BASE_COW_OWNER_H
#define BERTH_BASE_COW_OWNER_H

#include "base/history.h"

typedef struct berth__cow_owner {
    const berth_allocator *allocator;
    void *context;   /* of releases */
    uint64_t stamp;  /* of the engine: the number of the next snapshot */
    uint64_t rooted; /* of a branch: the number of its snapshot */
    bool shared;     /* some blocks may be frozen */
    bool branch;
    berth__retired *retired; /* replaced since the last publication; of a branch: made by it */
    berth__retired *spares;  /* for further ones */
    uint32_t spare_count;
    uint32_t held; /* of the spares: kept for objects that an open transaction may retire */
} berth__cow_owner;

void berth__cow_owner_init(berth__cow_owner *cow, const berth_allocator *allocator, void *context);

/* Free what a branch made, and the spares. */
void berth__cow_owner_destroy(berth__cow_owner *cow);

/* Make sure that so many blocks can be noted. Returns false when out of memory. */
bool berth__cow_owner_reserve_slow(berth__cow_owner *cow, uint32_t count);
static inline bool berth__cow_owner_reserve(berth__cow_owner *cow, uint32_t count)
{
    return !cow->shared || cow->spare_count >= cow->held + count ||
           berth__cow_owner_reserve_slow(cow, count);
}

/* Keep so many notes until what they are for is retired, or stays. Returns false when out of
 * memory. */
bool berth__cow_owner_hold(berth__cow_owner *cow, uint32_t count);
void berth__cow_owner_unhold(berth__cow_owner *cow, uint32_t count);

/* Take over a note of the owner's allocator, for a block that is retired next and that a snapshot
 * may show: one whose going was provided for when it was made. */
void berth__cow_owner_lend(berth__cow_owner *cow, berth__retired *note);

/* A block was made; uses up a reserved note if the copy-on-write owner is shared. */
void berth__cow_owner_note_made(berth__cow_owner *cow, berth__release *release, void *object,
                                size_t bytes);

/* A block with the stamp `born` is no longer part of the state: freed at once if nobody
 * else can see it. Likewise uses up a note. */
void berth__cow_owner_retire(berth__cow_owner *cow, uint64_t born, berth__release *release,
                             void *object, size_t bytes);

/* Release plain memory. */
berth__release berth__release_block;

/* What was replaced since the last time, for a snapshot; the stamp becomes that of the next. */
berth__retired *berth__cow_owner_publish(berth__cow_owner *cow, uint64_t next_stamp);

#endif
