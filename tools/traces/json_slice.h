/* Cuts parts out of a JSON text unchanged, so that a value such as the quantity 0.1 is passed on as
 * it was written. Text that is not JSON has no parts, or parts that their reader rejects. */
#ifndef BERTH_TOOLS_JSON_SLICE_H
#define BERTH_TOOLS_JSON_SLICE_H

#include <stdbool.h>
#include <stddef.h>

#include "berth/status.h"

/* The value of a member of an object; zeroed if there is none. `key` is compared as written. */
berth_str json_slice_member(berth_str object, const char *key);

typedef enum json_slice_step {
    JSON_SLICE_MEMBER, /* a member was found */
    JSON_SLICE_END,    /* `*at` is after the closing brace */
    JSON_SLICE_BROKEN, /* the text is not an object, or is broken from here on */
} json_slice_step;

/* Read the member of an object at `*at` (0 at first) and advance `*at`. `key` is the text between
 * its quotes, as written. */
json_slice_step json_slice_next_member(berth_str object, size_t *at, berth_str *key,
                                       berth_str *value);

/* Read the element of an array at `*at` (0 at first) and advance `*at`; false at the end. */
bool json_slice_next(berth_str array, size_t *at, berth_str *element);

#endif
