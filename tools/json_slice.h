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

/* The element of an array at `*at` (0 at first), which moves on; false at the end. */
bool json_slice_next(berth_str array, size_t *at, berth_str *element);

#endif
