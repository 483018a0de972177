/* Objects like existing ones, as they are when they are created: without a node, a volume, times,
 * a uid or a status. They borrow everything from the object that they are like. */
#ifndef BERTH_TOOLS_NEW_OBJECTS_H
#define BERTH_TOOLS_NEW_OBJECTS_H

#include "berth/berth.h"

/* Keeps the names of claims that were made for the pod. */
berth_pod new_pod_like(const berth_pod *pod);

/* Keeps the storage class, but no annotation. */
berth_persistent_volume_claim new_volume_claim_like(const berth_persistent_volume_claim *claim);

#endif
