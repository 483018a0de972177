/* The scan path: feasible nodes in rotation order up to a limit, and their scores.
 *
 * Slots are walked from `start` around the layout, cut into segments (a tile, but for the start
 * tile, which makes a first and, its head, a last segment) and slices of segments. Workers take
 * slices by an atomic ticket, in order, and add what they found to an atomic count; once it
 * exceeds the limit no further slice is taken. The slices taken are then a prefix of the walk
 * that holds more than `limit` feasible nodes, so the first `limit` of them are known whoever
 * found them: the answer does not depend on the workers.
 *
 * A walk that will visit every node needs no order: workers first take the tiles that lie near
 * them (base/shares.h), and the answer is the same.
 *
 * Ordering: ticket and count are relaxed. The ticket only hands out numbers; the count only
 * decides when to stop, and a late look costs a slice, never the answer. What workers wrote is
 * read after berth__workers_run has returned (WORK-2). */
#ifndef BERTH_SCAN_SEARCH_H
#define BERTH_SCAN_SEARCH_H

#include <stdatomic.h>

#include "base/random.h"
#include "base/workers.h"
#include "prepare/normalize.h"
#include "whatif/dry_run.h"

/* How a scorer takes part in a search. */
typedef struct berth__scorer_run {
    bool basic;     /* one kernel works it out together with the others of this sort */
    bool tabled;    /* of one that normalizes: the table has what each raw value adds to a total */
    uint16_t count; /* of values, from the lowest on; the entry after them is for an ignored slot */
    int16_t table[BERTH__FEW + 1];
} berth__scorer_run;

/* One worker's own results. */
typedef struct berth__search_worker {
    _Alignas(64) int64_t best;
    uint32_t best_count;
    berth__scorer_range *ranges; /* by scorer */
} berth__search_worker;

/* How much room the buffers below have: they are kept from search to search. */
typedef struct berth__search_memory {
    const berth_allocator *allocator;
    uint32_t tile_capacity;
    uint32_t scorer_capacity;
} berth__search_memory;

/* Who searches. */
typedef struct berth__search_crew {
    berth__workers *workers;
    uint32_t worker_count;
    berth__shares shares; /* of a walk or a scoring of all tiles; see base/shares.h */
} berth__search_crew;

/* Which way a walk goes, and how far. */
typedef struct berth__search_range {
    berth__dry_run *dry_run; /* NULL: no node is kept for a nominated pod */
    uint32_t start;
    uint32_t limit;
    uint32_t segment_count;
    uint32_t slice_segments; /* segments in a slice */
    bool unscored;           /* nobody will ask for scores */
} berth__search_range;

/* A walk under way. */
typedef struct berth__search_walk {
    berth__mask *found;              /* by segment */
    berth__mask *visited;            /* by segment: candidates looked at; filled by the cut */
    _Alignas(64) atomic_uint ticket; /* sync: atomic, relaxed, see above */
    _Alignas(64) atomic_uint count;  /* sync: atomic, relaxed, see above */
} berth__search_walk;

/* What a walk came to. */
typedef struct berth__search_answer {
    uint32_t used_segments; /* segments before and up to the cut */
    uint32_t feasible_count;
    uint32_t visited_count;
    bool cut_short; /* one more feasible node was found, and discarded */
    /* The node that the pod itself is nominated for, tried before all others and refused. */
    uint32_t refused_slot; /* BERTH__SLOT_NONE: there is none */
    uint32_t next;         /* rotation index after the walk */
    berth__mask *feasible; /* by tile */
} berth__search_answer;

/* Scores of what a walk finds, and the best of them. */
typedef struct berth__search_scores {
    bool in_walk;      /* tiles are scored as the walk comes to them */
    bool best_in_walk; /* and the best of a tile is known then */
    bool basic;        /* some scorers are worked out by the kernel `basic_scores` */
    berth__basic_ask basic_ask;
    int64_t *totals;    /* by slot, without the constant: see berth__search_total */
    int64_t *tile_best; /* by tile: best of the totals, INT64_MIN where nothing is feasible */
    int16_t **raw;      /* by scorer that normalizes: raw values by slot, as `narrow` keeps them */
    berth__prepared_stage *ranked; /* by scorer: after the rank phase */
    berth__scorer_run *runs;       /* by scorer */
    uint32_t tabled_count;
    berth__narrow_part *tabled; /* of the scorers that are, for the first tile */
    int64_t constant;           /* sum of the uniform scorers */
    berth__search_worker *own;  /* by worker */
    int64_t best;
    uint32_t best_count;
} berth__search_scores;

/* A search: each part is filled from those before it. */
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

/* Find the feasible nodes of a prepared decision from rotation index `start` on. Fills the
 * answer. */
berth_status berth__search_filter(berth__search *search, const berth__decision *decision,
                                  uint32_t start);

/* The same where pods are nominated for nodes: a node takes the pod only if it would with the
 * nominated pods of no lower priority there too. `own_slot` is that of the node that the pod
 * itself is nominated for (BERTH__SLOT_NONE: none): if it takes the pod, no other is tried.
 * `dry_run` has been asked.
 * Source: kube-scheduler v1.32, schedule_one.go, evaluateNominatedNode. */
berth_status berth__search_nominated(berth__search *search, const berth__decision *decision,
                                     uint32_t start, berth__dry_run *dry_run, uint32_t own_slot);

/* As berth__search_filter or, with `dry_run` (NULL: no pods are nominated),
 * berth__search_nominated, without a limit, from slot 0: every feasible node there is. `scored`
 * says that berth__search_score will be asked for. */
berth_status berth__search_all(berth__search *search, const berth__decision *decision,
                               berth__dry_run *dry_run, bool scored);

/* Score what a search left, once; fills totals, best and best_count. `arena` serves the rank
 * phase. A scorer that fails leaves BERTH__FAIL behind (berth__search_scorer) and gives
 * E_INVALID. */
berth_status berth__search_score(berth__search *search, berth__arena *arena);

/* What a scorer, or a plugin that only prepares as one, has come to in berth__search_score. */
static inline const berth__prepared_stage *berth__search_scorer(const berth__search *search,
                                                                uint32_t stage)
{
    return stage < search->decision.profile->scorer_count
               ? &search->scores.ranked[stage]
               : &search->decision.prepared->scorers[stage];
}

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

/* The slot of the n-th (from 0) of the best nodes in search order. Needs berth__search_score. */
uint32_t berth__search_nth_best(const berth__search *search, uint32_t n);

/* The slot of the best one that comes first in heap order (base/heap_order.h). Needs
 * berth__search_score. Cost: a look at every tile of the search at most. */
uint32_t berth__search_heap_best(const berth__search *search);

/* The only feasible slot, when feasible_count is 1. */
uint32_t berth__search_only(const berth__search *search);

/* Normalized, weighted values of one scorer for the feasible slots of a tile (explanations), and
 * what it said before either: BERTH__SCORE_IGNORED where it said nothing, of a node that it leaves
 * out, or because all nodes come out the same. Both have BERTH__TILE entries. */
void berth__search_scorer_values(const berth__search *search, uint32_t scorer, uint32_t tile,
                                 int64_t *out, int64_t *raw);

#endif
