/* Cordons a node as a cluster does. */
#ifndef BERTH_TOOLS_NODE_CORDON_H
#define BERTH_TOOLS_NODE_CORDON_H

#include "berth/berth.h"

/* Set spec.unschedulable, and the taint that the node lifecycle controller then adds: spread
 * constraints with nodeTaintsPolicy Honor no longer count the node.
 * Errors: as berth_engine_node_object, berth_engine_update. */
berth_status node_cordon(berth_engine *engine, berth_node_id node, berth_error *error);

#endif
