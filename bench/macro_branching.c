/* Measures how much branching threads slow down an engine that decides and publishes beside them. A
 * round places a pod and unbinds the one placed 1,000 rounds before; every EVERY rounds (100, or
 * 100,000,000, which means never) it publishes. The other threads pin, branch, decide on and bind a
 * pod on the branch, and drop it, over and over. Names are
 * branching/WORKLOAD/nodes:N/publish:EVERY/threads:T.
 *
 * If threads outnumber cores, wall-clock time also shows how cores are shared. So engine_cpu_us is
 * the time for each round that the thread of the engine was on a core, engine_waits how often in
 * 1,000 rounds it gave up its core to wait, and branches_per_s the work of the other threads. */
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "cli/heap.h"
#include "harness.h"
#include "macro_cluster.h"

typedef struct branching_case {
    const char *workload;
    uint64_t nodes;
    uint64_t publish_every;
    uint32_t threads;
} branching_case;

enum { WINDOW = 1000, WAITING = 64, ROUNDS = 100000, THREADS_MAX = 8, NEVER = 100000000 };

typedef struct branching_run {
    macro_cluster cluster;
    atomic_bool stop, failed;
    atomic_ullong branches; /* relaxed: a statistic */
    uint64_t next;
} branching_run;

/* ---- the others ---- */

static bool branch_once(branching_run *run, uint64_t serial)
{
    berth_engine *branch;
    berth_placement placement;
    berth_pod_id pod = run->cluster.pods[run->cluster.pod_count - 1 - serial % WAITING];
    berth_snapshot *snapshot = berth_engine_pin(run->cluster.engine);
    if (berth_branch_create(snapshot, &branch, NULL) != BERTH_OK)
        return false;
    berth_snapshot_unpin(snapshot);
    bool ok = berth_engine_schedule(branch, pod, &placement, NULL) == BERTH_OK;
    berth_branch_drop(branch);
    return ok;
}

static void *branch_on(void *argument)
{
    branching_run *run = argument;
    for (uint64_t serial = 0; !atomic_load(&run->stop); serial++) {
        if (!branch_once(run, serial)) {
            atomic_store(&run->failed, true);
            return NULL;
        }
        atomic_fetch_add_explicit(&run->branches, 1, memory_order_relaxed); /* relaxed: above */
    }
    return NULL;
}

/* ---- the engine ---- */

static bool place_one(branching_run *run, uint64_t publish_every)
{
    macro_cluster *cluster = &run->cluster;
    uint64_t count = cluster->pod_count - WAITING, round = run->next++;
    berth_placement placement;
    if (round >= WINDOW &&
        berth_engine_unbind(cluster->engine, cluster->pods[(round - WINDOW) % count],
                            &cluster->error) != BERTH_OK)
        return false;
    return berth_engine_schedule(cluster->engine, cluster->pods[round % count], &placement,
                                 &cluster->error) == BERTH_OK &&
           (round % publish_every != publish_every - 1 ||
            berth_engine_publish(cluster->engine, &cluster->error) == BERTH_OK);
}

static double own_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double own_waits(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return (double)usage.ru_nvcsw;
}

static bool open_run(branching_run *run, const branching_case *c)
{
    const macro_engine options = {.threads = 1, .path = BERTH_PATH_AUTO};
    workload_spec spec = workload_spec_default();
    spec.kind = macro_workload_kind(c->workload);
    spec.nodes = c->nodes;
    spec.running = 10 * c->nodes;
    spec.pods = 2 * WINDOW + WAITING;
    bool ok = macro_cluster_open(&run->cluster, &options, spec.pods) &&
              macro_cluster_fill(&run->cluster, &spec) &&
              berth_engine_publish(run->cluster.engine, &run->cluster.error) == BERTH_OK;
    for (uint64_t serial = 0; ok && serial < WAITING; serial++)
        ok = branch_once(run, serial);
    while (ok && run->next < 2 * WINDOW)
        ok = place_one(run, c->publish_every);
    return ok;
}

static void measure(bench_state *state, branching_run *run, const branching_case *c)
{
    pthread_t threads[THREADS_MAX];
    uint32_t started = 0;
    bool ok = true;
    while (ok && started < c->threads)
        ok = pthread_create(&threads[started++], NULL, branch_on, run) == 0;
    while (ok && started > 0 && atomic_load(&run->branches) < 10 * started &&
           !atomic_load(&run->failed))
        ok = place_one(run, c->publish_every); /* the first rounds create the counters */
    uint64_t before = atomic_load(&run->branches);
    double begin = own_seconds(), waits = own_waits();
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    while (ok && bench_next(state))
        ok = place_one(run, c->publish_every);
    double cpu = own_seconds() - begin;
    waits = own_waits() - waits;
    clock_gettime(CLOCK_MONOTONIC, &to);
    double wall = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
    uint64_t branches = atomic_load(&run->branches) - before;
    atomic_store(&run->stop, true);
    while (started > 0)
        pthread_join(threads[--started], NULL);
    if (!ok || atomic_load(&run->failed)) {
        bench_fail(state, ok ? "a branch failed" : macro_cluster_problem(&run->cluster));
        return;
    }
    bench_items(state, bench_rounds(state));
    bench_counter(state, "engine_cpu_us", 1e6 * cpu / (double)bench_rounds(state));
    bench_counter(state, "engine_waits", 1e3 * waits / (double)bench_rounds(state));
    bench_counter(state, "branches_per_s", (double)branches / wall);
}

static void branching(bench_state *state)
{
    const branching_case *c = bench_context(state);
    branching_run *run = heap_new(1, sizeof(*run));
    if (open_run(run, c))
        measure(state, run, c);
    else
        bench_fail(state, macro_cluster_problem(&run->cluster));
    macro_cluster_close(&run->cluster);
    free(run);
}

static void fill(bench_suite suite)
{
    static const branching_case all[] = {
        {"basic", 5000, NEVER, 0}, {"basic", 5000, 100, 0},  {"basic", 5000, 100, 1},
        {"basic", 5000, 100, 4},   {"spread", 5000, 100, 0}, {"spread", 5000, 100, 1},
    };
    for (size_t i = 0; i < (suite == BENCH_SMOKE ? 3 : sizeof(all) / sizeof(all[0])); i++) {
        char name[96];
        snprintf(name, sizeof(name),
                 "branching/%s/nodes:%" PRIu64 "/publish:%" PRIu64 "/threads:%" PRIu32,
                 all[i].workload, all[i].nodes, all[i].publish_every, all[i].threads);
        bench_case_add(&(bench_case){.name = name,
                                     .fn = branching,
                                     .context = &all[i],
                                     .rounds = suite == BENCH_SMOKE ? 2000 : ROUNDS,
                                     .microseconds = true});
    }
}
BENCH_SUITE(fill)
