/* A binary heap of queue items; each item stores its position. */
#ifndef BERTH_QUEUE_ITEM_HEAP_H
#define BERTH_QUEUE_ITEM_HEAP_H

#include "base/memory.h"
#include "queue/queue_item.h"

typedef struct berth__item_heap {
    const berth_allocator *allocator;
    /* A strict order. */
    bool (*before)(const berth__queue_item *a, const berth__queue_item *b);
    berth__queue_item **items;
    uint32_t count;
    uint32_t capacity;
} berth__item_heap;

void berth__item_heap_init(berth__item_heap *heap, const berth_allocator *allocator,
                           bool (*before)(const berth__queue_item *a, const berth__queue_item *b));
void berth__item_heap_destroy(berth__item_heap *heap);

/* Reserve room for `count` items. Returns false when out of memory. */
bool berth__item_heap_reserve(berth__item_heap *heap, uint32_t count);

/* Add an item, for which there must be room. Remove an item of the heap. Cost: O(log n). */
void berth__item_heap_add(berth__item_heap *heap, berth__queue_item *item);
void berth__item_heap_remove(berth__item_heap *heap, berth__queue_item *item);

/* The first item, or NULL. */
static inline berth__queue_item *berth__item_heap_first(const berth__item_heap *heap)
{
    return heap->count > 0 ? heap->items[0] : NULL;
}

/* Whether every item is at its recorded place and comes after its parent. */
bool berth__item_heap_check(const berth__item_heap *heap);

#endif
