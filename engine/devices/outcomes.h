/* What searches came to, by what was asked and by slot: pods that ask alike share it, and a node is
 * searched again only when what it sees has changed.
 *
 * What a search came to is shared by nodes of one shape, too (devices/node_shape.h).
 * An outcome holds while the catalog and the node facts are what they are, and no use of a device
 * in a pool of which the node is offered something has changed; of such nodes there is a ring.
 * Texts are compared by their ids, so all is void when texts were given up. Threads: as of the
 * devices that it belongs to. */
#ifndef BERTH_DEVICES_OUTCOMES_H
#define BERTH_DEVICES_OUTCOMES_H

#include "base/bits.h"
#include "columns/view.h"
#include "devices/catalog.h"
#include "devices/node_shape.h"

enum {
    BERTH__OUTCOME_UNKNOWN = 0, /* other values are the asker's */
    BERTH__OUTCOMES_MAX = 32,   /* kinds that are kept */
    BERTH__NODES_CHANGED = 1024,
};

/* Of one kind of claims. */
typedef struct berth__outcomes {
    berth__keymap_entry entry;
    uint64_t used;   /* when it was asked for last */
    uint64_t seen;   /* of the ring */
    uint32_t sights; /* decisions about it */
    uint32_t filled; /* slots that were looked at ahead of being asked for */
    uint32_t bad;    /* nodes whose outcome is an error */
    uint32_t slot_count;
    uint8_t *by_slot;      /* 0: unknown */
    int16_t *scores;       /* likewise, of what a search chose */
    uint64_t *known, *fit; /* bits by slot, whole tiles: whether it is known, and good */
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
    uint64_t build, layout_epoch, removals; /* of what is kept */
    uint32_t changed[BERTH__NODES_CHANGED]; /* node ids; entry i is at i % BERTH__NODES_CHANGED */
    uint64_t changed_end;
    uint64_t void_until; /* of the ring: before it every node may have changed */
} berth__outcome_table;

berth_status berth__outcomes_init(berth__outcome_table *table, const berth_allocator *allocator);
void berth__outcomes_destroy(berth__outcome_table *table);

/* The state that all outcomes are of from now on; those of another one are forgotten. */
void berth__outcomes_follow(berth__outcome_table *table, uint64_t build, uint64_t layout_epoch,
                            uint64_t removals);

/* A device of the pool (NULL: of none that is offered) is used otherwise. */
void berth__outcomes_note(berth__outcome_table *table, const berth__offer_pool *pool);

/* The outcomes of what a search is for, made ready for nodes with ids: those that have
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
