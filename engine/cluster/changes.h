/* Notification of changes of a cluster: what each change of its objects was, for somebody who has
 * to react to it.
 *
 * One watcher at most. It hears of a change once it has been made, in full; both the old
 * and the new facts and classes are alive during the call. It hears of objects only. Of a
 * transaction it hears nothing until it is committed, and then only that it was. Pods that the
 * engine's own calls bind and unbind are heard of as of pods that an update moves. */
#ifndef BERTH_CLUSTER_CHANGES_H
#define BERTH_CLUSTER_CHANGES_H

#include "model/pod.h"

typedef struct berth__change {
    berth_kind kind;
    berth_str namespace_name, name; /* as the caller gave them */
    /* Node: */
    uint32_t node;                                  /* id */
    const berth__node_facts *old_facts, *new_facts; /* NULL: it was added, or removed */
    /* Pod: */
    uint32_t pod; /* index; its record still exists when the pod is removed */
    const berth__class *old_class, *new_class; /* NULL: it was added, or removed */
    uint32_t old_node, new_node;               /* BERTH_NODE_NONE: pending */
    int32_t old_priority;
    uint32_t old_nominated; /* node that was kept for it while pending, or BERTH_NODE_NONE */
} berth__change;

typedef struct berth__watcher {
    void *context;
    /* Before a change of a pod with this index or a lower one: get the memory that hearing
     * of it will take. Errors: E_NOMEM; the change is not made. */
    berth_status (*reserve)(void *context, uint32_t pod_bound);
    void (*changed)(void *context, const berth__change *change);
    /* There were changes of which it has not heard one by one. Set by the engine. */
    bool missed;
} berth__watcher;

/* Which BERTH_WAKE_NODE_* bits tell a node's new facts from its old ones; 0: nothing that a filter
 * could turn to a pod's favour. */
uint32_t berth__node_difference(const berth__node_facts *old_facts,
                                const berth__node_facts *new_facts);

/* Which BERTH_WAKE_POD_* bits tell what a pod on a node has become from what it was there. */
uint32_t berth__pod_difference(const berth__class *old_class, const berth__class *new_class);

/* The bit of a change of any other kind of object; 0: no filter reads it. */
uint32_t berth__kind_difference(berth_kind kind);

#endif
