/* v1.15's predicates and priorities by symbol: berth__plugin_SYMBOL, all in this folder. */
#ifndef BERTH_LEGACY_LEGACY_REGISTRY_H
#define BERTH_LEGACY_LEGACY_REGISTRY_H

#include "plugins/registry.h"

#define BERTH__LEGACY_PLUGIN_LIST(X) \
    X(match_node_selector)           \
    X(general_predicates)            \
    X(check_node_condition)          \
    X(check_node_memory_pressure)    \
    X(check_node_disk_pressure)      \
    X(check_node_pid_pressure)       \
    X(check_node_label_presence)     \
    X(least_requested)               \
    X(most_requested)                \
    X(requested_to_capacity_ratio)   \
    X(balanced_resource_allocation)  \
    X(node_affinity_priority)        \
    X(node_prefer_avoid_pods)        \
    X(node_label_priority)           \
    X(equal_priority)                \
    X(selector_spread)               \
    X(service_spreading)             \
    X(service_anti_affinity)         \
    X(check_service_affinity)        \
    X(no_disk_conflict)              \
    X(no_volume_zone_conflict)       \
    X(max_ebs_volume_count)          \
    X(max_gce_pd_volume_count)       \
    X(max_azure_disk_volume_count)   \
    X(max_cinder_volume_count)       \
    X(max_csi_volume_count)          \
    X(check_volume_binding)          \
    X(basic_checks)

#define X(symbol) extern const berth__plugin_ops berth__plugin_##symbol;
BERTH__LEGACY_PLUGIN_LIST(X)
#undef X

#endif
