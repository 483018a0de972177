/* Pod specifications, of which any number of pods can be added to the cluster. */
#ifndef BERTH_TOOLS_PODSPECS_H
#define BERTH_TOOLS_PODSPECS_H

#include "commands/podspec_claims.h"
#include "loading/cluster_input.h"

/* One specification, and what came of it. */
typedef struct podspec {
    berth_pod_id like;     /* a pod of it, pending throughout */
    char *object;          /* "Deployment default/web" */
    char *name;            /* that its pods' names begin with */
    uint64_t serial;       /* of the last name */
    podspec_claims claims; /* of its pods' own */
    admission_lacks lacks;
    char *refusal; /* by a LimitRange, which lets no pod of it in; or NULL */
    /* The caller's. */
    uint64_t fit_count;
    uint64_t *by_node; /* in the order of the caller's nodes */
    bool admitted;     /* false: what stopped it was admission, no scheduler */
    char *brief;       /* of `message`; NULL with it */
    char *message;     /* why no further one fits; NULL: nothing stopped it but --max */
} podspec;

/* Zeroed: none. */
typedef struct podspecs {
    podspec *items;
    size_t count;
    size_t capacity;
    made_claims made; /* ResourceClaims for pods of these files */
} podspecs;

/* Read specifications; other objects beside them become part of the cluster. LimitRanges and
 * ResourceQuotas that come here count as those of the input do. Errors: the reader's and the
 * engine's; E_NOT_FOUND: no pod and no template. */
berth_status podspecs_read(podspecs *p, const text_list *files, cluster_input *input,
                           berth_engine *engine, berth_error *error);

/* Add a further pod of a specification, under a name that no pod has. */
berth_status podspec_add_pod(podspec *spec, berth_engine *engine, berth_pod_id *pod,
                             berth_error *error);

void podspecs_free(podspecs *p);

#endif
