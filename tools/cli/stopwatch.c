/* A cheap clock: reads the time-stamp counter or the monotonic clock, and converts ticks to
 * nanoseconds. */
#include "cli/stopwatch.h"

#if defined(__x86_64__)
#include <cpuid.h>

/* Whether CPUID reports that the counter has one rate in every power state. */
static bool counter_is_constant(void)
{
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(0x80000007u, &a, &b, &c, &d) != 0 && (d >> 8 & 1) != 0;
}
#else
static bool counter_is_constant(void)
{
    return false;
}
#endif

void stopwatch_start(stopwatch *w)
{
    *w = (stopwatch){.counter = counter_is_constant()};
    w->start_ns = stopwatch_clock_ns();
    w->start_ticks = stopwatch_ticks(w);
}

void stopwatch_stop(stopwatch *w)
{
    w->ticks = stopwatch_ticks(w) - w->start_ticks;
    w->ns = stopwatch_clock_ns() - w->start_ns;
}

double stopwatch_microseconds(const stopwatch *w, uint64_t ticks)
{
    if (w->ticks == 0)
        return 0.0;
    return (double)ticks * ((double)w->ns / (double)w->ticks) / 1e3;
}

double stopwatch_seconds(const stopwatch *w)
{
    return (double)w->ns / 1e9;
}
