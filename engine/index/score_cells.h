/* Cells: slots that differ in nothing that changes seldom, as scorers that normalize see them. Two
 * slots of a cell lie in the same domains, and have the same raw values of the static scorers.
 *
 * Kept for a bounded number of pods' rules and lists of topologies, least recently used dropped
 * first; made anew, by a look at every slot, when node facts have changed.
 *
 * Threads: the deciding thread only. */
#ifndef BERTH_INDEX_SCORE_CELLS_H
#define BERTH_INDEX_SCORE_CELLS_H

#include "base/use_order.h"
#include "prepare/prepared.h"

enum { BERTH__CELLS_MAX = 64, BERTH__CELL_STATICS_MAX = 8 };

/* What cells of a decision are to be told apart by. */
typedef struct berth__cells_ask {
    uint32_t statics[BERTH__CELL_STATICS_MAX]; /* scorers, by number */
    uint32_t static_count;
    const berth__score_parts *parts; /* its topologies */
} berth__cells_ask;

enum { BERTH__CELLS_WORDS = 4 + BERTH__CELL_STATICS_MAX + BERTH__SCORE_PARTS_MAX };

struct berth__score_cells {
    berth__used used;
    uint64_t key[BERTH__CELLS_WORDS];
    uint64_t epoch; /* of the layout */
    uint64_t asked; /* of the layout when they were last asked for */
    uint32_t tile_count;
    uint32_t count;                     /* of cells; 0: there are more than BERTH__CELLS_MAX */
    uint32_t slots[BERTH__CELLS_MAX];   /* one of each */
    uint32_t members[BERTH__CELLS_MAX]; /* how many slots each has */
    int64_t raws[BERTH__CELL_STATICS_MAX][BERTH__CELLS_MAX]; /* by static scorer asked for */
    uint16_t *ids;                                           /* by slot */
};

typedef struct berth__cells_cache {
    const berth_allocator *allocator;
    berth__keymap map;
    berth__use_order order;
    size_t bytes;
    uint64_t epoch; /* dropped so far: tells whether a remembered one is still there */
} berth__cells_cache;

berth_status berth__cells_cache_init(berth__cells_cache *cache, const berth_allocator *allocator);
void berth__cells_cache_destroy(berth__cells_cache *cache);

/* What tells the cells of a decision from others of the same layout epoch; returns how many of
 * BERTH__CELLS_WORDS words it takes. */
uint32_t berth__score_cells_key(const berth__decision *decision, const berth__cells_ask *ask,
                                uint64_t *words);

/* The cells of a decision, valid until the next call. NULL when out of memory; and, unless `eager`,
 * when they are asked for the first time since node facts have changed: they may well be of one pod
 * alone. */
const berth__score_cells *berth__score_cells_get(berth__cells_cache *cache,
                                                 const berth__decision *decision,
                                                 const berth__cells_ask *ask, bool eager);

#endif
