/* Decides how many bindings may be in progress: more while answers come, half as many when the
 * server pushes back or slows down.
 *
 * Threads: one at a time. */
#ifndef BERTH_LIVE_FLOW_WINDOW_H
#define BERTH_LIVE_FLOW_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FLOW_WINDOW_MIN = 4, FLOW_WINDOW_FIRST = 16, FLOW_WINDOW_MAX = 100 };

typedef struct flow_window {
    size_t size;
    size_t count;                          /* number of successes of this window */
    int64_t latencies_ns[FLOW_WINDOW_MAX]; /* the first `count` */
    int64_t least_ns, least_before_ns;     /* lowest p50 of this period and of the one before */
    int64_t period_ns;                     /* when the period began */
    int64_t cut_ns; /* when the window was last halved; requests sent before do not count */
} flow_window;

void flow_window_init(flow_window *w, int64_t now_ns);

/* A request that was sent at `sent_ns` has succeeded. */
void flow_window_success(flow_window *w, int64_t sent_ns, int64_t now_ns);

/* A request was pushed back (429), or got no answer. */
void flow_window_pushback(flow_window *w, int64_t sent_ns, int64_t now_ns);

#endif
