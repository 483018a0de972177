/* ResourceClaims of pods that come and go: a claim gives its devices back as its pod leaves, and
 * one that was made for the pod goes with it, as the resourceclaim controller has it. */
#ifndef BERTH_TOOLS_REPLAY_CLAIMS_H
#define BERTH_TOOLS_REPLAY_CLAIMS_H

#include "replay/replay.h"

/* Remove a pod and see to its claims. `ends`: it is not submitted again. Errors: the
 * scheduler's. */
berth_status replay_claims_remove_pod(replay *r, berth_str namespace_name, berth_str name,
                                      bool ends, berth_error *error);

#endif
