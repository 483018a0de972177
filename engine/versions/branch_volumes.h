/* The store of volumes of a branch engine, and the volumes in use; kept from one branch to the
 * next.
 *
 * Their states resemble those of the branch engine (branch.h), but change on their own:
 *
 *   none --first pod with volumes--> in step --drop--> behind --such a pod--> in step
 *    ^                                     |
 *    +-- drop after changes, or no memory --+
 *
 *   none     no branch of this engine has used volumes yet, or they were freed; `gone` tells which
 *   behind   they are those of the snapshot `followed`, which stays pinned; the view has none
 *   in step  they are the view's, and follow every change of the branch; `followed` is NULL
 *
 * Threads: the branch's. */
#ifndef BERTH_VERSIONS_BRANCH_VOLUMES_H
#define BERTH_VERSIONS_BRANCH_VOLUMES_H

#include "cluster/cluster.h"
#include "columns/volume_use.h"
#include "devices/devices.h"
#include "store/storage.h"

struct berth_snapshot;

typedef struct berth__branch_volumes {
    berth__storage *storage; /* NULL: none */
    berth__volume_use *use;
    berth__devices *devices;
    struct berth_snapshot *followed; /* NULL: in step, or none */
    bool gone; /* they were freed: what was computed with them may refer to freed memory */
} berth__branch_volumes;

/* Bring them into step with a branch of a pinned snapshot. Errors: BERTH_E_NOMEM; they are dropped
 * then. Cost: linear in the differences; the first time, in all records of volumes and in the
 * pods. */
berth_status berth__branch_volumes_catch_up(berth__branch_volumes *volumes, berth__cluster *cluster,
                                            const struct berth_snapshot *snapshot);

/* The cluster is the snapshot's again, and was `former` while they were in step. They follow the
 * snapshot from now on. */
void berth__branch_volumes_return(berth__branch_volumes *volumes, berth__cluster *cluster,
                                  const berth__cluster *former, struct berth_snapshot *snapshot);

void berth__branch_volumes_destroy(berth__branch_volumes *volumes);

#endif
