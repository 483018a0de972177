/* How full nodes are with volumes of each driver: a column by node id for each requested driver.
 * The columns follow volumes as they come and go, so a filter can compare a whole tile of nodes. */
#include <string.h>

#include "columns/node_volumes.h"

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

void berth__driver_fills_change(berth__volume_use *use, uint32_t node_id)
{
    for (uint32_t i = 0; i < use->fill_count; i++)
        if (node_id < use->fills[i].capacity)
            use->fills[i].nodes[node_id] =
                berth__driver_fill_of(berth__volume_use_of(use, node_id), use->fills[i].driver);
}

void berth__driver_fills_destroy(berth__volume_use *use)
{
    for (uint32_t i = 0; i < use->fill_count; i++)
        berth__free(use->allocator, use->fills[i].nodes,
                    use->fills[i].capacity * sizeof(*use->fills[i].nodes));
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

const berth__driver_fill *berth__driver_fill_get(berth__volume_use *use, berth__sym driver,
                                                 const berth__layout *layout)
{
    uint32_t at = 0, end = use->node_capacity + 1;
    while (at < use->fill_count && use->fills[at].driver != driver)
        at++;
    if (at == BERTH__DRIVER_FILLS_MAX)
        return NULL;
    berth__driver_fill *fill = &use->fills[at];
    if (at == use->fill_count)
        *fill = (berth__driver_fill){.driver = driver};
    if (fill->epoch != layout->epoch || fill->nodes == NULL) {
        for (uint32_t slot = 0; slot < layout->count; slot++)
            end = layout->nodes[slot] >= end ? layout->nodes[slot] + 1 : end;
        if (!extend(use, fill, end))
            return NULL;
        fill->epoch = layout->epoch;
    }
    use->fill_count += at == use->fill_count;
    return fill;
}
