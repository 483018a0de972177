/* Notification of changes of a cluster: describes each change of its objects to a watcher that has
 * to react.
 *
 * There is at most one watcher. It is called after a change has been made completely. Both the old
 * and the new facts and classes exist during the call. The watcher is notified of objects only. It
 * learns nothing about an open transaction; after the commit it only learns that there were
 * changes. Pods that the engine's own calls bind and unbind are reported like pods that an update
 * moves. */
#ifndef BERTH_CLUSTER_CHANGES_H
#define BERTH_CLUSTER_CHANGES_H

#include "model/pod.h"

typedef struct berth__change {
    berth_kind kind;
    berth_str namespace_name, name; /* as the caller passed them */
    /* Node: */
    uint32_t node;                                  /* id */
    const berth__node_facts *old_facts, *new_facts; /* NULL: it was added, or removed */
    /* Pod: */
    uint32_t pod; /* index; its record still exists when the pod is removed */
    const berth__class *old_class, *new_class; /* NULL: it was added, or removed */
    uint32_t old_node, new_node;               /* BERTH_NODE_NONE: pending */
    int32_t old_priority;
    uint32_t old_nominated; /* the node nominated for it while it was pending, or BERTH_NODE_NONE */
} berth__change;

typedef struct berth__watcher {
    void *context;
    /* Called before a change of a pod with this index or a lower one: allocate the memory that the
     * notification will need. Errors: BERTH_E_NOMEM; the change is not made. */
    berth_status (*reserve)(void *context, uint32_t pod_bound);
    void (*changed)(void *context, const berth__change *change);
    /* Set by the engine: there were changes that were not reported one by one. */
    bool missed;
} berth__watcher;

/* The BERTH_WAKE_NODE_* bits for the difference between a node's old and new facts; 0: no filter
 * can become more favourable to a pod. */
uint32_t berth__node_difference(const berth__node_facts *old_facts,
                                const berth__node_facts *new_facts);

/* The BERTH_WAKE_POD_* bits for the difference between a pod's old and new class on a node. */
uint32_t berth__pod_difference(const berth__class *old_class, const berth__class *new_class);

/* The bit for a change of any other kind of object; 0: no filter reads that kind. */
uint32_t berth__kind_difference(berth_kind kind);

#endif
