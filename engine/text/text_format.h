/* Distinguishes JSON and YAML by how a text begins. */
#ifndef BERTH_TEXT_TEXT_FORMAT_H
#define BERTH_TEXT_TEXT_FORMAT_H

#include <stdbool.h>

#include "base/memory.h"

/* Whether to read a text as JSON: it begins with a bracket, and the next bytes are possible in
 * JSON. YAML has such brackets, too, as in `{kind: Pod}`, which the first key without double quotes
 * reveals. A text with a quoted first key counts as JSON to the end, so a mistake further on is
 * reported as a mistake in JSON. Cost: the first few bytes. */
bool berth__text_is_json(berth_str text);

#endif
