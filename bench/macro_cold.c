/* First sight: every pod is of a kind that the engine has not met, all nodes are scored, every worker
 * scans. Names are cold/PODS/nodes:N/threads:T; the counter ns_per_node_core is the time of a decision
 * divided by nodes, times the threads.
 *
 * PODS: `plain` pods ask for cpu and memory, each for its own amount. `rules` pods also have something
 * for every other default plugin to look at, volumes aside: required and preferred node affinity,
 * tolerations on tainted nodes, a host port, an image that some nodes have, hard and soft spreading, and
 * pod affinity and anti-affinity; 2 pods of each of 64 owners run already. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "draft.h"
#include "harness.h"
#include "heap.h"
#include "macro_latency.h"
#include "words.h"

typedef struct cold_case {
    bool rules;
    uint32_t nodes;
    uint32_t threads;
    uint64_t pods;
} cold_case;

enum {
    ZONES = 3,
    OWNERS = 64,
    /* Labels, columns and counters of the nodes are made by the first decisions, whatever the kind. */
    FIRST_PODS = 3,
};

static const char zone_key[] = "topology.kubernetes.io/zone";
static const char host_key[] = "kubernetes.io/hostname";

static bool add_drafted(macro_cluster *cluster, draft *d)
{
    return macro_cluster_add(cluster, &d->object, &cluster->error) == BERTH_OK;
}

/* One node in eight has a soft taint, one in sixteen a hard one, one in four the image. */
static bool add_node(macro_cluster *cluster, draft *d, uint32_t idx)
{
    draft_reset(d);
    berth_str name = draft_text(d, "node-%" PRIu32, idx);
    draft_node(d, name);
    draft_label(d, host_key, name);
    draft_label(d, "kubernetes.io/os", words_of("linux"));
    draft_label(d, zone_key, draft_text(d, "zone-%" PRIu32, idx % ZONES));
    draft_label(d, "disk", words_of(idx % 2 == 0 ? "ssd" : "hdd"));
    draft_resource(d, "cpu", draft_milli(32000));
    draft_resource(d, "memory", draft_mebibytes(256 * 1024));
    draft_resource(d, "pods", draft_units(110));
    if (idx % 8 == 3)
        draft_taint(d, "soft", "yes", "PreferNoSchedule");
    if (idx % 16 == 7)
        draft_taint(d, "hard", "yes", "NoSchedule");
    if (idx % 4 == 1)
        draft_node_image(d, words_of("registry/app:1"), INT64_C(400) << 20);
    return add_drafted(cluster, d);
}

static void add_rules(draft *d, uint64_t owner)
{
    berth_str app = draft_text(d, "app-%" PRIu64, owner);
    draft_label(d, "app", app);
    const berth_str linux_only = words_of("linux");
    draft_require_node(d, "kubernetes.io/os", &linux_only, 1);
    draft_prefer_node(d, 10, "disk", words_of("ssd"));
    draft_tolerate(d, "hard", "yes", "NoSchedule");
    draft_host_port(d, 8080);
    draft_spread(d, zone_key, 100000, "DoNotSchedule", "app", app);
    draft_spread(d, host_key, 1, "ScheduleAnyway", "app", app);
    draft_pod_term(d, DRAFT_ANTI_REQUIRED, 0, host_key, "app", app);
    draft_pod_term(d, DRAFT_AFFINITY_PREFERRED, 50, zone_key, "app",
                   draft_text(d, "app-%" PRIu64, (owner + 1) % OWNERS));
}

/* No two pods ask for the same cpu, so that each is of a kind of its own. */
static bool add_pod(macro_cluster *cluster, draft *d, const cold_case *c, uint64_t idx,
                    const char *node)
{
    draft_reset(d);
    draft_pod(d, words_of("default"), draft_text(d, "pod-%" PRIu64, idx));
    draft_image(d, words_of("registry/app:1"));
    draft_resource(d, "cpu", draft_milli(100 + (int64_t)idx));
    draft_resource(d, "memory", draft_mebibytes(128));
    if (c->rules)
        add_rules(d, idx % OWNERS);
    if (node != NULL)
        d->pod.node_name = draft_text(d, "%s", node);
    return add_drafted(cluster, d);
}

static bool fill_cluster(macro_cluster *cluster, const cold_case *c)
{
    draft *d = heap_new(1, sizeof(*d));
    bool ok = true;
    for (uint32_t i = 0; i < c->nodes && ok; i++)
        ok = add_node(cluster, d, i);
    uint64_t running = c->rules ? 2 * OWNERS : 0;
    for (uint64_t i = 0; i < running && ok; i++) {
        char name[32];
        snprintf(name, sizeof(name), "node-%" PRIu64, i % c->nodes);
        ok = add_pod(cluster, d, c, i, name);
    }
    for (uint64_t i = 0; i < FIRST_PODS + c->pods && ok; i++)
        ok = add_pod(cluster, d, c, running + i, NULL);
    free(d);
    macro_cluster_lay_out(cluster);
    return ok;
}

static void cold(bench_state *state)
{
    const cold_case *c = bench_context(state);
    const macro_engine options = {
        .threads = c->threads, .path = BERTH_PATH_SCAN, .percentage = 100};
    macro_cluster cluster;
    if (!macro_cluster_open(&cluster, &options, FIRST_PODS + c->pods) ||
        !fill_cluster(&cluster, c))
        bench_fail(state, macro_cluster_problem(&cluster));
    else if (macro_latency_measure(state, &cluster, FIRST_PODS, true))
        bench_time_per(state, "ns_per_node_core", (double)c->nodes / c->threads);
    macro_cluster_close(&cluster);
}

static void add(cold_case c)
{
    char name[96];
    cold_case *kept = heap_new(1, sizeof(*kept)); /* lives as long as the program */
    *kept = c;
    snprintf(name, sizeof(name), "cold/%s/nodes:%" PRIu32 "/threads:%" PRIu32,
             c.rules ? "rules" : "plain", c.nodes, c.threads);
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
    for (int rules = 0; rules <= 1; rules++) {
        if (suite == BENCH_SMOKE)
            add((cold_case){.rules = rules != 0, .nodes = 200, .threads = 2, .pods = 20});
        for (uint32_t i = 0; i < sizes; i++)
            for (uint32_t threads = 1; threads <= 2; threads++)
                add((cold_case){.rules = rules != 0,
                                .nodes = nodes[i],
                                .threads = threads,
                                .pods = nodes[i] >= 100000 ? 50 : 500});
    }
}
BENCH_SUITE(fill)
