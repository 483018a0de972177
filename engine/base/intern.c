/* String interning by open addressing with linear probing; texts live in an arena and are never
 * freed. */
#include "base/intern.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/text.h"

enum { SLOTS_MIN = 64 };

static size_t slots_bytes(uint32_t count)
{
    return sizeof(berth__intern_slots) + (size_t)count * sizeof(atomic_ullong);
}

static berth__intern_slots *slots_create(const berth_allocator *allocator, uint32_t count)
{
    berth__intern_slots *slots = berth__alloc_zero(allocator, slots_bytes(count), 64);
    if (slots != NULL)
        slots->count = count;
    return slots;
}

static void slots_destroy(const berth_allocator *allocator, berth__intern_slots *slots)
{
    for (berth__intern_slots *older; slots != NULL; slots = older) {
        older = slots->older;
        berth__free(allocator, slots, slots_bytes(slots->count));
    }
}

/* The place of the next id. Returns false when out of memory. */
static bool reserve_text(berth__intern *table)
{
    uint64_t at = (uint64_t)table->count + (1u << BERTH__INTERN_SHIFT);
    uint32_t segment = 63 - BERTH__INTERN_SHIFT - (uint32_t)__builtin_clzll(at);
    if (table->segments[segment] != NULL)
        return true;
    size_t bytes = (sizeof(berth_str) << BERTH__INTERN_SHIFT) << segment;
    table->segments[segment] = berth__alloc(table->arena.allocator, bytes, 64);
    return table->segments[segment] != NULL;
}

berth_status berth__intern_init(berth__intern *table, const berth_allocator *allocator)
{
    *table = (berth__intern){0};
    berth__arena_init(&table->arena, allocator);
    berth__intern_slots *slots = slots_create(allocator, SLOTS_MIN);
    atomic_init(&table->slots, slots);
    if (slots == NULL || !reserve_text(table)) {
        berth__intern_destroy(table);
        return BERTH_E_NOMEM;
    }
    *berth__intern_place(table, 0) = (berth_str){0};
    table->count = 1;
    return BERTH_OK;
}

void berth__intern_destroy(berth__intern *table)
{
    const berth_allocator *allocator = table->arena.allocator;
    if (allocator == NULL)
        return;
    /* Relaxed: nobody else uses the table any more. */
    slots_destroy(allocator, atomic_load_explicit(&table->slots, memory_order_relaxed));
    for (uint32_t i = 0; i < BERTH__INTERN_SEGMENTS; i++)
        berth__free(allocator, table->segments[i], (sizeof(berth_str) << BERTH__INTERN_SHIFT) << i);
    berth__arena_destroy(&table->arena);
    *table = (berth__intern){0};
}

static uint32_t hash_of(berth_str text)
{
    return (uint32_t)berth__hash_bytes(text.data, text.len, 0);
}

static uint64_t slot_of(uint32_t hash, uint32_t id)
{
    return (uint64_t)hash << 32 | id;
}

/* The slot that holds `text`, or the free one where it would go; `*id` is what it holds. Texts are
 * looked at only where hashes are equal. */
static uint32_t probe(const berth__intern *table, const berth__intern_slots *slots, berth_str text,
                      uint32_t hash, uint32_t *id)
{
    uint32_t mask = slots->count - 1;
    for (uint32_t at = hash & mask;; at = (at + 1) & mask) {
        uint64_t held =
            atomic_load_explicit(&slots->slots[at], memory_order_acquire); /* INTERN-1 */
        *id = (uint32_t)held;
        if (held == 0 ||
            (held >> 32 == hash && berth__str_eq(berth__intern_text(table, *id), text)))
            return at;
    }
}

/* Relaxed, all but the last: the old table's slots are this thread's own or of an adder before it,
 * the new table is unknown to others until it is stored. */
static bool rehash(berth__intern *table)
{
    const berth_allocator *allocator = table->arena.allocator;
    /* relaxed: see above */
    berth__intern_slots *old = atomic_load_explicit(&table->slots, memory_order_relaxed);
    berth__intern_slots *slots = slots_create(allocator, old->count * 2);
    if (slots == NULL)
        return false;
    for (uint32_t from = 0; from < old->count; from++) {
        /* relaxed: see above */
        uint64_t held = atomic_load_explicit(&old->slots[from], memory_order_relaxed);
        if (held == 0)
            continue;
        uint32_t at = (uint32_t)(held >> 32) & (slots->count - 1);
        /* relaxed: see above */
        while (atomic_load_explicit(&slots->slots[at], memory_order_relaxed) != 0)
            at = (at + 1) & (slots->count - 1);
        /* relaxed: the store of the table releases it */
        atomic_store_explicit(&slots->slots[at], held, memory_order_relaxed);
    }
    atomic_store_explicit(&table->slots, slots, memory_order_release); /* INTERN-2 */
    if (table->shared)
        slots->older = old;
    else
        slots_destroy(allocator, old);
    return true;
}

/* The address tells threads apart. */
static _Thread_local char own_mark;

void berth__intern_claim(berth__intern *table, bool adds)
{
    /* Relaxed: a thread reads its own mark only if it wrote it. */
    atomic_store_explicit(&table->adder, adds ? (uintptr_t)&own_mark : 0, memory_order_relaxed);
}

berth__sym berth__intern_add(berth__intern *table, berth_str text, bool *ok)
{
    /* relaxed: as in berth__intern_claim */
    BERTH_DASSERT(!table->shared || atomic_load_explicit(&table->adder, memory_order_relaxed) ==
                                        (uintptr_t)&own_mark);
    if (text.data == NULL)
        return 0;
    /* relaxed: this thread's own, or an adder's before it */
    berth__intern_slots *slots = atomic_load_explicit(&table->slots, memory_order_relaxed);
    uint32_t id, hash = hash_of(text), at = probe(table, slots, text, hash, &id);
    if (id != 0)
        return id;
    if (table->count + 1 > slots->count / 2) {
        if (!rehash(table)) {
            *ok = false;
            return 0;
        }
        slots = atomic_load_explicit(&table->slots, memory_order_relaxed); /* relaxed: its own */
        at = probe(table, slots, text, hash, &id);
    }
    if (!reserve_text(table)) {
        *ok = false;
        return 0;
    }
    berth_str copy = berth__arena_str(&table->arena, text, ok);
    if (copy.data == NULL)
        return 0;
    id = table->count++;
    *berth__intern_place(table, id) = copy;
    atomic_store_explicit(&slots->slots[at], slot_of(hash, id),
                          memory_order_release); /* INTERN-1 */
    return id;
}

berth__sym berth__intern_find(const berth__intern *table, berth_str text)
{
    uint32_t id = 0;
    /* INTERN-2 */
    if (text.data != NULL)
        probe(table, atomic_load_explicit(&table->slots, memory_order_acquire), text, hash_of(text),
              &id);
    return id;
}
