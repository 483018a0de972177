/* A pod reduced to one resource at a time. Used for pods that name many resources, because
 * computing each total would otherwise read the whole pod. */
#ifndef BERTH_MODEL_REQUEST_CUT_H
#define BERTH_MODEL_REQUEST_CUT_H

#include "base/names.h"
#include "model/model.h"

/* A pod with its containers' statuses by name. */
typedef struct berth__counted_pod {
    const berth_pod *pod;
    const struct berth__counted_pod *whole; /* the pod that it was cut from; NULL: it is whole */
    berth__names statuses;
    berth__names init_statuses;
} berth__counted_pod;

/* Returns false when out of memory. */
bool berth__counted_pod_make(berth__arena *arena, const berth_pod *pod, berth__counted_pod *out);

/* The status of a container by that name, or NULL. */
const berth_container_status *berth__counted_pod_status(const berth__counted_pod *own, bool init,
                                                        berth_str name);

/* Everything that the pod says about resources, by resource. */
typedef struct berth__request_cut {
    berth__model *model;
    const berth__counted_pod *whole;
    struct berth__cut_entry *entries;
    uint64_t *order; /* column, number of the entry */
    uint32_t entry_count;
    uint32_t done; /* items of `order` handled so far */
    berth_pod pod; /* the pod reduced to the last column */
    berth_container *containers[2];
    berth_container_status *statuses[2];
} berth__request_cut;

/* Uses the model's scratch memory. Returns false when out of memory. */
bool berth__request_cut_make(berth__model *model, const berth__counted_pod *whole,
                             berth__request_cut *out);

/* The pod with what it says about the resource of a column, and with the containers that name it;
 * other containers add nothing to any total of a scalar resource. Columns must rise from call to
 * call. Returns false when out of memory. */
bool berth__request_cut_next(berth__request_cut *cut, uint32_t column, berth__counted_pod *out);

#endif
