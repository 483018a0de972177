/* HostName, PodFitsHostPorts and CheckNodeUnschedulable of v1.15: the rules of v1.32's NodeName,
 * NodePorts and NodeUnschedulable under other names; HostName has another reason.
 * Source: v1.15.3, predicates.PodFitsHost, PodFitsHostPorts, CheckNodeUnschedulable. */
#include "legacy/legacy_registry.h"
#include "plugins/phases.h"

BERTH__EXPLAIN_ALWAYS(legacy_host_name_explain, BERTH_CODE_UNRESOLVABLE,
                      "node(s) didn't match the requested hostname")

const berth__plugin_ops berth__plugin_host_name = {
    .name = "HostName",
    .flags = BERTH__PREPARE_EACH | BERTH__ALWAYS_UNRESOLVABLE,
    .wake_on = BERTH_WAKE_NODE_ADD,
    .prepare_filter = berth__node_name_prepare,
    .filter = berth__node_name_filter,
    .explain = legacy_host_name_explain,
};

const berth__plugin_ops berth__plugin_pod_fits_host_ports = {
    .name = "PodFitsHostPorts",
    .flags = BERTH__ALWAYS_UNSCHEDULABLE,
    .wake_on = BERTH_WAKE_NODE_ADD | BERTH_WAKE_POD_REMOVE,
    .wakes = berth__node_ports_wakes,
    .prepare_filter = berth__node_ports_prepare,
    .filter = berth__node_ports_filter,
    .filter_slot = berth__node_ports_filter_slot,
    .explain = berth__node_ports_explain,
};

const berth__plugin_ops berth__plugin_check_node_unschedulable = {
    .name = "CheckNodeUnschedulable",
    .flags = BERTH__STATIC_FILTER | BERTH__ALWAYS_UNRESOLVABLE,
    .wake_on = BERTH_WAKE_NODE_ADD | BERTH_WAKE_NODE_TAINTS | BERTH__WAKE_POD_SELF,
    .wakes = berth__node_unschedulable_wakes,
    .prepare_filter = berth__node_unschedulable_prepare,
    .filter = berth__node_unschedulable_filter,
    .explain = berth__node_unschedulable_explain,
};
