/* The limits of pods, by Kubernetes' rule for a whole pod. The engine keeps no limits because no
 * scheduling rule reads them, so they are recorded while the pods are loaded. */
#ifndef BERTH_TOOLS_POD_LIMITS_H
#define BERTH_TOOLS_POD_LIMITS_H

#include "berth/berth.h"
#include "cli/words.h"

typedef struct limit_amount {
    uint32_t resource; /* its number in pod_limits.resources */
    int64_t amount;    /* cpu in milli, everything else in units */
} limit_amount;

/* One pod. Counts of containers include sidecars but not init containers that end. */
typedef struct pod_limit {
    berth_pod_id pod;
    size_t first; /* index in pod_limits.amounts */
    uint32_t count;
    uint32_t containers;
    uint32_t without_cpu; /* containers without a cpu limit */
    uint32_t without_memory;
} pod_limit;

/* Zeroed: no pods. */
typedef struct pod_limits {
    word_table resources;
    limit_amount *amounts;
    size_t amount_count, amount_capacity;
    pod_limit *pods;
    size_t pod_count, pod_capacity;
    struct limit_sum *sums; /* of the current pod, by resource */
    size_t sum_count, sum_capacity;
} pod_limits;

/* Record a pod that was added to the engine. */
void pod_limits_add(pod_limits *l, const berth_pod *pod, berth_pod_id id);

/* Call once after the last pod was added and before the first one is looked up. */
void pod_limits_sort(pod_limits *l);

/* A pod's limits; NULL if it was not added. */
const pod_limit *pod_limits_find(const pod_limits *l, berth_pod_id id);

void pod_limits_free(pod_limits *l);

#endif
