/* Regular expressions, RE2's: regex.cc with that library, regex_absent.c without it. */
#ifndef BERTH_CEL_REGEX_H
#define BERTH_CEL_REGEX_H

#include <stdbool.h>

#include "berth/status.h"

typedef struct berth__cel_pattern berth__cel_pattern;

/* Why a pattern is none, as Go says it; set with BERTH_E_PARSE. */
typedef struct berth__cel_pattern_problem {
    char text[256];
} berth__cel_pattern_problem;

/* Whether there are regular expressions at all. */
bool berth__cel_pattern_known(void);

/* Compile: BERTH_OK, BERTH_E_PARSE, BERTH_E_NOMEM (or too large). A pattern may be used by many
 * threads. Its memory is the C++ library's. */
berth_status berth__cel_pattern_compile(berth_str text, berth__cel_pattern **out,
                                        berth__cel_pattern_problem *problem);

/* Accepts NULL. */
void berth__cel_pattern_destroy(berth__cel_pattern *pattern);

/* The first match at or after a byte: BERTH_OK, BERTH_E_NOT_FOUND, BERTH_E_NOMEM. */
berth_status berth__cel_pattern_find(const berth__cel_pattern *pattern, berth_str text,
                                     uint32_t from, berth_str *match);

#endif
