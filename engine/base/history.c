/* Pinning by a split count, publishing, reclaiming. The protocol is in the header. */
#include "base/history.h"

#include <string.h>

#include "base/assert.h"
#include "base/bite.h"

#define PINS_BITS 48
#define PINS_MASK ((UINT64_C(1) << PINS_BITS) - 1)

static const memory_order PUBLISH =
    BERTH_BITE == BERTH_BITE_PUBLISH_RELAXED ? memory_order_relaxed : memory_order_acq_rel;
static const memory_order PIN =
    BERTH_BITE == BERTH_BITE_PUBLISH_RELAXED ? memory_order_relaxed : memory_order_acquire;
static const memory_order UNPIN =
    BERTH_BITE == BERTH_BITE_UNPIN_RELAXED ? memory_order_relaxed : memory_order_acq_rel;

void berth__history_init(berth__history *history, const berth_allocator *allocator, void *context,
                         void (*drop)(void *context, berth__snapshot_head *version),
                         void (*after)(void *context))
{
    memset(history, 0, sizeof(*history));
    history->allocator = allocator;
    history->context = context;
    history->drop = drop;
    history->after = after;
    atomic_init(&history->word, 0);
    atomic_init(&history->requests, 0);
    atomic_init(&history->incoming, NULL);
}

/* ---- places ---- */

static berth__snapshot_place *place_of(const berth__history *history, uint32_t place)
{
    return &history->rows[place / BERTH__HISTORY_ROW][place % BERTH__HISTORY_ROW];
}

static bool make_row(berth__history *history, uint32_t row)
{
    if (history->rows[row] != NULL)
        return true;
    history->rows[row] =
        berth__alloc(history->allocator, BERTH__HISTORY_ROW * sizeof(berth__snapshot_place), 64);
    for (uint32_t i = 0; history->rows[row] != NULL && i < BERTH__HISTORY_ROW; i++)
        atomic_init(&history->rows[row][i], NULL);
    return history->rows[row] != NULL;
}

/* From the front: rows are made only while all places before are taken. */
berth_status berth__history_reserve(berth__history *history, berth__snapshot_head *version)
{
    enum { PLACES = BERTH__HISTORY_ROW * BERTH__HISTORY_ROWS };
    for (uint32_t tried = 0; tried < PLACES; tried++) {
        uint32_t place = history->next_place;
        if (place == 0 || place >= PLACES)
            place = 1;
        history->next_place = place + 1;
        if (history->rows[place / BERTH__HISTORY_ROW] == NULL) {
            /* Once around the rows that there are before another is made. */
            if (tried < place && place % BERTH__HISTORY_ROW == 0) {
                history->next_place = 1;
                continue;
            }
            if (!make_row(history, place / BERTH__HISTORY_ROW))
                return BERTH_E_NOMEM;
        }
        if (atomic_load_explicit(place_of(history, place), memory_order_acquire) != NULL)
            continue;
        version->place = place;
        history->next_place = place + 1;
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

/* What the freed version was the last but for older ones to show. */
static void pass_down(berth__history *history, berth__snapshot_head *version)
{
    berth__snapshot_head *older = version->older;
    for (berth__retired *one = version->retired, *next; one != NULL; one = next) {
        next = one->next;
        if (BERTH_BITE != BERTH_BITE_IGNORE_OLDER && older != NULL && older->number >= one->born) {
            one->next = older->retired;
            older->retired = one;
        } else {
            free_retired(history, one);
        }
    }
}

static void free_version(berth__history *history, berth__snapshot_head *version)
{
    pass_down(history, version);
    *(version->newer != NULL ? &version->newer->older : &history->newest_live) = version->older;
    if (version->older != NULL)
        version->older->newer = version->newer;
    atomic_store_explicit(place_of(history, version->place), NULL, memory_order_release);
    history->drop(history->context, version);
}

/* Superseded versions, newest first, become live ones. */
static void take_incoming(berth__history *history)
{
    berth__snapshot_head *taken =
        atomic_exchange_explicit(&history->incoming, NULL, memory_order_acq_rel);
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

static void pass(berth__history *history)
{
    take_incoming(history);
    for (berth__snapshot_head *version = history->newest_live, *older; version != NULL;
         version = older) {
        older = version->older;
        if (atomic_load_explicit(&version->refs, memory_order_acquire) == 0)
            free_version(history, version);
    }
}

static void reclaim(berth__history *history)
{
    uint64_t seen = atomic_fetch_add_explicit(&history->requests, 1, memory_order_acq_rel);
    if (seen != 0)
        return;
    seen = 1;
    for (;;) {
        pass(history);
        if (history->after != NULL)
            history->after(history->context);
        uint64_t before = atomic_fetch_sub_explicit(&history->requests, seen, memory_order_acq_rel);
        if (before == seen)
            return;
        seen = before - seen;
        if (BERTH_BITE == BERTH_BITE_NO_SECOND_PASS) {
            atomic_store_explicit(&history->requests, 0, memory_order_release);
            return;
        }
    }
}

/* ---- publishing ---- */

static void push_incoming(berth__history *history, berth__snapshot_head *version)
{
    berth__snapshot_head *head = atomic_load_explicit(&history->incoming, memory_order_relaxed);
    do {
        version->older = head;
    } while (!atomic_compare_exchange_weak_explicit(&history->incoming, &head, version,
                                                    memory_order_release, memory_order_relaxed));
}

void berth__history_publish(berth__history *history, berth__snapshot_head *version,
                            berth__retired *retired)
{
    berth__snapshot_head *old = history->current;
    version->number = ++history->number;
    version->retired = NULL;
    version->older = version->newer = NULL;
    atomic_init(&version->refs, BERTH__REFS_BIAS);
    atomic_store_explicit(place_of(history, version->place), version, memory_order_relaxed);
    history->current = version;
    uint64_t word =
        atomic_exchange_explicit(&history->word, (uint64_t)version->place << PINS_BITS, PUBLISH);
    BERTH_ASSERT(old != NULL || retired == NULL);
    if (old == NULL)
        return;
    old->retired = retired;
    push_incoming(history, old);
    uint64_t pins = BERTH_BITE == BERTH_BITE_NO_TRANSFER ? 0 : word & PINS_MASK;
    uint64_t change = pins - BERTH__REFS_BIAS;
    if (atomic_fetch_add_explicit(&old->refs, change, memory_order_acq_rel) + change == 0)
        reclaim(history);
}

void berth__history_destroy(berth__history *history)
{
    if (history->allocator == NULL)
        return;
    take_incoming(history);
    while (history->newest_live != NULL) {
        BERTH_ASSERT(atomic_load_explicit(&history->newest_live->refs, memory_order_acquire) == 0 ||
                     BERTH_BITE != 0);
        free_version(history, history->newest_live);
    }
    if (history->current != NULL) {
        uint64_t refs = atomic_load_explicit(&history->current->refs, memory_order_acquire);
        uint64_t pins = atomic_load_explicit(&history->word, memory_order_acquire) & PINS_MASK;
        BERTH_ASSERT(refs + pins == BERTH__REFS_BIAS || BERTH_BITE != 0);
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
    uint64_t word = BERTH_BITE == BERTH_BITE_SPLIT_PIN
                        ? atomic_load_explicit(&history->word, PIN)
                        : atomic_fetch_add_explicit(&history->word, 1, PIN);
    uint32_t place = (uint32_t)(word >> PINS_BITS);
    if (place == 0)
        return NULL;
#if BERTH_BITE == BERTH_BITE_SPLIT_PIN
    berth__bite_pause();
    (void)atomic_fetch_add_explicit(&history->word, 1, PIN);
#endif
    return atomic_load_explicit(place_of(history, place), memory_order_relaxed);
}

void berth__history_pin_again(berth__snapshot_head *version)
{
    atomic_fetch_add_explicit(&version->refs, 1, memory_order_relaxed);
}

void berth__history_unpin(berth__history *history, berth__snapshot_head *version)
{
    if (atomic_fetch_sub_explicit(&version->refs, 1, UNPIN) == 1)
        reclaim(history);
}
