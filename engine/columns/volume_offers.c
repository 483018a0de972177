/* Turns changes of the store's shelves into changes of slots. */
#include "columns/volume_offers.h"

#include "columns/tile.h"

/* A shelf that more nodes read is taken to be for all. */
enum { SLOTS_MAX = 32 };

static void note(berth__volume_offers *offers, berth__sym class_name, uint32_t slot)
{
    offers->changes[offers->end++ % BERTH__OFFER_CHANGES] =
        (berth__offer_change){berth__offer_class(class_name), slot};
}

static void void_all(berth__volume_offers *offers)
{
    offers->void_end = ++offers->end;
}

/* Note the slots of a run that have the value. Returns their number. */
static uint32_t note_run(berth__volume_offers *offers, const berth__shelf_change *change,
                         const berth__sym *column, uint32_t first, uint32_t count)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++)
        found += column[first + i] == change->value;
    for (uint32_t i = 0; i < count && found > 0; i++)
        if (column[first + i] == change->value)
            note(offers, change->owner, first + i);
    return found;
}

/* Note the slots that read a shelf. False: out of memory. */
static bool note_shelf(berth__volume_offers *offers, const berth__shelf_change *change,
                       berth__layout *layout, const berth__cow_array *nodes)
{
    uint32_t found = SLOTS_MAX + 1;
    if (change->label != 0) {
        const berth__sym *column = berth__layout_column(layout, nodes, change->label);
        if (column == NULL)
            return false;
        found = 0;
        for (uint32_t first = 0; first < layout->count && found <= SLOTS_MAX;
             first += BERTH__TILE) {
            const uint32_t rest = layout->count - first;
            found +=
                note_run(offers, change, column, first, rest < BERTH__TILE ? rest : BERTH__TILE);
        }
    }
    if (found > SLOTS_MAX)
        note(offers, change->owner, BERTH__SLOT_NONE);
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
