/* Orders of the deciding thread to the network's thread: a bounded queue.
 *
 * Threads: one puts, one takes.
 *   OUTBOX-1  the lock guards all fields; an order is complete before it is put. */
#ifndef BERTH_LIVE_OUTBOX_H
#define BERTH_LIVE_OUTBOX_H

#include <pthread.h>
#include <stdbool.h>

#include "berth/read.h"
#include "berth/scheduler.h"

/* A ResourceClaim of a pod to be bound. */
typedef struct order_devices {
    berth_str claim_namespace, claim_name;
    berth_str allocation; /* JSON of the chosen allocation; absent: the claim has devices */
    /* of the claim for extended resources, as JSON; absent for others */
    berth_str requests; /* spec.devices.requests, for a claim without a name: it must be created */
    berth_str mappings; /* requestMappings in the pod's status */
} order_devices;

typedef enum order_kind {
    ORDER_BIND = 0,     /* answered by berth_scheduler_bind_done */
    ORDER_UNBIND,       /* the binding has ended: do nothing more for it */
    ORDER_FAILED,       /* an attempt placed the pod nowhere */
    ORDER_EVICT,        /* delete the pod `name`, so that the preemptor fits */
    ORDER_FREE_CLAIM,   /* release the devices of the ResourceClaim `name` */
    ORDER_DELETE_CLAIM, /* delete the ResourceClaim `name`, made for a pod's extended resources */
    ORDER_UNNOMINATE,   /* the pod's nominated node is used by another pod now */
    ORDER_POD_GROUP,    /* the PodGroup `name` was decided */
} order_kind;

/* Owner: texts are stored behind the struct. */
typedef struct order {
    struct order *next;
    order_kind kind;
    /* The last message that was applied before the decision. A later object is a different one,
     * even with the same name (object_entry.born). */
    uint64_t decided_at;
    berth_str namespace_name, name; /* the pod, or the claim */
    berth_str node; /* the chosen node; after a failed attempt, the nominated one; absent: none */
    berth_binding_id binding; /* for bind and unbind */
    berth_unbind_reason why;  /* for unbind */
    bool by_extender;         /* for bind: an extender binds the pod */
    /* for bind: choices for claims that must be bound before the pod */
    const berth_claim_choice *claims;
    uint32_t claim_count;
    const order_devices *devices; /* for all of its ResourceClaims */
    uint32_t device_count;
    /* for a failed attempt, or for a PodGroup: */
    bool placed; /* the group was placed */
    bool error;  /* SchedulerError, not Unschedulable */
    berth_str message;
    berth_kind preemptor_kind; /* an eviction: Pod, PodGroup or CompositePodGroup */
    /* for an eviction; for a claim to be deleted, its pod */
    berth_str preemptor_namespace, preemptor_name;
    berth_str scheduler; /* the scheduler name of the pod; for an eviction, of the preemptor */
    /* about a pod, for metrics */
    uint32_t attempt;
    int64_t waited_ns,
        decided_ns;            /* since its submission; when it was decided, by CLOCK_BOOTTIME */
    berth_claim_choice room[]; /* claims, ResourceClaims, then texts */
} order;

/* The texts and claims of an order. */
typedef struct order_texts {
    berth_str namespace_name, name, node, message, preemptor_namespace, preemptor_name, scheduler;
    const berth_claim_choice *claims;
    uint32_t claim_count;
    const order_devices *devices;
    uint32_t device_count;
} order_texts;

typedef struct outbox {
    pthread_mutex_t lock;
    order *first, **last;
    size_t count;
} outbox;

void outbox_init(outbox *box);
void outbox_destroy(outbox *box);

/* `plain` has everything except texts and claims. Owner: copied. */
void outbox_put(outbox *box, const order *plain, const order_texts *texts);

/* Take the oldest order; NULL: there is none. Owner: the caller's, freed with free. */
order *outbox_take(outbox *box);

size_t outbox_count(outbox *box);

#endif
