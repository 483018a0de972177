/* Decisions on synthetic clusters: by nodes, sampling, path, threads, workload and running pods.
 * Names are decide/WORKLOAD/nodes:N/running:R/sampling:S/path:P/threads:T. Every kind of pod is
 * decided before the clock starts ("warm"), so the figures are those of a scheduler at work;
 * macro_cold.c measures the first decision on a kind. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/heap.h"
#include "harness.h"
#include "macro_latency.h"

typedef struct decide_case {
    const char *workload;
    uint64_t nodes;
    uint64_t running;
    bool all; /* score all nodes, not kube-scheduler's default share of them */
    berth_path path;
    uint32_t threads;
    uint64_t pods;
} decide_case;

/* The first pods of a workload include all of its kinds. */
enum { WARM_PODS = 500 };

/* Number of basic pods for each node, with room to spare; more pods might not fit. */
enum { PODS_A_NODE = 30 };

static void decide(bench_state *state)
{
    const decide_case *c = bench_context(state);
    const macro_engine options = {
        .threads = c->threads, .path = c->path, .percentage = c->all ? 100 : 0};
    workload_spec spec = workload_spec_default();
    spec.kind = macro_workload_kind(c->workload);
    spec.nodes = c->nodes;
    spec.running = c->running;
    spec.pods = WARM_PODS + c->pods;
    macro_cluster cluster;
    if (macro_cluster_open(&cluster, &options, spec.pods) && macro_cluster_fill(&cluster, &spec))
        macro_latency_measure(state, &cluster, WARM_PODS, false);
    else
        bench_fail(state, macro_cluster_problem(&cluster));
    macro_cluster_close(&cluster);
}

static void add(decide_case c)
{
    static const char *const paths[] = {"auto", "scan", "index"};
    char name[160];
    decide_case *kept = heap_new(1, sizeof(*kept)); /* lives as long as the program */
    uint64_t room = c.nodes * PODS_A_NODE;
    if (c.running == 0 && c.pods + WARM_PODS > room)
        c.pods = room - WARM_PODS;
    *kept = c;
    snprintf(name, sizeof(name),
             "decide/%s/nodes:%" PRIu64 "/running:%" PRIu64 "/sampling:%s/path:%s/threads:%" PRIu32,
             c.workload, c.nodes, c.running, c.all ? "all" : "default", paths[c.path], c.threads);
    bench_case_add(&(bench_case){.name = name,
                                 .fn = decide,
                                 .context = kept,
                                 .rounds = (int64_t)c.pods,
                                 .microseconds = true});
}

/* The number of scans of `nodes` nodes to measure, so that all together visit `node_visits`
 * nodes. */
static uint64_t scans_within(uint64_t node_visits, uint64_t nodes)
{
    uint64_t pods = node_visits / nodes;
    return pods > 20000 ? 20000 : pods < 100 ? 100 : pods;
}

static uint64_t visited(uint64_t nodes, bool all)
{
    return all || nodes < 500 ? nodes : nodes <= 5000 ? nodes / 4 : nodes / 10;
}

/* ---- what is measured ---- */

static void by_nodes(const uint64_t *nodes, size_t count, uint64_t pods, uint64_t visits)
{
    for (size_t i = 0; i < count; i++)
        for (int all = 0; all <= 1; all++) {
            decide_case c = {.workload = "basic",
                             .nodes = nodes[i],
                             .all = all != 0,
                             .path = BERTH_PATH_AUTO,
                             .threads = 1,
                             .pods = pods};
            add(c);
            c.path = BERTH_PATH_SCAN;
            c.pods = scans_within(visits, visited(nodes[i], c.all));
            add(c);
            c.threads = 2;
            add(c);
        }
}

/* More threads than the two of by_nodes, with all nodes scored. */
static void by_threads(uint64_t nodes, const uint32_t *threads, size_t count, uint64_t visits)
{
    for (size_t i = 0; i < count; i++)
        add((decide_case){.workload = "basic",
                          .nodes = nodes,
                          .all = true,
                          .path = BERTH_PATH_SCAN,
                          .threads = threads[i],
                          .pods = scans_within(visits, nodes)});
}

static void by_workload(uint64_t nodes, bool all, uint64_t pods)
{
    for (const char *const *name = workload_names; *name != NULL; name++) {
        decide_case c = {.workload = *name,
                         .nodes = nodes,
                         .all = all,
                         .path = BERTH_PATH_AUTO,
                         .threads = 1,
                         .pods = pods};
        if (strcmp(*name, "basic") == 0 || strcmp(*name, "preempt") == 0)
            continue; /* by_nodes measures these; preemption is in macro_loop.c */
        add(c);
        c.path = BERTH_PATH_SCAN;
        c.threads = 2;
        add(c);
    }
}

static void by_running(uint64_t nodes, const uint64_t *running, size_t count, uint64_t pods)
{
    static const char *const workloads[] = {"basic", "spread", "anti"};
    for (size_t w = 0; w < 3; w++)
        for (size_t i = 0; i < count; i++) {
            decide_case c = {.workload = workloads[w],
                             .nodes = nodes,
                             .running = running[i],
                             .path = BERTH_PATH_SCAN,
                             .threads = 2,
                             .pods = pods};
            add(c);
            c.path = BERTH_PATH_AUTO;
            c.threads = 1;
            add(c);
        }
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void quick(void)
{
    static const uint64_t nodes[] = {100, 1000, 5000, 20000, 100000, 1000000};
    static const uint32_t threads[] = {4};
    static const uint64_t running[] = {100000};
    by_nodes(nodes, COUNT(nodes), 20000, 40000000);
    by_threads(5000, threads, COUNT(threads), 40000000);
    by_threads(100000, threads, COUNT(threads), 40000000);
    by_workload(5000, false, 20000);
    by_workload(5000, true, 10000);
    by_running(5000, running, COUNT(running), 10000);
}

static void full(void)
{
    static const uint64_t nodes[] = {100,   300,   1000,   3000,   5000,   10000,
                                     20000, 50000, 100000, 300000, 1000000};
    static const uint32_t threads[] = {3, 4, 6, 8, 16};
    static const uint64_t running[] = {20000, 50000, 100000};
    static const uint64_t large[] = {1000000};
    by_nodes(nodes, COUNT(nodes), 100000, 400000000);
    by_threads(5000, threads, COUNT(threads), 400000000);
    by_threads(100000, threads, COUNT(threads), 400000000);
    by_workload(1000, false, 10000);
    by_workload(5000, false, 50000);
    by_workload(5000, true, 20000);
    by_workload(100000, false, 20000);
    by_running(5000, running, COUNT(running), 50000);
    by_running(100000, large, COUNT(large), 50000);
}

static void smoke(void)
{
    static const uint64_t nodes[] = {100};
    static const uint32_t threads[] = {4};
    static const uint64_t running[] = {200};
    by_nodes(nodes, COUNT(nodes), 200, 20000);
    by_threads(100, threads, COUNT(threads), 20000);
    by_workload(100, false, 200);
    by_running(100, running, COUNT(running), 200);
}

static void fill(bench_suite suite)
{
    switch (suite) {
    case BENCH_SMOKE:
        smoke();
        break;
    case BENCH_QUICK:
        quick();
        break;
    case BENCH_FULL:
        full();
        break;
    }
}
BENCH_SUITE(fill)
