/* Gated pods by the first claim that they miss, so that the pods waiting for a new claim are found
 * without a walk over all gated pods. A chained hash table. The chains use the items' links for
 * groups of the pool, which gated pods do not need. */
#ifndef BERTH_QUEUE_CLAIM_WAITERS_H
#define BERTH_QUEUE_CLAIM_WAITERS_H

#include "base/memory.h"
#include "queue/queue_item.h"

typedef struct berth__claim_waiters {
    berth__queue_item **chains;
    uint32_t capacity; /* a power of two */
} berth__claim_waiters;

void berth__claim_waiters_destroy(berth__claim_waiters *waiters, const berth_allocator *allocator);

/* Reserve room for `count` pods. Returns false when out of memory. */
bool berth__claim_waiters_reserve(berth__claim_waiters *waiters, const berth_allocator *allocator,
                                  uint32_t count);

/* Never 0. */
uint64_t berth__claim_waiters_hash(berth_str namespace_name, berth_str name);

/* Let a pod wait for a claim (0: for none). Room must have been reserved. */
void berth__claim_waiters_add(berth__claim_waiters *waiters, berth__queue_item *item,
                              uint64_t claim);
void berth__claim_waiters_remove(berth__claim_waiters *waiters, berth__queue_item *item);

/* The first pod of the claim's chain, linked by group_next; the chain may also hold pods that wait
 * for other claims. */
berth__queue_item *berth__claim_waiters_first(const berth__claim_waiters *waiters, uint64_t claim);

/* Returns how many pods wait for a claim; UINT64_MAX if a pod is in the wrong chain. */
uint64_t berth__claim_waiters_count(const berth__claim_waiters *waiters);

#endif
