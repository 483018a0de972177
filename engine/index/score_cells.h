/* A cell is a set of slots that normalizing scores cannot tell apart until a node object changes:
 * same domains or keys, same raw values of the static scorers.
 *
 * A bounded number of sets of cells is cached, by pods' rules and lists of topologies; the least
 * recently used set is dropped first. After a change of node facts that may matter, cells stay if
 * the changed slots are still in theirs; otherwise they are computed again by a pass over all
 * slots. Labels matter or, if there are static scorers, any facts but images, which no scorer of
 * Kubernetes that normalizes reads.
 *
 * Threads: the deciding thread only. */
#ifndef BERTH_INDEX_SCORE_CELLS_H
#define BERTH_INDEX_SCORE_CELLS_H

#include "base/limit.h"
#include "base/use_order.h"
#include "prepare/prepared.h"

enum {
    BERTH__CELLS_FEW = BERTH__LIMIT(64, 4), /* so many are always allowed */
    BERTH__CELLS_MAX = BERTH__LIMIT(8192, 12),
    BERTH__CELL_STATICS_MAX = BERTH__LIMIT(8, 2),
};

/* How many sets of slots are worth being told apart: up to `few` in any case, beyond that only if
 * each has eight slots on average. A decision computes the scores of each, which costs as much as
 * to scan some six slots. */
static inline uint32_t berth__cells_allowed(uint32_t slots, uint32_t few, uint32_t most)
{
    const uint32_t many = slots / 8;
    return many <= few ? few : many < most ? many : most;
}

/* What distinguishes the cells of a decision. */
typedef struct berth__cells_ask {
    uint32_t statics[BERTH__CELL_STATICS_MAX]; /* scorers, by index */
    uint32_t static_count;
    const berth__score_parts *parts; /* only its splits */
} berth__cells_ask;

enum { BERTH__CELLS_WORDS = 4 + BERTH__CELL_STATICS_MAX + BERTH__SCORE_PARTS_MAX };

struct berth__score_cells {
    berth__used used;
    uint64_t key[BERTH__CELLS_WORDS];
    uint64_t epoch;  /* the layout's, of what decides about cells */
    uint64_t since;  /* the last change of a topology that splits them, when they were computed */
    uint64_t asked;  /* the same at the last request */
    uint64_t serial; /* differs for each computation; never 0 */
    uint32_t tile_count;
    uint32_t count;    /* of cells; 0: too many */
    uint32_t *slots;   /* one slot of each cell */
    uint32_t *members; /* how many slots each cell has */
    int64_t *raws;     /* by static scorer of the request, and by cell */
    void *facts;       /* the memory of these three arrays */
    size_t facts_bytes;
    uint16_t *ids; /* by slot */
};

typedef struct berth__cells_cache {
    const berth_allocator *allocator;
    berth__keymap map;
    berth__use_order order;
    size_t bytes;
    struct berth__cell_pair *pairs; /* scratch */
    uint32_t pair_capacity;
    uint64_t epoch; /* sets dropped so far: shows whether a remembered set still exists */
    uint64_t made;  /* sets made so far */
} berth__cells_cache;

berth_status berth__cells_cache_init(berth__cells_cache *cache, const berth_allocator *allocator);
void berth__cells_cache_destroy(berth__cells_cache *cache);

/* Write the key that identifies the cells of a decision within a layout epoch. Returns how many of
 * BERTH__CELLS_WORDS words the key has. */
uint32_t berth__score_cells_key(const berth__decision *decision, const berth__cells_ask *ask,
                                uint64_t *words);

/* The cells of a decision, valid until the next call. NULL when out of memory, or (unless `eager`)
 * at the first request after node facts have changed, because the request may come from the only
 * pod that needs these cells. */
const berth__score_cells *berth__score_cells_get(berth__cells_cache *cache,
                                                 const berth__decision *decision,
                                                 const berth__cells_ask *ask, bool eager);

#endif
