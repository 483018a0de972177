/* Image columns, with one bit per slot for each requested image: makes them, fills them tile by
 * tile, keeps them up to date and copies them. */
#include "columns/image_column.h"

#include "base/search.h"
#include "columns/image_table.h"

static berth__image_column *columns_of(const berth__layout *layout)
{
    return atomic_load_explicit(&layout->image_columns, memory_order_acquire); /* COLUMN-1 */
}

static size_t column_bytes(const berth__layout *layout)
{
    return sizeof(berth__image_column) + layout->tile_count * sizeof(berth__image_tile);
}

static berth__image_column *make_column(const berth__layout *layout, berth__sym name)
{
    berth__image_column *column = berth__alloc_zero(layout->allocator, column_bytes(layout), 64);
    if (column != NULL)
        column->name = name;
    return column;
}

berth__image_column *berth__image_column_get(berth__layout *layout, berth__sym name)
{
    berth__image_column *first = columns_of(layout);
    uint32_t count = 0;
    for (berth__image_column *column = first; column != NULL; column = column->next, count++)
        if (column->name == name)
            return column;
    berth__image_column *column =
        count < BERTH__IMAGE_COLUMNS_MAX ? make_column(layout, name) : NULL;
    if (column == NULL)
        return NULL;
    /* Two threads may make the same column at the same time. Both columns are right, and the one in
     * front is found. */
    column->next = first;
    while (!atomic_compare_exchange_weak_explicit(&layout->image_columns, &column->next, column,
                                                  memory_order_release,
                                                  memory_order_acquire)) /* COLUMN-1 */
        ;
    return column;
}

/* ---- bits ---- */

static bool has_image(const berth__node_facts *facts, berth__sym name)
{
    const berth__node_image *images = berth__node_images(facts); /* sorted by name */
    uint32_t place;
    BERTH__SEARCH(place, facts->image_count, i, images[i].name < name);
    return place < facts->image_count && images[place].name == name;
}

/* The nodes' lists lie far apart, so prefetch all of them before reading the first. */
static berth__mask read_nodes(const berth__layout *layout, const berth__cow_array *nodes,
                              berth__sym name, uint32_t tile)
{
    const berth__node_facts *facts[BERTH__TILE];
    uint32_t base = tile * BERTH__TILE, count = layout->count - base;
    if (count > BERTH__TILE)
        count = BERTH__TILE;
    for (uint32_t s = 0; s < count; s++) {
        facts[s] = berth__node_at(nodes, layout->nodes[base + s])->facts;
        __builtin_prefetch(&facts[s]->image_count);
    }
    berth__mask bits = {{0}};
    for (uint32_t s = 0; s < count; s++)
        if (has_image(facts[s], name))
            berth__bit_set(bits.words, s);
    return bits;
}

static berth__mask load_tile(const berth__image_tile *tile)
{
    berth__mask bits;
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        /* relaxed: after `known` was acquired (COLUMN-2) */
        bits.words[w] = atomic_load_explicit(&tile->words[w], memory_order_relaxed);
    return bits;
}

static void store_tile(berth__image_tile *tile, const berth__mask *bits)
{
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        /* relaxed: `known` releases them; several threads may write the same */
        atomic_store_explicit(&tile->words[w], bits->words[w], memory_order_relaxed);
    atomic_store_explicit(&tile->known, true, memory_order_release); /* COLUMN-2 */
}

static bool is_known(const berth__image_tile *tile)
{
    return atomic_load_explicit(&tile->known, memory_order_acquire); /* COLUMN-2 */
}

berth__mask berth__image_column_bits(const berth__layout *layout, const berth__cow_array *nodes,
                                     berth__image_column *column, berth__sym name, uint32_t tile)
{
    if (column != NULL && is_known(&column->tiles[tile]))
        return load_tile(&column->tiles[tile]);
    const berth__image_table *table = berth__image_table_get(layout, nodes, tile);
    berth__mask bits = table != NULL ? berth__image_table_slots(table, name)
                                     : read_nodes(layout, nodes, name, tile);
    if (column != NULL)
        store_tile(&column->tiles[tile], &bits);
    return bits;
}

bool berth__image_column_has(const berth__layout *layout, const berth__cow_array *nodes,
                             berth__image_column *column, berth__sym name, uint32_t slot)
{
    const uint32_t tile = slot / BERTH__TILE, s = slot % BERTH__TILE;
    if (column == NULL)
        return has_image(berth__node_at(nodes, layout->nodes[slot])->facts, name);
    if (is_known(&column->tiles[tile])) {
        const atomic_uint_least64_t *word = &column->tiles[tile].words[s / 64];
        /* relaxed: after `known` was acquired (COLUMN-2) */
        return (atomic_load_explicit(word, memory_order_relaxed) >> s % 64 & 1) != 0;
    }
    const berth__mask bits = berth__image_column_bits(layout, nodes, column, name, tile);
    return berth__bit_get(bits.words, s);
}

/* ---- for the layout ---- */

void berth__image_columns_set(berth__layout *layout, uint32_t slot, const berth__node_facts *facts)
{
    for (berth__image_column *column = columns_of(layout); column != NULL; column = column->next) {
        berth__image_tile *tile = &column->tiles[slot / BERTH__TILE];
        if (!is_known(tile))
            continue;
        berth__mask bits = load_tile(tile);
        berth__bit_put(bits.words, slot % BERTH__TILE, has_image(facts, column->name));
        store_tile(tile, &bits);
    }
}

bool berth__image_columns_copy(berth__layout *to, const berth__layout *from)
{
    for (const berth__image_column *old = columns_of(from); old != NULL; old = old->next) {
        berth__image_column *column = make_column(to, old->name);
        if (column == NULL)
            return false;
        for (uint32_t tile = 0; tile < to->tile_count; tile++) {
            if (!is_known(&old->tiles[tile]))
                continue;
            berth__mask bits = load_tile(&old->tiles[tile]);
            store_tile(&column->tiles[tile], &bits);
        }
        column->next = columns_of(to);
        atomic_init(&to->image_columns, column);
    }
    return true;
}

void berth__image_columns_free(const berth__layout *layout)
{
    for (berth__image_column *column = columns_of(layout), *next; column != NULL; column = next) {
        next = column->next;
        berth__free(layout->allocator, column, column_bytes(layout));
    }
}
