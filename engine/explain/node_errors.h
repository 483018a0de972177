/* Errors of filters on nodes; each of them ends the attempt. */
#ifndef BERTH_EXPLAIN_NODE_ERRORS_H
#define BERTH_EXPLAIN_NODE_ERRORS_H

#include "scan/search.h"

#define BERTH__VISITED_ALL UINT32_MAX

/* Collect the errors on the nodes that a walk visited, in kube-scheduler's words; an absent text if
 * there are none. v1.15 visited all nodes and reported all errors; since then the first error ends
 * the search, and `*visited` receives the number of nodes before it. Memory comes from `arena`.
 * Cost: nothing unless a filter said at prepare that it may fail.
 * Source: kube-scheduler v1.36, schedule_one.go, findNodesThatPassFilters; Kubernetes v1.15.3,
 * core/generic_scheduler.go, findNodesThatFit. */
berth_status berth__node_errors(const berth__search *search, berth__arena *arena, berth_str *out,
                                uint32_t *visited);

#endif
