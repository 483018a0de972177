/* Class maps: the class of each slot, if classes are cells (score_cells.h) split further by the
 * numbers of counted pods on the node itself. Most nodes have no such pods, so the class of their
 * slot is its cell.
 *
 * A map has ids of its own only for tiles with counted pods. What is cached is bounded; the least
 * recently used map is dropped first. Maps are repaired by the changes that populations log, so
 * that the cost of a decision depends on how much the pods that it counts have changed. A map
 * with many such slots remembers which changed their class last, for the class forests that follow
 * it.
 *
 * Threads: the deciding thread only. */
#ifndef BERTH_INDEX_CLASS_MAPS_H
#define BERTH_INDEX_CLASS_MAPS_H

#include "base/limit.h"
#include "index/score_cells.h"

enum {
    BERTH__CLASSES_FEW = BERTH__LIMIT(512, 8), /* so many are always allowed */
    BERTH__CLASSES_MAX = BERTH__LIMIT(16384, 24),
    /* A search of fewer tiles looks at all slots as quickly as with a class forest. */
    BERTH__FOREST_TILES_MIN = BERTH__LIMIT(48, 2),
    BERTH__FOREST_ALL_TILES_MIN = BERTH__LIMIT(24, 1), /* the same if all slots are scored */
    BERTH__FOREST_FAN = 16,                            /* tiles per group of a class forest */
    /* A search looks at so many slots with pods one by one, besides a forest by cell. */
    BERTH__LISTED_PER_TILE = 4,
    BERTH__PEOPLED_LISTED_MAX = BERTH__LIMIT(4096, 8), /* more slots with pods are not listed */
    /* Moves of slots that a map remembers. To follow more costs as much as building a forest. */
    BERTH__MOVES_PER_TILE = BERTH__LIMIT(4, 1),
    BERTH__CLASS_WORDS = BERTH__CELLS_WORDS + BERTH__SCORE_PARTS_MAX,
};

/* A class of slots with counted pods. */
typedef struct berth__peopled {
    uint32_t pods[BERTH__SCORE_PARTS_MAX]; /* by count */
    uint32_t cell;
    uint32_t next; /* class of the same cell, or 0 */
} berth__peopled;

struct berth__class_map {
    berth__used used;
    uint64_t key[BERTH__CLASS_WORDS];
    uint64_t cells;                        /* serial of the cells */
    uint64_t seen[BERTH__SCORE_PARTS_MAX]; /* changes applied, of each count's population */
    uint64_t serial;                       /* another one each time it is made; never 0 */
    uint64_t moves;                        /* of slots to other classes, ever */
    uint32_t *moved;   /* the slots of the last moves, by move modulo berth__class_moves; or NULL */
    uint32_t recalled; /* how many moves `moved` tells */
    uint32_t tile_count;
    uint32_t cell_count;
    uint32_t count;    /* of classes: cells, then classes with pods; 0: too many */
    uint32_t empty;    /* classes with pods that no slot is in any more */
    berth__mask *with; /* by tile: the slots of classes with pods */
    /* The class ids of tiles that have or had such slots. The other tiles use their cells' ids.
     * Once more than half of the tiles have a block, all get one, in the order of tiles. */
    uint32_t *block_of; /* by tile: number + 1 of its block; 0: none */
    uint16_t (*blocks)[BERTH__TILE];
    uint32_t block_count, block_capacity;
    bool in_order; /* the blocks of all tiles are there, in their order */
    uint32_t gets; /* since it was made */
    /* One slot of each class: first for each cell, with room for the largest number of cells, then
     * for each class with pods. The slot may have moved to another class since it was recorded. */
    uint32_t *slots;
    uint32_t slot_capacity;
    uint32_t *members; /* how many slots each class has */
    uint32_t member_capacity;
    berth__peopled *peopled;
    uint32_t peopled_capacity;
    uint32_t *newest; /* by cell: its newest class with pods, or 0 */
    uint32_t newest_capacity;
    berth__peopled_slot *listed; /* the slots in `with`, in order, unless `unlisted` */
    uint32_t *listed_from; /* by group of tiles: where its slots begin there; one more, the end */
    uint32_t listed_count, listed_capacity;
    bool unlisted; /* there were too many since the map was made, or searches use no forest */
};

typedef struct berth__class_maps {
    const berth_allocator *allocator;
    berth__keymap map;
    berth__use_order order;
    size_t bytes;   /* of all maps */
    uint64_t made;  /* how often maps were made */
    uint64_t epoch; /* maps dropped so far: shows whether a remembered map still exists */
} berth__class_maps;

berth_status berth__class_maps_init(berth__class_maps *maps, const berth_allocator *allocator);
void berth__class_maps_destroy(berth__class_maps *maps);

/* The up-to-date map for a decision's cells and the counts by node requested with them, valid until
 * the next call. NULL when out of memory. Cost at the first request: visits every tile, and every
 * slot with counted pods. */
const berth__class_map *berth__class_maps_get(berth__class_maps *maps,
                                              const berth__decision *decision,
                                              const berth__cells_ask *ask,
                                              const berth__score_cells *cells);

/* Whether class forests pay for a decision: on large clusters, or if it scores all slots. If they
 * do not, a new map lists no slots. */
bool berth__class_maps_serve_forests(const berth__decision *decision);

/* Whether the slots with counted pods are listed, and few enough to be looked at one by one. If
 * not, the map remembers moves, for forests by class. */
static inline bool berth__class_map_lists_few(const berth__class_map *map)
{
    return !map->unlisted && map->listed_count <= BERTH__LISTED_PER_TILE * map->tile_count;
}

/* How many moves a map of so many tiles can remember. */
static inline uint32_t berth__class_moves(uint32_t tiles)
{
    return tiles * BERTH__MOVES_PER_TILE;
}

/* The class ids of a tile's slots; `cells` are those that the map was made of. */
static inline const uint16_t *berth__class_map_tile(const berth__class_map *map,
                                                    const berth__score_cells *cells, uint32_t tile)
{
    return map->block_of[tile] != 0 ? map->blocks[map->block_of[tile] - 1]
                                    : cells->ids + (size_t)tile * BERTH__TILE;
}

/* The cell of a class. */
static inline uint32_t berth__class_map_cell(const berth__class_map *map, uint32_t id)
{
    return id < map->cell_count ? id : map->peopled[id - map->cell_count].cell;
}

#endif
