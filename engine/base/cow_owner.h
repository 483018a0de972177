/* Copy-on-write owner: the engine, or a branch of one of its snapshots. An owner changes a state
 * whose parts may be shared with snapshots.
 *
 * Every block of the state carries the stamp of the copy-on-write owner that made it. Nobody else
 * can see a block with the owner's current stamp, so the owner changes it in place. Any other block
 * is frozen: it is copied before the first change ("made writable"). Publishing assigns a new stamp
 * to the engine's owner, which freezes all of its blocks. Before the first publication `shared` is
 * false and everything is writable.
 *
 * An operation makes every block that it will write writable before it writes anything. Only this
 * step can run out of memory. If it does, nothing has changed; once it is done, the operation
 * cannot fail for lack of memory.
 *
 * Who frees what: the engine's owner notes each block that it replaced with the last snapshot that
 * shows the block (history.h). A branch's owner notes the blocks that it made; they are freed with
 * the branch.
 *
 * Threads: that of the engine or branch. */
#ifndef BERTH_BASE_COW_OWNER_H
#define BERTH_BASE_COW_OWNER_H

#include "base/history.h"

typedef struct berth__cow_owner {
    const berth_allocator *allocator;
    void *context;   /* passed to releases */
    uint64_t stamp;  /* the engine's owner: the number of the next snapshot */
    uint64_t rooted; /* a branch's owner: the number of its snapshot */
    bool shared;     /* some blocks may be frozen */
    bool branch;
    berth__retired *retired; /* replaced since the last publication; a branch: made by it */
    berth__retired *spares;  /* unused notes */
    uint32_t spare_count;
    uint32_t held; /* of the spares: reserved for objects that an open transaction may retire */
} berth__cow_owner;

void berth__cow_owner_init(berth__cow_owner *cow, const berth_allocator *allocator, void *context);

/* Free the blocks that a branch made, and the spare notes. */
void berth__cow_owner_destroy(berth__cow_owner *cow);

/* Make sure that `count` blocks can be noted. Returns false when out of memory. */
bool berth__cow_owner_reserve_slow(berth__cow_owner *cow, uint32_t count);
static inline bool berth__cow_owner_reserve(berth__cow_owner *cow, uint32_t count)
{
    return !cow->shared || cow->spare_count >= cow->held + count ||
           berth__cow_owner_reserve_slow(cow, count);
}

/* Reserve `count` notes until the objects they are meant for are retired or become permanent.
 * Returns false when out of memory. */
bool berth__cow_owner_hold(berth__cow_owner *cow, uint32_t count);
void berth__cow_owner_unhold(berth__cow_owner *cow, uint32_t count);

/* Take over a note, made with the owner's allocator, for a block that is retired next and that a
 * snapshot may show. The note was allocated together with the block. */
void berth__cow_owner_lend(berth__cow_owner *cow, berth__retired *note);

/* Note that a block was made. Uses up a reserved note if the copy-on-write owner is shared. */
void berth__cow_owner_note_made(berth__cow_owner *cow, berth__release *release, void *object,
                                size_t bytes);

/* Note that a block with the stamp `born` is no longer part of the state. It is freed immediately
 * if nobody else can see it. Uses up a note, too. */
void berth__cow_owner_retire(berth__cow_owner *cow, uint64_t born, berth__release *release,
                             void *object, size_t bytes);

/* Release plain memory. */
berth__release berth__release_block;

/* Returns the blocks replaced since the last publication, for a snapshot. Sets the stamp to that of
 * the next snapshot. */
berth__retired *berth__cow_owner_publish(berth__cow_owner *cow, uint64_t next_stamp);

#endif
