/* Copy-on-write arrays: arrays of any length whose pages are shared by snapshots and branches and
 * copied on write.
 *
 * A root points to directories, and a directory to pages. Copying the struct creates another view
 * of the same table. cow_owner.h says who may write and when blocks are freed. Pages that were
 * never added read as absent.
 *
 * Cost: a look-up is three loads. Making an item writable takes two compares if it is writable
 * already. */
#ifndef BERTH_BASE_COW_ARRAY_H
#define BERTH_BASE_COW_ARRAY_H

#include "base/cow_owner.h"

enum { BERTH__DIRECTORY_SHIFT = 8, BERTH__DIRECTORY = 1 << BERTH__DIRECTORY_SHIFT };

typedef struct berth__cow_directory {
    uint64_t stamp;
    char *pages[BERTH__DIRECTORY];
    uint64_t stamps[BERTH__DIRECTORY]; /* of the pages */
} berth__cow_directory;

typedef struct berth__cow_array {
    berth__cow_directory **directories; /* the root */
    uint64_t root_stamp;
    uint32_t directory_count; /* capacity of the root */
    uint32_t item_bytes;
    uint32_t page_shift; /* a page has 1 << page_shift items */
} berth__cow_array;

static inline void berth__cow_array_init(berth__cow_array *table, uint32_t item_bytes,
                                         uint32_t page_shift)
{
    *table = (berth__cow_array){.item_bytes = item_bytes, .page_shift = page_shift};
}

/* The item at an index whose page exists. `bytes` and `shift` are the table's, passed as
 * constants. */
static inline void *berth__cow_array_item(const berth__cow_array *table, uint32_t index,
                                          size_t bytes, uint32_t shift)
{
    uint32_t page = index >> shift;
    return table->directories[page >> BERTH__DIRECTORY_SHIFT]->pages[page % BERTH__DIRECTORY] +
           (index & ((1u << shift) - 1)) * bytes;
}

/* The same for any index. NULL if there is no page. */
void *berth__cow_array_find(const berth__cow_array *table, uint32_t index);

/* Add the page of an index, zeroed, if it does not exist, and make it writable. Returns false when
 * out of memory. */
bool berth__cow_array_add(berth__cow_array *table, berth__cow_owner *cow, uint32_t index);

/* Make an existing page writable. Returns false when out of memory; nothing has changed then. */
bool berth__cow_array_make_page_writable(berth__cow_array *table, berth__cow_owner *cow,
                                         uint32_t page);
static inline bool berth__cow_array_make_writable(berth__cow_array *table, berth__cow_owner *cow,
                                                  uint32_t index)
{
    uint32_t page = index >> table->page_shift;
    return !cow->shared ||
           table->directories[page >> BERTH__DIRECTORY_SHIFT]->stamps[page % BERTH__DIRECTORY] ==
               cow->stamp ||
           berth__cow_array_make_page_writable(table, cow, page);
}

/* Call `visit` for each page that two tables of one kind do not share. A page that a table lacks is
 * passed as NULL. Cost: the pages that differ, and a compare for each directory. */
typedef void berth__page_visit(void *context, uint32_t page, void *first, void *second);
void berth__cow_array_compare(const berth__cow_array *first, const berth__cow_array *second,
                              berth__page_visit *visit, void *context);

/* How many blocks the array has: its owner needs room for as many notes before it retires them. */
uint32_t berth__cow_array_blocks(const berth__cow_array *table);
/* Retires all blocks and leaves the struct empty. */
void berth__cow_array_retire(berth__cow_array *table, berth__cow_owner *cow);

#endif
