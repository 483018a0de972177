/* Lock-free list of events, between the threads that post them and the scheduling thread. */
#include "queue/posted_events.h"

void berth__posted_events_init(berth__posted_events *events, const berth_allocator *allocator)
{
    events->allocator = allocator;
    events->taken = NULL;
    atomic_init(&events->head, NULL);
}

void berth__posted_events_destroy(berth__posted_events *events)
{
    while (berth__posted_events_first(events) != NULL)
        berth__posted_events_drop(events);
}

berth__posted *berth__posted_make(const berth_allocator *allocator, berth__posted_kind kind)
{
    enum { FIRST_BYTES = 1024 }; /* most pods */
    berth__posted *event = berth__alloc_zero(allocator, sizeof(*event), _Alignof(berth__posted));
    if (event == NULL)
        return NULL;
    event->kind = kind;
    berth__arena_init_sized(&event->arena, allocator, FIRST_BYTES);
    return event;
}

void berth__posted_free(const berth_allocator *allocator, berth__posted *event)
{
    if (event == NULL)
        return;
    berth__arena_destroy(&event->arena);
    berth__free(allocator, event, sizeof(*event));
}

bool berth__posted_events_post(berth__posted_events *events, berth__posted *event)
{
    /* Relaxed: the value is only a guess for the exchange below, and the pointer is not
     * followed. */
    berth__posted *newest = atomic_load_explicit(&events->head, memory_order_relaxed);
    do {
        event->next = newest;
        /* POST-1, release: the thread that takes the head sees the whole event. An event below was
         * released by its own poster; this read-modify-write continues that release sequence. */
    } while (!atomic_compare_exchange_weak_explicit(&events->head, &newest, event,
                                                    memory_order_release, memory_order_relaxed));
    return newest == NULL;
}

static berth__posted *turn_around(berth__posted *newest)
{
    berth__posted *oldest = NULL;
    while (newest != NULL) {
        berth__posted *older = newest->next;
        newest->next = oldest;
        oldest = newest;
        newest = older;
    }
    return oldest;
}

berth__posted *berth__posted_events_first(berth__posted_events *events)
{
    if (events->taken == NULL &&
        /* Relaxed: the next call finds events missed here; the exchange decides. */
        atomic_load_explicit(&events->head, memory_order_relaxed) != NULL)
        events->taken = turn_around(
            atomic_exchange_explicit(&events->head, NULL, memory_order_acquire)); /* POST-1 */
    return events->taken;
}

void berth__posted_events_drop(berth__posted_events *events)
{
    berth__posted *event = events->taken;
    events->taken = event->next;
    berth__posted_free(events->allocator, event);
}
