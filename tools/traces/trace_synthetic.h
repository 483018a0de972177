/* Synthetic traces: a synthetic cluster whose pods arrive at random times and run for a random
 * time. */
#ifndef BERTH_TOOLS_TRACE_SYNTHETIC_H
#define BERTH_TOOLS_TRACE_SYNTHETIC_H

#include "cli/options.h"
#include "traces/trace.h"
#include "workloads/workloads.h"

/* Zeroed: the defaults. */
typedef struct trace_arrivals {
    uint64_t duration_s; /* mean run time of a pod; 0: an hour */
    uint64_t per_hour;   /* arrivals; 0: as many as keep 15 pods per node running in the long run */
} trace_arrivals;

enum { TRACE_ARRIVAL_OPTIONS = 2 };
void trace_arrivals_options(trace_arrivals *arrivals, option options[TRACE_ARRIVAL_OPTIONS]);

/* Pass on all events of the cluster `spec`: storage, nodes and running pods at time 0, then its
 * pending pods as arrivals. Times between arrivals and run times are exponential, in milliseconds.
 * The same specification makes the same trace on every machine. Errors: the callback's;
 * BERTH_E_RANGE if the running pods do not fit. */
berth_status trace_synthetic_read(const workload_spec *spec, const trace_arrivals *arrivals,
                                  trace_event_fn each, void *context, berth_error *error);

#endif
