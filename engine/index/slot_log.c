/* The log of changed slots, with their new states. */
#include "index/slot_log.h"

void berth__slot_state_read(const berth__view *view, uint32_t slot,
                            double values[BERTH__LOG_COLUMNS], int32_t *evenness)
{
    berth__tile *tile = view->tiles[slot >> BERTH__TILE_SHIFT];
    uint32_t s = slot % BERTH__TILE;
    values[0] = (double)berth__tile_allocatable(tile, BERTH__CPU)[s];
    values[1] = (double)berth__tile_used(tile, BERTH__CPU)[s];
    values[2] = (double)tile->nonzero_cpu[s];
    values[3] = (double)berth__tile_allocatable(tile, BERTH__MEMORY)[s];
    values[4] = (double)berth__tile_used(tile, BERTH__MEMORY)[s];
    values[5] = (double)tile->nonzero_memory[s];
    values[6] = (double)tile->pods_max[s] - (double)tile->pods_used[s];
    *evenness = tile->evenness[s];
}

static void put(berth__slot_states *states, uint32_t at, const berth__view *view, uint32_t slot)
{
    double values[BERTH__LOG_COLUMNS];
    states->slots[at] = slot;
    berth__slot_state_read(view, slot, values, &states->evenness[at]);
    for (uint32_t c = 0; c < BERTH__LOG_COLUMNS; c++)
        states->columns[c][at] = values[c];
    states->invertible &= berth__is_invertible(values[BERTH__LOG_CPU]) &&
                          berth__is_invertible(values[BERTH__LOG_MEMORY]);
}

/* Forget all states. Entries that are not used are read, too, so they have cpu and memory. */
static void clear(berth__slot_states *states)
{
    states->invertible = true;
    for (uint32_t i = 0; i < BERTH__LOG_PADDED; i++)
        states->columns[BERTH__LOG_CPU][i] = states->columns[BERTH__LOG_MEMORY][i] = 1;
}

void berth__slot_log_follow(berth__slot_log *log, const berth__view *view)
{
    if (log->order != view->layout->order_epoch) {
        log->order = view->layout->order_epoch;
        log->begin = log->end = view->journal_end; /* older entries belong to another layout */
        clear(&log->recent);
        clear(&log->older);
    }
    if (view->journal_end - log->end > BERTH__LOG)
        log->begin = log->end = view->journal_end - BERTH__LOG;
    for (; log->end != view->journal_end; log->end++)
        put(&log->recent, log->end % BERTH__LOG, view, view->journal[log->end % BERTH__JOURNAL]);
    if (log->end - log->begin > BERTH__LOG)
        log->begin = log->end - BERTH__LOG;
}

uint32_t berth__slot_log_read(berth__slot_log *log, const berth__view *view, uint64_t from,
                              const berth__slot_states **states, uint32_t *first)
{
    if (from >= log->begin) {
        *states = &log->recent;
        *first = from % BERTH__LOG;
        uint64_t count = log->end - from, room = BERTH__LOG - *first;
        return (uint32_t)(count < room ? count : room);
    }
    uint64_t count = log->begin - from;
    uint32_t taken = count < BERTH__LOG ? (uint32_t)count : BERTH__LOG;
    for (uint32_t i = 0; i < taken; i++)
        put(&log->older, i, view, view->journal[(from + i) % BERTH__JOURNAL]);
    *states = &log->older;
    *first = 0;
    return taken;
}
