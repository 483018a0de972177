/* A history: snapshots of some state. One writer publishes them and any number of readers pin them.
 *
 * States of a snapshot, and who moves it between them:
 *
 *   made --publish (writer)--> current --next publish (writer)--> superseded
 *        --its last pin ends (the unpinning thread, or the writer)--> unseen --reclaim--> freed
 *
 * One 64-bit word says which snapshot is current (16 bits: its place in the table) and how many
 * pins were taken since it became current (48 bits). A reader pins with one fetch_add: in one step
 * it learns which snapshot is current and takes a reference. Nothing can come between the two, so
 * the reader has nothing to check again or to repeat. The writer exchanges the word. It thereby
 * learns how many pins the old snapshot was given, and adds that number to the snapshot's own count
 * `refs`, from which unpinning subtracts. Until then `refs` is biased by BERTH__REFS_BIAS, so that
 * early unpins cannot bring it to zero. The thread that brings it to zero knows that nobody has a
 * pin of that snapshot or can get one.
 *
 * Ordering, by number:
 *   PUB-1  Publishing is a release exchange of the word, pinning an acquire fetch_add. A reader
 *          that pins a snapshot sees everything that was written before its publication. Pins in
 *          between do not break this: a read-modify-write continues the release sequence of the
 *          exchange.
 *   PUB-2  Unpinning is a release fetch_sub of `refs`. The thread that brings `refs` to zero has
 *          acquired (the operations are acq_rel and form one release sequence). So every read under
 *          a pin comes before the snapshot is freed, with all that it alone showed.
 *   PUB-3  The superseded snapshot is handed to the reclaimer (`incoming`, release; taken with
 *          acquire) before its pins are transferred. Only after that can its `refs` come to zero,
 *          so the reclaimer knows every snapshot that is unseen.
 *   PUB-4  A request to reclaim is an acq_rel fetch_add of `requests`. The thread that finds 0
 *          becomes the reclaimer. To stop, it subtracts the requests that it has seen; if more have
 *          come, it goes on. So each pass sees everything that came before the requests that it
 *          answers, and only one pass runs at a time.
 *   PUB-5  The reclaimer empties a place of the table (release) after the snapshot left it. The
 *          writer fills the place (acquire of the emptiness, release of the new snapshot by PUB-1).
 *   PUB-6  The thread that brings `refs` to zero pushes the snapshot (`unseen`, release), then puts
 *          in its request. A pass takes the unseen snapshots (acquire) before the incoming ones, so
 *          each of them has been handed over (PUB-3) and is among the live ones. It frees them and
 *          looks at no other.
 *
 * Progress: pinning and unpinning are wait-free, except for a thread that ends the last pin of a
 * superseded snapshot. It repeats its push if another thread's push came between. If it becomes the
 * reclaimer, it makes as many passes as requests arrive meanwhile. Publishing never waits for a
 * reader. Nobody ever waits for the reclaimer: other threads leave their requests with it.
 *
 * Reclamation: an object that snapshot B was the first to show, and that the writer replaces or
 * removes after the publication of snapshot N, is shown by the snapshots B to N. When N is
 * superseded, the object is noted with N. When N is freed, the object passes to the next older
 * snapshot that is not freed, if that snapshot's number is at least B; otherwise it is freed. So an
 * object is freed together with the last snapshot that shows it, however long older or newer
 * snapshots live: memory is bounded by what the pinned snapshots show. Nothing is left for ever: an
 * object becomes due only when a snapshot becomes unseen; the thread that causes this puts in a
 * request afterwards (PUB-6), and every request is followed by a pass (PUB-4).
 *
 * Cost: a snapshot is freed in constant time, and in logarithmic time for each object that is freed
 * with it, however many snapshots live and however many objects pass on. Objects noted with a
 * snapshot form trees in which no object is born later than its parent (a pairing heap).
 *
 * What a reader may observe: the snapshot that it pinned, whole and unchanging. It sees newer
 * snapshots only by pinning again. Consecutive pins of one thread never go back in time. */
#ifndef BERTH_BASE_HISTORY_H
#define BERTH_BASE_HISTORY_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/memory.h"

typedef void berth__release(const berth_allocator *allocator, void *context, void *object,
                            size_t bytes);

/* An object that no snapshot published from now on will show. */
typedef struct berth__retired {
    struct berth__retired *next;
    uint64_t born; /* number of the first snapshot that shows it */
    berth__release *release;
    void *object;
    size_t bytes;
    struct berth__retired *children; /* used only by the reclaimer; NULL at first */
} berth__retired;

/* The head of every published snapshot. */
typedef struct berth__snapshot_head {
    uint64_t number;            /* from 1, in order of publication */
    uint32_t place;             /* in the table */
    atomic_uint_least64_t refs; /* sync: PUB-2 */
    /* Used only by the reclaimer: the next in the stack of incoming snapshots, then the next older
     * live one. */
    struct berth__snapshot_head *older;
    struct berth__snapshot_head *newer; /* the reclaimer's */
    /* The next in the stack of unseen snapshots: used by the thread that pushes it, then by the
     * reclaimer. */
    struct berth__snapshot_head *next_unseen;
    berth__retired *retired; /* noted with it; the writer uses it until PUB-3, then the reclaimer */
} berth__snapshot_head;

#define BERTH__REFS_BIAS (UINT64_C(1) << 62)

enum {
    BERTH__HISTORY_ROW = 256,  /* places of one row of the table */
    BERTH__HISTORY_ROWS = 256, /* snapshots alive at a time: 65,535; place 0 stays empty */
};

typedef _Atomic(berth__snapshot_head *) berth__snapshot_place;

typedef struct berth__history {
    const berth_allocator *allocator;
    void *context;                                               /* passed to the two functions */
    void (*drop)(void *context, berth__snapshot_head *snapshot); /* free the snapshot itself */
    void (*after)(void *context);                     /* after each pass; NULL: nothing */
    berth__snapshot_place *rows[BERTH__HISTORY_ROWS]; /* the writer's; read after PUB-1 */
    uint64_t number;                                  /* of the current snapshot, 0: none yet */
    uint32_t next_place;
    berth__snapshot_head *current;               /* the writer's */
    _Alignas(64) atomic_uint_least64_t word;     /* sync: PUB-1 */
    _Alignas(64) atomic_uint_least64_t requests; /* sync: PUB-4 */
    berth__snapshot_place incoming;              /* sync: PUB-3 */
    berth__snapshot_place unseen;                /* sync: PUB-6 */
    berth__snapshot_head *newest_live; /* superseded, not freed; for the reclaimer (PUB-4) */
} berth__history;

/* Initialise an empty history. The reclaiming thread, which may be any, calls `drop` and the
 * `release` of retired objects. */
void berth__history_init(berth__history *history, const berth_allocator *allocator, void *context,
                         void (*drop)(void *context, berth__snapshot_head *snapshot),
                         void (*after)(void *context));

/* The number of pins not given back. Threads: the writer, alone. */
uint64_t berth__history_pins(berth__history *history);

/* Free everything. Nothing may be pinned. Threads: the writer, alone. */
void berth__history_destroy(berth__history *history);

/* Reserve the place of the next snapshot, after which publish cannot fail. Errors: BERTH_E_NOMEM
 * (no memory, or every place holds a living snapshot). Threads: the writer. */
berth_status berth__history_reserve(berth__history *history, berth__snapshot_head *snapshot);

/* Make a snapshot whose place is reserved the current one. `retired`: the objects that the previous
 * snapshot shows and this one does not. Objects that were never published do not concern a
 * history. */
void berth__history_publish(berth__history *history, berth__snapshot_head *snapshot,
                            berth__retired *retired);

/* The current snapshot, pinned; NULL if there is none yet. Threads: any. Wait-free. */
berth__snapshot_head *berth__history_pin(berth__history *history);

/* Pin once more a snapshot that the caller has pinned already; give a pin back. Threads: any. */
void berth__history_pin_again(berth__snapshot_head *snapshot);
void berth__history_unpin(berth__history *history, berth__snapshot_head *snapshot);

#endif
