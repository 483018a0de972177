/* Undo log: records that undo operations, newest first.
 *
 * Code that changes state under a transaction leaves a record of its own kind, with everything
 * needed to restore the state. Memory needed for restoring is kept, not freed, until the operation
 * becomes permanent. So undoing needs no memory and cannot fail. While the log does not record,
 * nothing is kept and the calls only test a flag.
 *
 * An operation first reserves room for all of its records (the only step that can fail), then
 * changes the state and pushes. An operation that fails midway is undone down to the log's former
 * top.
 *
 * Threads: the owner's. Memory: proportional to the operations recorded. */
#ifndef BERTH_BASE_UNDO_LOG_H
#define BERTH_BASE_UNDO_LOG_H

#include "base/memory.h"

typedef struct berth__undo_kind {
    /* Restore the part of `owner` that `record` describes. Everything later has been undone
     * already. */
    void (*undo)(void *owner, void *record);
    /* The operation becomes permanent: free what was kept for undoing it. NULL: nothing was
     * kept. */
    void (*keep)(void *owner, void *record);
} berth__undo_kind;

typedef struct berth__undo_unit {
    _Alignas(16) unsigned char bytes[16];
} berth__undo_unit;

typedef struct berth__undo_log {
    const berth_allocator *allocator;
    berth__undo_unit *units;
    uint32_t capacity;
    uint32_t top;  /* units in use */
    uint32_t last; /* where the newest record begins; meaningless while top is 0 */
    bool recording;
} berth__undo_log;

void berth__undo_log_init(berth__undo_log *log, const berth_allocator *allocator);
/* Free the log. Its operations become permanent. */
void berth__undo_log_destroy(berth__undo_log *log);

/* Reserve room for `records` more records with payloads of `bytes` in all. Returns false when out
 * of memory. Always true while the log does not record. */
bool berth__undo_reserve(berth__undo_log *log, uint32_t records, size_t bytes);

/* Push a record and return its payload, 16-byte aligned and valid until the next call; NULL while
 * the log does not record. Room must have been reserved. `kind` and `owner` must outlive the
 * record. */
void *berth__undo_push(berth__undo_log *log, const berth__undo_kind *kind, void *owner,
                       size_t bytes);

/* The newest record's payload, for values that become known only during the operation; NULL while
 * the log does not record. */
void *berth__undo_newest(berth__undo_log *log);

/* Drop the newest record, because its operation was not carried out. Does nothing while the log
 * does not record. */
void berth__undo_cancel(berth__undo_log *log);

/* Undo, newest first, all records above a former `top`. */
void berth__undo_to(berth__undo_log *log, uint32_t top);

/* Make all operations permanent, oldest first, and empty the log. */
void berth__undo_keep(berth__undo_log *log);

#endif
