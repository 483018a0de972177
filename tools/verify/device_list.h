/* The devices that a placement took, as a vector lists them: those that no earlier placement took
 * and no written claim had for itself. Devices with admin access are never counted. */
#ifndef BERTH_TOOLS_DEVICE_LIST_H
#define BERTH_TOOLS_DEVICE_LIST_H

#include <jansson.h>

#include "berth/berth.h"

/* Devices in use, DRIVER/POOL/DEVICE, of one scenario. */
typedef struct device_list {
    json_t *used; /* an object; its values do not matter */
} device_list;

/* Begin with the devices of a scenario's claims (a JSON array, or absent). */
void device_list_begin(device_list *list, berth_str claims);
void device_list_end(device_list *list);

/* The devices that the pod's placement took, sorted (a new reference); they count as in use from
 * now on. */
json_t *device_list_taken(device_list *list, const berth_engine *engine, berth_pod_id pod);

#endif
