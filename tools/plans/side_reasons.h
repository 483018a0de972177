/* Why pods of a cluster side have no node, computed once for each kind of pod. */
#ifndef BERTH_TOOLS_SIDE_REASONS_H
#define BERTH_TOOLS_SIDE_REASONS_H

#include "plans/cluster_side.h"
#include "traces/id_table.h"

/* Zeroed: empty. */
typedef struct side_reasons {
    bool as_sets;   /* only sorted reasons, so that pods can be grouped by them */
    id_table kinds; /* number of the kind's text */
    word_table texts;
    berth_explanation *explanation;
} side_reasons;

/* The number, in `texts`, of the reason why a pod has no node after all others are placed. Errors:
 * those of deciding. */
berth_status side_reasons_find(side_reasons *r, const cluster_side *side, const side_pod *pod,
                               uint32_t *number, berth_error *error);
void side_reasons_free(side_reasons *r);

#endif
