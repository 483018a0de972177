/* Whether the inline disks of a pod conflict with those of the pods on a node. Used by
 * VolumeRestrictions and NoDiskConflict.
 * Source: kube-scheduler v1.32, plugins/volumerestrictions, isVolumeConflict; the same in
 * v1.15.3. */
#ifndef BERTH_PLUGINS_DISK_CONFLICT_H
#define BERTH_PLUGINS_DISK_CONFLICT_H

#include "plugins/claim_lookup.h"

/* Whether the class has a disk that can conflict. */
bool berth__disks_matter(const berth__volume_list *list);

/* Whether the inline disks of two pods keep them off the same node. Lists may be NULL. */
bool berth__disk_lists_conflict(const berth__volume_list *a, const berth__volume_list *b);

bool berth__disks_conflict(const berth__view *view, const berth__volume_list *list, uint32_t slot);

/* Clear the slots of a tile where disks conflict. */
void berth__disks_conflict_tile(const berth__view *view, const berth__volume_list *list,
                                uint32_t tile, berth__mask *mask);

#endif
