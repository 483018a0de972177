/* Events posted from any thread, in the order in which their posts took effect. The protocol is in
 * berth/scheduler.h (POST-1, POST-2).
 *
 * The list is a stack that grows by compare-and-swap of its head. The taker swaps the head for an
 * empty one and reverses the list that it got. There is no ABA problem: the taker takes all events
 * at once, so a head never comes back while another thread holds it, and no event is reused. */
#ifndef BERTH_QUEUE_POSTED_EVENTS_H
#define BERTH_QUEUE_POSTED_EVENTS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/arena.h"
#include "berth/scheduler.h"

typedef enum berth__posted_kind {
    BERTH__POSTED_ADD,
    BERTH__POSTED_UPDATE,
    BERTH__POSTED_REMOVE,
    BERTH__POSTED_ANSWER,
    BERTH__POSTED_STAYS,
} berth__posted_kind;

typedef struct berth__posted {
    struct berth__posted *next; /* older while posted, newer once taken; sync: POST-1 */
    berth__posted_kind kind;
    berth_object object; /* ADD, UPDATE: a copy; REMOVE: its kind */
    berth_str namespace_name, name;
    berth_binding_id binding;
    berth_answer answer;
    berth_pod_id victim; /* STAYS */
    berth__arena arena;  /* the copy, and texts */
} berth__posted;

typedef struct berth__posted_events {
    const berth_allocator *allocator;
    _Alignas(64) _Atomic(berth__posted *) head; /* newest first; sync: atomic, POST-1 */
    _Alignas(64) berth__posted *taken;          /* oldest first; sync: the scheduling thread's */
} berth__posted_events;

void berth__posted_events_init(berth__posted_events *events, const berth_allocator *allocator);
void berth__posted_events_destroy(berth__posted_events *events);

/* A new event of that kind, to be filled and posted; NULL when out of memory. Threads: any. */
berth__posted *berth__posted_make(const berth_allocator *allocator, berth__posted_kind kind);
void berth__posted_free(const berth_allocator *allocator, berth__posted *event);

/* Post the event. Returns whether the list was empty before. Threads: any. Progress: lock-free. */
bool berth__posted_events_post(berth__posted_events *events, berth__posted *event);

/* The oldest event, which stays in the list until it is dropped; NULL: there is none.
 * Threads: the scheduling thread. */
berth__posted *berth__posted_events_first(berth__posted_events *events);
void berth__posted_events_drop(berth__posted_events *events);

#endif
