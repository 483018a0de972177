/* A clock that is cheap enough to be read after every decision.
 *
 * On x86-64 with a constant-rate time-stamp counter, it reads that counter (about 10 ns), elsewhere
 * the monotonic clock. Both clocks measure the whole run, and their ratio converts ticks to
 * nanoseconds, so nothing is calibrated beforehand. */
#ifndef BERTH_TOOLS_STOPWATCH_H
#define BERTH_TOOLS_STOPWATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

typedef struct stopwatch {
    bool counter; /* ticks are those of the time-stamp counter */
    uint64_t start_ticks;
    uint64_t start_ns;
    uint64_t ticks; /* of the whole run, set by stopwatch_stop */
    uint64_t ns;
} stopwatch;

static inline uint64_t stopwatch_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static inline uint64_t stopwatch_ticks(const stopwatch *w)
{
#if defined(__x86_64__)
    if (w->counter)
        return __rdtsc();
#else
    (void)w;
#endif
    return stopwatch_clock_ns();
}

void stopwatch_start(stopwatch *w);
void stopwatch_stop(stopwatch *w);

/* Converts ticks of a stopped watch to microseconds; returns its whole run in seconds. */
double stopwatch_microseconds(const stopwatch *w, uint64_t ticks);
double stopwatch_seconds(const stopwatch *w);

#endif
