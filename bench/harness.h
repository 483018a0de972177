/* Benchmarks in C over Google Benchmark. A file bench_SUBJECT.c defines functions and names each
 * once:
 *
 *     static void parse_milli(bench_state *state)
 *     {
 *         while (bench_next(state))
 *             bench_keep(parse("1500m"));
 *         bench_items(state, bench_rounds(state));
 *     }
 *     BENCH(parse_milli, BENCH_ONCE)
 *
 * For a list of cases known only at run time, a BENCH_SUITE function registers each case with
 * bench_case_add.
 *
 * Both programs (bench_micro, bench_macro) take the options of Google Benchmark
 * (--benchmark_filter=, --benchmark_format=json), and --suite=smoke, quick or full: how much to
 * measure. */
#ifndef BERTH_BENCH_HARNESS_H
#define BERTH_BENCH_HARNESS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bench_state bench_state;
typedef void (*bench_fn)(bench_state *state);

/* Run `fn` for values from `first` to `last`, each eight times as large as the one before; the
 * function reads its value with bench_argument. All zero: one run without an argument. */
typedef struct bench_range {
    int64_t first;
    int64_t last;
} bench_range;
#define BENCH_ONCE ((bench_range){0, 0})

/* Called before main by BENCH. */
void bench_register(const char *name, bench_fn fn, bench_range range);

/* Register `fn`, a static function of this file, as a benchmark. */
#define BENCH(fn, range)                                               \
    __attribute__((constructor)) static void bench_register_##fn(void) \
    {                                                                  \
        bench_register(#fn, fn, range);                                \
    }

/* Define and register the benchmark `name`, which calls `fn` with the state and these arguments. */
#define BENCH_OF(name, range, fn, ...)   \
    static void name(bench_state *state) \
    {                                    \
        fn(state, __VA_ARGS__);          \
    }                                    \
    BENCH(name, range)

/* How much to measure. */
typedef enum bench_suite {
    BENCH_SMOKE, /* seconds long: only checks that everything runs */
    BENCH_QUICK, /* a few minutes long */
    BENCH_FULL,
} bench_suite;

/* One benchmark of a family. */
typedef struct bench_case {
    const char *name; /* copied */
    bench_fn fn;
    const void *context; /* returned by bench_context; must live as long as the program */
    int64_t rounds;      /* the exact number; 0: Google Benchmark chooses */
    bool microseconds;   /* show microseconds, not nanoseconds */
} bench_case;

/* Measures wall-clock time, because workers do part of the work. */
void bench_case_add(const bench_case *one);

/* Called before main by BENCH_SUITE. */
void bench_suite_register(void (*fill)(bench_suite suite));

/* Let `fill`, a static function of this file, add its cases once the suite is known. */
#define BENCH_SUITE(fill)                                                \
    __attribute__((constructor)) static void bench_suite_of_##fill(void) \
    {                                                                    \
        bench_suite_register(fill);                                      \
    }

/* Returns true while another round has to be measured; the clock starts with the first call. */
bool bench_next(bench_state *state);

/* The argument of this run; the context of its case; the number of rounds that it will measure
 * (before the loop) or has measured (after it). */
int64_t bench_argument(const bench_state *state);
const void *bench_context(const bench_state *state);
int64_t bench_planned(const bench_state *state);
int64_t bench_rounds(const bench_state *state);

/* Stop and restart the clock around set-up inside a round. Costs some 200 ns itself. */
void bench_pause(bench_state *state);
void bench_resume(bench_state *state);

/* Items or bytes processed in all rounds together, shown per second. Call after the loop. */
void bench_items(bench_state *state, int64_t items);
void bench_bytes(bench_state *state, int64_t bytes);

/* An additional figure beside the times, for example bytes per node. */
void bench_counter(bench_state *state, const char *name, double value);

/* The time of one round divided by `parts`, in nanoseconds, as a counter. Call after the loop. */
void bench_time_per(bench_state *state, const char *name, double parts);

/* End the benchmark with an error that the report shows. The program then exits with 1. */
void bench_fail(bench_state *state, const char *message);

/* Make the compiler believe that `value`, or all memory, is read here. */
#define bench_keep(value)                                     \
    __extension__({                                           \
        __auto_type bench_kept_ = (value);                    \
        __asm__ volatile("" : : "m"(bench_kept_) : "memory"); \
    })
#define bench_clobber() __asm__ volatile("" : : : "memory")

#ifdef __cplusplus
}
#endif

#endif
