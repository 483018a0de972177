/* Turns changes of the store's shelves into changes of slots. */
#include "columns/volume_offers.h"

/* A shelf that more nodes read is taken to be for all. */
enum { SLOTS_MAX = 32 };

void berth__volume_offers_init(berth__volume_offers *offers, const berth_allocator *allocator)
{
    for (uint32_t i = 0; i < BERTH__OFFER_TABLES; i++)
        offers->by_value[i].allocator = allocator;
}

void berth__volume_offers_destroy(berth__volume_offers *offers)
{
    for (uint32_t i = 0; i < BERTH__OFFER_TABLES; i++)
        berth__value_slots_destroy(&offers->by_value[i]);
}

static void note(berth__volume_offers *offers, berth__sym class_name, uint32_t slot)
{
    offers->changes[offers->end++ % BERTH__OFFER_CHANGES] =
        (berth__offer_change){berth__offer_class(class_name), slot};
}

static void void_all(berth__volume_offers *offers)
{
    offers->void_end = ++offers->end;
}

/* The table of a label; it may have to be made in place of another one. */
static berth__value_slots *table_of(berth__volume_offers *offers, berth__sym label)
{
    for (uint32_t i = 0; i < BERTH__OFFER_TABLES; i++)
        if (offers->by_value[i].label == label)
            return &offers->by_value[i];
    for (uint32_t i = 0; i < BERTH__OFFER_TABLES; i++)
        if (offers->by_value[i].label == 0)
            return &offers->by_value[i];
    return &offers->by_value[label % BERTH__OFFER_TABLES];
}

/* Note the slots that read a shelf. False: out of memory. */
static bool note_shelf(berth__volume_offers *offers, const berth__shelf_change *change,
                       berth__layout *layout, const berth__cow_array *nodes)
{
    uint32_t slots[SLOTS_MAX], found = SLOTS_MAX + 1;
    if (change->label != 0) {
        const berth__sym *column = berth__layout_column(layout, nodes, change->label);
        if (column == NULL)
            return false;
        found = berth__value_slots_find(table_of(offers, change->label), layout, change->label,
                                        column, change->value, slots, SLOTS_MAX);
    }
    if (found > SLOTS_MAX)
        note(offers, change->owner, BERTH__SLOT_NONE);
    for (uint32_t i = 0; i < found && found <= SLOTS_MAX; i++)
        note(offers, change->owner, slots[i]);
    return true;
}

static void follow(berth__volume_offers *offers, const berth__shelves *shelves, uint64_t *seen,
                   berth__layout *layout, const berth__cow_array *nodes)
{
    bool known = shelves->change_count - *seen <= BERTH__SHELF_CHANGES;
    for (uint64_t i = *seen; known && i != shelves->change_count; i++)
        known = note_shelf(offers, &shelves->changes[i % BERTH__SHELF_CHANGES], layout, nodes);
    *seen = shelves->change_count;
    if (!known)
        void_all(offers);
}

void berth__volume_offers_follow(berth__volume_offers *offers, const berth__storage *storage,
                                 berth__layout *layout, const berth__cow_array *nodes)
{
    follow(offers, &storage->free_volumes, &offers->seen_volumes, layout, nodes);
    follow(offers, &storage->capacities, &offers->seen_capacities, layout, nodes);
}

uint32_t berth__volume_offers_since(const berth__volume_offers *offers, uint64_t seen,
                                    uint64_t classes, uint32_t *slots, uint32_t room)
{
    uint32_t count = 0;
    if (seen < offers->void_end || offers->end - seen > BERTH__OFFER_CHANGES)
        return room + 1;
    for (uint64_t i = seen; i != offers->end; i++) {
        const berth__offer_change *change = &offers->changes[i % BERTH__OFFER_CHANGES];
        if ((change->classes & classes) == 0)
            continue;
        if (change->slot == BERTH__SLOT_NONE || count == room)
            return room + 1;
        slots[count++] = change->slot;
    }
    return count;
}
