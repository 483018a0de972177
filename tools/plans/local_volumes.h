/* Which pods use volumes that only one node reaches: a PersistentVolume whose node affinity asks
 * for a hostname or a node's name, as local volumes do. Their data stays behind when the pod
 * leaves. */
#ifndef BERTH_TOOLS_LOCAL_VOLUMES_H
#define BERTH_TOOLS_LOCAL_VOLUMES_H

#include "berth/berth.h"
#include "cli/words.h"

typedef struct local_use {
    berth_pod_id pod;
    uint32_t claim; /* in `claims` */
} local_use;

/* Zeroed: nothing seen. */
typedef struct local_volumes {
    word_table volumes;    /* that only one node reaches */
    word_table claims;     /* "NAMESPACE/NAME", of pods, claims and volumes */
    word_table bound;      /* names of volumes that claims are bound to */
    uint32_t *claim_bound; /* by claim: number in `bound` + 1; 0: not bound */
    size_t claim_capacity;
    local_use *uses; /* by pod once all have been seen */
    size_t use_count;
    size_t use_capacity;
} local_volumes;

/* Take note of an object; `pod` is its id if it is a pod. */
void local_volumes_see(local_volumes *l, const berth_object *object, berth_pod_id pod);

/* All objects have been seen. */
void local_volumes_end(local_volumes *l);

/* The name of the first volume that only one node reaches among those of a pod; zeroed if it has
 * none. Call after local_volumes_end. */
berth_str local_volumes_of(const local_volumes *l, berth_pod_id pod);

void local_volumes_free(local_volumes *l);

#endif
