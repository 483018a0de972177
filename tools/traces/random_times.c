/* Exponential random times, by inversion. The logarithm is computed here with additions,
 * multiplications and divisions alone: these round equally on every machine, while the C library's
 * log may not. */
#include "traces/random_times.h"

static const int64_t millisecond_ns = 1000000;

/* Natural logarithm of 1..2: 2 artanh((x - 1) / (x + 1)); 13 terms are exact enough for a
 * double. */
static double log_of_mantissa(double x)
{
    double t = (x - 1.0) / (x + 1.0);
    double square = t * t;
    double sum = 0.0;
    for (int power = 25; power >= 1; power -= 2)
        sum = sum * square + 1.0 / power;
    return 2.0 * t * sum;
}

int64_t random_exponential_ns(workload_random *random, int64_t mean_ns)
{
    const double log_of_two = 0.69314718055994531;
    uint64_t drawn =
        workload_random_next(random) | 1; /* divided by 2^64: a number between 0 and 1 */
    int shift = __builtin_clzll(drawn);
    double mantissa = (double)(drawn << shift >> 11) / (double)(UINT64_C(1) << 52);
    double minus_log = (double)(shift + 1) * log_of_two - log_of_mantissa(mantissa);
    double time_ns = minus_log * (double)mean_ns;
    return time_ns < 9.2e18 ? (int64_t)time_ns / millisecond_ns * millisecond_ns : INT64_MAX / 2;
}
