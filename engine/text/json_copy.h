/* Copies of trees, which outlive the text that they were read from. */
#ifndef BERTH_TEXT_JSON_COPY_H
#define BERTH_TEXT_JSON_COPY_H

#include "text/json.h"

/* Copy `from` to `*to`, all that it leads to into `arena`. Returns false when out of memory. */
bool berth__json_copy(berth__arena *arena, const berth__json *from, berth__json *to);

#endif
