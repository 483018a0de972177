/* PodGroups in the queue: the waiting pods of a group have one turn for all of them. If it is below
 * a CompositePodGroup, they have it together with those of all other groups of that tree: the
 * root's turn. While a group on the way to the root does not exist, its name stands for the root.
 *
 * The turn is an item of its own, without a pod, in the queue's heaps and lists; the pods wait with
 * it. A group is gated while its PodGroup does not exist, while fewer pods of it are known than its
 * minCount (or fewer groups below it are ready than its minGroupCount), while one of its pods is
 * gated, and, after evictions that it requested, until all have begun and a victim is gone.
 * It never enters the pool: a group that was refused is tried again after its backoff, which may
 * last sqrt(pods) times as long as that of a pod.
 *
 * A record exists while a pod of the group is known: pending, or on a node; that of a composite
 * group, while pods wait with it. A pod that becomes pending while its group is being decided waits
 * for the group's next turn.
 * Source: kube-scheduler v1.37, backend/queue/scheduling_queue.go, backoff_queue.go,
 * framework/types.go, plugins/gangscheduling. */
#ifndef BERTH_QUEUE_POD_GROUPS_H
#define BERTH_QUEUE_POD_GROUPS_H

#include "base/keymap.h"
#include "queue/queue_item.h"

typedef struct berth__queued_group {
    berth__keymap_entry entry;
    struct { /* no padding: hashed as bytes */
        berth__sym namespace_name, name;
        uint32_t composite; /* 1: a CompositePodGroup */
    } key;
    /* Its state is GONE while no pod waits with it. */
    berth__queue_item turn;
    /* The waiting pods in the order in which they will be placed: by priority, attempts and time;
     * linked by list_next. */
    berth__queue_item *first, *last;
    uint32_t count;        /* of pods that wait with it: all, */
    uint32_t stopped;      /* those that are gated by their own gates or preemption, */
    uint32_t claiming;     /* and those that are gated if one of their claims does not exist */
    uint32_t backoff_size; /* waiting pods when its backoff began */
    /* Of a composite group, since pod_groups.changes was `counted_at` (0: unknown): at least how
     * many PodGroups below it must get the pods that they miss before it is ready; if none, how
     * many may lose some while it stays ready. So most changes need no walk over the tree. */
    uint64_t counted_at;
    uint32_t lacking, surplus;
    /* Of a PodGroup. */
    uint32_t known;                   /* all its pods */
    uint32_t waiting;                 /* its pods that wait, */
    struct berth__queued_group *root; /* and the group that they joined last; NULL: none waits */
    struct berth__queued_group *next_spare;
} berth__queued_group;

typedef struct berth__pod_groups {
    berth__keymap by_name;
    berth__queued_group *spare; /* linked by next_spare */
    uint32_t allocated;         /* records, spare ones included; never freed before the end */
    uint32_t pod_groups;        /* records in use, without those of composite groups */
    uint64_t changes;           /* of groups, as objects, from 1 on */
    bool counting;              /* `known` is being counted again and is incomplete */
    /* The numbers of waiting pods of groups, and of turns, by the state of the turn. */
    uint64_t pods_in[BERTH_POD_STATE_COUNT], turns_in[BERTH_POD_STATE_COUNT];
} berth__pod_groups;

berth_status berth__pod_groups_init(berth__pod_groups *groups, const berth_allocator *allocator);
void berth__pod_groups_destroy(berth__pod_groups *groups, const berth_allocator *allocator);

/* Make sure that a PodGroup can be added, and, if `composites` are followed, that each PodGroup can
 * have two roots of its own at any time: a pod whose binding failed comes back without notice, and
 * after a transaction pods move one by one. Returns false when out of memory. */
bool berth__pod_groups_reserve(berth__pod_groups *groups, const berth_allocator *allocator,
                               bool composites);

/* The record of a group, or NULL. */
berth__queued_group *berth__pod_groups_find(const berth__pod_groups *groups,
                                            berth__sym namespace_name, berth__sym name,
                                            bool composite);

/* The same; it is added if there is none. Memory was reserved. */
berth__queued_group *berth__pod_groups_get(berth__pod_groups *groups, berth__sym namespace_name,
                                           berth__sym name, bool composite);

/* Forget the group if it has no pods any more. Its turn must be in no place. */
void berth__pod_groups_drop(berth__pod_groups *groups, berth__queued_group *group);

/* Add a pod of the PodGroup `leaf`, whose `stops` and `claims` are set, to those that wait with its
 * root, or remove it. The turn is in no place, or being decided. */
void berth__queued_group_join(berth__queued_group *root, berth__queued_group *leaf,
                              berth__queue_item *item);
void berth__queued_group_leave(berth__queue_item *item);

/* The turn enters its state (`sign` 1) or leaves it (-1): count it and its pods there. */
void berth__pod_groups_count(berth__pod_groups *groups, const berth__queued_group *group, int sign);

/* Whether each group is in order and counted. `*waiting`: the number of pods that wait with a
 * group; `*released`: of turns with `released` set. */
bool berth__pod_groups_check(const berth__pod_groups *groups, uint64_t *waiting,
                             uint64_t *released);

#endif
