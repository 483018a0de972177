/* The cluster that berth bench measures on, made from a specification or read from files. */
#ifndef BERTH_TOOLS_BENCH_CLUSTER_H
#define BERTH_TOOLS_BENCH_CLUSTER_H

#include "cli/progress.h"
#include "loading/engine_setup.h"
#include "workloads/workloads.h"

typedef struct bench_cluster {
    /* input */
    workload_spec spec;
    text_list files;           /* read these instead */
    const engine_setup *setup; /* its profiles decide which pods have to be placed */
    berth_engine *engine;
    /* results */
    berth_pod_id *pods; /* to place */
    size_t pod_count;
    size_t pod_capacity;
    uint64_t object_count;
    uint64_t read_bytes; /* size of the files as stored; and how long reading and adding took */
    double read_seconds;
    bool weighed; /* the engine reports its memory */
    uint64_t empty_bytes, nodes_bytes,
        all_bytes; /* memory held at the start, with the nodes laid out, and at the end */
    progress bar;
} bench_cluster;

/* Fill the engine and lay its nodes out. */
berth_status bench_cluster_build(bench_cluster *c, berth_error *error);

void bench_cluster_release(bench_cluster *c);

/* Bytes that the engine holds now; 0 if it does not report them. */
uint64_t bench_cluster_held_bytes(const bench_cluster *c);

/* Bytes for each node and for each pod. 0 if the engine does not report its memory, or if the
 * cluster was read from files, where nodes and pods arrive mixed. */
double bench_cluster_node_bytes(const bench_cluster *c);
double bench_cluster_pod_bytes(const bench_cluster *c);

#endif
