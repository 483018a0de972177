/* What a scorer about other pods tells nodes apart by, and the nodes that it is then asked about:
 * one of each class, instead of all (index/score_classes.h).
 *
 * Threads: as the prepare phases. */
#ifndef BERTH_PLUGINS_SCORE_PARTS_H
#define BERTH_PLUGINS_SCORE_PARTS_H

#include "columns/pod_counts.h"

enum { BERTH__SCORE_PARTS_MAX = 8 };

/* Two nodes that lie in the same domain of each topology, and have as many pods of each count by
 * node, have the same raw value. */
typedef struct berth__score_parts {
    const berth__topology *topologies[BERTH__SCORE_PARTS_MAX]; /* of few domains, by key */
    const berth__domain_counts *by_node[BERTH__SCORE_PARTS_MAX];
    uint32_t topology_count, by_node_count;
    bool ok; /* false: some scorer's values rest on more than that */
} berth__score_parts;

/* Values rest on the counts of a node's own pods, whose topology is unique. */
void berth__score_parts_add_node(berth__score_parts *parts, const berth__domain_counts *counts);

/* Values rest on a node's domain, whatever is counted there. */
void berth__score_parts_add_domain(berth__score_parts *parts, const berth__topology *topology);

/* Feasible nodes: one of each class that there is. */
typedef struct berth__score_sample {
    const uint32_t *slots;
    uint32_t count;
    uint32_t feasible_count; /* of all classes */
} berth__score_sample;

#endif
