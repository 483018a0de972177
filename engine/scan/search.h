/* The scan path: finds feasible nodes in rotation order up to a limit, and scores them.
 *
 * A walk visits slots from `start` around the layout. The layout is cut into segments (one for each
 * tile, but two for the start tile: its tail comes first, its head last), and segments are grouped
 * into slices. Workers take slices in order by an atomic ticket, and add what they found to an
 * atomic count. Once the count exceeds the limit, no further slice is taken. The slices taken are
 * then a prefix of the walk that holds more than `limit` feasible nodes. The first `limit` of them
 * do not depend on which worker found them, so neither does the answer.
 *
 * A walk that will visit every node needs no order: workers first take the tiles near them
 * (base/shares.h), and the answer is the same.
 *
 * Ordering: ticket and count are relaxed. The ticket only hands out numbers. The count only decides
 * when to stop; a stale count costs a slice, never the answer. The results of workers are read
 * after berth__workers_run has returned (WORK-2). */
#ifndef BERTH_SCAN_SEARCH_H
#define BERTH_SCAN_SEARCH_H

#include <stdatomic.h>

#include "base/random.h"
#include "base/workers.h"
#include "prepare/normalize.h"
#include "whatif/dry_run.h"

/* How a search computes a scorer. */
typedef struct berth__scorer_run {
    bool basic;     /* one kernel computes it together with the other basic scorers */
    bool tabled;    /* normalizes; the table maps each raw value to its share of a total */
    uint16_t count; /* of values, from the lowest on; the next entry is for ignored slots */
    int16_t table[BERTH__FEW + 1];
} berth__scorer_run;

/* One worker's own results. */
typedef struct berth__search_worker {
    _Alignas(64) int64_t best;
    uint32_t best_count;
    berth__scorer_range *ranges; /* by scorer */
} berth__search_worker;

/* The capacities of the buffers below, which are kept from search to search. */
typedef struct berth__search_memory {
    const berth_allocator *allocator;
    uint32_t tile_capacity;
    uint32_t scorer_capacity;
} berth__search_memory;

/* The workers of a search. */
typedef struct berth__search_crew {
    berth__workers *workers;
    uint32_t worker_count;
    berth__shares shares; /* for a walk over all tiles, or scoring all tiles; see base/shares.h */
} berth__search_crew;

/* Where a walk starts and how far it goes. */
typedef struct berth__search_range {
    berth__dry_run *dry_run; /* NULL: no node is nominated for a pod */
    uint32_t start;
    uint32_t limit;
    uint32_t segment_count;
    uint32_t slice_segments; /* segments in a slice */
    bool unscored;           /* scores will not be needed */
} berth__search_range;

/* A walk in progress. */
typedef struct berth__search_walk {
    berth__mask *found;              /* by segment */
    berth__mask *visited;            /* by segment: candidates visited; filled by the cut */
    _Alignas(64) atomic_uint ticket; /* sync: atomic, relaxed, see above */
    _Alignas(64) atomic_uint count;  /* sync: atomic, relaxed, see above */
} berth__search_walk;

/* The result of a walk. */
typedef struct berth__search_answer {
    uint32_t used_segments; /* segments before and up to the cut */
    uint32_t feasible_count;
    uint32_t visited_count;
    bool cut_short; /* one more feasible node was found and discarded */
    bool alone;     /* only the node for which the pod itself is nominated was tried */
    /* The node for which the pod itself is nominated, if it was tried before all others and
     * refused. */
    uint32_t refused_slot; /* BERTH__SLOT_NONE: no such node */
    uint32_t next;         /* rotation index after the walk */
    berth__mask *feasible; /* by tile */
} berth__search_answer;

/* The scores of the nodes that a walk finds, and the best of them. */
typedef struct berth__search_scores {
    bool in_walk;      /* tiles are scored as the walk visits them */
    bool best_in_walk; /* the walk also finds the best total of each tile */
    bool basic;        /* the kernel `basic_scores` computes some scorers */
    berth__basic_ask basic_ask;
    int64_t *totals;    /* by slot, without the constant: see berth__search_total */
    int64_t *tile_best; /* by tile: the best total, INT64_MIN if nothing is feasible */
    int16_t **raw;      /* by normalizing scorer: raw values by slot, as `narrow` keeps them */
    berth__prepared_stage *ranked; /* by scorer: after the rank phase */
    berth__scorer_run *runs;       /* by scorer */
    uint32_t tabled_count;
    berth__narrow_part *tabled; /* of the scorers with tables, for the first tile */
    int64_t constant;           /* sum of the uniform scorers */
    berth__search_worker *own;  /* by worker */
    int64_t best;
    uint32_t best_count;
} berth__search_scores;

/* A search; each part is computed from the parts before it. */
typedef struct berth__search {
    berth__search_memory memory;
    berth__search_crew crew;
    berth__decision decision;
    berth__search_range range;
    berth__search_walk walk;
    berth__search_answer answer;
    berth__search_scores scores;
} berth__search;

void berth__search_init(berth__search *search, const berth_allocator *allocator,
                        berth__workers *workers, uint32_t worker_count);
void berth__search_destroy(berth__search *search);

/* Find the feasible nodes of a prepared decision, from rotation index `start` on. Fills the
 * answer. */
berth_status berth__search_filter(berth__search *search, const berth__decision *decision,
                                  uint32_t start);

/* The same if pods are nominated for nodes: a node must also take the pod with the nominated pods
 * of at least its priority there. `own_slot` is the node for which the pod itself is nominated
 * (BERTH__SLOT_NONE: none): if it takes the pod, no other node is tried. Call berth__dry_run_ask on
 * `dry_run` first.
 * Source: kube-scheduler v1.32, schedule_one.go, evaluateNominatedNode. */
berth_status berth__search_nominated(berth__search *search, const berth__decision *decision,
                                     uint32_t start, berth__dry_run *dry_run, uint32_t own_slot);

/* As berth__search_filter or, with `dry_run` (NULL: no pods are nominated),
 * berth__search_nominated, but from slot 0 without a limit: finds every feasible node. `scored`:
 * berth__search_score will follow. */
berth_status berth__search_all(berth__search *search, const berth__decision *decision,
                               berth__dry_run *dry_run, bool scored);

/* Score the nodes that a search found, once; fills totals, best and best_count. `arena` serves the
 * rank phase. If a scorer fails, its stage is BERTH__FAIL (berth__search_scorer) and the call
 * returns BERTH_E_INVALID. */
berth_status berth__search_score(berth__search *search, berth__arena *arena);

/* The state of a scorer, or of a plugin that runs only at preScore, after berth__search_score. */
static inline const berth__prepared_stage *berth__search_scorer(const berth__search *search,
                                                                uint32_t stage)
{
    return stage < search->decision.profile->scorer_count
               ? &search->scores.ranked[stage]
               : &search->decision.prepared->scorers[stage];
}

/* Write the feasible slots in search order; `out` has room for answer.feasible_count. */
void berth__search_feasible(const berth__search *search, uint32_t *out);

/* Whether the walk has visited a slot. */
bool berth__search_visited(const berth__search *search, uint32_t slot);

/* Before berth__search_score: keep only the feasible slots whose entry in `keeps`, in search order,
 * is true. Errors: BERTH_E_NOMEM. */
berth_status berth__search_keep(berth__search *search, const bool *keeps);

/* After berth__search_score: add values to the totals of feasible slots, and find the best
 * again. */
void berth__search_add(berth__search *search, const uint32_t *slots, const int64_t *values,
                       uint32_t count);

/* The total of a feasible slot. */
static inline int64_t berth__search_total(const berth__search *search, uint32_t slot)
{
    return search->scores.totals[slot] + search->scores.constant;
}

/* The tile of a segment, and the slots of it that belong to the walk. */
static inline uint32_t berth__search_tile(const berth__search *search, uint32_t segment)
{
    uint32_t tile = search->range.start / BERTH__TILE + segment;
    uint32_t count = search->decision.cycle->view->layout->tile_count;
    return tile < count ? tile : tile - count;
}
uint32_t berth__search_segment(const berth__search *search, uint32_t segment, berth__mask *slots);

/* The n-th (from 0) best slot in search order. Needs berth__search_score. */
uint32_t berth__search_nth_best(const berth__search *search, uint32_t n);

/* The best slot that comes first in heap order (base/heap_order.h). Needs berth__search_score.
 * Cost: reads at most every tile of the search. */
uint32_t berth__search_heap_best(const berth__search *search);

/* The only feasible slot, when feasible_count is 1. */
uint32_t berth__search_only(const berth__search *search);

/* For explanations: the normalized, weighted values of one scorer for the feasible slots of a tile,
 * and its raw values. A raw value is BERTH__SCORE_IGNORED if there is none, because the scorer
 * ignores the node or all nodes score the same. Both arrays have BERTH__TILE entries. */
void berth__search_scorer_values(const berth__search *search, uint32_t scorer, uint32_t tile,
                                 int64_t *out, int64_t *raw);

#endif
