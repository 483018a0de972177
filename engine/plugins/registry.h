/* The plugins of kube-scheduler, each in a file of its own that defines berth__plugin_* with the
 * file's name. The last ones are plugins of v1.15 that share most of their code with the plugin in
 * the same file; all others of v1.15 are in legacy/. */
#ifndef BERTH_PLUGINS_REGISTRY_H
#define BERTH_PLUGINS_REGISTRY_H

#include "plugins/plugin.h"

#define BERTH__PLUGIN_LIST(X)             \
    X(node_unschedulable)                 \
    X(node_name)                          \
    X(taint_toleration)                   \
    X(node_affinity)                      \
    X(node_ports)                         \
    X(node_resources_fit)                 \
    X(node_resources_balanced_allocation) \
    X(image_locality)                     \
    X(pod_topology_spread)                \
    X(inter_pod_affinity)                 \
    X(volume_restrictions)                \
    X(node_volume_limits)                 \
    X(volume_binding)                     \
    X(volume_zone)                        \
    X(dynamic_resources)                  \
    X(node_declared_features)             \
    X(check_node_unschedulable)           \
    X(host_name)                          \
    X(pod_fits_host_ports)                \
    X(pod_fits_resources)                 \
    X(pod_tolerates_node_taints)          \
    X(taint_toleration_priority)          \
    X(image_locality_priority)            \
    X(match_inter_pod_affinity)           \
    X(inter_pod_affinity_priority)

#define X(symbol) extern const berth__plugin_ops berth__plugin_##symbol;
BERTH__PLUGIN_LIST(X)
#undef X

/* Nameless; used in place of a plugin whose filter or score lacks its state: see plugin.h. */
extern const berth__plugin_ops berth__plugin_stateless;

#endif
