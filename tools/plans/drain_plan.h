/* What would happen if nodes were drained: their pods are evicted in turns, as budgets allow,
 * and placed elsewhere. Everything is tried in a transaction and rolled back. */
#ifndef BERTH_TOOLS_DRAIN_PLAN_H
#define BERTH_TOOLS_DRAIN_PLAN_H

#include "cli/output.h"
#include "cli/words.h"
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

/* Zeroed: no question. */
typedef struct drain_plan {
    berth_engine *engine;
    cluster_input *input; /* of the engine: its budgets and claims count */
    bool all;
    const char *selector; /* label selector; NULL: none */
    label_query query;    /* the parsed selector */
    bool together;
    bool summary_only;
    berth_cancel_flag cancel; /* NULL, or ends it with BERTH_E_CANCELLED */
    /* results */
    drained *nodes;
    size_t node_count;
    move *moves; /* moves of all nodes; grouped by node unless drained together */
    size_t move_count;
    size_t move_capacity;
    word_table messages;
    double seconds;
    /* while the plan is made */
    berth_explanation *explanation;
    marked_pod *marked; /* only pods with traits; sorted by pod id once all are seen */
    size_t marked_count;
    size_t marked_capacity;
    uint32_t *place_of_node; /* by id: place in `nodes` + 1 */
    uint32_t place_count;
    berth_pod_id *ids; /* scratch */
    size_t id_capacity;
    bool honors_taints; /* spread constraints of a pod that moves do */
    local_volumes volumes;
} drain_plan;

/* Record the facts about a pod, volume or claim that the engine does not keep. */
void drain_plan_see(drain_plan *d, const berth_object *object, berth_pod_id pod);

/* The same for a pod whose traits (pod_traits.h) are all that is known. */
void drain_plan_mark(drain_plan *d, berth_pod_id pod, unsigned traits);

/* Choose the nodes, by name, selector or all of them. Errors: BERTH_E_NOT_FOUND. */
berth_status drain_plan_choose(drain_plan *d, const text_list *names, berth_error *error);

/* Drain the nodes; call this once every object was seen. Errors: the engine's. */
berth_status drain_plan_run(drain_plan *d, berth_error *error);
void drain_plan_free(drain_plan *d);

typedef struct drain_totals {
    uint64_t fit, unfit, forbidden; /* nodes */
    uint64_t pods, unplaced, bare, forbidden_pods, stay, local, empty_dirs;
} drain_totals;

drain_totals drain_plan_totals(const drain_plan *d);
double drain_plan_rate(const drain_plan *d); /* nodes a second */

/* "fits", "does not fit", "forbidden" */
const char *drain_verdict(const drained *node);

/* Write the members of an open object: nodes, pods, summary. */
void drain_plan_write(const drain_plan *d, output *o);

#endif
