/* The hash uses a secret, so that nobody can produce long chains by choosing the names of
 * claims. */
#include "queue/claim_waiters.h"

#include "base/hash.h"

enum { CAPACITY_MIN = 16 };

static berth__queue_item **chain_of(const berth__claim_waiters *waiters, uint64_t claim)
{
    return &waiters->chains[claim & (waiters->capacity - 1)];
}

static size_t bytes_of(uint32_t capacity)
{
    return capacity * sizeof(berth__queue_item *);
}

void berth__claim_waiters_destroy(berth__claim_waiters *waiters, const berth_allocator *allocator)
{
    berth__free(allocator, waiters->chains, bytes_of(waiters->capacity));
    *waiters = (berth__claim_waiters){0};
}

bool berth__claim_waiters_reserve(berth__claim_waiters *waiters, const berth_allocator *allocator,
                                  uint32_t count)
{
    berth__claim_waiters grown = {.capacity =
                                      waiters->capacity > 0 ? waiters->capacity : CAPACITY_MIN};
    while (grown.capacity < count && grown.capacity < UINT32_MAX / 2)
        grown.capacity *= 2;
    if (grown.capacity == waiters->capacity)
        return true;
    grown.chains = berth__alloc_zero(allocator, bytes_of(grown.capacity), _Alignof(void *));
    if (grown.chains == NULL)
        return false;
    for (uint32_t i = 0; i < waiters->capacity; i++) {
        berth__queue_item *next, *item = waiters->chains[i];
        for (; item != NULL; item = next) {
            next = item->group_next;
            berth__claim_waiters_add(&grown, item, item->missing_claim);
        }
    }
    berth__claim_waiters_destroy(waiters, allocator);
    *waiters = grown;
    return true;
}

uint64_t berth__claim_waiters_hash(berth_str namespace_name, berth_str name)
{
    uint64_t space = berth__hash_secret(namespace_name.data, namespace_name.len, 0);
    uint64_t claim = berth__hash_secret(name.data, name.len, space);
    return claim != 0 ? claim : 1;
}

void berth__claim_waiters_add(berth__claim_waiters *waiters, berth__queue_item *item,
                              uint64_t claim)
{
    item->missing_claim = claim;
    if (claim == 0)
        return;
    berth__queue_item **chain = chain_of(waiters, claim);
    item->group_previous = NULL;
    item->group_next = *chain;
    if (*chain != NULL)
        (*chain)->group_previous = item;
    *chain = item;
}

void berth__claim_waiters_remove(berth__claim_waiters *waiters, berth__queue_item *item)
{
    if (item->missing_claim == 0)
        return;
    if (item->group_previous != NULL)
        item->group_previous->group_next = item->group_next;
    else
        *chain_of(waiters, item->missing_claim) = item->group_next;
    if (item->group_next != NULL)
        item->group_next->group_previous = item->group_previous;
    item->missing_claim = 0;
    item->group_next = item->group_previous = NULL;
}

berth__queue_item *berth__claim_waiters_first(const berth__claim_waiters *waiters, uint64_t claim)
{
    return waiters->capacity > 0 ? *chain_of(waiters, claim) : NULL;
}

uint64_t berth__claim_waiters_count(const berth__claim_waiters *waiters)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < waiters->capacity; i++) {
        for (const berth__queue_item *item = waiters->chains[i]; item != NULL;
             item = item->group_next) {
            if (item->state != BERTH_POD_STATE_GATED || item->missing_claim == 0 ||
                chain_of(waiters, item->missing_claim) != &waiters->chains[i])
                return UINT64_MAX;
            count++;
        }
    }
    return count;
}
