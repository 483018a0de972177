/* A class forest: for each tile of slots and for each group of tiles, the best leaf of each cell
 * (score_cells.h) and how many leaves share it. Normalizing scorers add the same to all slots of a
 * cell but the few with counted pods (class_maps.h), so that the best total of many tiles is found
 * without reading their leaves (class_search.h).
 *
 * Entries follow single leaves as they change. The invariant: no leaf of the entry's slots and cell
 * is above its best, and exactly `count` of them equal it. So an entry whose count has dropped to 0
 * is an upper bound; it is recomputed only if the bound matters (berth__class_forest_tile). No
 * entry of a tile is above that of its group.
 *
 * A kind's index (index_kind.h) keeps a forest for each set of cells that its pods are scored by.
 * Class maps of the same cells share it.
 *
 * Memory: one byte per slot, and about 8.5 bytes per tile and cell, of which there are a multiple
 * of eight. Threads: the deciding thread only. */
#ifndef BERTH_INDEX_CLASS_FOREST_H
#define BERTH_INDEX_CLASS_FOREST_H

#include "base/limit.h"
#include "index/class_maps.h"
#include "index/search_tree.h"

enum {
    BERTH__FOREST_LANES = 8, /* entries are computed so many cells at a time */
    /* With more cells there is no forest. A multiple of the lanes. */
    BERTH__FOREST_CELLS_MAX = BERTH__LIMIT(64, 8),
    /* The best leaf of a cell without feasible slots: whatever is added, it is the worst. */
    BERTH__FOREST_NONE = INT32_MIN / 4,
};

static_assert(BERTH__FOREST_CELLS_MAX % BERTH__FOREST_LANES == 0, "parts are padded like entries");

/* Entries of a tile or a group: by cell, padded with NONE. */
typedef struct berth__forest_entries {
    int32_t *best;
    uint32_t *counts;
} berth__forest_entries;

typedef struct berth__class_forest {
    uint64_t cells;  /* serial of the set of cells */
    uint64_t looked; /* slots that searches looked at since the forest became invalid */
    uint64_t asked;  /* number of its last request: the oldest is replaced first */
    bool built;
    uint32_t lanes; /* cells, with padding */
    uint32_t tile_count, group_count;
    uint8_t *ids;                        /* the cell of each slot, in whole tiles */
    berth__forest_entries tiles, groups; /* those of all tiles, of all groups */
    /* Scratch of a search, by group: an upper bound on the total of slots without counted pods; the
     * best total of all slots, and how many have it. */
    int32_t *bounds, *bests;
    uint32_t *equals;
    void *memory;
    size_t memory_bytes;
} berth__class_forest;

/* Reserve room for these cells, instead of what there was. The forest is then not built. Returns
 * false when out of memory; it then has no room. */
bool berth__class_forest_create(berth__class_forest *forest, const berth_allocator *allocator,
                                const berth__score_cells *cells);
void berth__class_forest_destroy(berth__class_forest *forest, const berth_allocator *allocator);

/* Compute all entries. Cost: reads every leaf. */
void berth__class_forest_build(berth__class_forest *forest, const berth__search_tree *tree,
                               const berth__score_cells *cells);

/* Follow changes of leaves, in their order. */
void berth__class_forest_follow(berth__class_forest *forest, const berth__leaf_change *changes,
                                uint32_t count);

/* Recompute the entries of a tile; or the entry of a group and a cell, together with those of its
 * tiles that can affect it. */
void berth__class_forest_tile(berth__class_forest *forest, const berth__search_tree *tree,
                              uint32_t tile);
void berth__class_forest_group(berth__class_forest *forest, const berth__search_tree *tree,
                               uint32_t group, uint32_t cell);

static inline berth__forest_entries berth__forest_of_tile(const berth__class_forest *forest,
                                                          uint32_t tile)
{
    const size_t at = (size_t)tile * forest->lanes;
    return (berth__forest_entries){forest->tiles.best + at, forest->tiles.counts + at};
}

static inline berth__forest_entries berth__forest_of_group(const berth__class_forest *forest,
                                                           uint32_t group)
{
    const size_t at = (size_t)group * forest->lanes;
    return (berth__forest_entries){forest->groups.best + at, forest->groups.counts + at};
}

/* The end of a group's tiles. */
static inline uint32_t berth__forest_end_tile(const berth__class_forest *forest, uint32_t group)
{
    const uint32_t end = (group + 1) * BERTH__FOREST_FAN;
    return end < forest->tile_count ? end : forest->tile_count;
}

#endif
