/* Which nodes a topology spread constraint counts pods on: kube-scheduler's node inclusion
 * policies, as sets of slots shared by all constraints that ask for the same. */
#ifndef BERTH_PLUGINS_NODE_INCLUSION_H
#define BERTH_PLUGINS_NODE_INCLUSION_H

#include "columns/pod_counts.h"
#include "plugins/plugin.h"

typedef struct berth__inclusion_rule {
    const berth__sym *keys; /* labels that a node must have, each */
    uint32_t key_count;
    bool honor_affinity; /* it must match the pod's nodeSelector and required node affinity */
    bool honor_taints;   /* it must have no hard taint that the pod does not tolerate */
} berth__inclusion_rule;

/* The set for pods of a class, filled, with one more user; NULL where it is the set of all slots.
 * `arena` is scratch. Returns false when out of memory. */
bool berth__node_inclusion(berth__view *view, const berth__class *cls, berth__arena *arena,
                           const berth__inclusion_rule *rule, berth__inclusion **out);

#endif
