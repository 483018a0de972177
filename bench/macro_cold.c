/* First sight: every pod is the first of its kind, all nodes are scored, every worker scans. Names
 * are cold/PODS/nodes:N/threads:T; the counter ns_per_node_core is the time of a decision divided
 * by the number of nodes, times the threads.
 *
 * PODS: `basic` pods request cpu and memory, each its own amount, on equal nodes (with the default
 * profile most plugins have no work). For `plain` pods some nodes have the pod's image, and some
 * are tainted. `rules` pods give every default plugin work, except those of volumes
 * (ruled_objects.h), and 2 pods of each owner run already. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/heap.h"
#include "harness.h"
#include "macro_latency.h"
#include "ruled_objects.h"

typedef enum cold_kind {
    COLD_BASIC,
    COLD_PLAIN,
    COLD_RULES,
} cold_kind;

typedef struct cold_case {
    cold_kind kind;
    uint32_t nodes;
    uint32_t threads;
    uint64_t pods;
} cold_case;

enum {
    /* The first decisions build the nodes' labels, columns and counters, whatever their kind. */
    FIRST_PODS = 3,
};

static bool add_drafted(macro_cluster *cluster, draft *d)
{
    return macro_cluster_add(cluster, &d->object, &cluster->error) == BERTH_OK;
}

static bool add_pod(macro_cluster *cluster, draft *d, const cold_case *c, uint64_t idx,
                    uint32_t on_node)
{
    ruled_pod(d, idx, c->kind == COLD_RULES, on_node);
    return add_drafted(cluster, d);
}

static bool fill_cluster(macro_cluster *cluster, const cold_case *c)
{
    draft *d = heap_new(1, sizeof(*d));
    bool ok = true;
    for (uint32_t i = 0; i < c->nodes && ok; i++) {
        ruled_node(d, i);
        if (c->kind == COLD_BASIC) {
            d->node.taint_count = d->node.image_count = 0;
            d->node.unschedulable = false;
        }
        ok = add_drafted(cluster, d);
    }
    uint64_t running = c->kind == COLD_RULES ? 2 * RULED_OWNERS : 0;
    for (uint64_t i = 0; i < running && ok; i++)
        ok = add_pod(cluster, d, c, i, (uint32_t)i);
    for (uint64_t i = 0; i < FIRST_PODS + c->pods && ok; i++)
        ok = add_pod(cluster, d, c, running + i, UINT32_MAX);
    free(d);
    return ok && macro_cluster_lay_out(cluster);
}

static void cold(bench_state *state)
{
    const cold_case *c = bench_context(state);
    const macro_engine options = {
        .threads = c->threads, .path = BERTH_PATH_SCAN, .percentage = 100};
    macro_cluster cluster;
    if (!macro_cluster_open(&cluster, &options, FIRST_PODS + c->pods) || !fill_cluster(&cluster, c))
        bench_fail(state, macro_cluster_problem(&cluster));
    else if (macro_latency_measure(state, &cluster, FIRST_PODS, true))
        bench_time_per(state, "ns_per_node_core", (double)c->nodes / c->threads);
    macro_cluster_close(&cluster);
}

static void add(cold_case c)
{
    static const char *const kinds[] = {"basic", "plain", "rules"};
    char name[96];
    cold_case *kept = heap_new(1, sizeof(*kept)); /* lives as long as the program */
    *kept = c;
    snprintf(name, sizeof(name), "cold/%s/nodes:%" PRIu32 "/threads:%" PRIu32, kinds[c.kind],
             c.nodes, c.threads);
    bench_case_add(&(bench_case){.name = name,
                                 .fn = cold,
                                 .context = kept,
                                 .rounds = (int64_t)c.pods,
                                 .microseconds = true});
}

static void fill(bench_suite suite)
{
    static const uint32_t nodes[] = {100000, 5000, 1000, 1000000};
    uint32_t sizes = suite == BENCH_FULL ? 4 : suite == BENCH_QUICK ? 2 : 0;
    for (cold_kind kind = COLD_BASIC; kind <= COLD_RULES; kind++) {
        if (suite == BENCH_SMOKE)
            add((cold_case){.kind = kind, .nodes = 200, .threads = 2, .pods = 20});
        for (uint32_t i = 0; i < sizes; i++)
            for (uint32_t threads = 1; threads <= 2; threads++)
                add((cold_case){.kind = kind,
                                .nodes = nodes[i],
                                .threads = threads,
                                .pods = nodes[i] >= 100000 ? 50 : 500});
    }
}
BENCH_SUITE(fill)
