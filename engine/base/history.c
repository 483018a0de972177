/* A history of snapshots: pins by a split count, publishes and reclaims. history.h describes the
 * protocol. */
#include "base/history.h"

#include <string.h>

#include "base/assert.h"

#define PINS_BITS 48
#define PINS_MASK ((UINT64_C(1) << PINS_BITS) - 1)

void berth__history_init(berth__history *history, const berth_allocator *allocator, void *context,
                         void (*drop)(void *context, berth__snapshot_head *snapshot),
                         void (*after)(void *context))
{
    memset(history, 0, sizeof(*history));
    history->allocator = allocator;
    history->context = context;
    history->drop = drop;
    history->after = after;
    /* No other thread knows the history yet. */
    atomic_init(&history->word, 0);
    atomic_init(&history->requests, 0);
    atomic_init(&history->incoming, NULL);
    atomic_init(&history->unseen, NULL);
}

/* ---- places ---- */

static berth__snapshot_place *place_of(const berth__history *history, uint32_t place)
{
    return &history->rows[place / BERTH__HISTORY_ROW][place % BERTH__HISTORY_ROW];
}

static bool make_row(berth__history *history, uint32_t row)
{
    history->rows[row] =
        berth__alloc(history->allocator, BERTH__HISTORY_ROW * sizeof(berth__snapshot_place), 64);
    for (uint32_t i = 0; history->rows[row] != NULL && i < BERTH__HISTORY_ROW; i++)
        atomic_init(&history->rows[row][i], NULL); /* readers get here only by PUB-1 */
    return history->rows[row] != NULL;
}

/* Places are filled from the front: a row is made only while all earlier places are taken. */
berth_status berth__history_reserve(berth__history *history, berth__snapshot_head *snapshot)
{
    enum { PLACES = BERTH__HISTORY_ROW * BERTH__HISTORY_ROWS };
    for (uint32_t tried = 0; tried < PLACES; tried++) {
        uint32_t place = history->next_place;
        if (place == 0 || place >= PLACES)
            place = 1;
        history->next_place = place + 1;
        if (history->rows[place / BERTH__HISTORY_ROW] == NULL) {
            /* Search all existing rows once before making another. */
            if (tried < place && place % BERTH__HISTORY_ROW == 0) {
                history->next_place = 1;
                continue;
            }
            if (!make_row(history, place / BERTH__HISTORY_ROW))
                return BERTH_E_NOMEM;
        }
        /* PUB-5 */
        if (atomic_load_explicit(place_of(history, place), memory_order_acquire) != NULL)
            continue;
        snapshot->place = place;
        return BERTH_OK;
    }
    return BERTH_E_NOMEM;
}

/* ---- reclaiming ---- */

static void free_retired(berth__history *history, berth__retired *one)
{
    one->release(history->allocator, history->context, one->object, one->bytes);
    berth__free(history->allocator, one, sizeof(*one));
}

/* Merge two trees: the one whose object was born later takes the other as its newest child. */
static berth__retired *unite(berth__retired *first, berth__retired *second)
{
    if (first == NULL || second == NULL)
        return first != NULL ? first : second;
    berth__retired *top = first->born >= second->born ? first : second;
    berth__retired *below = top == first ? second : first;
    below->next = top->children;
    top->children = below;
    top->next = NULL;
    return top;
}

/* Merge a list of trees into one: first in pairs, then the pairs from the last one on. */
static berth__retired *unite_all(berth__retired *list)
{
    berth__retired *pairs = NULL, *all = NULL;
    while (list != NULL) {
        berth__retired *first = list, *second = first->next;
        list = second != NULL ? second->next : NULL;
        first->next = NULL;
        first = unite(first, second);
        first->next = pairs;
        pairs = first;
    }
    while (pairs != NULL) {
        berth__retired *first = pairs;
        pairs = first->next;
        all = unite(first, all);
    }
    return all;
}

/* Objects that the freed snapshot was the newest to show: hand them to an older snapshot, or free
 * them. */
static void pass_down(berth__history *history, berth__snapshot_head *snapshot)
{
    berth__snapshot_head *older = snapshot->older;
    berth__retired *kept = NULL;
    for (berth__retired *one = snapshot->retired, *next; one != NULL; one = next) {
        next = one->next;
        if (older != NULL && older->number >= one->born) {
            one->next = kept;
            kept = one;
            continue;
        }
        for (berth__retired *child = one->children, *after; child != NULL; child = after) {
            after = child->next;
            child->next = next;
            next = child;
        }
        free_retired(history, one);
    }
    if (kept == NULL)
        return;
    kept = unite_all(kept);
    kept->next = older->retired;
    older->retired = kept;
}

static void free_snapshot(berth__history *history, berth__snapshot_head *snapshot)
{
    pass_down(history, snapshot);
    *(snapshot->newer != NULL ? &snapshot->newer->older : &history->newest_live) = snapshot->older;
    if (snapshot->older != NULL)
        snapshot->older->newer = snapshot->newer;
    atomic_store_explicit(place_of(history, snapshot->place), NULL,
                          memory_order_release); /* PUB-5 */
    history->drop(history->context, snapshot);
}

/* Move the superseded snapshots to the live ones, newest first. */
static void take_incoming(berth__history *history)
{
    berth__snapshot_head *taken =
        atomic_exchange_explicit(&history->incoming, NULL, memory_order_acq_rel); /* PUB-3 */
    berth__snapshot_head *in_order = NULL;
    while (taken != NULL) {
        berth__snapshot_head *next = taken->older;
        taken->older = in_order;
        in_order = taken;
        taken = next;
    }
    while (in_order != NULL) {
        berth__snapshot_head *next = in_order->older;
        in_order->older = history->newest_live;
        in_order->newer = NULL;
        if (history->newest_live != NULL)
            history->newest_live->newer = in_order;
        history->newest_live = in_order;
        in_order = next;
    }
}

/* Take the unseen snapshots first, so that all of them are among the live ones (PUB-6). */
static void pass(berth__history *history)
{
    berth__snapshot_head *unseen =
        atomic_exchange_explicit(&history->unseen, NULL, memory_order_acq_rel); /* PUB-6 */
    take_incoming(history);
    while (unseen != NULL) {
        berth__snapshot_head *next = unseen->next_unseen;
        free_snapshot(history, unseen);
        unseen = next;
    }
}

static void reclaim(berth__history *history)
{
    uint64_t seen =
        atomic_fetch_add_explicit(&history->requests, 1, memory_order_acq_rel); /* PUB-4 */
    if (seen != 0)
        return;
    seen = 1;
    for (;;) {
        pass(history);
        if (history->after != NULL)
            history->after(history->context);
        uint64_t before =
            atomic_fetch_sub_explicit(&history->requests, seen, memory_order_acq_rel); /* PUB-4 */
        if (before == seen)
            return;
        seen = before - seen;
    }
}

/* Nobody has a pin of the snapshot any more or can get one. */
static void become_unseen(berth__history *history, berth__snapshot_head *snapshot)
{
    /* Relaxed: only a guess for the exchange, and not followed. The same holds for the value that a
     * failed exchange reads. */
    berth__snapshot_head *head = atomic_load_explicit(&history->unseen, memory_order_relaxed);
    do {
        snapshot->next_unseen = head;
        /* PUB-6 */
    } while (!atomic_compare_exchange_weak_explicit(&history->unseen, &head, snapshot,
                                                    memory_order_release, memory_order_relaxed));
    reclaim(history);
}

/* ---- publishing ---- */

static void push_incoming(berth__history *history, berth__snapshot_head *snapshot)
{
    /* Relaxed: only a guess for the exchange, and not followed. The same holds for the value that a
     * failed exchange reads. */
    berth__snapshot_head *head = atomic_load_explicit(&history->incoming, memory_order_relaxed);
    do {
        snapshot->older = head;
        /* PUB-3 */
    } while (!atomic_compare_exchange_weak_explicit(&history->incoming, &head, snapshot,
                                                    memory_order_release, memory_order_relaxed));
}

void berth__history_publish(berth__history *history, berth__snapshot_head *snapshot,
                            berth__retired *retired)
{
    berth__snapshot_head *old = history->current;
    snapshot->number = ++history->number;
    snapshot->retired = NULL;
    snapshot->older = snapshot->newer = NULL;
    atomic_init(&snapshot->refs, BERTH__REFS_BIAS);
    /* Relaxed: readers learn the place from the word, whose exchange releases this store, too
     * (PUB-5). */
    atomic_store_explicit(place_of(history, snapshot->place), snapshot, memory_order_relaxed);
    history->current = snapshot;
    uint64_t word = atomic_exchange_explicit(&history->word, (uint64_t)snapshot->place << PINS_BITS,
                                             memory_order_acq_rel); /* PUB-1 */
    BERTH_ASSERT(old != NULL || retired == NULL);
    if (old == NULL)
        return;
    old->retired = retired;
    push_incoming(history, old);
    uint64_t pins = word & PINS_MASK;
    uint64_t change = pins - BERTH__REFS_BIAS;
    /* PUB-2: the reads under pins that have ended; PUB-3: after the push to the stack. */
    if (atomic_fetch_add_explicit(&old->refs, change, memory_order_acq_rel) + change == 0)
        become_unseen(history, old);
}

uint64_t berth__history_pins(berth__history *history)
{
    uint64_t pins = 0;
    if (history->current == NULL)
        return 0;
    take_incoming(history);
    for (const berth__snapshot_head *one = history->newest_live; one != NULL; one = one->older)
        pins += atomic_load_explicit(&one->refs, memory_order_acquire);          /* PUB-2 */
    pins += atomic_load_explicit(&history->current->refs, memory_order_acquire); /* PUB-2 */
    /* Relaxed: the pinning threads counted, and `refs` shows that their reads are done. */
    pins += atomic_load_explicit(&history->word, memory_order_relaxed) & PINS_MASK;
    return pins - BERTH__REFS_BIAS;
}

void berth__history_destroy(berth__history *history)
{
    if (history->allocator == NULL)
        return;
    take_incoming(history);
    while (history->newest_live != NULL) {
        /* PUB-2 */
        BERTH_ASSERT(atomic_load_explicit(&history->newest_live->refs, memory_order_acquire) == 0);
        free_snapshot(history, history->newest_live);
    }
    if (history->current != NULL) {
        uint64_t refs =
            atomic_load_explicit(&history->current->refs, memory_order_acquire); /* PUB-2 */
        /* Relaxed: the pinning threads counted, and `refs` shows that their reads are done. */
        uint64_t pins = atomic_load_explicit(&history->word, memory_order_relaxed) & PINS_MASK;
        BERTH_ASSERT(refs + pins == BERTH__REFS_BIAS);
        history->drop(history->context, history->current);
    }
    for (uint32_t row = 0; row < BERTH__HISTORY_ROWS; row++)
        berth__free(history->allocator, history->rows[row],
                    BERTH__HISTORY_ROW * sizeof(berth__snapshot_place));
    history->allocator = NULL;
}

/* ---- pinning ---- */

berth__snapshot_head *berth__history_pin(berth__history *history)
{
    uint64_t word = atomic_fetch_add_explicit(&history->word, 1, memory_order_acquire); /* PUB-1 */
    uint32_t place = (uint32_t)(word >> PINS_BITS);
    if (place == 0)
        return NULL;
    /* Relaxed: filled before the word was exchanged (PUB-1), and emptied only after this pin
     * (PUB-5). */
    return atomic_load_explicit(place_of(history, place), memory_order_relaxed);
}

void berth__history_pin_again(berth__snapshot_head *snapshot)
{
    /* Relaxed: the caller's pin keeps the snapshot alive and has made all of it visible (PUB-1). */
    atomic_fetch_add_explicit(&snapshot->refs, 1, memory_order_relaxed);
}

void berth__history_unpin(berth__history *history, berth__snapshot_head *snapshot)
{
    if (atomic_fetch_sub_explicit(&snapshot->refs, 1, memory_order_acq_rel) == 1) /* PUB-2 */
        become_unseen(history, snapshot);
}
