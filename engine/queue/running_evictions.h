/* Which preemptor waits for which victim. A preemptor is not tried again before each eviction that
 * it requested has begun (its victim is terminating or gone) or failed (the victim stays); and it
 * may not preempt again while pods that must leave are on its node.
 *
 * Several preemptors may wait for one victim. An entry names a preemption by its number, so entries
 * of a preemption that has ended are harmless: an item stays in memory as long as its queue, and
 * each preemption has another number.
 * Source: kube-scheduler v1.37, framework/preemption/executor.go, prepareCandidateAsync. */
#ifndef BERTH_QUEUE_RUNNING_EVICTIONS_H
#define BERTH_QUEUE_RUNNING_EVICTIONS_H

#include "base/memory.h"
#include "queue/queue_item.h"

typedef struct berth__running_eviction {
    berth_pod_id victim;
    uint64_t preemption;
    berth__queue_item *preemptor; /* the item of a pod, or the turn of a PodGroup */
    bool requested;               /* by the preemptor, and the victim is not terminating yet */
    uint32_t next;                /* next entry in its chain, or next free one; UINT32_MAX: none */
} berth__running_eviction;

typedef struct berth__running_evictions {
    berth__running_eviction *entries;
    uint32_t *chains; /* by victim: the first entry; a power of two */
    uint32_t capacity, chain_capacity;
    uint32_t used; /* entries below have been used */
    uint32_t free; /* the first free one below `used` */
    uint32_t count;
    uint32_t requested; /* entries with `requested` set */
} berth__running_evictions;

void berth__running_evictions_destroy(berth__running_evictions *running,
                                      const berth_allocator *allocator);

/* Make sure that `count` entries can be added. Returns false when out of memory. */
bool berth__running_evictions_reserve(berth__running_evictions *running,
                                      const berth_allocator *allocator, uint32_t count);

/* Add an entry; memory was reserved. */
void berth__running_evictions_add(berth__running_evictions *running, berth_pod_id victim,
                                  berth__queue_item *preemptor, bool requested);

/* Set an entry's `requested`. */
void berth__running_evictions_mark(berth__running_evictions *running,
                                   berth__running_eviction *entry, bool requested);

/* The first entry of a victim, or the one after `previous`; NULL: there is none. */
berth__running_eviction *berth__running_evictions_find(const berth__running_evictions *running,
                                                       berth_pod_id victim,
                                                       const berth__running_eviction *previous);

/* Remove an entry of the victim. Returns false if there is none. */
bool berth__running_evictions_take(berth__running_evictions *running, berth_pod_id victim,
                                   berth__running_eviction *out);

/* An entry at or behind position `*at`, which is advanced; NULL: no more. Between two calls, the
 * caller may remove the entries of the victim just returned. */
const berth__running_eviction *
berth__running_evictions_next(const berth__running_evictions *running, uint32_t *at);

#endif
