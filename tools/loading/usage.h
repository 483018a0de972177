/* How full a cluster is: requested and allocatable amounts, by zone and resource. */
#ifndef BERTH_TOOLS_USAGE_H
#define BERTH_TOOLS_USAGE_H

#include "berth/berth.h"
#include "cli/output.h"
#include "cli/words.h"

typedef struct usage_cell {
    int64_t requested;
    int64_t allocatable;
} usage_cell;

typedef struct usage {
    word_table resources; /* cpu, memory, pods, then the others by name */
    word_table zones;     /* in search order; "-" for nodes that name none */
    usage_cell *cells;    /* zones x resources, then a row of totals */
} usage;

/* Add up all nodes of `engine`. `resources` are the names that occur. cpu, memory and pods are
 * always kept; extended resources if a node has some; all others only if some is requested. Errors:
 * those of berth_engine_node_order; `*u` is empty then. */
berth_status usage_measure(usage *u, berth_engine *engine, const word_table *resources,
                           berth_error *error);
void usage_release(usage *u);

/* The zone of a node, by the current label or the older one; "-" if the node names none. */
berth_str usage_zone(const berth_engine *engine, berth_node_id node);

/* Writes an amount as Kubernetes does: "1500m", "2Gi". cpu is passed in milli, all else in
 * units. */
void usage_amount(berth_str resource, int64_t amount, char *out, size_t size);

/* Print an aligned table with rounded amounts. */
void usage_print(const usage *u, FILE *file);

/* Write an array of objects with exact amounts. */
void usage_write(const usage *u, output *o);

#endif
