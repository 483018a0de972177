/* Reading a cluster: the same functions for an engine, a snapshot and a branch.
 *
 * Threads: those that may read the cluster. A snapshot may be read by any number of threads at a
 * time. */
#ifndef BERTH_CLUSTER_CLUSTER_READ_H
#define BERTH_CLUSTER_CLUSTER_READ_H

#include "cluster/cluster.h"

/* The node of an id if it is present; otherwise NULL. */
const berth__node_record *berth__cluster_present(const berth__cluster *cluster, berth_node_id id);

berth_node_id berth__cluster_present_id(const berth__cluster *cluster, berth_str name);
berth_pod_id berth__cluster_find_pod(const berth__cluster *cluster, berth_str namespace_name,
                                     berth_str name);
berth_str berth__cluster_node_name(const berth__cluster *cluster, berth_node_id node);
void berth__cluster_pod_name(const berth__cluster *cluster, berth_pod_id pod,
                             berth_str *namespace_name, berth_str *name);
berth_node_id berth__cluster_pod_node(const berth__cluster *cluster, berth_pod_id pod);
void berth__cluster_counts(const berth__cluster *cluster, berth_counts *out);
berth_status berth__cluster_node_resource(const berth__cluster *cluster, berth_node_id id,
                                          berth_str resource, int64_t *allocatable,
                                          int64_t *requested, berth_error *error);
berth_status berth__cluster_pod_resource(const berth__cluster *cluster, berth_pod_id pod,
                                         berth_str resource, int64_t *amount, berth_error *error);
berth_str berth__cluster_node_label(const berth__cluster *cluster, berth_node_id id, berth_str key);
uint64_t berth__cluster_digest(const berth__cluster *cluster);

#endif
