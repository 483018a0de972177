/* What the deciding thread asks of the network's: a bounded queue of orders.
 *
 * Threads: one puts, one takes.
 *   OUTBOX-1  all fields are the lock's; an order is whole before it is put. */
#ifndef BERTH_LIVE_OUTBOX_H
#define BERTH_LIVE_OUTBOX_H

#include <pthread.h>
#include <stdbool.h>

#include "berth/read.h"
#include "berth/scheduler.h"

/* A ResourceClaim of a pod that is to be bound. */
typedef struct order_devices {
    berth_str claim_namespace, claim_name;
    berth_str allocation; /* JSON of what was chosen for it; absent: it has its devices */
} order_devices;

typedef enum order_kind {
    ORDER_BIND = 0,   /* answer by berth_scheduler_bind_done */
    ORDER_UNBIND,     /* a binding that is no more: do nothing further for it */
    ORDER_FAILED,     /* an attempt placed the pod nowhere */
    ORDER_EVICT,      /* have `name` deleted, so that the preemptor fits */
    ORDER_FREE_CLAIM, /* have the ResourceClaim `name` lose its devices */
    ORDER_UNNOMINATE, /* the node that is kept for the pod is another one's now */
} order_kind;

/* Owner: texts lie behind it. */
typedef struct order {
    struct order *next;
    order_kind kind;
    /* The last message that had been applied: an object that came later is another one, whatever
     * its name (object_entry.born). */
    uint64_t decided_at;
    berth_str namespace_name, name; /* the pod, or the claim */
    berth_str node;           /* chosen; of a failed attempt the nominated one; absent: none */
    berth_binding_id binding; /* of bind and unbind */
    berth_unbind_reason why;  /* of unbind */
    /* of bind: what was chosen for claims that are to be bound before */
    const berth_claim_choice *claims;
    uint32_t claim_count;
    const order_devices *devices; /* of all its ResourceClaims */
    uint32_t device_count;
    /* of a failed attempt */
    bool error; /* SchedulerError, not Unschedulable */
    berth_str message;
    /* of an eviction */
    berth_str preemptor_namespace, preemptor_name;
    berth_str scheduler; /* the pod's scheduler name; of an eviction, the preemptor's */
    /* of a pod: for metrics */
    uint32_t attempt;
    int64_t waited_ns, decided_ns; /* since it was submitted; when, of CLOCK_BOOTTIME */
    berth_claim_choice room[];     /* claims, ResourceClaims, then texts */
} order;

/* An order without its texts, and those. */
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

/* `plain`: everything that is neither text nor claim. Owner: copied. */
void outbox_put(outbox *box, const order *plain, const order_texts *texts);

/* The oldest order; NULL: there is none. Owner: the caller's, freed by free. */
order *outbox_take(outbox *box);

size_t outbox_count(outbox *box);

#endif
