/* Plays a trace on a cluster in virtual time, with the library's own queue and engine.
 *
 * Within one moment the order is: bindings are confirmed; pods that have run their time leave; pods
 * whose time to leave has come leave; failed nodes return; nodes fail at random; the events of the
 * trace happen in its order; then pods are decided until none is active. A decision takes no
 * virtual time. So the whole course is a function of the trace, the configuration and the seed.
 *
 * Nodes fail at random as long as the trace lasts: up to the last time that its events name (their
 * own times, the times at which pods leave, and the times at which pods would finish if they were
 * placed at once), or to the end in the options. After that, failed nodes return and pods finish,
 * so every replay ends, however often its nodes fail. */
#ifndef BERTH_TOOLS_REPLAY_H
#define BERTH_TOOLS_REPLAY_H

#include <stdbool.h>
#include <stdio.h>

#include "berth/berth.h"
#include "berth/scheduler.h"
#include "cli/stopwatch.h"
#include "loading/claim_book.h"
#include "replay/event_heap.h"
#include "replay/replay_load.h"
#include "replay/replay_reasons.h"
#include "replay/replay_records.h"
#include "replay/replay_series.h"
#include "traces/trace.h"

typedef struct replay_options {
    int64_t sample_interval_ns; /* 0: automatic */
    int64_t bind_latency_ns;    /* from a decision until its binding is confirmed */
    int64_t until_ns;           /* the end; TRACE_NEVER: when no event is left */
    bool restart;               /* submit pods again that were evicted or lost their node */
    bool keep_copies;           /* keep copies, because pods or nodes may have to be made again */
    int64_t failure_mean_ns;    /* mean time until a node fails; 0: never at random */
    int64_t repair_ns;          /* time until it returns */
    bool strict;                /* an event that changes nothing is an error */
    uint64_t seed;
    berth_backoff backoff; /* 0 seconds: the default */
    FILE *pods_file;       /* one line per pod when its outcome is known; NULL: none */
} replay_options;

typedef struct replay {
    replay_options options;
    berth_engine *engine; /* borrowed */
    berth_scheduler *scheduler;
    berth_explanation *explanation;
    replay_records records;
    replay_load load;
    replay_series series;
    replay_reasons reasons;
    claim_book claims;
    event_heap events;
    uint64_t outstanding; /* events that keep the replay going: all but random failures */
    int64_t start_ns;
    int64_t now_ns;
    int64_t failures_end_ns; /* no node fails at random after this time */
    bool started;
    bool stopped; /* until_ns was reached */
    /* pods to submit again once the present step is over */
    struct pod_restart *restarts;
    size_t restart_count, restart_capacity;
    /* results */
    uint64_t pods;    /* pods of the trace */
    uint64_t ignored; /* pods that were finished on arrival */
    uint64_t outcomes[OUTCOME_COUNT];
    uint64_t placed_now;
    uint64_t placements, restarted, evicted, lost;
    uint64_t digest; /* over all placements in order: pod, node and time */
    uint64_t node_failures, node_returns;
    int64_t *waits_ns; /* wait of each delayed placement, ascending at the end */
    size_t wait_count, wait_capacity;
    uint64_t waitless;        /* placements at the moment of submission */
    int64_t longest_still_ns; /* longest wait of a pod that still waits at the end */
    double waiting_seconds;   /* integral over time of the number of pods in the queue */
    uint64_t waiting_peak;
    uint64_t explained;
    uint64_t refused; /* events that changed nothing */
    char refused_first[640];
    uint32_t idle_rounds; /* retries of the queue since something else happened */
    int64_t idle_since_ns;
    stopwatch watch; /* of the steps; not part of any reproducible report */
    uint64_t step_ticks;
} replay;

/* Begin a replay. `engine` must be empty and outlive the replay. Call replay_close, even after a
 * failure. Errors: those of berth_scheduler_create, BERTH_E_NOMEM. */
berth_status replay_open(replay *r, const replay_options *options, berth_engine *engine,
                         berth_error *error);
void replay_close(replay *r);

/* Let time pass up to an event, and apply it; a trace_event_fn with the replay as its context.
 * Errors: those of the library with the place in the trace; BERTH_E_STATE, with r->stopped set,
 * once the end is reached. */
berth_status replay_event(void *context, const trace_event *event, const berth_error *origin,
                          berth_error *error);

/* Call after the last event: continues until nothing is left to happen, finds the outcome of each
 * remaining pod and why waiting pods have no node, and checks all sums. */
berth_status replay_finish(replay *r, berth_error *error);

#endif
