/* How full nodes are with volumes of each driver: a column by node id for each requested driver.
 * The columns follow volumes as they come and go, so a filter can compare a whole tile of nodes. */
#include <string.h>

#include "columns/topology.h"
#include "columns/volume_use.h"

/* The room left under a driver's limit on a node; INT32_MAX if there is no limit. */
static int64_t room_of(const berth__node_volumes *volumes, berth__sym driver)
{
    if (volumes == NULL || volumes->record == NULL || volumes->record->facts == NULL)
        return INT32_MAX;
    const berth__driver_limit *limit = berth__csi_limit(volumes->record->facts, driver);
    return limit != NULL ? limit->count - (int64_t)berth__volumes_attached(volumes, driver)
                         : INT32_MAX;
}

uint32_t berth__driver_fill_of(const berth__node_volumes *volumes, berth__sym driver)
{
    int64_t room = room_of(volumes, driver);
    room = room < -1 ? -1 : room > INT32_MAX ? INT32_MAX : room;
    return (uint32_t)(INT32_MAX - room);
}

static void set_slot(berth__driver_fill *fill, uint32_t slot, uint32_t own)
{
    uint32_t *most = &fill->most[slot / BERTH__TILE];
    fill->slots[slot] = own;
    *most = own > *most ? own : *most;
}

void berth__driver_fills_change(berth__volume_use *use, uint32_t node_id)
{
    const uint32_t slot = node_id < use->slot_capacity ? use->slots[node_id] : 0;
    for (uint32_t i = 0; i < use->fill_count; i++) {
        berth__driver_fill *fill = &use->fills[i];
        if (node_id >= fill->capacity)
            continue;
        const uint32_t own =
            berth__driver_fill_of(berth__volume_use_of(use, node_id), fill->driver);
        fill->nodes[node_id] = own;
        if (slot > 0 && fill->order == use->slots_order)
            set_slot(fill, slot - 1, own);
    }
}

void berth__driver_fills_destroy(berth__volume_use *use)
{
    for (uint32_t i = 0; i < use->fill_count; i++) {
        berth__free(use->allocator, use->fills[i].nodes,
                    use->fills[i].capacity * sizeof(*use->fills[i].nodes));
        berth__free(use->allocator, use->fills[i].slots,
                    use->fills[i].slot_capacity * sizeof(*use->fills[i].slots));
        berth__free(use->allocator, use->fills[i].most,
                    use->fills[i].tile_count * sizeof(*use->fills[i].most));
    }
    berth__free(use->allocator, use->slots, use->slot_capacity * sizeof(*use->slots));
    use->slots = NULL;
    use->slot_capacity = 0;
    use->fill_count = 0;
}

/* Make the column long enough and compute its new entries. */
static bool extend(berth__volume_use *use, berth__driver_fill *fill, uint32_t end)
{
    uint32_t before = fill->capacity;
    if (end <= before)
        return true;
    if (!berth__grow(use->allocator, &fill->nodes, &fill->capacity, end, sizeof(*fill->nodes)))
        return false;
    for (uint32_t id = before; id < fill->capacity; id++)
        fill->nodes[id] = berth__driver_fill_of(berth__volume_use_of(use, id), fill->driver);
    return true;
}

/* Record the slot of each node, for all columns. From now on, changes do not reach `most` of
 * columns of another layout. So these are out of date, even if the next branch has their layout
 * again. */
static bool find_slots(berth__volume_use *use, const berth__layout *layout, uint32_t end)
{
    if (use->slots_order == layout->order_epoch && use->slots != NULL)
        return true;
    if (!berth__grow(use->allocator, &use->slots, &use->slot_capacity, end, sizeof(*use->slots)))
        return false;
    for (uint32_t i = 0; i < use->fill_count; i++)
        use->fills[i].order = BERTH__EPOCH_NONE;
    memset(use->slots, 0, use->slot_capacity * sizeof(*use->slots));
    for (uint32_t slot = 0; slot < layout->count; slot++)
        use->slots[layout->nodes[slot]] = slot + 1;
    use->slots_order = layout->order_epoch;
    return true;
}

/* Compute the entry of each slot, and the largest of each tile. */
static bool fill_slots(berth__volume_use *use, const berth__layout *layout,
                       berth__driver_fill *fill)
{
    if (fill->nodes == NULL || layout->tile_count == 0)
        return layout->tile_count == 0;
    const uint32_t room = (layout->tile_count + BERTH__TILE - 1) / BERTH__TILE * BERTH__TILE;
    if (!berth__grow(use->allocator, &fill->slots, &fill->slot_capacity,
                     layout->tile_count * BERTH__TILE, sizeof(*fill->slots)) ||
        (fill->tile_count < room &&
         !berth__grow(use->allocator, &fill->most, &fill->tile_count, room, sizeof(*fill->most))))
        return false;
    memset(fill->most, 0, fill->tile_count * sizeof(*fill->most));
    for (uint32_t slot = 0; slot < layout->count; slot++)
        set_slot(fill, slot, fill->nodes[layout->nodes[slot]]);
    for (uint32_t slot = layout->count; slot < layout->tile_count * BERTH__TILE; slot++)
        fill->slots[slot] = 0;
    return true;
}

static bool bring_up(berth__volume_use *use, const berth__layout *layout, berth__driver_fill *fill)
{
    uint32_t end = use->node_capacity + 1;
    for (uint32_t slot = 0; slot < layout->count; slot++)
        end = layout->nodes[slot] >= end ? layout->nodes[slot] + 1 : end;
    return extend(use, fill, end) && find_slots(use, layout, end) && fill_slots(use, layout, fill);
}

const berth__driver_fill *berth__driver_fill_get(berth__volume_use *use, berth__sym driver,
                                                 const berth__layout *layout)
{
    uint32_t at = 0;
    while (at < use->fill_count && use->fills[at].driver != driver)
        at++;
    if (at == BERTH__DRIVER_FILLS_MAX)
        return NULL;
    berth__driver_fill *fill = &use->fills[at];
    if (at == use->fill_count) {
        *fill = (berth__driver_fill){.driver = driver, .order = BERTH__EPOCH_NONE};
        use->fill_count++; /* so that its memory is freed */
    }
    if (fill->order != layout->order_epoch || fill->nodes == NULL) {
        fill->order = BERTH__EPOCH_NONE;
        if (!bring_up(use, layout, fill))
            return NULL;
        fill->order = layout->order_epoch;
    }
    return fill;
}

berth__mask berth__driver_fill_room(const berth__driver_fill *fill, const berth__kernels *kernels,
                                    uint32_t tile, uint32_t count)
{
    berth__mask out = {{UINT64_MAX, UINT64_MAX}};
    if (count <= INT32_MAX && fill->most[tile] <= INT32_MAX - count)
        return out;
    kernels->at_most(fill->slots + (size_t)tile * BERTH__TILE, INT32_MAX - count, &out);
    return out;
}

void berth__driver_fill_busy(const berth__driver_fill *fill, const berth__layout *layout,
                             const berth__kernels *kernels, uint32_t count, uint64_t *tiles)
{
    const uint32_t words = (layout->tile_count + 63) / 64;
    for (uint32_t first = 0; first < words; first += BERTH__TILE_WORDS) {
        berth__mask roomy = {{0}};
        if (count <= INT32_MAX) {
            roomy = (berth__mask){{UINT64_MAX, UINT64_MAX}};
            kernels->at_most(fill->most + (size_t)first * 64, INT32_MAX - count, &roomy);
        }
        for (uint32_t w = 0; w < BERTH__TILE_WORDS && first + w < words; w++)
            tiles[first + w] |= ~roomy.words[w];
    }
}
