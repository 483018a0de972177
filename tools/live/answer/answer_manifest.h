/* The manifest of a question: its objects join the branch in addition to what is there. */
#ifndef BERTH_LIVE_ANSWER_MANIFEST_H
#define BERTH_LIVE_ANSWER_MANIFEST_H

#include "live/answer/answer_room.h"

/* Called for each pod of the manifest, in its order, once the pod is added. */
typedef void (*answer_manifest_fn)(void *context, const berth_pod *pod, berth_pod_id id);

/* Add the objects of the question's body as an API server would store them: pods wait, with what
 * LimitRanges and classes give them; other objects that exist already are left as they are. A pod
 * that a LimitRange or a ResourceQuota refuses is skipped (cluster_input_skipped). Errors: those of
 * the reader and the engine, with the place in the manifest; BERTH_E_INVALID if it has no pods. */
berth_status answer_manifest_read(answer_room *room, answer_manifest_fn on_pod, void *context,
                                  berth_error *error);

#endif
