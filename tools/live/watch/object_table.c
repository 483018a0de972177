/* Linear probing. A removal leaves no tombstone: later entries move up. */
#include "live/watch/object_table.h"

#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"

static size_t place_of(const object_table *table, berth_str space, berth_str name)
{
    uint64_t hash = 0xcbf29ce484222325U;
    for (uint32_t i = 0; i < space.len; i++)
        hash = (hash ^ (unsigned char)space.data[i]) * 0x100000001b3U;
    hash = (hash ^ '/') * 0x100000001b3U;
    for (uint32_t i = 0; i < name.len; i++)
        hash = (hash ^ (unsigned char)name.data[i]) * 0x100000001b3U;
    hash ^= hash >> 32;
    return (size_t)hash & (table->capacity - 1);
}

static size_t place_of_entry(const object_table *table, const object_entry *entry)
{
    return place_of(table, object_entry_namespace(entry), object_entry_name(entry));
}

static bool is_same(berth_str a, berth_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

object_entry *object_table_find(const object_table *table, berth_str namespace_name, berth_str name)
{
    if (table->count == 0)
        return NULL;
    size_t at = place_of(table, namespace_name, name);
    for (; table->slots[at] != NULL; at = (at + 1) & (table->capacity - 1)) {
        object_entry *entry = table->slots[at];
        if (is_same(object_entry_name(entry), name) &&
            is_same(object_entry_namespace(entry), namespace_name))
            return entry;
    }
    return NULL;
}

static void put(object_table *table, object_entry *entry)
{
    size_t at = place_of_entry(table, entry);
    while (table->slots[at] != NULL)
        at = (at + 1) & (table->capacity - 1);
    table->slots[at] = entry;
}

static void grow(object_table *table)
{
    object_entry **old = table->slots;
    size_t capacity = table->capacity;
    table->capacity = capacity > 0 ? capacity * 2 : 64;
    table->slots = heap_new(table->capacity, sizeof(*table->slots));
    for (size_t i = 0; i < capacity; i++)
        if (old[i] != NULL)
            put(table, old[i]);
    free(old);
}

object_entry *object_table_add(object_table *table, berth_str namespace_name, berth_str name,
                               berth_str uid)
{
    if (table->count * 4 >= table->capacity * 3)
        grow(table);
    object_entry *entry = heap_new(1, sizeof(*entry) + namespace_name.len + name.len + uid.len);
    entry->namespace_bytes = (uint16_t)namespace_name.len;
    entry->name_bytes = (uint16_t)name.len;
    entry->uid_bytes = (uint16_t)uid.len;
    char *at = entry->texts;
    const berth_str texts[] = {namespace_name, name, uid};
    for (size_t i = 0; i < 3; i++) {
        if (texts[i].len > 0)
            memcpy(at, texts[i].data, texts[i].len);
        at += texts[i].len;
    }
    put(table, entry);
    table->count++;
    return entry;
}

static void entry_free(object_entry *entry)
{
    free(entry->scheduled);
    free(entry->nominated);
    free(entry);
}

void object_table_remove(object_table *table, object_entry *entry)
{
    size_t mask = table->capacity - 1, hole = place_of_entry(table, entry);
    while (table->slots[hole] != entry)
        hole = (hole + 1) & mask;
    for (size_t at = (hole + 1) & mask; table->slots[at] != NULL; at = (at + 1) & mask) {
        size_t wanted = place_of_entry(table, table->slots[at]);
        /* It may move into the hole unless its own place lies behind the hole. */
        if (((at - wanted) & mask) >= ((at - hole) & mask)) {
            table->slots[hole] = table->slots[at];
            hole = at;
        }
    }
    table->slots[hole] = NULL;
    table->count--;
    entry_free(entry);
}

/* A removal moves entries up, so its slot is checked again. An entry that wraps around the end has
 * been checked before or will be. */
object_entry *object_table_unmarked(const object_table *table, uint32_t mark, size_t *from)
{
    for (; *from < table->capacity; ++*from)
        if (table->slots[*from] != NULL && table->slots[*from]->mark != mark)
            return table->slots[*from];
    return NULL;
}

void object_table_free(object_table *table)
{
    for (size_t i = 0; i < table->capacity; i++)
        if (table->slots[i] != NULL)
            entry_free(table->slots[i]);
    free(table->slots);
    *table = (object_table){0};
}
