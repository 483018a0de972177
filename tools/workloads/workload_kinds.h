/* The interface of a workload to the driver in workloads.c: how its nodes and pods are drawn. */
#ifndef BERTH_TOOLS_WORKLOAD_KINDS_H
#define BERTH_TOOLS_WORKLOAD_KINDS_H

#include "workloads/draft.h"
#include "workloads/workloads.h"

/* A node's remaining room and its properties, for placing running pods. */
typedef struct workload_room {
    int32_t cpu_milli;
    int32_t mem_mib;
    uint16_t pods;
    uint16_t gpus;
    uint16_t traits;    /* meaning is up to the workload */
    uint64_t exclusive; /* bit APP % 64: the node has a pod of an app with one pod per node */
} workload_room;

/* The needs of a pod, and where it may run. */
typedef struct workload_need {
    int32_t cpu_milli;
    int32_t mem_mib;
    uint16_t gpus;
    uint16_t traits_needed;  /* a node must have all of these */
    uint16_t traits_refused; /* and none of these */
    int32_t zone;            /* -1: any */
    uint32_t app;
    bool one_per_node; /* no two pods of its app on a node */
    bool alike;        /* all pods of its app have the same needs */
} workload_need;

typedef struct workload_random {
    uint64_t state;
} workload_random;

/* One pod to make. */
typedef struct workload_pod {
    uint64_t idx; /* index in its part of the cluster */
    bool running;
} workload_pod;

struct workload {
    uint32_t running_a_node; /* used if no number is given */
    bool takes_apps;         /* spec->apps has an effect */
    bool churns;             /* as workload_churns says */
    /* Counts the objects that pods need and that come before the nodes, and builds one; both NULL:
     * none. */
    uint64_t (*storage_count)(const workload_spec *spec);
    void (*storage)(const workload_spec *spec, uint64_t idx, draft *d);
    /* Builds node `idx` and returns its room. */
    void (*node)(const workload_spec *spec, uint32_t idx, draft *d, workload_room *room);
    /* Builds a pod and returns its needs. Draws from `random` in a fixed order. */
    void (*pod)(const workload_spec *spec, workload_pod which, workload_random *random, draft *d,
                workload_need *need);
};

uint64_t workload_random_next(workload_random *random);
/* Uniform in 0..bound-1. */
uint32_t workload_random_below(workload_random *random, uint32_t bound);
/* A hash that depends only on its arguments. */
uint64_t workload_hash(uint64_t seed, uint64_t what, uint64_t idx);

/* Apps with heavy-tailed sizes: their number, and drawing one. The n-th gets about 1/n of the draws
 * of the first. */
uint32_t workload_app_count(const workload_spec *spec, uint32_t pods_an_app);
uint32_t workload_choose_app(uint32_t count, workload_random *random);

/* Whether `*idx` is among the next `count` objects; if not, subtracts `count` from it. */
static inline bool workload_is_among(uint64_t *idx, uint64_t count)
{
    if (*idx < count)
        return true;
    *idx -= count;
    return false;
}

/* Storage of a cluster in which every `share`-th pod, running or to place, has a volume: counts its
 * objects, builds one, and mounts a pod's volume (if it has one). */
uint64_t workload_storage_count(const workload_spec *spec, uint64_t share);
void workload_storage_make(const workload_spec *spec, uint64_t share, uint64_t idx, draft *d);
void workload_mount(const workload_spec *spec, uint64_t share, workload_pod which, draft *d,
                    workload_need *need);

extern const workload workload_ordinary;
extern const workload workload_basic;
extern const workload workload_distinct;
extern const workload workload_spread;
extern const workload workload_anti;
extern const workload workload_affinity;
extern const workload workload_preferred;
extern const workload workload_mixed;
extern const workload workload_volumes;
extern const workload workload_local;
extern const workload workload_gpu;
extern const workload workload_racks;
extern const workload workload_churn;
extern const workload workload_preempt;

#endif
