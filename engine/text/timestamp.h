/* Times as Kubernetes writes them. */
#ifndef BERTH_TEXT_TIMESTAMP_H
#define BERTH_TEXT_TIMESTAMP_H

#include <stdbool.h>

#include "berth/status.h"

/* Read RFC 3339 ("2024-05-01T10:00:00Z", fraction and zone offset allowed) as nanoseconds of Unix
 * time, capped to what 64 bits hold (years 1678 to 2262). False if it is malformed. */
bool berth__timestamp_parse(berth_str text, int64_t *out);

/* The same time in UTC, terminated; a fraction where there is one. */
enum { BERTH__TIMESTAMP_BYTES = 40 };
void berth__timestamp_format(int64_t time_ns, char out[BERTH__TIMESTAMP_BYTES]);

#endif
