/* Remedies that change the requests of a pod's ResourceClaims. */
#ifndef BERTH_TOOLS_DEVICE_REMEDIES_H
#define BERTH_TOOLS_DEVICE_REMEDIES_H

#include "explain/remedies.h"

/* Try fewer devices, tolerated taints of devices, and constraints left out. Records the first of
 * each that helps, on the nearest nodes. */
berth_status device_remedies_find(const remedy_search *s, trial *t, remedies *out,
                                  berth_error *error);

#endif
