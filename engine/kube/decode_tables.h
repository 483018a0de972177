/* The tables of fields, and the kinds of objects that they describe. */
#ifndef BERTH_KUBE_DECODE_TABLES_H
#define BERTH_KUBE_DECODE_TABLES_H

#include "kube/decode.h"

/* Parts of several kinds. */
extern const berth__field berth__fields_metadata[];       /* berth_metadata */
extern const berth__field berth__fields_condition[];      /* berth_condition */
extern const berth__field berth__fields_taint[];          /* berth_taint */
extern const berth__field berth__fields_toleration[];     /* berth_toleration */
extern const berth__field berth__fields_requirement[];    /* berth_requirement */
extern const berth__field berth__fields_label_selector[]; /* berth_label_selector */
extern const berth__field berth__fields_node_selector[];  /* berth_node_selector */
extern const berth__field berth__fields_node_term[];      /* berth_node_selector_term */
extern const berth__field berth__fields_claim_spec[];     /* berth_resource_claim */

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
extern const berth__field berth__fields_controller[]; /* ReplicaSet, StatefulSet and so on */
extern const berth__field berth__fields_pod_disruption_budget[];
extern const berth__field berth__fields_pod_group[];
extern const berth__field berth__fields_node[];
extern const berth__field berth__fields_resource_slice[];
extern const berth__field berth__fields_device_class[];
extern const berth__field berth__fields_device_taint_rule[];
extern const berth__field berth__fields_resource_claim[];
extern const berth__field berth__fields_pod[]; /* also for pod templates */

/* How objects of a kind are decoded. */
typedef struct berth__kind_entry {
    const char *group; /* API group, "" for core */
    const berth__field *fields;
    uint16_t size;
    bool namespaced;
} berth__kind_entry;

const berth__kind_entry *berth__kind_entry_of(berth_kind kind);

/* The kind of that name and apiVersion (an absent one matches any group); false if no rule reads
 * that kind. */
bool berth__kind_find(berth_str kind, berth_str api_version, berth_kind *out);

/* Whether an apiVersion ("apps/v1", "v1") belongs to a group ("apps", ""); an absent one belongs to
 * any. */
bool berth__api_group_is(berth_str api_version, const char *group);

/* Decoders (decode.h) of a berth_volume_source: find the source among the members of a pod's
 * volume, or of a PersistentVolume's specification. */
berth_status berth__decode_pod_volume_source(berth__decoder *decoder, const berth__field_path *path,
                                             const berth__json *value, void *out);
void berth__encode_volume_source(berth__encoder *encoder, const void *from);
berth_status berth__decode_volume_source(berth__decoder *decoder, const berth__field_path *path,
                                         const berth__json *value, void *out);

/* A decoder of a `const berth_label_selector *` from the plain map of a ReplicationController. */
berth_status berth__decode_map_selector(berth__decoder *decoder, const berth__field_path *path,
                                        const berth__json *value, void *out);
void berth__encode_map_selector(berth__encoder *encoder, const void *from);

#endif
