/* Finds pods with volumes that only one node reaches: PersistentVolumes whose node affinity
 * requires a hostname or a node's name, such as local volumes. Their data stays behind when the pod
 * leaves. */
#ifndef BERTH_TOOLS_LOCAL_VOLUMES_H
#define BERTH_TOOLS_LOCAL_VOLUMES_H

#include "berth/berth.h"
#include "cli/words.h"

typedef struct local_use {
    berth_pod_id pod;
    uint32_t claim; /* number in `claims` */
} local_use;

/* Starts zeroed. */
typedef struct local_volumes {
    word_table volumes;    /* volumes that only one node reaches */
    word_table claims;     /* "NAMESPACE/NAME", of pods, claims and volumes */
    word_table bound;      /* names of volumes that claims are bound to */
    uint32_t *claim_bound; /* by claim: number in `bound` + 1; 0: not bound */
    size_t claim_capacity;
    local_use *uses; /* sorted by pod once all have been read */
    size_t use_count;
    size_t use_capacity;
} local_volumes;

/* Look at an object; `pod` is its id if it is a pod. */
void local_volumes_see(local_volumes *l, const berth_object *object, berth_pod_id pod);

/* Call after the last object. */
void local_volumes_end(local_volumes *l);

/* The name of a pod's first volume that only one node reaches; zeroed if it has none. Call after
 * local_volumes_end. */
berth_str local_volumes_of(const local_volumes *l, berth_pod_id pod);

void local_volumes_free(local_volumes *l);

#endif
