/* The deciding thread: the engine and its scheduler, fed by the inbox, speaking through the
 * outbox. */
#ifndef BERTH_LIVE_DECIDING_H
#define BERTH_LIVE_DECIDING_H

#include <stdatomic.h>

#include "berth/berth.h"
#include "live/run/agreement.h"
#include "live/run/comparison.h"
#include "live/run/inbox.h"
#include "live/run/outbox.h"
#include "live/run/pod_devices.h"
#include "live/run/rejections.h"
#include "live/run/seen_bindings.h"
#include "live/serving/metrics.h"
#include "loading/engine_setup.h"

/* Decisions wait while so many orders do: pods stay in the queue, where events still reach them. */
enum { ORDERS_MAX = 256 };

typedef struct deciding {
    /* filled before the start */
    const engine_setup *setup; /* resolved; outlives it */
    bool dry_run;
    int64_t unschedulable_max_ns;   /* 0: as kube-scheduler */
    metrics *metrics;               /* NULL: nobody measures */
    void (*ordered)(void *context); /* an order was put; called on the deciding thread */
    void *context;
    /* both threads' */
    inbox in;
    outbox out;
    _Atomic uint64_t applied;   /* messages; for looking */
    _Atomic uint64_t decisions; /* likewise */
    _Atomic bool is_blind;      /* watches are lost for long: nobody is evicted */
    _Atomic int64_t alive_ns;   /* when it last went round, of CLOCK_BOOTTIME */
    pthread_mutex_t counters_lock;
    berth_scheduler_counters counters; /* the lock's: copied now and then */
    berth_counts cluster;              /* likewise */
    /* the deciding thread's */
    pthread_t thread;
    bool started, synced, leads, stops;
    berth_engine *engine;
    berth_scheduler *scheduler; /* NULL in a dry run */
    berth_explanation *explanation;
    agreement agreement; /* of a dry run */
    seen_bindings seen;  /* likewise: not applied yet */
    comparison comparison;
    rejections rejections;
    uint64_t number; /* of the last message applied */
    uint64_t refused;
    int64_t decided_ns;         /* when the step in hand began */
    berth_claim_choice *claims; /* of the binding in hand */
    size_t claim_capacity;
    pod_devices devices; /* likewise */
} deciding;

/* Make the engine and start the thread. Errors: those of engine_setup_create and of
 * berth_scheduler_create; nothing needs to be stopped then. */
berth_status deciding_start(deciding *d, berth_error *error);

/* Have it end, and wait for it. Then the engine may be looked at until deciding_free. */
void deciding_stop(deciding *d);
void deciding_free(deciding *d);

/* The outcome of a binding. Threads: the network's. */
void deciding_bind_done(deciding *d, berth_binding_id binding, bool done);

/* There is room for orders again. Threads: the network's. */
void deciding_wake(deciding *d);

/* Threads: any. */
void deciding_count(deciding *d, berth_scheduler_counters *out);
void deciding_cluster(deciding *d, berth_counts *out);

#endif
