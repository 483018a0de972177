/* How many nodes of which shapes a cluster needs so that all of its pending pods fit.
 *
 * Every count that is told was tried: that many nodes are added in a transaction, the pods are
 * decided one after the other in the order of a scheduler's queue, and the transaction is rolled
 * back. Pods that fit the cluster as it is are placed first and stay.
 *
 * What is exact: that with the nodes of the plan the pods fit that are said to fit, where each
 * goes, and that no shape takes the pods said to be taken by none. The bound: no nodes of these
 * shapes that take the same pods cost less. What is searched: with how few nodes it can be done.
 * Choosing them is bin packing, and more nodes may even hold less (a scheduler spreads), so the
 * plan is the best of those tried:
 *   alone   each shape by itself, the least number between the bound and one that does, by
 *           bisection;
 *   mixes   from nothing, again and again the shape that places most for its price, by pods and by
 *           the share of what is asked for;
 *   then    of the best so far as many nodes are taken out again as can be, and nodes of one shape
 *           exchanged for cheaper ones of another, a few at a time.
 * The search is the same every time, whatever the machine: it ends after a number of decisions. */
#ifndef BERTH_TOOLS_GROWTH_H
#define BERTH_TOOLS_GROWTH_H

#include "berth/berth.h"
#include "cli/words.h"
#include "plans/node_shape.h"

/* Pods that are alike in all that rules read. */
typedef struct growth_kind {
    berth_pod_id sample;
    uint64_t count;    /* pods that the cluster has no room for as it is */
    int64_t *requests; /* by resource */
    uint64_t fits;     /* bit s: a fresh node of shape s takes it */
    bool conditional;  /* it may fit later than it did not: it asks for other pods, or spreads */
    char *refusal;     /* why shapes do not take it, in short; NULL: all do */
    char *reason;      /* of the first of these */
    bool differs;      /* others have other reasons */
} growth_kind;

typedef struct growth_pod {
    berth_pod_id pod;
    uint32_t kind;
} growth_pod;

typedef struct growth_plan {
    uint32_t counts[NODE_SHAPES_MAX];
    uint64_t nodes;
    double price;
    uint64_t placed;
    bool tried; /* there is such a plan */
    bool mixed; /* found as a mix */
} growth_plan;

typedef struct growth_daemon {
    berth_object *object; /* a Pod of it, pinned to no node */
    uint64_t runs_on;     /* bit s: on nodes of shape s */
} growth_daemon;

typedef struct growth {
    /* given */
    berth_engine *engine; /* with all that fits placed */
    node_shapes *shapes;
    uint64_t decisions_max; /* the search ends after so many, or what costs as much */
    /* prepared */
    growth_pod *pods; /* that are left, in the order of the queue */
    size_t pod_count;
    growth_kind *kinds;
    size_t kind_count;
    size_t kind_capacity;
    word_table resources;
    int64_t *room; /* of a node of each shape, by resource, DaemonSets taken off */
    growth_daemon *daemons;
    size_t daemon_count;
    size_t daemon_capacity;
    uint64_t target; /* pods that some shape takes */
    /* found */
    growth_plan alone[NODE_SHAPES_MAX];
    growth_plan best;
    double bound_price; /* no plan that places as many as the best costs less */
    uint64_t bound_nodes;
    uint64_t decisions;
    uint64_t trials;
    bool ended_early; /* decisions_max was reached */
    /* scratch */
    bool *placed;  /* by pod */
    bool *refused; /* by kind: it will not fit any more */
    berth_node_id *added;
    size_t added_capacity;
    size_t added_count;
    uint32_t *added_shapes;
    size_t added_shape_capacity;
} growth;

/* Work out kinds, DaemonSets and rooms of `count` pending pods that the engine has no place for;
 * the engine keeps objects. Errors: those of the engine. `g` is to be freed whatever comes of
 * it. */
berth_status growth_prepare(growth *g, const berth_pod_id *pods, size_t count, berth_error *error);

/* Search. Errors: those of the engine, which is as before. */
berth_status growth_search(growth *g, berth_error *error);

/* Do it: add the nodes and place the pods, in the transaction that is open, or for good. `added`
 * and `placed` then tell of the nodes and the pods. */
berth_status growth_carry_out(growth *g, const growth_plan *plan, berth_error *error);

void growth_free(growth *g);

/* ---- between the files of a growth ---- */

/* Add nodes of one shape with the pods of DaemonSets, behind those that were added. */
berth_status growth_add_nodes(growth *g, size_t shape, uint32_t count, berth_error *error);

/* Place what is not placed yet; `placed` is brought up to date, `*count` (optional) receives how
 * many were placed by this call. */
berth_status growth_place(growth *g, uint64_t *count, berth_error *error);

/* Try counts of nodes and take them back; fills the plan's nodes, price and placed. */
berth_status growth_try(growth *g, growth_plan *plan, berth_error *error);

/* How many of the nodes added from `first` on have a pod that is not a DaemonSet's. */
uint32_t growth_used(const growth *g, size_t first);

/* What resources alone say: no fewer nodes of these shapes (bits), and none at a lower price, take
 * all pods that some of these shapes takes. Conditional pods are left out: they may fit the
 * cluster's own nodes once others are there. */
void growth_bound(const growth *g, uint64_t shapes, uint64_t *nodes, double *price);

#endif
