/* Differences between expected and actual values, printed member by member. */
#ifndef BERTH_TOOLS_DIFFERENCE_LOG_H
#define BERTH_TOOLS_DIFFERENCE_LOG_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct difference_log {
    FILE *file; /* a buffer; the functions below write to it */
    char *text; /* the buffer's text, after difference_log_end */
    size_t text_len;
    uint64_t shown; /* cases printed so far */
    uint64_t shown_max;
    uint64_t found; /* cases that differ */
} difference_log;

void difference_log_begin(difference_log *log, uint64_t shown_max);
void difference_log_end(difference_log *log);
void difference_log_release(difference_log *log);

/* Compare two objects with the same members. A difference is a case, printed under `title` while
 * there is room. Returns whether they differ. */
bool difference_log_compare(difference_log *log, const char *title, json_t *expected,
                            json_t *found);

/* Record a case that could not be compared at all. */
void difference_log_failure(difference_log *log, const char *title, const char *text);

#endif
