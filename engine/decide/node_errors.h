/* Errors that v1.15's predicates met on nodes: any of them ends the attempt. */
#ifndef BERTH_DECIDE_NODE_ERRORS_H
#define BERTH_DECIDE_NODE_ERRORS_H

#include "decide/search.h"

/* The errors of the nodes that a walk visited, in the words of v1.15's message; an absent text
 * if there are none. Memory comes from `arena`. Cost: nothing unless a filter told at prepare
 * that it may fail.
 * Source: Kubernetes v1.15.3, core/generic_scheduler.go, findNodesThatFit. */
berth_status berth__node_errors(const berth__search *search, berth__arena *arena, berth_str *out);

#endif
