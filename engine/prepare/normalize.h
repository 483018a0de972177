/* Normalizes the raw values of a scorer, by slot (search_score.c) or by class (score_classes.h).
 *
 * Threads: any, each on values of its own. */
#ifndef BERTH_PREPARE_NORMALIZE_H
#define BERTH_PREPARE_NORMALIZE_H

#include "prepare/profile.h"

/* The extremes of the raw values of feasible nodes, without ignored ones. */
typedef struct berth__scorer_range {
    int64_t lowest, highest;
} berth__scorer_range;

#define BERTH__NO_RANGE ((berth__scorer_range){INT64_MAX, INT64_MIN})

/* Normalize BERTH__TILE values, at least those in `mask`, by the rule of a stage's plugin. */
void berth__normalize(const berth__stage *stage, const berth__kernels *kernels,
                      const berth__scorer_range *range, const berth__mask *mask, int64_t *values);

/* The normalized value of a node that takes no part in normalization. */
int64_t berth__normalize_ignored(const berth__stage *stage, const berth__scorer_range *range);

#endif
