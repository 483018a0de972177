/* Engines filled with synthetic clusters, for the macro-benchmarks: public interface only. */
#ifndef BERTH_BENCH_MACRO_CLUSTER_H
#define BERTH_BENCH_MACRO_CLUSTER_H

#include "berth/berth.h"
#include "workloads/workloads.h"

typedef struct macro_cluster {
    berth_engine *engine;
    berth_pod_id *pods; /* pods to place, in order */
    uint64_t pod_count;
    uint64_t pod_capacity;
    berth_error error; /* of the last call that failed */
} macro_cluster;

typedef struct macro_engine {
    uint32_t threads;
    berth_path path;
    int32_t percentage;               /* of nodes to score; 0: kube-scheduler's default */
    const berth_allocator *allocator; /* NULL: the library's own */
} macro_engine;

/* The index in workload_names of a workload, which must exist. */
int macro_workload_kind(const char *name);

/* Open an engine without objects, with room for `pods` pods to place. Returns false with `error`
 * set. */
bool macro_cluster_open(macro_cluster *cluster, const macro_engine *options, uint64_t pods);
void macro_cluster_close(macro_cluster *cluster);

/* Add an object; pods without a node are recorded in `pods`. For workload_source_make: the context
 * is the cluster. */
berth_status macro_cluster_add(void *context, const berth_object *object, berth_error *error);

/* Add all objects of a workload. */
bool macro_cluster_fill(macro_cluster *cluster, const workload_spec *spec);

/* Update the layout of the nodes, which otherwise the first decision would do. Returns false if
 * there is no memory. */
bool macro_cluster_lay_out(macro_cluster *cluster);

/* The error as one line; valid until the next call. */
const char *macro_cluster_problem(const macro_cluster *cluster);

#endif
