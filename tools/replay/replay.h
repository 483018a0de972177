/* A trace on a cluster in virtual time, through the library's own queue and engine.
 *
 * At one time everything happens in this order: bindings are confirmed; pods that have run their
 * time leave; pods whose time to leave has come leave; failed nodes return; nodes fail at
 * random; the events of the trace, in its order; then pods are decided until none is active. A
 * decision takes no virtual time. So the whole course is a function of the trace, the
 * configuration and the seed.
 *
 * Nodes fail at random as long as the trace lasts: up to the last time that its events tell of
 * (their own, when a pod is to leave, when one would have run its duration had it been placed at
 * once), or to the end that the options name. After that failed nodes return and pods run out: so
 * every replay comes to an end, however often its nodes fail. */
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
    int64_t until_ns;           /* the end; TRACE_NEVER: when nothing is left to happen */
    bool restart;               /* pods that were evicted or lost their node are submitted anew */
    bool keep_copies;           /* such pods, and nodes that return, may come up */
    int64_t failure_mean_ns; /* each node fails after that long, on average; 0: never at random */
    int64_t repair_ns;       /* and returns after that long */
    bool strict;             /* an event that changes nothing is an error */
    uint64_t seed;
    berth_backoff backoff; /* 0 seconds: the default */
    FILE *pods_file;       /* a line a pod when its outcome is known; NULL: none */
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
    uint64_t outstanding; /* events that count for the end: all but failures by chance */
    int64_t start_ns;
    int64_t now_ns;
    int64_t failures_end_ns; /* no node fails at random after it */
    bool started;
    bool stopped; /* until_ns has been reached */
    /* pods to be submitted again once the present step is over */
    struct pod_restart *restarts;
    size_t restart_count, restart_capacity;
    /* what came of it */
    uint64_t pods;    /* of the trace */
    uint64_t ignored; /* brought in as finished */
    uint64_t outcomes[OUTCOME_COUNT];
    uint64_t placed_now;
    uint64_t placements, restarted, evicted, lost;
    uint64_t digest; /* of all placements, in order: pod, node and time */
    uint64_t node_failures, node_returns;
    int64_t *waits_ns; /* of each placement that had to wait, ascending at the end */
    size_t wait_count, wait_capacity;
    uint64_t waitless;        /* placements at the time of submission */
    int64_t longest_still_ns; /* of a pod that waits at the end */
    double waiting_seconds;   /* integral of the pods in the queue */
    uint64_t waiting_peak;
    uint64_t explained;
    uint64_t refused; /* events that changed nothing */
    char refused_first[640];
    stopwatch watch; /* of the steps; not part of any report that repeats */
    uint64_t step_ticks;
} replay;

/* `engine` must be empty, and outlive the replay. Freed by replay_close, also after a failure.
 * Errors: those of berth_scheduler_create, E_NOMEM. */
berth_status replay_open(replay *r, const replay_options *options, berth_engine *engine,
                         berth_error *error);
void replay_close(replay *r);

/* Let time pass up to an event, and apply it; a trace_event_fn with the replay as its context.
 * Errors: those of the library with the place in the trace; E_STATE, with r->stopped set, once
 * the end is reached. */
berth_status replay_event(void *context, const trace_event *event, const berth_error *origin,
                          berth_error *error);

/* After the last event: go on until nothing is left to happen, find each remaining pod's outcome
 * and why those that wait found no place, and check all sums. */
berth_status replay_finish(replay *r, berth_error *error);

#endif
