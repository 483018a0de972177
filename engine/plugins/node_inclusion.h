/* The nodes on which a topology spread constraint counts pods: kube-scheduler's node inclusion
 * policies, as sets of slots that equal constraints share. */
#ifndef BERTH_PLUGINS_NODE_INCLUSION_H
#define BERTH_PLUGINS_NODE_INCLUSION_H

#include "columns/pod_counts.h"
#include "plugins/plugin.h"

typedef struct berth__inclusion_rule {
    const berth__sym *keys; /* the node must have all of these labels */
    uint32_t key_count;
    bool honor_affinity; /* the node must match the pod's nodeSelector and required node affinity */
    bool honor_taints;   /* the node must have no hard taint that the pod does not tolerate */
} berth__inclusion_rule;

/* Store the filled set for pods of a class in `*out`, with one more user; NULL if it contains all
 * slots. `arena` is scratch. Returns false when out of memory. */
bool berth__node_inclusion(berth__view *view, const berth__class *cls, berth__arena *arena,
                           const berth__inclusion_rule *rule, berth__inclusion **out);

#endif
