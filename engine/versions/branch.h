/* Branches: engines whose cluster is rooted in a snapshot, and the pool of idle ones.
 *
 * A branch engine outlives its branch: counters, journal, search trees and prepared states belong
 * to the struct, which other branches use again. These are its states, and the calls that change
 * them:
 *
 *   idle --create--> rooted --first decision--> in step --drop--> idle
 *                       `-------------------drop-----------------^
 *
 *   idle     the counters are those of the snapshot `followed`, which stays pinned; or there are
 *            none
 *   rooted   the cluster is that of `base`, which is pinned, with the branch's changes; the
 *            counters are still those of `followed`, and the view has none
 *   in step  the counters are those of the cluster, and follow every change; `followed` is NULL
 *
 * Dropping a branch that is in step brings its counters to `base`, which becomes `followed`, so
 * that the branch's own pages can be freed. Volumes have states of their own (branch_volumes.h).
 * Idle engines that fall too far behind are freed, together with their pin.
 *
 * Threads: a lock protects the pool and is held for a few instructions; everything else is used by
 * the branch's thread. The publisher only tries the lock. */
#ifndef BERTH_VERSIONS_BRANCH_H
#define BERTH_VERSIONS_BRANCH_H

#include "berth/branch.h"
#include "versions/branch_volumes.h"
#include "versions/engine_state.h"

enum {
    BERTH__BRANCHES_IDLE = 4,   /* idle engines to keep */
    BERTH__BRANCHES_AGE = 1024, /* publications after which an idle one is freed */
};

typedef struct berth__branch {
    berth_engine *parent;
    berth_engine *next;               /* next idle one */
    berth_snapshot *base;             /* NULL: idle */
    berth_snapshot *followed;         /* NULL: the counters are in step, or do not exist */
    struct berth__pod_counts *counts; /* kept here while the view has none */
    berth__branch_volumes volumes;
    uint32_t *placed; /* pods bound, in order; a pod may occur twice, or be unbound again */
    uint32_t placed_count;
    uint32_t placed_capacity;
} berth__branch;

typedef struct berth__branches {
    pthread_mutex_t lock;
    berth_engine *idle;  /* sync: lock */
    uint32_t idle_count; /* sync: lock */
} berth__branches;

/* Make the pool of an engine before its first publication. */
berth_status berth__branches_init(berth_engine *engine);
void berth__branches_destroy(berth_engine *engine);

/* After a publication: free idle engines that have fallen behind. Cost: sometimes that of freeing
 * their counters and trees. */
void berth__branches_age(berth_engine *engine);

/* Reserve room to record that a pod is bound on a branch; record it. Both do nothing on an
 * engine. */
bool berth__branch_reserve(berth_engine *branch);
void berth__branch_note(berth_engine *branch, uint32_t pod);

#endif
