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
#include "live/serving/metric_families.h"

typedef struct series {
    struct series *next;
    char *labels[METRIC_LABELS_MAX];
    double value; /* for a histogram: the sum */
    uint64_t count;
    uint64_t buckets[METRIC_BUCKETS_MAX]; /* not cumulative */
} series;

struct metrics {
    pthread_mutex_t lock; /* sync: everything below */
    series *first[METRIC_COUNT];
    time_t began; /* sync: immutable */
    bool whole;   /* sync: immutable */
};

metrics *metrics_create(bool whole)
{
    metrics *m = heap_new(1, sizeof(*m));
    m->whole = whole;
    pthread_mutex_init(&m->lock, NULL);
    m->began = time(NULL);
    for (int i = 0; i < METRIC_COUNT; i++)
        assert(metric_families[i].name != NULL && metric_families[i].count <= METRIC_BUCKETS_MAX);
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
    unsigned count = label_count(&metric_families[which]);
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
    assert(metric_families[which].type != METRIC_HISTOGRAM);
    pthread_mutex_lock(&m->lock);
    series_of(m, which, labels)->value += by;
    pthread_mutex_unlock(&m->lock);
}

void metrics_set(metrics *m, metric which, double to, const char *const *labels)
{
    assert(metric_families[which].type != METRIC_HISTOGRAM);
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
    const metric_family *family = &metric_families[which];
    assert(family->type == METRIC_HISTOGRAM);
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
    if (isinf(value)) {
        fputs("+Inf", out);
        return;
    }
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
    const series none = {.next = NULL};
    if (s == NULL && label_count(family) > 0)
        return;
    if (s == NULL)
        s = &none;
    fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", family->name, family->help, family->name,
            types[family->type]);
    for (; s != NULL; s = s->next) {
        if (family->type == METRIC_HISTOGRAM) {
            print_histogram(out, family, s);
            continue;
        }
        print_name(out, family, s, "", NULL);
        print_number(out, s->value);
        fputc('\n', out);
    }
}

static void print_unmeasured(FILE *out, const metric_family *family)
{
    metric_family told = *family;
    series zero = {.value = family->zero_value};
    told.help = "Of kube-scheduler; not measured here, always as it is.";
    for (unsigned i = 0; i < label_count(family); i++)
        zero.labels[i] = heap_text(family->zero[i], strlen(family->zero[i]));
    print_family(out, &told, &zero);
    for (unsigned i = 0; i < label_count(family); i++)
        free(zero.labels[i]);
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
        if (m->whole || m->first[i] != NULL)
            print_family(out, &metric_families[i], m->first[i]);
    pthread_mutex_unlock(&m->lock);
    for (size_t i = 0; i < metric_unmeasured_count && m->whole; i++)
        print_unmeasured(out, &metric_unmeasured[i]);
    print_process(out, m);
    fclose(out);
    return text;
}
