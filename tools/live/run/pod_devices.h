/* What a binding has to write of a pod's ResourceClaims, as the engine has chosen it.
 *
 * Threads: the deciding one. */
#ifndef BERTH_LIVE_POD_DEVICES_H
#define BERTH_LIVE_POD_DEVICES_H

#include "berth/berth.h"
#include "live/run/outbox.h"

typedef struct pod_devices {
    order_devices *items;
    uint32_t count;
    size_t capacity;
    char **texts; /* of the items */
    size_t text_count, text_capacity;
} pod_devices;

/* The claims of a pod that was just put on its node. Owner: texts are kept until the next call, or
 * pod_devices_free. */
void pod_devices_read(pod_devices *d, const berth_engine *engine, berth_pod_id pod);
void pod_devices_free(pod_devices *d);

#endif
