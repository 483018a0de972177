/* The bodies of requests for the ResourceClaim of a pod's extended resources, and what its owner
 * says. Source: kube-scheduler v1.37, dynamicresources/extendeddynamicresources.go. */
#ifndef BERTH_LIVE_EXTENDED_CLAIM_H
#define BERTH_LIVE_EXTENDED_CLAIM_H

#include "live/writes/write_json.h"

/* The claim to create, with the pod as its owner; the server completes its name. `requests` is
 * spec.devices.requests. Owner: freed with free. */
char *extended_claim_body(const write_pod *pod, const json_t *requests);

/* A strategic merge patch of the pod's status that names the claim; `mappings` is requestMappings.
 * Owner: freed with free. */
char *extended_claim_status(const write_pod *pod, berth_str claim_name, const json_t *mappings);

/* Whether a claim is the one for the extended resources of the pod with that uid. */
bool extended_claim_is_of(const json_t *claim, berth_str pod_uid);

#endif
