/* Parts of a JSON text as they stand in it, so that what is handed on (a quantity written 0.1,
 * say) is what was written. Text that is not JSON gives no parts, or parts that their reader
 * refuses. */
#ifndef BERTH_TOOLS_JSON_SLICE_H
#define BERTH_TOOLS_JSON_SLICE_H

#include <stdbool.h>
#include <stddef.h>

#include "berth/status.h"

/* The value of a member of an object; zeroed if there is none. `key` is compared as written. */
berth_str json_slice_member(berth_str object, const char *key);

typedef enum json_slice_step {
    JSON_SLICE_MEMBER, /* there is one more */
    JSON_SLICE_END,    /* `*at` is just behind the closing brace */
    JSON_SLICE_BROKEN, /* the text is no object, or none from here on */
} json_slice_step;

/* The member of an object at `*at` (0 at first), which moves on. `key` is what stands between its
 * quotes, as written. */
json_slice_step json_slice_next_member(berth_str object, size_t *at, berth_str *key,
                                       berth_str *value);

/* The element of an array at `*at` (0 at first), which moves on; false at the end. */
bool json_slice_next(berth_str array, size_t *at, berth_str *element);

#endif
