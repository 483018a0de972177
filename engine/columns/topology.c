/* Topology keys as columns: numbers the values of a label and stores the number of each slot. */
#include "columns/topology.h"

#include <string.h>

#include "base/bits.h"
#include "base/hash.h"
#include "columns/facts_news.h"

static void free_columns(berth__topology *topology, const berth_allocator *allocator)
{
    size_t slots = (size_t)topology->tile_count * BERTH__TILE;
    berth__free(allocator, topology->domains, slots * sizeof(*topology->domains));
    berth__free(allocator, topology->present, slots / 8);
    topology->domains = NULL;
    topology->present = NULL;
    topology->tile_count = 0;
}

void berth__topology_clear(berth__topology *topology, const berth_allocator *allocator)
{
    free_columns(topology, allocator);
    berth__free(allocator, topology->values, topology->value_capacity * sizeof(*topology->values));
    topology->values = NULL;
    topology->value_capacity = 0;
    topology->epoch = topology->since = BERTH__EPOCH_NONE;
}

static bool reserve(berth__topology *topology, const berth_allocator *allocator,
                    uint32_t tile_count)
{
    if (topology->domains != NULL && topology->present != NULL &&
        tile_count == topology->tile_count)
        return true;
    free_columns(topology, allocator);
    size_t slots = (size_t)tile_count * BERTH__TILE;
    topology->tile_count = tile_count;
    topology->domains = berth__alloc_zero(allocator, slots * sizeof(*topology->domains), 64);
    topology->present = berth__alloc_zero(allocator, slots / 8, 64);
    return topology->domains != NULL && topology->present != NULL;
}

/* Domains by value, for the values seen so far: open addressing. */
typedef struct numbering {
    uint32_t *slots;
    uint32_t mask;
} numbering;

/* The domain of a value; 0 when out of memory. */
static uint32_t domain_of(berth__topology *topology, const berth_allocator *allocator,
                          const numbering *table, berth__sym value)
{
    uint32_t at = (uint32_t)berth__hash_secret_word(value) & table->mask;
    for (; table->slots[at] != 0; at = (at + 1) & table->mask)
        if (topology->values[table->slots[at]] == value)
            return table->slots[at];
    uint32_t domain = topology->domain_count + 1;
    if (!berth__grow(allocator, &topology->values, &topology->value_capacity, domain + 1,
                     sizeof(*topology->values)))
        return 0;
    topology->values[domain] = value;
    topology->domain_count = domain;
    table->slots[at] = domain;
    return domain;
}

/* Neighbouring slots often have the same value, or cycle through a few values, so try the last
 * domain first. */
static bool number_slots(berth__topology *topology, const berth__layout *layout,
                         const berth__sym *column, const numbering *table)
{
    berth__sym last = 0;
    uint32_t last_domain = 0;
    for (uint32_t slot = 0; slot < layout->count; slot++) {
        if (column[slot] != last) {
            last = column[slot];
            last_domain = 0;
            if (last != 0)
                last_domain = domain_of(topology, layout->allocator, table, last);
            if (last != 0 && last_domain == 0)
                return false;
        }
        topology->domains[slot] = last_domain;
        topology->present_count += last_domain != 0;
        berth__bit_put(topology->present, slot, last_domain != 0);
    }
    return true;
}

static bool has_value(const berth__topology *topology, uint32_t slot, berth__sym value)
{
    const uint32_t domain = topology->domains[slot];
    return domain != 0 ? topology->values[domain] == value : value == 0;
}

/* Whether all slots are known to have the same values as before. */
static bool follow_facts(const berth__topology *topology, const berth__layout *layout,
                         const berth__sym *column)
{
    berth__facts_news news;
    if (topology->epoch == BERTH__EPOCH_NONE ||
        !berth__facts_news_since(layout, BERTH__ON_LABELS, topology->epoch, &news))
        return false;
    for (const berth__facts_note *note;
         (note = berth__facts_news_next(layout, &news, BERTH__FACTS_LABELS)) != NULL;)
        if (!has_value(topology, note->slot, column[note->slot]))
            return false;
    return true;
}

bool berth__topology_refresh(berth__topology *topology, berth__layout *layout,
                             const berth__cow_array *nodes, berth__sym empty)
{
    if (topology->epoch == layout->label_epoch)
        return true;
    const berth_allocator *allocator = layout->allocator;
    const berth__sym *column = berth__layout_column(layout, nodes, topology->key);
    if (column != NULL && follow_facts(topology, layout, column)) {
        topology->epoch = layout->label_epoch;
        return true;
    }
    topology->epoch = topology->since = BERTH__EPOCH_NONE;
    if (column == NULL || !reserve(topology, allocator, layout->tile_count))
        return false;
    uint32_t table_size = 16;
    while (table_size < layout->count * 2)
        table_size *= 2;
    numbering table = {berth__alloc_zero(allocator, (size_t)table_size * sizeof(uint32_t), 64),
                       table_size - 1};
    if (table.slots == NULL)
        return false;
    size_t slots = (size_t)layout->tile_count * BERTH__TILE;
    memset(topology->domains, 0, slots * sizeof(*topology->domains));
    memset(topology->present, 0, slots / 8);
    topology->domain_count = topology->present_count = topology->empty_domain = 0;
    bool ok = number_slots(topology, layout, column, &table);
    berth__free(allocator, table.slots, (size_t)table_size * sizeof(uint32_t));
    for (uint32_t domain = 1; ok && domain <= topology->domain_count; domain++)
        if (topology->values[domain] == empty)
            topology->empty_domain = domain;
    topology->unique = topology->domain_count == topology->present_count;
    if (ok) {
        topology->epoch = topology->since = layout->label_epoch;
        topology->order = layout->order_epoch;
    }
    return ok;
}
