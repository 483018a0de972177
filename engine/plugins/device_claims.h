/* The claims of devices that a pod has: which are there, which have devices already, and what is to
 * be found for the others; on each node, what comes of it. Source: kube-scheduler v1.36,
 * plugins/dynamicresources. */
#ifndef BERTH_PLUGINS_DEVICE_CLAIMS_H
#define BERTH_PLUGINS_DEVICE_CLAIMS_H

#include "devices/devices.h"
#include "plugins/plugin.h"

/* A claim that has devices. */
typedef struct berth__served_claim {
    const berth__device_allocation *allocation;
    berth__sym namespace_name, name;
    bool failed;      /* its devices can't be made ready: it serves no node */
    bool spare;       /* nobody but this pod waits for its devices */
    bool special;     /* it is of an earlier attempt to place the pod */
    bool unavailable; /* it did not serve some node. sync: the lock of the devices */
} berth__served_claim;

/* What comes of it on a node. */
typedef enum berth__claims_verdict {
    BERTH__CLAIMS_UNKNOWN, /* not looked at yet */
    BERTH__CLAIMS_FIT,
    BERTH__CLAIMS_NONE,        /* no devices for all claims */
    BERTH__CLAIMS_INVALID,     /* likewise, with pools that are invalid */
    BERTH__CLAIMS_UNAVAILABLE, /* devices of a claim do not serve the node */
    BERTH__CLAIMS_STALE,       /* a claim of an earlier attempt must go first */
    BERTH__CLAIMS_NO_RESOURCE, /* the node lacks a resource that no devices are behind */
    BERTH__CLAIMS_TOO_LONG,
    BERTH__CLAIMS_FAILED,
    BERTH__CLAIMS_NO_MEMORY,
} berth__claims_verdict;

typedef struct berth__special_claim berth__special_claim; /* special_claim.h */

/* What a pod asks for, made for one decision. */
typedef struct berth__pod_claims {
    berth__special_claim *special; /* what else it asks for, by node; NULL: nothing */
    berth__devices *devices;
    berth__view *view;
    berth__served_claim *served;
    uint32_t served_count;
    berth__device_claim **wanting; /* claims without devices */
    berth__device_want *wants;     /* what they want */
    uint32_t want_count;
    bool chooses; /* some request has alternatives */
    int64_t served_score;
    berth__device_search search;
    berth__offer_node where; /* the node that was searched last */
    /* What searches came to; NULL: it is not kept. sync: the lock of the devices, but between
     * decisions. */
    berth__outcomes *outcomes;
} berth__pod_claims;

/* Find the claims of a pod, in their order: SKIP without any, REFUSE or FAIL with a reason,
 * otherwise ACTIVE with claims in `*out`; memory from `arena`. `*ok` turns false when out of
 * memory. */
berth__outcome berth__pod_claims_make(const berth__question *cycle, berth__arena *arena,
                                      berth__reasons *reasons, berth__pod_claims **out, bool *ok);

/* Make ready to look at nodes. Returns false when out of memory. */
bool berth__pod_claims_begin(berth__pod_claims *claims, berth__arena *arena);

/* Take up what searches for claims like these came to, before nodes are asked about. Returns false
 * when out of memory. */
bool berth__pod_claims_recall(berth__pod_claims *claims, berth__arena *arena);

/* Whether some request of the claims has alternatives, by which nodes are scored. */
bool berth__pod_claims_have_alternatives(const berth__view *view, const berth__claim_list *list);

/* Whether the claims of a pod are there and its own. kube-scheduler: PreEnqueue. */
bool berth__pod_claims_exist(const berth__view *view, const berth__claim_list *list);

/* Whether one of the claims that a pod names (`list`, NULL: it names none) has this name. */
bool berth__pod_names_claim(const berth__view *view, const berth__claim_list *list,
                            berth_str namespace_name, berth_str name);

/* What comes of it on the node of a slot. */
berth__claims_verdict berth__pod_claims_on(berth__pod_claims *claims, uint32_t slot);
/* Clear the slots of a tile that do not fit. */
void berth__pod_claims_keep(berth__pod_claims *claims, uint32_t tile, berth__mask *mask);

/* The score of a slot that fits. */
int64_t berth__pod_claims_score(berth__pod_claims *claims, uint32_t slot);

/* Of claims that were seen often, look at nodes ahead of being asked. Returns whether all are known
 * and none ends in an error. Cost: up to 512 searches. */
bool berth__pod_claims_settle(berth__pod_claims *claims);

/* The same, leaving the search as it ended, whose holder locks the devices. */
berth__claims_verdict berth__pod_claims_search(berth__pod_claims *claims, uint32_t slot);

#endif
