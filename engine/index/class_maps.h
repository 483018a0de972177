/* Class maps: which class each slot is of, where classes are cells (score_cells.h) told apart
 * further by the numbers of pods on the node itself. Most slots have no such pods, and are of the
 * class of their cell.
 *
 * Kept for a bounded number of cells and counts, least recently used dropped first; repaired by the
 * changes that populations log, so that a decision costs what changed among the pods it counts.
 *
 * Threads: the deciding thread only. */
#ifndef BERTH_INDEX_CLASS_MAPS_H
#define BERTH_INDEX_CLASS_MAPS_H

#include "index/score_cells.h"

enum {
    BERTH__CLASSES_MAX = 512,
    BERTH__CLASS_WORDS = BERTH__CELLS_WORDS + BERTH__SCORE_PARTS_MAX,
};

/* A class of slots with pods. */
typedef struct berth__peopled {
    uint32_t pods[BERTH__SCORE_PARTS_MAX]; /* by count */
    uint32_t cell;
} berth__peopled;

struct berth__class_map {
    berth__used used;
    uint64_t key[BERTH__CLASS_WORDS];
    uint64_t epoch;                        /* of the layout */
    uint64_t asked;                        /* of the layout when it was last asked for */
    uint64_t seen[BERTH__SCORE_PARTS_MAX]; /* changes taken in, of each count's population */
    uint32_t tile_count;
    uint32_t cell_count;
    uint32_t count;    /* of classes: cells, then those with pods; 0: there are too many */
    uint16_t *ids;     /* by slot */
    berth__mask *with; /* by tile: the slots of classes with pods */
    /* One slot of each class: of those of cells, which have room for as many as there may be, and
     * of the others. Another class may have it by now. */
    uint32_t *slots;
    uint32_t slot_capacity;
    uint32_t members[BERTH__CLASSES_MAX]; /* how many slots each class has */
    berth__peopled *peopled;
    uint32_t peopled_capacity;
};

typedef struct berth__class_maps {
    const berth_allocator *allocator;
    berth__keymap map;
    berth__use_order order;
    size_t bytes;   /* of ids */
    uint64_t epoch; /* dropped so far: tells whether a remembered one is still there */
} berth__class_maps;

berth_status berth__class_maps_init(berth__class_maps *maps, const berth_allocator *allocator);
void berth__class_maps_destroy(berth__class_maps *maps);

/* The map of a decision's cells and the counts by node that were asked for with them, up to date,
 * valid until the next call. NULL when out of memory; and, unless `eager`, when it is asked for the
 * first time, as berth__score_cells_get. */
const berth__class_map *berth__class_maps_get(berth__class_maps *maps,
                                              const berth__decision *decision,
                                              const berth__cells_ask *ask,
                                              const berth__score_cells *cells, bool eager);

/* The cell of a class. */
static inline uint32_t berth__class_map_cell(const berth__class_map *map, uint32_t id)
{
    return id < map->cell_count ? id : map->peopled[id - map->cell_count].cell;
}

#endif
