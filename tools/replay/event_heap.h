/* Future events at known times: a heap of numbered events.
 *
 * Events come out by time; at equal times by rank, then in the order of insertion. So the order
 * depends only on what was inserted, never on the heap's layout. */
#ifndef BERTH_TOOLS_EVENT_HEAP_H
#define BERTH_TOOLS_EVENT_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct heap_event {
    int64_t time_ns;
    uint64_t order;   /* rank in the top 8 bits, then the number of the event */
    uint32_t subject; /* the caller's */
    uint32_t stamp;   /* the caller's: decides whether the event still counts */
} heap_event;

/* Zeroed: empty. */
typedef struct event_heap {
    heap_event *events; /* 4 children per event: [4i+1..4i+4] below [i] */
    size_t count;
    size_t capacity;
    uint64_t next_number;
} event_heap;

void event_heap_push(event_heap *heap, int64_t time_ns, uint8_t rank, uint32_t subject,
                     uint32_t stamp);

/* The first event; NULL if there is none. */
static inline const heap_event *event_heap_first(const event_heap *heap)
{
    return heap->count > 0 ? &heap->events[0] : NULL;
}

static inline uint8_t heap_event_rank(const heap_event *event)
{
    return (uint8_t)(event->order >> 56);
}

/* Remove and return the first event. There must be one. */
heap_event event_heap_pop(event_heap *heap);

void event_heap_free(event_heap *heap);

#endif
