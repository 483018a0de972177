/* Rounds of the worker pool without work: the cost of waking workers that still spin from the round
 * before, and of waking parked workers. */
#include <time.h>

#include "base/memory.h"
#include "base/workers.h"
#include "harness.h"

static void nothing(void *context, uint32_t worker)
{
    (void)context;
    (void)worker;
}

static void sleep_briefly(void)
{
    const struct timespec pause = {.tv_nsec = 500000};
    nanosleep(&pause, NULL);
}

static void wake(bench_state *state, uint32_t count, bool parked)
{
    const berth_allocator *allocator = berth__allocator_default();
    berth__machine *machine = NULL;
    berth__workers *workers = NULL;
    if (berth__machine_create(allocator, NULL, &machine) != BERTH_OK ||
        berth__workers_create(allocator, machine, count, false, &workers) != BERTH_OK)
        bench_fail(state, "no workers");
    while (workers != NULL && bench_next(state)) {
        if (parked) {
            bench_pause(state);
            sleep_briefly();
            bench_resume(state);
        }
        berth__workers_run(workers, nothing, NULL);
    }
    berth__workers_destroy(workers);
    berth__machine_destroy(machine);
}

static void wake_spinning(bench_state *state)
{
    wake(state, 2, false);
}

static void wake_parked(bench_state *state)
{
    wake(state, 2, true);
}

/* On a machine with two cores, these are more workers than cores. */
static void wake_four(bench_state *state)
{
    wake(state, 4, false);
}

static void fill(bench_suite suite)
{
    int64_t scale = suite == BENCH_SMOKE ? 1 : 100;
    bench_case_add(&(bench_case){
        .name = "workers_wake/spinning/threads:2", .fn = wake_spinning, .rounds = 100 * scale});
    bench_case_add(&(bench_case){
        .name = "workers_wake/parked/threads:2", .fn = wake_parked, .rounds = 5 * scale});
    bench_case_add(&(bench_case){
        .name = "workers_wake/spinning/threads:4", .fn = wake_four, .rounds = 10 * scale});
}
BENCH_SUITE(fill)
