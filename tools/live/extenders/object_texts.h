/* The objects that extenders are asked about, as JSON texts of the API server, without
 * managedFields.
 *
 * Threads: the network's puts and drops, the deciding thread reads.
 *   TEXTS-1  the lock guards everything; texts are copied out under it. An object may be newer than
 *            the engine's, or gone already. */
#ifndef BERTH_LIVE_OBJECT_TEXTS_H
#define BERTH_LIVE_OBJECT_TEXTS_H

#include <stdbool.h>
#include <stdio.h>

#include "live/watch/object_view.h"

/* What is kept besides the pods without a node. */
typedef struct object_texts_policy {
    bool nodes;
    bool running_pods;
    bool running_uids; /* of pods on nodes; implied by running_pods */
    bool last_pending; /* in a dry run: pods on nodes, as they were before they had one */
} object_texts_policy;

typedef struct object_texts object_texts;

object_texts *object_texts_create(object_texts_policy policy);
void object_texts_destroy(object_texts *texts);

/* The watch shows an object; `view` was read from `text`. Kinds other than nodes and pods are
 * ignored. Cost: linear in the text, if it is kept. */
void object_texts_put(object_texts *texts, berth_kind kind, const object_view *view,
                      berth_str text);
void object_texts_drop(object_texts *texts, berth_kind kind, berth_str namespace_name,
                       berth_str name);

/* Write an object's text, or its metadata.uid as a JSON string. Returns false, and writes nothing,
 * if it is not known. */
bool object_texts_write(object_texts *texts, berth_kind kind, berth_str namespace_name,
                        berth_str name, FILE *out);
bool object_texts_write_uid(object_texts *texts, berth_str namespace_name, berth_str name,
                            FILE *out);

/* Whether a container of a pod names one of these resources in its requests or limits. Cost: linear
 * in the pod's text. */
bool object_texts_asks(object_texts *texts, berth_str namespace_name, berth_str name,
                       const berth_strs *resources);

/* Whether the stored pod of this name has that uid. */
bool object_texts_has_uid(object_texts *texts, berth_str namespace_name, berth_str name,
                          const char *uid);

#endif
