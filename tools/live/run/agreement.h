/* How another scheduler's placements compare with ours: each pod that it binds is decided here on
 * the cluster as it was, and its node looked for among the best.
 *
 * Threads: the deciding thread's; after its end, whoever reports. */
#ifndef BERTH_LIVE_AGREEMENT_H
#define BERTH_LIVE_AGREEMENT_H

#include <stdio.h>

#include "berth/berth.h"

typedef enum agreement_verdict {
    AGREEMENT_BEST = 0, /* its node is among our best */
    AGREEMENT_LOWER,    /* fits, but other nodes score more */
    AGREEMENT_NO_FIT,   /* does not fit there by our rules, while other nodes do */
    AGREEMENT_NOWHERE,  /* fits nowhere by our rules */
    AGREEMENT_UNKNOWN,  /* the node was not there, or the pod not decided */
    AGREEMENT_COUNT
} agreement_verdict;

/* One placement that is not among the best. */
typedef struct disagreement {
    agreement_verdict verdict;
    int64_t total, best; /* of the node's and the best's score */
    char pod[320], node[256], our_node[256], reason[256];
} disagreement;

typedef struct agreement {
    uint64_t counts[AGREEMENT_COUNT];
    disagreement *items; /* the first of them */
    size_t item_count, item_capacity;
    berth_node_id *nodes; /* of the decision in hand */
    int64_t *totals;
    size_t node_capacity, total_capacity;
} agreement;

enum { DISAGREEMENTS_MAX = 1000 };

/* A pending pod is about to be seen on `node_name`: decide it, and take note. */
void agreement_note(agreement *a, berth_engine *engine, berth_pod_id pod, berth_str node_name);

/* "of 10,000 placements ... 9,987 were among Berth's best", and each other one. */
void agreement_print(const agreement *a, FILE *out);

void agreement_free(agreement *a);

#endif
