/* Interning: byte strings to small ids that are equal exactly when the bytes are. */
#ifndef BERTH_BASE_INTERN_H
#define BERTH_BASE_INTERN_H

#include <stdatomic.h>

#include "base/arena.h"

/* An id; 0 stands for "absent" and is never given to a text, not even the empty one. */
typedef uint32_t berth__sym;

/* Open addressing: a hash above its id, 0 free. */
typedef struct berth__intern_slots {
    struct berth__intern_slots *older; /* smaller ones that a reader may still be looking at */
    uint32_t count;                    /* a power of two */
    atomic_ullong slots[];             /* sync: filled once; atomic, pair INTERN-1 */
} berth__intern_slots;

/* Texts lie in segments that never move, each twice as long as the one before: whoever knows
 * an id can read its text whatever is added meanwhile. Adding is for one thread at a time;
 * finding may go on meanwhile on any thread once `shared` is set. Old tables are kept, if
 * shared: together they are smaller than the present one.
 * Ordering:
 *   INTERN-1  a text is written, then its id stored in a slot (release); a finder loads the slot
 *             (acquire) before it reads the text.
 *   INTERN-2  a larger table is filled, then stored (release); a finder loads it (acquire) before
 *             it reads its slots.
 * Whoever adds loads relaxed: threads that add follow one another, under a lock. */
enum { BERTH__INTERN_SHIFT = 10, BERTH__INTERN_SEGMENTS = 32 - BERTH__INTERN_SHIFT };

typedef struct berth__intern {
    berth__arena arena;
    berth_str *segments[BERTH__INTERN_SEGMENTS]; /* by id; text 0 is absent */
    uint32_t count;                              /* ids in use, 0 included */
    bool shared;
    /* Once shared: who may add, as the address of a thread's own mark; 0: nobody. Debug builds hold
     * adding to it. sync: relaxed; a thread reads its own mark only if it has written it. */
    atomic_uintptr_t adder;
    _Atomic(berth__intern_slots *) slots; /* sync: atomic, pair INTERN-2 */
} berth__intern;

berth_status berth__intern_init(berth__intern *table, const berth_allocator *allocator);
void berth__intern_destroy(berth__intern *table);

/* The calling thread adds from now on, or (`adds` false) no longer; its owner keeps others out. */
void berth__intern_claim(berth__intern *table, bool adds);

/* The id of `text`, made if it is new; absent text gives 0. `*ok` turns false when out of
 * memory. A table that is shared has been claimed. */
berth__sym berth__intern_add(berth__intern *table, berth_str text, bool *ok);

/* The id of `text`, or 0 if it was never added. Lock-free. */
berth__sym berth__intern_find(const berth__intern *table, berth_str text);

static inline berth_str *berth__intern_place(const berth__intern *table, berth__sym id)
{
    uint64_t at = (uint64_t)id + (1u << BERTH__INTERN_SHIFT);
    uint32_t segment = 63 - BERTH__INTERN_SHIFT - (uint32_t)__builtin_clzll(at);
    return &table->segments[segment][at - (UINT64_C(1) << (segment + BERTH__INTERN_SHIFT))];
}

static inline berth_str berth__intern_text(const berth__intern *table, berth__sym id)
{
    return *berth__intern_place(table, id);
}

#endif
