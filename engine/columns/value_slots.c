/* Finds the slots that have a value of a label. */
#include "columns/value_slots.h"

#include <string.h>

#include "columns/tile.h"

/* Making a table costs about as much as so many look-ups that read the column. */
enum { MISSED_MAX = 8 };

void berth__value_slots_destroy(berth__value_slots *table)
{
    berth__free(table->allocator, table->first, table->first_capacity * sizeof(*table->first));
    berth__free(table->allocator, table->next, table->next_capacity * sizeof(*table->next));
    *table = (berth__value_slots){.allocator = table->allocator};
}

static uint32_t place_of(const berth__value_slots *table, berth__sym value)
{
    return value * UINT32_C(2654435769) >> (32 - table->bits);
}

/* Slots without the label are left out. */
static bool make(berth__value_slots *table, const berth__layout *layout, const berth__sym *column)
{
    table->bits = 1;
    while (UINT32_C(1) << table->bits < 2 * layout->count && table->bits < 31)
        table->bits++;
    const uint32_t places = UINT32_C(1) << table->bits;
    if (!berth__grow(table->allocator, &table->first, &table->first_capacity, places,
                     sizeof(*table->first)) ||
        !berth__grow(table->allocator, &table->next, &table->next_capacity, layout->count,
                     sizeof(*table->next)))
        return false;
    memset(table->first, 0, places * sizeof(*table->first));
    for (uint32_t slot = 0; slot < layout->count; slot++) {
        if (column[slot] == 0)
            continue;
        uint32_t *first = &table->first[place_of(table, column[slot])];
        table->next[slot] = *first;
        *first = slot + 1;
    }
    return true;
}

static uint32_t read_column(const berth__layout *layout, const berth__sym *column, berth__sym value,
                            uint32_t *slots, uint32_t room)
{
    uint32_t count = 0;
    for (uint32_t first = 0; first < layout->count; first += BERTH__TILE) {
        const uint32_t rest = layout->count - first, run = rest < BERTH__TILE ? rest : BERTH__TILE;
        uint32_t equal = 0;
        for (uint32_t i = 0; i < run; i++)
            equal += column[first + i] == value;
        if (count + equal > room)
            return room + 1;
        for (uint32_t i = 0; i < run && equal > 0; i++)
            if (column[first + i] == value)
                slots[count++] = first + i;
    }
    return count;
}

static uint32_t read_chain(const berth__value_slots *table, const berth__sym *column,
                           berth__sym value, uint32_t *slots, uint32_t room)
{
    uint32_t count = 0;
    for (uint32_t at = table->first[place_of(table, value)]; at != 0; at = table->next[at - 1]) {
        if (column[at - 1] != value)
            continue;
        if (count == room)
            return room + 1;
        slots[count++] = at - 1;
    }
    return count;
}

uint32_t berth__value_slots_find(berth__value_slots *table, const berth__layout *layout,
                                 berth__sym label, const berth__sym *column, berth__sym value,
                                 uint32_t *slots, uint32_t room)
{
    if (table->label != label || table->epoch != layout->label_epoch) {
        table->label = label;
        table->epoch = layout->label_epoch;
        table->missed = 0;
        table->made = false;
    }
    if (!table->made && table->missed++ >= MISSED_MAX)
        table->made = make(table, layout, column);
    return table->made ? read_chain(table, column, value, slots, room)
                       : read_column(layout, column, value, slots, room);
}
