/* A kind's index as the files that make it see it: index.c keeps and repairs it, index_search.c
 * asks it. */
#ifndef BERTH_INDEX_INDEX_KIND_H
#define BERTH_INDEX_INDEX_KIND_H

#include "index/index.h"

/* What a kind is: parts of the pod that active plugins read, but for filters that are gates. */
typedef struct index_key {
    uint64_t request;
    uint64_t node_rules;
    uint64_t ports;
    uint64_t images;
    uint64_t cls; /* 0 unless a plugin reads more of the class than that */
    uint64_t profile;
} index_key;

struct berth__index {
    berth__used used;
    index_key key;
    bool built;
    uint64_t epoch;
    uint64_t seen;    /* journal entries taken in */
    uint64_t sighted; /* journal entries there were when it was last met */
    uint64_t credit;  /* see is_worth_it */
    int64_t constant; /* of the uniform scorers, not in the leaves */
    berth__search_tree tree;
    /* of the decision that is being made: */
    berth__decision decision;
    berth__gate_mask *mask; /* NULL: there is no gate */
    bool walks;    /* not all leaves count: there are gates or late filters; or no leaves */
    bool treeless; /* there are no leaves: see slot_window.h */
    const berth__index_cache *cache;
};

/* Room for a walk over all tiles, with totals of its own if there are classes, or no leaves. False
 * when out of memory. */
bool berth__index_reserve(berth__index_cache *cache, const berth__view *view, bool totals);

#endif
