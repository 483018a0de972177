/* Claims that every further pod of a specification has for itself: those of volumeClaimTemplates,
 * and ResourceClaims of templates. */
#ifndef BERTH_TOOLS_PODSPEC_CLAIMS_H
#define BERTH_TOOLS_PODSPEC_CLAIMS_H

#include "berth/berth.h"

/* ResourceClaims that were made for pods which are still to come. Zeroed: none. */
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
    berth_object **volumes; /* of the first pod, that of its i-th volume at place i, or NULL */
    berth_object **devices; /* likewise, by entries of its status */
    uint32_t count;         /* of those that are there */
} podspec_claims;

/* Begin with a specification's first pod, whose ResourceClaims were made. */
void podspec_claims_begin(podspec_claims *c, const berth_pod *pod, const made_claims *made);

/* A volume's claim that comes after it. */
void podspec_claims_offer(podspec_claims *c, const berth_object *claim);

/* Add a further pod, and its claims. Errors: the engine's; E_EXISTS: of a name that is taken. */
berth_status podspec_claims_add_pod(const podspec_claims *c, berth_engine *engine, const char *name,
                                    berth_pod_id *pod, berth_error *error);

void podspec_claims_free(podspec_claims *c);

#endif
