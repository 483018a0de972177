/* How the total of a slot is worked out for an index (index.h): the active stages of a decision
 * sorted by what they rest on, and totals of slots by them.
 *
 * Threads: the deciding thread only. */
#ifndef BERTH_INDEX_SLOT_PLAN_H
#define BERTH_INDEX_SLOT_PLAN_H

#include "index/search_tree.h"
#include "index/slot_log.h"
#include "prepare/prepared.h"

/* Sort the stages into the kind's plan, unless that is done; false: they can't be indexed, and the
 * plan's `why` tells. */
bool berth__slot_plan_make(const berth__decision *decision);

/* Totals of the slots in places first .. first + count of the log; those of slots that are NEVER
 * may be anything. */
void berth__slot_plan_totals(const berth__decision *decision, const berth__search_tree *tree,
                             const berth__slot_states *states, uint32_t first, uint32_t count,
                             int32_t *totals);

/* Filters that are gates or late, and scorers that stand apart, take no part in a tree: while one
 * is built they are to SKIP, and then ACTIVE again. */
void berth__slot_plan_set_aside(const berth__decision *decision, berth__outcome outcome);

#endif
