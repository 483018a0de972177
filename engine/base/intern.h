/* Interning: maps byte strings to small ids, so that two ids are equal if and only if the bytes
 * are. Texts that nobody holds any more are removed (model/sweep.h says when); their ids and memory
 * are used again. */
#ifndef BERTH_BASE_INTERN_H
#define BERTH_BASE_INTERN_H

#include <stdatomic.h>

#include "base/arena.h"

/* An id. 0 means "absent" and is never the id of a text, not even of the empty one. */
typedef uint32_t berth__sym;

/* Open addressing: each slot holds a hash above an id; 0 is a free slot. A removed text leaves id 0
 * under another hash. */
typedef struct berth__intern_slots {
    struct berth__intern_slots *older; /* the next table in limbo */
    uint32_t count;                    /* a power of two */
    atomic_ullong slots[];             /* sync: atomic, pair INTERN-1 */
} berth__intern_slots;

/* One text. An unused id has no data, and its `len` is the next unused id. */
typedef struct berth__interned {
    const char *data;
    uint32_t len;
    uint32_t verdict; /* the batch that condemned it (model/sweep.h), 0: none. Only adders use it */
} berth__interned;

/* Records lie in segments that never move, each twice as long as the one before. So a reader that
 * has an id can read its text, even while texts are added, as long as the reader's state holds the
 * id. One thread at a time adds and removes. Once `shared` is set, any thread may find meanwhile.
 * Ordering:
 *   INTERN-1  A text is written, then its id is stored in a slot (release). A finder loads the slot
 *             (acquire) before it reads the text.
 *   INTERN-2  A larger table is filled, then stored (release). A finder loads it (acquire) before
 *             it reads its slots.
 *   INTERN-3  A removed text or a replaced table is first taken out of finders' sight and then kept
 *             in limbo: its memory is used again once each stripe of `finders` has been seen at 0
 *             since. A finder adds to its stripe before it loads table and slots, and subtracts
 *             when it is done. These four are sequentially consistent: the store that takes out
 *             comes before the load of the stripe, the addition before the loads of table and slot,
 *             so that one of the two sees the other.
 * An adder's own loads are relaxed: threads that add follow one another, under a lock. */
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
    char *free_blocks[BERTH__INTERN_SIZES];            /* of removed texts, by size */
    berth__interned *segments[BERTH__INTERN_SEGMENTS]; /* by id; text 0 is absent */
    /* Once shared: for each id, the number of the first snapshot that may show it. */
    uint64_t *born[BERTH__INTERN_SEGMENTS];
    uint32_t count;      /* ids used so far, 0 included */
    uint32_t in_use;     /* texts, without those in limbo */
    uint32_t first_free; /* a list of removed ids; 0: none */
    uint32_t used_slots; /* of the table, including those of removed texts */
    bool shared;
    /* Snapshots from this number on, and perhaps their branches, see what an adder adds or finds.
     * `lowers`: these snapshots may be older than what is known of a text. */
    uint64_t seen_from;
    bool lowers;
    /* Once shared: the thread that may add, identified by the address of a thread-local mark; 0:
     * none. Debug builds check it when adding. sync: relaxed; a thread can read its own mark only
     * if it has written it. */
    atomic_uintptr_t adder;
    _Atomic(berth__intern_slots *) slots; /* sync: atomic, pair INTERN-2 */
    /* Tables and texts that finders may still read (INTERN-3). Only adders use this list. */
    berth__intern_slots *old_slots;
    uint32_t *limbo; /* ids */
    uint32_t limbo_count, limbo_capacity;
    berth__intern_stripe *stripes; /* NULL before it is shared */
} berth__intern;

berth_status berth__intern_init(berth__intern *table, const berth_allocator *allocator);
void berth__intern_destroy(berth__intern *table);

/* From now on other threads may find texts while one thread adds. Errors: BERTH_E_NOMEM. */
berth_status berth__intern_share(berth__intern *table);

/* The calling thread begins to add or, if `adds` is false, stops; the table's owner keeps others
 * out. Until berth__intern_seen_from is called, all snapshots may see what the thread adds. */
void berth__intern_claim(berth__intern *table, bool adds);
static inline void berth__intern_seen_from(berth__intern *table, uint64_t number, bool lowers)
{
    table->seen_from = number;
    table->lowers = lowers;
}

/* The id of `text`, made if the text is new; 0 for an absent text. Sets `*ok` to false when out of
 * memory. A shared table must have been claimed. */
berth__sym berth__intern_add(berth__intern *table, berth_str text, bool *ok);

/* The id of `text`, or 0 if the table lacks it. Lock-free. */
berth__sym berth__intern_find(const berth__intern *table, berth_str text);

/* Make sure that `count` more texts can be removed; false when out of memory. Then remove a text
 * that no state holds any more; its id becomes invalid. Both by an adder. */
bool berth__intern_reserve_removal(berth__intern *table, uint32_t count);
void berth__intern_remove(berth__intern *table, berth__sym id);

/* Make removed texts' ids and memory usable again, if no finder can still read them. By an
 * adder. */
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

/* The entry of an id in `born`. For a shared table. */
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
