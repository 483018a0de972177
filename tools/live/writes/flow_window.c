/* Additive increase, multiplicative decrease, once per window of answers. */
#include "live/writes/flow_window.h"

#include <stdlib.h>

/* Requests may wait for each other on the server, which still answers them faster together than one
 * by one. Only a longer wait than this means that the server is overloaded. */
static const int64_t harmless_ns = 250000000;

/* The lowest latency is taken over the last one to two periods, because a server may become slower
 * permanently. */
static const int64_t period_ns = INT64_C(60000000000);

void flow_window_init(flow_window *w, int64_t now_ns)
{
    *w = (flow_window){.size = FLOW_WINDOW_FIRST,
                       .least_ns = INT64_MAX,
                       .least_before_ns = INT64_MAX,
                       .period_ns = now_ns};
}

static void halve(flow_window *w, int64_t now_ns)
{
    w->size /= 2;
    if (w->size < FLOW_WINDOW_MIN)
        w->size = FLOW_WINDOW_MIN;
    w->count = 0;
    w->cut_ns = now_ns;
}

static int by_time(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return (left > right) - (left < right);
}

/* Called when a whole window has been answered: compares its median with the lowest one. */
static void close_window(flow_window *w, int64_t now_ns)
{
    qsort(w->latencies_ns, w->count, sizeof(w->latencies_ns[0]), by_time);
    int64_t median_ns = w->latencies_ns[w->count / 2];
    if (now_ns - w->period_ns >= period_ns) {
        w->least_before_ns = w->least_ns;
        w->least_ns = INT64_MAX;
        w->period_ns = now_ns;
    }
    int64_t least_ns = w->least_ns < w->least_before_ns ? w->least_ns : w->least_before_ns;
    if (median_ns < w->least_ns)
        w->least_ns = median_ns;
    w->count = 0;
    if (median_ns > harmless_ns && median_ns / 2 > least_ns)
        halve(w, now_ns);
    else if (w->size < FLOW_WINDOW_MAX)
        w->size++;
}

void flow_window_success(flow_window *w, int64_t sent_ns, int64_t now_ns)
{
    if (sent_ns < w->cut_ns)
        return;
    w->latencies_ns[w->count++] = now_ns - sent_ns;
    if (w->count >= w->size)
        close_window(w, now_ns);
}

void flow_window_pushback(flow_window *w, int64_t sent_ns, int64_t now_ns)
{
    if (sent_ns >= w->cut_ns)
        halve(w, now_ns);
}
