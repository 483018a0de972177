/* A search tree over slots: for any range of slots, the best total, how many slots share it, and
 * how many are feasible.
 *
 * Each slot has a leaf, in layout order: its total, or a negative number if the slot is not
 * feasible. Inner nodes, BERTH__FAN wide, hold the best total below them, how many leaves share it,
 * and how many leaves are feasible. Level 0 groups leaves.
 *
 * Threads: one at a time. */
#ifndef BERTH_INDEX_SEARCH_TREE_H
#define BERTH_INDEX_SEARCH_TREE_H

#include "base/memory.h"
#include "columns/tile_kernels.h"

enum {
    BERTH__TREE_LEVELS = 9, /* 16^8 slots and a root */
    BERTH__TREE_INFEASIBLE = -1,
    BERTH__TREE_NEVER = -2, /* never feasible, regardless of the slot's state; permanent */
};

/* What a walk reads of a tile. The invariant: `feasible` has exactly the slots whose leaf is
 * feasible; no leaf is above `top`; `tops` has exactly the feasible slots whose leaf equals it. So
 * if `tops` is empty, `top` is an upper bound; it is recomputed only if the bound matters. */
typedef struct berth__tree_tile {
    berth__mask feasible;
    berth__mask tops;
    int32_t top; /* negative: no slot is feasible */
} berth__tree_tile;

typedef struct berth__search_tree {
    uint32_t slot_count;
    int32_t *leaves; /* by slot, padded with NEVER to a whole group; 64-byte aligned */
    uint32_t level_count;
    uint32_t counts[BERTH__TREE_LEVELS]; /* nodes in use */
    berth__tree_level levels[BERTH__TREE_LEVELS];
    berth__tree_tile *tiles; /* valid if `masked`; then they follow each change of a leaf */
    bool masked;
    void *memory;
    size_t memory_bytes;
} berth__search_tree;

/* A leaf that changed. */
typedef struct berth__leaf_change {
    uint32_t slot;
    int32_t before, after;
} berth__leaf_change;

/* Scratch memory for changes, shared by trees of one size. */
typedef struct berth__tree_scratch {
    uint64_t *marks; /* one bit per node of level 0, all clear between calls */
    uint32_t mark_words;
    uint32_t *positions;
    uint32_t position_capacity;
    /* The leaves that the last change of a tree changed, in order. */
    berth__leaf_change *changes;
    uint32_t change_count;
    uint32_t change_capacity;
} berth__tree_scratch;

/* The size of a tree with `slots` slots in bytes. */
size_t berth__search_tree_bytes(uint32_t slots);

/* Create a tree with `slots` slots and undefined contents. Returns false when out of memory; the
 * tree is then empty. */
bool berth__search_tree_create(berth__search_tree *tree, const berth_allocator *allocator,
                               uint32_t slots);
void berth__search_tree_destroy(berth__search_tree *tree, const berth_allocator *allocator);

/* Compute all inner nodes from the leaves. */
void berth__search_tree_group(berth__search_tree *tree, const berth__kernels *kernels);

/* Compute the tiles of a tree, unless they are valid. */
void berth__search_tree_mask(berth__search_tree *tree, const berth__kernels *kernels);

/* Compute the top of a tile. */
void berth__search_tree_top(const berth__search_tree *tree, const berth__kernels *kernels,
                            uint32_t tile);

bool berth__tree_scratch_reserve(berth__tree_scratch *scratch, const berth_allocator *allocator,
                                 uint32_t slots, uint32_t changes);
void berth__tree_scratch_destroy(berth__tree_scratch *scratch, const berth_allocator *allocator);

/* Change the totals of some slots; if a slot is listed twice, the last entry counts. Slots that are
 * NEVER stay NEVER. `scratch` must be large enough for the tree and `count`. Cost: the groups that
 * change. */
void berth__search_tree_change(berth__search_tree *tree, const berth__kernels *kernels,
                               berth__tree_scratch *scratch, const uint32_t *slots,
                               const int32_t *totals, uint32_t count);

typedef struct berth__tree_answer {
    uint32_t feasible_count;
    uint32_t next;  /* the first feasible slot beyond the limit, or `start` */
    bool cut_short; /* there is such a slot */
    uint32_t best_count;
    int32_t best; /* negative: nothing is feasible */
} berth__tree_answer;

/* An answer's slots in search order from `start` on: one or two ranges, the second one after the
 * wrap. */
typedef struct berth__tree_ranges {
    uint32_t first[2], last[2];
    uint32_t count;
} berth__tree_ranges;

berth__tree_ranges berth__tree_ranges_of(const berth__search_tree *tree, uint32_t start,
                                         const berth__tree_answer *answer);

/* Find the first `limit` feasible slots from `start` around all slots, and the best of them. */
void berth__search_tree_ask(const berth__search_tree *tree, uint32_t start, uint32_t limit,
                            berth__tree_answer *out);

/* The n-th (from 0) best slot in search order. */
uint32_t berth__search_tree_nth_best(const berth__search_tree *tree, uint32_t start,
                                     const berth__tree_answer *answer, uint32_t n);

/* The best slot that comes first in heap order (base/heap_order.h). Cost: about log2(feasible
 * slots) queries of the tree. */
uint32_t berth__search_tree_heap_best(const berth__search_tree *tree, const berth__kernels *kernels,
                                      uint32_t start, const berth__tree_answer *answer);

/* Find only the feasible slots; `out` has no best. */
void berth__search_tree_range(const berth__search_tree *tree, uint32_t start, uint32_t limit,
                              berth__tree_answer *out);

/* The same three queries if a total is a leaf plus the part of the slot's class (class_search.h);
 * the first one is for slots that berth__search_tree_range found. Cost: as above with a class
 * forest; without one, reads every slot. */
typedef struct berth__class_search berth__class_search;
void berth__search_tree_class_best(const berth__search_tree *tree, berth__class_search *classes,
                                   uint32_t start, berth__tree_answer *answer);
uint32_t berth__search_tree_class_nth_best(const berth__search_tree *tree,
                                           const berth__class_search *classes, uint32_t start,
                                           const berth__tree_answer *answer, uint32_t n);
uint32_t berth__search_tree_class_heap_best(const berth__search_tree *tree,
                                            const berth__kernels *kernels,
                                            const berth__class_search *classes, uint32_t start,
                                            const berth__tree_answer *answer);

/* A set of slots, by tile. A tile's mask is valid where `ready` is not 0; NULL: everywhere. */
typedef struct berth__walk_set {
    const berth__mask *slots;
    const uint8_t *ready;
} berth__walk_set;

enum { BERTH__WALK_SETS = 2 };

/* The same if only some slots count, or if there is no tree and `fill` computes totals as the walk
 * visits a tile. The slots that count are those in all sets; but where a tile is busy, or a set is
 * not ready, `keep` clears the slots of the tile that do not count. `visited` and `tops` receive
 * the visited tiles and have room for one more than there are tiles. Cost: reads the masks of every
 * tile up to the last one needed, and the groups of leaves that are at least as good as the best
 * before them. */
typedef struct berth__tree_walk {
    /* Its tiles must be valid. NULL: `fill` computes a tile's totals, in `room` or elsewhere, and
     * clears the slots that are not feasible. */
    const berth__search_tree *tree;
    const int32_t *(*fill)(void *context, uint32_t tile, int32_t *room, berth__mask *slots);
    uint32_t slot_count;
    const berth__kernels *kernels;
    berth__walk_set sets[BERTH__WALK_SETS]; /* the first `set_count` */
    uint32_t set_count;
    const uint64_t *busy; /* one bit per tile; NULL: all are busy */
    void (*keep)(void *context, uint32_t tile, berth__mask *slots);
    void *context;
    berth__mask *visited; /* feasible slots within the limit, in order of the walk */
    uint32_t visited_count;
    /* By step, after rating: the total of its best slots, or a negative number if an earlier step
     * has better ones. So a step has slots with the overall best total if and only if its entry
     * equals that total.
     */
    int32_t *tops;
    /* Without a tree, in place of leaves: by step, the totals of its tile; and room for those. */
    const int32_t **stored;
    int32_t *room;
    /* Computes the totals of a tile, given the leaves or `stored`, if these lack a part; otherwise
     * NULL. */
    void (*add)(void *context, uint32_t tile, const int32_t *leaves, int32_t *totals);
    int32_t add_most; /* for rating: it adds no more */
} berth__tree_walk;

void berth__tree_walk_ask(berth__tree_walk *walk, uint32_t start, uint32_t limit,
                          berth__tree_answer *out);

/* For totals that are stored only in part: visit the feasible tiles, then raise `best` to the best
 * totals with the missing parts, step by step. The totals are not kept: the walk's `add` computes
 * those of a tile again. */
void berth__tree_walk_visit(berth__tree_walk *walk, uint32_t start, uint32_t limit,
                            berth__tree_answer *out);
typedef struct berth__walk_parts {
    const uint16_t *ids; /* of the step's tile */
    const int32_t *parts;
    uint32_t count;
    int32_t most; /* of the parts */
} berth__walk_parts;
void berth__tree_walk_take(const berth__tree_walk *walk, uint32_t start, uint32_t step,
                           const berth__walk_parts *parts, berth__tree_sum *best);

/* The same for all steps, if no part is missing, or only what `add` adds. */
void berth__tree_walk_rate(const berth__tree_walk *walk, uint32_t start,
                           berth__tree_answer *answer);

/* The tile that a step of the walk visits. */
uint32_t berth__tree_walk_tile(const berth__tree_walk *walk, uint32_t start, uint32_t step);

uint32_t berth__tree_walk_nth_best(const berth__tree_walk *walk, uint32_t start,
                                   const berth__tree_answer *answer, uint32_t n);
uint32_t berth__tree_walk_heap_best(const berth__tree_walk *walk, uint32_t start,
                                    const berth__tree_answer *answer);

#endif
