/* How the devices of a node stand to the claims of a pod. */
#ifndef BERTH_DECIDE_DEVICE_FITS_H
#define BERTH_DECIDE_DEVICE_FITS_H

#include "berth/query.h"
#include "decide/decide.h"

/* Of each request of the pod's claims that have no devices yet; into `out`, entries of `size`
 * bytes, at most `capacity`. Errors: E_NOT_FOUND, E_STATE, E_NOMEM. */
berth_status berth__decider_device_fits(berth__decider *decider, uint32_t pod, berth_node_id node,
                                        berth_device_fit *out, size_t size, uint32_t capacity,
                                        uint32_t *count, berth_error *error);

#endif
