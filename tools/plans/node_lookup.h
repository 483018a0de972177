/* Nodes by the name that a person types. */
#ifndef BERTH_TOOLS_NODE_LOOKUP_H
#define BERTH_TOOLS_NODE_LOOKUP_H

#include "berth/berth.h"

/* The node of a name, which may be written as kubectl and -o name write it: node/NAME, nodes/NAME.
 * Errors: E_NOT_FOUND, with the name that is spelled most like it. */
berth_status node_lookup(berth_engine *engine, const char *text, berth_node_id *out,
                         berth_error *error);

#endif
