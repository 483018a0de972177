/* Classes: feasible slots that scorers which normalize cannot tell apart (class_maps.h), and what
 * these scorers add to the totals of each.
 *
 * What other slots are feasible bears on a normalized score only through the extremes of the raw
 * values, and on the weight of a spread constraint through how many nodes and domains there are. So
 * it takes one slot of each class that is there to work out what all get, by the plugins' own
 * functions.
 *
 * Steps: begin (with the scorers), meet (the feasible slots of each tile of a walk), rate. Then
 * `totals` are right for the classes met.
 *
 * Threads: the deciding thread only. */
#ifndef BERTH_INDEX_SCORE_CLASSES_H
#define BERTH_INDEX_SCORE_CLASSES_H

#include "index/class_maps.h"
#include "index/search_tree.h"

enum { BERTH__CLASS_SCORERS_MAX = 16 };

typedef struct berth__score_classes {
    const berth_allocator *allocator;
    berth__cells_cache cells_cache;
    berth__class_maps maps;
    /* of the decision that is being made: */
    const berth__decision *decision;
    uint32_t scorers[BERTH__CLASS_SCORERS_MAX];
    uint32_t scorer_count;
    berth__cells_ask ask;
    berth__score_parts parts;
    bool unmade; /* nobody has asked for these cells before */
    const berth__score_cells *cells;
    const berth__class_map *map;                    /* NULL: classes are cells */
    const uint16_t *ids;                            /* by slot */
    uint32_t count;                                 /* of classes that there may be */
    uint64_t present[BERTH__CLASSES_MAX / 64];      /* a bit a class: it was met, */
    uint64_t wanted[BERTH__CLASSES_MAX / 64];       /* or there may be slots of it to meet */
    uint32_t met_count;                             /* once rated: */
    uint16_t met[BERTH__CLASSES_MAX];               /* the classes met, */
    uint32_t slots[BERTH__CLASSES_MAX];             /* one slot of each, */
    int64_t raws[BERTH__CLASSES_MAX + BERTH__TILE]; /* scratch, in whole tiles */
    int32_t totals[BERTH__CLASSES_MAX];             /* and by class: what its slots get */
    int32_t most;                                   /* the greatest of them */
} berth__score_classes;

/* NULL when out of memory. */
berth__score_classes *berth__score_classes_create(const berth_allocator *allocator);
void berth__score_classes_destroy(berth__score_classes *classes);

/* Begin with scorers of a decision that stand apart (slot_plan.h). False: their values can't be
 * told by classes, or memory is short, or (unless `eager`) nobody has asked for such cells
 * before. */
bool berth__score_classes_begin(berth__score_classes *classes, const berth__decision *decision,
                                const uint32_t *scorers, uint32_t count, bool eager);

/* Meet feasible slots of a tile. */
void berth__score_classes_meet(berth__score_classes *classes, uint32_t tile,
                               const berth__mask *slots);

/* Meet the feasible slots of some ranges, being told all leaves of a search tree. Cost: a look at
 * each tile until every class that has slots is met: at its slots with pods, and at others while
 * cells are missing. */
void berth__score_classes_meet_ranges(berth__score_classes *classes, const int32_t *leaves,
                                      const berth__tree_ranges *ranges);

/* Classes of a tile's slots. */
static inline const uint16_t *berth__score_classes_tile(const berth__score_classes *classes,
                                                        uint32_t tile)
{
    return classes->ids + (size_t)tile * BERTH__TILE;
}

/* Work out what each class gets, all having been met. False: a scorer fails or gives more than its
 * share, or memory is short. `arena` is the decision's own. */
bool berth__score_classes_rate(berth__score_classes *classes, uint32_t feasible_count,
                               berth__arena *arena);

#endif
