/* A change in the cluster that may wake waiting pods, and the data by which plugins decide whether
 * it could help them (plugin.h, `wakes`).
 *
 * Plugins are asked after the change was made. One change may have several bits. */
#ifndef BERTH_PLUGINS_WAKE_H
#define BERTH_PLUGINS_WAKE_H

#include "berth/plugin.h"
#include "columns/view.h"

/* In addition to the changes of berth/plugin.h: the waiting pod itself changed. The queue handles
 * it. */
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

/* What pods of at least some priority use on the changed node; computed at first use. */
typedef struct berth__wake_usage {
    int32_t priority; /* pods of at least this priority count */
    int64_t pods;
    int64_t amounts[BERTH__SCALARS];
} berth__wake_usage;

enum { BERTH__WAKE_USAGES = 4 };

typedef struct berth__wake {
    uint32_t bits;
    berth__view *view;
    const berth__pods *pods;
    /* The node that changed, or that the pod is or was on; it is still present, or being
     * removed. */
    const berth__node_record *node;
    uint32_t node_id; /* of the node that the pod is or was on; BERTH_NODE_NONE: another change */
    const berth__node_facts *old_facts; /* for a node that was updated or removed */
    const berth__node_facts *new_facts; /* for a node that was added or updated */
    const berth__class *before, *after; /* of a pod on a node; NULL: it was, or is, not there */
    berth_str namespace_name, name;     /* for any other object */
    berth__wake_usage usages[BERTH__WAKE_USAGES]; /* scratch of berth__wake_fits */
    uint32_t usage_count;
} berth__wake;

/* A kind of waiting pods. */
typedef struct berth__waiter {
    berth__class *cls;
    int32_t priority;
    bool preempts; /* it may preempt pods of lower priority */
} berth__waiter;

/* Whether the node of a change has room for the waiter's requests without the pods that the waiter
 * may preempt. Checks the `scalar_count` listed scalars; with `zeros_too`, requests of 0 are
 * checked as well. Cost: a walk over the node's pods, once for a change and priority. */
bool berth__wake_fits(berth__wake *wake, const berth__waiter *waiter,
                      const berth__scalar_request *scalars, uint32_t scalar_count, bool zeros_too);

/* The namespace of the changed object; "default" if it names none. */
static inline berth_str berth__wake_namespace(const berth__wake *wake)
{
    return wake->namespace_name.len > 0 ? wake->namespace_name : BERTH_STR("default");
}

/* Whether the changed object is a claim that the waiter's volumes name. */
bool berth__wake_is_own_claim(const berth__wake *wake, const berth__waiter *waiter);

#endif
