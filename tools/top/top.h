/* Adds up what a cluster's pods request, their limits, and what its nodes have free: by node, zone,
 * namespace or owner. Nothing is decided: pending pods stay pending. */
#ifndef BERTH_TOOLS_TOP_H
#define BERTH_TOOLS_TOP_H

#include "cli/options.h"
#include "cli/text_buffer.h"
#include "loading/cluster_input.h"
#include "plans/node_state.h"
#include "prices/money.h"
#include "top/pod_limits.h"

enum { TOP_CPU, TOP_MEMORY, TOP_PODS, TOP_FIXED_RESOURCES };

/* What a row stands for; the words of --by. */
typedef enum top_by { TOP_BY_NODE, TOP_BY_NAMESPACE, TOP_BY_ZONE, TOP_BY_OWNER } top_by;
extern const char *const top_by_names[];

/* The order of rows; the words of --sort. By an amount, the largest request or cost comes first. */
typedef enum top_sort {
    TOP_SORT_CPU,
    TOP_SORT_MEMORY,
    TOP_SORT_PODS,
    TOP_SORT_NAME,
    TOP_SORT_COST
} top_sort;
extern const char *const top_sort_names[];

/* One resource of a row; cpu in milli, everything else in units. The resource "pods" has no limits;
 * namespaces and owners have nothing allocatable or free. */
typedef struct top_cell {
    int64_t requested;
    int64_t limits;
    int64_t allocatable;
    int64_t free;   /* on nodes that are usable */
    int64_t closed; /* free on the other nodes */
    int64_t most;   /* free on one usable node */
    bool limited;   /* some container has a limit */
} top_cell;

/* A node, zone, namespace or owner, or a sum of them. Texts are the engine's. */
typedef struct top_row {
    berth_str namespace_name; /* of an owner or namespace */
    berth_str kind;           /* of an owner */
    berth_str name;
    berth_node_id node;
    node_state state; /* of a node */
    bool full;        /* of a node: it has as many pods as it accepts */
    top_cell *cells;  /* one for each resource */
    uint64_t nodes;
    uint64_t usable; /* nodes that are open and not full */
    uint64_t pods;
    uint64_t pending; /* pods without a node */
    uint64_t containers;
    uint64_t without_cpu; /* containers without a limit */
    uint64_t without_memory;
    money price; /* of its nodes, per hour; 0 without prices */
    money used;  /* the pods' part of prices: see top_cost.h */
    money idle;  /* of its nodes: the part that belongs to no pod */
} top_row;

/* The caller sets the first seven members and zeroes the others. */
typedef struct top {
    berth_engine *engine;
    const cluster_input *input;
    const pod_limits *limits;
    const text_list *asked; /* names of further resources to show */
    top_by by;
    top_sort sort;
    const char *only_namespace; /* NULL: all */
    word_table resources;       /* cpu, memory, pods, requested ones, then extended ones by name */
    size_t named;               /* number of resources that are always shown */
    uint32_t *limit_resources;  /* limits->resources to number here, or UINT32_MAX */
    top_row *rows;
    size_t row_count, row_capacity;
    word_table keys;  /* one for each row */
    text_buffer key;  /* of the row looked for */
    top_row total;    /* sum of the rows */
    top_row nodes;    /* sum of all nodes and the pods on them */
    top_row waiting;  /* pods without a node */
    top_row stranded; /* pods on nodes that are not in the input */
    uint64_t refused; /* pods of manifests that a quota or LimitRange refuses: not counted */
    uint64_t state_nodes[NODE_STATE_COUNT];
    uint64_t full_nodes; /* full nodes that are open */
    uint64_t unpriced;   /* nodes without a price */
} top;

/* Add everything up and sort the rows. Errors: BERTH_E_NOT_FOUND (no node or pod has a resource
 * that was requested), those of the engine. Release in either case. */
berth_status top_make(top *t, berth_error *error);
void top_release(top *t);

/* Whether a row's node counts for the free amounts. */
bool top_is_usable(const top_row *row);

#endif
