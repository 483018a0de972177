/* Remedies that change what a pod's ResourceClaims ask for. */
#ifndef BERTH_TOOLS_DEVICE_REMEDIES_H
#define BERTH_TOOLS_DEVICE_REMEDIES_H

#include "explain/remedies.h"

/* Fewer devices; taints of devices tolerated; constraints left out. Of each the first that helps,
 * on the nodes that are nearest. */
berth_status device_remedies_find(const remedy_search *s, trial *t, remedies *out,
                                  berth_error *error);

#endif
