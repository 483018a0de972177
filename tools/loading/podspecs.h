/* Pod specifications. Any number of pods of each can be added to the cluster. */
#ifndef BERTH_TOOLS_PODSPECS_H
#define BERTH_TOOLS_PODSPECS_H

#include "loading/cluster_input.h"
#include "loading/podspec_claims.h"

/* One specification, and its results. */
typedef struct podspec {
    berth_pod_id like;     /* its first pod, which stays pending */
    char *object;          /* "Deployment default/web" */
    char *name;            /* prefix of its pods' names */
    uint64_t serial;       /* number of the last name */
    podspec_claims claims; /* claims that each pod has for itself */
    admission_lacks lacks;
    char *refusal; /* the message of a LimitRange that refuses every pod; or NULL */
    /* set by the caller */
    uint64_t fit_count;
    uint64_t *by_node; /* pods per node, in the order of the caller's nodes */
    bool admitted;     /* false: admission stopped the count, not the scheduler */
    char *brief;       /* short form of `message`, or NULL */
    char *message;     /* why no further pod fits; NULL: only --max ended the count */
} podspec;

/* Zeroed: none. */
typedef struct podspecs {
    podspec *items;
    size_t count;
    size_t capacity;
    listed_claims listed; /* claims in the files */
} podspecs;

/* Read specifications; other objects in the files become part of the cluster. LimitRanges and
 * ResourceQuotas among them count as in the input. Errors: the reader's and the engine's;
 * BERTH_E_NOT_FOUND: neither a pod nor a template. */
berth_status podspecs_read(podspecs *p, const text_list *files, cluster_input *input,
                           berth_engine *engine, berth_error *error);

/* The same from a text; errors speak of it by `name`. */
berth_status podspecs_read_text(podspecs *p, berth_str text, const char *name, cluster_input *input,
                                berth_engine *engine, berth_error *error);

/* Add a further pod of a specification, under an unused name. */
berth_status podspec_add_pod(podspec *spec, berth_engine *engine, berth_pod_id *pod,
                             berth_error *error);

void podspecs_free(podspecs *p);

#endif
