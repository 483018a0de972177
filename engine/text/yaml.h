/* YAML text to the tree of json.h, with the types that Kubernetes' tools assign before they pass
 * YAML to an API server (sigs.k8s.io/yaml): plain true, yes, on, y are booleans, 0x10 and 010 are
 * numbers, quoted text is a string, keys become strings, `<<` merges, aliases are followed. */
#ifndef BERTH_TEXT_YAML_H
#define BERTH_TEXT_YAML_H

#include "text/json.h"

/* One document of a stream. `line` is where it begins (1-based). `root` lives in the arena passed
 * to berth__yaml_parse; the callee may reset that arena before it returns. Any status except
 * BERTH_OK ends the parsing with that status. */
typedef berth_status (*berth__yaml_fn)(void *context, const berth__json *root, uint32_t line,
                                       berth_error *error);

/* Parse every document of `text`. An empty document arrives as null. A value is shared by all
 * places whose aliases refer to it. Aliases of all documents together may expand to a million
 * values.
 * Errors: BERTH_E_PARSE (line, column, offset), BERTH_E_NOMEM, those of the callback. */
berth_status berth__yaml_parse(berth__arena *arena, berth_str text, berth__yaml_fn each,
                               void *context, berth_error *error);

#endif
