/* The outcomes of searches, by request and by slot: pods with equal requests share them, and a node
 * is searched again only if what it sees has changed.
 *
 * Nodes of one shape share the result of a search, too (devices/node_shape.h). An outcome holds as
 * long as the catalog and the node facts are unchanged, and no use of a device has changed in a
 * pool that offers the node something. A ring lists nodes with such changes. Texts are compared by
 * id, so all outcomes become invalid when texts are removed. Threads: those of the devices that it
 * belongs to. */
#ifndef BERTH_DEVICES_OUTCOMES_H
#define BERTH_DEVICES_OUTCOMES_H

#include "base/bits.h"
#include "base/limit.h"
#include "columns/view.h"
#include "devices/catalog.h"
#include "devices/node_shape.h"

enum {
    BERTH__OUTCOME_UNKNOWN = 0,                /* the caller defines all other values */
    BERTH__OUTCOMES_MAX = BERTH__LIMIT(32, 2), /* maximum number of kinds kept */
    BERTH__NODES_CHANGED = BERTH__LIMIT(1024, 8),
};

/* The outcomes for one kind of claims. */
typedef struct berth__outcomes {
    berth__keymap_entry entry;
    uint64_t used;   /* time of the last use */
    uint64_t seen;   /* entries of the ring applied */
    uint32_t sights; /* decisions about this kind */
    uint32_t filled; /* slots searched in advance */
    uint32_t bad;    /* nodes whose outcome is an error */
    uint32_t slot_count;
    uint8_t *by_slot;      /* 0: unknown */
    int16_t *scores;       /* by slot: the score of what a search chose */
    uint64_t *known, *fit; /* one bit per slot, whole tiles: the outcome is known; it fits */
    berth__node_shapes shapes;
    uint32_t key_bytes;
    uint32_t words[];
} berth__outcomes;

typedef struct berth__outcome_table {
    const berth_allocator *allocator;
    berth__keymap kinds;
    berth__outcomes *list[BERTH__OUTCOMES_MAX];
    uint32_t count;
    uint64_t asked;
    uint64_t build, layout_epoch, removals; /* the state that the kept outcomes belong to */
    uint32_t changed[BERTH__NODES_CHANGED]; /* node ids; entry i is at i % BERTH__NODES_CHANGED */
    uint64_t changed_end;
    uint64_t void_until; /* ring position: before it, any node may have changed */
} berth__outcome_table;

berth_status berth__outcomes_init(berth__outcome_table *table, const berth_allocator *allocator);
void berth__outcomes_destroy(berth__outcome_table *table);

/* Set the state to which all outcomes belong from now on; outcomes of another state are dropped. */
void berth__outcomes_follow(berth__outcome_table *table, uint64_t build, uint64_t layout_epoch,
                            uint64_t removals);

/* Note that the node sees other devices. */
void berth__outcomes_note_node(berth__outcome_table *table, uint32_t node);

/* Note that the use of a device of the pool has changed. */
void berth__outcomes_note(berth__outcome_table *table, const berth__offer_pool *pool);

/* The outcomes for a search's claims, brought up to date for the view's nodes: nodes that have
 * changed are unknown. NULL when out of memory. Valid until the next call. */
berth__outcomes *berth__outcomes_get(berth__outcome_table *table,
                                     const berth__device_search *search, const berth__view *view,
                                     berth__arena *arena);

void berth__outcomes_put(berth__outcomes *outcomes, uint32_t slot, berth__outcome_kept outcome);

static inline bool berth__outcomes_known(const berth__outcomes *outcomes, uint32_t slot)
{
    return berth__bit_get(outcomes->known, slot);
}

#endif
