/* Topology keys as columns: the domain of each slot, a dense number for each distinct value of a
 * label key; and sets of slots that count for a rule. Both depend on node facts, often on labels
 * alone, and are brought up to date when they are used in a new epoch of these. If the new facts
 * change nothing, they stay as they are, and so does what is derived from them. */
#ifndef BERTH_COLUMNS_TOPOLOGY_H
#define BERTH_COLUMNS_TOPOLOGY_H

#include "base/keymap.h"
#include "columns/layout.h"

#define BERTH__EPOCH_NONE UINT64_MAX

typedef struct berth__topology {
    berth__keymap_entry entry;
    berth__sym key;
    uint32_t users;
    uint64_t epoch;      /* label epoch for which the rest is valid, or BERTH__EPOCH_NONE */
    uint64_t since;      /* label epoch for which it was computed, or BERTH__EPOCH_NONE */
    uint64_t order;      /* the layout's order epoch then */
    uint32_t *domains;   /* by slot: from 1, in order of first appearance; 0: no such label */
    uint64_t *present;   /* one bit per slot: the node has the label */
    uint32_t tile_count; /* capacity of the two */
    berth__sym *values;  /* by domain */
    uint32_t value_capacity;
    uint32_t domain_count;
    uint32_t present_count; /* slots that have the label */
    uint32_t empty_domain;  /* of the value "", or 0 */
    bool unique;            /* no two slots share a domain */
} berth__topology;

/* Bring a topology up to date with the layout. Returns false when out of memory. */
bool berth__topology_refresh(berth__topology *topology, berth__layout *layout,
                             const berth__cow_array *nodes, berth__sym empty);

/* Free what a topology holds (not the struct). */
void berth__topology_clear(berth__topology *topology, const berth_allocator *allocator);

/* A set of slots, found by the words that describe it. */
typedef struct berth__inclusion {
    berth__keymap_entry entry;
    uint32_t users;
    uint32_t key_bytes;
    bool by_taints;      /* taints decide, too; set by the code that fills the set, like: */
    uint64_t epoch;      /* berth__inclusion_epoch for which it is valid, or BERTH__EPOCH_NONE */
    uint64_t since;      /* the same for which it was filled, or BERTH__EPOCH_NONE */
    uint64_t *slots;     /* one bit per slot */
    uint32_t tile_count; /* capacity */
    bool all;            /* every slot is in the set */
} berth__inclusion;

/* The layout's epoch of what decides such a set; NULL stands for all slots. */
static inline uint64_t berth__inclusion_epoch(const berth__layout *layout,
                                              const berth__inclusion *inclusion)
{
    return inclusion != NULL && inclusion->by_taints ? layout->rule_epoch : layout->label_epoch;
}

#endif
