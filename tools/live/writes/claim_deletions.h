/* Deletes ResourceClaims that were created for the extended resources of pods: first removes their
 * finalizer, then deletes them. A claim that no longer belongs to the pod stays.
 * Source: kube-scheduler v1.37, dynamicresources/extendeddynamicresources.go, deleteClaim.
 *
 * Threads: the network loop's. */
#ifndef BERTH_LIVE_CLAIM_DELETIONS_H
#define BERTH_LIVE_CLAIM_DELETIONS_H

#include "live/writes/write_json.h"
#include "live/writes/write_lane.h"

typedef struct deleted_claim {
    berth_str namespace_name, name, uid;
    berth_str pod_uid; /* of the pod that owns it */
} deleted_claim;

typedef struct claim_deletions claim_deletions;

/* Owner: `gate` must outlive it. */
claim_deletions *claim_deletions_create(write_gate *gate);
/* Cancels requests in progress. Accepts NULL. */
void claim_deletions_destroy(claim_deletions *d);

/* Owner: copied. The watch shows the result. */
void claim_deletions_put(claim_deletions *d, const deleted_claim *claim);

/* Write nothing more. */
void claim_deletions_end(claim_deletions *d);

/* Number of deletions in progress. */
size_t claim_deletions_count(const claim_deletions *d);

#endif
