/* Conflicts between the inline disks of pods on one node. */
#include "plugins/disk_conflict.h"

#include "base/bits.h"

bool berth__disks_matter(const berth__volume_list *list)
{
    for (uint32_t i = 0; list != NULL && i < list->count; i++)
        switch (list->items[i].kind) {
        case BERTH_VOLUME_GCE_PD:
        case BERTH_VOLUME_AWS_EBS:
        case BERTH_VOLUME_ISCSI:
        case BERTH_VOLUME_RBD:
            return true;
        default:
            break;
        }
    return false;
}

static bool share_monitor(const berth__pod_volume *a, const berth__pod_volume *b)
{
    for (uint32_t i = 0; i < a->monitor_count; i++)
        for (uint32_t k = 0; k < b->monitor_count; k++)
            if (a->monitors[i] == b->monitors[k])
                return true;
    return false;
}

static bool conflict(const berth__pod_volume *a, const berth__pod_volume *b)
{
    if (a->kind != b->kind || a->handle != b->handle)
        return false;
    bool only_read = a->read_only && b->read_only;
    switch (a->kind) {
    case BERTH_VOLUME_AWS_EBS:
        return true;
    case BERTH_VOLUME_GCE_PD:
    case BERTH_VOLUME_ISCSI:
        return !only_read;
    case BERTH_VOLUME_RBD:
        return !only_read && a->pool == b->pool && share_monitor(a, b);
    default:
        return false;
    }
}

bool berth__disk_lists_conflict(const berth__volume_list *a, const berth__volume_list *b)
{
    for (uint32_t i = 0; a != NULL && b != NULL && i < a->count; i++)
        for (uint32_t k = 0; k < b->count; k++)
            if (conflict(&a->items[i], &b->items[k]))
                return true;
    return false;
}

bool berth__disks_conflict(const berth__view *view, const berth__volume_list *list, uint32_t slot)
{
    const berth__node_volumes *volumes = berth__slot_volumes(view, slot);
    if (volumes == NULL || volumes->disk_count == 0)
        return false;
    for (uint32_t r = 0; r < volumes->ref_count; r++) {
        uint32_t id = volumes->refs[r].id;
        if (!(id & BERTH__DISK_BIT))
            continue;
        const berth__disk *disk = view->storage->disk_list[id & ~BERTH__DISK_BIT];
        for (uint32_t i = 0; i < list->count; i++)
            if (conflict(&list->items[i], &disk->volume))
                return true;
    }
    return false;
}

void berth__disks_conflict_tile(const berth__view *view, const berth__volume_list *list,
                                uint32_t tile, berth__mask *mask)
{
    BERTH__MASK_EACH(mask, s)
    {
        if (berth__disks_conflict(view, list, tile * BERTH__TILE + s))
            berth__bit_clear(mask->words, s);
    }
}
