/* A pool of pods that fit nowhere, arranged so that a change finds the pods that it may help
 * without a walk over the others. The queue has one of unschedulable pods, and one of pods that are
 * gated until the evictions that they requested have begun.
 *
 * Pods with equal class, profile, priority and rejecting filters form a group, pods that wait for
 * victims apart from others: a change that helps one helps all. Each group is on the list of each
 * filter that rejected it. A change walks the lists of the filters that wake on it, and is checked
 * once for each group there. */
#ifndef BERTH_QUEUE_WAITING_POOL_H
#define BERTH_QUEUE_WAITING_POOL_H

#include "base/keymap.h"
#include "prepare/profile.h"
#include "queue/queue_item.h"

typedef struct berth__waiting_group berth__waiting_group;

/* A group's place on the list of one stage. */
typedef struct berth__group_link {
    berth__waiting_group *group;
    struct berth__group_link *next, *previous;
} berth__group_link;

struct berth__waiting_group {
    berth__keymap_entry entry;
    struct { /* no padding: hashed as bytes */
        berth__class *cls;
        berth__stage_set rejectors;
        uint32_t profile;
        int32_t priority;
        uint64_t waits; /* 1: its pods wait for victims, so they may not preempt */
    } key;
    berth__queue_item *first;
    berth__waiting_group *next_woken; /* while a change is examined */
    bool woken;
    uint32_t link_count;
    berth__group_link links[]; /* one for each rejecting stage, lowest first */
};

typedef struct berth__waiting_pool {
    const berth_allocator *allocator;
    const berth__ready_profile *profiles;
    uint32_t profile_count;
    berth__keymap groups;
    berth__group_link **lists; /* by profile * STAGES + stage */
    berth__item_list by_flush; /* every pod, longest waiting first */
} berth__waiting_pool;

berth_status berth__waiting_pool_init(berth__waiting_pool *pool, const berth_allocator *allocator,
                                      const berth__ready_profile *profiles, uint32_t profile_count);
void berth__waiting_pool_destroy(berth__waiting_pool *pool);

/* Put a pod of class `cls` into the pool. It has rejectors, and its due time is that of its flush.
 * Errors: BERTH_E_NOMEM; the pod is not in the pool. */
berth_status berth__waiting_pool_add(berth__waiting_pool *pool, berth__queue_item *item,
                                     berth__class *cls);

/* Remove a pod. */
void berth__waiting_pool_remove(berth__waiting_pool *pool, berth__queue_item *item);

/* The groups that a change may help, linked by `next_woken`; NULL: none. The caller must empty
 * them by removing their pods, or clear `woken`. */
berth__waiting_group *berth__waiting_pool_find(berth__waiting_pool *pool, berth__wake *wake);

/* The stages among `stages` whose refusal of a pod a change may end. */
berth__stage_set berth__wake_stages(berth__wake *wake, const berth__ready_profile *profile,
                                    berth__stage_set stages, berth__class *cls, int32_t priority);

/* Whether every pod is in one group and in this state, and every group on the lists of its
 * stages. */
bool berth__waiting_pool_check(const berth__waiting_pool *pool, berth_pod_state state);

#endif
