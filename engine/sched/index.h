/* The indexed path: per kind of pod, every node's verdict and total in a search tree that is repaired
 * by the change journal, so that a decision costs what changed since the kind was last seen.
 *
 * A tree has a leaf a slot, in layout order: the total of the scorers, or a negative number where the
 * pod does not fit. Inner nodes, BERTH__FAN wide, hold the best total below, how many leaves share it
 * and how many are feasible. Answers are those of the scan (search.h), for every limit and start.
 *
 * What can be indexed: every active filter is static or gives verdicts by slot (plugin.h, filter_slot),
 * every active scorer likewise and without normalization. All else takes the scan path. Pods that differ
 * only in what no active plugin reads share a tree.
 *
 * Threads: the deciding thread only. */
#ifndef BERTH_SCHED_INDEX_H
#define BERTH_SCHED_INDEX_H

#include "sched/search.h"

typedef struct berth__index_cache {
    const berth_allocator *allocator;
    berth__keymap map;
    berth__index *newest, *oldest;
    size_t bytes;
    size_t bytes_max;
    uint64_t drops; /* trees dropped so far: tells whether a remembered tree is still there */
} berth__index_cache;

berth_status berth__index_cache_init(berth__index_cache *cache, const berth_allocator *allocator);
void berth__index_cache_destroy(berth__index_cache *cache);

/* The up-to-date tree for a cycle, or NULL: the decision is not indexable, or (unless `eager`) its kind
 * is seen for the first time, or memory is short. Cost: the journal since last time, or a look at every
 * slot (a scan by `search`, with `arena` for its rank phase). */
berth__index *berth__index_get(berth__index_cache *cache, const berth__cycle *cycle,
                               const berth__profile *profile, uint32_t profile_index,
                               berth__prepared *prepared, berth__search *search,
                               berth__arena *arena, bool eager);

typedef struct berth__index_answer {
    uint32_t feasible_count;
    uint32_t next;       /* rotation index after the search */
    bool cut_short;      /* `next` is feasible too, but beyond the limit */
    uint32_t best_count;
    int64_t best;        /* total of the best */
    uint32_t end;        /* the search covered start <= slot < end, around the layout */
} berth__index_answer;

/* The first `limit` feasible slots from `start` around the layout. */
void berth__index_search(const berth__index *index, uint32_t start, uint32_t limit,
                         berth__index_answer *out);

/* The slot of the n-th (from 0) best one in search order. */
uint32_t berth__index_nth_best(const berth__index *index, uint32_t start,
                               const berth__index_answer *answer, uint32_t n);

#endif
