/* A pod that differs from another one in some points; remedies try such drafts. */
#ifndef BERTH_TOOLS_POD_DRAFT_H
#define BERTH_TOOLS_POD_DRAFT_H

#include <stdbool.h>
#include <stddef.h>

#include "berth/objects.h"

/* Zeroed: nothing is owned. */
typedef struct pod_draft {
    berth_pod pod;
    void **owned; /* copies of changed arrays */
    size_t owned_count;
    size_t owned_capacity;
} pod_draft;

/* Begin as a copy of `from`, pending and without a template; the data of `from` must outlive the
 * draft. */
void pod_draft_open(pod_draft *draft, const berth_pod *from);
void pod_draft_close(pod_draft *draft);

/* Add tolerations for these taints. */
void pod_draft_tolerate(pod_draft *draft, const berth_taint *taints, uint32_t count);

/* Leave out the nodeSelector entry of a key, all required node affinity, or the required terms of
 * pod affinity and anti-affinity on a topology key. */
void pod_draft_drop_selector(pod_draft *draft, berth_str key);
void pod_draft_drop_node_affinity(pod_draft *draft);
void pod_draft_drop_affinity(pod_draft *draft, berth_str topology_key);
void pod_draft_drop_anti_affinity(pod_draft *draft, berth_str topology_key);

/* Turn topology spread constraints on a key into preferences. */
void pod_draft_soften_spread(pod_draft *draft, berth_str topology_key);

void pod_draft_drop_host_ports(pod_draft *draft);
void pod_draft_drop_gates(pod_draft *draft);
void pod_draft_set_priority(pod_draft *draft, int32_t priority);

/* Request `less` less of a resource (cpu in milli, others in units) in total: from the containers
 * that request most, and from init containers that request more than the rest. `total` is the pod's
 * present request. */
void pod_draft_ask_less(pod_draft *draft, berth_str resource, int64_t total, int64_t less);

#endif
