/* A drain: the question and its results. cmd_drain.c computes them, drain_answer.c prints them. */
#ifndef BERTH_COMMANDS_DRAIN_H
#define BERTH_COMMANDS_DRAIN_H

#include "cli/listing.h"
#include "cli/words.h"
#include "loading/budgets.h"
#include "loading/cluster_input.h"
#include "plans/label_query.h"
#include "plans/local_volumes.h"

typedef struct marked_pod {
    berth_pod_id pod;
    unsigned traits;
} marked_pod;

/* A pod that must move to another node. */
typedef struct move {
    berth_pod_id pod;
    berth_node_id from;
    berth_node_id to; /* BERTH_NODE_NONE: it fits nowhere */
    int32_t priority;
    uint32_t order;   /* order in which the pods arrived on their nodes */
    uint32_t message; /* in `messages`, if it fits nowhere */
    uint32_t turn; /* turn of evictions in which the pod leaves, from 1; 0: a budget protects it */
    int budget;    /* budget that covers the pod: see budgets_of */
    bool bare;
    bool empty_dir;   /* its emptyDir data is lost */
    berth_str volume; /* a volume that only its node reaches; zeroed: none */
} move;

/* One drained node, or one of several that are drained together. */
typedef struct drained {
    berth_node_id node;
    uint32_t pods; /* to be moved */
    uint32_t placed;
    uint32_t stay[3]; /* by trait: daemon, mirror, terminating */
    uint32_t bare;
    uint32_t forbidden;
    uint32_t turns;      /* turns of evictions */
    uint32_t empty_dirs; /* pods that lose data */
    uint32_t local;      /* pods with a volume that only this node reaches */
} drained;

typedef struct drain {
    engine_setup setup;
    cluster_input input;
    bool all;
    const char *selector; /* label selector; NULL: none */
    label_query query;    /* the parsed selector */
    bool together;
    bool list_moves;
    bool summary_only;
    listing list;
    berth_engine *engine;
    berth_explanation *explanation;
    marked_pod *marked; /* sorted by pod id once loaded; only pods with traits */
    size_t marked_count;
    size_t marked_capacity;
    drained *nodes;
    size_t node_count;
    uint32_t *place_of_node; /* by id: place in `nodes` + 1 */
    uint32_t place_count;
    move *moves; /* moves of all nodes; grouped by node unless drained together */
    size_t move_count;
    size_t move_capacity;
    berth_pod_id *ids; /* scratch */
    size_t id_capacity;
    local_volumes volumes;
    word_table messages;
    double seconds;
} drain;

/* The number of nodes whose pods all fit elsewhere and may leave. */
size_t drain_fitting(const drain *d);

/* Print the results in the requested form, as the command of that name. */
void drain_show(const drain *d, const char *command);

#endif
