/* Computes from a ResourceClaim on the server what must be written so that a pod gets its devices:
 * the finalizer, then the allocation and the pod in reservedFor.
 *
 * Source: kube-scheduler v1.36, plugins/dynamicresources, PreBind and Unreserve. */
#ifndef BERTH_LIVE_DEVICE_CLAIM_H
#define BERTH_LIVE_DEVICE_CLAIM_H

#include "live/writes/write_json.h"

/* The plan for one claim. Owner: borrowed. */
typedef struct device_claim_plan {
    berth_str name, uid; /* of the claim */
    berth_str pod_name, pod_uid;
    const json_t
        *allocation; /* allocation to write, without configurations; NULL: the claim has one */
    const json_t *class_configs; /* spec.config by name of DeviceClass */
} device_claim_plan;

typedef enum device_claim_step {
    DEVICE_CLAIM_CLASSES,   /* class_configs lacks a class: `text` is its name */
    DEVICE_CLAIM_FINALIZER, /* patch the claim with `text` */
    DEVICE_CLAIM_STATUS,    /* patch its status with `text` */
    DEVICE_CLAIM_WAITS,     /* everything is written; its devices' conditions are awaited */
    DEVICE_CLAIM_READY,
    DEVICE_CLAIM_FAILED, /* `text` says why */
} device_claim_step;

/* The next step for a claim as the server has just returned it; `wall_ns` is the time of day.
 * Owner: `*text` (may be NULL) is freed with free. */
device_claim_step device_claim_next(const json_t *claim, const device_claim_plan *plan,
                                    int64_t wall_ns, char **text);

/* A merge patch that removes the finalizer, valid only for this version of the claim; NULL: the
 * claim has none. Owner: freed with free. */
char *device_claim_unprotect(const json_t *claim);

/* Whether no other pod is in reservedFor. */
bool device_claim_is_spare(const json_t *claim, berth_str pod_uid);

/* A merge patch of the status that removes a claim's devices, valid only for that version. Owner:
 * freed with free. */
char *device_claim_free(berth_str claim_uid, berth_str version);

/* A strategic merge patch that removes the pod from reservedFor. Owner: freed with free. */
char *device_claim_release(berth_str claim_uid, berth_str pod_uid);

#endif
