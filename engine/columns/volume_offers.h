/* Where offers of volumes changed: the slots for which a storage class got or lost a free
 * PersistentVolume, or published capacity. What depends on these offers and on node facts alone can
 * be kept by slot, and repaired where something changed.
 *
 * The shelves of the store (store/shelves.h) say which labels chose a volume or a capacity; here
 * these become slots.
 *
 * Memory: 16 KiB, and tables by value (value_slots.h).
 * Threads: the deciding thread only. */
#ifndef BERTH_COLUMNS_VOLUME_OFFERS_H
#define BERTH_COLUMNS_VOLUME_OFFERS_H

#include "base/limit.h"
#include "columns/value_slots.h"
#include "store/storage.h"

enum { BERTH__OFFER_CHANGES = BERTH__LIMIT(1024, 4) }; /* the last ones, which are kept */
enum { BERTH__OFFER_TABLES = 2 };

typedef struct berth__offer_change {
    uint64_t classes; /* the storage class, see berth__offer_class */
    uint32_t slot;    /* BERTH__SLOT_NONE: any slots */
} berth__offer_change;

typedef struct berth__volume_offers {
    uint64_t seen_volumes, seen_capacities; /* changes of the store's shelves */
    /* Change i is at changes[i % BERTH__OFFER_CHANGES]. Something kept since before change
     * `void_end` is void. */
    berth__offer_change changes[BERTH__OFFER_CHANGES];
    uint64_t end, void_end;
    berth__value_slots by_value[BERTH__OFFER_TABLES]; /* of the labels asked about last */
} berth__volume_offers;

void berth__volume_offers_init(berth__volume_offers *offers, const berth_allocator *allocator);
void berth__volume_offers_destroy(berth__volume_offers *offers);

/* A set of storage classes, given one: a bit, which it may share with others. */
static inline uint64_t berth__offer_class(berth__sym name)
{
    return UINT64_C(1) << (name % 64);
}

/* Take over the store's changes, with the layout in use. Changes that can't be found out, because
 * there are too many or memory is short, are taken as changes of all slots for all classes. Cost:
 * for each change of the store, a look-up by value (value_slots.h). */
void berth__volume_offers_follow(berth__volume_offers *offers, const berth__storage *storage,
                                 berth__layout *layout, const berth__cow_array *nodes);

/* List the slots that changed for these classes after the first `seen` changes; a slot may be
 * listed twice. Returns their number, or `room` + 1 if there are more or any slot may have. */
uint32_t berth__volume_offers_since(const berth__volume_offers *offers, uint64_t seen,
                                    uint64_t classes, uint32_t *slots, uint32_t room);

#endif
