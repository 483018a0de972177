/* Finds nodes by the names that people type. */
#ifndef BERTH_TOOLS_NODE_LOOKUP_H
#define BERTH_TOOLS_NODE_LOOKUP_H

#include "berth/berth.h"

/* Find a node by name, also in the form of kubectl and -o name: node/NAME, nodes/NAME. Errors:
 * BERTH_E_NOT_FOUND, with a similar name. */
berth_status node_lookup(berth_engine *engine, const char *text, berth_node_id *out,
                         berth_error *error);

#endif
