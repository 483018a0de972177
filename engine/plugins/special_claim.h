/* The claim that a placement makes for the extended resources of a pod that devices stand behind.
 * What it asks for differs by node: devices in place of those resources that the node has none of
 * by itself. Source: kube-scheduler v1.36, dynamicresources/extendeddynamicresources.go. */
#ifndef BERTH_PLUGINS_SPECIAL_CLAIM_H
#define BERTH_PLUGINS_SPECIAL_CLAIM_H

#include "plugins/device_claims.h"

/* A resource that the pod asks for, with the class behind it. */
typedef struct berth__backed_resource {
    uint32_t resource;
    berth_str name;
    const berth__device_class *of;
} berth__backed_resource;

/* What the pod asks for on nodes that give devices in place of the same resources. */
typedef struct berth__special_variant {
    const bool *by_devices; /* by resource */
    berth__pod_claims claims;
} berth__special_variant;

struct berth__special_claim {
    const berth__class *cls;
    berth__backed_resource *backed; /* by name */
    uint32_t backed_count;
    uint32_t *others; /* columns: what could be backed, and is not */
    uint32_t other_count;
    berth__device_claim *written; /* of an earlier attempt; NULL: it is yet to be made */
    bool alone;                   /* the pod names no claims */
    berth__special_variant **variants;
    uint32_t variant_count, variant_capacity;
};

/* The special claim of the pod, without its variants; `*out` stays NULL if it has none. Returns
 * false when out of memory. */
bool berth__special_claim_find(const berth__question *cycle, berth__arena *arena,
                               berth__special_claim **out);

/* A variant for each sort of nodes; `base` has everything else that the pod asks for. Returns false
 * when out of memory. */
bool berth__special_claim_vary(berth__special_claim *special, const berth__pod_claims *base,
                               berth__arena *arena);

/* Take up what searches for its variants came to. Returns false when out of memory. */
bool berth__special_claim_recall(berth__special_claim *special, berth__arena *arena);

/* What is to be looked for on the node of a slot; NULL: nothing, and `*verdict` says what comes of
 * it. */
berth__pod_claims *berth__special_claim_on(const berth__pod_claims *base, uint32_t slot,
                                           berth__claims_verdict *verdict);

#endif
