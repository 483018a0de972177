/* How full a cluster is: requested and allocatable, by zone and resource. */
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
    usage_cell *cells;    /* zones x resources, then a row for all of them together */
} usage;

/* Add up all nodes of `engine`. `resources` are the names that occur; of those beside cpu,
 * memory and pods, extended ones are kept if any node has some, the rest only where something
 * is requested. Errors: those of berth_engine_node_order; `*u` is empty then. */
berth_status usage_measure(usage *u, berth_engine *engine, const word_table *resources,
                           berth_error *error);
void usage_release(usage *u);

/* The zone of a node, by today's label or the one before; "-": it names none. */
berth_str usage_zone(const berth_engine *engine, berth_node_id node);

/* An amount of a resource as Kubernetes writes it: "1500m", "2Gi"; cpu is given in milli, all else
 * in units. */
void usage_amount(berth_str resource, int64_t amount, char *out, size_t size);

/* As an aligned table, amounts rounded for reading. */
void usage_print(const usage *u, FILE *file);

/* As an array of objects, amounts exact. */
void usage_write(const usage *u, output *o);

#endif
