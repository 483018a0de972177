/* Gates (plugins/gates.h) as sets of slots: the slots that all filters about other pods let pass.
 * Also the slots that filters about volumes let pass, as far as node facts and offers of volumes
 * (columns/volume_offers.h) decide that, perhaps with the values of a scorer about volumes. A
 * bounded number of sets is cached by key; the least recently used set is dropped first. Searches
 * fill a set tile by tile as they visit tiles; then the change journal, or that of offers, repairs
 * it.
 *
 * Threads: the deciding thread only. */
#ifndef BERTH_INDEX_GATE_MASKS_H
#define BERTH_INDEX_GATE_MASKS_H

#include "base/limit.h"
#include "base/use_order.h"
#include "prepare/prepared.h"

enum { BERTH__GATE_WORDS = 1 + BERTH__VERDICT_WORDS_MAX };
_Static_assert(BERTH__GATE_WORDS > 4 * BERTH__GATES_MAX, "gates have four words each, in pairs");

/* Some filters of a profile, by index. */
enum { BERTH__FILTER_LIST_MAX = BERTH__LIMIT(32, 4) };

typedef struct berth__filter_list {
    uint32_t items[BERTH__FILTER_LIST_MAX];
    uint32_t count;
} berth__filter_list;

/* Run these filters on the slots of a tile. */
void berth__filter_list_keep(const berth__filter_list *filters, const berth__decision *decision,
                             uint32_t tile, berth__mask *slots);

/* Some filters, and perhaps a scorer, whose verdicts and values a key identifies. */
typedef struct berth__keyed_stages {
    berth__filter_list filters;
    bool scores;
    uint32_t scorer; /* its index in the profile, if `scores` */
} berth__keyed_stages;

/* The cells (score_cells.h) of the slots of a set that stays as it is, for some sets of cells. */
enum { BERTH__SET_CELLS = 16 };

typedef struct berth__set_cells {
    uint64_t serial; /* of the set of cells, none of which has the serial 0 */
    uint64_t cells;  /* a bit each */
} berth__set_cells;

typedef struct berth__gate_mask {
    berth__used used;
    uint64_t key[BERTH__GATE_WORDS];
    uint64_t epoch;
    uint64_t seen;        /* journal entries applied, */
    uint64_t offers_seen; /* and changes of offers */
    uint32_t tile_count;
    bool scores;             /* the set has values */
    berth__mask *passing;    /* by tile; valid where filled */
    int16_t lowest, highest; /* of the values where slots passed since it was void */
    int16_t *values;         /* the scorer's, by slot; 0 where a slot does not pass; or NULL */
    uint8_t *filled;         /* by tile */
    uint32_t unfilled;       /* tiles */
    berth__set_cells of_cells[BERTH__SET_CELLS]; /* of a fixed set without unfilled tiles */
} berth__gate_mask;

typedef struct berth__gate_masks {
    const berth_allocator *allocator;
    berth__keymap map;
    berth__use_order order;
    size_t bytes;
    uint64_t epoch; /* sets dropped so far: shows whether a remembered set still exists */
} berth__gate_masks;

berth_status berth__gate_masks_init(berth__gate_masks *masks, const berth_allocator *allocator);
void berth__gate_masks_destroy(berth__gate_masks *masks);

/* The set for the gates of a decision, up to date in its filled tiles. NULL when out of memory. */
berth__gate_mask *berth__gate_masks_get(berth__gate_masks *masks, const berth__decision *decision,
                                        const berth__gates *gates);

/* The same for stages whose verdicts and values a key identifies (late_filters.h). A decision may
 * use one set of each kind. The two sets used last are kept as long as both fit into the cache. */
berth__gate_mask *berth__gate_masks_fixed(berth__gate_masks *masks, const berth__decision *decision,
                                          const berth__keyed_stages *stages,
                                          const berth__verdict_key *key);

/* The slots of a tile that pass. `stages`: those behind the set; those of gates have no scorer. */
const berth__mask *berth__gate_mask_tile(berth__gate_mask *mask, const berth__decision *decision,
                                         const berth__keyed_stages *stages, uint32_t tile);

#endif
