/* Whether inline disks of a pod and of the pods on a node exclude each other. Shared by
 * VolumeRestrictions and NoDiskConflict.
 * Source: kube-scheduler v1.32, plugins/volumerestrictions, isVolumeConflict; the same in
 * v1.15.3. */
#ifndef BERTH_PLUGINS_DISK_CONFLICT_H
#define BERTH_PLUGINS_DISK_CONFLICT_H

#include "plugins/claim_lookup.h"

/* Whether the class has a disk for which this matters. */
bool berth__disks_matter(const berth__volume_list *list);

/* Whether two pods could not be on one node for their inline disks. Lists may be NULL. */
bool berth__disk_lists_conflict(const berth__volume_list *a, const berth__volume_list *b);

bool berth__disks_conflict(const berth__view *view, const berth__volume_list *list, uint32_t slot);

/* Clear the slots of a tile where they do. */
void berth__disks_conflict_tile(const berth__view *view, const berth__volume_list *list,
                                uint32_t tile, berth__mask *mask);

#endif
