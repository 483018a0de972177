/* Reads traces as JSON lines, one event per line, gzip or not. TRACE_LINES_HELP describes the
 * format. */
#ifndef BERTH_TOOLS_TRACE_LINES_H
#define BERTH_TOOLS_TRACE_LINES_H

#include "berth/berth.h"
#include "cli/words.h"
#include "traces/line_file.h"
#include "traces/trace.h"

#define TRACE_LINES_HELP                                                                       \
    "  {\"event\": \"pod_template\", \"name\": T, \"object\": Pod}   (also node_template)\n"   \
    "  {\"time\": S, \"event\": \"pod_add\", \"object\": Pod or workload, \"duration\": S}\n"  \
    "  {\"time\": S, \"event\": \"pod_add\", \"template\": T, \"name\": N, \"duration\": S}\n" \
    "  {\"time\": S, \"event\": \"pod_remove\", \"name\": N}      (also node_remove)\n"        \
    "  {\"time\": S, \"event\": \"node_add\", \"template\": T, \"name\": N, \"count\": K}\n"   \
    "  {\"time\": S, \"event\": \"node_update\", \"object\": Node} (also pod_update)\n"        \
    "  {\"time\": S, \"event\": \"node_fail\", \"name\": N, \"duration\": S}\n"                \
    "  {\"time\": S, \"event\": \"node_return\", \"name\": N}\n"                               \
    "  {\"time\": S, \"event\": \"object_add\", \"object\": O}    (also object_update,\n"      \
    "      and object_remove with \"kind\" and \"name\")\n"

typedef struct trace_lines {
    line_file lines;
    berth_reader *reader;
    berth_engine *engine;      /* for the pods of DaemonSets; borrowed */
    word_table template_names; /* "Pod/name" */
    berth_object **templates;
    size_t template_capacity;
    int64_t time_ns; /* time of the last event */
    char *held;      /* lines read ahead by trace_lines_start */
    size_t held_len, held_at, held_capacity;
} trace_lines;

/* Open a trace. Call trace_lines_close, even after a failure. `reader` (borrowed) keeps objects
 * that later ones refer to; create it with default_kind "Pod". Errors: BERTH_E_IO. */
berth_status trace_lines_open(trace_lines *t, const char *path, berth_reader *reader,
                              berth_engine *engine, berth_error *error);
void trace_lines_close(trace_lines *t);

/* Read ahead to the first time of the trace; 0 if there is none. */
berth_status trace_lines_start(trace_lines *t, int64_t *time_ns, berth_error *error);

/* Read one line and pass on its events; `*more` is false at the end. Memory: the line, and one copy
 * of each template. Errors: BERTH_E_IO, BERTH_E_PARSE, BERTH_E_INVALID, BERTH_E_RANGE,
 * BERTH_E_EXISTS, BERTH_E_NOT_FOUND with the line, or the callback's. */
berth_status trace_lines_next(trace_lines *t, trace_event_fn each, void *context, bool *more,
                              berth_error *error);

#endif
