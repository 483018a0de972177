/* Releases the devices of ResourceClaims if they serve no node where the waiting pod could go:
 * clears the claim's status, provided that the claim has not changed since the decision. Source:
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

/* Owner: `gate` must outlive it. */
claim_frees *claim_frees_create(write_gate *gate);
/* Cancels requests in progress. Accepts NULL. */
void claim_frees_destroy(claim_frees *f);

/* Owner: copied. The watch shows the result. If somebody else has changed the claim, it stays as it
 * is, and that change makes the scheduler try the pod again. */
void claim_frees_put(claim_frees *f, const freed_claim *claim);

/* Write nothing more. */
void claim_frees_end(claim_frees *f);

#endif
