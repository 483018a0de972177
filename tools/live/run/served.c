/* Gauges are set once a second from counters that exist anyway; histograms are updated as things
 * happen. */
#include "live/run/served.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "live/transport/event_loop.h"

static const int64_t second_ns = 1000000000;

#define TEXT_OF(number) #number
#define VERSION_OF(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)
#define VERSION_TEXT VERSION_OF(BERTH_VERSION_MAJOR, BERTH_VERSION_MINOR, BERTH_VERSION_PATCH)

#if defined(__x86_64__)
#define MACHINE "amd64"
#elif defined(__aarch64__)
#define MACHINE "arm64"
#else
#define MACHINE "unknown"
#endif

enum {
    WATCH_LOST_S = 300, /* not ready after this long without a watch */
    STANDS_S = 30,      /* not alive if a thread has made no progress for this long */
    LEASE_EXTRA_S = 20, /* not healthy if the lease was not renewed for its duration plus this */
    ATTEMPTS_LABEL_MAX = 15,
    CACHE_SIZE_MINOR = 33,
};

/* ---- health checks, on the server's thread ---- */

/* relaxed, as in all checks: no other data depends on a flag. */
static bool is_set(const _Atomic bool *flag)
{
    return atomic_load_explicit(flag, memory_order_relaxed);
}

static bool leads_well(void *context)
{
    served *s = context;
    int64_t since_ns =
        event_loop_now() - atomic_load_explicit(&s->renewed_ns, memory_order_relaxed);
    return !is_set(&s->leads) || since_ns < s->lease_ns + LEASE_EXTRA_S * second_ns;
}

static bool goes_on(void *context)
{
    return !is_set(&((served *)context)->stops);
}

static bool is_synced(void *context)
{
    return is_set(&((served *)context)->synced);
}

static bool is_watching(void *context)
{
    return is_set(&((served *)context)->watches);
}

static bool is_allowed(void *context)
{
    return is_set(&((served *)context)->allowed);
}

static bool threads_move(void *context)
{
    served *s = context;
    int64_t limit_ns = event_loop_now() - STANDS_S * second_ns;
    int64_t network_ns = atomic_load_explicit(&s->network_ns, memory_order_relaxed);
    int64_t deciding_ns = atomic_load_explicit(&s->deciding->alive_ns, memory_order_relaxed);
    return network_ns > limit_ns && (!is_set(&s->deciding_runs) || deciding_ns > limit_ns);
}

/* ---- start and end ---- */

/* Returns "10.0.0.1:6443" for "https://10.0.0.1:6443/path". */
static char *host_of(const char *url)
{
    const char *at = strstr(url, "://");
    at = at != NULL ? at + 3 : url;
    return heap_text(at, strcspn(at, "/"));
}

void served_init(served *s, deciding *d, const char *server_url, const char *lease_name,
                 int64_t lease_ns)
{
    const health_check checks[SERVED_CHECKS] = {
        {"leaderElection", false, true, true, leads_well, s},
        {"shutdown", false, true, false, goes_on, s},
        {"sched-handler-sync", false, true, false, is_synced, s},
        {"watches", false, true, false, is_watching, s},
        {"permissions", false, true, false, is_allowed, s},
        {"threads", true, false, true, threads_move, s},
    };
    memset(s, 0, sizeof(*s));
    memcpy(s->checks, checks, sizeof(checks));
    s->metrics = metrics_create(true);
    s->deciding = d;
    s->host = host_of(server_url);
    s->lease = lease_name;
    s->lease_ns = lease_ns;
    atomic_init(&s->watches, true);
    atomic_init(&s->allowed, true);
    atomic_init(&s->network_ns, event_loop_now());
}

static const char *configuration(void *context)
{
    /* Acquires the text as well. */
    return atomic_load_explicit(&((served *)context)->configuration, memory_order_acquire);
}

void served_configure(served *s, char *text, int minor, int rules_minor)
{
    s->minor = minor;
    metrics_set(s->metrics, METRIC_VERSION_SKEW, minor > rules_minor ? minor - rules_minor : 0,
                METRIC_NO_LABELS);
    atomic_store_explicit(&s->configuration, text, memory_order_release);
}

static int rules(void *context)
{
    return atomic_load_explicit(&((served *)context)->rules_minor, memory_order_relaxed);
}

static void set_gates(served *s, const char *gates)
{
    char *copy = heap_text(gates, strlen(gates)), *left = NULL;
    for (char *one = strtok_r(copy, ",", &left); one != NULL; one = strtok_r(NULL, ",", &left)) {
        char *value = strchr(one, '=');
        if (value == NULL)
            continue;
        *value++ = '\0';
        metrics_set(s->metrics, METRIC_FEATURE, strcmp(value, "true") == 0, METRIC_LABELS(one, ""));
    }
    free(copy);
}

void served_rules(served *s, int rules_minor, const char *gates)
{
    char minor[16], decide[32], before[32];
    atomic_store_explicit(&s->rules_minor, rules_minor, memory_order_relaxed); /* as in is_set */
    snprintf(minor, sizeof(minor), "%d", rules_minor);
    snprintf(decide, sizeof(decide), "1.%d", rules_minor);
    snprintf(before, sizeof(before), "1.%d", rules_minor - 1);
    metrics_set(s->metrics, METRIC_BUILD_INFO, 1,
                METRIC_LABELS("1", minor, "berth-" VERSION_TEXT, "", "", "", "", __VERSION__,
                              "linux/" MACHINE));
    metrics_set(s->metrics, METRIC_VERSION_INFO, 1,
                METRIC_LABELS(VERSION_TEXT, "berth", decide, before));
    if (gates != NULL)
        set_gates(s, gates);
}

static const char plain[] = "http://";

bool served_is_plain(const char *address)
{
    return strncmp(address, plain, strlen(plain)) == 0;
}

berth_status served_start(served *s, const served_place *place, berth_error *error)
{
    const bool is_plain = served_is_plain(place->address);
    if (is_plain && (place->certificate_file != NULL || place->client_ca_file != NULL))
        return error_set(error, BERTH_E_ARG, NULL, "'%s' is plain HTTP, which needs no certificate",
                         place->address);
    const serving_options options = {.address = place->address + (is_plain ? strlen(plain) : 0),
                                     .self_signed = !is_plain,
                                     .certificate_file = place->certificate_file,
                                     .key_file = place->key_file,
                                     .client_ca_file = place->client_ca_file,
                                     .permission = place->permission,
                                     .checks = s->checks,
                                     .check_count = SERVED_CHECKS,
                                     .metrics = s->metrics,
                                     .context = s,
                                     .configuration = configuration,
                                     .rules = rules,
                                     .no_profiles = place->no_profiles,
                                     .flags = place->flags};
    return serving_start(&options, &s->server, error);
}

void served_free(served *s)
{
    serving_stop(s->server);
    metrics_destroy(s->metrics);
    free(atomic_load_explicit(&s->configuration,
                              memory_order_relaxed)); /* relaxed: no other thread is left */
    free(s->host);
    memset(s, 0, sizeof(*s));
}

/* ---- gauges ---- */

const char *served_denied(const watcher *watches, const writes *w, const lease *l)
{
    const char *what = watches != NULL ? watcher_denied(watches) : NULL;
    if (what == NULL && w != NULL)
        what = writes_denied(w);
    if (what == NULL && l != NULL && lease_is_denied(l))
        what = "leases.coordination.k8s.io";
    return what;
}

static void set(served *s, metric which, double to, const char *label)
{
    metrics_set(s->metrics, which, to, METRIC_LABELS(label));
}

/* Pods are never scheduled as groups here, so each entity of the queue is a pod. */
static void set_queue(served *s, const char *event, const char *queue, uint64_t to)
{
    metrics_set(s->metrics, METRIC_QUEUE_INCOMING, (double)to, METRIC_LABELS(event, queue));
    metrics_set(s->metrics, METRIC_INCOMING_ENTITIES, (double)to,
                METRIC_LABELS(event, queue, "pod"));
}

static void set_pending(served *s, uint64_t to, const char *queue)
{
    set(s, METRIC_PENDING_PODS, (double)to, queue);
    metrics_set(s->metrics, METRIC_QUEUED_ENTITIES, (double)to, METRIC_LABELS(queue, "pod"));
}

/* 1.33 renamed the metric and has both names. */
static void set_sizes(served *s, double to, const char *type)
{
    if (s->minor <= CACHE_SIZE_MINOR)
        set(s, METRIC_CACHE_SIZE_BEFORE, to, type);
    if (s->minor >= CACHE_SIZE_MINOR)
        set(s, METRIC_CACHE_SIZE, to, type);
}

static void look_at_deciding(served *s)
{
    berth_scheduler_counters now;
    berth_counts cluster;
    deciding_count(s->deciding, &now);
    deciding_cluster(s->deciding, &cluster);
    set_pending(s, now.active, "active");
    set_pending(s, now.backoff, "backoff");
    set_pending(s, now.unschedulable, "unschedulable");
    set_pending(s, now.gated, "gated");
    metrics_set(s->metrics, METRIC_AFTER_FLUSH, (double)now.bound_after_flush, METRIC_NO_LABELS);
    set_sizes(s, (double)cluster.nodes, "nodes");
    set_sizes(s, (double)cluster.pods_running, "pods");
    set_sizes(s, (double)now.assumed, "assumed_pods");
    metrics_set(s->metrics, METRIC_TAKEN_PODS, (double)now.taken, METRIC_NO_LABELS);
    set_queue(s, "UnschedulablePodAdd", "active", now.submitted);
    set_queue(s, "UnschedulableTimeout", "active", now.flushed);
    set_queue(s, "AssignedPodDelete", "active", now.freed_active);
    set_queue(s, "AssignedPodDelete", "backoff", now.freed_backoff);
    set_queue(s, "BackoffComplete", "active", now.backoff_ended);
    set_queue(s, "PopFromBackoffQ", "active", now.popped_early);
    set_queue(s, "ScheduleAttemptFailure", "unschedulable", now.unplaced);
    set_queue(s, "ScheduleAttemptFailure", "backoff", now.errors + now.forgotten);
}

static void look_at_writes(served *s, const writes *w)
{
    writes_counters now;
    metrics *m = s->metrics;
    writes_count(w, &now);
    metrics_set(m, METRIC_BINDING_REQUESTS, (double)now.bind_requests, METRIC_NO_LABELS);
    metrics_set(m, METRIC_BINDING_WINDOW, (double)now.window, METRIC_NO_LABELS);
    metrics_set(m, METRIC_BINDINGS_UNSETTLED, (double)now.unsettled, METRIC_NO_LABELS);
    set(s, METRIC_GOROUTINES, (double)now.binding, "binding");
    metrics_set(m, METRIC_EVENTS_DROPPED, (double)now.events_dropped, METRIC_NO_LABELS);
    metrics_set(m, METRIC_PUSHED_BACK, (double)now.pushed_back, METRIC_NO_LABELS);
}

static void store(_Atomic bool *flag, bool to)
{
    atomic_store_explicit(flag, to, memory_order_relaxed); /* relaxed, as in is_set */
}

void served_look(served *s, const watcher *watches, const writes *w, const lease *l)
{
    int64_t lost_ns = watches != NULL ? watcher_lost_ns(watches) : 0;
    bool leads = l != NULL && lease_is_held(l);
    store(&s->synced, watches != NULL && watcher_is_synced(watches));
    store(&s->watches, lost_ns < WATCH_LOST_S * second_ns);
    store(&s->allowed, served_denied(watches, w, l) == NULL);
    store(&s->leads, leads);
    if (l != NULL)
        atomic_store_explicit(&s->renewed_ns, lease_renewed_ns(l), memory_order_relaxed);
    atomic_store_explicit(&s->network_ns, event_loop_now(), memory_order_relaxed);
    metrics_set(s->metrics, METRIC_WATCH_LOST_SECONDS, (double)lost_ns / 1e9, METRIC_NO_LABELS);
    if (s->lease != NULL)
        set(s, METRIC_LEADER, leads, s->lease);
    if (is_set(&s->deciding_runs))
        look_at_deciding(s);
    if (w != NULL)
        look_at_writes(s, w);
}

/* ---- events ---- */

static void label_of(char out[256], berth_str text)
{
    snprintf(out, 256, "%.*s", WRITE_ARG(text));
}

static void note_attempt(metrics *m, const char *profile, const char *result, int64_t took_ns)
{
    metrics_add(m, METRIC_SCHEDULE_ATTEMPTS, 1, METRIC_LABELS(profile, result));
    metrics_observe(m, METRIC_ATTEMPT_SECONDS, (double)took_ns / 1e9,
                    METRIC_LABELS(profile, result));
}

void served_step(metrics *m, const berth_step *step, berth_str profile, int64_t took_ns)
{
    char name[256];
    double seconds = (double)took_ns / 1e9;
    metrics_observe(m, METRIC_ALGORITHM_SECONDS, seconds, METRIC_NO_LABELS);
    metrics_observe(m, METRIC_DECISION_SECONDS, seconds, METRIC_NO_LABELS);
    if (step->kind != BERTH_STEP_UNSCHEDULABLE && step->kind != BERTH_STEP_ERROR)
        return;
    bool error = step->kind == BERTH_STEP_ERROR;
    label_of(name, profile);
    note_attempt(m, name, error ? "error" : "unschedulable", took_ns);
    if (step->of_group)
        return; /* the preemption is counted for the group */
    if (!error)
        metrics_add(m, METRIC_PREEMPTION_ATTEMPTS, 1, METRIC_NO_LABELS);
    if (step->victim_count > 0)
        metrics_observe(m, METRIC_PREEMPTION_VICTIMS, step->victim_count, METRIC_NO_LABELS);
}

static const char *result_of(const berth_pod_group_attempt *attempt)
{
    switch (attempt->verdict) {
    case BERTH_VERDICT_PLACED:
        return "scheduled";
    case BERTH_VERDICT_UNSCHEDULABLE:
        return attempt->preempts ? "waiting_on_preemption" : "unschedulable";
    default:
        return "error";
    }
}

void served_group(metrics *m, const berth_pod_group_attempt *attempt, berth_str profile,
                  int64_t took_ns)
{
    char name[256];
    const double seconds = (double)took_ns / 1e9;
    label_of(name, profile);
    metrics_add(m, METRIC_GROUP_ATTEMPTS, 1, METRIC_LABELS(name, result_of(attempt)));
    metrics_observe(m, METRIC_GROUP_ATTEMPT_SECONDS, seconds,
                    METRIC_LABELS(name, result_of(attempt)));
    metrics_observe(m, METRIC_GROUP_ALGORITHM_SECONDS, seconds, METRIC_NO_LABELS);
    if (attempt->verdict == BERTH_VERDICT_UNSCHEDULABLE)
        metrics_add(m, METRIC_GROUP_PREEMPTIONS, 1,
                    METRIC_LABELS(attempt->preempts ? "Success" : "Unschedulable"));
    if (attempt->victim_count > 0)
        metrics_observe(m, METRIC_GROUP_VICTIMS, attempt->victim_count, METRIC_NO_LABELS);
}

void served_event(metrics *m, berth_kind kind, bool assigned, const char *action, int64_t took_ns)
{
    char event[96];
    const char *state = assigned ? "Assigned" : "Unscheduled";
    snprintf(event, sizeof(event), "%s%s%s", kind == BERTH_KIND_POD ? state : "",
             berth_kind_name(kind), action);
    metrics_observe(m, METRIC_EVENT_HANDLING_SECONDS, (double)took_ns / 1e9, METRIC_LABELS(event));
}

static void note_placed(served *s, const bind_outcome *outcome, const char *profile,
                        int64_t took_ns)
{
    const write_pod *pod = outcome->pod;
    char attempts[16] = "15+";
    if (pod->attempt < ATTEMPTS_LABEL_MAX)
        snprintf(attempts, sizeof(attempts), "%" PRIu32, pod->attempt);
    note_attempt(s->metrics, profile, "scheduled", took_ns);
    metrics_observe(s->metrics, METRIC_POD_ATTEMPTS, pod->attempt, METRIC_NO_LABELS);
    metrics_observe(s->metrics, METRIC_SLI_SECONDS, (double)(pod->waited_ns + took_ns) / 1e9,
                    METRIC_LABELS(attempts));
}

void served_bound(served *s, const bind_outcome *outcome)
{
    static const char *const outcomes[BIND_VERDICT_COUNT] = {"bound", "refused", "failed"};
    bool bound = outcome->verdict == BIND_BOUND;
    int64_t took_ns = event_loop_now() - outcome->pod->decided_ns;
    char profile[256];
    label_of(profile, outcome->pod->scheduler_name);
    if (bound)
        note_placed(s, outcome, profile, took_ns);
    else
        note_attempt(s->metrics, profile, "error", took_ns);
    metrics_add(s->metrics, METRIC_BINDINGS, 1, METRIC_LABELS(outcomes[outcome->verdict]));
    metrics_observe(s->metrics, METRIC_BINDING_SECONDS, (double)took_ns / 1e9, METRIC_NO_LABELS);
    metrics_observe(s->metrics, METRIC_EXTENSION_POINT_SECONDS, (double)outcome->duration_ns / 1e9,
                    METRIC_LABELS("Bind", profile, bound ? "Success" : "Error"));
}

void served_evicted(served *s, const eviction_outcome *outcome)
{
    const char *result = outcome->all_good ? "success" : "error";
    double seconds = (double)outcome->took_ns / 1e9;
    if (!outcome->over)
        return;
    metrics_add(s->metrics, METRIC_PREEMPTION_RUNS, 1, METRIC_LABELS(result));
    metrics_observe(s->metrics, METRIC_PREEMPTION_RUN_SECONDS, seconds, METRIC_LABELS(result));
    metrics_observe(s->metrics, METRIC_PREEMPTION_SECONDS, seconds, METRIC_LABELS("pod", result));
}

void served_limited(served *s, const char *method, int64_t waited_ns)
{
    metrics_observe(s->metrics, METRIC_LIMITER_SECONDS, (double)waited_ns / 1e9,
                    METRIC_LABELS(s->host, method));
}

void served_request(void *context, const char *method, int status, int64_t duration_ns)
{
    served *s = context;
    char code[16] = "<error>";
    if (status != 0)
        snprintf(code, sizeof(code), "%d", status);
    metrics_add(s->metrics, METRIC_REST_REQUESTS, 1, METRIC_LABELS(code, s->host, method));
    metrics_observe(s->metrics, METRIC_REST_SECONDS, (double)duration_ns / 1e9,
                    METRIC_LABELS(s->host, method));
}
