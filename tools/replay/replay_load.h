/* How full a cluster is over time: allocatable and requested amounts of every resource, per node
 * and in total, their integrals over time, and fragmentation.
 *
 * Fragmentation of a resource: take a pod from the mix of pods seen so far that request the
 * resource. The fragmentation is the expected share of the free amount that lies on nodes without
 * room for the pod, in this resource or in another:
 *
 *     F(r) = sum over pods p asking for r, nodes n that p does not fit on, of free(n, r)
 *            / (number of pods asking for r * sum over all nodes of free(n, r))
 *
 * 0: any of these pods can use everything that is free; 1: none can use anything. Room is compared
 * by amounts alone, including pod slots; other rules about nodes are ignored. The mix consists of
 * the first LOAD_SORTS_MAX distinct requests, each weighted by its number of pods. This is the
 * measure of the fragmentation gradient descent paper (USENIX ATC 2023), for any resource, computed
 * from a node's sum instead of each of its devices. */
#ifndef BERTH_TOOLS_REPLAY_LOAD_H
#define BERTH_TOOLS_REPLAY_LOAD_H

#include <stdbool.h>

#include "berth/berth.h"
#include "cli/words.h"
#include "traces/id_table.h"

enum { LOAD_SORTS_MAX = 256 };

/* Amounts are cpu in milli, everything else in units, as the engine counts them. */
typedef struct replay_load {
    word_table resources; /* "cpu", "memory", "pods", then others as they appear */
    uint32_t width;       /* capacity of a row in resources */
    /* rows of `width` amounts */
    int64_t *allocatable; /* by node id; zeroed while the node is absent */
    int64_t *requested;   /* by node id */
    int64_t *free_seen;   /* by node id: the free amounts in the sums of misfits */
    uint32_t *dirty;      /* nodes whose free amounts may differ from free_seen */
    bool *is_dirty;
    uint32_t dirty_count;
    uint32_t node_count; /* ids in use, present or not */
    uint32_t node_capacity;
    __int128 *total_allocatable;
    __int128 *total_requested;
    __int128 *total_free; /* sums of free_seen */
    double *allocatable_seconds;
    double *requested_seconds;
    double *peak;     /* largest share requested */
    int64_t *scratch; /* a row */
    /* the mix: columns of LOAD_SORTS_MAX, by resource */
    int64_t *asks;
    uint64_t *misfits; /* free amount on nodes where the sort does not fit, modulo 2^64 */
    uint64_t sort_pods[LOAD_SORTS_MAX];
    uint32_t sort_count;
    id_table sorts; /* hash of the amounts to number */
    uint64_t pods_seen;
    uint64_t pods_mixed; /* pods of the sorts in the mix */
} replay_load;

void replay_load_init(replay_load *load);
void replay_load_free(replay_load *load);

/* Record a node that came or changed; its amounts come from `engine`. Returns whether a resource
 * has appeared; then the rows of pods must be computed again. */
bool replay_load_set_node(replay_load *load, const berth_engine *engine, berth_node_id node,
                          const berth_node *object);
/* Remove a node; the requests on it have been taken off before. */
void replay_load_drop_node(replay_load *load, berth_node_id node);

/* Write a pod's amounts, one for each resource, to `out`. */
void replay_load_pod(const replay_load *load, const berth_engine *engine, berth_pod_id pod,
                     int64_t *out);
/* Add a submitted pod to the mix. */
void replay_load_submit(replay_load *load, const int64_t *amounts);
/* Put a pod's amounts on a node (sign 1), or take them off (sign -1). */
void replay_load_add(replay_load *load, berth_node_id node, const int64_t *amounts, int sign);

/* Let time pass. */
void replay_load_pass(replay_load *load, int64_t span_ns);

/* Requested divided by allocatable; 0 if nothing is allocatable. */
double replay_load_share(const replay_load *load, uint32_t resource);
/* Update the misfits, then write each resource's fragmentation to `out`. */
void replay_load_fragments(replay_load *load, double *out);

#endif
