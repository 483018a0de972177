/* The JSON value of a plain YAML scalar. */
#ifndef BERTH_TEXT_YAML_SCALAR_H
#define BERTH_TEXT_YAML_SCALAR_H

#include <stdbool.h>

#include "text/json.h"

/* Type the plain scalar `text`: null, boolean, number (rewritten in JSON's notation, in the arena)
 * or string (`text` itself). Returns false when out of memory. */
bool berth__yaml_scalar(berth__arena *arena, berth_str text, berth__json *out);

#endif
