/* Performs workloads of Kubernetes' scheduler benchmark in this process and prints how many pods a
 * second were placed, beside the benchmark's own thresholds. Standard input has the workloads as
 * changes of a cluster (tests/oracle, `oracle workloads`); bench/scheduler_perf brings both
 * together.
 *
 * Measured is the time of the scheduling loop: taking a pod from the queue, deciding, binding in
 * memory, evictions and retries. Reading objects is not. The thresholds are what kube-scheduler
 * with an API server has to reach in Kubernetes' own tests. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "berth/berth.h"
#include "berth/kube.h"
#include "berth/scheduler.h"
#include "cli/heap.h"
#include "cli/stopwatch.h"
#include "cli/words.h"
#include "loading/engine_setup.h"

enum { NAME_BYTES = 256 };
/* Pods that are tried again and again are given up when none was placed for so long; twice the
 * longest backoff. */
static const int64_t PATIENCE_NS = INT64_C(20000000000);

typedef struct run {
    const char *kubernetes;
    uint64_t threads;
    /* the workload at hand */
    char name[NAME_BYTES];
    double threshold;
    bool open;
    char refused[512]; /* why it cannot be performed; empty: it can */
    engine_setup setup;
    berth_engine *engine;
    berth_scheduler *scheduler;
    berth_reader *reader;
    int64_t now_ns;
    bool updates; /* objects that are read replace others */
    bool measuring;
    uint64_t pods; /* bound while measuring */
    double seconds;
    double slowest_us; /* step of the loop */
    berth_explanation *why;
    char unplaced[256]; /* why the last pod to be measured is on no node; empty: it is on one */
    berth_error error;
} run;

/* ---- one workload ---- */

static bool refuse(run *r, const char *what)
{
    if (r->refused[0] == '\0')
        snprintf(r->refused, sizeof(r->refused), "%s: %s", what, r->error.message);
    return false;
}

static void release(run *r)
{
    berth_scheduler_destroy(r->scheduler);
    berth_engine_destroy(r->engine);
    berth_reader_destroy(r->reader);
    engine_setup_release(&r->setup);
    r->scheduler = NULL;
    r->engine = NULL;
    r->reader = NULL;
}

static bool start(run *r, const char *configuration, const char *gates)
{
    berth_read_options reading;
    berth_scheduler_options options;
    berth_read_options_init(&reading);
    berth_scheduler_options_init(&options);
    reading.apply_defaults = true;
    reading.threads = 1;
    r->setup = (engine_setup){
        .kubernetes = r->kubernetes,
        .config_path = strcmp(configuration, "-") != 0 ? configuration : NULL,
        .feature_gates = strcmp(gates, "-") != 0 ? gates : NULL,
        .threads = r->threads,
    };
    r->setup.places_groups = engine_setup_follows_groups(&r->setup);
    if (engine_setup_resolve(&r->setup, &r->error) != BERTH_OK ||
        engine_setup_create(&r->setup, &r->engine, &r->error) != BERTH_OK ||
        berth_scheduler_create(r->engine, &options, &r->scheduler, &r->error) != BERTH_OK ||
        berth_reader_create(&reading, &r->reader, &r->error) != BERTH_OK)
        return refuse(r, "cannot be set up");
    return true;
}

static berth_status change(void *context, const berth_object *object, const berth_error *place,
                           berth_error *error)
{
    (void)place;
    run *r = context;
    berth_object_id id;
    return r->updates ? berth_scheduler_update(r->scheduler, r->now_ns, object, error)
                      : berth_scheduler_add(r->scheduler, r->now_ns, object, &id, error);
}

static bool read_object(run *r, const char *text, bool updates)
{
    r->updates = updates;
    return berth_reader_text(r->reader, words_of(text), "workload", change, r, &r->error) ==
               BERTH_OK ||
           refuse(r, updates ? "update" : "add");
}

static bool delete_object(run *r, const char *kind, const char *space, const char *name)
{
    int number = 0;
    while (number < BERTH_KIND_COUNT && strcmp(berth_kind_name((berth_kind)number), kind) != 0)
        number++;
    if (number == BERTH_KIND_COUNT)
        return true; /* the engine keeps no objects of this kind */
    const berth_str in = strcmp(space, "-") != 0 ? words_of(space) : (berth_str){0};
    const berth_status status = berth_scheduler_remove(r->scheduler, r->now_ns, (berth_kind)number,
                                                       in, words_of(name), &r->error);
    /* A pod may have been evicted in the meantime. */
    return status == BERTH_OK || status == BERTH_E_NOT_FOUND || refuse(r, "delete");
}

/* Note why a pod is still on no node. */
static void note_unplaced(run *r, berth_pod_id pod)
{
    berth_decide_options options;
    berth_placement placement;
    berth_decide_options_init(&options);
    options.explanation = r->why;
    r->unplaced[0] = '\0';
    if (pod == BERTH_POD_NONE ||
        berth_engine_decide(r->engine, pod, &options, &placement, &r->error) != BERTH_OK)
        return;
    const berth_str text = berth_explanation_message(r->why);
    snprintf(r->unplaced, sizeof(r->unplaced), "%.*s", (int)text.len, text.data);
}

/* Take steps until no pod waits except for a change, or for too long. If all wait for the end of a
 * backoff, time passes at once. */
static bool place(run *r)
{
    stopwatch watch;
    berth_step step;
    berth_scheduler_counters counters;
    berth_status status = BERTH_OK;
    berth_pod_id unplaced = BERTH_POD_NONE;
    uint64_t slowest = 0, pods = 0;
    int64_t placed_ns = r->now_ns;
    bool more = true;
    stopwatch_start(&watch);
    for (uint64_t before = watch.start_ticks, now; status == BERTH_OK && more; before = now) {
        status = berth_scheduler_step(r->scheduler, r->now_ns, &step, &r->error);
        now = stopwatch_ticks(&watch);
        slowest = now - before > slowest ? now - before : slowest;
        if (step.kind == BERTH_STEP_UNSCHEDULABLE || step.kind == BERTH_STEP_ERROR)
            unplaced = step.pod;
        if (step.kind == BERTH_STEP_BOUND) {
            unplaced = step.pod == unplaced ? BERTH_POD_NONE : unplaced;
            pods++;
            placed_ns = r->now_ns;
        }
        if (step.kind != BERTH_STEP_IDLE)
            continue;
        berth_scheduler_count(r->scheduler, &counters);
        more = counters.backoff > 0 && r->now_ns - placed_ns <= PATIENCE_NS;
        if (more)
            r->now_ns = berth_scheduler_next(r->scheduler);
    }
    stopwatch_stop(&watch);
    if (r->measuring) {
        const double us = stopwatch_microseconds(&watch, slowest);
        note_unplaced(r, unplaced);
        r->pods += pods;
        r->seconds += stopwatch_seconds(&watch);
        r->slowest_us = us > r->slowest_us ? us : r->slowest_us;
    }
    return status == BERTH_OK || refuse(r, "step");
}

/* ---- results ---- */

static void print_heading(void)
{
    printf("%-88s %9s %9s %8s %9s %9s\n", "workload", "pods", "pods/s", "times", "threshold",
           "max us");
}

static void finish(run *r)
{
    if (!r->open)
        return;
    r->open = false;
    if (r->refused[0] != '\0') {
        printf("%-88s refused: %s\n", r->name, r->refused);
    } else {
        const double rate = r->seconds > 0 ? (double)r->pods / r->seconds : 0;
        printf("%-88s %9" PRIu64 " %9.0f ", r->name, r->pods, rate);
        if (r->threshold > 0)
            printf("%8.0f %9.0f", rate / r->threshold, r->threshold);
        else
            printf("%8s %9s", "-", "-");
        printf(" %9.1f\n", r->slowest_us);
        if (r->pods == 0 && r->unplaced[0] != '\0')
            printf("    none was placed: %s\n", r->unplaced);
    }
    fflush(stdout);
    release(r);
}

/* ---- lines ---- */

/* The next word of a line, which is cut there; NULL at its end. */
static char *next_word(char **at)
{
    char *found = strsep(at, " ");
    return found != NULL && *found != '\0' ? found : NULL;
}

static bool begin(run *r, char *rest)
{
    const char *name = next_word(&rest), *threshold = next_word(&rest);
    const char *configuration = next_word(&rest), *gates = next_word(&rest);
    if (gates == NULL)
        return false;
    finish(r);
    snprintf(r->name, sizeof(r->name), "%s", name);
    r->threshold = strtod(threshold, NULL);
    r->refused[0] = '\0';
    r->now_ns = 0;
    r->unplaced[0] = '\0';
    r->pods = 0;
    r->seconds = r->slowest_us = 0;
    r->measuring = false;
    r->open = true;
    start(r, configuration, gates);
    return true;
}

/* Returns false if the line is none of those that `oracle workloads` writes. */
static bool follow(run *r, char *line)
{
    char *rest = line;
    const char *verb = next_word(&rest);
    if (verb == NULL)
        return false;
    if (strcmp(verb, "workload") == 0)
        return begin(r, rest);
    if (strcmp(verb, "skip") == 0) {
        const char *name = next_word(&rest);
        finish(r);
        printf("%-88s left out: it %s\n", name != NULL ? name : "", rest != NULL ? rest : "");
        return name != NULL;
    }
    if (!r->open)
        return false;
    if (r->refused[0] != '\0')
        return true;
    r->now_ns += 1000;
    if (strcmp(verb, "add") == 0 || strcmp(verb, "update") == 0)
        return rest != NULL && (read_object(r, rest, verb[0] == 'u'), true);
    if (strcmp(verb, "delete") == 0) {
        const char *kind = next_word(&rest), *space = next_word(&rest), *name = next_word(&rest);
        return name != NULL && (delete_object(r, kind, space, name), true);
    }
    if (strcmp(verb, "place") == 0)
        return place(r), true;
    r->measuring = strcmp(verb, "measure") == 0;
    return r->measuring || strcmp(verb, "stop") == 0;
}

int main(int argc, char **argv)
{
    run *r = heap_new(1, sizeof(*r));
    char *line = NULL;
    size_t capacity = 0;
    uint64_t number = 0;
    int code = 0;
    r->kubernetes = argc > 1 ? argv[1] : NULL;
    r->threads = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    if (berth_explanation_create(NULL, &r->why, &r->error) != BERTH_OK) {
        fprintf(stderr, "scheduler_perf: %s\n", r->error.message);
        free(r);
        return 4;
    }
    print_heading();
    for (ssize_t length; code == 0 && (length = getline(&line, &capacity, stdin)) > 0;) {
        number++;
        line[length - 1] = line[length - 1] == '\n' ? '\0' : line[length - 1];
        if (!follow(r, line)) {
            fprintf(stderr, "scheduler_perf: line %" PRIu64 " is not understood: %.60s\n", number,
                    line);
            code = 2;
        }
    }
    finish(r);
    berth_explanation_destroy(r->why);
    free(line);
    free(r);
    return code;
}
