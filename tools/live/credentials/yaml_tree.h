/* A YAML or JSON document as a tree of jansson values, for kubeconfig files. */
#ifndef BERTH_LIVE_YAML_TREE_H
#define BERTH_LIVE_YAML_TREE_H

#include <jansson.h>

#include "berth/status.h"

/* Read the first document of a text. Plain true, false and null keep their types; every other
 * scalar becomes a string. `source` names the text. Owner: the caller frees the tree. Errors:
 * BERTH_E_PARSE with line and column (returns NULL). */
json_t *yaml_tree_read(berth_str text, const char *source, berth_error *error);

/* The string at a key of an object, or NULL if it is absent, empty or of another type. */
const char *yaml_tree_text(const json_t *object, const char *key);

#endif
