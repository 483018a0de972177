/* The figures of a cluster side: by resource, by zone, by node. */
#ifndef BERTH_TOOLS_SIDE_FIGURES_H
#define BERTH_TOOLS_SIDE_FIGURES_H

#include "plans/cluster_side.h"

/* Compute the figures from the engine's present state. Errors: those of berth_engine_node_order and
 * berth_engine_pod_info. */
berth_status side_figures_make(cluster_side *side, berth_error *error);

#endif
