/* Regular expressions of RE2: regex.cc uses that library, regex_absent.c replaces it. */
#ifndef BERTH_CEL_REGEX_H
#define BERTH_CEL_REGEX_H

#include <stdbool.h>

#include "berth/status.h"

typedef struct berth__cel_pattern berth__cel_pattern;

/* Why a pattern is invalid, in Go's words; set with BERTH_E_PARSE. */
typedef struct berth__cel_pattern_problem {
    char text[256];
} berth__cel_pattern_problem;

/* Whether this library has regular expressions. */
bool berth__cel_pattern_known(void);

/* Compile. Returns BERTH_OK, BERTH_E_PARSE or BERTH_E_NOMEM (also if the pattern is too large).
 * Many threads may use a pattern. Its memory is the C++ library's. */
berth_status berth__cel_pattern_compile(berth_str text, berth__cel_pattern **out,
                                        berth__cel_pattern_problem *problem);

/* Accepts NULL. */
void berth__cel_pattern_destroy(berth__cel_pattern *pattern);

/* Find the first match at or after a byte. Returns BERTH_OK, BERTH_E_NOT_FOUND or BERTH_E_NOMEM. */
berth_status berth__cel_pattern_find(const berth__cel_pattern *pattern, berth_str text,
                                     uint32_t from, berth_str *match);

#endif
