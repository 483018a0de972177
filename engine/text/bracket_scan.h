/* Finds where a JSON value ends, faster than any parser, by looking only at quotes, backslashes and
 * brackets. */
#ifndef BERTH_TEXT_BRACKET_SCAN_H
#define BERTH_TEXT_BRACKET_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The state of a scan between two calls, which may split a value anywhere. Start with a zeroed scan
 * in front of an opening bracket or quote. */
typedef struct berth__bracket_scan {
    uint32_t depth; /* number of open brackets */
    bool in_string;
    bool escaped;  /* the byte before is a backslash that escapes the next one */
    bool ended;    /* the value is closed */
    bool too_deep; /* more than 1024 brackets are open */
} berth__bracket_scan;

/* Scan `len` bytes. Returns how many of them belong to the value: all of them, unless the value
 * ends there or becomes too deep. */
size_t berth__bracket_scan_run(berth__bracket_scan *scan, const char *text, size_t len);

#endif
