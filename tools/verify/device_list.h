/* The devices that a placement took, as a vector lists them: those that no placement before it
 * took, and no written claim had for itself. Devices that were given with admin access count for
 * nobody. */
#ifndef BERTH_TOOLS_DEVICE_LIST_H
#define BERTH_TOOLS_DEVICE_LIST_H

#include <jansson.h>

#include "berth/berth.h"

/* Devices in use, DRIVER/POOL/DEVICE, of one scenario. */
typedef struct device_list {
    json_t *used; /* an object; its values are of no matter */
} device_list;

/* Begin with what the claims of a scenario (a JSON array, or absent) have. */
void device_list_begin(device_list *list, berth_str claims);
void device_list_end(device_list *list);

/* What the pod's placement took, sorted (a new reference); it is in use from now on. */
json_t *device_list_taken(device_list *list, const berth_engine *engine, berth_pod_id pod);

#endif
