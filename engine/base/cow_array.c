/* Copy-on-write arrays: pages under directories under a root. Finds, adds, makes writable, compares
 * and retires. */
#include "base/cow_array.h"

#include <string.h>

#include "base/assert.h"

static size_t page_bytes(const berth__cow_array *table)
{
    return (size_t)table->item_bytes << table->page_shift;
}

static size_t root_bytes(uint32_t directory_count)
{
    return directory_count * sizeof(berth__cow_directory *);
}

void *berth__cow_array_find(const berth__cow_array *table, uint32_t index)
{
    uint32_t page = index >> table->page_shift;
    uint32_t at = page >> BERTH__DIRECTORY_SHIFT;
    if (at >= table->directory_count || table->directories[at] == NULL)
        return NULL;
    char *items = table->directories[at]->pages[page % BERTH__DIRECTORY];
    return items == NULL
               ? NULL
               : items + (size_t)(index & ((1u << table->page_shift) - 1)) * table->item_bytes;
}

/* Make the root writable, with at least `count` directories. */
static bool make_root_writable(berth__cow_array *table, berth__cow_owner *cow, uint32_t count)
{
    if (table->directory_count >= count && table->root_stamp == cow->stamp)
        return true;
    uint32_t old_count = table->directory_count, grown = old_count;
    if (grown < count)
        grown = old_count * 2 > count ? old_count * 2 : count;
    if (!berth__cow_owner_reserve(cow, 2))
        return false;
    berth__cow_directory **root = berth__alloc_zero(cow->allocator, root_bytes(grown), 64);
    if (root == NULL)
        return false;
    if (old_count > 0)
        memcpy(root, table->directories, root_bytes(old_count));
    berth__cow_owner_note_made(cow, berth__release_block, root, root_bytes(grown));
    berth__cow_owner_retire(cow, table->root_stamp, berth__release_block, table->directories,
                            root_bytes(old_count));
    table->directories = root;
    table->directory_count = grown;
    table->root_stamp = cow->stamp;
    return true;
}

/* Make a directory of a writable root writable. */
static bool make_directory_writable(berth__cow_array *table, berth__cow_owner *cow, uint32_t at)
{
    berth__cow_directory *old = table->directories[at];
    if (old != NULL && old->stamp == cow->stamp)
        return true;
    if (!berth__cow_owner_reserve(cow, 2))
        return false;
    berth__cow_directory *directory = berth__alloc_zero(cow->allocator, sizeof(*directory), 64);
    if (directory == NULL)
        return false;
    if (old != NULL)
        *directory = *old;
    directory->stamp = cow->stamp;
    berth__cow_owner_note_made(cow, berth__release_block, directory, sizeof(*directory));
    if (old != NULL)
        berth__cow_owner_retire(cow, old->stamp, berth__release_block, old, sizeof(*old));
    table->directories[at] = directory;
    return true;
}

static bool make_writable(berth__cow_array *table, berth__cow_owner *cow, uint32_t page, bool make)
{
    uint32_t at = page >> BERTH__DIRECTORY_SHIFT, in = page % BERTH__DIRECTORY;
    if (!make_root_writable(table, cow, at + 1) || !make_directory_writable(table, cow, at))
        return false;
    berth__cow_directory *directory = table->directories[at];
    char *old = directory->pages[in];
    BERTH_ASSERT(old != NULL || make);
    if (old != NULL && directory->stamps[in] == cow->stamp)
        return true;
    if (!berth__cow_owner_reserve(cow, 2))
        return false;
    char *items = berth__alloc(cow->allocator, page_bytes(table), 64);
    if (items == NULL)
        return false;
    if (old != NULL)
        memcpy(items, old, page_bytes(table));
    else
        memset(items, 0, page_bytes(table));
    berth__cow_owner_note_made(cow, berth__release_block, items, page_bytes(table));
    berth__cow_owner_retire(cow, directory->stamps[in], berth__release_block, old,
                            page_bytes(table));
    directory->pages[in] = items;
    directory->stamps[in] = cow->stamp;
    return true;
}

bool berth__cow_array_add(berth__cow_array *table, berth__cow_owner *cow, uint32_t index)
{
    if (!cow->shared && berth__cow_array_find(table, index) != NULL)
        return true;
    return make_writable(table, cow, index >> table->page_shift, true);
}

bool berth__cow_array_make_page_writable(berth__cow_array *table, berth__cow_owner *cow,
                                         uint32_t page)
{
    return make_writable(table, cow, page, false);
}

static berth__cow_directory *directory_at(const berth__cow_array *table, uint32_t at)
{
    return at < table->directory_count ? table->directories[at] : NULL;
}

void berth__cow_array_compare(const berth__cow_array *first, const berth__cow_array *second,
                              berth__page_visit *visit, void *context)
{
    uint32_t count = first->directory_count > second->directory_count ? first->directory_count
                                                                      : second->directory_count;
    if (first->directories == second->directories)
        return;
    for (uint32_t at = 0; at < count; at++) {
        const berth__cow_directory *a = directory_at(first, at), *b = directory_at(second, at);
        for (uint32_t in = 0; a != b && in < BERTH__DIRECTORY; in++) {
            char *items = a != NULL ? a->pages[in] : NULL;
            char *others = b != NULL ? b->pages[in] : NULL;
            if (items != others)
                visit(context, at << BERTH__DIRECTORY_SHIFT | in, items, others);
        }
    }
}

uint32_t berth__cow_array_blocks(const berth__cow_array *table)
{
    if (table->directories == NULL)
        return 0;
    uint32_t count = 1;
    for (uint32_t i = 0; i < table->directory_count; i++)
        if (table->directories[i] != NULL) {
            count++;
            for (uint32_t p = 0; p < BERTH__DIRECTORY; p++)
                count += table->directories[i]->pages[p] != NULL;
        }
    return count;
}

void berth__cow_array_retire(berth__cow_array *table, berth__cow_owner *cow)
{
    for (uint32_t i = 0; i < table->directory_count; i++) {
        berth__cow_directory *directory = table->directories[i];
        if (directory == NULL)
            continue;
        for (uint32_t p = 0; p < BERTH__DIRECTORY; p++)
            berth__cow_owner_retire(cow, directory->stamps[p], berth__release_block,
                                    directory->pages[p], page_bytes(table));
        berth__cow_owner_retire(cow, directory->stamp, berth__release_block, directory,
                                sizeof(*directory));
    }
    berth__cow_owner_retire(cow, table->root_stamp, berth__release_block, table->directories,
                            root_bytes(table->directory_count));
    uint32_t item_bytes = table->item_bytes, page_shift = table->page_shift;
    berth__cow_array_init(table, item_bytes, page_shift);
}
