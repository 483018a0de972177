/* A pod's tolerations, and which taints they accept. */
#ifndef BERTH_MODEL_TOLERATIONS_H
#define BERTH_MODEL_TOLERATIONS_H

#include "model/model.h"

/* Whether a toleration of that shape accepts a taint. `op`: 0 reads as Equal; Lt and Gt match
 * nothing without the behaviour taint_comparisons.
 * Source: k8s.io/api v0.36, core/v1/toleration.go. */
typedef struct berth__interned_toleration {
    berth__sym key; /* 0 or the empty text: any key */
    berth__sym op;
    berth__sym value;
    berth__sym effect; /* 0 or the empty text: any effect */
} berth__interned_toleration;
bool berth__tolerates(const berth__model *model, const berth__interned_toleration *toleration,
                      const berth__interned_taint *taint);

/* A list, with a table of what they say where they are many: so many taints and so many tolerations
 * cost their sum, and not their product. */
typedef struct berth__tolerations {
    const berth__interned_toleration *items;
    uint32_t count;
    uint32_t mask;
    uint32_t *slots; /* number + 1, 0: free; NULL: they are few */
} berth__tolerations;

/* The items stay the caller's. Returns false when out of memory. */
bool berth__tolerations_make(const berth__model *model, berth__arena *arena,
                             const berth__interned_toleration *items, uint32_t count,
                             berth__tolerations *out);

/* Whether one of them accepts a taint. */
bool berth__tolerations_accept(const berth__model *model, const berth__tolerations *list,
                               const berth__interned_taint *taint);

#endif
