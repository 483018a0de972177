/* The fields that Kubernetes knows in the objects that matter to placement, and the apiVersion
 * under which it serves each kind. */
#ifndef BERTH_KUBE_SHAPES_H
#define BERTH_KUBE_SHAPES_H

#include <stdbool.h>

#include "berth/status.h"

/* A field of one object. A list of fields ends with one without a key. */
typedef struct berth__shape {
    const char *key;
    uint32_t key_len;
    const struct berth__shape *part; /* of the object, or the list's objects; NULL: anything */
} berth__shape;

/* Used in the tables. */
#define BERTH__LEAF(key)           \
    {                              \
        key, sizeof(key) - 1, NULL \
    }
#define BERTH__PART(key, shape)     \
    {                               \
        key, sizeof(key) - 1, shape \
    }
/* No key is that long. */
#define BERTH__SHAPE_LAST      \
    {                          \
        NULL, UINT32_MAX, NULL \
    }

typedef struct berth__known_kind {
    berth_str name;
    berth_str api_version;
    bool of_devices; /* resource.k8s.io: v1beta1 and v1beta2 are served, too */
    const berth__shape *shape;
} berth__known_kind;

/* Parts of several kinds' shapes (shapes.c), and the shapes of devices (shapes_devices.c). */
extern const berth__shape berth__metadata_shape[];
extern const berth__shape berth__scheduling_group_shape[]; /* of a pod (shapes_pod_group.c) */
extern const berth__shape berth__pod_group_shape[];
extern const berth__shape berth__node_selector_shape[];
extern const berth__shape berth__resource_slice_shape[];
extern const berth__shape berth__device_class_shape[];
extern const berth__shape berth__device_taint_rule_shape[];
extern const berth__shape berth__resource_claim_shape[];
extern const berth__shape berth__resource_claim_template_shape[];

/* The kind of that name, or NULL. */
const berth__known_kind *berth__known_kind_of(berth_str kind);

/* All kinds by index; NULL after the last. */
const berth__known_kind *berth__known_kind_at(uint32_t i);

#endif
