/* Counts how many devices of a node suit the claims of a pod. */
#ifndef BERTH_DECIDE_DEVICE_FITS_H
#define BERTH_DECIDE_DEVICE_FITS_H

#include "berth/query.h"
#include "decide/decide.h"

/* For each request of the pod's claims that have no devices yet, write an entry of `size` bytes to
 * `out`, at most `capacity` of them. Errors: BERTH_E_NOT_FOUND, BERTH_E_STATE, BERTH_E_NOMEM. */
berth_status berth__decider_device_fits(berth__decider *decider, uint32_t pod, berth_node_id node,
                                        berth_device_fit *out, size_t size, uint32_t capacity,
                                        uint32_t *count, berth_error *error);

#endif
