/* Columns of node facts by slot. */
#include "snapshot/layout.h"

#include "base/bits.h"

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
    layout->tile_count = (count + BERTH__TILE - 1) / BERTH__TILE;
    layout->nodes = berth__alloc_zero(allocator, padded(layout) * sizeof(uint32_t), 64);
    layout->taints = berth__alloc_zero(allocator, padded(layout) * sizeof(uint32_t), 64);
    layout->unschedulable = berth__alloc_zero(allocator, padded(layout) / 8, 64);
    layout->closed = berth__alloc_zero(allocator, padded(layout) / 8, 64);
    layout->conditions = berth__alloc_zero(allocator, padded(layout), 64);
    if (layout->nodes == NULL || layout->taints == NULL || layout->unschedulable == NULL ||
        layout->closed == NULL || layout->conditions == NULL) {
        berth__layout_destroy(layout);
        return NULL;
    }
    return layout;
}

void berth__layout_destroy(berth__layout *layout)
{
    if (layout == NULL)
        return;
    const berth_allocator *allocator = layout->allocator;
    for (uint32_t i = 0; i < layout->column_count; i++)
        berth__free(allocator, layout->columns[i].values, padded(layout) * sizeof(berth__sym));
    berth__free(allocator, layout->columns, layout->column_capacity * sizeof(*layout->columns));
    berth__free(allocator, layout->nodes, padded(layout) * sizeof(uint32_t));
    berth__free(allocator, layout->taints, padded(layout) * sizeof(uint32_t));
    berth__free(allocator, layout->unschedulable, padded(layout) / 8);
    berth__free(allocator, layout->closed, padded(layout) / 8);
    berth__free(allocator, layout->conditions, padded(layout));
    berth__free(allocator, layout, sizeof(*layout));
}

static berth__sym value_of(const berth__node_facts *facts, berth__sym key)
{
    return key == BERTH__KEY_LEGACY_ZONE ? facts->zone_legacy
                                         : berth__labels_get(facts->labels, key);
}

void berth__layout_close(berth__layout *layout, uint32_t slot, bool closed)
{
    layout->closed_count += closed;
    layout->closed_count -= berth__bit_get(layout->closed, slot);
    berth__bit_put(layout->closed, slot, closed);
}

void berth__layout_set(berth__layout *layout, uint32_t slot, uint32_t node_id,
                       const berth__node *node)
{
    const berth__node_facts *facts = node->facts;
    layout->nodes[slot] = node_id;
    layout->taints[slot] = facts->taints->id;
    layout->unschedulable_count += facts->unschedulable;
    layout->unschedulable_count -= berth__bit_get(layout->unschedulable, slot);
    berth__bit_put(layout->unschedulable, slot, facts->unschedulable);
    berth__layout_close(layout, slot, node->closed);
    layout->conditions[slot] = facts->conditions;
    for (uint32_t i = 0; i < layout->column_count; i++)
        layout->columns[i].values[slot] = value_of(facts, layout->columns[i].key);
}

const berth__sym *berth__layout_column(berth__layout *layout, berth__node *const *nodes,
                                       berth__sym key)
{
    for (uint32_t i = 0; i < layout->column_count; i++)
        if (layout->columns[i].key == key)
            return layout->columns[i].values;
    if (!berth__grow(layout->allocator, &layout->columns, &layout->column_capacity,
                     layout->column_count + 1, sizeof(*layout->columns)))
        return NULL;
    berth__sym *values =
        berth__alloc_zero(layout->allocator, padded(layout) * sizeof(*values), 64);
    if (values == NULL)
        return NULL;
    for (uint32_t slot = 0; slot < layout->count; slot++)
        values[slot] = value_of(nodes[layout->nodes[slot]]->facts, key);
    layout->columns[layout->column_count++] = (berth__label_column){key, values};
    return values;
}
