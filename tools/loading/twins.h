/* Decides which object counts if the cluster already has an object of a manifest. Objects with a
 * uid come from an API server. If the cluster's object is a pod, a volume or a claim, it stays as
 * it is; any other object takes the manifest's state. If two manifests have the same object, the
 * later one counts, as with `kubectl apply`. Two pods or two nodes of the same name, and the same
 * object in two dumps, are errors. */
#ifndef BERTH_TOOLS_TWINS_H
#define BERTH_TOOLS_TWINS_H

#include "berth/berth.h"
#include "cli/words.h"

/* Starts zeroed. */
typedef struct twins {
    word_table fresh; /* "KIND NAMESPACE/NAME" of objects from manifests, without nodes */
} twins;

/* Call for each object that was added. */
void twins_added(twins *t, const berth_object *object);

/* The answer for an object whose name was taken. */
typedef enum twins_answer {
    TWINS_REFUSED = 0, /* it is an error */
    TWINS_SETTLED,     /* one of the two counts */
    TWINS_REPLACED,    /* it replaces an object of an earlier manifest */
} twins_answer;

/* Call if the engine refused an object because its name is taken: decides which one counts. For a
 * pod, `id` receives the id of the pod that counts. */
twins_answer twins_settle(twins *t, berth_engine *engine, const berth_object *object,
                          berth_object_id *id);

void twins_free(twins *t);

#endif
