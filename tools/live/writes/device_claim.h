/* A ResourceClaim as the server shows it, and what is to be written to it so that a pod has its
 * devices: the finalizer, then the allocation and the pod in reservedFor.
 *
 * Source: kube-scheduler v1.36, plugins/dynamicresources, PreBind and Unreserve. */
#ifndef BERTH_LIVE_DEVICE_CLAIM_H
#define BERTH_LIVE_DEVICE_CLAIM_H

#include "live/writes/write_json.h"

/* What is wanted of one claim. Owner: borrowed. */
typedef struct device_claim_plan {
    berth_str name, uid; /* of the claim */
    berth_str pod_name, pod_uid;
    const json_t *allocation;    /* to be written, without its configurations; NULL: it is there */
    const json_t *class_configs; /* by name of a DeviceClass, its spec.config */
} device_claim_plan;

typedef enum device_claim_step {
    DEVICE_CLAIM_CLASSES,   /* a class is missing among class_configs: `text` is its name */
    DEVICE_CLAIM_FINALIZER, /* patch the claim with `text` */
    DEVICE_CLAIM_STATUS,    /* patch its status with `text` */
    DEVICE_CLAIM_WAITS,     /* all is written; conditions of its devices are waited for */
    DEVICE_CLAIM_READY,
    DEVICE_CLAIM_FAILED, /* `text` says why */
} device_claim_step;

/* The next step for a claim that the server has just shown; `wall_ns` is the time of day. Owner:
 * `*text`, NULL where there is none, is freed with free. */
device_claim_step device_claim_next(const json_t *claim, const device_claim_plan *plan,
                                    int64_t wall_ns, char **text);

/* Whether nobody but that pod is in reservedFor. */
bool device_claim_is_spare(const json_t *claim, berth_str pod_uid);

/* A merge patch of the status that takes the devices from a claim, if it still is of that version.
 * Owner: freed with free. */
char *device_claim_free(berth_str claim_uid, berth_str version);

/* A strategic merge patch that takes the pod out of reservedFor. Owner: freed with free. */
char *device_claim_release(berth_str claim_uid, berth_str pod_uid);

#endif
