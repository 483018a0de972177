/* Four-ary min-heap over the events of a replay. It is half as deep as a binary heap, and the
 * children of an event share one or two cache lines. */
#include "replay/event_heap.h"

#include <assert.h>
#include <stdlib.h>

#include "cli/heap.h"

enum { CHILDREN = 4 };

static bool before(const heap_event *a, const heap_event *b)
{
    return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->order < b->order;
}

void event_heap_push(event_heap *heap, int64_t time_ns, uint8_t rank, uint32_t subject,
                     uint32_t stamp)
{
    heap->events = heap_grow(heap->events, &heap->capacity, heap->count + 1, sizeof(*heap->events));
    const heap_event event = {time_ns, (uint64_t)rank << 56 | heap->next_number++, subject, stamp};
    size_t at = heap->count++;
    while (at > 0 && before(&event, &heap->events[(at - 1) / CHILDREN])) {
        heap->events[at] = heap->events[(at - 1) / CHILDREN];
        at = (at - 1) / CHILDREN;
    }
    heap->events[at] = event;
}

heap_event event_heap_pop(event_heap *heap)
{
    assert(heap->count > 0);
    const heap_event first = heap->events[0];
    const heap_event last = heap->events[--heap->count];
    size_t at = 0;
    for (;;) {
        size_t child = at * CHILDREN + 1;
        size_t stop = child + CHILDREN < heap->count ? child + CHILDREN : heap->count;
        size_t least = child;
        if (child >= heap->count)
            break;
        for (child++; child < stop; child++)
            if (before(&heap->events[child], &heap->events[least]))
                least = child;
        if (!before(&heap->events[least], &last))
            break;
        heap->events[at] = heap->events[least];
        at = least;
    }
    if (heap->count > 0)
        heap->events[at] = last;
    return first;
}

void event_heap_free(event_heap *heap)
{
    free(heap->events);
    *heap = (event_heap){0};
}
