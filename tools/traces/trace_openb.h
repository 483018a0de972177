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

/* The list of tasks, empty when zeroed; it lives as long as restarted pods may be made of it. */
typedef struct trace_openb {
    trace_openb_task *tasks;
    size_t task_count;
    size_t task_capacity;
} trace_openb;

void trace_openb_free(trace_openb *t);

typedef struct trace_openb_options {
    const char *nodes_path;
    const char *pods_path;
    /* 0: the tasks of the list, by their creation. Else tasks drawn from it by `seed`, one a
     * second, until together they ask for this percentage of the nodes' GPUs; they stay for
     * good. Each task of the list is drawn once before any is drawn again, under its name and
     * "-2", "-3" and so on. */
    uint64_t draw_percent;
    uint64_t seed;
} trace_openb_options;

/* Hand out all events. A task that the trace saw scheduled runs from when it is placed as long
 * as it ran there; one that it did not see scheduled leaves when it left there. A list without
 * times is taken a task a second, for good. Memory: the list. Errors: E_IO, E_PARSE, E_INVALID,
 * or the callback's. */
berth_status trace_openb_read(trace_openb *t, const trace_openb_options *options,
                              trace_event_fn each, void *context, berth_error *error);

#endif
