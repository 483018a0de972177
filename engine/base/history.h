/* A history: snapshots of something that one writer publishes and any number of readers pin.
 *
 * States of a snapshot, and who moves it between them:
 *
 *   made --publish (writer)--> current --next publish (writer)--> superseded
 *        --its last pin goes (whoever unpins it, or the writer)--> unseen --reclaim--> freed
 *
 * One 64-bit word says which snapshot is current (16 bits: its place in the table) and how
 * many pins it has been given since it became current (48 bits). A reader pins with one
 * fetch_add: it reads which snapshot is current and holds a reference in the same step. Nothing can
 * come between the two, so there is nothing to check again and nothing to repeat. The writer
 * exchanges the word; it thereby reads how many pins the old snapshot was given, and adds that
 * number to the snapshot's own count `refs`, from which unpinning subtracts. Until then `refs` is
 * biased by BERTH__REFS_BIAS, so that early unpins can't bring it to zero. Whoever brings it to
 * zero knows that nobody has, or ever can get, a pin of that snapshot.
 *
 * Ordering, by number:
 *   PUB-1  Publishing is a release exchange of the word, pinning an acquire fetch_add. All that
 *          was written before a snapshot was published is seen by whoever pins it. Pins in between
 *          keep this up: a read-modify-write continues the release sequence of the exchange.
 *   PUB-2  Unpinning is a release fetch_sub of `refs`; whoever brings `refs` to zero has acquired
 *          (the operations are acq_rel, and form one release sequence). So every read under a pin
 *          comes before the snapshot, and all that it alone showed, is freed.
 *   PUB-3  The superseded snapshot is handed to the reclaimer (`incoming`, release; taken with
 *          acquire) before its pins are transferred. Its `refs` can only come to zero after that,
 *          so a snapshot that is unseen is always known to the reclaimer.
 *   PUB-4  A request to reclaim is an acq_rel fetch_add of `requests`. Who finds 0 is the
 *          reclaimer; it takes its leave by subtracting the requests that it has seen, and stays
 *          if there are more. So each pass sees all that came before the requests that it
 *          answers, and passes follow one another.
 *   PUB-5  A place of the table is emptied (release) by the reclaimer after the snapshot left it,
 *          and filled by the writer (acquire of the emptiness, release of the new snapshot by
 *          PUB-1).
 *
 * Progress: pinning and unpinning are wait-free, but for the one who happens to be the
 * reclaimer, which makes as many passes as requests come in while it is at it. Publishing
 * never waits for a reader. Nobody ever waits for the reclaimer: a request is left with it.
 *
 * Reclamation: an object that the writer replaces or removes after the publication of snapshot
 * N, and that snapshot B showed first, is shown by the snapshots B to N. It is noted with
 * snapshot N when N is superseded. When N is freed, the object passes to the next older
 * snapshot that is not freed if that one's number is at least B, and is freed otherwise. So an
 * object is freed together with the last snapshot that shows it, however long snapshots older
 * or newer than those live: memory is bounded by what the pinned snapshots show. Nothing is
 * left for ever: an object becomes due only when a snapshot becomes unseen; whoever makes it
 * so puts in a request afterwards (PUB-3), and no request goes without a later pass (PUB-4).
 *
 * What a reader may observe: the snapshot it pinned, whole and unchanging; newer ones only
 * by pinning again. Consecutive pins of one thread never go back in time. */
#ifndef BERTH_BASE_HISTORY_H
#define BERTH_BASE_HISTORY_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/memory.h"

typedef void berth__release(const berth_allocator *allocator, void *context, void *object,
                            size_t bytes);

/* An object that no snapshot published from now on shows. */
typedef struct berth__retired {
    struct berth__retired *next;
    uint64_t born; /* number of the first snapshot that shows it */
    berth__release *release;
    void *object;
    size_t bytes;
} berth__retired;

/* The head of what is published. */
typedef struct berth__snapshot_head {
    uint64_t number;            /* from 1, in order of publication */
    uint32_t place;             /* in the table */
    atomic_uint_least64_t refs; /* sync: PUB-2 */
    /* The reclaimer's: the next of the stack of incoming ones, then the next older live one. */
    struct berth__snapshot_head *older;
    struct berth__snapshot_head *newer; /* the reclaimer's */
    berth__retired *retired; /* noted with it; the writer's until PUB-3, then the reclaimer's */
} berth__snapshot_head;

#define BERTH__REFS_BIAS (UINT64_C(1) << 62)

enum {
    BERTH__HISTORY_ROW = 256,  /* places of one row of the table */
    BERTH__HISTORY_ROWS = 256, /* snapshots alive at a time: 65,535; place 0 stays empty */
};

typedef _Atomic(berth__snapshot_head *) berth__snapshot_place;

typedef struct berth__history {
    const berth_allocator *allocator;
    void *context;                                               /* of the two */
    void (*drop)(void *context, berth__snapshot_head *snapshot); /* free the snapshot itself */
    void (*after)(void *context);                     /* after each pass; NULL: nothing */
    berth__snapshot_place *rows[BERTH__HISTORY_ROWS]; /* the writer's; read after PUB-1 */
    uint64_t number;                                  /* of the current snapshot, 0: none yet */
    uint32_t next_place;
    berth__snapshot_head *current;               /* the writer's */
    _Alignas(64) atomic_uint_least64_t word;     /* sync: PUB-1 */
    _Alignas(64) atomic_uint_least64_t requests; /* sync: PUB-4 */
    berth__snapshot_place incoming;              /* sync: PUB-3 */
    berth__snapshot_head *newest_live; /* superseded snapshots not freed; the reclaimer's (PUB-4) */
} berth__history;

/* An empty history. `drop` and the `release` of retired objects are called on whatever
 * thread reclaims. */
void berth__history_init(berth__history *history, const berth_allocator *allocator, void *context,
                         void (*drop)(void *context, berth__snapshot_head *snapshot),
                         void (*after)(void *context));

/* Pins that have not been given back. Threads: the writer, alone. */
uint64_t berth__history_pins(berth__history *history);

/* Free everything. Nothing may be pinned. Threads: the writer, alone. */
void berth__history_destroy(berth__history *history);

/* Reserve the place of the next snapshot: publish can't fail then. Errors: E_NOMEM (memory,
 * or as many snapshots are alive as there are places). Threads: the writer. */
berth_status berth__history_reserve(berth__history *history, berth__snapshot_head *snapshot);

/* Make a snapshot, whose place has been reserved, the current one. `retired`: what the present one
 * shows and this one does not; objects never published are no business of a history. */
void berth__history_publish(berth__history *history, berth__snapshot_head *snapshot,
                            berth__retired *retired);

/* The current snapshot, pinned; NULL if there is none yet. Threads: any. Wait-free. */
berth__snapshot_head *berth__history_pin(berth__history *history);

/* One more pin of a snapshot that the caller has pinned; and giving one back. Threads: any. */
void berth__history_pin_again(berth__snapshot_head *snapshot);
void berth__history_unpin(berth__history *history, berth__snapshot_head *snapshot);

#endif
