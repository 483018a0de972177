/* Replaces regular expressions in a library that was built without RE2. */
#include <stddef.h>

#include "cel/regex.h"

bool berth__cel_pattern_known(void)
{
    return false;
}

berth_status berth__cel_pattern_compile(berth_str text, berth__cel_pattern **out,
                                        berth__cel_pattern_problem *problem)
{
    (void)text, (void)out, (void)problem;
    return BERTH_E_UNSUPPORTED;
}

void berth__cel_pattern_destroy(berth__cel_pattern *pattern)
{
    (void)pattern;
}

berth_status berth__cel_pattern_find(const berth__cel_pattern *pattern, berth_str text,
                                     uint32_t from, berth_str *match)
{
    (void)pattern, (void)text, (void)from, (void)match;
    return BERTH_E_UNSUPPORTED;
}
