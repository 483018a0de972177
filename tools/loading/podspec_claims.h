/* Claims that every further pod of a specification needs for itself: those of volumeClaimTemplates,
 * and ResourceClaims of templates. */
#ifndef BERTH_TOOLS_PODSPEC_CLAIMS_H
#define BERTH_TOOLS_PODSPEC_CLAIMS_H

#include "berth/berth.h"

/* Claims whose pods have not been read yet: claims of volumes, and ResourceClaims that were made
 * for a pod. Starts zeroed. */
typedef struct early_claims {
    berth_object **items;
    size_t count;
    size_t capacity;
} early_claims;

/* Keep a copy of such a claim; does nothing for other objects. Returns whether it is a
 * ResourceClaim that was made for a pod, which does not belong to the cluster. */
bool early_claims_keep(early_claims *early, const berth_object *claim);
void early_claims_free(early_claims *early);

/* Zeroed: none. */
typedef struct podspec_claims {
    berth_object *pod;
    berth_object **volumes; /* claims of the first pod by volume; NULL: it has none */
    berth_object **devices; /* its ResourceClaims, indexed by entries of its status */
    uint32_t count;         /* number of claims that are not NULL */
} podspec_claims;

/* Begin with a specification's first pod; takes its own claims among the early ones. */
void podspec_claims_begin(podspec_claims *c, const berth_pod *pod, const early_claims *early);

/* Take a volume's claim that follows the pod. */
void podspec_claims_offer(podspec_claims *c, const berth_object *claim);

/* The name of the first claim of a volume that is the pod's own but was not read, so that further
 * pods share it; empty: there is none. */
berth_str podspec_claims_shared(const podspec_claims *c);

/* Add a further pod and its claims. Errors: the engine's; BERTH_E_EXISTS: its name is taken. */
berth_status podspec_claims_add_pod(const podspec_claims *c, berth_engine *engine, const char *name,
                                    berth_pod_id *pod, berth_error *error);

void podspec_claims_free(podspec_claims *c);

#endif
