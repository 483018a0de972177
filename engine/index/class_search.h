/* Finds the best slots if a total is the leaf of a search tree plus what the slot's class adds
 * (score_classes.h).
 *
 * Without a class forest (class_forest.h), a kernel looks at each leaf. With one, slots have totals
 * by lane: the forest says which leaf is the best of a group of tiles, and how many share it. If
 * its lanes are classes, that holds for all slots; if they are cells, for those without counted
 * pods. Then the slots with counted pods are few and listed by the class map; they are not counted
 * among the others, and looked at one by one if the best class of their cell would make them good
 * enough. Where the forest does not tell, a kernel looks at the tile. Groups whose bound is below
 * the best so far are passed over, because a slot in them can neither win nor tie. So all ways find
 * the same.
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
    /* With a forest, for all its lanes: what its slots get (if lanes are cells, those without
     * counted pods), and the most that a cell's slots with counted pods get; BERTH__CLASS_ABSENT:
     * there is no such slot in question. */
    int32_t plain[BERTH__FOREST_LANES_MAX], peopled[BERTH__FOREST_LANES_MAX];
} berth__class_search;

enum { BERTH__CLASS_ABSENT = INT32_MIN / 2 };

/* Begin, for rated classes. With a forest by cell, their class map must list the slots with counted
 * pods. */
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
