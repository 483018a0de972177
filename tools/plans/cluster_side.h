/* A cluster whose pending pods have been decided, and the figures for comparing two of them: how
 * many pods have a node, how full and how fragmented the nodes are, how long deciding took. */
#ifndef BERTH_TOOLS_CLUSTER_SIDE_H
#define BERTH_TOOLS_CLUSTER_SIDE_H

#include "berth/berth.h"
#include "loading/cluster_input.h"
#include "replay/replay_load.h"

/* One pod, with or without a node. */
typedef struct side_pod {
    berth_pod_id pod;
    berth_node_id node; /* BERTH_NODE_NONE: none */
    bool stranded;      /* bound to a node that is not in the input */
    berth_str namespace_name;
    berth_str name;
} side_pod;

/* A node that pods are bound to and that the input lacks. */
typedef struct side_missing {
    berth_str name;
    uint64_t pods;
} side_missing;

/* One resource over all nodes; cpu in milli, everything else in units. */
typedef struct side_resource {
    berth_str name;
    int64_t requested;
    int64_t allocatable;
    int64_t allocatable_used; /* of nodes in use */
    int64_t requested_used;
    double fragmentation; /* see replay_load.h */
} side_resource;

typedef struct side_zone {
    berth_str name; /* "-" for nodes that name none */
    uint32_t nodes;
    uint64_t pods; /* without DaemonSets' pods and mirror pods, as in every count by node */
} side_zone;

typedef struct cluster_side {
    engine_setup setup;
    cluster_input input;
    bool anew;    /* running pods are placed again, too */
    bool borrows; /* engine and setup are the caller's */
    berth_engine *engine;
    replay_load load;
    side_pod *pods; /* by namespace and name */
    size_t pod_count;
    side_missing *missing; /* by name */
    size_t missing_count;
    uint64_t stranded; /* pods that are bound to missing nodes */
    side_resource *resources;
    uint32_t resource_count;
    word_table zone_names;
    side_zone *zones; /* by name */
    uint32_t zone_count;
    uint32_t node_count;
    uint32_t nodes_in_use; /* nodes with a pod that is neither a DaemonSet's nor a mirror pod */
    uint64_t pending;      /* pods to decide, including skipped ones */
    uint64_t placed;
    uint64_t passed_over;
    double seconds; /* time spent deciding */
} cluster_side;

/* Load the input of the side, decide the pending pods in the order of a scheduler's queue, bind
 * each, and compute the figures. Errors: those of loading and deciding; release the side in either
 * case. */
berth_status cluster_side_make(cluster_side *side, berth_error *error);

/* The same for an engine that has its objects already, such as a branch: its pending pods are
 * decided there. Owner: `engine`, and what `setup` points to, stay the caller's. */
berth_status cluster_side_adopt(cluster_side *side, berth_engine *engine, const engine_setup *setup,
                                berth_error *error);

/* The number of decided pods without a node. */
uint64_t cluster_side_unplaced(const cluster_side *side);
double cluster_side_decisions_a_second(const cluster_side *side);

void cluster_side_release(cluster_side *side);

#endif
