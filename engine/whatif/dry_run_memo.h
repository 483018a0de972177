/* The results of dry runs, kept for a few kinds of pods, slot by slot, until the slot changes: a
 * series of equal pods asks the same about the same nodes again and again.
 *
 * Results are kept only if every active filter is static or decides slot by slot (plugin.h,
 * filter_slot), so that nothing but the slot matters. The view's journal shows which slots have
 * changed, including by nominations for their nodes. */
#ifndef BERTH_WHATIF_DRY_RUN_MEMO_H
#define BERTH_WHATIF_DRY_RUN_MEMO_H

#include "base/limit.h"
#include "prepare/prepared.h"

/* How nominated pods affect a slot. */
typedef enum berth__kept_verdict {
    BERTH__KEPT_UNKNOWN = 0,
    BERTH__KEPT_PLAIN, /* none counts there: the verdict without them applies */
    BERTH__KEPT_PASSES,
    BERTH__KEPT_UNSCHEDULABLE, /* refused, with this code */
    BERTH__KEPT_UNRESOLVABLE,
} berth__kept_verdict;

/* The cost of preemption on a slot. */
typedef struct berth__candidate {
    int64_t priority_sum; /* over the victims, each priority counted from INT32_MIN */
    int64_t start_ns;     /* the earliest start among victims of the highest priority */
    int32_t priority;     /* of the most important victim: the highest, except in some groups */
    uint32_t victim_count;
    uint32_t violations; /* victims whose eviction violates a disruption budget */
    uint8_t state;       /* BERTH__TRIED_* */
} berth__candidate;

enum {
    BERTH__TRIED_NOT = 0,
    BERTH__TRIED_FITS,
    BERTH__TRIED_REFUSED,
    BERTH__TRIED_FAILED, /* with an error */
};

/* Has no padding, because keys are compared as bytes. */
typedef struct berth__memo_key {
    uint64_t request, node_rules, ports; /* serials of parts */
    uint64_t profile;
    int64_t priority;
} berth__memo_key;

typedef struct berth__dry_run_memo {
    berth__memo_key key;
    uint64_t used;                /* time of the last use; 0: the place is free */
    uint64_t epoch;               /* of the layout */
    uint64_t journal_seen;        /* entries applied */
    uint64_t lists_seen;          /* the same of the journal of lists */
    uint64_t disruption_epoch;    /* of the disruption budgets */
    uint32_t slot_count;          /* capacity */
    uint8_t *kept;                /* by slot: berth__kept_verdict */
    berth__candidate *candidates; /* by slot */
} berth__dry_run_memo;

enum { BERTH__MEMOS = BERTH__LIMIT(8, 2) };

typedef struct berth__dry_run_memos {
    const berth_allocator *allocator;
    uint64_t clock;
    berth__dry_run_memo items[BERTH__MEMOS];
} berth__dry_run_memos;

void berth__dry_run_memos_init(berth__dry_run_memos *memos, const berth_allocator *allocator);
void berth__dry_run_memos_destroy(berth__dry_run_memos *memos);

/* The up-to-date memo for an attempt; NULL: none is kept for it, or out of memory. */
berth__dry_run_memo *berth__dry_run_memo_get(berth__dry_run_memos *memos,
                                             const berth__decision *decision, int32_t priority,
                                             uint64_t disruption_epoch);

#endif
