/* The slots that changed last, with the state they changed to, in columns: a tree that catches up
 * reads runs of neighbouring memory instead of looking the slots up, and so do all other trees.
 *
 * Entry i is that of the view's journal; its state is the slot's when it was taken in, or a
 * later one. Who applies entries in order is right in the end: the last entry of a slot has
 * its present state.
 *
 * Threads: the deciding thread only. */
#ifndef BERTH_INDEX_SLOT_LOG_H
#define BERTH_INDEX_SLOT_LOG_H

#include "columns/view.h"

enum {
    BERTH__LOG = 1024, /* entries */
    BERTH__LOG_PADDED = BERTH__LOG + BERTH__BASIC_RUN,
    BERTH__LOG_COLUMNS = 7,
};

/* States of slots, as the kernel `basic` reads them. */
typedef struct berth__slot_states {
    uint32_t slots[BERTH__LOG_PADDED];
    _Alignas(64) double columns[BERTH__LOG_COLUMNS][BERTH__LOG_PADDED];
    int32_t evenness[BERTH__LOG_PADDED];
} berth__slot_states;

typedef struct berth__slot_log {
    uint64_t epoch;      /* of the layout that the slots belong to */
    uint64_t begin, end; /* entries at hand: entry i is at i % BERTH__LOG */
    berth__slot_states recent;
    berth__slot_states older; /* of those that are not, when somebody asks */
} berth__slot_log;

/* The state of a slot, as the kernel `basic` reads it. */
void berth__slot_state_read(const berth__view *view, uint32_t slot,
                            double values[BERTH__LOG_COLUMNS], int32_t *evenness);

/* Take in what the view's journal has new. */
void berth__slot_log_follow(berth__slot_log *log, const berth__view *view);

/* Entries from number `from` on, which the journal still has: at least one, at most up to its end.
 * `*first` is the place of the first in the states; returns how many. Valid until the next call. */
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
                                  .evenness = states->evenness};
}

#endif
