/* Which nodes a cluster needs, and how many, so that all of its pending pods fit.
 *
 * Every reported count was tried: the nodes are added in a transaction, the pods are decided one
 * after the other in the order of a scheduler's queue, and the transaction is rolled back. Pods
 * that fit the present cluster are placed first and stay.
 *
 * Exact: with the nodes of the plan, the pods reported as fitting fit, and go where the plan says;
 * pods reported as refused fit on no shape. The bound is proved: no cheaper nodes of these
 * shapes take the same pods. The number of nodes is searched. Choosing nodes is bin packing, and
 * more nodes may even hold fewer pods (a scheduler spreads), so the plan is the best of those
 * tried:
 *   alone   each shape by itself: bisection between the bound and a number that works;
 *   mixes   starting empty, add the shape that places most for its price, measured by pods and by
 *           their share of all requests;
 *   then    from the best plan, remove as many nodes as possible, and exchange nodes of one shape
 *           for cheaper ones of another, a few at a time.
 * The search ends after a number of decisions, so it has the same result on every machine. */
#ifndef BERTH_TOOLS_GROWTH_H
#define BERTH_TOOLS_GROWTH_H

#include "berth/berth.h"
#include "cli/words.h"
#include "plans/node_shape.h"

/* Pods that are alike in everything that rules read. */
typedef struct growth_kind {
    berth_pod_id sample;
    uint64_t count;    /* pods without room in the present cluster */
    int64_t *requests; /* by resource */
    uint64_t fits;     /* bit s: such a pod fits on an empty node of shape s */
    bool conditional;  /* may fit later: depends on other pods, or spreads */
    char *refusal;     /* why shapes refuse it, in short; NULL: none does */
    char *reason;      /* the reason of the first shape that refuses it */
    bool differs;      /* other shapes have other reasons */
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
    bool tried; /* a plan exists */
    bool mixed; /* found as a mix */
} growth_plan;

typedef struct growth_daemon {
    berth_object *object; /* one of its pods, not pinned to a node */
    uint64_t runs_on;     /* bit s: it runs on nodes of shape s */
} growth_daemon;

typedef struct growth {
    /* input */
    berth_engine *engine; /* all pods that fit are placed */
    node_shapes *shapes;
    uint64_t decisions_max;   /* limit of the search, in decisions or equivalent work */
    berth_cancel_flag cancel; /* NULL, or ends the search with BERTH_E_CANCELLED */
    /* made by growth_prepare */
    growth_pod *pods; /* remaining pods, in the order of the queue */
    size_t pod_count;
    growth_kind *kinds;
    size_t kind_count;
    size_t kind_capacity;
    word_table resources;
    int64_t *room; /* room on a node of each shape, by resource, without its DaemonSets' pods */
    growth_daemon *daemons;
    size_t daemon_count;
    size_t daemon_capacity;
    uint64_t target; /* pods that some shape takes */
    /* results */
    growth_plan alone[NODE_SHAPES_MAX];
    growth_plan best;
    double bound_price; /* lower bound of the price of a plan as good as the best */
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

/* Compute kinds, DaemonSets and rooms for `count` pending pods that fit nowhere in the engine,
 * which must keep objects. Errors: those of the engine; free `g` in either case. */
berth_status growth_prepare(growth *g, const berth_pod_id *pods, size_t count, berth_error *error);

/* Search for the plans. The engine is unchanged afterwards. Errors: those of the engine, and
 * BERTH_E_CANCELLED. */
berth_status growth_search(growth *g, berth_error *error);

/* Carry out a plan: add the nodes and place the pods, in the open transaction if there is one.
 * `added` and `placed` then describe the nodes and the pods. */
berth_status growth_carry_out(growth *g, const growth_plan *plan, berth_error *error);

void growth_free(growth *g);

/* ---- shared between the growth_*.c files ---- */

/* Add nodes of one shape with their DaemonSets' pods, after those in `added`. */
berth_status growth_add_nodes(growth *g, size_t shape, uint32_t count, berth_error *error);

/* Try to place the pods that are not placed yet; updates `placed`. `*count` (optional) receives how
 * many this call placed. */
berth_status growth_place(growth *g, uint64_t *count, berth_error *error);

/* Try the plan's counts of nodes and take them back; fills the plan's nodes, price and placed. */
berth_status growth_try(growth *g, growth_plan *plan, berth_error *error);

/* How many of the nodes added from `first` on have a pod that is not a DaemonSet's. */
uint32_t growth_used(const growth *g, size_t first);

/* A lower bound from resources alone: no fewer nodes of these shapes (bits), and none at a lower
 * price, take all pods that any of these shapes takes. Conditional pods are left out, because the
 * cluster's own nodes may take them once other pods are placed. */
void growth_bound(const growth *g, uint64_t shapes, uint64_t *nodes, double *price);

#endif
