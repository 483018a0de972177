/* NoDiskConflict of v1.15: inline disks that can't be mounted twice on a node. VolumeRestrictions
 * has the same rule.
 * Source: Kubernetes v1.15.3, algorithm/predicates/predicates.go, NoDiskConflict. */
#include "legacy/legacy_registry.h"
#include "plugins/disk_conflict.h"

static berth__outcome legacy_no_disk_conflict_prepare(berth__prepare *prepare)
{
    return berth__disks_matter(prepare->cycle->cls->volumes) ? BERTH__ACTIVE : BERTH__SKIP;
}

static void legacy_no_disk_conflict_filter(const berth__question *cycle, const void *instance,
                                           const void *state, uint32_t tile, berth__mask *mask)
{
    (void)instance;
    (void)state;
    berth__disks_conflict_tile(cycle->view, cycle->cls->volumes, tile, mask);
}

BERTH__EXPLAIN_ALWAYS(legacy_no_disk_conflict_explain, BERTH_CODE_UNSCHEDULABLE,
                      "node(s) had no available disk")

static bool legacy_no_disk_conflict_wakes(berth__wake *wake, const berth__waiter *waiter,
                                          const void *instance)
{
    (void)instance;
    return (wake->bits & BERTH_WAKE_NODE_ADD) != 0 ||
           berth__disk_lists_conflict(waiter->cls->volumes, wake->before->volumes);
}

const berth__plugin_ops berth__plugin_no_disk_conflict = {
    .name = "NoDiskConflict",
    .flags = BERTH__ALWAYS_UNSCHEDULABLE,
    .wake_on = BERTH_WAKE_NODE_ADD | BERTH_WAKE_POD_REMOVE,
    .wakes = legacy_no_disk_conflict_wakes,
    .prepare_filter = legacy_no_disk_conflict_prepare,
    .filter = legacy_no_disk_conflict_filter,
    .explain = legacy_no_disk_conflict_explain,
};
