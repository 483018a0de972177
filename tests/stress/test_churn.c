/* Pods and nodes that come once and go for good: what an engine holds must not grow with how many
 * there were. A window of pods and of nodes lives at a time; each has texts of its own, as far as
 * the features say. The bytes in use after a warm-up are compared with those at the end.
 *
 * Usage: test_churn [--arrivals N] [--way engine|snapshots|scheduler|branches] [--features A,B,..]
 *                   [--report] [--each]
 * --each runs every feature by itself, --report only tells. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "berth/berth.h"
#include "bytes_in_use.h"
#include "churn_objects.h"

enum { PODS = 200, NODES = 24, NODE_EVERY = 16, ROUNDS = 10, PINS = 4 };

typedef enum way { BY_ENGINE, BY_SNAPSHOTS, BY_SCHEDULER, BY_BRANCHES, WAY_COUNT } way;
static const char *const way_names[WAY_COUNT] = {"engine", "snapshots", "scheduler", "branches"};

typedef struct churn {
    way by;
    uint32_t features;
    berth_engine *engine;
    berth_scheduler *scheduler;
    churn_target to;
    uint64_t pods, nodes; /* that came so far */
    berth_snapshot *pinned[PINS];
    int64_t now_ns;
} churn;

static void must(berth_status status, const berth_error *error, const char *what)
{
    if (status == BERTH_OK)
        return;
    fprintf(stderr, "FAILED: %s: %s (%s %s)\n", what, error->message, error->object, error->field);
    _Exit(1);
}

/* ---- targets ---- */

static berth_status engine_add(void *context, const berth_object *object, berth_object_id *id,
                               berth_error *error)
{
    return berth_engine_add(context, object, id, error);
}

static berth_status engine_remove(void *context, berth_kind kind, berth_str space, berth_str name,
                                  berth_error *error)
{
    return berth_engine_remove(context, kind, space, name, error);
}

static berth_status scheduler_add(void *context, const berth_object *object, berth_object_id *id,
                                  berth_error *error)
{
    const churn *c = context;
    return berth_scheduler_add(c->scheduler, c->now_ns, object, id, error);
}

static berth_status scheduler_remove(void *context, berth_kind kind, berth_str space,
                                     berth_str name, berth_error *error)
{
    const churn *c = context;
    return berth_scheduler_remove(c->scheduler, c->now_ns, kind, space, name, error);
}

/* ---- one step ---- */

static void look_at_snapshots(churn *c)
{
    berth_error error = {0};
    must(berth_engine_publish(c->engine, &error), &error, "publish");
    uint64_t place = c->pods / 64 % PINS;
    berth_snapshot_unpin(c->pinned[place]);
    c->pinned[place] = berth_engine_pin(c->engine);
}

static void branch_off(churn *c)
{
    berth_error error = {0};
    berth_engine *branch;
    uint32_t features = c->features & ~(1u << CHURN_CLAIMS | 1u << CHURN_RELATED);
    berth_snapshot *snapshot = c->pinned[c->pods / 64 % PINS];
    must(berth_branch_create(snapshot, &branch, &error), &error, "branch");
    churn_target to = {branch, engine_add, engine_remove, true};
    for (uint64_t i = 0; i < 4; i++) {
        berth_pod_id id;
        berth_placement placement;
        /* One that the engine will add later, and one that it never will. */
        uint64_t number = i % 2 == 0 ? c->pods + 1 + i : UINT64_C(1) << 40 | (c->pods + i);
        must(churn_add_pod(&to, features, number, &id, &error), &error, "branch: add");
        if (berth_engine_pod_node(branch, id) == BERTH_NODE_NONE)
            must(berth_engine_schedule(branch, id, &placement, &error), &error, "branch: schedule");
    }
    must(churn_add_node(&to, features, UINT64_C(1) << 40 | c->pods, &error), &error,
         "branch: add a node");
    must(berth_snapshot_check(snapshot, &error), &error, "snapshot");
    berth_branch_drop(branch);
}

static void add_pod(churn *c)
{
    berth_error error = {0};
    berth_pod_id id;
    must(churn_add_pod(&c->to, c->features, c->pods, &id, &error), &error, "add a pod");
    if (c->by == BY_SCHEDULER) {
        berth_step step;
        do
            must(berth_scheduler_step(c->scheduler, c->now_ns, &step, &error), &error, "step");
        while (step.kind != BERTH_STEP_IDLE);
    } else if (berth_engine_pod_node(c->engine, id) == BERTH_NODE_NONE) {
        berth_placement placement;
        must(berth_engine_schedule(c->engine, id, &placement, &error), &error, "schedule");
    }
    c->pods++;
}

static void step(churn *c)
{
    berth_error error = {0};
    c->now_ns += 1000000;
    add_pod(c);
    if (c->pods > PODS)
        must(churn_remove_pod(&c->to, c->features, c->pods - 1 - PODS, &error), &error,
             "remove a pod");
    if (churn_has(c->features, CHURN_NODES) && c->pods % NODE_EVERY == 0) {
        must(churn_add_node(&c->to, c->features, c->nodes++, &error), &error, "add a node");
        must(churn_remove_node(&c->to, c->features, c->nodes - 1 - NODES, &error), &error,
             "remove a node");
    }
    if (c->by >= BY_SNAPSHOTS && c->by != BY_SCHEDULER && c->pods % 64 == 0)
        look_at_snapshots(c);
    if (c->by == BY_BRANCHES && c->pods % 256 == 0)
        branch_off(c);
}

static void begin(churn *c)
{
    berth_error error = {0};
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.threads = 1;
    config.allocator = &counting;
    must(berth_engine_create(&config, &c->engine, &error), &error, "create");
    c->to = (churn_target){c->engine, engine_add, engine_remove, false};
    if (c->by == BY_SCHEDULER) {
        berth_scheduler_options scheduling;
        berth_scheduler_options_init(&scheduling);
        must(berth_scheduler_create(c->engine, &scheduling, &c->scheduler, &error), &error,
             "scheduler");
        c->to = (churn_target){c, scheduler_add, scheduler_remove, false};
    }
    for (; c->nodes < NODES; c->nodes++)
        must(churn_add_node(&c->to, c->features, c->nodes, &error), &error, "add a node");
}

static void end(churn *c)
{
    berth_error error = {0};
    for (uint32_t i = 0; i < PINS; i++)
        berth_snapshot_unpin(c->pinned[i]);
    must(berth_engine_check(c->engine, &error), &error, "check");
    berth_scheduler_destroy(c->scheduler);
    berth_engine_destroy(c->engine);
    if (atomic_load(&bytes_in_use) != 0) {
        fprintf(stderr, "FAILED: %lld bytes are left\n", (long long)atomic_load(&bytes_in_use));
        _Exit(1);
    }
}

/* ---- the whole ---- */

/* Peaks of the rounds: what is in use swings between two sweeps of a table. */
static bool run(way by, uint32_t features, uint64_t arrivals, const char *label, bool report)
{
    churn c = {.by = by, .features = features};
    long long peaks[ROUNDS] = {0};
    begin(&c);
    for (uint32_t round = 0; round < ROUNDS; round++)
        for (uint64_t i = 0; i < arrivals / ROUNDS; i++) {
            step(&c);
            long long now = atomic_load(&bytes_in_use);
            if (now > peaks[round])
                peaks[round] = now;
        }
    end(&c);
    long long early = 0, late = 0;
    for (uint32_t round = 1; round < ROUNDS / 2; round++)
        early = peaks[round] > early ? peaks[round] : early;
    for (uint32_t round = ROUNDS / 2; round < ROUNDS; round++)
        late = peaks[round] > late ? peaks[round] : late;
    bool flat = late <= early + early / 16 + 65536;
    printf("%-10s %-14s arrivals %9llu  peak of rounds 2 to 5 %9lld, of 6 to 10 %9lld bytes%s\n",
           way_names[by], label, (unsigned long long)arrivals, early, late, flat ? "" : "  GROWS");
    fflush(stdout);
    return flat || report;
}

static uint32_t read_features(const char *list)
{
    uint32_t features = 0;
    for (uint32_t i = 0; i < CHURN_FEATURE_COUNT; i++) {
        const char *at = strstr(list, churn_names[i]);
        size_t len = strlen(churn_names[i]);
        if (at != NULL && (at == list || at[-1] == ',') && (at[len] == ',' || at[len] == '\0'))
            features |= 1u << i;
    }
    return features;
}

int main(int argc, char **argv)
{
    uint64_t arrivals = 100000;
    uint32_t features = (1u << CHURN_FEATURE_COUNT) - 1;
    bool report = false, each = false, ok = true;
    int only = -1;
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;
        if (strcmp(argv[i], "--report") == 0)
            report = true;
        else if (strcmp(argv[i], "--each") == 0)
            each = true;
        else if (more && strcmp(argv[i], "--arrivals") == 0)
            arrivals = strtoull(argv[++i], NULL, 10);
        else if (more && strcmp(argv[i], "--features") == 0)
            features = read_features(argv[++i]);
        else if (more && strcmp(argv[i], "--way") == 0)
            for (i++, only = 0; only < WAY_COUNT - 1 && strcmp(argv[i], way_names[only]) != 0;)
                only++;
    }
    for (int by = only >= 0 ? only : 0; by < (only >= 0 ? only + 1 : WAY_COUNT); by++) {
        if (!each)
            ok &= run((way)by, features, arrivals, "all", report);
        for (uint32_t f = 0; each && f < CHURN_FEATURE_COUNT; f++)
            ok &= run((way)by, 1u << f, arrivals, churn_names[f], report);
    }
    return ok ? 0 : 1;
}
