/* The measuring loop of the macro-benchmarks: times decisions one by one. */
#include "macro_latency.h"

#include <stdlib.h>

#include "cli/heap.h"
#include "cli/histogram.h"
#include "cli/stopwatch.h"

/* ---- rounds ---- */

static void report(bench_state *state, const histogram *latencies, const stopwatch *watch)
{
    static const struct {
        const char *name;
        double part;
    } percentiles[] = {{"p50_us", 0.5}, {"p99_us", 0.99}, {"p999_us", 0.999}, {"max_us", 1.0}};
    bench_items(state, bench_rounds(state));
    for (size_t i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]); i++) {
        uint64_t ticks = histogram_percentile(latencies, percentiles[i].part);
        bench_counter(state, percentiles[i].name, stopwatch_microseconds(watch, ticks));
    }
}

bool macro_latency_steps(bench_state *state, macro_step_fn step, void *context)
{
    histogram *latencies = heap_new(1, sizeof(*latencies)); /* in ticks */
    stopwatch watch;
    bool ok = true;
    stopwatch_start(&watch);
    uint64_t before = watch.start_ticks;
    while (bench_next(state)) {
        ok = ok && step(context);
        uint64_t now = stopwatch_ticks(&watch);
        histogram_add(latencies, now - before);
        before = now;
    }
    stopwatch_stop(&watch);
    if (ok)
        report(state, latencies, &watch);
    free(latencies);
    return ok;
}

/* ---- placing ---- */

typedef struct placing {
    macro_cluster *cluster;
    uint64_t next;
    uint64_t bound;
} placing;

static bool place_next(void *context)
{
    placing *p = context;
    macro_cluster *cluster = p->cluster;
    berth_placement placement;
    berth_status status = berth_engine_schedule(cluster->engine, cluster->pods[p->next++],
                                                &placement, &cluster->error);
    p->bound += status == BERTH_OK && placement.verdict == BERTH_VERDICT_PLACED;
    return status == BERTH_OK;
}

bool macro_latency_measure(bench_state *state, macro_cluster *cluster, uint64_t warm,
                           bool all_must_fit)
{
    placing p = {.cluster = cluster};
    if (warm + (uint64_t)bench_planned(state) > cluster->pod_count) {
        bench_fail(state, "fewer pods than rounds");
        return false;
    }
    bool ok = true;
    while (ok && p.next < warm)
        ok = place_next(&p);
    ok = ok && macro_latency_steps(state, place_next, &p);
    if (ok && all_must_fit && p.bound < p.next) {
        bench_fail(state, "some pods fit nowhere");
        return false;
    }
    if (!ok)
        bench_fail(state, macro_cluster_problem(cluster));
    return ok;
}
