/* Finds the best slots if a total is the leaf of a search tree plus what the slot's class adds
 * (score_classes.h).
 *
 * Without a class forest (class_forest.h), a kernel looks at each leaf. With one, tiles without
 * counted pods have totals by cell, so whole groups of tiles whose bound is below the best so far
 * are skipped; the kernel looks only at tiles with counted pods, and at the tiles on the edges of a
 * range. A bound below the final best can neither win nor tie, so both ways find the same.
 *
 * Threads: the deciding thread only. */
#ifndef BERTH_INDEX_CLASS_SEARCH_H
#define BERTH_INDEX_CLASS_SEARCH_H

#include "index/class_forest.h"
#include "index/score_classes.h"

/* The classes of one decision, after they were rated. */
typedef struct berth__class_search {
    const berth__search_tree *tree;
    const berth__score_classes *classes;
    const berth__kernels *kernels;
    berth__class_forest *forest; /* NULL: none */
    /* With a forest, by cell: what slots without counted pods get, and the largest value that any
     * slot gets; BERTH__CLASS_ABSENT: no slot in question is of such a class. */
    int32_t plain[BERTH__FOREST_CELLS_MAX];
    int32_t most[BERTH__FOREST_CELLS_MAX];
} berth__class_search;

enum { BERTH__CLASS_ABSENT = INT32_MIN / 2 };

/* Begin, for rated classes. */
void berth__class_search_begin(berth__class_search *search, const berth__search_tree *tree,
                               const berth__score_classes *classes, const berth__kernels *kernels,
                               berth__class_forest *forest);

/* Raise `best` to the best total of the feasible slots first .. last, and count its equals. */
void berth__class_search_best(berth__class_search *search, uint32_t first, uint32_t last,
                              berth__tree_sum *best);

/* The n-th (from 0) of the slots first .. last that has the total `best`. No slot of the whole
 * search may exceed `best`, and berth__class_search_best must have run on all of its ranges.
 * BERTH__SLOT_NONE: there are too few here, and their number was subtracted from `n`. */
uint32_t berth__class_search_nth(const berth__class_search *search, uint32_t first, uint32_t last,
                                 int32_t best, uint32_t *n);

/* The totals of BERTH__FAN slots from `slot` on; negative: not feasible. */
void berth__class_search_lanes(const berth__class_search *search, uint32_t slot, int32_t *totals);

#endif
