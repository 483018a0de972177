/* Claims that stay unbound because they name no StorageClass and there is no default class. */
#ifndef BERTH_TOOLS_CLAIM_REMEDIES_H
#define BERTH_TOOLS_CLAIM_REMEDIES_H

#include "explain/remedies.h"

/* Zeroed: none. */
typedef struct unclassed_claims {
    berth_object **claims;
    size_t count, capacity;
    char **classes; /* names of all StorageClasses, none of which is the default */
    size_t class_count, class_capacity;
} unclassed_claims;

/* Find a pod's claims that have neither a volume nor a StorageClass. None if there is a default
 * class, because the API server would set it. The engine keeps objects. Errors: the engine's.
 * Owner: the caller frees `*out`, even after a failure. */
berth_status unclassed_claims_find(unclassed_claims *out, berth_engine *engine,
                                   const berth_pod *pod, berth_error *error);
void unclassed_claims_free(unclassed_claims *u);

/* Writes "claim shop/data names no StorageClass, and no StorageClass is the default: ...". */
void unclassed_claims_text(const unclassed_claims *u, text_buffer *out);

/* Try each StorageClass for the claims. Errors: the engine's. */
berth_status claim_remedies_find(const remedy_search *s, trial *t, remedies *out,
                                 berth_error *error);

#endif
