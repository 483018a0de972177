/* Interning by open addressing with linear probing; texts live in an arena and are never freed. */
#include "base/intern.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/text.h"

enum { SLOTS_MIN = 64 };

static size_t slots_bytes(uint32_t count)
{
    return sizeof(berth__intern_slots) + (size_t)count * sizeof(atomic_uint);
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
    slots_destroy(allocator, atomic_load_explicit(&table->slots, memory_order_relaxed));
    for (uint32_t i = 0; i < BERTH__INTERN_SEGMENTS; i++)
        berth__free(allocator, table->segments[i],
                    (sizeof(berth_str) << BERTH__INTERN_SHIFT) << i);
    berth__arena_destroy(&table->arena);
    *table = (berth__intern){0};
}

/* The slot that holds `text`, or the free one where it would go; `*id` is what it holds. */
static uint32_t probe(const berth__intern *table, const berth__intern_slots *slots, berth_str text,
                      uint32_t *id)
{
    uint32_t mask = slots->count - 1;
    uint32_t at = (uint32_t)berth__hash_bytes(text.data, text.len, 0) & mask;
    for (;; at = (at + 1) & mask) {
        *id = atomic_load_explicit(&slots->ids[at], memory_order_acquire);
        if (*id == 0 || berth__str_eq(berth__intern_text(table, *id), text))
            return at;
    }
}

static bool rehash(berth__intern *table)
{
    const berth_allocator *allocator = table->arena.allocator;
    berth__intern_slots *old = atomic_load_explicit(&table->slots, memory_order_relaxed);
    berth__intern_slots *slots = slots_create(allocator, old->count * 2);
    if (slots == NULL)
        return false;
    for (uint32_t id = 1; id < table->count; id++) {
        uint32_t none;
        uint32_t at = probe(table, slots, berth__intern_text(table, id), &none);
        atomic_store_explicit(&slots->ids[at], id, memory_order_relaxed);
    }
    atomic_store_explicit(&table->slots, slots, memory_order_release);
    if (table->shared)
        slots->older = old;
    else
        slots_destroy(allocator, old);
    return true;
}

berth__sym berth__intern_add(berth__intern *table, berth_str text, bool *ok)
{
    if (text.data == NULL)
        return 0;
    berth__intern_slots *slots = atomic_load_explicit(&table->slots, memory_order_relaxed);
    uint32_t id, at = probe(table, slots, text, &id);
    if (id != 0)
        return id;
    if (table->count + 1 > slots->count / 2) {
        if (!rehash(table)) {
            *ok = false;
            return 0;
        }
        slots = atomic_load_explicit(&table->slots, memory_order_relaxed);
        at = probe(table, slots, text, &id);
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
    atomic_store_explicit(&slots->ids[at], id, memory_order_release);
    return id;
}

berth__sym berth__intern_find(const berth__intern *table, berth_str text)
{
    uint32_t id = 0;
    if (text.data != NULL)
        probe(table, atomic_load_explicit(&table->slots, memory_order_acquire), text, &id);
    return id;
}
