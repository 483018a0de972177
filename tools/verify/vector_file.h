/* Reads files of decision vectors: JSON lines, gzip or not, with a scenario and its expected
 * decisions on each line. */
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

/* One line. Texts are valid until the next line is read. */
typedef struct vector_scenario {
    char name[96];
    berth_str scenario; /* JSON text */
    json_t *expected;   /* freed by vector_scenario_release */
} vector_scenario;

/* Open a file. Call vector_file_close, even after a failure. Errors: BERTH_E_IO. */
berth_status vector_file_open(vector_file *v, const char *path, berth_error *error);
void vector_file_close(vector_file *v);

/* Read the next scenario; `*more` is false at the end. Errors: BERTH_E_IO, BERTH_E_PARSE,
 * BERTH_E_INVALID; then there is nothing to release. */
berth_status vector_file_next(vector_file *v, vector_scenario *out, bool *more, berth_error *error);
void vector_scenario_release(vector_scenario *scenario);

#endif
