/* The deciding thread: the engine and its scheduler. It receives changes through the inbox and
 * sends orders through the outbox. */
#ifndef BERTH_LIVE_DECIDING_H
#define BERTH_LIVE_DECIDING_H

#include <stdatomic.h>

#include "berth/berth.h"
#include "live/extenders/extenders.h"
#include "live/run/agreement.h"
#include "live/run/comparison.h"
#include "live/run/inbox.h"
#include "live/run/outbox.h"
#include "live/run/pod_devices.h"
#include "live/run/rejections.h"
#include "live/run/seen_bindings.h"
#include "live/serving/metrics.h"
#include "loading/engine_setup.h"

/* Nothing is decided while this many orders wait: pods stay in the queue, where events still reach
 * them. */
enum { ORDERS_MAX = 256 };

typedef struct deciding {
    /* set before the start */
    const engine_setup *setup; /* resolved; must outlive the thread */
    bool dry_run;
    extenders *extenders;           /* NULL: there are none */
    object_texts *texts;            /* of the objects that extenders are asked about */
    int64_t unschedulable_max_ns;   /* 0: as in kube-scheduler */
    metrics *metrics;               /* NULL: no metrics */
    void (*ordered)(void *context); /* called on the deciding thread after an order was put */
    void *context;
    /* shared by both threads */
    inbox in;
    outbox out;
    _Atomic uint64_t applied;   /* messages applied; for display */
    _Atomic uint64_t decisions; /* decisions taken */
    _Atomic bool gives_up;      /* the thread is to end: wait for no extender any more */
    _Atomic bool is_blind;      /* watches have been lost for long: evict nobody */
    _Atomic int64_t alive_ns;   /* time of its last turn, by CLOCK_BOOTTIME */
    pthread_mutex_t counters_lock;
    berth_scheduler_counters counters; /* guarded by the lock: copied now and then */
    berth_counts cluster;              /* the same */
    /* the deciding thread's own */
    pthread_t thread;
    bool started, synced, leads, stops;
    berth_engine *engine;
    berth_scheduler *scheduler; /* NULL in a dry run */
    berth_explanation *explanation;
    agreement agreement; /* in a dry run */
    seen_bindings seen;  /* in a dry run: bindings that are not applied yet */
    comparison comparison;
    rejections rejections;
    uint64_t number; /* number of the last message applied */
    uint64_t refused;
    int64_t decided_ns;         /* start of the current step */
    berth_claim_choice *claims; /* of the current binding */
    size_t claim_capacity;
    pod_devices devices; /* of the current binding */
} deciding;

/* Create the engine and start the thread. Errors: those of engine_setup_create and of
 * berth_scheduler_create; nothing has to be stopped then. */
berth_status deciding_start(deciding *d, berth_error *error);

/* Stop the thread and wait for its end. The engine may be read until deciding_free. */
void deciding_stop(deciding *d);
void deciding_free(deciding *d);

/* Report the outcome of a binding. Threads: the network's. */
void deciding_bind_done(deciding *d, berth_binding_id binding, bool done);

/* Report that there is room for orders again. Threads: the network's. */
void deciding_wake(deciding *d);

/* For extender_wait: called on the deciding thread while it waits for an extender. Notes that the
 * thread is alive and returns whether it should go on waiting. `context` is the deciding. */
bool deciding_waits(void *context);

/* Threads: any. */
void deciding_count(deciding *d, berth_scheduler_counters *out);
void deciding_cluster(deciding *d, berth_counts *out);

#endif
