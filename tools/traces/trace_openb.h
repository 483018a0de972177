/* The openb trace as events: its nodes at time 0, then its tasks. */
#ifndef BERTH_TOOLS_TRACE_OPENB_H
#define BERTH_TOOLS_TRACE_OPENB_H

#include "traces/openb.h"
#include "traces/trace.h"

typedef struct trace_openb_task {
    berth_object *pod;
    openb_times times;
    uint32_t line;
    int64_t gpu_milli;
} trace_openb_task;

/* The list of tasks, empty when zeroed. Keep it as long as restarted pods may be made from it. */
typedef struct trace_openb {
    trace_openb_task *tasks;
    size_t task_count;
    size_t task_capacity;
} trace_openb;

void trace_openb_free(trace_openb *t);

typedef struct trace_openb_options {
    const char *nodes_path;
    const char *pods_path;
    /* 0: the tasks of the list, by creation time. Otherwise tasks are drawn from it by `seed`, one
     * per second, until their requests reach this percentage of the nodes' GPUs; they never leave.
     * Each task of the list is drawn once before any is drawn again, under its name and "-2", "-3"
     * and so on. */
    uint64_t draw_percent;
    uint64_t seed;
} trace_openb_options;

/* Pass on all events. A task that the trace saw scheduled runs as long as it ran there, from its
 * placement on; one that was never scheduled leaves when it left there. Tasks of a list without
 * times come one per second and never leave. Memory: the list. Errors: BERTH_E_IO, BERTH_E_PARSE,
 * BERTH_E_INVALID, or the callback's. */
berth_status trace_openb_read(trace_openb *t, const trace_openb_options *options,
                              trace_event_fn each, void *context, berth_error *error);

#endif
