/* The objects of one kind that the server has shown. Instead of the object, an entry holds what
 * distinguishes its states and what writes need. */
#ifndef BERTH_LIVE_OBJECT_TABLE_H
#define BERTH_LIVE_OBJECT_TABLE_H

#include <stdbool.h>

#include "berth/objects.h"

typedef struct object_entry {
    uint64_t version;   /* metadata.resourceVersion */
    uint64_t hash;      /* hash of the fields that are read */
    uint64_t born;      /* number of the change that brought it; earlier decisions are void */
    uint64_t changed;   /* number of the last change; earlier decisions are about an older state */
    int64_t generation; /* metadata.generation */
    uint32_t mark;      /* the last list that contained it */
    bool posted;        /* false: it could not be read, so the engine lacks it */
    bool bound;         /* of a pod: it has a node */
    uint16_t namespace_bytes, name_bytes, uid_bytes;
    /* The condition PodScheduled of a pod without a node, or PodGroupInitiallyScheduled of a
     * PodGroup, as JSON; NULL: none. */
    char *scheduled;
    char *nominated; /* of a pod without a node: status.nominatedNodeName; NULL: none */
    char texts[];    /* namespace, name, uid, one after the other */
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

/* Add an entry for an object that is not in the table. Owner: the table's. */
object_entry *object_table_add(object_table *table, berth_str namespace_name, berth_str name,
                               berth_str uid);

void object_table_remove(object_table *table, object_entry *entry);

/* Find an entry with a different mark; NULL: there is none. `*from` (0 at first) is where the
 * search continues. An entry may be removed in between. */
object_entry *object_table_unmarked(const object_table *table, uint32_t mark, size_t *from);

void object_table_free(object_table *table);

#endif
