/* YAML text to the tree of json.h, typed as Kubernetes' tools do before they hand YAML to an API
 * server (sigs.k8s.io/yaml): plain true, yes, on, y are booleans, 0x10 and 010 are numbers, quoted
 * text is a string, keys become strings, `<<` merges, aliases are followed. */
#ifndef BERTH_TEXT_YAML_H
#define BERTH_TEXT_YAML_H

#include "text/json.h"

/* One document of a stream. `line` is where it begins (1-based). `root` lives in the arena given
 * to berth__yaml_parse; the callee may reset that arena before it returns. Anything but BERTH_OK
 * ends the parsing with that status. */
typedef berth_status (*berth__yaml_fn)(void *context, const berth__json *root, uint32_t line,
                                       berth_error *error);

/* Parse every document of `text`; an empty document arrives as null. The trees share what aliases
 * name; a document whose aliases would expand to more than a million values is refused.
 * Errors: E_PARSE (line, column, offset), E_NOMEM, the callback's. */
berth_status berth__yaml_parse(berth__arena *arena, berth_str text, berth__yaml_fn each,
                               void *context, berth_error *error);

#endif
