/* Lists nodes by zone, and interleaves the zones into the order that searches follow. */
#include "columns/node_tree.h"

#include <string.h>

#include "base/assert.h"

void berth__node_tree_init(berth__node_tree *tree, const berth_allocator *allocator)
{
    *tree = (berth__node_tree){.allocator = allocator};
}

void berth__node_tree_destroy(berth__node_tree *tree)
{
    if (tree->allocator == NULL)
        return;
    for (uint32_t i = 0; i < tree->zone_count; i++)
        berth__free(tree->allocator, tree->zones[i].nodes,
                    tree->zones[i].capacity * sizeof(uint32_t));
    berth__free(tree->allocator, tree->zones, tree->zone_capacity * sizeof(*tree->zones));
    *tree = (berth__node_tree){0};
}

berth__node_tree *berth__node_tree_create(const berth_allocator *allocator)
{
    berth__node_tree *tree = berth__alloc(allocator, sizeof(*tree), _Alignof(berth__node_tree));
    if (tree != NULL)
        berth__node_tree_init(tree, allocator);
    return tree;
}

void berth__node_tree_free(berth__node_tree *tree)
{
    if (tree == NULL)
        return;
    const berth_allocator *allocator = tree->allocator;
    berth__node_tree_destroy(tree);
    berth__free(allocator, tree, sizeof(*tree));
}

void berth__node_tree_release(const berth_allocator *allocator, void *context, void *object,
                              size_t bytes)
{
    (void)allocator;
    (void)context;
    (void)bytes;
    berth__node_tree_free(object);
}

static bool copy_zones(berth__node_tree *to, const berth__node_tree *from)
{
    if (!berth__grow(to->allocator, &to->zones, &to->zone_capacity, from->zone_count,
                     sizeof(*to->zones)))
        return false;
    for (uint32_t i = 0; i < from->zone_count; i++) {
        berth__tree_zone *zone = &to->zones[i];
        *zone = (berth__tree_zone){.zone = from->zones[i].zone};
        if (!berth__grow(to->allocator, &zone->nodes, &zone->capacity, from->zones[i].count,
                         sizeof(uint32_t)))
            return false;
        to->zone_count++;
        zone->count = from->zones[i].count;
        memcpy(zone->nodes, from->zones[i].nodes, zone->count * sizeof(uint32_t));
    }
    to->node_count = from->node_count;
    to->epoch = from->epoch;
    return true;
}

berth__node_tree *berth__node_tree_copy(const berth__node_tree *tree)
{
    berth__node_tree *copy = berth__node_tree_create(tree->allocator);
    if (copy == NULL || copy_zones(copy, tree))
        return copy;
    berth__node_tree_free(copy);
    return NULL;
}

static berth__tree_zone *find_zone(const berth__node_tree *tree, berth__sym zone)
{
    for (uint32_t i = 0; i < tree->zone_count; i++)
        if (tree->zones[i].zone == zone)
            return &tree->zones[i];
    return NULL;
}

bool berth__node_tree_add(berth__node_tree *tree, berth__sym zone, uint32_t node)
{
    berth__tree_zone *found = find_zone(tree, zone);
    if (found == NULL) {
        if (!berth__grow(tree->allocator, &tree->zones, &tree->zone_capacity, tree->zone_count + 1,
                         sizeof(*tree->zones)))
            return false;
        found = &tree->zones[tree->zone_count];
        *found = (berth__tree_zone){.zone = zone};
        if (!berth__grow(tree->allocator, &found->nodes, &found->capacity, 1, sizeof(uint32_t)))
            return false;
        tree->zone_count++;
    }
    if (!berth__grow(tree->allocator, &found->nodes, &found->capacity, found->count + 1,
                     sizeof(uint32_t)))
        return false;
    found->nodes[found->count++] = node;
    tree->node_count++;
    tree->epoch++;
    return true;
}

void berth__node_tree_take(berth__node_tree *tree, berth__sym zone, uint32_t node,
                           berth__tree_place *place)
{
    berth__tree_zone *found = find_zone(tree, zone);
    BERTH_ASSERT(found != NULL);
    uint32_t at = 0;
    while (found->nodes[at] != node) {
        at++;
        BERTH_ASSERT(at < found->count);
    }
    *place = (berth__tree_place){zone, (uint32_t)(found - tree->zones), at, {0}};
    memmove(&found->nodes[at], &found->nodes[at + 1], (found->count - at - 1) * sizeof(uint32_t));
    found->count--;
    tree->node_count--;
    tree->epoch++;
    if (found->count > 0)
        return;
    place->gone = *found;
    memmove(found, found + 1, (tree->zone_count - place->zone_index - 1) * sizeof(*found));
    tree->zone_count--;
}

void berth__node_tree_put_back(berth__node_tree *tree, uint32_t node,
                               const berth__tree_place *place)
{
    berth__tree_zone *zone = &tree->zones[place->zone_index];
    if (place->gone.nodes != NULL) {
        memmove(zone + 1, zone, (tree->zone_count - place->zone_index) * sizeof(*zone));
        *zone = place->gone;
        tree->zone_count++;
    }
    BERTH_ASSERT(zone->zone == place->zone && zone->count < zone->capacity);
    memmove(&zone->nodes[place->index + 1], &zone->nodes[place->index],
            (zone->count - place->index) * sizeof(uint32_t));
    zone->nodes[place->index] = node;
    zone->count++;
    tree->node_count++;
    tree->epoch++;
}

void berth__tree_place_free(const berth__node_tree *tree, berth__tree_place *place)
{
    berth__free(tree->allocator, place->gone.nodes, place->gone.capacity * sizeof(uint32_t));
}

void berth__node_tree_remove(berth__node_tree *tree, berth__sym zone, uint32_t node)
{
    berth__tree_place place;
    berth__node_tree_take(tree, zone, node, &place);
    berth__tree_place_free(tree, &place);
}

void berth__node_tree_list(const berth__node_tree *tree, uint32_t *out)
{
    uint32_t written = 0;
    for (uint32_t round = 0; written < tree->node_count; round++)
        for (uint32_t z = 0; z < tree->zone_count; z++)
            if (round < tree->zones[z].count)
                out[written++] = tree->zones[z].nodes[round];
}
