/* Makes, shares and looks up image tables. */
#include "columns/image_table.h"

#include <string.h>

#include "base/bits.h"

enum {
    READS_MAX = 8,       /* of the nodes' lists, before a table pays */
    TURNS = 32,          /* a decision makes one in so many of the tables that pay */
    ENTRIES_MAX = 65535, /* images of all nodes of a tile */
};

/* Images are found by a hash table of numbers, from 1; 0 is an empty place. Number n has the name
 * names[n - 1] and the slots slots[starts[n - 1]] to slots[starts[n] - 1], in ascending order. */
struct berth__image_table {
    const berth_allocator *allocator;
    atomic_uint users; /* layouts. sync: atomic, pair COLUMN-4 */
    uint32_t bytes;
    uint32_t bits;                /* `numbers` has 1 << bits places */
    uint16_t counts[BERTH__TILE]; /* by slot: its images */
    berth__sym *names;
    uint32_t *starts;
    uint16_t *numbers;
    uint8_t *slots;
};

/* ---- making ---- */

static uint32_t place_of(berth__sym name, uint32_t bits)
{
    return name * UINT32_C(2654435769) >> (32 - bits);
}

/* The place of a name, or the empty one where it would be. */
static uint32_t find_place(const berth__image_table *table, berth__sym name)
{
    const uint32_t mask = (UINT32_C(1) << table->bits) - 1;
    uint32_t at = place_of(name, table->bits);
    while (table->numbers[at] != 0 && table->names[table->numbers[at] - 1] != name)
        at = (at + 1) & mask;
    return at;
}

static const berth__node_facts *facts_of(const berth__layout *layout, const berth__cow_array *nodes,
                                         uint32_t slot)
{
    return berth__node_at(nodes, layout->nodes[slot])->facts;
}

/* The slots of a tile that have a node. */
static uint32_t slot_count(const berth__layout *layout, uint32_t tile)
{
    const uint32_t rest = layout->count - tile * BERTH__TILE;
    return rest < BERTH__TILE ? rest : BERTH__TILE;
}

/* A table with room for so many images, and so many slots of all of them. */
static berth__image_table *allocate(const berth_allocator *allocator, uint32_t images,
                                    uint32_t entries)
{
    uint32_t bits = 4;
    while (UINT32_C(1) << bits < 2 * images)
        bits++;
    const uint32_t places = UINT32_C(1) << bits;
    const size_t bytes = sizeof(berth__image_table) + images * sizeof(berth__sym) +
                         (images + 2) * sizeof(uint32_t) + places * sizeof(uint16_t) + entries;
    berth__image_table *table = berth__alloc_zero(allocator, bytes, 64);
    if (table == NULL)
        return NULL;
    table->allocator = allocator;
    table->bytes = (uint32_t)bytes;
    table->bits = bits;
    table->names = (berth__sym *)(void *)(table + 1);
    table->starts = (uint32_t *)(void *)(table->names + images);
    table->numbers = (uint16_t *)(void *)(table->starts + images + 2);
    table->slots = (uint8_t *)(table->numbers + places);
    return table;
}

static void destroy(berth__image_table *table)
{
    if (table != NULL)
        berth__free(table->allocator, table, table->bytes);
}

/* Number the images, and count the slots of number n at starts[n + 1]. Returns how many images
 * there are. */
static uint32_t number_images(berth__image_table *table, const berth__layout *layout,
                              const berth__cow_array *nodes, uint32_t tile)
{
    uint32_t count = 0;
    for (uint32_t s = 0; s < slot_count(layout, tile); s++) {
        const berth__node_facts *facts = facts_of(layout, nodes, tile * BERTH__TILE + s);
        const berth__node_image *images = berth__node_images(facts);
        table->counts[s] = (uint16_t)facts->image_count;
        for (uint32_t i = 0; i < facts->image_count; i++) {
            uint16_t *number = &table->numbers[find_place(table, images[i].name)];
            if (*number == 0) {
                table->names[count++] = images[i].name;
                *number = (uint16_t)count;
            }
            table->starts[*number + 1]++;
        }
    }
    return count;
}

/* Put the slots in their places: starts[n] grows from the start of number n to its end, where
 * number n + 1 starts. */
static void fill(berth__image_table *table, const berth__layout *layout,
                 const berth__cow_array *nodes, uint32_t tile)
{
    for (uint32_t s = 0; s < slot_count(layout, tile); s++) {
        const berth__node_facts *facts = facts_of(layout, nodes, tile * BERTH__TILE + s);
        const berth__node_image *images = berth__node_images(facts);
        for (uint32_t i = 0; i < facts->image_count; i++) {
            const uint16_t number = table->numbers[find_place(table, images[i].name)];
            table->slots[table->starts[number]++] = (uint8_t)s;
        }
    }
}

/* A table with just the room that the images of another one need; their slots are not in place
 * yet. */
static berth__image_table *take_images(const berth__image_table *from, uint32_t count,
                                       uint32_t entries)
{
    berth__image_table *table = allocate(from->allocator, count, entries);
    if (table == NULL)
        return NULL;
    memcpy(table->counts, from->counts, sizeof(table->counts));
    memcpy(table->names, from->names, count * sizeof(*table->names));
    for (uint32_t n = 1; n <= count; n++) {
        table->numbers[find_place(table, table->names[n - 1])] = (uint16_t)n;
        table->starts[n + 1] = table->starts[n] + from->starts[n + 1];
    }
    return table;
}

static berth__image_table *make(const berth__layout *layout, const berth__cow_array *nodes,
                                uint32_t tile)
{
    uint64_t entries = 0;
    for (uint32_t s = 0; s < slot_count(layout, tile); s++)
        entries += facts_of(layout, nodes, tile * BERTH__TILE + s)->image_count;
    if (entries > ENTRIES_MAX)
        return NULL;
    berth__image_table *largest = allocate(layout->allocator, (uint32_t)entries, (uint32_t)entries);
    if (largest == NULL)
        return NULL;
    const uint32_t count = number_images(largest, layout, nodes, tile);
    berth__image_table *table = take_images(largest, count, (uint32_t)entries);
    destroy(largest);
    if (table == NULL)
        return NULL;
    fill(table, layout, nodes, tile);
    atomic_init(&table->users, 1);
    return table;
}

/* ---- using ---- */

static void let_go(berth__image_table *table)
{
    /* COLUMN-4, acq_rel: the last user frees after all others have read */
    if (table != NULL && atomic_fetch_sub_explicit(&table->users, 1, memory_order_acq_rel) == 1)
        destroy(table);
}

static berth__image_table *table_at(const berth__image_place *place)
{
    return atomic_load_explicit(&place->table, memory_order_acquire); /* COLUMN-3 */
}

const berth__image_table *berth__image_table_get(const berth__layout *layout,
                                                 const berth__cow_array *nodes, uint32_t tile)
{
    berth__image_place *place = &layout->image_places[tile];
    berth__image_table *found = table_at(place);
    /* relaxed: a guess of what pays, on which nothing else depends */
    if (found != NULL || atomic_fetch_add_explicit(&place->reads, 1, memory_order_relaxed) <
                             READS_MAX + tile % TURNS)
        return found;
    berth__image_table *made = make(layout, nodes, tile);
    if (made == NULL) {
        /* relaxed: as above */
        atomic_store_explicit(&place->reads, 0, memory_order_relaxed);
        return NULL;
    }
    if (atomic_compare_exchange_strong_explicit(&place->table, &found, made, memory_order_release,
                                                memory_order_acquire)) /* COLUMN-3 */
        return made;
    let_go(made);
    return found;
}

berth__mask berth__image_table_slots(const berth__image_table *table, berth__sym name)
{
    berth__mask slots = {{0}};
    const uint32_t number = table->numbers[find_place(table, name)];
    if (number == 0)
        return slots;
    for (uint32_t i = table->starts[number - 1]; i < table->starts[number]; i++)
        berth__bit_set(slots.words, table->slots[i]);
    return slots;
}

/* ---- for the layout ---- */

bool berth__image_places_make(berth__layout *layout)
{
    layout->image_places = berth__alloc_zero(
        layout->allocator, layout->tile_count * sizeof(*layout->image_places), 64);
    return layout->image_places != NULL;
}

void berth__image_places_free(const berth__layout *layout)
{
    if (layout->image_places == NULL)
        return;
    for (uint32_t tile = 0; tile < layout->tile_count; tile++)
        let_go(table_at(&layout->image_places[tile]));
    berth__free(layout->allocator, layout->image_places,
                layout->tile_count * sizeof(*layout->image_places));
}

static bool has_all(const berth__image_table *table, uint32_t s, const berth__node_facts *facts)
{
    bool all = table->counts[s] == facts->image_count;
    for (uint32_t i = 0; i < facts->image_count && all; i++) {
        const berth__mask slots =
            berth__image_table_slots(table, berth__node_images(facts)[i].name);
        all = berth__bit_get(slots.words, s);
    }
    return all;
}

void berth__image_places_set(berth__layout *layout, uint32_t slot, const berth__node_facts *facts)
{
    berth__image_place *place = &layout->image_places[slot / BERTH__TILE];
    berth__image_table *table = table_at(place);
    if (table == NULL || has_all(table, slot % BERTH__TILE, facts))
        return;
    /* relaxed: nobody else uses the layout */
    atomic_store_explicit(&place->table, NULL, memory_order_relaxed);
    /* relaxed: as above */
    atomic_store_explicit(&place->reads, 0, memory_order_relaxed);
    let_go(table);
}

void berth__image_places_copy(berth__layout *to, const berth__layout *from)
{
    for (uint32_t tile = 0; tile < to->tile_count; tile++) {
        berth__image_table *table = table_at(&from->image_places[tile]);
        if (table == NULL)
            continue;
        /* relaxed: `from` holds a reference, so nobody frees the table meanwhile */
        atomic_fetch_add_explicit(&table->users, 1, memory_order_relaxed);
        atomic_init(&to->image_places[tile].table, table);
    }
}
