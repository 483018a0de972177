/* The tables of fields (objects/field.h) of workloads; all describe a berth__workload. */
#ifndef BERTH_KUBE_WORKLOAD_FIELDS_H
#define BERTH_KUBE_WORKLOAD_FIELDS_H

#include "objects/fields.h"

extern const berth__field berth__workload_fields_deployment[];
extern const berth__field berth__workload_fields_replica_set[];
extern const berth__field berth__workload_fields_replication[]; /* ReplicationController */
extern const berth__field berth__workload_fields_stateful_set[];
extern const berth__field berth__workload_fields_daemon_set[];
extern const berth__field berth__workload_fields_job[];
extern const berth__field berth__workload_fields_cron_job[];

#endif
