/* Random times, the same on every machine. */
#ifndef BERTH_TOOLS_RANDOM_TIMES_H
#define BERTH_TOOLS_RANDOM_TIMES_H

#include "workloads/workload_kinds.h"

/* An exponentially distributed time with the given mean, truncated to whole milliseconds; at most
 * 45 times the mean. */
int64_t random_exponential_ns(workload_random *random, int64_t mean_ns);

#endif
