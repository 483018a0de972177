/* A pod that differs from another one in some points: what remedies try. */
#ifndef BERTH_TOOLS_POD_DRAFT_H
#define BERTH_TOOLS_POD_DRAFT_H

#include <stdbool.h>
#include <stddef.h>

#include "berth/objects.h"

/* Zeroed: nothing is owned. */
typedef struct pod_draft {
    berth_pod pod;
    void **owned; /* arrays that changed */
    size_t owned_count;
    size_t owned_capacity;
} pod_draft;

/* Begin as `from`, pending and by no template; what `from` points to outlives the draft. */
void pod_draft_open(pod_draft *draft, const berth_pod *from);
void pod_draft_close(pod_draft *draft);

/* Tolerate these taints too. */
void pod_draft_tolerate(pod_draft *draft, const berth_taint *taints, uint32_t count);

/* Leave out the i-th nodeSelector entry; all required node affinity; the i-th required term of
 * affinity, or of anti-affinity. */
void pod_draft_drop_selector(pod_draft *draft, berth_str key);
void pod_draft_drop_node_affinity(pod_draft *draft);
void pod_draft_drop_affinity(pod_draft *draft, berth_str topology_key);
void pod_draft_drop_anti_affinity(pod_draft *draft, berth_str topology_key);

/* Let topology spread constraints on a key count as wishes. */
void pod_draft_soften_spread(pod_draft *draft, berth_str topology_key);

void pod_draft_drop_host_ports(pod_draft *draft);
void pod_draft_drop_gates(pod_draft *draft);
void pod_draft_set_priority(pod_draft *draft, int32_t priority);

/* Ask for `less` less of a resource (cpu in milli, others in units) in all: of the containers that
 * ask for most, and of init containers that ask for more than then is left. `total` is what the pod
 * asks for now. */
void pod_draft_ask_less(pod_draft *draft, berth_str resource, int64_t total, int64_t less);

#endif
