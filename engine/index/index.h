/* The indexed path: per kind of pod, every node's verdict and total in a search tree
 * (search_tree.h) that is repaired by the change journal, so that a decision costs what
 * changed since the kind was last seen. Answers are those of the scan (search.h), for every
 * limit and start.
 *
 * What can be indexed:
 *
 *   filter                                   how
 *   static (node facts alone)                in the tree: NEVER where refused
 *   verdicts by slot (plugin.h, filter_slot) worked out again with the slot
 *   pods counted by node, or by domain       not in the tree: a set of the slots that pass, kept
 *   where there are few domains (gates.h)    beside it (gate_masks.h); the tree's groups are
 *                                            looked through where the set has slots
 *   about volumes, or many domains           not in the tree: asked, tile by tile, about what a
 *   (plugin.h, BERTH__FILTERS_LATE)          walk over the tree finds
 *   anything else                            scan
 *
 *   scorer
 *   uniform                                  added to the answer
 *   static, or by slot, not normalized       in the tree
 *   normalized, one raw value on all that    left out: adds nothing (plugin.h, is_level)
 *   gates pass
 *   normalized, by what makes few classes    not in the tree: added class by class to the leaves
 *   of slots (plugin.h, score_parts)         (score_classes.h), or to what a walk finds
 *   anything else                            scan
 *
 * A kind that has no tree, or whose tree is far behind, is answered for by a walk that works out
 * the totals of the tiles that it comes to (slot_window.h).
 *
 * Pods that differ only in what no active plugin reads share a tree. The common set of
 * plugins (room for cpu, memory and pods, LeastAllocated, balance) is worked out for runs
 * of changed slots at once, from the log of recent changes (slot_log.h); all others slot by
 * slot. Both give the same.
 *
 * Threads: the deciding thread only. */
#ifndef BERTH_INDEX_INDEX_H
#define BERTH_INDEX_INDEX_H

#include "index/gate_masks.h"
#include "index/score_classes.h"
#include "index/search_tree.h"
#include "index/slot_log.h"
#include "index/slot_plan.h"
#include "index/slot_window.h"
#include "prepare/decision_counts.h"
#include "scan/search.h"

typedef struct berth__sight berth__sight;

typedef struct berth__index_cache {
    const berth_allocator *allocator;
    berth__keymap map;
    berth__use_order order;
    size_t bytes;
    size_t bytes_max;
    uint64_t epoch; /* trees dropped so far: tells whether a remembered tree is still there */
    berth__tree_counts counts;
    berth_scan_reason why; /* berth__index_get had no answer the last time */
    berth__sight *sights;
    berth__slot_log *log;
    berth__tree_scratch scratch;
    int32_t *totals;          /* of the changed slots of one step */
    berth__gates gates;       /* of the decision that is being made, */
    berth__filter_list gated; /* whose they are, */
    berth__filter_list late;  /* and who is asked about what they leave */
    berth__gate_masks masks;
    berth__mask *visited; /* by step of a walk */
    uint32_t visited_capacity;
    /* Scorers whose values differ, by class, of the decision that is being made. */
    uint32_t uneven[BERTH__CLASS_SCORERS_MAX];
    uint32_t uneven_count;
    berth__score_classes *classes; /* made when there are such for the first time */
    int32_t *walk_totals;          /* by step and slot */
    uint32_t walk_total_capacity;
    berth__slot_window window;
    berth__index *treeless; /* who answers for kinds without a tree */
} berth__index_cache;

berth_status berth__index_cache_init(berth__index_cache *cache, const berth_allocator *allocator);
void berth__index_cache_destroy(berth__index_cache *cache);

/* The up-to-date tree for a decision, or NULL (`why` tells): the decision is not indexable, memory
 * is short, or (unless `eager`) bringing the tree up to date costs more than scans without it have
 * cost so far: a kind must come back, and often enough, for a tree of its own.
 * Cost: the journal since last time, or a look at every slot (a scan by `search`, with
 * `arena` for its rank phase). */
berth__index *berth__index_get(berth__index_cache *cache, const berth__decision *decision,
                               berth__search *search, berth__arena *arena, bool eager);

/* What an answer was found by. */
typedef enum berth__index_form {
    BERTH__BY_TREE = 0, /* leaves are totals */
    BERTH__BY_CLASSES,  /* leaves and what classes get are totals */
    BERTH__BY_WALK,     /* not all leaves count, or there are none */
} berth__index_form;

typedef struct berth__index_answer {
    berth__index_form form;
    berth__tree_answer slots;
    berth__class_parts parts; /* BY_CLASSES */
    berth__tree_walk walk;    /* BY_WALK */
    int64_t best;             /* total of the best */
} berth__index_answer;

/* The first `limit` feasible slots from `start` around the layout. `arena` is the decision's own.
 * False, and why: their classes are too many, or memory is short. */
bool berth__index_search(berth__index_cache *cache, berth__index *index, berth__arena *arena,
                         uint32_t start, uint32_t limit, berth__index_answer *out);

/* A list of nodes that its owner has room for. */
typedef struct berth__node_list {
    berth_node_id *nodes; /* room for `capacity` */
    int64_t *totals;      /* the same; NULL: not asked for */
    uint32_t capacity;
    uint32_t count; /* of nodes that there are, be there room or not */
} berth__node_list;

static inline void berth__node_list_add(berth__node_list *list, berth_node_id node, int64_t total)
{
    if (list->count < list->capacity) {
        list->nodes[list->count] = node;
        if (list->totals != NULL)
            list->totals[list->count] = total;
    }
    list->count++;
}

/* All feasible slots' nodes in layout order, with their totals. False as in berth__index_search:
 * the list is as it was. Cost: a look at every leaf. */
bool berth__index_list(berth__index_cache *cache, berth__index *index, berth__arena *arena,
                       berth__node_list *list);

/* The slot of the n-th (from 0) best one in search order. */
uint32_t berth__index_nth_best(const berth__index *index, uint32_t start,
                               const berth__index_answer *answer, uint32_t n);

/* The slot of the best one that comes first in heap order (base/heap_order.h). */
uint32_t berth__index_heap_best(const berth__index *index, uint32_t start,
                                const berth__index_answer *answer);

#endif
