/* Claims of volumes that wait because they name no StorageClass and none is the default. */
#ifndef BERTH_TOOLS_CLAIM_REMEDIES_H
#define BERTH_TOOLS_CLAIM_REMEDIES_H

#include "explain/remedies.h"

/* Zeroed: none. */
typedef struct unclassed_claims {
    berth_object **claims;
    size_t count, capacity;
    char **classes; /* names of all StorageClasses; none of them is the default */
    size_t class_count, class_capacity;
} unclassed_claims;

/* The claims of a pod that have no volume and no StorageClass; none if there is a default class,
 * as the API server puts it into such claims. The engine keeps objects. Errors: the engine's.
 * Owner: `*out` is the caller's, also after a failure. */
berth_status unclassed_claims_find(unclassed_claims *out, berth_engine *engine,
                                   const berth_pod *pod, berth_error *error);
void unclassed_claims_free(unclassed_claims *u);

/* "claim shop/data names no StorageClass, and no StorageClass is the default: ..." */
void unclassed_claims_text(const unclassed_claims *u, text_buffer *out);

/* Try each StorageClass in the claims. Errors: the engine's. */
berth_status claim_remedies_find(const remedy_search *s, trial *t, remedies *out,
                                 berth_error *error);

#endif
