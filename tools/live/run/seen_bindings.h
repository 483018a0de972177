/* Bindings of another scheduler, put back into the order in which it decided: it binds many at a
 * time, and what is seen first was not decided first. They are held for a moment, and the one that
 * its queue had first goes first: by priority, then by arrival.
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
    seen_binding *items; /* as they were seen */
    size_t count, capacity;
} seen_bindings;

enum { SEEN_BINDINGS_HELD_MS = 2000 };

/* Owner: takes the message. */
void seen_bindings_hold(seen_bindings *b, message *m, int64_t now_ns);

/* The next that is due, to be freed; NULL: none is. LIVE_NEVER as time: all are. */
message *seen_bindings_next(seen_bindings *b, int64_t now_ns);

/* The one of that pod, whatever its turn; NULL: there is none. */
message *seen_bindings_take(seen_bindings *b, berth_str namespace_name, berth_str name);

void seen_bindings_free(seen_bindings *b);

#endif
