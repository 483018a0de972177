/* Times in Kubernetes' format. */
#ifndef BERTH_TEXT_TIMESTAMP_H
#define BERTH_TEXT_TIMESTAMP_H

#include <stdbool.h>

#include "berth/status.h"

/* Read RFC 3339 ("2024-05-01T10:00:00Z"; a fraction and a zone offset are allowed) as nanoseconds
 * of Unix time, capped to 64 bits (years 1678 to 2262). Returns false if the text is malformed. */
bool berth__timestamp_parse(berth_str text, int64_t *out);

/* Write the same time in UTC, zero-terminated, with a fraction if there is one. */
enum { BERTH__TIMESTAMP_BYTES = 40 };
void berth__timestamp_format(int64_t time_ns, char out[BERTH__TIMESTAMP_BYTES]);

#endif
