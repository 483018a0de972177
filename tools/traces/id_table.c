/* Hash table from 64-bit ids to small numbers, with linear probing. A removal moves later entries
 * back, so there are no tombstones. */
#include "traces/id_table.h"

#include <assert.h>
#include <stdlib.h>

#include "cli/heap.h"

static size_t home(const id_table *table, uint64_t id)
{
    return (size_t)(id * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (table->size - 1);
}

static size_t find(const id_table *table, uint64_t id)
{
    size_t at = home(table, id);
    while (table->entries[at].number != ID_TABLE_NONE && table->entries[at].id != id)
        at = (at + 1) & (table->size - 1);
    return at;
}

static void grow(id_table *table)
{
    id_table larger = {.size = table->size > 0 ? table->size * 2 : 64, .count = table->count};
    larger.entries = heap_new(larger.size, sizeof(*larger.entries));
    for (size_t i = 0; i < larger.size; i++)
        larger.entries[i].number = ID_TABLE_NONE;
    for (size_t i = 0; i < table->size; i++)
        if (table->entries[i].number != ID_TABLE_NONE)
            larger.entries[find(&larger, table->entries[i].id)] = table->entries[i];
    free(table->entries);
    *table = larger;
}

void id_table_add(id_table *table, uint64_t id, uint32_t number)
{
    if ((table->count + 1) * 2 > table->size)
        grow(table);
    size_t at = find(table, id);
    assert(table->entries[at].number == ID_TABLE_NONE && number != ID_TABLE_NONE);
    table->entries[at] = (id_entry){id, number};
    table->count++;
}

uint32_t id_table_find(const id_table *table, uint64_t id)
{
    return table->size > 0 ? table->entries[find(table, id)].number : ID_TABLE_NONE;
}

void id_table_remove(id_table *table, uint64_t id)
{
    size_t mask = table->size - 1;
    size_t hole = find(table, id);
    assert(table->entries[hole].number != ID_TABLE_NONE);
    for (size_t at = (hole + 1) & mask; table->entries[at].number != ID_TABLE_NONE;
         at = (at + 1) & mask) {
        /* An entry may fill the hole unless its home lies behind it. */
        if (((at - home(table, table->entries[at].id)) & mask) < ((at - hole) & mask))
            continue;
        table->entries[hole] = table->entries[at];
        hole = at;
    }
    table->entries[hole].number = ID_TABLE_NONE;
    table->count--;
}

void id_table_free(id_table *table)
{
    free(table->entries);
    *table = (id_table){0};
}
