/* Further pods of a workload, made from one that is there. */
#ifndef BERTH_TOOLS_POD_COPIES_H
#define BERTH_TOOLS_POD_COPIES_H

#include "berth/berth.h"

typedef struct pod_copies {
    berth_engine *engine;
    berth_str kind; /* of the workload */
    berth_str name;
    berth_status (*add)(void *context, const berth_object *object, berth_error *error);
    void *context;
} pod_copies;

/* Whether copies of a pod would be complete: those of pods with ephemeral volumes or
 * ResourceClaims of templates would lack claims. */
bool pod_copies_possible(const berth_pod *sample);

/* Add `count` pending copies of a pod. A StatefulSet's get the next free numbers, and claims of
 * their own where the pod's claims go by its name. Errors: the engine's and those of `add`. */
berth_status pod_copies_add(const pod_copies *p, berth_pod_id sample, uint64_t count,
                            berth_error *error);

#endif
