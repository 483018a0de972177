/* Objects of manifests that the cluster has already: which of the two counts. An object that an API
 * server has seen has a uid. A pod, a volume or a claim of the cluster stays; anything else becomes
 * what the manifest says. If two manifests have an object, the later one counts, as with
 * `kubectl apply`; two pods or two nodes of one name, and objects of two dumps, are an error. */
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

/* What became of an object whose name was taken. */
typedef enum twins_answer {
    TWINS_REFUSED = 0, /* it is an error */
    TWINS_SETTLED,     /* one of the two counts */
    TWINS_REPLACED,    /* it replaces an object of an earlier manifest */
} twins_answer;

/* The engine refused an object because its name is taken: settle which one counts. For a pod, `id`
 * receives the id of the pod that counts. */
twins_answer twins_settle(twins *t, berth_engine *engine, const berth_object *object,
                          berth_object_id *id);

void twins_free(twins *t);

#endif
