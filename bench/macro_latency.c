/* Decisions timed one by one. */
#include "macro_latency.h"

#include <stdlib.h>

#include "heap.h"
#include "histogram.h"
#include "stopwatch.h"

typedef struct run {
    macro_cluster *cluster;
    uint64_t next;
    uint64_t bound;
    histogram *latencies; /* in ticks */
    stopwatch watch;
} run;

static bool place_next(run *r)
{
    macro_cluster *cluster = r->cluster;
    berth_placement placement;
    berth_status status = berth_engine_schedule(cluster->engine, cluster->pods[r->next++],
                                                &placement, &cluster->error);
    r->bound += status == BERTH_OK && placement.verdict == BERTH_PLACED;
    return status == BERTH_OK;
}

static bool place_measured(bench_state *state, run *r)
{
    bool ok = true;
    stopwatch_start(&r->watch);
    uint64_t before = r->watch.start_ticks;
    while (bench_next(state)) {
        ok = ok && place_next(r);
        uint64_t now = stopwatch_ticks(&r->watch);
        histogram_add(r->latencies, now - before);
        before = now;
    }
    stopwatch_stop(&r->watch);
    return ok;
}

static void report(bench_state *state, const run *r)
{
    static const struct {
        const char *name;
        double part;
    } percentiles[] = {{"p50_us", 0.5}, {"p99_us", 0.99}, {"p999_us", 0.999}, {"max_us", 1.0}};
    bench_items(state, bench_rounds(state));
    for (size_t i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]); i++)
        bench_counter(state, percentiles[i].name,
                      stopwatch_microseconds(&r->watch, histogram_percentile(
                                                            r->latencies, percentiles[i].part)));
}

bool macro_latency_measure(bench_state *state, macro_cluster *cluster, uint64_t warm,
                           bool all_must_fit)
{
    run r = {.cluster = cluster, .latencies = heap_new(1, sizeof(histogram))};
    bool ok = true;
    if (warm + (uint64_t)bench_planned(state) > cluster->pod_count) {
        bench_fail(state, "fewer pods than rounds");
        ok = false;
    }
    while (ok && r.next < warm)
        ok = place_next(&r);
    ok = ok && place_measured(state, &r);
    if (ok && all_must_fit && r.bound < r.next) {
        bench_fail(state, "some pods fit nowhere");
        ok = false;
    } else if (!ok && cluster->error.code != BERTH_OK) {
        bench_fail(state, macro_cluster_problem(cluster));
    }
    if (ok)
        report(state, &r);
    free(r.latencies);
    return ok;
}
