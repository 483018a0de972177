/* Counters and measurements in Prometheus' text format. They have kube-scheduler's names, labels
 * and buckets, so that its dashboards and alerts keep working; metrics that kube-scheduler lacks
 * are named berth_*, and those of kube-scheduler that measure nothing here are 0.
 *
 * Threads: any; one lock protects everything and is held for a few comparisons of short texts. */
#ifndef BERTH_LIVE_METRICS_H
#define BERTH_LIVE_METRICS_H

#include <stdbool.h>
#include <stddef.h>

/* The comments list each metric's labels, in the order in which the functions below take them. */
typedef enum metric {
    METRIC_SCHEDULE_ATTEMPTS = 0,   /* profile, result: scheduled, unschedulable, error */
    METRIC_ATTEMPT_SECONDS,         /* profile, result */
    METRIC_ALGORITHM_SECONDS,       /* */
    METRIC_SLI_SECONDS,             /* attempts: 1 to 14, 15+ */
    METRIC_POD_ATTEMPTS,            /* */
    METRIC_PENDING_PODS,            /* queue: active, backoff, unschedulable, gated */
    METRIC_QUEUE_INCOMING,          /* event, queue */
    METRIC_EXTENSION_POINT_SECONDS, /* extension_point, profile, status */
    METRIC_EVENT_HANDLING_SECONDS,  /* event */
    METRIC_UNSCHEDULABLE_PODS,      /* plugin, profile */
    METRIC_PREEMPTION_ATTEMPTS,     /* */
    METRIC_PREEMPTION_VICTIMS,      /* */
    METRIC_CACHE_SIZE,              /* type: nodes, pods, assumed_pods */
    METRIC_CACHE_SIZE_BEFORE,       /* the same, with its name up to 1.32 */
    METRIC_REST_REQUESTS,           /* code, host, method */
    METRIC_REST_SECONDS,            /* host, verb */
    METRIC_LEADER,                  /* name */
    METRIC_BINDINGS,                /* outcome: bound, refused, failed */
    METRIC_BINDING_REQUESTS,        /* */
    METRIC_BINDING_SECONDS,         /* from the decision to the final outcome; buckets from 1 ms */
    METRIC_BINDING_WINDOW,          /* */
    METRIC_BINDINGS_UNSETTLED,      /* */
    METRIC_DECISION_SECONDS,        /* of the algorithm; buckets from 1 us */
    METRIC_TAKEN_PODS,              /* found on another node than the one chosen */
    METRIC_EVENTS_DROPPED,          /* */
    METRIC_PUSHED_BACK,             /* answers with status 429 */
    METRIC_WATCH_LOST_SECONDS,      /* how long the longest broken watch has been lost */
    METRIC_VERSION_SKEW,            /* minor releases by which the server is newer than the rules */
    METRIC_QUEUED_ENTITIES,         /* queue; type: pod */
    METRIC_INCOMING_ENTITIES,       /* event, queue; type: pod */
    METRIC_AFTER_FLUSH,             /* */
    METRIC_GOROUTINES,              /* operation: binding */
    METRIC_PREEMPTION_RUNS,         /* result: success, error */
    METRIC_PREEMPTION_RUN_SECONDS,  /* result */
    METRIC_PREEMPTION_SECONDS,      /* preemptor: pod; result */
    METRIC_LIMITER_SECONDS,         /* host, verb */
    METRIC_BUILD_INFO,              /* major, minor, git_version, git_commit, git_tree_state,
                                       build_date, go_version, compiler, platform */
    METRIC_FEATURE,                 /* name; stage: "" */
    METRIC_VERSION_INFO,            /* binary, component, emulation, min_compat */
    METRIC_GROUP_ATTEMPTS,          /* profile; result: as of pods, or waiting_on_preemption */
    METRIC_GROUP_ATTEMPT_SECONDS,   /* profile, result */
    METRIC_GROUP_ALGORITHM_SECONDS, /* */
    METRIC_GROUP_PREEMPTIONS,       /* result: Success, Unschedulable */
    METRIC_GROUP_VICTIMS,           /* */
    METRIC_RELOADS,                 /* result: success, error */
    METRIC_QUESTIONS,               /* question; code: of HTTP */
    METRIC_QUESTION_SECONDS,        /* question; from the end of the request to the answer */
    METRIC_COUNT
} metric;

enum { METRIC_LABELS_MAX = 9 };

typedef struct metrics metrics;

/* `whole`: all names of kube-scheduler are shown, even those that have measured nothing; otherwise
 * only metrics that were set. */
metrics *metrics_create(bool whole);
void metrics_destroy(metrics *m);

/* For counters and gauges. `labels` ends with NULL or with the metric's last label. */
void metrics_add(metrics *m, metric which, double by, const char *const *labels);
/* For gauges, and for counters that are kept elsewhere. */
void metrics_set(metrics *m, metric which, double to, const char *const *labels);
/* For histograms. */
void metrics_observe(metrics *m, metric which, double value, const char *const *labels);

/* Label values as a literal argument. */
#define METRIC_LABELS(...) ((const char *const[METRIC_LABELS_MAX + 1]){__VA_ARGS__})
#define METRIC_NO_LABELS ((const char *const[1]){NULL})

/* All metrics, and what the system reports about this process. Owner: the caller frees it with
 * free. */
char *metrics_text(metrics *m, size_t *length);

#endif
