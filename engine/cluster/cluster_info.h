/* Reads back what is stored about nodes and pods, for an engine, a snapshot or a branch
 * (berth/read.h says what each call returns).
 *
 * Threads: those that may read the cluster. A snapshot may be read by any number of threads at a
 * time. */
#ifndef BERTH_CLUSTER_CLUSTER_INFO_H
#define BERTH_CLUSTER_CLUSTER_INFO_H

#include "berth/read.h"
#include "cluster/cluster.h"

/* The pod after `after` on a node, or among the pending pods. */
berth_pod_id berth__cluster_next_pod(const berth__cluster *cluster, berth_node_id node,
                                     berth_pod_id after);

/* The ids of the columns' names, in the order of the columns, at most BERTH__RESOURCES_MAX. Lists
 * only names that live as long as this state. A branch may have other names than its snapshot. */
uint32_t berth__cluster_resources(const berth__cluster *cluster, berth__sym *out);

/* Where to write one resource of all nodes. */
typedef struct berth__node_amounts {
    berth_node_id *nodes; /* any of these may be NULL */
    int64_t *allocatable;
    int64_t *requested;
    uint32_t capacity;
} berth__node_amounts;
uint32_t berth__cluster_resource_by_node(const berth__cluster *cluster, berth_str resource,
                                         const berth__node_amounts *out);

berth_status berth__cluster_node_info(const berth__cluster *cluster, berth_node_id id,
                                      berth_node_info *out, berth_error *error);
uint32_t berth__cluster_node_labels(const berth__cluster *cluster, berth_node_id id,
                                    berth_key_value *out, uint32_t capacity);
uint32_t berth__cluster_node_taints(const berth__cluster *cluster, berth_node_id id,
                                    berth_taint *out, uint32_t capacity);
uint32_t berth__cluster_node_allocatable(const berth__cluster *cluster, berth_node_id id,
                                         berth_amount *out, uint32_t capacity);

berth_status berth__cluster_pod_info(const berth__cluster *cluster, berth_pod_id id,
                                     berth_pod_info *out, berth_error *error);
uint32_t berth__cluster_pod_labels(const berth__cluster *cluster, berth_pod_id id,
                                   berth_key_value *out, uint32_t capacity);
berth_str berth__cluster_pod_label(const berth__cluster *cluster, berth_pod_id id, berth_str key);
uint32_t berth__cluster_pod_requests(const berth__cluster *cluster, berth_pod_id id,
                                     berth_amount *out, uint32_t capacity);

uint32_t berth__cluster_pod_devices(const berth__cluster *cluster, berth_pod_id id,
                                    berth_taken_device *out, size_t size, uint32_t capacity);
uint32_t berth__cluster_pod_claims(const berth__cluster *cluster, berth_pod_id id,
                                   berth_claim_choice *out, size_t size, uint32_t capacity);

/* Whole objects, copied (cluster_objects.c): for berth_engine_node_object_sized and similar
 * calls. */
berth_status berth__cluster_node_object(const berth__cluster *cluster, berth_node_id id,
                                        const uint32_t *sizes, const berth_allocator *allocator,
                                        berth_object **out, berth_error *error);
berth_status berth__cluster_pod_object(const berth__cluster *cluster, berth_pod_id id,
                                       const uint32_t *sizes, const berth_allocator *allocator,
                                       berth_object **out, berth_error *error);

/* The same for a pod's ResourceClaims (claim_objects.c). */
berth_status berth__cluster_pod_claim_object(const berth__cluster *cluster, berth_pod_id id,
                                             uint32_t nth, const uint32_t *sizes,
                                             const berth_allocator *allocator, berth_object **out,
                                             berth_error *error);

/* The claim that a pod's placement made for extended resources, and which of its requests serves
 * which container (extended_claim.c). */
berth_status berth__cluster_pod_extended_claim(const berth__cluster *cluster, berth_pod_id id,
                                               const uint32_t *sizes,
                                               const berth_allocator *allocator, berth_object **out,
                                               berth_error *error);
uint32_t berth__cluster_pod_extended_requests(const berth__cluster *cluster, berth_pod_id id,
                                              berth_extended_request *out, size_t size,
                                              uint32_t capacity);

/* What a placement chose for a claim (`chosen` is set), with its parts in `arena`. Returns false
 * when out of memory. */
bool berth__cluster_chosen(const berth__cluster *cluster, const berth__device_claim *claim,
                           berth__arena *arena, berth_claim_allocation *out);

#endif
