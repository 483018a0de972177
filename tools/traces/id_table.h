/* Map from 64-bit ids to small numbers: open addressing, one cache line per lookup. */
#ifndef BERTH_TOOLS_ID_TABLE_H
#define BERTH_TOOLS_ID_TABLE_H

#include <stddef.h>
#include <stdint.h>

#define ID_TABLE_NONE UINT32_MAX

typedef struct id_entry {
    uint64_t id;
    uint32_t number; /* ID_TABLE_NONE: free */
} id_entry;

/* Zeroed: empty. */
typedef struct id_table {
    id_entry *entries;
    size_t count;
    size_t size; /* power of two, or 0 */
} id_table;

/* Add an id that is not in the table. */
void id_table_add(id_table *table, uint64_t id, uint32_t number);
/* The number of an id, or ID_TABLE_NONE. */
uint32_t id_table_find(const id_table *table, uint64_t id);
/* Remove an id that is in the table. */
void id_table_remove(id_table *table, uint64_t id);
void id_table_free(id_table *table);

#endif
