/* A plan for computing the totals of slots for an index (index.h): the active stages of a decision,
 * grouped by what they depend on.
 *
 * Threads: the deciding thread only. */
#ifndef BERTH_INDEX_SLOT_PLAN_H
#define BERTH_INDEX_SLOT_PLAN_H

#include "index/search_tree.h"
#include "index/slot_log.h"
#include "prepare/prepared.h"

/* Group the stages into the kind's plan, unless that is done. Returns false if they can't be
 * indexed; the plan's `why` has the reason. */
bool berth__slot_plan_make(const berth__decision *decision);

/* Compute the totals of the slots in log entries first .. first + count; the totals of slots that
 * are NEVER may be anything. */
void berth__slot_plan_totals(const berth__decision *decision, const berth__search_tree *tree,
                             const berth__slot_states *states, uint32_t first, uint32_t count,
                             int32_t *totals);

/* While a tree is built, switch off the filters and scores that it does not store (`outcome`
 * BERTH__SKIP); switch them on again afterwards (BERTH__ACTIVE). */
void berth__slot_plan_set_aside(const berth__decision *decision, berth__outcome outcome);

#endif
