/* Exact decimals as Kubernetes writes quantities: "500m", "1.5Gi", "12e6". An amount has at most
 * nine fractional digits; finer amounts are rounded away from zero. Source of the rule: Kubernetes
 * apimachinery v0.32, api/resource/quantity.go, suffix.go. */
#ifndef BERTH_BASE_DECIMAL_H
#define BERTH_BASE_DECIMAL_H

#include <stdbool.h>

#include "berth/status.h"

typedef struct berth__decimal {
    bool negative;
    unsigned __int128 units; /* below 10^29 */
    uint32_t nanos;          /* below 10^9 */
} berth__decimal;

typedef enum berth__decimal_outcome {
    BERTH__DECIMAL_READ,
    BERTH__DECIMAL_EMPTY,
    BERTH__DECIMAL_SUFFIX, /* unknown suffix, or not a number at all */
    BERTH__DECIMAL_BEYOND, /* 10^29 or more */
} berth__decimal_outcome;

/* Read a text without blanks around it. Sets `*out` on success. An amount with a binary suffix is
 * capped at 2^63 - 1 units. */
berth__decimal_outcome berth__decimal_read(berth_str text, berth__decimal *out);

/* Whether AsInt64 of Kubernetes' quantity succeeds: the quantity is stored as an integer times a
 * power of ten, and the product fits int64. "1000m" and "1.5Gi" are whole numbers but are stored
 * differently, so AsInt64 fails for them. */
bool berth__decimal_is_integer(berth_str text);

enum { BERTH__DECIMAL_TEXT = 48 }; /* holds the canonical text of every amount */

/* Write the canonical text of an amount, terminated and truncated to `size`. `binary` chooses Ki,
 * Mi, ... where Kubernetes would. Returns the length of the whole text. */
size_t berth__decimal_write(berth_quantity amount, bool binary, char *out, size_t size);

#endif
