/* Makes further pods of a workload by copying an existing one. */
#ifndef BERTH_TOOLS_POD_COPIES_H
#define BERTH_TOOLS_POD_COPIES_H

#include "berth/berth.h"

typedef struct pod_copies {
    berth_engine *engine;
    berth_str kind; /* kind of the workload */
    berth_str name;
    berth_status (*add)(void *context, const berth_object *object, berth_error *error);
    void *context;
} pod_copies;

/* Whether copies of a pod would be complete. Pods with ephemeral volumes or ResourceClaims of
 * templates need claims of their own, which copying does not make. */
bool pod_copies_possible(const berth_pod *sample);

/* Add `count` pending copies of a pod. Copies for a StatefulSet get the next free ordinals, and
 * claims of their own if the claims are named after the pod. Errors: the engine's and those of
 * `add`. */
berth_status pod_copies_add(const pod_copies *p, berth_pod_id sample, uint64_t count,
                            berth_error *error);

#endif
