/* A binary heap of queue items that knows where each of them is. */
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

/* Room for so many items. Returns false when out of memory. */
bool berth__item_heap_reserve(berth__item_heap *heap, uint32_t count);

/* Add an item; there is room. Remove one that is there. Cost: O(log n). */
void berth__item_heap_add(berth__item_heap *heap, berth__queue_item *item);
void berth__item_heap_remove(berth__item_heap *heap, berth__queue_item *item);

/* The first item, or NULL. */
static inline berth__queue_item *berth__item_heap_first(const berth__item_heap *heap)
{
    return heap->count > 0 ? heap->items[0] : NULL;
}

/* Whether every item is where it says and comes after its parent. */
bool berth__item_heap_check(const berth__item_heap *heap);

#endif
