/* A class forest: for each tile of slots and for each group of tiles, the best leaf of each lane
 * and how many leaves share it. A lane is a cell (score_cells.h): normalizing scorers add the same
 * to all slots of a cell but the few with counted pods. If many slots have counted pods, a lane is
 * a class (class_maps.h): they add the same to all its slots. So the best total of many tiles is
 * found without reading their leaves (class_search.h).
 *
 * Entries follow single leaves as they change, and single slots as they move to other classes. The
 * invariant: no leaf of the entry's slots and lane is above its best, and exactly `count` of them
 * equal it. So an entry whose count has dropped to 0 is an upper bound; it is recomputed only if
 * the bound matters (berth__class_forest_tile). No entry of a tile is above that of its group.
 *
 * A kind's index (index_kind.h) keeps a forest for each set of cells that its pods are scored by,
 * which class maps of the same cells share, and for each class map with many counted pods.
 *
 * Memory: one byte per slot, and about 8.5 bytes per tile and lane, of which there are a multiple
 * of eight. Threads: the deciding thread only. */
#ifndef BERTH_INDEX_CLASS_FOREST_H
#define BERTH_INDEX_CLASS_FOREST_H

#include "base/limit.h"
#include "index/class_maps.h"
#include "index/search_tree.h"

enum {
    BERTH__FOREST_LANES = 8, /* entries are computed so many lanes at a time */
    /* With more there is no forest. A multiple of the above. */
    BERTH__FOREST_LANES_MAX = BERTH__LIMIT(64, 8),
    /* The best leaf of a lane without feasible slots: whatever is added, it is the worst. */
    BERTH__FOREST_NONE = INT32_MIN / 4,
};

static_assert(BERTH__FOREST_LANES_MAX % BERTH__FOREST_LANES == 0, "parts are padded like entries");

/* Entries of a tile or a group: by lane, padded with NONE. */
typedef struct berth__forest_entries {
    int32_t *best;
    uint32_t *counts;
} berth__forest_entries;

typedef struct berth__class_forest {
    uint64_t cells;  /* serial of the set of cells */
    uint64_t map;    /* serial of the class map; 0: lanes are cells */
    uint64_t moves;  /* of the map, applied */
    uint64_t looked; /* slots that searches looked at since the forest became invalid */
    uint64_t asked;  /* number of its last request: the oldest is replaced first */
    /* Since it was built: searches, and tiles that were recomputed. */
    uint32_t served, renewed;
    uint32_t idle; /* changes of leaves since the last search */
    bool built;
    const berth__kernels *kernels; /* of what built it */
    uint32_t lanes;                /* with padding */
    uint32_t tile_count, group_count;
    uint8_t *ids;                        /* the lane of each slot, in whole tiles */
    berth__forest_entries tiles, groups; /* those of all tiles, of all groups */
    /* Scratch of a search, by group: an upper bound on the totals by lane (class_search.h); the
     * best total of all slots, and how many have it. */
    int32_t *bounds, *bests;
    uint32_t *equals;
    void *memory;
    size_t memory_bytes;
} berth__class_forest;

/* The memory of a forest. */
size_t berth__class_forest_bytes(uint32_t tiles, uint32_t lanes);

/* Reserve room for these cells, or (unless it is NULL) for the classes of this map of them, instead
 * of what there was. The forest is then not built. Returns false when out of memory; it then has no
 * room. */
bool berth__class_forest_create(berth__class_forest *forest, const berth_allocator *allocator,
                                const berth__score_cells *cells, const berth__class_map *map);
void berth__class_forest_destroy(berth__class_forest *forest, const berth_allocator *allocator);

/* Compute all entries, with kernels that the forest keeps. Cost: reads every leaf. */
void berth__class_forest_build(berth__class_forest *forest, const berth__kernels *kernels,
                               const berth__search_tree *tree, const berth__score_cells *cells,
                               const berth__class_map *map);

/* Follow the moves of slots to other classes of the map that the forest was built for. False: it
 * has more classes than the forest has lanes, or no longer remembers all moves; then the forest
 * must be created, or built. */
bool berth__class_forest_move(berth__class_forest *forest, const berth__search_tree *tree,
                              const berth__score_cells *cells, const berth__class_map *map);

/* Follow changes of leaves, in their order. */
void berth__class_forest_follow(berth__class_forest *forest, const berth__leaf_change *changes,
                                uint32_t count);

/* Recompute the entries of a tile; or the entry of a group and a lane, together with those of its
 * tiles that can affect it. */
void berth__class_forest_tile(berth__class_forest *forest, const berth__search_tree *tree,
                              uint32_t tile);
void berth__class_forest_group(berth__class_forest *forest, const berth__search_tree *tree,
                               uint32_t group, uint32_t lane);

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
