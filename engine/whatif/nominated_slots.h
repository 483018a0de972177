/* The slots for whose nodes pods are nominated. Searches that know nothing of nominated pods ask a
 * dry run about these slots, and about no others.
 *
 * Threads: as for dry runs. */
#ifndef BERTH_WHATIF_NOMINATED_SLOTS_H
#define BERTH_WHATIF_NOMINATED_SLOTS_H

#include "whatif/dry_run.h"

typedef struct berth__nominated_slots {
    uint64_t epoch;        /* of the layout; BERTH__EPOCH_NONE: nothing is valid */
    uint64_t journal_seen; /* entries applied; nominations leave some, too */
    berth__mask *slots;    /* by tile: the slots of nodes for which any pod is nominated */
    uint32_t tile_capacity;
    uint64_t *tiles; /* one bit per tile: where there are any */
    uint32_t word_capacity;
    berth__dry_run *dry_run; /* asks for the current decision */
    bool failed;             /* memory ran out in a dry run: the current answer is invalid */
} berth__nominated_slots;

void berth__nominated_slots_init(berth__nominated_slots *nominated);
void berth__nominated_slots_destroy(berth__nominated_slots *nominated,
                                    const berth_allocator *allocator);

/* Bring the slots up to date for the decision that `dry_run` was set to. Errors: BERTH_E_NOMEM.
 * Cost: the journal entries since the last call, or all nominations and tiles. */
berth_status berth__nominated_slots_follow(berth__nominated_slots *nominated,
                                           berth__dry_run *dry_run);

/* Clear the slots of a tile on which the pod does not fit beside the pods nominated for them. */
void berth__nominated_slots_keep(berth__nominated_slots *nominated, uint32_t tile,
                                 berth__mask *slots);

#endif
