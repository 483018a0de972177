/* Interning by open addressing with linear probing; texts live in an arena and are never freed. */
#include "base/intern.h"

#include "base/assert.h"
#include "base/hash.h"
#include "base/text.h"

enum { SLOTS_MIN = 64 };

berth_status berth__intern_init(berth__intern *table, const berth_allocator *allocator)
{
    *table = (berth__intern){.slot_count = SLOTS_MIN};
    berth__arena_init(&table->arena, allocator);
    table->slots = berth__alloc_zero(allocator, SLOTS_MIN * sizeof(uint32_t), 64);
    if (table->slots == NULL || !berth__grow(allocator, &table->texts, &table->capacity, 1,
                                             sizeof(berth_str))) {
        berth__intern_destroy(table);
        return BERTH_E_NOMEM;
    }
    table->texts[0] = (berth_str){0};
    table->count = 1;
    return BERTH_OK;
}

void berth__intern_destroy(berth__intern *table)
{
    const berth_allocator *allocator = table->arena.allocator;
    if (allocator == NULL)
        return;
    berth__free(allocator, table->slots, table->slot_count * sizeof(uint32_t));
    berth__free(allocator, table->texts, table->capacity * sizeof(berth_str));
    berth__arena_destroy(&table->arena);
    *table = (berth__intern){0};
}

/* The slot that holds `text`, or the free one where it would go. */
static uint32_t probe(const berth__intern *table, berth_str text)
{
    uint32_t mask = table->slot_count - 1;
    uint32_t at = (uint32_t)berth__hash_bytes(text.data, text.len, 0) & mask;
    while (table->slots[at] != 0 && !berth__str_eq(table->texts[table->slots[at]], text))
        at = (at + 1) & mask;
    return at;
}

static bool rehash(berth__intern *table)
{
    const berth_allocator *allocator = table->arena.allocator;
    uint32_t old_count = table->slot_count;
    uint32_t *old = table->slots;
    uint32_t *slots = berth__alloc_zero(allocator, (size_t)old_count * 2 * sizeof(uint32_t), 64);
    if (slots == NULL)
        return false;
    table->slots = slots;
    table->slot_count = old_count * 2;
    for (uint32_t id = 1; id < table->count; id++)
        slots[probe(table, table->texts[id])] = id;
    berth__free(allocator, old, old_count * sizeof(uint32_t));
    return true;
}

berth__sym berth__intern_add(berth__intern *table, berth_str text, bool *ok)
{
    if (text.data == NULL)
        return 0;
    uint32_t at = probe(table, text);
    if (table->slots[at] != 0)
        return table->slots[at];
    if (!berth__grow(table->arena.allocator, &table->texts, &table->capacity, table->count + 1,
                     sizeof(berth_str))) {
        *ok = false;
        return 0;
    }
    berth_str copy = berth__arena_str(&table->arena, text, ok);
    if (copy.data == NULL)
        return 0;
    uint32_t id = table->count;
    table->texts[id] = copy;
    table->slots[at] = id;
    table->count++;
    if (table->count > table->slot_count / 2 && !rehash(table)) {
        table->count--;
        table->slots[at] = 0;
        *ok = false;
        return 0;
    }
    return id;
}

berth__sym berth__intern_find(const berth__intern *table, berth_str text)
{
    return text.data == NULL ? 0 : table->slots[probe(table, text)];
}
