/* The network thread's loop: descriptors, timers, and calls from other threads.
 *
 * Threads: the loop's, but for event_loop_wake.
 *   WAKE-1  who wakes writes what it wants to say before it writes to the eventfd; the loop reads
 *           the eventfd before it calls `on_wake`, which therefore sees it. */
#ifndef BERTH_LIVE_EVENT_LOOP_H
#define BERTH_LIVE_EVENT_LOOP_H

#include "live/transport/transport.h"

typedef struct event_loop event_loop;

/* `events` is a set of EPOLLIN, EPOLLOUT, ...: what to wait for, what has come. */
typedef void (*event_fd_fn)(void *context, int fd, uint32_t events);

/* NULL with errno set if the system has no descriptor or memory left. */
event_loop *event_loop_create(void);
void event_loop_destroy(event_loop *loop);

/* Call `ready` whenever one of `events` comes; replaces what was said of `fd` before. 0: no more,
 * which must be said before `fd` is closed. Returns false if the system refuses. */
bool event_loop_fd(event_loop *loop, int fd, uint32_t events, event_fd_fn ready, void *context);

live_id event_loop_timer(event_loop *loop, int64_t at_ns, live_timer_fn fire, void *context);
void event_loop_timer_stop(event_loop *loop, live_id timer);

/* Call `fire` in each turn, before it waits. One such function at most. */
void event_loop_each_turn(event_loop *loop, live_timer_fn fire, void *context);

/* Have `fire` called, soon, on the loop's thread. Threads: any. */
void event_loop_wake(event_loop *loop);
void event_loop_on_wake(event_loop *loop, live_timer_fn fire, void *context);

/* Wait for what comes first, at most `wait_ns`, and handle all that is there: one turn. */
void event_loop_turn(event_loop *loop, int64_t wait_ns);

/* Nanoseconds of CLOCK_BOOTTIME. Threads: any. */
int64_t event_loop_now(void);

#endif
