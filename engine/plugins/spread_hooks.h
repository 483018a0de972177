/* PodTopologySpread's counts while a PodGroup preempts. kube-scheduler counts once, when a pod of
 * the group is placed on the emptied cluster. As pods come back to their nodes, its hooks
 * (PreFilterExtensions) adjust these counts. The result differs from counting again: the hooks
 * count pods that are being deleted, and an empty selector counts all pods of the namespace. They
 * also take the lowest count from only two domains, which were the lowest at some time.
 * Source: kube-scheduler v1.37, plugins/podtopologyspread/filtering.go. */
#ifndef BERTH_PLUGINS_SPREAD_HOOKS_H
#define BERTH_PLUGINS_SPREAD_HOOKS_H

#include "plugins/plugin.h"

typedef struct berth__spread_path {
    uint32_t domain; /* of the topology; 0: none yet */
    int64_t count;
} berth__spread_path;

/* The counts of one constraint. */
typedef struct berth__spread_tally {
    int64_t *counts;  /* by domain; -1: it has no entry */
    uint32_t domains; /* length of `counts` */
    uint32_t entries; /* domains that have one */
    berth__spread_path lowest[2];
} berth__spread_tally;

/* The counts of a pod. */
typedef struct berth__spread_hooks {
    berth__spread_tally *tallies; /* in the arena of the caller */
    uint32_t count;               /* 0: the pod has no hard constraint */
} berth__spread_hooks;

/* Count for the pod of `cycle`, as before its decision. `instance` is the filter's, here and below.
 * Returns false when out of memory. Cost: reads every slot for each constraint. */
bool berth__spread_hooks_note(const berth__question *cycle, const void *instance,
                              berth__arena *arena, berth__spread_hooks *out);

/* A copy in `arena`, which may be changed to answer one question. False: out of memory. */
bool berth__spread_hooks_copy(const berth__spread_hooks *hooks, berth__arena *arena,
                              berth__spread_hooks *out);

/* A pod of `cls` arrived in a slot (`change` 1) or left it (-1). */
bool berth__spread_hooks_move(const berth__question *cycle, const void *instance,
                              berth__spread_hooks *hooks, const berth__class *cls, uint32_t slot,
                              int change);

/* Whether the pod of `cycle` passes the filter on a slot, by these counts. */
bool berth__spread_hooks_fit(const berth__question *cycle, const void *instance,
                             const berth__spread_hooks *hooks, uint32_t slot, bool *fits);

#endif
