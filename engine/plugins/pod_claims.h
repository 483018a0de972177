/* The ResourceClaims of a pod: which of them exist and have devices, which devices the remaining
 * ones need, and the verdict for each node. Source: kube-scheduler v1.36,
 * plugins/dynamicresources. */
#ifndef BERTH_PLUGINS_POD_CLAIMS_H
#define BERTH_PLUGINS_POD_CLAIMS_H

#include "devices/devices.h"
#include "plugins/plugin.h"

/* A claim that has devices. */
typedef struct berth__served_claim {
    const berth__device_allocation *allocation;
    berth__sym namespace_name, name;
    bool failed;      /* its devices can't be prepared: it serves no node */
    bool spare;       /* only this pod waits for its devices */
    bool special;     /* it comes from an earlier attempt to place the pod */
    bool unavailable; /* set once a node could not use it. sync: the lock of the devices */
} berth__served_claim;

/* The verdict for a node. */
typedef enum berth__claims_verdict {
    BERTH__CLAIMS_UNKNOWN, /* not examined yet */
    BERTH__CLAIMS_FIT,
    BERTH__CLAIMS_NONE,        /* no devices for all claims */
    BERTH__CLAIMS_INVALID,     /* no devices for all claims, and some pools are invalid */
    BERTH__CLAIMS_UNAVAILABLE, /* the node can't use the devices of a claim */
    BERTH__CLAIMS_STALE,       /* a claim of an earlier attempt must be removed first */
    BERTH__CLAIMS_NO_RESOURCE, /* the node lacks a resource that no devices back */
    BERTH__CLAIMS_TOO_LONG,
    BERTH__CLAIMS_FAILED,
    BERTH__CLAIMS_NO_MEMORY,
} berth__claims_verdict;

typedef struct berth__special_claim berth__special_claim; /* special_claim.h */

/* The claims of a pod and what they request; made for one decision. */
typedef struct berth__pod_claims {
    berth__special_claim *special; /* for extended resources: requests by node; NULL: none */
    berth__devices *devices;
    berth__view *view;
    berth__served_claim *served;
    uint32_t served_count;
    berth__device_claim **wanting; /* claims without devices */
    berth__device_want *wants;     /* the requests of these claims */
    uint32_t want_count;
    bool chooses; /* some request has alternatives */
    int64_t served_score;
    berth__device_search search;
    berth__offer_node where; /* the node searched last */
    /* The results of searches; NULL: not kept. sync: the lock of the devices, except between
     * decisions. */
    berth__outcomes *outcomes;
} berth__pod_claims;

/* Find the claims of a pod, in their order. Returns SKIP without claims, REFUSE or FAIL with a
 * reason, otherwise ACTIVE with the claims in `*out`; memory comes from `arena`. `*ok` turns false
 * when out of memory. */
berth__outcome berth__pod_claims_make(const berth__question *cycle, berth__arena *arena,
                                      berth__reasons *reasons, berth__pod_claims **out, bool *ok);

/* Prepare the search on nodes. Returns false when out of memory. */
bool berth__pod_claims_begin(berth__pod_claims *claims, berth__arena *arena);

/* Find the kept results of searches for equal claims, before any node is examined. Returns false
 * when out of memory. */
bool berth__pod_claims_recall(berth__pod_claims *claims, berth__arena *arena);

/* Whether some request of the claims has alternatives, which make nodes score differently. */
bool berth__pod_claims_have_alternatives(const berth__view *view, const berth__claim_list *list);

/* Whether the claims of a pod exist and belong to it. kube-scheduler: PreEnqueue. */
bool berth__pod_claims_exist(const berth__view *view, const berth__claim_list *list);

/* The name of the first claim that does not exist. Empty: all exist, or an entry of the pod has no
 * claim name yet, so that waiting for a claim is useless. */
berth_str berth__pod_missing_claim(const berth__view *view, const berth__claim_list *list);

/* The verdict for the node of a slot. */
berth__claims_verdict berth__pod_claims_on(berth__pod_claims *claims, uint32_t slot);
/* Clear the slots of a tile that do not fit. */
void berth__pod_claims_keep(berth__pod_claims *claims, uint32_t tile, berth__mask *mask);
/* Of slots that do not fit, clear those whose verdict is known and no error. For claims that
 * berth__pod_claims_settle has not settled. */
void berth__pod_claims_keep_failed(const berth__pod_claims *claims, uint32_t tile,
                                   berth__mask *mask);

/* The score of a slot that fits. */
int64_t berth__pod_claims_score(berth__pod_claims *claims, uint32_t slot);

/* Search nodes in advance, for claims that were seen often. Returns whether all verdicts are known
 * and none is an error. Cost: up to 512 searches. */
bool berth__pod_claims_settle(berth__pod_claims *claims);

/* Like berth__pod_claims_on, but always searches and leaves the search in its final state. The
 * caller holds the lock of the devices. */
berth__claims_verdict berth__pod_claims_search(berth__pod_claims *claims, uint32_t slot);

#endif
