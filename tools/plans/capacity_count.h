/* Counts how many more pods of each specification a cluster takes, on which nodes, and what stops
 * the next one. Everything is tried in a transaction and rolled back. */
#ifndef BERTH_TOOLS_CAPACITY_COUNT_H
#define BERTH_TOOLS_CAPACITY_COUNT_H

#include "cli/output.h"
#include "loading/podspecs.h"

/* Zeroed: nothing to count. */
typedef struct capacity_count {
    berth_engine *engine;
    cluster_input *input;     /* of the engine: its admission and claims count */
    podspecs specs;           /* results are stored in them */
    uint64_t max;             /* of each specification; 0: no limit */
    bool together;            /* all in one cluster, in turn */
    berth_cancel_flag cancel; /* NULL, or ends the count with BERTH_E_CANCELLED */
    /* results */
    berth_node_id *nodes; /* in search order */
    uint32_t node_count;
    uint64_t decision_count;
    double seconds;
    /* while counting */
    berth_explanation *explanation;
    uint32_t *place_of_node; /* by id: place in `nodes` */
    uint32_t place_count;
} capacity_count;

/* Count. Errors: the engine's. The specifications' results belong to them; call
 * capacity_count_free in any case. */
berth_status capacity_count_run(capacity_count *c, berth_error *error);
void capacity_count_free(capacity_count *c);

/* How many nodes take pods of a specification. */
uint32_t capacity_count_nodes(const capacity_count *c, const podspec *spec);

double capacity_count_rate(const capacity_count *c); /* decisions a second */

/* Write the members "podspecs" and "summary" of an open object; with `summary_only` without the
 * nodes of each specification. */
void capacity_count_write(const capacity_count *c, bool summary_only, output *o);

#endif
