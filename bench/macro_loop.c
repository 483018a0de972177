/* The whole scheduling loop: pods arrive, wait in the queue, are decided, and bound by a callback
 * that answers done. Path `auto`, default sampling. Names are loop/HOW/WORKLOAD/nodes:N/threads:T:
 *
 *   step   all pods wait when the clock starts; a round is one step
 *   crowd  the same, while the pool has 1,000 pods that are too large for every node
 *   churn  a round posts a pod, takes the step that places it, and posts the removal of the pod
 *          that came 5,000 pods before
 *   wave   one round is the whole run: as many pods as nodes arrive in a full cluster, and each has
 *          to preempt */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "berth/scheduler.h"
#include "cli/heap.h"
#include "cli/words.h"
#include "harness.h"
#include "macro_latency.h"
#include "ruled_objects.h"

typedef enum loop_how {
    LOOP_STEP,
    LOOP_CROWD,
    LOOP_CHURN,
    LOOP_WAVE,
} loop_how;

typedef struct loop_case {
    loop_how how;
    const char *workload;
    uint64_t nodes;
    uint32_t threads;
    uint64_t pods;
} loop_case;

enum {
    CROWD_PODS = 1000,
    CHURN_PODS = 5000, /* pods present at any time */
    CHURN_KINDS = 16,
    WARM_PODS = 500,
    TICK_NS = 1000,
};

typedef struct loop_run {
    macro_cluster cluster;
    berth_scheduler *scheduler;
    draft *drafts; /* a pod of each kind, posted under many names */
    char (*names)[24];
    uint64_t posted;
    int64_t now_ns;
} loop_run;

/* ---- rounds ---- */

static bool take_step(loop_run *run, berth_step_kind expected)
{
    berth_step step;
    berth_error *error = &run->cluster.error;
    run->now_ns += TICK_NS;
    if (berth_scheduler_step(run->scheduler, run->now_ns, &step, error) != BERTH_OK)
        return false;
    if (step.kind != expected)
        snprintf(error->message, sizeof(error->message), "a step came out as %d, expected %d",
                 (int)step.kind, (int)expected);
    return step.kind == expected;
}

static bool step_and_bind(void *context)
{
    return take_step(context, BERTH_STEP_BOUND);
}

/* Names are reused in turn: the pod that had this name is removed. */
static bool churn(void *context)
{
    loop_run *run = context;
    draft *d = &run->drafts[run->posted % CHURN_KINDS];
    berth_metadata *meta = &d->pod.meta;
    meta->name = words_of(run->names[run->posted % CHURN_PODS]);
    if (run->posted++ >= CHURN_PODS &&
        berth_scheduler_post_remove(run->scheduler, BERTH_KIND_POD, meta->namespace_name,
                                    meta->name, NULL) != BERTH_OK)
        return false;
    return berth_scheduler_post_add(run->scheduler, &d->object, NULL) == BERTH_OK &&
           step_and_bind(run);
}

/* Each pod fails first, has another one evicted, and is tried again after its backoff. */
static bool wave(loop_run *run, uint64_t pods)
{
    berth_step step;
    for (uint64_t bound = 0; bound < pods; bound += step.kind == BERTH_STEP_BOUND) {
        if (berth_scheduler_step(run->scheduler, run->now_ns, &step, &run->cluster.error) !=
            BERTH_OK)
            return false;
        if (step.kind != BERTH_STEP_IDLE)
            continue;
        run->now_ns = berth_scheduler_next(run->scheduler);
        if (run->now_ns == BERTH_TIME_NEVER)
            return false;
    }
    return true;
}

/* ---- before the clock starts ---- */

/* Adds pods that request more than a node has. */
static bool add_crowd(loop_run *run)
{
    bool ok = true;
    for (uint64_t i = 0; i < CROWD_PODS && ok; i++) {
        ruled_pod(run->drafts, 40000 + i % CHURN_KINDS, false, UINT32_MAX);
        run->drafts->pod.meta.name = draft_text(run->drafts, "large-%" PRIu64, i);
        ok =
            macro_cluster_add(&run->cluster, &run->drafts->object, &run->cluster.error) == BERTH_OK;
    }
    return ok;
}

static void make_churn(loop_run *run)
{
    run->names = heap_new(CHURN_PODS, sizeof(*run->names));
    for (uint32_t i = 0; i < CHURN_PODS; i++)
        snprintf(run->names[i], sizeof(*run->names), "churn-%" PRIu32, i);
    for (uint32_t i = 0; i < CHURN_KINDS; i++)
        ruled_pod(&run->drafts[i], 100 * i, false, UINT32_MAX);
}

static bool open_scheduler(loop_run *run)
{
    berth_scheduler_options options;
    berth_scheduler_options_init(&options);
    return berth_scheduler_create(run->cluster.engine, &options, &run->scheduler,
                                  &run->cluster.error) == BERTH_OK;
}

static bool fill_cluster(loop_run *run, const loop_case *c)
{
    workload_spec spec = workload_spec_default();
    spec.kind = macro_workload_kind(c->workload);
    spec.nodes = c->nodes;
    spec.pods = c->how == LOOP_CHURN ? 0 : c->how == LOOP_WAVE ? c->pods : WARM_PODS + c->pods;
    if (c->how == LOOP_CHURN)
        make_churn(run);
    return (c->how != LOOP_CROWD || add_crowd(run)) && macro_cluster_fill(&run->cluster, &spec) &&
           open_scheduler(run);
}

static bool warm_up(loop_run *run, const loop_case *c)
{
    uint64_t crowd = c->how == LOOP_CROWD ? CROWD_PODS : 0;
    uint64_t pods = c->how == LOOP_CHURN ? CHURN_PODS : WARM_PODS;
    bool ok = true;
    if (c->how == LOOP_WAVE)
        return true;
    for (uint64_t i = 0; i < crowd && ok; i++)
        ok = take_step(run, BERTH_STEP_UNSCHEDULABLE);
    for (uint64_t i = 0; i < pods && ok; i++)
        ok = c->how == LOOP_CHURN ? churn(run) : step_and_bind(run);
    return ok;
}

static bool measure(bench_state *state, const loop_case *c, loop_run *run)
{
    if (c->how != LOOP_WAVE)
        return macro_latency_steps(state, c->how == LOOP_CHURN ? churn : step_and_bind, run);
    bool ok = true;
    while (bench_next(state))
        ok = ok && wave(run, c->pods);
    bench_items(state, (int64_t)c->pods);
    return ok;
}

static void loop(bench_state *state)
{
    const loop_case *c = bench_context(state);
    const macro_engine options = {.threads = c->threads, .path = BERTH_PATH_AUTO};
    loop_run run = {.drafts = heap_new(CHURN_KINDS, sizeof(*run.drafts))};
    bool ok = macro_cluster_open(&run.cluster, &options, WARM_PODS + c->pods + CROWD_PODS) &&
              fill_cluster(&run, c) && warm_up(&run, c) && measure(state, c, &run);
    if (!ok)
        bench_fail(state, macro_cluster_problem(&run.cluster));
    berth_scheduler_destroy(run.scheduler);
    macro_cluster_close(&run.cluster);
    free(run.names);
    free(run.drafts);
}

/* ---- what is measured ---- */

static void add(loop_case c)
{
    static const char *const ways[] = {"step", "crowd", "churn", "wave"};
    char name[96];
    loop_case *kept = heap_new(1, sizeof(*kept)); /* lives as long as the program */
    *kept = c;
    snprintf(name, sizeof(name), "loop/%s/%s/nodes:%" PRIu64 "/threads:%" PRIu32, ways[c.how],
             c.workload, c.nodes, c.threads);
    bench_case_add(&(bench_case){.name = name,
                                 .fn = loop,
                                 .context = kept,
                                 .rounds = c.how == LOOP_WAVE ? 1 : (int64_t)c.pods,
                                 .microseconds = true});
}

static void fill(bench_suite suite)
{
    static const uint64_t sizes[] = {1000, 5000, 100000, 1000000};
    size_t count = suite == BENCH_FULL ? 4 : 3;
    if (suite == BENCH_SMOKE) {
        for (loop_how how = LOOP_STEP; how <= LOOP_CHURN; how++)
            add((loop_case){how, "basic", 400, 1, 200});
        add((loop_case){LOOP_WAVE, "preempt", 50, 1, 50});
        return;
    }
    for (loop_how how = LOOP_STEP; how <= LOOP_CHURN; how++)
        for (size_t i = 0; i < count; i++)
            add((loop_case){how, "basic", sizes[i], 1, 20000});
    add((loop_case){LOOP_STEP, "spread", 5000, 1, 20000});
    add((loop_case){LOOP_STEP, "anti", 5000, 1, 20000});
    add((loop_case){LOOP_WAVE, "preempt", 1000, 1, 1000});
    if (suite == BENCH_FULL)
        add((loop_case){LOOP_WAVE, "preempt", 5000, 1, 5000});
}
BENCH_SUITE(fill)
