/* A kind's index, private to index.c, which keeps and repairs it, and index_search.c, which queries
 * it. */
#ifndef BERTH_INDEX_INDEX_KIND_H
#define BERTH_INDEX_INDEX_KIND_H

#include "base/limit.h"
#include "index/class_forest.h"
#include "index/index.h"

/* What identifies a kind: the parts of the pod that active plugins read, except gate filters. */
typedef struct index_key {
    uint64_t request;
    uint64_t node_rules;
    uint64_t ports;
    uint64_t images;
    uint64_t cls; /* 0 unless a plugin reads more of the class */
    uint64_t profile;
} index_key;

enum { BERTH__FORESTS_MAX = BERTH__LIMIT(16, 2) };

struct berth__index {
    berth__used used;
    index_key key;
    bool built;
    uint64_t epoch;       /* of the facts in the leaves */
    uint64_t scorers;     /* a number for the scorers in the leaves */
    uint64_t image_worth; /* berth__prepared_image_worth of the leaves */
    uint64_t seen;        /* journal entries applied */
    uint64_t sighted;     /* journal entries at the kind's last decision */
    uint64_t credit;      /* see is_worth_it */
    int64_t constant;     /* sum of the uniform scorers, not in the leaves */
    berth__search_tree tree;
    berth__class_forest forests[BERTH__FORESTS_MAX]; /* kept up to date with the tree's leaves */
    uint32_t forest_count;
    uint64_t forest_asks;
    uint32_t forests_built; /* the number of forests that are built */
    /* How often in a row a small forest was not worth it, and the searches since. */
    uint32_t forest_doubts, forest_searches;
    /* of the current decision: */
    berth__decision decision;
    berth__gate_mask *mask;   /* NULL: no gates */
    berth__gate_mask *fixed;  /* NULL: no late filters or scorers that a key identifies */
    int64_t value_weight;     /* of the values of `fixed`, which leaves lack; 0: none do */
    bool walks;               /* needs a walk: there are gates or late filters, or no leaves */
    bool treeless;            /* has no leaves: see slot_window.h */
    berth__ask_totals *asked; /* if treeless; NULL: none are kept */
    const berth__index_cache *cache;
};

/* The class forest for the current cells, class map and tree, or NULL if looking at the slots of
 * these ranges costs less, or memory is short. Its lanes are cells if few slots have counted pods,
 * or else classes. A forest is built once searches without it have read twice as many slots as the
 * tree has. */
berth__class_forest *berth__index_forest(berth__index_cache *cache, berth__index *index,
                                         const berth__tree_ranges *slots);

/* The tree's leaves changed: all of them, or those in the scratch memory. Or the tree is about to
 * be freed. */
void berth__index_forests_void(berth__index *index);
void berth__index_forests_follow(berth__index *index, const berth__tree_scratch *scratch);
void berth__index_forests_free(berth__index_cache *cache, berth__index *index);

/* Reserve room for a walk over all tiles, with totals of its own if there are classes or no leaves.
 * Returns false when out of memory. */
bool berth__index_reserve(berth__index_cache *cache, const berth__view *view, bool totals);

#endif
