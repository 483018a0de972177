/* Objects of manifests that the cluster has already: which of the two counts. What an API server
 * has seen has a uid. A pod, a volume or a claim that is there stays; anything else becomes what
 * the manifest says. An object that stands in two manifests, or in two dumps, remains an error. */
#ifndef BERTH_TOOLS_TWINS_H
#define BERTH_TOOLS_TWINS_H

#include "berth/berth.h"
#include "cli/words.h"

/* Zeroed: nothing seen. */
typedef struct twins {
    word_table fresh; /* "KIND NAMESPACE/NAME" of what no API server has seen; no nodes */
} twins;

/* An object has been added. */
void twins_added(twins *t, const berth_object *object);

/* An object was refused, as there is one of its name: settle which one counts. Returns whether that
 * is settled; false: it is an error. `id` is that of the object that stays, where it is a pod. */
bool twins_settle(twins *t, berth_engine *engine, const berth_object *object, berth_object_id *id);

void twins_free(twins *t);

#endif
