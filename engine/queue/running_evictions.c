/* Evictions that were requested: entries in chains by victim. */
#include "queue/running_evictions.h"

#include <string.h>

#include "base/assert.h"

#define NONE UINT32_MAX

enum { CHAINS_MIN = 16 };

static uint32_t *chain_of(const berth__running_evictions *running, berth_pod_id victim)
{
    return &running->chains[(uint32_t)victim & (running->chain_capacity - 1)];
}

void berth__running_evictions_destroy(berth__running_evictions *running,
                                      const berth_allocator *allocator)
{
    berth__free(allocator, running->entries, running->capacity * sizeof(*running->entries));
    berth__free(allocator, running->chains, running->chain_capacity * sizeof(*running->chains));
    *running = (berth__running_evictions){0};
}

/* Free entries have no victim and are in no chain. */
static void link_all(berth__running_evictions *running)
{
    memset(running->chains, 0xff, running->chain_capacity * sizeof(*running->chains));
    for (uint32_t i = 0; i < running->used; i++) {
        berth__running_eviction *entry = &running->entries[i];
        if (entry->victim == BERTH_POD_NONE)
            continue;
        uint32_t *chain = chain_of(running, entry->victim);
        entry->next = *chain;
        *chain = i;
    }
}

bool berth__running_evictions_reserve(berth__running_evictions *running,
                                      const berth_allocator *allocator, uint32_t count)
{
    uint32_t needed = running->count + count, chains = running->chain_capacity;
    if (!berth__grow(allocator, &running->entries, &running->capacity, needed,
                     sizeof(*running->entries)))
        return false;
    if (chains == 0)
        running->free = NONE;
    for (chains = chains > 0 ? chains : CHAINS_MIN; chains < needed;)
        chains *= 2;
    if (chains == running->chain_capacity)
        return true;
    uint32_t *grown = berth__alloc(allocator, chains * sizeof(*grown), _Alignof(uint32_t));
    if (grown == NULL)
        return false;
    berth__free(allocator, running->chains, running->chain_capacity * sizeof(*running->chains));
    running->chains = grown;
    running->chain_capacity = chains;
    link_all(running);
    return true;
}

void berth__running_evictions_add(berth__running_evictions *running, berth_pod_id victim,
                                  berth__queue_item *preemptor, bool requested)
{
    uint32_t at = running->free;
    if (at != NONE)
        running->free = running->entries[at].next;
    else
        at = running->used++;
    BERTH_ASSERT(at < running->capacity && victim != BERTH_POD_NONE);
    uint32_t *chain = chain_of(running, victim);
    running->entries[at] = (berth__running_eviction){.victim = victim,
                                                     .preemption = preemptor->preemption,
                                                     .preemptor = preemptor,
                                                     .requested = requested,
                                                     .next = *chain};
    *chain = at;
    running->count++;
    running->requested += requested;
}

void berth__running_evictions_mark(berth__running_evictions *running,
                                   berth__running_eviction *entry, bool requested)
{
    running->requested += requested;
    running->requested -= entry->requested;
    entry->requested = requested;
}

berth__running_eviction *berth__running_evictions_find(const berth__running_evictions *running,
                                                       berth_pod_id victim,
                                                       const berth__running_eviction *previous)
{
    if (running->count == 0)
        return NULL;
    uint32_t at = previous != NULL ? previous->next : *chain_of(running, victim);
    while (at != NONE && running->entries[at].victim != victim)
        at = running->entries[at].next;
    return at != NONE ? &running->entries[at] : NULL;
}

bool berth__running_evictions_take(berth__running_evictions *running, berth_pod_id victim,
                                   berth__running_eviction *out)
{
    const berth__running_eviction *first = berth__running_evictions_find(running, victim, NULL);
    if (first == NULL)
        return false;
    uint32_t *link = chain_of(running, victim);
    while (&running->entries[*link] != first)
        link = &running->entries[*link].next;
    uint32_t at = *link;
    berth__running_eviction *entry = &running->entries[at];
    *out = *entry;
    *link = entry->next;
    running->requested -= entry->requested;
    *entry = (berth__running_eviction){.victim = BERTH_POD_NONE, .next = running->free};
    running->free = at;
    running->count--;
    return true;
}

const berth__running_eviction *
berth__running_evictions_next(const berth__running_evictions *running, uint32_t *at)
{
    while (*at < running->used) {
        const berth__running_eviction *entry = &running->entries[(*at)++];
        if (entry->victim != BERTH_POD_NONE)
            return entry;
    }
    return NULL;
}
