/* What wakes a waiting pod: what changed in the cluster, and what a plugin asks to tell whether
 * that could help (plugin.h, `wakes`).
 *
 * A change has been made when it is asked about. One change may have several bits. */
#ifndef BERTH_PLUGINS_WAKE_H
#define BERTH_PLUGINS_WAKE_H

#include "berth/plugin.h"
#include "columns/view.h"

/* Beside the changes of berth/plugin.h: the waiting pod itself changed. The queue sees to that. */
enum { BERTH__WAKE_POD_SELF = 1 << 8 };

enum {
    BERTH__WAKE_STORAGE = BERTH_WAKE_CLAIM | BERTH_WAKE_VOLUME | BERTH_WAKE_STORAGE_CLASS |
                          BERTH_WAKE_CSI_NODE | BERTH_WAKE_CSI_DRIVER | BERTH_WAKE_CSI_CAPACITY |
                          BERTH_WAKE_ATTACHMENT,
    BERTH__WAKE_DEVICES =
        BERTH_WAKE_RESOURCE_CLAIM | BERTH_WAKE_DEVICE_CLASS | BERTH_WAKE_RESOURCE_SLICE,
    BERTH__WAKE_NODE = BERTH_WAKE_NODE_ADD | BERTH_WAKE_NODE_REMOVE | BERTH_WAKE_NODE_LABELS |
                       BERTH_WAKE_NODE_TAINTS | BERTH_WAKE_NODE_ALLOCATABLE |
                       BERTH_WAKE_NODE_CONDITIONS | BERTH_WAKE_NODE_FEATURES,
    BERTH__WAKE_POD = BERTH_WAKE_POD_ADD | BERTH_WAKE_POD_REMOVE | BERTH_WAKE_POD_LABELS,
    BERTH__WAKE_PUBLIC = BERTH__WAKE_NODE | BERTH__WAKE_POD | BERTH__WAKE_STORAGE |
                         BERTH__WAKE_DEVICES | BERTH_WAKE_RELATED |
                         BERTH_WAKE_NAMESPACE, /* all of berth/plugin.h */
};

/* What the pods of some priorities take on the node of a change; worked out when first asked
 * for. */
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
    const berth__node_record
        *node; /* that changed, or that the pod is or was on; present, or leaving */
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

/* The namespace of the object of a change; one that names none is in the default one. */
static inline berth_str berth__wake_namespace(const berth__wake *wake)
{
    return wake->namespace_name.len > 0 ? wake->namespace_name : BERTH_STR("default");
}

/* Whether the object of a change is a claim that the waiter's volumes name. */
bool berth__wake_is_own_claim(const berth__wake *wake, const berth__waiter *waiter);

#endif
