/* The memory of a cluster: the bytes that the engine has allocated and not freed, names included.
 * Names are memory/nodes:N/running:R; a round builds the cluster once. Counters: bytes_per_node
 * with the nodes laid out and no pod yet; bytes_per_pod, the increase for each pod on a node;
 * total_bytes, with search trees for 8 kinds of pods at the end; peak_bytes, the maximum at any
 * time.
 *
 * Workers run, so the counts are atomic; relaxed, because nothing else depends on them. */
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/heap.h"
#include "harness.h"
#include "macro_cluster.h"

typedef struct memory_case {
    uint64_t nodes;
    uint64_t running;
} memory_case;

enum { KINDS = 8, PODS_PLACED = 500 };

typedef struct meter {
    atomic_size_t in_use;
    atomic_size_t peak;
} meter;

static void *metered_allocate(void *context, size_t bytes, size_t align)
{
    meter *m = context;
    void *memory = NULL;
    if (posix_memalign(&memory, align < sizeof(void *) ? sizeof(void *) : align, bytes) != 0)
        return NULL;
    size_t now = atomic_fetch_add_explicit(&m->in_use, bytes, memory_order_relaxed) + bytes;
    size_t peak = atomic_load_explicit(&m->peak, memory_order_relaxed);
    while (now > peak && !atomic_compare_exchange_weak_explicit(
                             &m->peak, &peak, now, memory_order_relaxed, memory_order_relaxed))
        ;
    return memory;
}

static void metered_release(void *context, void *memory, size_t bytes)
{
    meter *m = context;
    atomic_fetch_sub_explicit(&m->in_use, bytes, memory_order_relaxed);
    free(memory);
}

typedef struct readings {
    size_t empty, nodes, pods, trees;
} readings;

static size_t reading(meter *m)
{
    return atomic_load_explicit(&m->in_use, memory_order_relaxed);
}

static bool make_part(macro_cluster *cluster, workload_source *source, workload_part part)
{
    return workload_source_make(source, part, macro_cluster_add, cluster, &cluster->error) ==
           BERTH_OK;
}

/* Decide often enough for every kind to have its tree. No pod is bound, so only trees are
 * counted. */
static bool grow_trees(macro_cluster *cluster)
{
    const berth_decide_options options = {.size = sizeof(options)};
    for (uint64_t i = 0; i < 3 * KINDS && i < cluster->pod_count; i++) {
        berth_placement placement;
        if (berth_engine_decide(cluster->engine, cluster->pods[i % KINDS], &options, &placement,
                                &cluster->error) != BERTH_OK)
            return false;
    }
    return true;
}

static bool build(macro_cluster *cluster, const workload_spec *spec, meter *m, readings *r)
{
    workload_source *source = workload_source_create(spec);
    r->empty = reading(m);
    bool ok = make_part(cluster, source, WORKLOAD_STORAGE) &&
              make_part(cluster, source, WORKLOAD_NODES) && macro_cluster_lay_out(cluster);
    r->nodes = reading(m);
    ok = ok && make_part(cluster, source, WORKLOAD_RUNNING);
    r->pods = reading(m);
    ok = ok && make_part(cluster, source, WORKLOAD_PENDING) && grow_trees(cluster);
    r->trees = reading(m);
    workload_source_destroy(source);
    return ok;
}

static void report(bench_state *state, const memory_case *c, const readings *r, meter *m)
{
    bench_counter(state, "bytes_per_node", (double)(r->nodes - r->empty) / (double)c->nodes);
    bench_counter(state, "bytes_per_pod", (double)(r->pods - r->nodes) / (double)c->running);
    bench_counter(state, "total_bytes", (double)r->trees);
    bench_counter(state, "peak_bytes",
                  (double)atomic_load_explicit(&m->peak, memory_order_relaxed));
}

static void memory(bench_state *state)
{
    const memory_case *c = bench_context(state);
    while (bench_next(state)) {
        meter m = {0};
        const berth_allocator allocator = {
            .context = &m, .allocate = metered_allocate, .release = metered_release};
        const macro_engine options = {
            .threads = 1, .path = BERTH_PATH_AUTO, .allocator = &allocator};
        workload_spec spec = workload_spec_default();
        spec.kind = 0; /* basic, the first of the list */
        spec.nodes = c->nodes;
        spec.running = c->running;
        spec.pods = PODS_PLACED;
        macro_cluster cluster;
        readings r = {0};
        if (macro_cluster_open(&cluster, &options, spec.pods) && build(&cluster, &spec, &m, &r))
            report(state, c, &r, &m);
        else
            bench_fail(state, macro_cluster_problem(&cluster));
        macro_cluster_close(&cluster);
    }
}

static void add(memory_case c)
{
    char name[80];
    memory_case *kept = heap_new(1, sizeof(*kept)); /* lives as long as the program */
    *kept = c;
    snprintf(name, sizeof(name), "memory/nodes:%" PRIu64 "/running:%" PRIu64, c.nodes, c.running);
    bench_case_add(&(bench_case){
        .name = name, .fn = memory, .context = kept, .rounds = 1, .microseconds = true});
}

static void fill(bench_suite suite)
{
    if (suite == BENCH_SMOKE) {
        add((memory_case){.nodes = 200, .running = 1000});
        return;
    }
    for (uint64_t nodes = 1000; nodes <= 1000000; nodes *= 10)
        add((memory_case){.nodes = nodes,
                          .running = nodes * (nodes < 1000000 || suite == BENCH_FULL ? 10 : 1)});
}
BENCH_SUITE(fill)
