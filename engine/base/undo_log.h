/* Undo log: what takes operations back, newest first.
 *
 * Whoever changes state that a transaction covers leaves a record of a kind of its own, with what
 * it needs to restore that state; memory that restoring needs is kept, not freed, until the
 * operation stays for good. So taking back needs no memory and does not fail. Records are left
 * only while the log records; otherwise nothing is kept and the calls cost a test of a flag.
 *
 * An operation first makes sure of room for all of its records (reserve: the one step that can
 * fail), then changes and pushes. One that fails midway is taken back to where the log stood.
 *
 * Threads: the owner's. Memory: proportional to the operations recorded. */
#ifndef BERTH_BASE_UNDO_LOG_H
#define BERTH_BASE_UNDO_LOG_H

#include "base/memory.h"

typedef struct berth__undo_kind {
    /* Restore what `record` tells about `owner`: everything later has been taken back. */
    void (*undo)(void *owner, void *record);
    /* The operation stays: free what was kept for undo. NULL: nothing was. */
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
/* Frees the log; its records are kept for good. */
void berth__undo_log_destroy(berth__undo_log *log);

/* Room for so many more records with payloads of `bytes` in all. Returns false when out of memory.
 * Always true while the log does not record. */
bool berth__undo_reserve(berth__undo_log *log, uint32_t records, size_t bytes);

/* A new record's payload, 16-byte aligned and valid until the next call; NULL while the log does
 * not record. Room has been reserved. `kind` and `owner` outlive the record. */
void *berth__undo_push(berth__undo_log *log, const berth__undo_kind *kind, void *owner,
                       size_t bytes);

/* The newest record's payload, for what is known only while the operation goes on; NULL
 * while the log does not record. */
void *berth__undo_newest(berth__undo_log *log);

/* Drop the newest record, whose operation did not come about. Nothing while the log does
 * not record. */
void berth__undo_cancel(berth__undo_log *log);

/* Undo, newest first, all records above a former `top`. */
void berth__undo_to(berth__undo_log *log, uint32_t top);

/* Keep all for good, oldest first, and empty the log. */
void berth__undo_keep(berth__undo_log *log);

#endif
