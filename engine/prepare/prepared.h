/* What the decisions for a pod class share: each plugin's prepared state, and the verdicts and raw
 * scores that depend on node facts alone, computed tile by tile when first needed.
 *
 * Kept for a bounded number of classes; the least recently used is dropped first. States are valid
 * for one layout epoch and prepared again in place after node facts changed; verdicts and raw
 * scores by tile are then computed again for the tiles of nodes that changed
 * (columns/facts_news.h). */
#ifndef BERTH_PREPARE_PREPARED_H
#define BERTH_PREPARE_PREPARED_H

#include "base/use_order.h"
#include "prepare/decision_counts.h"
#include "prepare/profile.h"

typedef struct berth__index berth__index;             /* index.h */
typedef struct berth__gate_mask berth__gate_mask;     /* gate_masks.h */
typedef struct berth__score_cells berth__score_cells; /* score_cells.h */
typedef struct berth__class_map berth__class_map;     /* class_maps.h */
typedef struct berth__ask_totals berth__ask_totals;   /* ask_totals.h */

typedef struct berth__prepared_stage {
    berth__outcome outcome;
    bool may_fail;  /* for a filter, see berth__prepare */
    bool small;     /* for a scorer, see berth__prepare */
    bool stays;     /* the SKIP stays valid, see berth__prepare */
    bool by_node;   /* for a static scorer, see berth__prepare */
    bool is_static; /* a static scorer that is not by_node: raw values may be kept */
    void *state;
    int64_t *static_raw;    /* these values, by slot; NULL: not allocated yet */
    uint64_t image_worth;   /* for a static scorer, see berth__prepare */
    int64_t uniform;        /* for a scorer that is BERTH__UNIFORM */
    berth__reasons reasons; /* for a refusal or failure */
} berth__prepared_stage;

/* How an index computes a slot's total: the active stages, by index (slot_plan.h). */
typedef struct berth__slot_plan {
    uint64_t stage_epoch; /* of the verdict from which the plan was made, 0: none */
    bool possible;
    berth_scan_reason why; /* why the index can't be used */
    bool basic; /* the kernel `basic` computes it with `ask`, except the `extra` stages */
    berth__basic_ask ask;
    uint32_t *filters, *extra_filters, *gates, *late, *scorers, *extra_scorers;
    uint32_t *apart; /* scorers with normalized values: not in a tree */
    uint32_t filter_count, extra_filter_count, gate_count, late_count;
    uint32_t scorer_count, extra_scorer_count, apart_count;
    /* The scorer whose values are not in a tree either, but kept by key (plugin.h, value_key), and
     * whether there is one. */
    uint32_t keyed;
    bool has_keyed;
} berth__slot_plan;

/* What a lasting SKIP depends on besides class and node facts. */
typedef struct berth__prepared_world {
    uint64_t holders_epoch, holders_added;
    uint64_t namespace_epoch;
    uint64_t related_epoch;
} berth__prepared_world;

/* The stages that prepare at every decision, except those whose SKIP lasts as long as the world
 * equals `world`. */
typedef struct berth__prepared_each {
    bool settled; /* the lists are valid for `world` */
    berth__prepared_world world;
    uint32_t *filters, *scorers;
    uint32_t filter_count, scorer_count;
    const uint64_t *static_allowed; /* the restriction by the other stages */
} berth__prepared_each;

/* Bits of berth__prepared_statics.ready for a tile. */
typedef enum berth__static_part {
    BERTH__STATIC_MASK = 1 << 0,
    BERTH__STATIC_RAW = 1 << 1,
} berth__static_part;

/* Verdicts and raw scores that depend on node facts alone, for the tiles visited so far. */
typedef struct berth__prepared_statics {
    bool valid;        /* for the kind's class and epoch, as far as tiles are ready */
    uint32_t *filters; /* the static filters that are active, in order; in the kind's arena */
    uint32_t filter_count;
    /* By tile: which parts are computed (berth__static_part). sync: written by the one worker that
     * has the tile in a scan; scans are separated by WORK-2. */
    uint8_t *ready;
    berth__mask *mask;   /* by tile: the slots that the static filters pass */
    uint32_t tile_count; /* the room of these two, which are one block */
    bool keeps;          /* there are arrays for the raw values of all static scorers */
    int64_t *raws;       /* these arrays, one after the other */
    uint32_t *scorers;   /* whose they are, in ascending order; at the end of the same block */
    uint32_t scorer_count;
    size_t raw_bytes;     /* of the block */
    uint64_t image_worth; /* berth__prepared_image_worth of the values */
} berth__prepared_statics;

/* What index.c and its helpers found for the kind the last time. */
typedef struct berth__prepared_memory {
    berth__index *tree; /* invalid once the cache has another epoch */
    uint64_t tree_epoch;
    berth__gate_mask *mask; /* invalid once the cache has another epoch */
    uint64_t mask_epoch;
    berth__score_cells *cells;
    uint64_t cells_epoch;
    berth__class_map *map;
    uint64_t map_epoch;
    berth__ask_totals *asked;
    uint64_t asked_epoch;
    berth__slot_plan slot_plan;
} berth__prepared_memory;

/* The result of preparing for the current decision. */
typedef struct berth__prepared_verdict {
    berth__outcome outcome;    /* ACTIVE, REFUSE or FAIL */
    const berth__reasons *why; /* for REFUSE or FAIL: the deciding plugin's reasons */
    const uint64_t *allowed;   /* one bit per slot; NULL: all slots */
    uint64_t stage_epoch;      /* changes when a stage's outcome has changed, or may have */
    bool reused;               /* not the first decision since the states were prepared */
    /* Kept while stages prepare, so that a decision need not look at all of them: */
    uint32_t refusing; /* filters whose outcome is REFUSE or FAIL */
    int64_t uniform;   /* what the scorers that are UNIFORM add to each total */
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
    size_t *counted; /* the byte counter of its cache; NULL: it is in none */
    /* what it was prepared for, and the results */
    uint64_t epoch;
    uint64_t names_epoch;   /* of the view; states know resources by column */
    uint64_t backing_epoch; /* of the DeviceClasses that back resources of the class; else 0 */
    berth__arena arena;     /* holds the states */
    berth__prepared_stage *filters;
    berth__prepared_stage *scorers;
    berth__prepared_each each;
    berth__prepared_statics statics;
    berth__prepared_memory memory;
    berth__prepared_verdict verdict;
} berth__prepared_kind;

/* One decision, as all its participants see it: the question that plugins receive, the profile that
 * answers it, and what its kind has prepared. */
typedef struct berth__decision {
    const berth__question *cycle;
    const berth__ready_profile *profile;
    uint32_t profile_index;
    berth__prepared_kind *prepared; /* NULL before berth__prepared_get */
} berth__decision;

/* What decisions remember about a class, at the class's place number (model/pod_class.h). */
typedef struct berth__kind_note {
    uint64_t serial;            /* of the last class at this place, 0: none */
    berth__prepared_kind *kind; /* for the profile of its last decision; NULL: not kept */
} berth__kind_note;

typedef struct berth__prepared_cache {
    const berth_allocator *allocator;
    berth__keymap map;
    berth__use_order order;
    size_t bytes;
    berth__kind_note *notes;
    uint32_t note_capacity;
    bool without_notes; /* in a branch: too few decisions to pay for them */
    /* Serves a class at its first decision. Many classes never recur; they cost only a note. */
    berth__prepared_kind first;
} berth__prepared_cache;

berth_status berth__prepared_cache_init(berth__prepared_cache *cache,
                                        const berth_allocator *allocator);
void berth__prepared_cache_destroy(berth__prepared_cache *cache);

/* Let a kind be prepared again at its next decision, because data that its static plugins read has
 * changed, although the layout has not. */
void berth__prepared_forget(berth__prepared_cache *cache, const berth__class *cls,
                            uint32_t profile);

/* Find or prepare a decision's state for its pod's class and profile, including plugins that
 * prepare each time; `arena` is the decision's own, for these. Valid until the next call. Errors:
 * BERTH_E_NOMEM. */
berth_status berth__prepared_get(berth__prepared_cache *cache, berth__decision *decision,
                                 berth__arena *arena);

/* Run the prepare phase of one filter or scorer again. Return false when out of memory. */
bool berth__prepare_filter(const berth__question *cycle, const berth__stage *stage,
                           berth__arena *arena, berth__prepared_stage *out);
bool berth__prepare_scorer(const berth__question *cycle, const berth__stage *stage,
                           berth__arena *arena, berth__prepared_stage *out);

/* Allocate the arrays for raw values of static scorers, eight bytes per slot for each scorer.
 * Scores that are computed only once do not justify that, and an index computes them by slot. So
 * call this at the second scan. Returns false when out of memory. Threads: the deciding thread. */
bool berth__prepared_keep(const berth__decision *decision);

/* A number for what images are worth to the kind's scorers, see berth__prepare. */
uint64_t berth__prepared_image_worth(const berth__decision *decision);

/* The static mask of a tile, computed if it is missing. Workers call this for tiles that they
 * hold. */
void berth__prepared_mask_make(const berth__decision *decision, uint32_t tile);
static inline const berth__mask *berth__prepared_mask(const berth__decision *decision,
                                                      uint32_t tile)
{
    const berth__prepared_statics *statics = &decision->prepared->statics;
    if ((statics->ready[tile] & BERTH__STATIC_MASK) == 0)
        berth__prepared_mask_make(decision, tile);
    return &statics->mask[tile];
}

/* Compute a tile's static mask and raw values if they are missing; the values only if there is
 * room for them. Workers call this for tiles that they hold. */
void berth__prepared_tile(const berth__decision *decision, uint32_t tile);

#endif
