/* Builds one object at a time. Lists and texts have fixed room, which the next object reuses. The
 * room suffices for the synthetic workloads and the trace importer; this is asserted. */
#ifndef BERTH_TOOLS_DRAFT_H
#define BERTH_TOOLS_DRAFT_H

#include <stddef.h>

#include "berth/objects.h"

enum {
    DRAFT_TEXT_BYTES = 4096,
    DRAFT_MAPS_MAX = 24, /* each of labels, annotations, nodeSelector */
    DRAFT_LIST_MAX = 8,  /* every other list */
    DRAFT_VALUES_MAX = 32,
};

/* The list to which a pod affinity term is added. */
typedef enum draft_term {
    DRAFT_AFFINITY_REQUIRED,
    DRAFT_AFFINITY_PREFERRED,
    DRAFT_ANTI_REQUIRED,
    DRAFT_ANTI_PREFERRED,
    DRAFT_TERM_COUNT,
} draft_term;

enum {
    DRAFT_DEVICES_MAX = 16, /* of a slice */
    DRAFT_FACTS_MAX = 4,    /* each of a device's attributes, capacities, counters */
};

/* The properties of a device of a slice. */
typedef struct draft_device_facts {
    berth_slice_attribute attributes[DRAFT_FACTS_MAX];
    berth_slice_capacity capacities[DRAFT_FACTS_MAX];
    berth_resource counters[DRAFT_FACTS_MAX];
    berth_slice_counters consumes;
} draft_device_facts;

/* A map of fixed room. */
typedef struct draft_map {
    berth_key_value entries[DRAFT_MAPS_MAX];
    uint32_t count;
} draft_map;

/* A label selector on one label. */
typedef struct draft_selector {
    berth_key_value label;
    berth_label_selector selector;
} draft_selector;

typedef struct draft {
    berth_object object; /* points to one of the next thirteen members */
    berth_node node;
    berth_pod pod;
    berth_storage_class storage_class;
    berth_csi_driver csi_driver;
    berth_csi_node csi_node;
    berth_csi_storage_capacity capacity;
    berth_persistent_volume volume;
    berth_persistent_volume_claim claim;
    berth_service service;
    berth_controller replica_set;
    berth_device_class device_class;
    berth_resource_slice slice;
    berth_resource_claim device_claim;
    berth_owner owner;
    berth_metadata *meta; /* the object's metadata */
    char text[DRAFT_TEXT_BYTES];
    size_t text_used;
    draft_map labels, annotations, node_selector;
    berth_resource resources[DRAFT_LIST_MAX];
    berth_resource limits[DRAFT_LIST_MAX];
    berth_container container;
    berth_port ports[DRAFT_LIST_MAX];
    berth_taint taints[DRAFT_LIST_MAX];
    berth_image images[DRAFT_LIST_MAX];
    berth_toleration tolerations[DRAFT_LIST_MAX];
    berth_str values[DRAFT_VALUES_MAX];
    uint32_t value_count;
    berth_volume volumes[DRAFT_LIST_MAX];
    berth_csi_node_driver limit;
    berth_topology_term topology;
    berth_requirement required[DRAFT_LIST_MAX]; /* of the one required term */
    berth_node_selector_term required_term;
    berth_node_selector required_selector;
    berth_requirement preferred_expressions[DRAFT_LIST_MAX];
    berth_preferred_node_term preferred[DRAFT_LIST_MAX];
    draft_selector selectors[DRAFT_LIST_MAX];
    uint32_t selector_count;
    berth_topology_spread spreads[DRAFT_LIST_MAX];
    berth_pod_affinity_term terms[DRAFT_TERM_COUNT][DRAFT_LIST_MAX];
    berth_slice_device devices[DRAFT_DEVICES_MAX];
    draft_device_facts facts[DRAFT_DEVICES_MAX];
    berth_resource shared[DRAFT_LIST_MAX]; /* counters */
    berth_slice_counters sets[DRAFT_LIST_MAX];
    berth_claim_request requests[DRAFT_LIST_MAX];
    berth_exact_request asks[DRAFT_LIST_MAX]; /* of all requests and alternatives */
    uint32_t ask_count;
    berth_cel_selector cel[DRAFT_LIST_MAX];
    uint32_t cel_count;
    berth_claim_constraint constraint;
    berth_pod_claim pod_claim;
} draft;

/* Discard all texts. Call before making the texts of the next object. */
void draft_reset(draft *d);

/* Begin an object of any kind, for the next functions; its struct in the draft begins with
 * `meta`. */
void draft_begin(draft *d, berth_kind kind, berth_metadata *meta, berth_str name);

/* Begin an object; the previous one becomes invalid. Texts passed here and below are borrowed and
 * must live as long as the object is used: literals, or results of draft_text. */
void draft_node(draft *d, berth_str name);
void draft_pod(draft *d, berth_str namespace_name, berth_str name);
/* A class whose volumes `provisioner` creates once the first pod that uses one has a node. */
void draft_storage_class(draft *d, berth_str name, berth_str provisioner);
void draft_csi_driver(draft *d, berth_str name);
/* A node's limit for a driver: `limit` volumes. */
void draft_csi_node(draft *d, berth_str name, berth_str driver, int32_t limit);
/* What a driver can still provision on the nodes of draft_reach: one volume of that size. */
void draft_capacity(draft *d, berth_str namespace_name, berth_str name, int64_t gibibytes);
void draft_reach(draft *d, const char *key, berth_str value);
/* A volume of a driver, and a claim; unbound until draft_bind_volume and draft_bind_claim. */
void draft_volume(draft *d, berth_str name, berth_str driver, int64_t gibibytes);
void draft_claim(draft *d, berth_str namespace_name, berth_str name, int64_t gibibytes);

/* A Service and a ReplicaSet of the pods with one label. */
void draft_service(draft *d, berth_str namespace_name, berth_str name, const char *key,
                   berth_str value);
void draft_replica_set(draft *d, berth_str namespace_name, berth_str name, const char *key,
                       berth_str value);

/* Text that lives until draft_reset. */
berth_str draft_text(draft *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

void draft_label(draft *d, const char *key, berth_str value);
void draft_annotation(draft *d, const char *key, berth_str value);
/* Make that ReplicaSet the object's owner. */
void draft_own(draft *d, berth_str replica_set);

/* Add to a node's allocatable, or to a pod's requests. A request for an extended resource is its
 * limit, too, as the API server demands. */
void draft_resource(draft *d, const char *name, berth_quantity amount);
berth_quantity draft_milli(int64_t milli);
berth_quantity draft_units(int64_t units);
berth_quantity draft_mebibytes(int64_t mebibytes);

/* Storage. */
/* Set the class of a volume or a claim. */
void draft_use_class(draft *d, berth_str storage_class);
/* Add an expression `key In (values)` to the class's single allowed topology. */
void draft_allow_topology(draft *d, const char *key, const berth_str *values, uint32_t count);
void draft_bind_volume(draft *d, berth_str claim_namespace, berth_str claim);
void draft_bind_claim(draft *d, berth_str volume);

/* Devices (draft_devices.c). */
/* A class of the devices that a CEL expression selects. */
void draft_device_class(draft *d, berth_str name, const char *selector);
/* A driver's slice for a node: one of `slices` slices of a pool, named after both and `part`. */
void draft_slice(draft *d, berth_str driver, berth_str node, const char *part, int64_t slices);
/* Add a set of counters to the slice, with one counter. A slice has either counters or devices. */
void draft_counter_set(draft *d, berth_str set, const char *counter, int64_t value);
/* Add a device; the next two add attributes to the last device. */
void draft_device(draft *d, berth_str name);
void draft_device_int(draft *d, const char *name, int64_t value);
void draft_device_text(draft *d, const char *name, berth_str value);
void draft_device_capacity(draft *d, const char *name, berth_quantity value);
void draft_device_consumes(draft *d, berth_str set, const char *counter, int64_t value);
/* A claim without requests. */
void draft_device_claim(draft *d, berth_str namespace_name, berth_str name);
/* Add a request for `count` devices of a class; `selector` NULL: any of them. */
void draft_ask(draft *d, const char *request, const char *class_name, int64_t count,
               const char *selector);
/* Add an alternative to a request; the first available one is allocated. Call for all alternatives
 * of a request in a row. */
void draft_ask_or(draft *d, const char *request, const char *name, const char *class_name,
                  int64_t count, const char *selector);
/* Require one value of that attribute for all devices of the claim. */
void draft_match(draft *d, const char *attribute);
/* Let the pod use the devices of that claim. */
void draft_use_devices(draft *d, berth_str claim);

/* Nodes. */
void draft_taint(draft *d, const char *key, const char *value, const char *effect);
void draft_node_image(draft *d, berth_str name, int64_t size_bytes);

/* Pods. */
void draft_image(draft *d, berth_str image);
void draft_host_port(draft *d, int32_t port);
void draft_tolerate(draft *d, const char *key, const char *value, const char *effect);
void draft_select_node(draft *d, const char *key, berth_str value);
void draft_mount(draft *d, berth_str name, berth_str claim);
/* Add an expression `key In (values)` to the single term of the required node affinity, of a pod or
 * a volume. */
void draft_require_node(draft *d, const char *key, const berth_str *values, uint32_t count);
void draft_prefer_node(draft *d, int32_t weight, const char *key, berth_str value);
/* Spread over `topology_key` among the pods with the label key=value. */
void draft_spread(draft *d, const char *topology_key, int32_t max_skew, const char *when,
                  const char *key, berth_str value);
void draft_pod_term(draft *d, draft_term where, int32_t weight, const char *topology_key,
                    const char *key, berth_str value);

#endif
