/* Filters that run on the slots that a walk finds (plugin.h, BERTH__FILTERS_LATE): how a walk
 * avoids calling them on every tile.
 *
 * A filter whose verdicts depend on node facts, offers of volumes and a short key (verdict_key)
 * becomes part of one set of slots (gate_masks.h), which decisions with equal keys share. The same
 * holds for a scorer (value_key), whose values are kept with that set. The other filters run only
 * on the tiles that they call busy (busy_tiles): elsewhere they clear no slot. So a tile that is
 * not busy costs only a few mask operations.
 *
 * Threads: the deciding thread only. */
#ifndef BERTH_INDEX_LATE_FILTERS_H
#define BERTH_INDEX_LATE_FILTERS_H

#include "index/gate_masks.h"

typedef struct berth__late_filters {
    berth__keyed_stages fixed; /* the filters, and perhaps the scorer, behind `key` */
    berth__filter_list rest;
    berth__verdict_key key;
    uint64_t *busy; /* one bit per tile: where a filter of `rest` may clear slots */
    uint32_t busy_words;
} berth__late_filters;

void berth__late_filters_destroy(berth__late_filters *late, const berth_allocator *allocator);

/* Group the filters in `rest` of a decision, and find busy tiles. Returns false when out of
 * memory. */
bool berth__late_filters_group(berth__late_filters *late, const berth__decision *decision,
                               const berth_allocator *allocator);

/* Add the plan's keyed scorer, if it has one, after grouping. Returns false if a key can't identify
 * its values this time. */
bool berth__late_filters_add_scorer(berth__late_filters *late, const berth__decision *decision);

#endif
