/* Claims that every further pod of a specification needs for itself: those of volumeClaimTemplates,
 * and ResourceClaims of templates. */
#ifndef BERTH_TOOLS_PODSPEC_CLAIMS_H
#define BERTH_TOOLS_PODSPEC_CLAIMS_H

#include "berth/berth.h"
#include "cli/words.h"

/* The claims of volumes in the files, and the ResourceClaims that were made for a pod in them.
 * Zeroed: empty. */
typedef struct listed_claims {
    word_table names;     /* "KIND NAMESPACE/NAME" */
    berth_object **items; /* copies, by the number of their name */
    size_t capacity;
} listed_claims;

/* Keep a copy of such a claim, in place of an earlier one of its name; does nothing for other
 * objects. Returns whether it is a ResourceClaim that was made for a pod, which does not belong to
 * the cluster. */
bool listed_claims_keep(listed_claims *listed, const berth_object *claim);
void listed_claims_free(listed_claims *listed);

/* Zeroed: none. */
typedef struct podspec_claims {
    berth_object *pod;
    berth_object **volumes; /* claims of the first pod by volume; NULL: it has none */
    berth_object **devices; /* its ResourceClaims, indexed by entries of its status */
    uint32_t count;         /* number of claims that are not NULL */
} podspec_claims;

/* Begin with a specification's first pod. */
void podspec_claims_begin(podspec_claims *c, const berth_pod *pod);

/* Find the first pod's own claims, once all files are read. Returns the name of the first claim of
 * a volume that is its own but is not listed, so that further pods share it; empty: there is
 * none. */
berth_str podspec_claims_find(podspec_claims *c, const listed_claims *listed);

/* Add a further pod and its claims. Errors: the engine's; BERTH_E_EXISTS: its name is taken. */
berth_status podspec_claims_add_pod(const podspec_claims *c, berth_engine *engine, const char *name,
                                    berth_pod_id *pod, berth_error *error);

void podspec_claims_free(podspec_claims *c);

#endif
