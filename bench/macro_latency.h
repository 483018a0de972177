/* The measuring loop of every macro-benchmark: one decision after the other, with one reading of
 * the clock between two of them. */
#ifndef BERTH_BENCH_MACRO_LATENCY_H
#define BERTH_BENCH_MACRO_LATENCY_H

#include "harness.h"
#include "macro_cluster.h"

/* Decides once; returns false if the benchmark is over, with an error already reported. */
typedef bool (*macro_step_fn)(void *context);

/* Runs one step in each round. Reports decisions a second and the percentiles p50_us, p99_us,
 * p999_us and max_us. Returns false if a step did. */
bool macro_latency_steps(bench_state *state, macro_step_fn step, void *context);

/* Place the first `warm` pods of the cluster unmeasured, then one pod a round. A failed call and,
 * with `all_must_fit`, a pod that fits nowhere end the benchmark with an error; then it returns
 * false. */
bool macro_latency_measure(bench_state *state, macro_cluster *cluster, uint64_t warm,
                           bool all_must_fit);

#endif
