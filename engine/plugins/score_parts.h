/* Score parts: what the values of a scorer about other pods depend on. The scorer then rates one
 * node of each class of equal nodes instead of all nodes (index/score_classes.h).
 *
 * Threads: as the prepare phases. */
#ifndef BERTH_PLUGINS_SCORE_PARTS_H
#define BERTH_PLUGINS_SCORE_PARTS_H

#include "base/limit.h"
#include "columns/pod_counts.h"

enum { BERTH__SCORE_PARTS_MAX = BERTH__LIMIT(8, 3) };

/* What nodes have in common that agree about a topology. */
typedef struct berth__score_split {
    const berth__topology *topology;
    bool presence; /* not their domain, but whether they have the key at all */
} berth__score_split;

/* Two nodes have the same raw value if they agree about each split and have equal counts in
 * `by_node`. Values may also depend on how many feasible nodes have all `required` keys. */
typedef struct berth__score_parts {
    berth__score_split splits[BERTH__SCORE_PARTS_MAX]; /* by key */
    const berth__domain_counts *by_node[BERTH__SCORE_PARTS_MAX];
    const berth__topology *required[BERTH__SCORE_PARTS_MAX];
    uint32_t split_count, by_node_count, required_count;
    bool ok; /* false: some scorer's values depend on more than that */
} berth__score_parts;

/* Declare that values depend on the counts of a node's own pods; the topology of the counts must be
 * unique. */
void berth__score_parts_add_node(berth__score_parts *parts, const berth__domain_counts *counts);

/* Declare that values depend on a node's domain, regardless of what is counted there. */
void berth__score_parts_add_domain(berth__score_parts *parts, const berth__topology *topology);

/* Declare that values depend on whether a node has a key. */
void berth__score_parts_add_presence(berth__score_parts *parts, const berth__topology *topology);

/* Declare that values depend on the number of feasible nodes that have this key and all other
 * required keys. At most one scorer of a profile may do so. */
void berth__score_parts_require(berth__score_parts *parts, const berth__topology *topology);

/* One feasible node of each class that exists. */
typedef struct berth__score_sample {
    const uint32_t *slots;
    uint32_t count;
    uint32_t feasible_count; /* in all classes */
    uint32_t having_count;   /* of these, nodes that have all required keys */
} berth__score_sample;

#endif
