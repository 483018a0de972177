/* Interning: byte strings to small ids that are equal exactly when the bytes are. Texts that nobody
 * holds any more are given up (model/sweep.h says when), their ids and memory used again. */
#ifndef BERTH_BASE_INTERN_H
#define BERTH_BASE_INTERN_H

#include <stdatomic.h>

#include "base/arena.h"

/* An id; 0 stands for "absent" and is never given to a text, not even the empty one. */
typedef uint32_t berth__sym;

/* Open addressing: a hash above its id; 0 free. A text that has gone leaves id 0 under another
 * hash. */
typedef struct berth__intern_slots {
    struct berth__intern_slots *older; /* of those in limbo */
    uint32_t count;                    /* a power of two */
    atomic_ullong slots[];             /* sync: atomic, pair INTERN-1 */
} berth__intern_slots;

/* One text. An id that is given to none has no data; `len` is the next such id then. */
typedef struct berth__interned {
    const char *data;
    uint32_t len;
    uint32_t verdict; /* the batch in which it was condemned (model/sweep.h), 0: none. Adders' */
} berth__interned;

/* Records lie in segments that never move, each twice as long as the one before: whoever knows
 * an id can read its text whatever is added meanwhile, as long as his state holds the id. Adding
 * and giving up are for one thread at a time; finding may go on meanwhile on any thread once
 * `shared` is set.
 * Ordering:
 *   INTERN-1  a text is written, then its id stored in a slot (release); a finder loads the slot
 *             (acquire) before it reads the text.
 *   INTERN-2  a larger table is filled, then stored (release); a finder loads it (acquire) before
 *             it reads its slots.
 *   INTERN-3  a text that is given up, or a table that is replaced, is first taken out of finders'
 *             sight, and then in limbo: its memory is used again once each stripe of `finders` has
 *             been seen at 0 since. A finder adds to its stripe before it loads table and slots,
 *             and subtracts when it is done. The four are sequentially consistent: the store that
 *             takes out comes before the load of the stripe, the addition before the loads of
 *             table and slot, so that one of the two sees the other.
 * Whoever adds loads relaxed: threads that add follow one another, under a lock. */
enum {
    BERTH__INTERN_SHIFT = 10,
    BERTH__INTERN_SEGMENTS = 32 - BERTH__INTERN_SHIFT,
    BERTH__INTERN_STRIPES = 16,
    BERTH__INTERN_SIZES = 64, /* lists of free blocks, by size in steps of 8 */
};

typedef struct berth__intern_stripe {
    _Alignas(64) atomic_uint finders; /* sync: INTERN-3 */
} berth__intern_stripe;

typedef struct berth__intern {
    berth__arena arena;
    char *free_blocks[BERTH__INTERN_SIZES];            /* of texts given up, by size */
    berth__interned *segments[BERTH__INTERN_SEGMENTS]; /* by id; text 0 is absent */
    /* Once shared, by id: the number of the first snapshot that may show it. */
    uint64_t *born[BERTH__INTERN_SEGMENTS];
    uint32_t count;      /* ids given so far, 0 included */
    uint32_t in_use;     /* texts, those in limbo left out */
    uint32_t first_free; /* ids given up, in a list; 0: none */
    uint32_t used_slots; /* of the table, those of texts gone included */
    bool shared;
    /* What is added or found by an adder is seen by snapshots from this number on, and perhaps by
     * branches of them; `lowers`: these may be older than what is known of a text. */
    uint64_t seen_from;
    bool lowers;
    /* Once shared: who may add, as the address of a thread's own mark; 0: nobody. Debug builds hold
     * adding to it. sync: relaxed; a thread reads its own mark only if it has written it. */
    atomic_uintptr_t adder;
    _Atomic(berth__intern_slots *) slots; /* sync: atomic, pair INTERN-2 */
    /* What finders may still look at: INTERN-3. The adder's. */
    berth__intern_slots *old_slots;
    uint32_t *limbo; /* ids */
    uint32_t limbo_count, limbo_capacity;
    berth__intern_stripe *stripes; /* NULL before it is shared */
} berth__intern;

berth_status berth__intern_init(berth__intern *table, const berth_allocator *allocator);
void berth__intern_destroy(berth__intern *table);

/* From now on others may find texts while one adds. Errors: E_NOMEM. */
berth_status berth__intern_share(berth__intern *table);

/* The calling thread adds from now on, or (`adds` false) no longer; its owner keeps others out.
 * Until berth__intern_seen_from says more, what it adds may be seen by all snapshots. */
void berth__intern_claim(berth__intern *table, bool adds);
static inline void berth__intern_seen_from(berth__intern *table, uint64_t number, bool lowers)
{
    table->seen_from = number;
    table->lowers = lowers;
}

/* The id of `text`, made if it is new; absent text gives 0. `*ok` turns false when out of
 * memory. A table that is shared has been claimed. */
berth__sym berth__intern_add(berth__intern *table, berth_str text, bool *ok);

/* The id of `text`, or 0 if it is not there. Lock-free. */
berth__sym berth__intern_find(const berth__intern *table, berth_str text);

/* Make sure that so many more can be given up: false when out of memory. Then give up a text that
 * no state holds any more; its id is void. Both by an adder. */
bool berth__intern_reserve_removal(berth__intern *table, uint32_t count);
void berth__intern_remove(berth__intern *table, berth__sym id);

/* Use again what was given up, if no finder can be looking at it. By an adder. */
void berth__intern_settle(berth__intern *table);

static inline uint32_t berth__intern_segment(uint32_t id, uint64_t *at)
{
    *at = (uint64_t)id + (1u << BERTH__INTERN_SHIFT);
    uint32_t segment = 63 - BERTH__INTERN_SHIFT - (uint32_t)__builtin_clzll(*at);
    *at -= UINT64_C(1) << (segment + BERTH__INTERN_SHIFT);
    return segment;
}

static inline berth__interned *berth__intern_place(const berth__intern *table, berth__sym id)
{
    uint64_t at;
    uint32_t segment = berth__intern_segment(id, &at);
    return &table->segments[segment][at];
}

/* Of a shared table. */
static inline uint64_t *berth__intern_born(const berth__intern *table, berth__sym id)
{
    uint64_t at;
    uint32_t segment = berth__intern_segment(id, &at);
    return &table->born[segment][at];
}

static inline berth_str berth__intern_text(const berth__intern *table, berth__sym id)
{
    const berth__interned *text = berth__intern_place(table, id);
    return (berth_str){text->data, text->len};
}

#endif
