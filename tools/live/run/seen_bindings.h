/* Restores the order in which another scheduler decided its bindings. It binds many pods at a time,
 * so the binding that is seen first was not always decided first. Bindings are held for a moment;
 * then the pod that its queue had first comes first: by priority, then by arrival.
 *
 * Threads: the deciding thread's. */
#ifndef BERTH_LIVE_SEEN_BINDINGS_H
#define BERTH_LIVE_SEEN_BINDINGS_H

#include "live/run/inbox.h"

typedef struct seen_binding {
    message *message; /* a pod's update */
    int64_t seen_ns;
} seen_binding;

/* Zeroed: empty. */
typedef struct seen_bindings {
    seen_binding *items; /* in the order in which they were seen */
    size_t count, capacity;
} seen_bindings;

enum { SEEN_BINDINGS_HELD_MS = 2000 };

/* Owner: takes the message. */
void seen_bindings_hold(seen_bindings *b, message *m, int64_t now_ns);

/* Returns the next message that is due, to be freed; NULL: none. With LIVE_NEVER as the time, all
 * are due. */
message *seen_bindings_next(seen_bindings *b, int64_t now_ns);

/* Returns the message of that pod, due or not; NULL: there is none. */
message *seen_bindings_take(seen_bindings *b, berth_str namespace_name, berth_str name);

void seen_bindings_free(seen_bindings *b);

#endif
