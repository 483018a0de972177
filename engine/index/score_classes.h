/* A class is a set of feasible slots that normalizing scorers cannot tell apart (class_maps.h).
 * This module computes what these scorers add to the totals of each class.
 *
 * Other feasible slots affect a normalized score only through the extremes of the raw values, and
 * the weight of a spread constraint only through the numbers of nodes and domains. So the plugins'
 * own functions need to score only one slot of each class.
 *
 * Steps: begin (with the scorers); meet (mark the classes of the feasible slots, for each tile of a
 * walk); rate. Then `totals` is valid for the classes that were met.
 *
 * Threads: the deciding thread only. */
#ifndef BERTH_INDEX_SCORE_CLASSES_H
#define BERTH_INDEX_SCORE_CLASSES_H

#include "base/limit.h"
#include "index/class_maps.h"
#include "index/search_tree.h"

enum { BERTH__CLASS_SCORERS_MAX = BERTH__LIMIT(16, 4) };

typedef struct berth__score_classes {
    const berth_allocator *allocator;
    berth__cells_cache cells_cache;
    berth__class_maps maps;
    /* of the current decision: */
    const berth__decision *decision;
    uint32_t scorers[BERTH__CLASS_SCORERS_MAX];
    uint32_t scorer_count;
    berth__cells_ask ask;
    berth__score_parts parts;
    bool unmade; /* the cells were never requested before */
    const berth__score_cells *cells;
    const berth__class_map *map; /* NULL: classes are cells */
    uint32_t count;              /* of possible classes */
    uint64_t *present;           /* one bit per class: it was met */
    uint8_t *marks;              /* one byte per cell: it was met; see mark_by_byte */
    bool marked;                 /* there may be marks that are not in `present` yet */
    uint64_t *wanted;            /* one bit per class: it may still be met */
    uint32_t complete;           /* so many words of cells have all that are wanted */
    bool blind;                  /* `wanted` says nothing, so that all slots are looked at */
    uint64_t possible;           /* one bit per cell, if few: slots of a walk may be of it */
    uint32_t having;             /* feasible slots met that have all required keys */
    uint32_t met_count;          /* after rating: */
    uint16_t *met;               /* the classes met, */
    uint32_t *slots;             /* one slot of each, */
    int64_t *raws;               /* scratch, in whole tiles */
    int32_t *totals;             /* by class: what its slots get */
    int32_t most;                /* the largest of these totals */
    uint32_t capacity;           /* of these arrays, in classes: a multiple of BERTH__TILE */
    void *memory;                /* of these arrays */
} berth__score_classes;

/* Returns NULL when out of memory. */
berth__score_classes *berth__score_classes_create(const berth_allocator *allocator);
void berth__score_classes_destroy(berth__score_classes *classes);

/* Begin with the scorers of a decision that are computed outside the tree (slot_plan.h). Returns
 * false if classes can't represent their values, memory is short, or (unless `eager`) these cells
 * were never requested before. */
bool berth__score_classes_begin(berth__score_classes *classes, const berth__decision *decision,
                                const uint32_t *scorers, uint32_t count, bool eager);

/* Whether a tile's cells fit into one word, a bit each. */
static inline bool berth__score_classes_few_cells(const berth__score_classes *classes)
{
    return classes->cells->count <= 64;
}

/* The cells of a tile's slots; there must be few. */
uint64_t berth__score_classes_cells(const berth__score_classes *classes, uint32_t tile,
                                    const berth__mask *slots);

/* Mark the classes of a tile's feasible slots as met. */
void berth__score_classes_meet(berth__score_classes *classes, uint32_t tile,
                               const berth__mask *slots);

/* The same for the feasible slots of some ranges, given all leaves of a search tree. Cost: visits
 * tiles until every class that has slots is met (with required keys, all), and in each tile only
 * slots of which a class is missing; those with counted pods by the map's list, if there is one. */
void berth__score_classes_meet_ranges(berth__score_classes *classes, const int32_t *leaves,
                                      const berth__tree_ranges *ranges);

/* The classes of a tile's slots. */
static inline const uint16_t *berth__score_classes_tile(const berth__score_classes *classes,
                                                        uint32_t tile)
{
    return classes->map != NULL ? berth__class_map_tile(classes->map, classes->cells, tile)
                                : classes->cells->ids + (size_t)tile * BERTH__TILE;
}

/* Whether a tile has slots with counted pods. */
static inline bool berth__score_classes_peopled(const berth__score_classes *classes, uint32_t tile)
{
    return classes->map != NULL && !berth__mask_empty(&classes->map->with[tile]);
}

/* The cell of a class. */
static inline uint32_t berth__score_classes_cell(const berth__score_classes *classes, uint32_t id)
{
    return classes->map != NULL ? berth__class_map_cell(classes->map, id) : id;
}

/* Compute what each class gets, after all were met. Returns false if a scorer fails or exceeds its
 * range, or memory is short. `arena` is the decision's own. */
bool berth__score_classes_rate(berth__score_classes *classes, uint32_t feasible_count,
                               berth__arena *arena);

#endif
