/* Pods of the input that have finished. The engine does not keep them: they hold no node, and no
 * scheduler takes them up. */
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

/* Record the object if it is a pod that has finished. */
void finished_pods_see(finished_pods *f, const berth_object *object);
void finished_pods_free(finished_pods *f);

/* The finished pod of a name. Without a namespace: that of "default", else the first that has the
 * name. NULL if there is none. */
const finished_pod *finished_pods_find(const finished_pods *f, berth_str namespace_name,
                                       berth_str name);

#endif
