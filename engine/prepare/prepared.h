/* What a pod class's decisions share: each plugin's prepared state, and the verdicts and raw scores
 * that follow from node facts alone, tile by tile as they are first needed.
 *
 * Kept for a bounded number of classes, least recently used dropped first. Valid for one
 * layout epoch; made anew in place after node facts changed. */
#ifndef BERTH_PREPARE_PREPARED_H
#define BERTH_PREPARE_PREPARED_H

#include "base/use_order.h"
#include "prepare/decision_counts.h"
#include "prepare/profile.h"

typedef struct berth__index berth__index;             /* index.h */
typedef struct berth__gate_mask berth__gate_mask;     /* gate_masks.h */
typedef struct berth__score_cells berth__score_cells; /* score_cells.h */
typedef struct berth__class_map berth__class_map;     /* class_maps.h */

typedef struct berth__prepared_stage {
    berth__outcome outcome;
    void *state;
    bool may_fail;          /* of a filter, see berth__prepare */
    bool small;             /* of a scorer, see berth__prepare */
    bool stays;             /* a SKIP that need not be asked for again, see berth__prepare */
    bool by_node;           /* of a static scorer, see berth__prepare */
    int64_t uniform;        /* of a scorer that is BERTH__UNIFORM */
    int64_t *static_raw;    /* of a static scorer that is not by_node: raw values by slot */
    berth__reasons reasons; /* of a refusal or failure */
} berth__prepared_stage;

/* How a slot's total is worked out for an index: active stages, by number (slot_plan.h). */
typedef struct berth__slot_plan {
    uint64_t stage_epoch; /* of the verdict that it was made from, 0: none */
    bool possible;
    berth_scan_reason why; /* not */
    bool basic; /* the kernel `basic` does, with `ask`, but for the stages in the `extra` lists */
    berth__basic_ask ask;
    uint32_t *filters, *extra_filters, *gates, *late, *scorers, *extra_scorers;
    uint32_t *apart; /* scorers whose values are normalized: not in a tree */
    uint32_t filter_count, extra_filter_count, gate_count, late_count;
    uint32_t scorer_count, extra_scorer_count, apart_count;
} berth__slot_plan;

/* What a SKIP that stays rests on, besides class and node facts. */
typedef struct berth__prepared_world {
    uint64_t holders_epoch;
    uint64_t namespace_epoch;
    uint64_t related_epoch;
} berth__prepared_world;

/* The stages that prepare each time, without those whose SKIP stays while the world is this one. */
typedef struct berth__prepared_each {
    bool settled; /* the lists are right for `world` */
    berth__prepared_world world;
    uint32_t *filters, *scorers;
    uint32_t filter_count, scorer_count;
    const uint64_t *static_allowed; /* of the stages that do not */
} berth__prepared_each;

/* What berth__prepared_statics.ready says of a tile: bits. */
typedef enum berth__static_part {
    BERTH__STATIC_MASK = 1 << 0,
    BERTH__STATIC_RAW = 1 << 1,
} berth__static_part;

/* Verdicts that follow from node facts alone, as far as tiles have been asked for. Raw scores of
 * this sort lie with their stage. */
typedef struct berth__prepared_statics {
    /* By tile: which are there (berth__static_part). sync: written by the one worker that has the
     * tile in a scan; scans are separated by WORK-2. */
    uint8_t *ready;
    berth__mask *mask; /* by tile: what the static filters leave */
} berth__prepared_statics;

/* What index.c and those who serve it found for the kind the last time. */
typedef struct berth__prepared_memory {
    berth__index *tree; /* void once tree_epoch is another */
    uint64_t tree_epoch;
    berth__gate_mask *mask; /* likewise */
    uint64_t mask_epoch;
    berth__score_cells *cells;
    uint64_t cells_epoch;
    berth__class_map *map;
    uint64_t map_epoch;
    berth__slot_plan slot_plan;
} berth__prepared_memory;

/* What preparing came to for the decision that is being made. */
typedef struct berth__prepared_verdict {
    berth__outcome outcome;    /* ACTIVE, REFUSE or FAIL */
    const berth__reasons *why; /* of a REFUSE or FAIL: the deciding plugin's */
    const uint64_t *allowed;   /* a bit a slot, or NULL: all */
    uint64_t stage_epoch;      /* changes when a stage may have come out otherwise than before */
    bool reused;               /* this is not the first decision since the states were made */
} berth__prepared_verdict;

/* A kind: the pods of one class under one profile. */
typedef struct berth__prepared_kind {
    /* its place in the cache */
    berth__used used;
    struct {
        uint64_t class_serial;
        uint64_t profile;
    } key;
    uint32_t class_place;
    /* what it was made for, and what has been made */
    uint64_t epoch;
    uint64_t names_epoch;   /* of the view: resources are known by their columns */
    uint64_t backing_epoch; /* of the classes behind resources that the class asks for; else 0 */
    berth__arena arena;     /* states that live as long as the epoch */
    berth__prepared_stage *filters;
    berth__prepared_stage *scorers;
    berth__prepared_each each;
    berth__prepared_statics statics;
    berth__prepared_memory memory;
    berth__prepared_verdict verdict;
} berth__prepared_kind;

/* One decision, as all see it who take part in it: the question that plugins get, the profile that
 * answers it, and what its kind has prepared. */
typedef struct berth__decision {
    const berth__question *cycle;
    const berth__ready_profile *profile;
    uint32_t profile_index;
    berth__prepared_kind *prepared; /* NULL before berth__prepared_get */
} berth__decision;

/* What deciding remembers of a class, by the class's place (model/pod_class.h). */
typedef struct berth__kind_note {
    uint64_t serial;            /* of the class that was met there last, 0: none */
    berth__prepared_kind *kind; /* under the profile it was last decided with; NULL: none is kept */
} berth__kind_note;

typedef struct berth__prepared_cache {
    const berth_allocator *allocator;
    berth__keymap map;
    berth__use_order order;
    size_t bytes;
    berth__kind_note *notes;
    uint32_t note_capacity;
    bool without_notes; /* of a branch: too few decisions to pay for them */
    /* Of the class that is decided for the first time: many are never met again, and cost
     * nothing but a note. */
    berth__prepared_kind first;
} berth__prepared_cache;

berth_status berth__prepared_cache_init(berth__prepared_cache *cache,
                                        const berth_allocator *allocator);
void berth__prepared_cache_destroy(berth__prepared_cache *cache);

/* Give a decision the prepared state of its pod's class under its profile, plugins that prepare
 * each time included. `arena` is the decision's own, for those. Valid until the next call. Errors:
 * E_NOMEM. */
berth_status berth__prepared_get(berth__prepared_cache *cache, berth__decision *decision,
                                 berth__arena *arena);

/* Run the prepare phase of one filter, or scorer, once more. Return false when out of memory. */
bool berth__prepare_filter(const berth__question *cycle, const berth__stage *stage,
                           berth__arena *arena, berth__prepared_stage *out);
bool berth__prepare_scorer(const berth__question *cycle, const berth__stage *stage,
                           berth__arena *arena, berth__prepared_stage *out);

/* Fill in the static mask of a tile, or all its statics, if they are not there yet. Workers
 * call it for tiles they hold. Scores that are computed but once are not worth the memory
 * that keeps them: a first scan fills in masks alone. */
void berth__prepared_mask(const berth__decision *decision, uint32_t tile);
void berth__prepared_tile(const berth__decision *decision, uint32_t tile);

#endif
