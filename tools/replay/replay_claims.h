/* ResourceClaims of pods that come and go: when a pod leaves, its claims give their devices back,
 * and a claim that was made for the pod is deleted, as the resourceclaim controller does. */
#ifndef BERTH_TOOLS_REPLAY_CLAIMS_H
#define BERTH_TOOLS_REPLAY_CLAIMS_H

#include "replay/replay.h"

/* Remove a pod and update its claims. `ends`: the pod will not be submitted again. Errors: the
 * scheduler's. */
berth_status replay_claims_remove_pod(replay *r, berth_str namespace_name, berth_str name,
                                      bool ends, berth_error *error);

#endif
