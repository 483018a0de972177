/* The special claim: the ResourceClaim that a placement creates for extended resources of a pod
 * that devices back. Its requests differ by node: devices for those resources that the node lacks.
 * Source: kube-scheduler v1.36, dynamicresources/extendeddynamicresources.go. */
#ifndef BERTH_PLUGINS_SPECIAL_CLAIM_H
#define BERTH_PLUGINS_SPECIAL_CLAIM_H

#include "plugins/pod_claims.h"

/* A resource that the pod requests, and the class that backs it. */
typedef struct berth__backed_resource {
    uint32_t resource;
    berth_str name;
    const berth__device_class *of;
} berth__backed_resource;

/* The pod's claims on nodes that provide devices for the same set of resources. */
typedef struct berth__special_variant {
    const bool *by_devices; /* by resource: whether devices provide it */
    berth__pod_claims claims;
} berth__special_variant;

struct berth__special_claim {
    const berth__class *cls;
    berth__backed_resource *backed; /* by name */
    uint32_t backed_count;
    uint32_t *others; /* columns of resources that could be backed, but are not */
    uint32_t other_count;
    berth__device_claim *written; /* created by an earlier attempt; NULL: not created yet */
    bool alone;                   /* the pod names no claims */
    berth__special_variant **variants;
    uint32_t variant_count, variant_capacity;
};

/* Find the special claim of the pod, without its variants; `*out` stays NULL if it has none.
 * Returns false when out of memory. */
bool berth__special_claim_find(const berth__question *cycle, berth__arena *arena,
                               berth__special_claim **out);

/* Make a variant for each set of resources that nodes lack; `base` has the pod's other claims.
 * Returns false when out of memory. */
bool berth__special_claim_vary(berth__special_claim *special, const berth__pod_claims *base,
                               berth__arena *arena);

/* Find the kept results of searches for its variants. Returns false when out of memory. */
bool berth__special_claim_recall(berth__special_claim *special, berth__arena *arena);

/* The claims to search for on the node of a slot; NULL: none, and `*verdict` is the result. */
berth__pod_claims *berth__special_claim_on(const berth__pod_claims *base, uint32_t slot,
                                           berth__claims_verdict *verdict);

#endif
