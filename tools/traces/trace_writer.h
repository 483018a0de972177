/* Writes traces as the JSON lines that trace_lines.h reads. */
#ifndef BERTH_TOOLS_TRACE_WRITER_H
#define BERTH_TOOLS_TRACE_WRITER_H

#include <stdio.h>

#include "traces/id_table.h"
#include "traces/trace.h"

/* Pods that differ only in their names are written as a template and its uses: the second pod of a
 * sort writes the template. */
typedef struct trace_writer {
    FILE *file;
    FILE *memory; /* one object's text */
    char *text;
    size_t text_len;
    id_table sorts; /* hash of a pod's text without its name: number, or its number of a template */
    uint32_t template_count;
} trace_writer;

/* Errors: BERTH_E_NOMEM. */
berth_status trace_writer_open(trace_writer *w, FILE *file);
void trace_writer_close(trace_writer *w);

/* Write the addition of an object of a kind that draft.h makes. Errors: BERTH_E_NOMEM; the caller
 * checks ferror(file). */
berth_status trace_writer_put(trace_writer *w, const trace_event *event);

#endif
