/* Each metric keeps a list of its series, because there are few of each. */
#include "live/serving/metrics.h"

#include <assert.h>
#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cli/heap.h"

typedef enum metric_type { COUNTER = 0, GAUGE, HISTOGRAM } metric_type;

enum { BUCKETS_MAX = 24 };

typedef struct metric_family {
    const char *name, *help;
    metric_type type;
    const char *labels[METRIC_LABELS_MAX];
    /* bounds first, first * factor, ..., or those of `bounds` */
    double first, factor;
    unsigned count;
    const double *bounds;
} metric_family;

static const double rest_bounds[] = {.005, .025, .1, .25, .5, 1, 2, 4, 8, 15, 30, 60};

/* Labels are NULL if there are none; buckets: the first bound, the factor, the number of bounds. */
#define COUNTS(NAME, HELP, ...)                                                    \
    {                                                                              \
        .name = (NAME), .help = (HELP), .type = COUNTER, .labels = { __VA_ARGS__ } \
    }
#define SHOWS(NAME, HELP, ...)                                                   \
    {                                                                            \
        .name = (NAME), .help = (HELP), .type = GAUGE, .labels = { __VA_ARGS__ } \
    }
#define MEASURES(NAME, HELP, FIRST, FACTOR, COUNT, ...)                             \
    {                                                                               \
        .name = (NAME), .help = (HELP), .type = HISTOGRAM, .labels = {__VA_ARGS__}, \
        .first = (FIRST), .factor = (FACTOR), .count = (COUNT)                      \
    }

static const metric_family families[METRIC_COUNT] = {
    [METRIC_SCHEDULE_ATTEMPTS] =
        COUNTS("scheduler_schedule_attempts_total",
               "Number of attempts to schedule pods, by the result.", "profile", "result"),
    [METRIC_ATTEMPT_SECONDS] =
        MEASURES("scheduler_scheduling_attempt_duration_seconds",
                 "Scheduling attempt latency in seconds.", .001, 2, 15, "profile", "result"),
    [METRIC_ALGORITHM_SECONDS] =
        MEASURES("scheduler_scheduling_algorithm_duration_seconds",
                 "Scheduling algorithm latency in seconds.", .001, 2, 15, NULL),
    [METRIC_SLI_SECONDS] = MEASURES(
        "scheduler_pod_scheduling_sli_duration_seconds",
        "E2e latency for a pod being scheduled, from the time the pod enters the scheduling queue.",
        .01, 2, 20, "attempts"),
    [METRIC_POD_ATTEMPTS] =
        MEASURES("scheduler_pod_scheduling_attempts",
                 "Number of attempts to successfully schedule a pod.", 1, 2, 5, NULL),
    [METRIC_PENDING_PODS] =
        SHOWS("scheduler_pending_pods", "Number of pending pods, by the queue type.", "queue"),
    [METRIC_QUEUE_INCOMING] = COUNTS(
        "scheduler_queue_incoming_pods_total",
        "Number of pods added to scheduling queues by event and queue type.", "event", "queue"),
    [METRIC_EXTENSION_POINT_SECONDS] =
        MEASURES("scheduler_framework_extension_point_duration_seconds",
                 "Latency for running all plugins of an extension point.", .0001, 2, 12,
                 "extension_point", "profile", "status"),
    [METRIC_EVENT_HANDLING_SECONDS] =
        MEASURES("scheduler_event_handling_duration_seconds", "Event handling latency in seconds.",
                 .0001, 2, 12, "event"),
    [METRIC_UNSCHEDULABLE_PODS] =
        SHOWS("scheduler_unschedulable_pods", "The number of unschedulable pods by plugin.",
              "plugin", "profile"),
    [METRIC_PREEMPTION_ATTEMPTS] =
        COUNTS("scheduler_preemption_attempts_total",
               "Total preemption attempts in the cluster till now", NULL),
    [METRIC_PREEMPTION_VICTIMS] = MEASURES("scheduler_preemption_victims",
                                           "Number of selected preemption victims", 1, 2, 7, NULL),
    [METRIC_CACHE_SIZE] =
        SHOWS("scheduler_cache_size",
              "Number of nodes, pods, and assumed (bound) pods in the scheduler cache.", "type"),
    [METRIC_CACHE_SIZE_BEFORE] =
        SHOWS("scheduler_scheduler_cache_size",
              "Number of nodes, pods, and assumed (bound) pods in the scheduler cache.", "type"),
    [METRIC_REST_REQUESTS] =
        COUNTS("rest_client_requests_total",
               "Number of HTTP requests, partitioned by status code, method, and host.", "code",
               "host", "method"),
    [METRIC_REST_SECONDS] = {.name = "rest_client_request_duration_seconds",
                             .help = "Request latency in seconds. Broken down by verb, and host.",
                             .type = HISTOGRAM,
                             .labels = {"host", "verb"},
                             .count = sizeof(rest_bounds) / sizeof(rest_bounds[0]),
                             .bounds = rest_bounds},
    [METRIC_LEADER] = SHOWS("leader_election_master_status",
                            "Gauge of if the reporting system is master of the relevant lease, 0 "
                            "indicates backup, 1 indicates master.",
                            "name"),
    [METRIC_BINDINGS] = COUNTS("berth_bindings_total", "Definite outcomes of bindings.", "outcome"),
    [METRIC_BINDING_REQUESTS] = COUNTS("berth_binding_requests_total",
                                       "Requests for bindings, repetitions included.", NULL),
    [METRIC_BINDING_SECONDS] =
        MEASURES("berth_binding_duration_seconds",
                 "From the decision to the definite outcome of its binding.", .001, 2, 18, NULL),
    [METRIC_BINDING_WINDOW] =
        SHOWS("berth_binding_window", "Bindings that may be under way at a time.", NULL),
    [METRIC_BINDINGS_UNSETTLED] = SHOWS(
        "berth_bindings_unsettled", "Bindings that were sent and have no definite outcome.", NULL),
    [METRIC_DECISION_SECONDS] = MEASURES("berth_decision_duration_seconds",
                                         "Time of a decision alone.", .000001, 2, 22, NULL),
    [METRIC_TAKEN_PODS] = COUNTS("berth_taken_pods_total",
                                 "Pods that turned up on another node than the one chosen.", NULL),
    [METRIC_EVENTS_DROPPED] = COUNTS("berth_events_dropped_total",
                                     "Events that were not written: too many waited.", NULL),
    [METRIC_PUSHED_BACK] =
        COUNTS("berth_pushed_back_total", "Answers of the API server with status 429.", NULL),
    [METRIC_WATCH_LOST_SECONDS] =
        SHOWS("berth_watch_lost_seconds", "How long the worst watch has been lost.", NULL),
    [METRIC_VERSION_SKEW] = SHOWS(
        "berth_version_skew",
        "By how many minor releases the API server is newer than the rules that decide.", NULL),
};

typedef struct series {
    struct series *next;
    char *labels[METRIC_LABELS_MAX];
    double value; /* for a histogram: the sum */
    uint64_t count;
    uint64_t buckets[BUCKETS_MAX]; /* not cumulative */
} series;

struct metrics {
    pthread_mutex_t lock; /* sync: everything below */
    series *first[METRIC_COUNT];
    time_t began; /* sync: immutable */
};

metrics *metrics_create(void)
{
    metrics *m = heap_new(1, sizeof(*m));
    pthread_mutex_init(&m->lock, NULL);
    m->began = time(NULL);
    for (int i = 0; i < METRIC_COUNT; i++)
        assert(families[i].name != NULL && families[i].count <= BUCKETS_MAX);
    return m;
}

void metrics_destroy(metrics *m)
{
    if (m == NULL)
        return;
    for (int i = 0; i < METRIC_COUNT; i++)
        for (series *s = m->first[i], *next; s != NULL; s = next) {
            next = s->next;
            for (int k = 0; k < METRIC_LABELS_MAX; k++)
                free(s->labels[k]);
            free(s);
        }
    pthread_mutex_destroy(&m->lock);
    free(m);
}

static unsigned label_count(const metric_family *family)
{
    unsigned count = 0;
    while (count < METRIC_LABELS_MAX && family->labels[count] != NULL)
        count++;
    return count;
}

/* Called with the lock held. */
static series *series_of(metrics *m, metric which, const char *const *labels)
{
    unsigned count = label_count(&families[which]);
    series **link = &m->first[which];
    for (; *link != NULL; link = &(*link)->next) {
        unsigned same = 0;
        while (same < count && strcmp((*link)->labels[same], labels[same]) == 0)
            same++;
        if (same == count)
            return *link;
    }
    series *s = *link = heap_new(1, sizeof(*s));
    for (unsigned i = 0; i < count; i++)
        s->labels[i] = heap_text(labels[i], strlen(labels[i]));
    return s;
}

void metrics_add(metrics *m, metric which, double by, const char *const *labels)
{
    assert(families[which].type != HISTOGRAM);
    pthread_mutex_lock(&m->lock);
    series_of(m, which, labels)->value += by;
    pthread_mutex_unlock(&m->lock);
}

void metrics_set(metrics *m, metric which, double to, const char *const *labels)
{
    assert(families[which].type != HISTOGRAM);
    pthread_mutex_lock(&m->lock);
    series_of(m, which, labels)->value = to;
    pthread_mutex_unlock(&m->lock);
}

/* Multiplies repeatedly, as Prometheus' Go client does, so that the last digits are the same. */
static double next_bound(const metric_family *family, unsigned i, double bound)
{
    if (family->bounds != NULL)
        return family->bounds[i];
    return i == 0 ? family->first : bound * family->factor;
}

void metrics_observe(metrics *m, metric which, double value, const char *const *labels)
{
    const metric_family *family = &families[which];
    assert(family->type == HISTOGRAM);
    unsigned i = 0;
    for (double bound = 0; i < family->count; i++) {
        bound = next_bound(family, i, bound);
        if (value <= bound)
            break;
    }
    pthread_mutex_lock(&m->lock);
    series *s = series_of(m, which, labels);
    s->value += value;
    s->count++;
    if (i < family->count)
        s->buckets[i]++;
    pthread_mutex_unlock(&m->lock);
}

/* ---- text ---- */

/* Prints the shortest text that reads back as the same number. */
static void print_number(FILE *out, double value)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, out);
}

static void print_value(FILE *out, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        if (*text == '\n')
            fputs("\\n", out);
        else
            fputc(*text, out);
    }
}

/* NAME SUFFIX {labels, le}; `le` NULL: none. */
static void print_name(FILE *out, const metric_family *family, const series *s, const char *suffix,
                       const double *le)
{
    const char *between = "{";
    fprintf(out, "%s%s", family->name, suffix);
    for (unsigned i = 0; i < label_count(family); i++, between = ",") {
        fprintf(out, "%s%s=\"", between, family->labels[i]);
        print_value(out, s->labels[i]);
        fputc('"', out);
    }
    if (le != NULL) {
        fprintf(out, "%sle=\"", between);
        if (isinf(*le))
            fputs("+Inf", out);
        else
            print_number(out, *le);
        fputc('"', out);
        between = ",";
    }
    fputs(between[0] == ',' ? "} " : " ", out);
}

static void print_histogram(FILE *out, const metric_family *family, const series *s)
{
    uint64_t below = 0;
    double bound = 0;
    for (unsigned i = 0; i <= family->count; i++) {
        bound = i < family->count ? next_bound(family, i, bound) : (double)INFINITY;
        below += i < family->count ? s->buckets[i] : 0;
        print_name(out, family, s, "_bucket", &bound);
        fprintf(out, "%llu\n", (unsigned long long)(i < family->count ? below : s->count));
    }
    print_name(out, family, s, "_sum", NULL);
    print_number(out, s->value);
    fputc('\n', out);
    print_name(out, family, s, "_count", NULL);
    fprintf(out, "%llu\n", (unsigned long long)s->count);
}

static void print_family(FILE *out, const metric_family *family, const series *s)
{
    static const char *const types[] = {"counter", "gauge", "histogram"};
    if (s == NULL)
        return;
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", family->name, family->help, family->name,
            types[family->type]);
    for (; s != NULL; s = s->next) {
        if (family->type == HISTOGRAM) {
            print_histogram(out, family, s);
            continue;
        }
        print_name(out, family, s, "", NULL);
        print_number(out, s->value);
        fputc('\n', out);
    }
}

static void print_plain(FILE *out, const char *name, const char *type, const char *help,
                        double value)
{
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n%s ", name, help, name, type, name);
    print_number(out, value);
    fputc('\n', out);
}

static unsigned count_descriptors(void)
{
    unsigned count = 0;
    DIR *folder = opendir("/proc/self/fd");
    if (folder == NULL)
        return 0;
    while (readdir(folder) != NULL)
        count++;
    closedir(folder);
    return count > 3 ? count - 3 : 0; /* not counting ".", ".." and the folder's own descriptor */
}

static void print_process(FILE *out, const metrics *m)
{
    struct rusage used;
    struct rlimit descriptors;
    unsigned long total = 0, resident = 0;
    FILE *memory = fopen("/proc/self/statm", "re");
    if (memory != NULL) {
        if (fscanf(memory, "%lu %lu", &total, &resident) != 2)
            total = resident = 0;
        fclose(memory);
    }
    double page = (double)sysconf(_SC_PAGESIZE);
    getrusage(RUSAGE_SELF, &used);
    getrlimit(RLIMIT_NOFILE, &descriptors);
    print_plain(out, "process_cpu_seconds_total", "counter",
                "Total user and system CPU time spent in seconds.",
                (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                    (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6);
    print_plain(out, "process_resident_memory_bytes", "gauge", "Resident memory size in bytes.",
                (double)resident * page);
    print_plain(out, "process_virtual_memory_bytes", "gauge", "Virtual memory size in bytes.",
                (double)total * page);
    print_plain(out, "process_open_fds", "gauge", "Number of open file descriptors.",
                count_descriptors());
    print_plain(out, "process_max_fds", "gauge", "Maximum number of open file descriptors.",
                (double)descriptors.rlim_cur);
    print_plain(out, "process_start_time_seconds", "gauge",
                "Start time of the process since unix epoch in seconds.", (double)m->began);
}

char *metrics_text(metrics *m, size_t *length)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    if (out == NULL)
        return heap_text("", *length = 0);
    pthread_mutex_lock(&m->lock);
    for (int i = 0; i < METRIC_COUNT; i++)
        print_family(out, &families[i], m->first[i]);
    pthread_mutex_unlock(&m->lock);
    print_process(out, m);
    fclose(out);
    return text;
}
