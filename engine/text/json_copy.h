/* Copies of trees that outlive the text from which the trees were read. */
#ifndef BERTH_TEXT_JSON_COPY_H
#define BERTH_TEXT_JSON_COPY_H

#include "text/json.h"

/* Copy `from` to `*to`, and everything it refers to into `arena`. Returns false when out of
 * memory. */
bool berth__json_copy(berth__arena *arena, const berth__json *from, berth__json *to);

#endif
