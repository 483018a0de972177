/* ResourceClaims that lose their devices, which serve no node where the pod that waits could go:
 * the claim's status is cleared, if the claim is as it was when that was decided. Source:
 * kube-scheduler v1.36, plugins/dynamicresources, PostFilter.
 *
 * Threads: the network loop's. */
#ifndef BERTH_LIVE_CLAIM_FREES_H
#define BERTH_LIVE_CLAIM_FREES_H

#include "live/writes/write_json.h"
#include "live/writes/write_lane.h"

typedef struct freed_claim {
    berth_str namespace_name, name, uid;
    uint64_t version; /* metadata.resourceVersion */
} freed_claim;

typedef struct claim_frees claim_frees;

/* Owner: `gate` outlives it. */
claim_frees *claim_frees_create(write_gate *gate);
/* What is under way is cut off. Accepts NULL. */
void claim_frees_destroy(claim_frees *f);

/* Owner: copied. The watch tells what came of it: a claim that was changed by somebody else stays
 * as it is, and that change has the pod tried again. */
void claim_frees_put(claim_frees *f, const freed_claim *claim);

/* Nothing more is written. */
void claim_frees_end(claim_frees *f);

#endif
