/* The indexed path: for each kind of pods, a search tree (search_tree.h) holds every node's verdict
 * and total. The change journal repairs the tree, so the cost of a decision depends on how much has
 * changed since the kind was last decided. Answers equal those of the scan (search.h), for every
 * limit and start.
 *
 * What can be indexed:
 *
 *   filter                                   how
 *   static (node facts alone)                in the tree: NEVER where refused
 *   verdicts by slot (plugin.h, filter_slot) recomputed with the slot
 *   pods counted by node, or by domain       not in the tree: a separate set of the slots that
 *   if there are few domains (gates.h)       pass (gate_masks.h); the search visits the tree's
 *                                            groups where the set has slots
 *   about volumes, or many domains           not in the tree: a set of slots as far as node facts
 *   (plugin.h, BERTH__FILTERS_LATE)          and offers of volumes decide (late_filters.h); else
 *                                            runs, tile by tile, on the slots that a walk over the
 *                                            tree finds
 *   anything else                            scan
 *
 * Where other pods are nominated for a node, a walk asks a dry run (whatif/nominated_slots.h).
 *
 *   scorer
 *   uniform                                  added to the answer
 *   static, or by slot, not normalized       in the tree
 *   normalized, the same raw value on all    left out: adds nothing (plugin.h, is_level)
 *   nodes that pass the gates
 *   by node facts and offers of volumes      not in the tree: kept with such a set of slots
 *   (plugin.h, value_key)                    (gate_masks.h) and added as a walk finds them
 *   normalized, by parts that make few       not in the tree: added class by class to the leaves
 *   classes of slots (plugin.h, score_parts) (score_classes.h), or to what a walk finds
 *   anything else                            scan
 *
 * If a kind has no tree, or its tree is far behind, a walk computes the totals of the tiles that it
 * visits (slot_window.h). Totals that depend on requests alone are kept for all kinds
 * (ask_totals.h).
 *
 * Pods that differ only in what no active plugin reads share a tree. For the common set of plugins
 * (room for cpu, memory and pods, LeastAllocated, balance), totals are computed for runs of changed
 * slots at once, from the log of recent changes (slot_log.h); for all others, slot by slot. Both
 * return the same totals.
 *
 * Threads: the deciding thread only. */
#ifndef BERTH_INDEX_INDEX_H
#define BERTH_INDEX_INDEX_H

#include "index/ask_totals.h"
#include "index/class_search.h"
#include "index/gate_masks.h"
#include "index/late_filters.h"
#include "index/score_classes.h"
#include "index/search_tree.h"
#include "index/slot_log.h"
#include "index/slot_plan.h"
#include "index/slot_window.h"
#include "prepare/decision_counts.h"
#include "scan/search.h"
#include "whatif/nominated_slots.h"

typedef struct berth__sight berth__sight;

typedef struct berth__index_cache {
    const berth_allocator *allocator;
    berth__keymap map;
    berth__use_order order;
    size_t bytes;
    size_t bytes_max; /* may be changed; trees beyond it are dropped when the next one is made */
    uint64_t epoch;   /* trees dropped so far: shows whether a remembered tree still exists */
    berth__tree_counts counts;
    berth_scan_reason why; /* why the index was not used the last time */
    berth__sight *sights;
    berth__slot_log *log;
    berth__tree_scratch scratch;
    int32_t *totals;                   /* of the slots changed in one step */
    berth__gates gates;                /* of the current decision, */
    berth__keyed_stages gated;         /* the filters behind the gates, */
    berth__late_filters late;          /* and the filters that run on the slots left */
    berth__nominated_slots *nominated; /* set by the caller; NULL: no pod is nominated */
    berth__gate_masks masks;
    berth__mask *visited; /* by step of a walk */
    uint32_t visited_capacity;
    int32_t *tops; /* by step of a walk */
    uint32_t top_capacity;
    /* The scorers of the current decision whose values differ between classes. */
    uint32_t uneven[BERTH__CLASS_SCORERS_MAX];
    uint32_t uneven_count;
    berth__score_classes *classes; /* created when first needed */
    int32_t *walk_room;            /* by step and slot: totals, */
    uint32_t walk_room_capacity;
    const int32_t **walk_stored; /* by step: these, or totals that are kept elsewhere */
    uint32_t walk_stored_capacity;
    berth__slot_window window;
    berth__ask_cache asks;
    berth__index *treeless; /* answers for kinds without a tree */
} berth__index_cache;

berth_status berth__index_cache_init(berth__index_cache *cache, const berth_allocator *allocator);
void berth__index_cache_destroy(berth__index_cache *cache);

/* The up-to-date tree for a decision. NULL (`why` has the reason) if the decision is not indexable,
 * memory is short, or (unless `eager`) updating the tree costs more than the scans without it have
 * cost so far: a kind gets a tree of its own only if it recurs often enough.
 * Cost: linear in the journal entries since the last use, or in all slots (a scan by `search`, with
 * `arena` for its rank phase). */
berth__index *berth__index_get(berth__index_cache *cache, const berth__decision *decision,
                               berth__search *search, berth__arena *arena, bool eager);

/* How an answer was found. */
typedef enum berth__index_form {
    BERTH__BY_TREE = 0, /* leaves are totals */
    BERTH__BY_CLASSES,  /* totals are leaves plus the parts of classes */
    BERTH__BY_WALK,     /* not all leaves count, or there are none */
} berth__index_form;

typedef struct berth__index_answer {
    berth__index_form form;
    berth__tree_answer slots;
    berth__class_search classes; /* BY_CLASSES */
    berth__tree_walk walk;       /* BY_WALK */
    int64_t best;                /* the best total */
} berth__index_answer;

/* Find the first `limit` feasible slots from `start` around the layout. `arena` is the decision's
 * own. Returns false, with `why` set, if there are too many classes or memory is short. */
bool berth__index_search(berth__index_cache *cache, berth__index *index, berth__arena *arena,
                         uint32_t start, uint32_t limit, berth__index_answer *out);

/* A list of nodes in the caller's memory. */
typedef struct berth__node_list {
    berth_node_id *nodes; /* room for `capacity` */
    int64_t *totals;      /* the same; NULL: not requested */
    uint32_t capacity;
    uint32_t count; /* of all nodes, even beyond the capacity */
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

/* List the nodes of all feasible slots in layout order, with their totals. Returns false as
 * berth__index_search does; the list is then unchanged. Cost: reads every leaf. */
bool berth__index_list(berth__index_cache *cache, berth__index *index, berth__arena *arena,
                       berth__node_list *list);

/* The n-th (from 0) best slot in search order. */
uint32_t berth__index_nth_best(const berth__index *index, uint32_t start,
                               const berth__index_answer *answer, uint32_t n);

/* The best slot that comes first in heap order (base/heap_order.h). */
uint32_t berth__index_heap_best(const berth__index *index, uint32_t start,
                                const berth__index_answer *answer);

#endif
