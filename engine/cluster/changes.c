/* The difference between an object's old and new facts, for code that reacts to it. */
#include "cluster/changes.h"

#include "plugins/wake.h"

static bool some_amount_grew(const berth__node_facts *old_facts, const berth__node_facts *new_facts)
{
    if (new_facts->pods_max > old_facts->pods_max)
        return true;
    for (uint32_t i = 0; i < new_facts->amount_count; i++) {
        bool named;
        const berth__node_amount *amount = &new_facts->amounts[i];
        if (amount->allocatable > berth__node_allocatable(old_facts, amount->resource, &named))
            return true;
    }
    return false;
}

uint32_t berth__node_difference(const berth__node_facts *old_facts,
                                const berth__node_facts *new_facts)
{
    uint32_t bits = 0;
    if (!berth__labels_equal(berth__node_labels(old_facts), berth__node_labels(new_facts)) ||
        !berth__labels_equal(berth__node_annotations(old_facts),
                             berth__node_annotations(new_facts)))
        bits |= BERTH_WAKE_NODE_LABELS;
    if (old_facts->taints != new_facts->taints ||
        old_facts->unschedulable != new_facts->unschedulable)
        bits |= BERTH_WAKE_NODE_TAINTS;
    if (old_facts->conditions != new_facts->conditions ||
        old_facts->unschedulable != new_facts->unschedulable)
        bits |= BERTH_WAKE_NODE_CONDITIONS;
    if (old_facts->features != new_facts->features)
        bits |= BERTH_WAKE_NODE_FEATURES;
    if (some_amount_grew(old_facts, new_facts))
        bits |= BERTH_WAKE_NODE_ALLOCATABLE;
    return bits;
}

uint32_t berth__pod_difference(const berth__class *old_class, const berth__class *new_class)
{
    uint32_t bits = 0;
    if (old_class == new_class)
        return 0;
    if (old_class->identity != new_class->identity || old_class->deleting != new_class->deleting)
        bits |= BERTH_WAKE_POD_LABELS;
    if (old_class->pod_rules != new_class->pod_rules)
        bits |= BERTH_WAKE_POD_ADD | BERTH_WAKE_POD_REMOVE;
    if (old_class->request != new_class->request || old_class->ports != new_class->ports ||
        old_class->volumes != new_class->volumes)
        bits |= BERTH_WAKE_POD_REMOVE;
    return bits;
}

uint32_t berth__kind_difference(berth_kind kind)
{
    switch (kind) {
    case BERTH_KIND_PERSISTENT_VOLUME_CLAIM:
        return BERTH_WAKE_CLAIM;
    case BERTH_KIND_PERSISTENT_VOLUME:
        return BERTH_WAKE_VOLUME;
    case BERTH_KIND_STORAGE_CLASS:
        return BERTH_WAKE_STORAGE_CLASS;
    case BERTH_KIND_CSI_NODE:
        return BERTH_WAKE_CSI_NODE;
    case BERTH_KIND_CSI_DRIVER:
        return BERTH_WAKE_CSI_DRIVER;
    case BERTH_KIND_CSI_STORAGE_CAPACITY:
        return BERTH_WAKE_CSI_CAPACITY;
    case BERTH_KIND_VOLUME_ATTACHMENT:
        return BERTH_WAKE_ATTACHMENT;
    case BERTH_KIND_RESOURCE_CLAIM:
        return BERTH_WAKE_RESOURCE_CLAIM;
    case BERTH_KIND_DEVICE_CLASS:
        return BERTH_WAKE_DEVICE_CLASS;
    case BERTH_KIND_RESOURCE_SLICE:
    case BERTH_KIND_DEVICE_TAINT_RULE:
        return BERTH_WAKE_RESOURCE_SLICE;
    case BERTH_KIND_SERVICE:
    case BERTH_KIND_REPLICATION_CONTROLLER:
    case BERTH_KIND_REPLICA_SET:
    case BERTH_KIND_STATEFUL_SET:
        return BERTH_WAKE_RELATED;
    case BERTH_KIND_NAMESPACE:
        return BERTH_WAKE_NAMESPACE;
    default:
        return 0; /* nodes and pods have bits of their own; budgets affect preemption only */
    }
}
