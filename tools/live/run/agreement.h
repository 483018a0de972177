/* Compares another scheduler's placements with ours: each pod that it binds is decided here on the
 * same state of the cluster, and its node is looked up among the best.
 *
 * Threads: the deciding thread's; after its end, the thread that reports. */
#ifndef BERTH_LIVE_AGREEMENT_H
#define BERTH_LIVE_AGREEMENT_H

#include <stdio.h>

#include "berth/berth.h"

typedef enum agreement_verdict {
    AGREEMENT_BEST = 0, /* the other scheduler's node is among our best nodes */
    AGREEMENT_LOWER,    /* the pod fits there, but other nodes have higher scores */
    AGREEMENT_NO_FIT,   /* by our rules the pod fits only on other nodes */
    AGREEMENT_NOWHERE,  /* by our rules the pod fits nowhere */
    AGREEMENT_UNKNOWN,  /* the node was missing, or the pod was not decided */
    AGREEMENT_COUNT
} agreement_verdict;

/* One placement that is not among the best. */
typedef struct disagreement {
    agreement_verdict verdict;
    int64_t total, best; /* the scores of its node and of the best node */
    char pod[320], node[256], our_node[256], reason[256];
} disagreement;

typedef struct agreement {
    uint64_t counts[AGREEMENT_COUNT];
    disagreement *items; /* the first disagreements */
    size_t item_count, item_capacity;
    berth_node_id *nodes; /* of the current decision */
    int64_t *totals;
    size_t node_capacity, total_capacity;
} agreement;

enum { DISAGREEMENTS_MAX = 1000 };

/* Another scheduler has put a pending pod on `node_name`: decide it here and record the result. */
void agreement_note(agreement *a, berth_engine *engine, berth_pod_id pod, berth_str node_name);

/* Print "of 10,000 placements ... 9,987 were among Berth's best", and each of the others. */
void agreement_print(const agreement *a, FILE *out);

void agreement_free(agreement *a);

#endif
