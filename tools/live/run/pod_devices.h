/* The parts of a pod's ResourceClaims that a binding must write, as chosen by the engine.
 *
 * Threads: the deciding thread's. */
#ifndef BERTH_LIVE_POD_DEVICES_H
#define BERTH_LIVE_POD_DEVICES_H

#include "berth/berth.h"
#include "live/run/outbox.h"

typedef struct pod_devices {
    order_devices *items;
    uint32_t count;
    size_t capacity;
    char **texts; /* texts of the items */
    size_t text_count, text_capacity;
} pod_devices;

/* Read the claims of a pod that was just put on its node. Owner: texts are kept until the next call
 * or pod_devices_free. */
void pod_devices_read(pod_devices *d, const berth_engine *engine, berth_pod_id pod);
void pod_devices_free(pod_devices *d);

#endif
