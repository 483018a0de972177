/* JSON or YAML: told by how a text begins. */
#ifndef BERTH_TEXT_TEXT_FORMAT_H
#define BERTH_TEXT_TEXT_FORMAT_H

#include <stdbool.h>

#include "base/memory.h"

/* Whether a text is to be read as JSON: it begins with a bracket, and what follows may stand there
 * in JSON. YAML has such brackets too, as in `{kind: Pod}`; a first key without double quotes gives
 * it away. A text with a quoted first key is JSON to the end, so that a mistake further on is
 * reported as a mistake in JSON. Cost: the first few bytes. */
bool berth__text_is_json(berth_str text);

#endif
