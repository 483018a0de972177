/* The table of attached volumes. */
#include "columns/attached_volumes.h"

#include "base/assert.h"
#include "base/hash.h"

enum { CAPACITY_MIN = 16 };

void berth__attached_volumes_destroy(berth__attached_volumes *table,
                                     const berth_allocator *allocator)
{
    berth__free(allocator, table->places, table->capacity * sizeof(*table->places));
    *table = (berth__attached_volumes){0};
}

static uint32_t home_of(const berth__attached_volumes *table, berth__attachment attachment)
{
    return (uint32_t)berth__hash_word(attachment) & (table->capacity - 1);
}

/* The place of an attachment, or the free one where it would be. */
static uint32_t place_of(const berth__attached_volumes *table, berth__attachment attachment)
{
    uint32_t at = home_of(table, attachment);
    while (table->places[at].attachment != 0 && table->places[at].attachment != attachment)
        at = (at + 1) & (table->capacity - 1);
    return at;
}

bool berth__attached_volumes_reserve(berth__attached_volumes *table,
                                     const berth_allocator *allocator, uint32_t more)
{
    const uint64_t need = (uint64_t)table->count + more;
    uint64_t capacity = table->capacity > 0 ? table->capacity : CAPACITY_MIN;
    while (need * 4 > capacity * 3)
        capacity *= 2;
    if (capacity == table->capacity)
        return true;
    if (capacity > UINT32_MAX)
        return false;
    berth__attached_volumes grown = {
        .places = berth__alloc_zero(allocator, capacity * sizeof(*grown.places), 64),
        .count = table->count,
        .capacity = (uint32_t)capacity};
    if (grown.places == NULL)
        return false;
    for (uint32_t i = 0; i < table->capacity; i++)
        if (table->places[i].attachment != 0)
            grown.places[place_of(&grown, table->places[i].attachment)] = table->places[i];
    berth__attached_volumes_destroy(table, allocator);
    *table = grown;
    return true;
}

void berth__attached_volumes_add(berth__attached_volumes *table, berth__attachment attachment)
{
    berth__attached_nodes *place = &table->places[place_of(table, attachment)];
    if (place->attachment == 0) {
        table->count++;
        BERTH_ASSERT((uint64_t)table->count * 4 <= (uint64_t)table->capacity * 3);
        place->attachment = attachment;
    }
    place->nodes++;
}

/* Free a place, and move up what stands behind it because it was taken. */
static void free_place(berth__attached_volumes *table, uint32_t gap)
{
    const uint32_t mask = table->capacity - 1;
    for (uint32_t at = (gap + 1) & mask; table->places[at].attachment != 0; at = (at + 1) & mask) {
        const uint32_t home = home_of(table, table->places[at].attachment);
        if (((at - home) & mask) < ((at - gap) & mask))
            continue;
        table->places[gap] = table->places[at];
        gap = at;
    }
    table->places[gap] = (berth__attached_nodes){0};
    table->count--;
}

void berth__attached_volumes_remove(berth__attached_volumes *table, berth__attachment attachment)
{
    const uint32_t at = place_of(table, attachment);
    BERTH_ASSERT(table->places[at].nodes > 0);
    if (--table->places[at].nodes == 0)
        free_place(table, at);
}

uint32_t berth__attached_volumes_nodes(const berth__attached_volumes *table,
                                       berth__attachment attachment)
{
    return table->capacity > 0 ? table->places[place_of(table, attachment)].nodes : 0;
}
