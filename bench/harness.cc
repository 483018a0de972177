/* The C interface of Google Benchmark, and the main function of the benchmarks. */
#include "harness.h"

#include <benchmark/benchmark.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "berth/status.h"

using clock_type = std::chrono::steady_clock;

struct bench_state {
    benchmark::State &state;
    const void *context;
    bool started = false;
    clock_type::time_point since{}; /* when the clock was started */
    clock_type::duration measured{};
};

namespace
{
bool failed = false;

std::vector<void (*)(bench_suite)> &suites()
{
    static std::vector<void (*)(bench_suite)> all;
    return all;
}

auto runner(bench_fn fn, const void *context)
{
    return [fn, context](benchmark::State &state) {
        bench_state wrapped{state, context};
        fn(&wrapped);
    };
}
} // namespace

extern "C" void bench_register(const char *name, bench_fn fn, bench_range range)
{
    auto *registered = benchmark::RegisterBenchmark(name, runner(fn, nullptr));
    if (range.last != 0)
        registered->Range(range.first, range.last);
}

extern "C" void bench_case_add(const bench_case *one)
{
    auto *registered = benchmark::RegisterBenchmark(one->name, runner(one->fn, one->context));
    registered->UseRealTime();
    if (one->rounds != 0)
        registered->Iterations(one->rounds);
    if (one->microseconds)
        registered->Unit(benchmark::kMicrosecond);
}

extern "C" void bench_suite_register(void (*fill)(bench_suite suite))
{
    suites().push_back(fill);
}

extern "C" bool bench_next(bench_state *bench)
{
    if (!bench->started) {
        bench->started = true;
        bench->since = clock_type::now();
    }
    bool more = bench->state.KeepRunning();
    if (!more)
        bench->measured += clock_type::now() - bench->since;
    return more;
}

extern "C" int64_t bench_argument(const bench_state *bench)
{
    return bench->state.range(0);
}

extern "C" const void *bench_context(const bench_state *bench)
{
    return bench->context;
}

extern "C" int64_t bench_planned(const bench_state *bench)
{
    return static_cast<int64_t>(bench->state.max_iterations);
}

extern "C" int64_t bench_rounds(const bench_state *bench)
{
    return bench->state.iterations();
}

extern "C" void bench_pause(bench_state *bench)
{
    bench->state.PauseTiming();
    bench->measured += clock_type::now() - bench->since;
}

extern "C" void bench_resume(bench_state *bench)
{
    bench->since = clock_type::now();
    bench->state.ResumeTiming();
}

extern "C" void bench_items(bench_state *bench, int64_t items)
{
    bench->state.SetItemsProcessed(items);
}

extern "C" void bench_bytes(bench_state *bench, int64_t bytes)
{
    bench->state.SetBytesProcessed(bytes);
}

extern "C" void bench_counter(bench_state *bench, const char *name, double value)
{
    bench->state.counters[name] = value;
}

extern "C" void bench_time_per(bench_state *bench, const char *name, double parts)
{
    using nanoseconds = std::chrono::duration<double, std::nano>;
    double rounds = static_cast<double>(bench->state.iterations());
    bench->state.counters[name] = nanoseconds(bench->measured).count() / (rounds * parts);
}

extern "C" void bench_fail(bench_state *bench, const char *message)
{
    failed = true;
    bench->state.SkipWithError(message);
}

/* Removes "--suite=NAME" from the arguments; returns false for an unknown name. */
static bool take_suite(int *argc, char **argv, bench_suite *suite)
{
    static const char option[] = "--suite=";
    static const char *const names[] = {"smoke", "quick", "full"};
    int kept = 1;
    bool known = true;
    for (int i = 1; i < *argc; i++) {
        if (std::strncmp(argv[i], option, sizeof(option) - 1) != 0) {
            argv[kept++] = argv[i];
            continue;
        }
        known = false;
        for (int n = 0; n < 3; n++)
            if (std::strcmp(argv[i] + sizeof(option) - 1, names[n]) == 0) {
                *suite = static_cast<bench_suite>(n);
                known = true;
            }
    }
    *argc = kept;
    return known;
}

/* The instruction set of the kernels that the library uses on this processor. */
static const char *instruction_set()
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
        return "avx512";
    if (__builtin_cpu_supports("avx2"))
        return "avx2";
#endif
    return "portable";
}

int main(int argc, char **argv)
{
    bench_suite suite = BENCH_QUICK;
    if (!take_suite(&argc, argv, &suite)) {
        std::fprintf(stderr, "%s: --suite is smoke, quick or full\n", argv[0]);
        return 2;
    }
    benchmark::AddCustomContext("berth", berth_version());
    benchmark::AddCustomContext("compiler", BENCH_COMPILER);
    benchmark::AddCustomContext("build_type", BENCH_BUILD_TYPE);
    benchmark::AddCustomContext("isa", instruction_set());
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    for (auto *fill : suites())
        fill(suite);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return failed ? 1 : 0;
}
