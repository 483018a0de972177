/* How full a cluster is while time goes by: allocatable and requested of every resource, per
 * node and in all, their integrals over time, and fragmentation.
 *
 * Fragmentation of a resource: take a pod from the mix of pods seen so far that ask for the
 * resource. The fragmentation is the share of the free amount that it is expected to find on
 * nodes which lack room for it, in this resource or in another:
 *
 *     F(r) = sum over pods p asking for r, nodes n that p does not fit on, of free(n, r)
 *            / (number of pods asking for r * sum over all nodes of free(n, r))
 *
 * 0: whatever is free can be used by any of these pods; 1: by none. Rooms are compared by
 * amounts alone, pod slots included; node rules are left out. The mix holds the first
 * LOAD_SORTS_MAX distinct requests, each weighted by the pods that made it. It is the measure of
 * the fragmentation gradient descent paper (USENIX ATC 2023), for any resource, taken from a
 * node's sum instead of from each of its devices. */
#ifndef BERTH_TOOLS_REPLAY_LOAD_H
#define BERTH_TOOLS_REPLAY_LOAD_H

#include <stdbool.h>

#include "berth/berth.h"
#include "cli/words.h"
#include "traces/id_table.h"

enum { LOAD_SORTS_MAX = 256 };

/* Amounts are cpu in milli, everything else in units, as the engine counts them. */
typedef struct replay_load {
    word_table resources; /* "cpu", "memory", "pods", then others as nodes bring them */
    uint32_t width;       /* resources that a row has room for */
    /* rows of `width` amounts */
    int64_t *allocatable; /* by node id; zeroed while the node is absent */
    int64_t *requested;   /* by node id */
    int64_t *free_seen;   /* by node id: what the sums of misfits hold */
    uint32_t *dirty;      /* nodes whose free amounts may differ from free_seen */
    bool *is_dirty;
    uint32_t dirty_count;
    uint32_t node_count; /* ids in use, present or not */
    uint32_t node_capacity;
    int64_t *total_allocatable;
    int64_t *total_requested;
    int64_t *total_free; /* of free_seen */
    double *allocatable_seconds;
    double *requested_seconds;
    double *peak;     /* largest share requested */
    int64_t *scratch; /* a row */
    /* the mix: columns of LOAD_SORTS_MAX, by resource */
    int64_t *asks;
    int64_t *misfits; /* free amount on nodes where the sort does not fit */
    uint64_t sort_pods[LOAD_SORTS_MAX];
    uint32_t sort_count;
    id_table sorts; /* hash of the amounts: number */
    uint64_t pods_seen;
    uint64_t pods_mixed; /* of sorts in the mix */
} replay_load;

void replay_load_init(replay_load *load);
void replay_load_free(replay_load *load);

/* Take in a node that came or changed; `engine` is asked for its amounts. Returns whether a
 * resource has appeared, so that the rows of pods must be asked for again. */
bool replay_load_set_node(replay_load *load, const berth_engine *engine, berth_node_id node,
                          const berth_node *object);
/* A node is gone; what was requested there has been taken off before. */
void replay_load_drop_node(replay_load *load, berth_node_id node);

/* A pod's amounts, one a resource, into `out`. */
void replay_load_pod(const replay_load *load, const berth_engine *engine, berth_pod_id pod,
                     int64_t *out);
/* Count a pod that was submitted into the mix. */
void replay_load_submit(replay_load *load, const int64_t *amounts);
/* Put a pod's amounts on a node (sign 1), or take them off (sign -1). */
void replay_load_add(replay_load *load, berth_node_id node, const int64_t *amounts, int sign);

/* Let time pass. */
void replay_load_pass(replay_load *load, int64_t span_ns);

/* Requested over allocatable, 0 without any. */
double replay_load_share(const replay_load *load, uint32_t resource);
/* Bring the misfits up to date, then each resource's fragmentation into `out`. */
void replay_load_fragments(replay_load *load, double *out);

#endif
