/* From 64-bit ids to small numbers: open addressing, a lookup a cache line. */
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

/* Put in an id that is not there. */
void id_table_add(id_table *table, uint64_t id, uint32_t number);
/* Its number, or ID_TABLE_NONE. */
uint32_t id_table_find(const id_table *table, uint64_t id);
/* Take out an id that is there. */
void id_table_remove(id_table *table, uint64_t id);
void id_table_free(id_table *table);

#endif
