/* A YAML or JSON document as a tree of jansson's values: for kubeconfig files. */
#ifndef BERTH_LIVE_YAML_TREE_H
#define BERTH_LIVE_YAML_TREE_H

#include <jansson.h>

#include "berth/status.h"

/* Read the first document of a text. Plain true, false and null are that, every other scalar is a
 * string. Owner: the tree is the caller's. Errors: E_PARSE with line and column (NULL is returned);
 * `source` names the text. */
json_t *yaml_tree_read(berth_str text, const char *source, berth_error *error);

/* The string at a key of an object; NULL: absent, empty or of another type. */
const char *yaml_tree_text(const json_t *object, const char *key);

#endif
