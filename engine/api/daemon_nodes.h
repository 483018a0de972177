/* The nodes that the DaemonSet controller makes pods for.
 * Source: kubernetes v1.32 pkg/controller/daemon, NodeShouldRunDaemonPod. */
#ifndef BERTH_API_DAEMON_NODES_H
#define BERTH_API_DAEMON_NODES_H

#include "berth/engine.h"

/* The present nodes of the engine, in its node order, whose name, labels and taints admit `pod`, a
 * DaemonSet's template with the controller's tolerations: spec.nodeName is empty or the node's
 * name, nodeSelector and required node affinity match (malformed terms match nothing), and every
 * NoSchedule or NoExecute taint is tolerated. spec.unschedulable counts only through its taint.
 * `out` has room for all present nodes (berth_counts.nodes). Errors: BERTH_E_NOMEM. Cost: linear in
 * nodes. */
berth_status berth__daemon_nodes(berth_engine *engine, const berth_pod *pod, berth_node_id *out,
                                 uint32_t *count);

#endif
