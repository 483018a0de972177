/* Branches: engines whose cluster is rooted in a snapshot, and the pool of idle ones.
 *
 * A branch engine is more than its branch: counters, journal, search trees and prepared states
 * belong to the struct, which is used again for other branches. States, and who moves it between
 * them:
 *
 *   idle --create--> rooted --first decision--> in step --drop--> idle
 *                       `-------------------drop-----------------^
 *
 * idle     the counters are those of the snapshot `followed`, which stays pinned; or there are none
 * rooted   the cluster is that of `base`, pinned, or what the branch has made of it; the counters
 *          are still those of `followed`, and the view has none
 * in step  the counters are those of the cluster, and follow every change; nothing is followed
 *
 * Dropping a branch in step brings the counters to `base`, which is followed from then on: so what
 * the branch made can go. Volumes go by states of their own (branch_volumes.h). Idle engines that
 * fall too far behind end with what they follow.
 *
 * Threads: the pool is under its lock, which is held for a few instructions; everything else is the
 * branch's thread's. The publisher only tries the lock. */
#ifndef BERTH_VERSIONS_BRANCH_H
#define BERTH_VERSIONS_BRANCH_H

#include "berth/branch.h"
#include "versions/branch_volumes.h"
#include "versions/engine_state.h"

enum {
    BERTH__BRANCHES_IDLE = 4,   /* engines kept */
    BERTH__BRANCHES_AGE = 1024, /* publications after which an idle one ends */
};

typedef struct berth__branch {
    berth_engine *parent;
    berth_engine *next;               /* idle ones */
    berth_snapshot *base;             /* NULL: idle */
    berth_snapshot *followed;         /* NULL: the counters are in step, or there are none */
    struct berth__pod_counts *counts; /* while the view has none */
    berth__branch_volumes volumes;
    uint32_t *placed; /* pods bound, in order; pods may come again, or not stay */
    uint32_t placed_count;
    uint32_t placed_capacity;
} berth__branch;

typedef struct berth__branches {
    pthread_mutex_t lock;
    berth_engine *idle;  /* sync: lock */
    uint32_t idle_count; /* sync: lock */
} berth__branches;

/* The pool of an engine that is about to publish for the first time. */
berth_status berth__branches_init(berth_engine *engine);
void berth__branches_destroy(berth_engine *engine);

/* A snapshot was published: idle engines that have fallen behind end. Cost: now and then, that of
 * freeing their counters and trees. */
void berth__branches_age(berth_engine *engine);

/* Room to note that a pod is bound on a branch, and noting it. Nothing on an engine. */
bool berth__branch_reserve(berth_engine *branch);
void berth__branch_note(berth_engine *branch, uint32_t pod);

#endif
