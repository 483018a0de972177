/* The layout: nodes in slots, and facts of nodes as columns by slot. */
#include "columns/layout.h"

#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/hash.h"
#include "columns/image_column.h"
#include "columns/image_table.h"

static size_t padded(const berth__layout *layout)
{
    return (size_t)layout->tile_count * BERTH__TILE;
}

berth__layout *berth__layout_create(const berth_allocator *allocator, uint32_t count)
{
    berth__layout *layout = berth__alloc_zero(allocator, sizeof(*layout), 64);
    if (layout == NULL)
        return NULL;
    layout->allocator = allocator;
    layout->count = count;
    layout->taint_end = 1;
    layout->tile_count = (count + BERTH__TILE - 1) / BERTH__TILE;
    layout->nodes = berth__alloc_zero(allocator, padded(layout) * sizeof(uint32_t), 64);
    layout->taints = berth__alloc_zero(allocator, padded(layout) * sizeof(uint32_t), 64);
    layout->unschedulable = berth__alloc_zero(allocator, padded(layout) / 8, 64);
    layout->closed = berth__alloc_zero(allocator, padded(layout) / 8, 64);
    layout->conditions = berth__alloc_zero(allocator, padded(layout), 64);
    if (layout->nodes == NULL || layout->taints == NULL || layout->unschedulable == NULL ||
        layout->closed == NULL || layout->conditions == NULL || !berth__image_places_make(layout)) {
        berth__layout_destroy(layout);
        return NULL;
    }
    return layout;
}

static void free_mask(const berth__layout *layout, berth__value_mask *mask)
{
    berth__free(layout->allocator, mask->slots, layout->tile_count * sizeof(*mask->slots));
    berth__free(layout->allocator, mask, sizeof(*mask));
}

static berth__value_mask *masks_of(const berth__label_column *column)
{
    return atomic_load_explicit(&column->masks, memory_order_acquire); /* COLUMN-1 */
}

static void free_column(const berth__layout *layout, berth__label_column *column)
{
    for (berth__value_mask *mask = masks_of(column), *next; mask != NULL; mask = next) {
        next = mask->next;
        free_mask(layout, mask);
    }
    berth__free(layout->allocator, column->values, padded(layout) * sizeof(berth__sym));
    berth__free(layout->allocator, column, sizeof(*column));
}

static berth__label_column *columns_of(const berth__layout *layout)
{
    return atomic_load_explicit(&layout->columns, memory_order_acquire); /* COLUMN-1 */
}

static uint32_t list_of(berth__sym key)
{
    return (uint32_t)berth__hash_secret_word(key) % BERTH__COLUMN_LISTS;
}

static void push_near(berth__layout *layout, berth__label_column *column)
{
    _Atomic(berth__label_column *) *head = &layout->columns_by_hash[list_of(column->key)];
    column->near = atomic_load_explicit(head, memory_order_acquire); /* COLUMN-1 */
    while (!atomic_compare_exchange_weak_explicit(head, &column->near, column, memory_order_release,
                                                  memory_order_acquire)) /* COLUMN-1 */
        ;
}

uint32_t berth__layout_column_count(const berth__layout *layout)
{
    uint32_t count = 0;
    for (const berth__label_column *at = columns_of(layout); at != NULL; at = at->next)
        count++;
    return count;
}

void berth__layout_drop_columns(berth__layout *layout)
{
    for (berth__label_column *column = columns_of(layout), *next; column != NULL; column = next) {
        next = column->next;
        free_column(layout, column);
    }
    atomic_init(&layout->columns, NULL);
    for (uint32_t i = 0; i < BERTH__COLUMN_LISTS; i++)
        atomic_init(&layout->columns_by_hash[i], NULL);
}

void berth__layout_destroy(berth__layout *layout)
{
    if (layout == NULL)
        return;
    const berth_allocator *allocator = layout->allocator;
    berth__layout_drop_columns(layout);
    berth__image_columns_free(layout);
    berth__image_places_free(layout);
    berth__free(allocator, layout->nodes, padded(layout) * sizeof(uint32_t));
    berth__free(allocator, layout->taints, padded(layout) * sizeof(uint32_t));
    berth__free(allocator, layout->taint_users,
                layout->taint_capacity * sizeof(*layout->taint_users));
    berth__free(allocator, layout->unschedulable, padded(layout) / 8);
    berth__free(allocator, layout->closed, padded(layout) / 8);
    berth__free(allocator, layout->conditions, padded(layout));
    berth__free(allocator, layout, sizeof(*layout));
}

void berth__layout_release(const berth_allocator *allocator, void *context, void *object,
                           size_t bytes)
{
    (void)allocator;
    (void)context;
    (void)bytes;
    berth__layout_destroy(object);
}

static berth__label_column *make_column(const berth__layout *layout, berth__sym key)
{
    berth__label_column *column =
        berth__alloc_zero(layout->allocator, sizeof(*column), _Alignof(berth__label_column));
    if (column == NULL)
        return NULL;
    column->key = key;
    column->values =
        berth__alloc_zero(layout->allocator, padded(layout) * sizeof(*column->values), 64);
    if (column->values != NULL)
        return column;
    free_column(layout, column);
    return NULL;
}

bool berth__layout_expect(berth__layout *layout, berth__sym key)
{
    berth__label_column *column = make_column(layout, key);
    if (column == NULL)
        return false;
    push_near(layout, column);
    column->next = columns_of(layout);
    atomic_store_explicit(&layout->columns, column, memory_order_release); /* COLUMN-1 */
    return true;
}

bool berth__layout_expect_as(berth__layout *layout, const berth__layout *other, uint32_t most)
{
    const berth__label_column *column = columns_of(other);
    for (uint32_t i = 0; column != NULL && i < most; i++, column = column->next)
        if (!berth__layout_expect(layout, column->key))
            return false;
    return true;
}

bool berth__layout_reserve_taints(berth__layout *layout, uint32_t end)
{
    uint32_t before = layout->taint_capacity;
    if (end <= before)
        return true;
    if (!berth__grow(layout->allocator, &layout->taint_users, &layout->taint_capacity, end,
                     sizeof(*layout->taint_users)))
        return false;
    memset(layout->taint_users + before, 0,
           (layout->taint_capacity - before) * sizeof(*layout->taint_users));
    return true;
}

/* `to` has room for the taints. */
static void copy_facts(berth__layout *to, const berth__layout *from)
{
    if (from->count == 0)
        return;
    if (from->taint_capacity > 0)
        memcpy(to->taint_users, from->taint_users,
               from->taint_capacity * sizeof(*from->taint_users));
    to->taint_end = from->taint_end;
    memcpy(to->nodes, from->nodes, padded(from) * sizeof(uint32_t));
    memcpy(to->taints, from->taints, padded(from) * sizeof(uint32_t));
    memcpy(to->unschedulable, from->unschedulable, padded(from) / 8);
    memcpy(to->closed, from->closed, padded(from) / 8);
    memcpy(to->conditions, from->conditions, padded(from));
    to->closed_count = from->closed_count;
    to->unschedulable_count = from->unschedulable_count;
    to->epoch = from->epoch;
    to->rule_epoch = from->rule_epoch;
    to->label_epoch = from->label_epoch;
    to->order_epoch = from->order_epoch;
    to->tree_epoch = from->tree_epoch;
    memcpy(to->notes, from->notes, sizeof(to->notes));
    to->note_begin = from->note_begin;
    to->note_end = from->note_end;
}

berth__layout *berth__layout_copy(const berth__layout *layout)
{
    berth__layout *copy = berth__layout_create(layout->allocator, layout->count);
    if (copy == NULL || !berth__layout_reserve_taints(copy, layout->taint_capacity)) {
        berth__layout_destroy(copy);
        return NULL;
    }
    copy_facts(copy, layout);
    for (const berth__label_column *from = columns_of(layout); from != NULL; from = from->next) {
        berth__label_column *column = make_column(copy, from->key);
        if (column == NULL) {
            berth__layout_destroy(copy);
            return NULL;
        }
        if (layout->count > 0)
            memcpy(column->values, from->values, padded(copy) * sizeof(*column->values));
        push_near(copy, column);
        column->next = columns_of(copy);
        atomic_init(&copy->columns, column);
    }
    berth__image_places_copy(copy, layout);
    if (berth__image_columns_copy(copy, layout))
        return copy;
    berth__layout_destroy(copy);
    return NULL;
}

static berth__sym value_of(const berth__node_facts *facts, berth__sym key)
{
    return key == BERTH__KEY_LEGACY_ZONE ? facts->zone_legacy
                                         : berth__labels_get(berth__node_labels(facts), key);
}

void berth__layout_close(berth__layout *layout, uint32_t slot, bool closed)
{
    layout->closed_count += closed;
    layout->closed_count -= berth__bit_get(layout->closed, slot);
    berth__bit_put(layout->closed, slot, closed);
}

static void set_taints(berth__layout *layout, uint32_t slot, uint32_t list)
{
    uint32_t before = layout->taints[slot];
    BERTH_ASSERT(list == 0 || list < layout->taint_capacity);
    if (before > 0)
        layout->taint_users[before]--;
    if (list > 0)
        layout->taint_users[list]++;
    if (list >= layout->taint_end)
        layout->taint_end = list + 1;
    layout->taints[slot] = list;
}

static void set_value(berth__label_column *column, uint32_t slot, berth__sym value)
{
    column->values[slot] = value;
    for (berth__value_mask *mask = masks_of(column); mask != NULL; mask = mask->next)
        berth__bit_put(mask->slots[slot / BERTH__TILE].words, slot % BERTH__TILE,
                       mask->value == value);
}

void berth__layout_set(berth__layout *layout, uint32_t slot, uint32_t node_id,
                       const berth__node_record *node)
{
    const berth__node_facts *facts = node->facts;
    layout->nodes[slot] = node_id;
    set_taints(layout, slot, facts->taints->id);
    layout->unschedulable_count += facts->unschedulable;
    layout->unschedulable_count -= berth__bit_get(layout->unschedulable, slot);
    berth__bit_put(layout->unschedulable, slot, facts->unschedulable);
    berth__layout_close(layout, slot, node->closed);
    layout->conditions[slot] = facts->conditions;
    for (berth__label_column *column = columns_of(layout); column != NULL; column = column->next)
        set_value(column, slot, value_of(facts, column->key));
    berth__image_columns_set(layout, slot, facts);
    berth__image_places_set(layout, slot, facts);
}

static berth__label_column *find_column(const berth__layout *layout, berth__sym key)
{
    berth__label_column *column = atomic_load_explicit(&layout->columns_by_hash[list_of(key)],
                                                       memory_order_acquire); /* COLUMN-1 */
    while (column != NULL && column->key != key)
        column = column->near;
    return column;
}

static void take_values(berth__label_column *column, const berth__layout *from, uint32_t same,
                        const uint32_t *slots, uint32_t count)
{
    const berth__label_column *old = find_column(from, column->key);
    BERTH_ASSERT(old != NULL);
    if (same > 0)
        memcpy(column->values, old->values, same * sizeof(*column->values));
    for (uint32_t slot = same; slot < count; slot++)
        if (slots[slot] != BERTH__SLOT_NONE)
            column->values[slot] = old->values[slots[slot]];
}

/* The same for all facts of the first tiles but labels. */
static void take_tiles(berth__layout *layout, const berth__layout *from, uint32_t tiles)
{
    const uint32_t same = tiles * BERTH__TILE;
    if (same == 0)
        return;
    memcpy(layout->nodes, from->nodes, same * sizeof(*layout->nodes));
    memcpy(layout->unschedulable, from->unschedulable, same / 8);
    memcpy(layout->closed, from->closed, same / 8);
    memcpy(layout->conditions, from->conditions, same);
    for (uint32_t slot = 0; slot < same; slot++)
        if (from->taints[slot] != 0)
            set_taints(layout, slot, from->taints[slot]);
    for (uint32_t word = 0; word < same / 64; word++) {
        layout->unschedulable_count += (uint32_t)__builtin_popcountll(layout->unschedulable[word]);
        layout->closed_count += (uint32_t)__builtin_popcountll(layout->closed[word]);
    }
}

void berth__layout_take(berth__layout *layout, const berth__layout *from, uint32_t tiles,
                        const uint32_t *slots)
{
    const uint32_t same = tiles * BERTH__TILE;
    /* COLUMN-1 */
    BERTH_DASSERT(atomic_load_explicit(&layout->image_columns, memory_order_acquire) == NULL);
    take_tiles(layout, from, tiles);
    for (uint32_t slot = same; slot < layout->count; slot++) {
        const uint32_t old = slots[slot];
        if (old == BERTH__SLOT_NONE)
            continue;
        layout->nodes[slot] = from->nodes[old];
        set_taints(layout, slot, from->taints[old]);
        layout->unschedulable_count += berth__bit_get(from->unschedulable, old);
        berth__bit_put(layout->unschedulable, slot, berth__bit_get(from->unschedulable, old));
        berth__layout_close(layout, slot, berth__bit_get(from->closed, old));
        layout->conditions[slot] = from->conditions[old];
    }
    for (berth__label_column *column = columns_of(layout); column != NULL; column = column->next)
        take_values(column, from, same, slots, layout->count);
}

/* The column of a key, made if there is none. NULL when out of memory. */
static berth__label_column *column_of(berth__layout *layout, const berth__cow_array *nodes,
                                      berth__sym key)
{
    berth__label_column *found = find_column(layout, key);
    if (found != NULL)
        return found;
    berth__label_column *column = make_column(layout, key);
    if (column == NULL)
        return NULL;
    for (uint32_t slot = 0; slot < layout->count; slot++)
        column->values[slot] = value_of(berth__node_at(nodes, layout->nodes[slot])->facts, key);
    /* Two threads may make the same column at the same time. Both columns are right, and the one in
     * front is found. */
    push_near(layout, column);
    column->next = columns_of(layout);
    while (!atomic_compare_exchange_weak_explicit(&layout->columns, &column->next, column,
                                                  memory_order_release,
                                                  memory_order_acquire)) /* COLUMN-1 */
        ;
    return column;
}

const berth__sym *berth__layout_column(berth__layout *layout, const berth__cow_array *nodes,
                                       berth__sym key)
{
    const berth__label_column *column = column_of(layout, nodes, key);
    return column != NULL ? column->values : NULL;
}

/* ---- slots by value ---- */

static berth__value_mask *make_mask(const berth__layout *layout, const berth__label_column *column,
                                    berth__sym value)
{
    berth__value_mask *mask =
        berth__alloc_zero(layout->allocator, sizeof(*mask), _Alignof(berth__value_mask));
    if (mask == NULL)
        return NULL;
    mask->value = value;
    mask->slots =
        berth__alloc_zero(layout->allocator, layout->tile_count * sizeof(*mask->slots), 64);
    if (mask->slots == NULL) {
        free_mask(layout, mask);
        return NULL;
    }
    for (uint32_t slot = 0; slot < layout->count; slot++)
        if (column->values[slot] == value)
            berth__bit_set(mask->slots[slot / BERTH__TILE].words, slot % BERTH__TILE);
    return mask;
}

const berth__mask *berth__layout_value(berth__layout *layout, const berth__cow_array *nodes,
                                       berth__sym key, berth__sym value)
{
    berth__label_column *column = column_of(layout, nodes, key);
    if (column == NULL || layout->tile_count == 0)
        return NULL;
    for (const berth__value_mask *mask = masks_of(column); mask != NULL; mask = mask->next)
        if (mask->value == value)
            return mask->slots;
    /* relaxed: each thread may exceed the limit by one mask */
    if (atomic_fetch_add_explicit(&column->mask_count, 1, memory_order_relaxed) >=
        BERTH__VALUE_MASKS_MAX) {
        /* relaxed: as above */
        atomic_fetch_sub_explicit(&column->mask_count, 1, memory_order_relaxed);
        return NULL;
    }
    berth__value_mask *mask = make_mask(layout, column, value);
    if (mask == NULL)
        return NULL;
    mask->next = masks_of(column);
    while (!atomic_compare_exchange_weak_explicit(&column->masks, &mask->next, mask,
                                                  memory_order_release,
                                                  memory_order_acquire)) /* COLUMN-1 */
        ;
    return mask->slots;
}
