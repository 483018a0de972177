/* A pod's tolerations, and which taints they accept. */
#ifndef BERTH_MODEL_TOLERATIONS_H
#define BERTH_MODEL_TOLERATIONS_H

#include "model/model.h"

/* A toleration as texts. `op` 0 means Equal; Lt and Gt match nothing without the behaviour
 * taint_comparisons.
 * Source: k8s.io/api v0.36, core/v1/toleration.go. */
typedef struct berth__interned_toleration {
    berth__sym key; /* 0 or the empty text: any key */
    berth__sym op;
    berth__sym value;
    berth__sym effect; /* 0 or the empty text: any effect */
} berth__interned_toleration;
bool berth__tolerates(const berth__model *model, const berth__interned_toleration *toleration,
                      const berth__interned_taint *taint);

/* A list of tolerations. A long list has a hash table, so that checking many taints against many
 * tolerations costs their sum, not their product. */
typedef struct berth__tolerations {
    const berth__interned_toleration *items;
    uint32_t count;
    uint32_t mask;
    uint32_t *slots; /* number + 1, 0: free; NULL: the list is short */
} berth__tolerations;

/* The caller keeps the items. Returns false when out of memory. */
bool berth__tolerations_make(const berth__model *model, berth__arena *arena,
                             const berth__interned_toleration *items, uint32_t count,
                             berth__tolerations *out);

/* Whether one of the tolerations accepts a taint. */
bool berth__tolerations_accept(const berth__model *model, const berth__tolerations *list,
                               const berth__interned_taint *taint);

#endif
