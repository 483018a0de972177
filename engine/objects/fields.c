/* Which table describes the objects of a kind. */
#include "objects/fields.h"

const berth__field *berth__fields_of(berth_kind kind)
{
    static const berth__field *const tables[BERTH_KIND_COUNT] = {
        [BERTH_KIND_NAMESPACE] = berth__fields_namespace,
        [BERTH_KIND_STORAGE_CLASS] = berth__fields_storage_class,
        [BERTH_KIND_CSI_DRIVER] = berth__fields_csi_driver,
        [BERTH_KIND_CSI_NODE] = berth__fields_csi_node,
        [BERTH_KIND_CSI_STORAGE_CAPACITY] = berth__fields_csi_storage_capacity,
        [BERTH_KIND_PERSISTENT_VOLUME] = berth__fields_persistent_volume,
        [BERTH_KIND_PERSISTENT_VOLUME_CLAIM] = berth__fields_persistent_volume_claim,
        [BERTH_KIND_VOLUME_ATTACHMENT] = berth__fields_volume_attachment,
        [BERTH_KIND_SERVICE] = berth__fields_service,
        [BERTH_KIND_REPLICATION_CONTROLLER] = berth__fields_replication_controller,
        [BERTH_KIND_REPLICA_SET] = berth__fields_controller,
        [BERTH_KIND_STATEFUL_SET] = berth__fields_controller,
        [BERTH_KIND_POD_DISRUPTION_BUDGET] = berth__fields_pod_disruption_budget,
        [BERTH_KIND_NODE] = berth__fields_node,
        [BERTH_KIND_POD] = berth__fields_pod,
        [BERTH_KIND_RESOURCE_SLICE] = berth__fields_resource_slice,
        [BERTH_KIND_DEVICE_CLASS] = berth__fields_device_class,
        [BERTH_KIND_RESOURCE_CLAIM] = berth__fields_resource_claim,
        [BERTH_KIND_DEVICE_TAINT_RULE] = berth__fields_device_taint_rule,
        [BERTH_KIND_POD_GROUP] = berth__fields_pod_group,
        [BERTH_KIND_COMPOSITE_POD_GROUP] = berth__fields_composite_pod_group,
    };
    return tables[kind];
}
