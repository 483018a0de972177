/* A search tree over slots: best total, how many share it, how many are feasible, for any range.
 *
 * A leaf a slot, in layout order: a total, or a negative number where the slot is not feasible.
 * Inner nodes, BERTH__FAN wide, hold the best total below, how many leaves share it and how many
 * are feasible. Level 0 groups leaves.
 *
 * Threads: one at a time. */
#ifndef BERTH_INDEX_SEARCH_TREE_H
#define BERTH_INDEX_SEARCH_TREE_H

#include "base/memory.h"
#include "columns/tile_kernels.h"

enum {
    BERTH__TREE_LEVELS = 9, /* 16^8 slots and a root */
    BERTH__TREE_INFEASIBLE = -1,
    BERTH__TREE_NEVER = -2, /* not feasible whatever the slot's state; stays */
};

typedef struct berth__search_tree {
    uint32_t slot_count;
    int32_t *leaves; /* by slot, padded with NEVER to a whole group; 64-byte aligned */
    uint32_t level_count;
    uint32_t counts[BERTH__TREE_LEVELS]; /* nodes in use */
    berth__tree_level levels[BERTH__TREE_LEVELS];
    void *memory;
    size_t memory_bytes;
} berth__search_tree;

/* Scratch memory for changes, shared by trees of one size. */
typedef struct berth__tree_scratch {
    uint64_t *marks; /* a bit a node of level 0, all clear between calls */
    uint32_t mark_words;
    uint32_t *positions;
    uint32_t position_capacity;
} berth__tree_scratch;

/* Bytes that a tree of so many slots takes. */
size_t berth__search_tree_bytes(uint32_t slots);

/* Make the tree one of so many slots, contents undefined. False when out of memory: it is empty
 * then. */
bool berth__search_tree_create(berth__search_tree *tree, const berth_allocator *allocator,
                               uint32_t slots);
void berth__search_tree_destroy(berth__search_tree *tree, const berth_allocator *allocator);

/* Inner nodes from all leaves. */
void berth__search_tree_group(berth__search_tree *tree, const berth__kernels *kernels);

bool berth__tree_scratch_reserve(berth__tree_scratch *scratch, const berth_allocator *allocator,
                                 uint32_t slots, uint32_t changes);
void berth__tree_scratch_destroy(berth__tree_scratch *scratch, const berth_allocator *allocator);

/* New totals of some slots; of a slot that is listed twice the last one counts. Slots that are
 * NEVER stay so. `scratch` is large enough for the tree and `count`. Cost: the groups that
 * change. */
void berth__search_tree_change(berth__search_tree *tree, const berth__kernels *kernels,
                               berth__tree_scratch *scratch, const uint32_t *slots,
                               const int32_t *totals, uint32_t count);

typedef struct berth__tree_answer {
    uint32_t feasible_count;
    uint32_t next;  /* the first feasible slot beyond the limit, or `start` */
    bool cut_short; /* there is one */
    uint32_t best_count;
    int32_t best; /* negative: nothing is feasible */
} berth__tree_answer;

/* An answer's slots in search order, from `start` on: up to two ranges, the second one behind the
 * wrap. */
typedef struct berth__tree_ranges {
    uint32_t first[2], last[2];
    uint32_t count;
} berth__tree_ranges;

berth__tree_ranges berth__tree_ranges_of(const berth__search_tree *tree, uint32_t start,
                                         const berth__tree_answer *answer);

/* The first `limit` feasible slots from `start` around all slots. */
void berth__search_tree_ask(const berth__search_tree *tree, uint32_t start, uint32_t limit,
                            berth__tree_answer *out);

/* The slot of the n-th (from 0) best one in search order. */
uint32_t berth__search_tree_nth_best(const berth__search_tree *tree, uint32_t start,
                                     const berth__tree_answer *answer, uint32_t n);

/* The slot of the best one that comes first in heap order (base/heap_order.h). Cost: about as many
 * questions to the tree as a list of the feasible slots has binary digits. */
uint32_t berth__search_tree_heap_best(const berth__search_tree *tree, const berth__kernels *kernels,
                                      uint32_t start, const berth__tree_answer *answer);

/* The same where a total is a leaf and what the slot's class gets, in steps: which slots they are
 * (`out` has no best), then the best. Cost: a look at each slot. */
void berth__search_tree_range(const berth__search_tree *tree, uint32_t start, uint32_t limit,
                              berth__tree_answer *out);
void berth__search_tree_class_best(const berth__search_tree *tree, const berth__kernels *kernels,
                                   const berth__class_parts *classes, uint32_t start,
                                   berth__tree_answer *answer);
uint32_t berth__search_tree_class_nth_best(const berth__search_tree *tree,
                                           const berth__kernels *kernels,
                                           const berth__class_parts *classes, uint32_t start,
                                           const berth__tree_answer *answer, uint32_t n);
uint32_t berth__search_tree_class_heap_best(const berth__search_tree *tree,
                                            const berth__kernels *kernels,
                                            const berth__class_parts *classes, uint32_t start,
                                            const berth__tree_answer *answer);

/* The same where only some slots count: `keep` clears the others of a tile; or where totals are
 * worked out as the walk comes to a tile, and there is no tree. Visited tiles are kept in
 * `visited`, which has room for one more than there are tiles. Cost: a look at every tile up to the
 * last one needed, and at groups of leaves that are as good as the best before them. */
typedef struct berth__tree_walk {
    const berth__search_tree *tree; /* or, NULL, `fill` gives a tile's totals and feasible slots: */
    void (*fill)(void *context, uint32_t tile, int32_t *totals, berth__mask *slots);
    uint32_t slot_count;
    const berth__kernels *kernels;
    void (*keep)(void *context, uint32_t tile, berth__mask *slots);
    void *context;
    berth__mask *visited; /* feasible slots within the limit, in order of the walk */
    uint32_t visited_count;
    /* Totals in place of leaves, by step of the walk and slot of its tile; NULL: there are none
     * yet, which can't be without a tree. */
    int32_t *totals;
} berth__tree_walk;

void berth__tree_walk_ask(berth__tree_walk *walk, uint32_t start, uint32_t limit,
                          berth__tree_answer *out);

/* Where a leaf is not all of a total: ask without the best, give each step its totals, of which
 * none is above its leaf by more than `most`, then find the best of these. */
void berth__tree_walk_visit(berth__tree_walk *walk, uint32_t start, uint32_t limit,
                            berth__tree_answer *out);
void berth__tree_walk_total(const berth__tree_walk *walk, uint32_t start, uint32_t step,
                            const uint16_t *ids, const int32_t *parts, uint32_t part_count);
void berth__tree_walk_rate(const berth__tree_walk *walk, uint32_t start, int32_t most,
                           berth__tree_answer *answer);

/* The tile of a step. */
uint32_t berth__tree_walk_tile(const berth__tree_walk *walk, uint32_t start, uint32_t step);

uint32_t berth__tree_walk_nth_best(const berth__tree_walk *walk, uint32_t start,
                                   const berth__tree_answer *answer, uint32_t n);
uint32_t berth__tree_walk_heap_best(const berth__tree_walk *walk, uint32_t start,
                                    const berth__tree_answer *answer);

#endif
