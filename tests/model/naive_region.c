/* Memory of the naive scheduler: malloc blocks in a list, freed together. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "naive.h"

struct naive_block {
    struct naive_block *next;
    _Alignas(16) char bytes[];
};

void *naive_alloc(naive_region *region, size_t bytes)
{
    struct naive_block *block = calloc(1, sizeof(*block) + bytes);
    if (block == NULL) {
        fputs("out of memory\n", stderr);
        exit(3);
    }
    block->next = region->blocks;
    region->blocks = block;
    return block->bytes;
}

void *naive_grow(naive_region *region, void *items, size_t count, size_t item_bytes)
{
    /* The capacity is always a power of two, so it is used up exactly when the count is one. */
    if ((count & (count - 1)) != 0) {
        return items;
    }
    void *more = naive_alloc(region, (count == 0 ? 1 : 2 * count) * item_bytes);
    if (count > 0) {
        memcpy(more, items, count * item_bytes);
    }
    return more;
}

char *naive_print(naive_region *region, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    va_list again;
    va_copy(again, args);
    int length = vsnprintf(NULL, 0, format, args);
    char *text = naive_alloc(region, (size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(args);
    return text;
}

void naive_region_free(naive_region *region)
{
    while (region->blocks != NULL) {
        struct naive_block *next = region->blocks->next;
        free(region->blocks);
        region->blocks = next;
    }
}
