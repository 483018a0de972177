/* The openb trace as events: its nodes at time 0, then its tasks. */
#ifndef BERTH_TOOLS_TRACE_OPENB_H
#define BERTH_TOOLS_TRACE_OPENB_H

#include <stdbool.h>

#include "trace.h"

typedef struct trace_openb_options {
    const char *nodes_path;
    const char *pods_path;
    bool departures; /* false: tasks stay for good */
    /* 0: the tasks of the list, by their creation. Else tasks drawn from it by `seed`, one a second, until
     * together they ask for this percentage of the nodes' GPUs; they stay for good. Each task of the list
     * is drawn once before any is drawn again, under its name and "-2", "-3" and so on. */
    uint64_t draw_percent;
    uint64_t seed;
} trace_openb_options;

/* Hand out all events. A task that the trace saw scheduled runs from when it is placed as long as it ran
 * there; one that it did not see scheduled leaves when it left there. A list without times is taken a task
 * a second, for good. Memory: the list. Errors: E_IO, E_PARSE, E_INVALID, or the callback's. */
berth_status trace_openb_read(const trace_openb_options *options, trace_event_fn each, void *context,
                              berth_error *error);

#endif
