/* Compares, names and numbers borrowed texts. */
#include "cli/words.h"

#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"

berth_str words_of(const char *text)
{
    return (berth_str){text, (uint32_t)strlen(text)};
}

bool words_equal(berth_str a, berth_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

int words_compare(berth_str a, berth_str b)
{
    uint32_t len = a.len < b.len ? a.len : b.len;
    int order = len > 0 ? memcmp(a.data, b.data, len) : 0;
    if (order != 0)
        return order;
    return a.len < b.len ? -1 : a.len > b.len;
}

/* FNV-1a. */
uint64_t words_hash(berth_str text)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (uint32_t i = 0; i < text.len; i++)
        h = (h ^ (unsigned char)text.data[i]) * UINT64_C(0x100000001b3);
    return h;
}

berth_str word_table_get(const word_table *table, uint32_t number)
{
    return (berth_str){table->words[number].text, table->words[number].len};
}

static uint32_t *find_slot(const word_table *table, berth_str text)
{
    size_t mask = table->slot_count - 1;
    size_t at = (size_t)words_hash(text) & mask;
    while (table->slots[at] != 0 && !words_equal(word_table_get(table, table->slots[at] - 1), text))
        at = (at + 1) & mask;
    return &table->slots[at];
}

static void grow(word_table *table)
{
    table->slot_count = table->slot_count == 0 ? 64 : table->slot_count * 2;
    free(table->slots);
    table->slots = heap_new(table->slot_count, sizeof(*table->slots));
    for (size_t i = 0; i < table->count; i++)
        *find_slot(table, word_table_get(table, (uint32_t)i)) = (uint32_t)i + 1;
}

uint32_t word_table_add(word_table *table, berth_str text)
{
    if ((table->count + 1) * 2 > table->slot_count)
        grow(table);
    uint32_t *slot = find_slot(table, text);
    if (*slot != 0)
        return *slot - 1;
    char *copy = heap_new((size_t)text.len + 1, 1);
    if (text.len > 0)
        memcpy(copy, text.data, text.len);
    table->words =
        heap_grow(table->words, &table->capacity, table->count + 1, sizeof(*table->words));
    table->words[table->count] = (word){copy, text.len};
    *slot = (uint32_t)++table->count;
    return *slot - 1;
}

bool word_table_find(const word_table *table, berth_str text, uint32_t *number)
{
    const uint32_t *slot = table->slot_count > 0 ? find_slot(table, text) : NULL;
    if (slot == NULL || *slot == 0)
        return false;
    *number = *slot - 1;
    return true;
}

void word_table_free(word_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        free(table->words[i].text);
    free(table->words);
    free(table->slots);
    *table = (word_table){0};
}
