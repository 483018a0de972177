/* Undo log: records in one growing block, each linked to the one before. */
#include "base/undo_log.h"

#include "base/assert.h"

typedef struct record_head {
    _Alignas(16) const berth__undo_kind *kind;
    void *owner;
    uint32_t previous; /* where the record before begins */
    uint32_t units;    /* of head and payload */
} record_head;

enum {
    UNIT = sizeof(berth__undo_unit),
    HEAD_UNITS = (sizeof(record_head) + UNIT - 1) / UNIT,
    IDLE_UNITS_MAX = (1 << 20) / UNIT, /* kept for the next transaction */
};

void berth__undo_log_init(berth__undo_log *log, const berth_allocator *allocator)
{
    *log = (berth__undo_log){.allocator = allocator};
}

static void release_memory(berth__undo_log *log)
{
    berth__free(log->allocator, log->units, (size_t)log->capacity * UNIT);
    log->units = NULL;
    log->capacity = 0;
}

void berth__undo_log_destroy(berth__undo_log *log)
{
    if (log->allocator == NULL)
        return;
    berth__undo_keep(log);
    release_memory(log);
    *log = (berth__undo_log){0};
}

static size_t payload_units(size_t bytes)
{
    return (bytes + UNIT - 1) / UNIT;
}

bool berth__undo_reserve(berth__undo_log *log, uint32_t records, size_t bytes)
{
    if (!log->recording)
        return true;
    /* Each payload is rounded up by less than a unit. */
    size_t units = (size_t)records * (HEAD_UNITS + 1) + payload_units(bytes);
    if (units > UINT32_MAX / 2 || log->top > UINT32_MAX / 2)
        return false;
    return berth__grow(log->allocator, &log->units, &log->capacity, log->top + (uint32_t)units,
                       UNIT);
}

static record_head *head_at(const berth__undo_log *log, uint32_t at)
{
    return (record_head *)(void *)&log->units[at];
}

void *berth__undo_push(berth__undo_log *log, const berth__undo_kind *kind, void *owner,
                       size_t bytes)
{
    if (!log->recording)
        return NULL;
    uint32_t units = HEAD_UNITS + (uint32_t)payload_units(bytes);
    BERTH_ASSERT(units <= log->capacity - log->top);
    *head_at(log, log->top) = (record_head){kind, owner, log->last, units};
    log->last = log->top;
    log->top += units;
    return &log->units[log->last + HEAD_UNITS];
}

void *berth__undo_newest(berth__undo_log *log)
{
    return log->recording ? &log->units[log->last + HEAD_UNITS] : NULL;
}

void berth__undo_cancel(berth__undo_log *log)
{
    if (!log->recording)
        return;
    log->top = log->last;
    log->last = head_at(log, log->top)->previous;
}

static void trim(berth__undo_log *log)
{
    if (log->top == 0 && log->capacity > IDLE_UNITS_MAX)
        release_memory(log);
}

void berth__undo_to(berth__undo_log *log, uint32_t top)
{
    bool recording = log->recording;
    log->recording = false;
    while (log->top > top) {
        const record_head *head = head_at(log, log->last);
        log->top = log->last;
        log->last = head->previous;
        head->kind->undo(head->owner, &log->units[log->top + HEAD_UNITS]);
    }
    BERTH_ASSERT(log->top == top);
    log->recording = recording;
    trim(log);
}

void berth__undo_keep(berth__undo_log *log)
{
    bool recording = log->recording;
    log->recording = false;
    for (uint32_t at = 0; at < log->top; at += head_at(log, at)->units) {
        const record_head *head = head_at(log, at);
        if (head->kind->keep != NULL)
            head->kind->keep(head->owner, &log->units[at + HEAD_UNITS]);
    }
    log->top = 0;
    log->recording = recording;
    trim(log);
}
