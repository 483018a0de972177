/* Files of decision vectors: JSON lines, gzip or not, a scenario and its expected decisions a
 * line. */
#ifndef BERTH_TOOLS_VECTOR_FILE_H
#define BERTH_TOOLS_VECTOR_FILE_H

#include <jansson.h>
#include <stdbool.h>

#include "cli/progress.h"
#include "traces/line_file.h"

typedef struct vector_file {
    line_file lines;
    progress bar;
} vector_file;

/* One line. Texts live until the next is read. */
typedef struct vector_scenario {
    char name[96];
    berth_str scenario; /* JSON text */
    json_t *expected;   /* freed by vector_scenario_release */
} vector_scenario;

/* Open; vector_file_close frees, also after a failure. Errors: E_IO. */
berth_status vector_file_open(vector_file *v, const char *path, berth_error *error);
void vector_file_close(vector_file *v);

/* The next scenario; `*more` is false at the end. Errors: E_IO, E_PARSE, E_INVALID. */
berth_status vector_file_next(vector_file *v, vector_scenario *out, bool *more, berth_error *error);
void vector_scenario_release(vector_scenario *scenario);

#endif
