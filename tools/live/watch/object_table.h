/* The objects of one kind that the server has shown: no object itself, but what tells one state of
 * it from another, and what its writes need. */
#ifndef BERTH_LIVE_OBJECT_TABLE_H
#define BERTH_LIVE_OBJECT_TABLE_H

#include <stdbool.h>

#include "berth/objects.h"

typedef struct object_entry {
    uint64_t version; /* metadata.resourceVersion */
    uint64_t hash;    /* of the fields that are read */
    uint64_t born;    /* number of the change that brought it: one decided before is not about it */
    uint64_t changed; /* of the last change: one decided before is not about it as it is */
    int64_t generation; /* metadata.generation */
    uint32_t mark;      /* the last list that it was in */
    bool posted;        /* false: it could not be read, the engine does not know it */
    bool bound;         /* of a pod: it has a node */
    uint16_t namespace_bytes, name_bytes, uid_bytes;
    char *scheduled; /* of a pod without a node: its condition PodScheduled, JSON; NULL: none */
    char *nominated; /* likewise, status.nominatedNodeName; NULL: none */
    char texts[];    /* namespace, name, uid: one behind the other */
} object_entry;

static inline berth_str object_entry_namespace(const object_entry *entry)
{
    return (berth_str){entry->texts, entry->namespace_bytes};
}

static inline berth_str object_entry_name(const object_entry *entry)
{
    return (berth_str){entry->texts + entry->namespace_bytes, entry->name_bytes};
}

static inline berth_str object_entry_uid(const object_entry *entry)
{
    return (berth_str){entry->texts + entry->namespace_bytes + entry->name_bytes, entry->uid_bytes};
}

/* Zeroed: empty. */
typedef struct object_table {
    object_entry **slots; /* open addressing, a power of two; NULL: free */
    size_t capacity, count;
} object_table;

object_entry *object_table_find(const object_table *table, berth_str namespace_name,
                                berth_str name);

/* A new entry, of one that is not there yet. Owner: the table's. */
object_entry *object_table_add(object_table *table, berth_str namespace_name, berth_str name,
                               berth_str uid);

void object_table_remove(object_table *table, object_entry *entry);

/* An entry whose mark is another one; NULL: there is none. `*from` is where the search goes on: 0
 * at first. An entry may be removed in between. */
object_entry *object_table_unmarked(const object_table *table, uint32_t mark, size_t *from);

void object_table_free(object_table *table);

#endif
