/* Claims that every further pod of a specification needs for itself: those of volumeClaimTemplates,
 * and ResourceClaims of templates. */
#ifndef BERTH_TOOLS_PODSPEC_CLAIMS_H
#define BERTH_TOOLS_PODSPEC_CLAIMS_H

#include "berth/berth.h"

/* ResourceClaims that were made for pods that have not been read yet. Starts zeroed. */
typedef struct made_claims {
    berth_object **items;
    size_t count;
    size_t capacity;
} made_claims;

/* Keep the claim if it was made for a pod; returns whether it was. */
bool made_claims_keep(made_claims *made, const berth_object *claim);
void made_claims_free(made_claims *made);

/* Zeroed: none. */
typedef struct podspec_claims {
    berth_object *pod;
    berth_object **volumes; /* claims of the first pod by volume; NULL: it has none */
    berth_object **devices; /* its ResourceClaims, indexed by entries of its status */
    uint32_t count;         /* number of claims that are not NULL */
} podspec_claims;

/* Begin with a specification's first pod, whose ResourceClaims have been made. */
void podspec_claims_begin(podspec_claims *c, const berth_pod *pod, const made_claims *made);

/* Take a volume's claim that follows the pod. */
void podspec_claims_offer(podspec_claims *c, const berth_object *claim);

/* Add a further pod and its claims. Errors: the engine's; BERTH_E_EXISTS: its name is taken. */
berth_status podspec_claims_add_pod(const podspec_claims *c, berth_engine *engine, const char *name,
                                    berth_pod_id *pod, berth_error *error);

void podspec_claims_free(podspec_claims *c);

#endif
