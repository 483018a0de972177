/* The internal form of a cluster, for micro-benchmarks of single phases: 4,096 nodes, the default
 * profile, and the prepared plugins of one pod. */
#ifndef BERTH_BENCH_INSIDE_CLUSTER_H
#define BERTH_BENCH_INSIDE_CLUSTER_H

#include "cluster/cluster.h"
#include "prepare/profile.h"

/* The pod that is prepared. */
typedef enum inside_kind {
    INSIDE_RULES,   /* ruled_objects.h */
    INSIDE_VOLUMES, /* the program's workload `volumes` */
} inside_kind;

enum { INSIDE_NODES = 4096 };

typedef struct inside_stage {
    const berth__stage *stage;
    berth__outcome outcome;
    void *state;
} inside_stage;

typedef struct inside_cluster {
    berth__cluster cluster;
    berth__arena arena; /* memory of the profile and the states */
    berth__ready_profile profile;
    berth__question cycle;
    inside_stage *filters, *scorers;
    berth__mask *feasible; /* by tile: every slot in use */
    bool ok;
} inside_cluster;

/* The cluster of a kind, made at the first call and kept until the program ends. `ok` is false if
 * it could not be made. */
inside_cluster *inside_cluster_get(inside_kind kind);

#endif
