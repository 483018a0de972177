/* A class forest: for each tile of slots and for each group of tiles, the best leaf of each cell
 * (score_cells.h) and how many leaves share it. If normalizing scorers add the same to all slots of
 * a cell, the best total of many tiles is found without reading their leaves (class_search.h).
 *
 * Entries follow single leaves as they change. The invariant: no leaf of the entry's slots and cell
 * is above `best`, and exactly `count` of them equal it. So an entry whose count has dropped to 0
 * is an upper bound; it is recomputed only if the bound matters (berth__class_forest_tile). A
 * `best` below 0 says that no slot is feasible.
 *
 * A kind's index (index_kind.h) keeps a forest for each set of cells that its pods are scored by.
 *
 * Memory: one byte per slot, and about 8.5 bytes per tile and cell. Threads: the deciding thread
 * only. */
#ifndef BERTH_INDEX_CLASS_FOREST_H
#define BERTH_INDEX_CLASS_FOREST_H

#include "index/score_cells.h"
#include "index/search_tree.h"

enum {
    BERTH__FOREST_FAN = 16,       /* tiles per group */
    BERTH__FOREST_CELLS_MAX = 64, /* with more cells there is no forest */
};

typedef struct berth__forest_entry {
    int32_t best;
    uint32_t count;
} berth__forest_entry;

typedef struct berth__class_forest {
    uint64_t cells;  /* serial of the set of cells */
    uint64_t looked; /* slots that searches looked at since the forest became invalid */
    uint64_t asked;  /* number of its last request: the oldest is replaced first */
    bool built;
    uint32_t cell_count, tile_count, group_count;
    uint8_t *ids;                /* the cell of each slot, in whole tiles */
    berth__forest_entry *tiles;  /* by tile and cell */
    berth__forest_entry *groups; /* by group of tiles and cell */
    int32_t *bounds;             /* scratch of a search, by group */
    void *memory;
    size_t memory_bytes;
} berth__class_forest;

/* Reserve room for these cells. The forest is then not built. Returns false when out of memory; it
 * then has no room. */
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

static inline berth__forest_entry *berth__forest_of_tile(const berth__class_forest *forest,
                                                         uint32_t tile)
{
    return forest->tiles + (size_t)tile * forest->cell_count;
}

static inline berth__forest_entry *berth__forest_of_group(const berth__class_forest *forest,
                                                          uint32_t group)
{
    return forest->groups + (size_t)group * forest->cell_count;
}

#endif
