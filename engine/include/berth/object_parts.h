/* The parts that objects of several kinds share: metadata, maps, amounts, selectors, taints,
 * conditions. How these structs grow, and who owns them: objects.h. */
#ifndef BERTH_OBJECT_PARTS_H
#define BERTH_OBJECT_PARTS_H

#include <stdbool.h>

#include "berth/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Members that a later version may add to a struct of constant size; NULL: none. */
struct berth_later;

/* A label, an annotation, or a nodeSelector entry. */
typedef struct berth_key_value {
    berth_str key;
    berth_str value;
} berth_key_value;

typedef struct berth_map {
    const berth_key_value *entries;
    uint32_t count;
} berth_map;

typedef struct berth_strs {
    const berth_str *items;
    uint32_t count;
} berth_strs;

/* A named amount, as in requests, limits, allocatable, overhead. */
typedef struct berth_resource {
    berth_str name;
    berth_quantity amount;
} berth_resource;

typedef struct berth_resources {
    const berth_resource *items;
    uint32_t count;
} berth_resources;

/* ---- selectors ---- */

/* One matchExpressions or matchFields entry. `op`: In, NotIn, Exists, DoesNotExist, Gt, Lt. */
typedef struct berth_requirement {
    berth_str key;
    berth_str op;
    berth_strs values;
} berth_requirement;

typedef struct berth_requirements {
    const berth_requirement *items;
    uint32_t count;
} berth_requirements;

/* metav1.LabelSelector. A NULL pointer is a nil selector; a selector with both parts empty is
 * `{}`. */
typedef struct berth_label_selector {
    berth_map match_labels;
    berth_requirements match_expressions;
} berth_label_selector;

typedef struct berth_node_selector_term {
    berth_requirements match_expressions;
    berth_requirements match_fields;
} berth_node_selector_term;

/* Terms are ORed. A NULL pointer means no restriction; a selector without terms matches no node. */
typedef struct berth_node_selector {
    const berth_node_selector_term *terms;
    uint32_t count;
} berth_node_selector;

typedef struct berth_preferred_node_term {
    int32_t weight;
    berth_node_selector_term preference;
} berth_preferred_node_term;

typedef struct berth_node_affinity {
    const berth_node_selector *required;        /* NULL: absent */
    const berth_preferred_node_term *preferred; /* NULL: absent (an empty list is non-NULL) */
    uint32_t preferred_count;
} berth_node_affinity;

typedef struct berth_pod_affinity_term {
    const berth_label_selector *label_selector; /* NULL: nil, matches no pod */
    berth_strs namespaces;
    const berth_label_selector *namespace_selector; /* NULL: nil */
    berth_str topology_key;
    int32_t weight; /* of a preferred term, 1..100; ignored in a required one */
    const struct berth_later *later;
} berth_pod_affinity_term;

typedef struct berth_pod_affinity {
    bool present; /* the field exists, even if both lists are empty */
    const berth_pod_affinity_term *required;
    uint32_t required_count;
    const berth_pod_affinity_term *preferred;
    uint32_t preferred_count;
} berth_pod_affinity;

typedef struct berth_topology_spread {
    int32_t max_skew;
    int32_t min_domains; /* 0: nil */
    berth_str topology_key;
    berth_str when_unsatisfiable;               /* DoNotSchedule, ScheduleAnyway */
    const berth_label_selector *label_selector; /* NULL: nil */
    berth_str node_affinity_policy;             /* Honor, Ignore; absent: Honor */
    berth_str node_taints_policy;               /* Honor, Ignore; absent: Ignore */
    berth_strs match_label_keys;
    const struct berth_later *later;
} berth_topology_spread;

/* ---- taints ---- */

typedef struct berth_taint {
    berth_str key;
    berth_str value;
    berth_str effect; /* NoSchedule, PreferNoSchedule, NoExecute */
    const struct berth_later *later;
} berth_taint;

typedef struct berth_toleration {
    berth_str key;
    berth_str op; /* Equal, Exists, Lt, Gt, absent */
    berth_str value;
    berth_str effect;
    const struct berth_later *later;
} berth_toleration;

/* ---- metadata ---- */

typedef struct berth_owner {
    berth_str api_version;
    berth_str kind;
    berth_str name;
    berth_str uid;
    bool controller;
    const struct berth_later *later;
} berth_owner;

typedef struct berth_metadata {
    berth_str name;
    berth_str namespace_name; /* absent: "default" for namespaced kinds */
    berth_str uid;
    berth_map labels;
    berth_map annotations;
    const berth_owner *owners;
    uint32_t owner_count;
    int64_t creation_time_ns; /* Unix time, 0: absent */
    bool deleting;            /* deletionTimestamp is set */
    const struct berth_later *later;
} berth_metadata;

/* ---- conditions ---- */

typedef struct berth_condition {
    berth_str type;
    berth_str status; /* True, False, Unknown */
    berth_str reason;
    const struct berth_later *later;
} berth_condition;

#ifdef __cplusplus
}
#endif

#endif
