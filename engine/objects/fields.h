/* The tables of fields (field.h) of the objects in berth/objects.h. */
#ifndef BERTH_OBJECTS_FIELDS_H
#define BERTH_OBJECTS_FIELDS_H

#include "objects/field.h"

/* The fields of a whole object of that kind. */
const berth__field *berth__fields_of(berth_kind kind);

/* Parts of several kinds, or of a reader elsewhere. */
extern const berth__field berth__fields_metadata[];       /* berth_metadata */
extern const berth__field berth__fields_condition[];      /* berth_condition */
extern const berth__field berth__fields_taint[];          /* berth_taint */
extern const berth__field berth__fields_toleration[];     /* berth_toleration */
extern const berth__field berth__fields_label_selector[]; /* berth_label_selector */
extern const berth__field berth__fields_node_term[];      /* berth_node_selector_term */
extern const berth__field berth__fields_node_selector[];  /* berth_node_selector */
extern const berth__field berth__fields_volume_source[];  /* berth_volume_source */
extern const berth__field berth__fields_claim_spec[];     /* berth_resource_claim */
extern const berth__field berth__fields_flat_request[];   /* berth_exact_request, in v1beta1 */
extern const berth__field berth__fields_basic_device[];   /* berth_slice_device, in v1beta1 */

/* The template of a pod, and the specification of a volume claim's template. */
extern const berth__field berth__fields_pod_template[];          /* berth_pod */
extern const berth__field berth__fields_volume_claim_template[]; /* no struct: nothing is read */

/* Whole objects. */
extern const berth__field berth__fields_namespace[];
extern const berth__field berth__fields_storage_class[];
extern const berth__field berth__fields_csi_driver[];
extern const berth__field berth__fields_csi_node[];
extern const berth__field berth__fields_csi_storage_capacity[];
extern const berth__field berth__fields_persistent_volume[];
extern const berth__field berth__fields_persistent_volume_claim[];
extern const berth__field berth__fields_volume_attachment[];
extern const berth__field berth__fields_service[];
extern const berth__field berth__fields_replication_controller[];
extern const berth__field berth__fields_controller[]; /* ReplicaSet, StatefulSet */
extern const berth__field berth__fields_pod_disruption_budget[];
extern const berth__field berth__fields_pod_group[];
extern const berth__field berth__fields_composite_pod_group[];
extern const berth__field berth__fields_node[];
extern const berth__field berth__fields_resource_slice[];
extern const berth__field berth__fields_device_class[];
extern const berth__field berth__fields_device_taint_rule[];
extern const berth__field berth__fields_resource_claim[];
extern const berth__field berth__fields_pod[];

#endif
