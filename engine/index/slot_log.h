/* A log of the slots that changed last, with their new states in columns. All trees and totals that
 * catch up read runs of adjacent memory instead of looking up each slot.
 *
 * Entry i belongs to entry i of the view's journal; its state is the slot's when the entry was
 * read, or a later one. Applying the entries in order results in the current state, because a
 * slot's last entry holds that.
 *
 * Threads: the deciding thread only. */
#ifndef BERTH_INDEX_SLOT_LOG_H
#define BERTH_INDEX_SLOT_LOG_H

#include "base/limit.h"
#include "columns/view.h"

enum {
    BERTH__LOG = BERTH__LIMIT(1024, 32), /* entries */
    BERTH__LOG_PADDED = BERTH__LOG + BERTH__BASIC_RUN,
    BERTH__LOG_COLUMNS = BERTH__BASIC_VALUES, /* of which: */
    BERTH__LOG_CPU = 0,
    BERTH__LOG_MEMORY = 3,
};

static_assert((int)BERTH__LOG <= (int)BERTH__JOURNAL, "a logged change is in the journal");

/* States of slots in the form that the kernel `basic` reads. */
typedef struct berth__slot_states {
    uint32_t slots[BERTH__LOG_PADDED];
    _Alignas(64) double columns[BERTH__LOG_COLUMNS][BERTH__LOG_PADDED];
    int32_t evenness[BERTH__LOG_PADDED];
    bool invertible; /* of all states stored so far: berth__basic_columns */
} berth__slot_states;

typedef struct berth__slot_log {
    uint64_t order;      /* order epoch: of the nodes in the slots */
    uint64_t begin, end; /* stored entries: entry i is at i % BERTH__LOG */
    berth__slot_states recent;
    berth__slot_states older; /* holds entries before these, when requested */
} berth__slot_log;

/* Read the state of a slot in the form that the kernel `basic` reads. */
void berth__slot_state_read(const berth__view *view, uint32_t slot,
                            double values[BERTH__LOG_COLUMNS], int32_t *evenness);

/* Append the new entries of the view's journal. */
void berth__slot_log_follow(berth__slot_log *log, const berth__view *view);

/* Read entries from number `from` on, which the journal must still have: at least one, at most up
 * to its end. `*first` is the index of the first one in the states. Returns how many there are.
 * Valid until the next call. */
uint32_t berth__slot_log_read(berth__slot_log *log, const berth__view *view, uint64_t from,
                              const berth__slot_states **states, uint32_t *first);

static inline berth__basic_columns berth__slot_states_columns(const berth__slot_states *states)
{
    return (berth__basic_columns){.cpu = states->columns[0],
                                  .cpu_used = states->columns[1],
                                  .cpu_nonzero = states->columns[2],
                                  .memory = states->columns[3],
                                  .memory_used = states->columns[4],
                                  .memory_nonzero = states->columns[5],
                                  .places = states->columns[6],
                                  .evenness = states->evenness,
                                  .invertible = states->invertible};
}

#endif
