/* All nodes of an engine, in search order. */
#ifndef BERTH_TOOLS_NODE_LIST_H
#define BERTH_TOOLS_NODE_LIST_H

#include "berth/engine.h"

/* Put the ids into `*out`, which the caller frees. Errors: those of berth_engine_node_order; `*out`
 * is not set then. */
berth_status node_list_make(berth_engine *engine, berth_node_id **out, uint32_t *count,
                            berth_error *error);

#endif
