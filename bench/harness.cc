/* The C face of Google Benchmark, and the main function of the micro-benchmarks. */
#include "harness.h"

#include <benchmark/benchmark.h>

#include "berth/status.h"

struct bench_state {
    benchmark::State &state;
};

extern "C" void bench_register(const char *name, bench_fn fn, bench_range range)
{
    auto run = [fn](benchmark::State &state) {
        bench_state wrapped{state};
        fn(&wrapped);
    };
    auto *registered = benchmark::RegisterBenchmark(name, run);
    if (range.last != 0)
        registered->Range(range.first, range.last);
}

extern "C" bool bench_next(bench_state *bench)
{
    return bench->state.KeepRunning();
}

extern "C" int64_t bench_argument(const bench_state *bench)
{
    return bench->state.range(0);
}

extern "C" int64_t bench_rounds(const bench_state *bench)
{
    return bench->state.iterations();
}

extern "C" void bench_pause(bench_state *bench)
{
    bench->state.PauseTiming();
}

extern "C" void bench_resume(bench_state *bench)
{
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

extern "C" void bench_fail(bench_state *bench, const char *message)
{
    bench->state.SkipWithError(message);
}

int main(int argc, char **argv)
{
    benchmark::AddCustomContext("berth", berth_version());
    benchmark::AddCustomContext("compiler", BENCH_COMPILER);
    benchmark::AddCustomContext("build_type", BENCH_BUILD_TYPE);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 2;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
