/* Binary min-heap of queue items; each item stores its position. */
#include "queue/item_heap.h"

#include "base/assert.h"

void berth__item_heap_init(berth__item_heap *heap, const berth_allocator *allocator,
                           bool (*before)(const berth__queue_item *a, const berth__queue_item *b))
{
    *heap = (berth__item_heap){.allocator = allocator, .before = before};
}

void berth__item_heap_destroy(berth__item_heap *heap)
{
    berth__free(heap->allocator, heap->items, heap->capacity * sizeof(*heap->items));
    *heap = (berth__item_heap){0};
}

bool berth__item_heap_reserve(berth__item_heap *heap, uint32_t count)
{
    return berth__grow(heap->allocator, &heap->items, &heap->capacity, count, sizeof(*heap->items));
}

static void put(berth__item_heap *heap, uint32_t at, berth__queue_item *item)
{
    heap->items[at] = item;
    item->heap_at = at;
}

static void sift_up(berth__item_heap *heap, uint32_t at, berth__queue_item *item)
{
    for (; at > 0; at = (at - 1) / 2) {
        berth__queue_item *parent = heap->items[(at - 1) / 2];
        if (!heap->before(item, parent))
            break;
        put(heap, at, parent);
    }
    put(heap, at, item);
}

static void sift_down(berth__item_heap *heap, uint32_t at, berth__queue_item *item)
{
    for (uint32_t child; (child = 2 * at + 1) < heap->count; at = child) {
        if (child + 1 < heap->count && heap->before(heap->items[child + 1], heap->items[child]))
            child++;
        if (!heap->before(heap->items[child], item))
            break;
        put(heap, at, heap->items[child]);
    }
    put(heap, at, item);
}

void berth__item_heap_add(berth__item_heap *heap, berth__queue_item *item)
{
    BERTH_ASSERT(heap->count < heap->capacity);
    sift_up(heap, heap->count++, item);
}

void berth__item_heap_remove(berth__item_heap *heap, berth__queue_item *item)
{
    uint32_t at = item->heap_at;
    BERTH_ASSERT(at < heap->count && heap->items[at] == item);
    berth__queue_item *last = heap->items[--heap->count];
    if (last == item)
        return;
    if (at > 0 && heap->before(last, heap->items[(at - 1) / 2]))
        sift_up(heap, at, last);
    else
        sift_down(heap, at, last);
}

bool berth__item_heap_check(const berth__item_heap *heap)
{
    for (uint32_t i = 0; i < heap->count; i++)
        if (heap->items[i]->heap_at != i ||
            (i > 0 && heap->before(heap->items[i], heap->items[(i - 1) / 2])))
            return false;
    return true;
}
