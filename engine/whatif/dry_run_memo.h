/* What dry runs came to, kept for a few kinds of pods, slot by slot, until the slot changes: a
 * wave of like pods asks the same of the same nodes again and again.
 *
 * Kept only where every active filter is static or tells its verdict by slot (plugin.h,
 * filter_slot), so that nothing but the slot decides; the view's journal tells which slots have
 * changed, nominations for their nodes included. */
#ifndef BERTH_WHATIF_DRY_RUN_MEMO_H
#define BERTH_WHATIF_DRY_RUN_MEMO_H

#include "prepare/prepared.h"

/* How nominated pods bear on a slot. */
typedef enum berth__kept_verdict {
    BERTH__KEPT_UNKNOWN = 0,
    BERTH__KEPT_PLAIN, /* none counts there: the verdict is that without them */
    BERTH__KEPT_PASSES,
    BERTH__KEPT_UNSCHEDULABLE, /* refused, with this code */
    BERTH__KEPT_UNRESOLVABLE,
} berth__kept_verdict;

/* What taking a slot by preemption would cost. */
typedef struct berth__candidate {
    int64_t priority_sum; /* of the victims, each counted from the lowest that there is */
    int64_t start_ns;     /* when the first of those of the highest priority started */
    int32_t priority;     /* highest of a victim */
    uint32_t victim_count;
    uint32_t violations; /* victims whose leaving violates a disruption budget */
    uint8_t state;       /* of BERTH__TRIED_ */
} berth__candidate;

enum {
    BERTH__TRIED_NOT = 0,
    BERTH__TRIED_FITS,
    BERTH__TRIED_REFUSED,
    BERTH__TRIED_FAILED, /* with an error */
};

/* No padding: compared as bytes. */
typedef struct berth__memo_key {
    uint64_t request, node_rules, ports; /* serials of parts */
    uint64_t profile;
    int64_t priority;
} berth__memo_key;

typedef struct berth__dry_run_memo {
    berth__memo_key key;
    uint64_t used;                /* when; 0: the place is free */
    uint64_t epoch;               /* of the layout */
    uint64_t journal_seen;        /* entries taken in */
    uint64_t disruption_epoch;    /* of the budgets */
    uint32_t slot_count;          /* capacity */
    uint8_t *kept;                /* by slot: berth__kept_verdict */
    berth__candidate *candidates; /* by slot */
} berth__dry_run_memo;

enum { BERTH__MEMOS = 8 };

typedef struct berth__dry_run_memos {
    const berth_allocator *allocator;
    uint64_t clock;
    berth__dry_run_memo items[BERTH__MEMOS];
} berth__dry_run_memos;

void berth__dry_run_memos_init(berth__dry_run_memos *memos, const berth_allocator *allocator);
void berth__dry_run_memos_destroy(berth__dry_run_memos *memos);

/* The memory for an attempt, up to date; NULL: none is kept of it, or there is no memory. */
berth__dry_run_memo *berth__dry_run_memo_get(berth__dry_run_memos *memos,
                                             const berth__decision *decision, int32_t priority,
                                             uint64_t disruption_epoch);

#endif
