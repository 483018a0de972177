/* Pods of the input that have finished. The engine does not keep them, because they occupy no node
 * and no scheduler takes them. */
#ifndef BERTH_TOOLS_FINISHED_PODS_H
#define BERTH_TOOLS_FINISHED_PODS_H

#include <stdbool.h>
#include <stddef.h>

#include "berth/berth.h"

typedef struct finished_pod {
    char *namespace_name, *name;
    char *phase;                   /* Succeeded or Failed */
    char *owner_kind, *owner_name; /* of its controller; "": it has none */
    char *template_hash;           /* its label pod-template-hash, or "" */
} finished_pod;

/* Zeroed: none. */
typedef struct finished_pods {
    finished_pod *items;
    size_t count, capacity;
} finished_pods;

/* Record the object if it is a finished pod. */
void finished_pods_see(finished_pods *f, const berth_object *object);
void finished_pods_free(finished_pods *f);

/* Find a finished pod by name. Without a namespace: the one in "default", or else the first with
 * the name. NULL if there is none. */
const finished_pod *finished_pods_find(const finished_pods *f, berth_str namespace_name,
                                       berth_str name);

#endif
