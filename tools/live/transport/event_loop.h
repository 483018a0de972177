/* The network thread's loop: descriptors, timers, and calls from other threads.
 *
 * Threads: the loop's, except event_loop_wake.
 *   WAKE-1  a waking thread writes its data before it exchanges `woken` for true, and writes to the
 *           eventfd only if it was false. The loop exchanges it for false before it calls
 *           `on_wake`, which therefore sees the data of every thread whose exchange came before;
 *           one that comes later writes to the eventfd again. */
#ifndef BERTH_LIVE_EVENT_LOOP_H
#define BERTH_LIVE_EVENT_LOOP_H

#include "live/transport/transport.h"

typedef struct event_loop event_loop;

/* `events` is a set of EPOLLIN, EPOLLOUT, ...: the events to wait for, or those that came. */
typedef void (*event_fd_fn)(void *context, int fd, uint32_t events);

/* Returns NULL, with errno set, if the system has no descriptor or memory left. */
event_loop *event_loop_create(void);
void event_loop_destroy(event_loop *loop);

/* Call `ready` whenever one of `events` comes; replaces earlier settings for `fd`. Set 0 before
 * `fd` is closed. Returns false if the system refuses. */
bool event_loop_fd(event_loop *loop, int fd, uint32_t events, event_fd_fn ready, void *context);

/* Call nothing for `fd` until it is set again, which then costs one system call instead of two. It
 * may be closed meanwhile, if no other process has it. */
void event_loop_fd_rest(event_loop *loop, int fd);

live_id event_loop_timer(event_loop *loop, int64_t at_ns, live_timer_fn fire, void *context);
void event_loop_timer_stop(event_loop *loop, live_id timer);

/* Call `fire` in each turn, before waiting, until it is stopped by its context. There are at most
 * EACH_TURN_MAX such functions, and none of them stops one. */
enum { EACH_TURN_MAX = 4 };
void event_loop_each_turn(event_loop *loop, live_timer_fn fire, void *context);
void event_loop_each_turn_stop(event_loop *loop, const void *context);

/* Call `fire` in each turn right before waiting, after those functions. */
void event_loop_before_wait(event_loop *loop, live_timer_fn fire, void *context);

/* Make the loop call its on_wake function soon, on its own thread. Threads: any. */
void event_loop_wake(event_loop *loop);
void event_loop_on_wake(event_loop *loop, live_timer_fn fire, void *context);

/* Make one turn: wait for the first event, at most `wait_ns`, and handle all pending events. */
void event_loop_turn(event_loop *loop, int64_t wait_ns);

/* Nanoseconds of CLOCK_BOOTTIME. Threads: any. */
int64_t event_loop_now(void);

#endif
