/* Changes of the cluster as the pods that wait for them see them: what changed, and what a plugin asks
 * to tell whether that could help (plugin.h, `wakes`).
 *
 * A change has been made when it is asked about. One change may have several bits. */
#ifndef BERTH_PLUGINS_WAKE_H
#define BERTH_PLUGINS_WAKE_H

#include "snapshot/view.h"

/* Cluster changes that can turn a refusal around. */
enum {
    BERTH__WAKE_NODE_ADD = 1 << 0,
    BERTH__WAKE_NODE_LABELS = 1 << 1,
    BERTH__WAKE_NODE_TAINTS = 1 << 2, /* spec.unschedulable included */
    BERTH__WAKE_NODE_ALLOCATABLE = 1 << 3, /* some amount has grown */
    BERTH__WAKE_NODE_CONDITIONS = 1 << 4,
    BERTH__WAKE_POD_ADD = 1 << 5,    /* on a node */
    BERTH__WAKE_POD_REMOVE = 1 << 6, /* from a node, or what it takes there became other or less */
    BERTH__WAKE_POD_LABELS = 1 << 7, /* of one on a node; its beginning to terminate included */
    BERTH__WAKE_POD_SELF = 1 << 8,   /* the waiting pod itself changed: the queue sees to that */
    BERTH__WAKE_NODE_REMOVE = 1 << 9,
    BERTH__WAKE_CLAIM = 1 << 10,
    BERTH__WAKE_VOLUME = 1 << 11,
    BERTH__WAKE_STORAGE_CLASS = 1 << 12,
    BERTH__WAKE_CSI_NODE = 1 << 13,
    BERTH__WAKE_CSI_DRIVER = 1 << 14,
    BERTH__WAKE_CSI_CAPACITY = 1 << 15,
    BERTH__WAKE_ATTACHMENT = 1 << 16,
    BERTH__WAKE_RELATED = 1 << 17, /* services and controllers */
    BERTH__WAKE_NAMESPACE = 1 << 18,
};

enum {
    BERTH__WAKE_STORAGE = BERTH__WAKE_CLAIM | BERTH__WAKE_VOLUME | BERTH__WAKE_STORAGE_CLASS |
                          BERTH__WAKE_CSI_NODE | BERTH__WAKE_CSI_DRIVER |
                          BERTH__WAKE_CSI_CAPACITY | BERTH__WAKE_ATTACHMENT,
};

/* What the pods of some priorities take on the node of a change; worked out when first asked for. */
typedef struct berth__wake_usage {
    int32_t priority; /* pods of at least this one count */
    int64_t pods;
    int64_t amounts[BERTH__SCALARS];
} berth__wake_usage;

enum { BERTH__WAKE_USAGES = 4 };

typedef struct berth__wake {
    uint32_t bits;
    berth__view *view;
    const berth__pods *pods;
    const berth__node *node; /* that changed, or that the pod is or was on; present, or leaving */
    const berth__node_facts *old_facts; /* of a node that was updated or removed */
    const berth__node_facts *new_facts; /* of a node that was added or updated */
    const berth__class *before, *after; /* of a pod on a node; NULL: it was, or is, not there */
    berth_str namespace_name, name;     /* of any other object */
    berth__wake_usage usages[BERTH__WAKE_USAGES]; /* scratch of berth__wake_fits */
    uint32_t usage_count;
} berth__wake;

/* A kind of pods that wait. */
typedef struct berth__waiter {
    berth__class *cls;
    int32_t priority;
    bool preempts; /* pods of lower priority can be made to go */
} berth__waiter;

/* Whether the node of a change has room for `asks` of each resource, once pods that the waiter may
 * preempt are gone. Scalars are the `scalar_count` listed; with `zeros_too`, amounts asked 0 of are
 * tested as well. Cost: the node's pods, once for a change and priority. */
bool berth__wake_fits(berth__wake *wake, const berth__waiter *waiter,
                      const berth__scalar_request *scalars, uint32_t scalar_count, bool zeros_too);

/* Whether the object of a change is a claim that the waiter's volumes name. */
bool berth__wake_is_own_claim(const berth__wake *wake, const berth__waiter *waiter);

#endif
