/* The worker pool: each participant runs once a round, and the caller sees what they wrote. The
 * results are in plain cells, not atomics, so that ThreadSanitizer checks the pool's ordering. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "base/workers.h"

enum { WORKERS_MAX = 8 };

typedef struct cell {
    _Alignas(64) uint64_t rounds;
    uint64_t seen; /* sum of what the caller wrote before each round */
} cell;

typedef struct job {
    uint64_t input; /* written by the caller before a round, read by workers */
    uint32_t workers;
    atomic_uint arrived; /* in this round */
    cell cells[WORKERS_MAX];
} job;

/* The caller continues when all workers have arrived. */
static void gather(atomic_uint *arrived, uint32_t workers, uint32_t worker)
{
    atomic_fetch_add_explicit(arrived, 1, memory_order_relaxed);
    while (worker == 0 && atomic_load_explicit(arrived, memory_order_relaxed) < workers)
        sched_yield();
}

static void count(void *context, uint32_t worker)
{
    job *own = context;
    own->cells[worker].rounds++;
    own->cells[worker].seen += own->input;
    gather(&own->arrived, own->workers, worker);
}

/* The pool wakes as many workers as the machine has cores; with a core for each, all of them
 * run. */
static berth__machine *machine_of(const char *synthetic)
{
    berth__machine *machine;
    assert_int_equal(berth__machine_create(berth__allocator_default(), synthetic, &machine),
                     BERTH_OK);
    return machine;
}

static berth__machine *wide_machine(void)
{
    return machine_of("core:8 pu:1");
}

static berth__workers *new_workers(const berth__machine *machine, uint32_t count)
{
    berth__workers *pool;
    assert_int_equal(
        berth__workers_create(berth__allocator_default(), machine, count, false, &pool), BERTH_OK);
    return pool;
}

static void run_counting(berth__workers *pool, job *own, uint64_t input)
{
    own->input = input;
    own->workers = berth__workers_count(pool);
    atomic_store_explicit(&own->arrived, 0, memory_order_relaxed);
    berth__workers_run(pool, count, own);
}

static void check_rounds(const job *own, uint32_t workers, uint64_t rounds)
{
    for (uint32_t w = 0; w < WORKERS_MAX; w++) {
        assert_int_equal(own->cells[w].rounds, w < workers ? rounds : 0);
        assert_int_equal(own->cells[w].seen, w < workers ? rounds * (rounds + 1) / 2 : 0);
    }
}

static void test_every_worker_runs_every_round(void **state)
{
    (void)state;
    enum { ROUNDS = 2000 };
    berth__machine *machine = wide_machine();
    for (uint32_t workers = 1; workers <= WORKERS_MAX; workers++) {
        berth__workers *pool = new_workers(machine, workers);
        assert_int_equal(berth__workers_count(pool), workers);
        job own = {0};
        for (uint64_t round = 1; round <= ROUNDS; round++) {
            run_counting(pool, &own, round);
        }
        check_rounds(&own, workers, ROUNDS);
        berth__workers_destroy(pool);
    }
    berth__machine_destroy(machine);
}

/* Long pauses, so that workers are parked when the next round starts. */
static void test_parked_workers_wake(void **state)
{
    (void)state;
    enum { ROUNDS = 30 };
    berth__machine *machine = wide_machine();
    for (uint32_t workers = 2; workers <= 4; workers++) {
        berth__workers *pool = new_workers(machine, workers);
        job own = {0};
        for (uint64_t round = 1; round <= ROUNDS; round++) {
            const struct timespec pause = {0, 1000000 * (long)(round % 3)};
            nanosleep(&pause, NULL);
            run_counting(pool, &own, round);
        }
        check_rounds(&own, workers, ROUNDS);
        berth__workers_destroy(pool);
    }
    berth__machine_destroy(machine);
}

/* A round passes data to the next: worker w reads what worker w - 1 wrote in the round before. */
typedef struct relay {
    uint32_t workers;
    atomic_uint arrived;
    uint64_t now[WORKERS_MAX], before[WORKERS_MAX];
} relay;

static void take_from_neighbour(void *context, uint32_t worker)
{
    relay *own = context;
    own->now[worker] = own->before[(worker + own->workers - 1) % own->workers] + 1;
    gather(&own->arrived, own->workers, worker);
}

static void test_rounds_follow_one_another(void **state)
{
    (void)state;
    berth__machine *machine = wide_machine();
    for (uint32_t workers = 1; workers <= WORKERS_MAX; workers++) {
        berth__workers *pool = new_workers(machine, workers);
        relay own = {.workers = workers};
        for (uint64_t round = 1; round <= 500; round++) {
            atomic_store_explicit(&own.arrived, 0, memory_order_relaxed);
            berth__workers_run(pool, take_from_neighbour, &own);
            for (uint32_t w = 0; w < workers; w++) {
                assert_int_equal(own.now[w], round);
                own.before[w] = own.now[w];
            }
        }
        berth__workers_destroy(pool);
    }
    berth__machine_destroy(machine);
}

static void test_pools_come_and_go(void **state)
{
    (void)state;
    berth__machine *machine = wide_machine();
    for (uint32_t round = 0; round < 200; round++) {
        uint32_t workers = 1 + round % WORKERS_MAX;
        berth__workers *pool = new_workers(machine, workers);
        job own = {0};
        if (round % 3 != 0) { /* otherwise the pool is destroyed without ever running */
            run_counting(pool, &own, 1);
            check_rounds(&own, workers, 1);
        }
        berth__workers_destroy(pool);
    }
    berth__workers_destroy(NULL);
    berth__machine_destroy(machine);
}

static void test_two_pools_at_once(void **state)
{
    (void)state;
    berth__machine *machine = wide_machine();
    berth__workers *pools[2];
    job own[2] = {{.input = 0}, {.input = 0}};
    for (uint32_t p = 0; p < 2; p++)
        pools[p] = new_workers(machine, 2 + p);
    for (uint64_t round = 1; round <= 300; round++)
        for (uint32_t p = 0; p < 2; p++) {
            run_counting(pools[p], &own[p], round);
        }
    for (uint32_t p = 0; p < 2; p++) {
        check_rounds(&own[p], 2 + p, 300);
        berth__workers_destroy(pools[p]);
    }
    berth__machine_destroy(machine);
}

/* Each piece of work is done once, whichever workers take part; no worker runs twice in a round. */
enum { TICKETS = 64 };

typedef struct errand {
    atomic_uint ticket;
    uint64_t pieces[TICKETS];
    cell cells[WORKERS_MAX];
} errand;

static void take_tickets(void *context, uint32_t worker)
{
    errand *own = context;
    own->cells[worker].rounds++;
    for (;;) {
        uint32_t at = atomic_fetch_add_explicit(&own->ticket, 1, memory_order_relaxed);
        if (at >= TICKETS)
            return;
        own->pieces[at]++;
    }
}

static void check_errands(const char *synthetic)
{
    berth__machine *machine = machine_of(synthetic);
    for (uint32_t workers = 1; workers <= WORKERS_MAX; workers++) {
        berth__workers *pool = new_workers(machine, workers);
        errand own = {.ticket = 0};
        for (uint64_t round = 1; round <= 2000; round++) {
            atomic_store_explicit(&own.ticket, 0, memory_order_relaxed);
            berth__workers_run(pool, take_tickets, &own);
            assert_int_equal(own.cells[0].rounds, round);
            for (uint32_t w = 1; w < WORKERS_MAX; w++)
                assert_true(own.cells[w].rounds <= (w < workers ? round : 0));
            for (uint32_t i = 0; i < TICKETS; i++)
                assert_int_equal(own.pieces[i], round);
        }
        berth__workers_destroy(pool);
    }
    berth__machine_destroy(machine);
}

static void test_tickets_with_a_core_each(void **state)
{
    (void)state;
    check_errands("core:8 pu:1");
}

static void test_tickets_with_fewer_cores_than_workers(void **state)
{
    (void)state;
    check_errands("core:2 pu:1");
    check_errands("core:1 pu:1");
}

/* The groups are the NUMA nodes of bound workers. */
static void test_groups(void **state)
{
    (void)state;
    static const struct {
        const char *topology;
        bool bound;
        uint32_t workers;
        uint32_t groups;
        uint32_t group_of[WORKERS_MAX];
        uint32_t numa[WORKERS_MAX];
    } cases[] = {
        {"core:8 pu:1", true, 8, 1, {0}, {0}},
        {"numa:2 core:2 pu:1", false, 4, 1, {0}, {0}},
        {"numa:2 core:2 pu:1", true, 1, 1, {0}, {0}},
        {"numa:2 core:2 pu:1", true, 2, 2, {0, 1}, {0, 1}},
        {"numa:2 core:2 pu:1", true, 4, 2, {0, 0, 1, 1}, {0, 1}},
        {"numa:4 core:2 pu:1", true, 2, 2, {0, 1}, {0, 2}},
        {"numa:4 core:2 pu:1", true, 8, 4, {0, 0, 1, 1, 2, 2, 3, 3}, {0, 1, 2, 3}},
        {"package:2 numa:2 core:1 pu:2", true, 4, 4, {0, 1, 2, 3}, {0, 1, 2, 3}},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        berth__machine *machine;
        berth__workers *pool;
        assert_int_equal(
            berth__machine_create(berth__allocator_default(), cases[i].topology, &machine),
            BERTH_OK);
        assert_int_equal(berth__workers_create(berth__allocator_default(), machine,
                                               cases[i].workers, cases[i].bound, &pool),
                         BERTH_OK);
        assert_int_equal(berth__workers_groups(pool), cases[i].groups);
        for (uint32_t w = 0; w < cases[i].workers; w++)
            assert_int_equal(berth__workers_group_of(pool, w), cases[i].group_of[w]);
        for (uint32_t g = 0; g < cases[i].groups; g++)
            assert_int_equal(berth__workers_group_numa(pool, g), cases[i].numa[g]);
        berth__workers_destroy(pool);
        berth__machine_destroy(machine);
    }
}

/* With more NUMA nodes than groups are allowed, there is one group. */
static void test_too_many_groups(void **state)
{
    (void)state;
    enum { WORKERS = BERTH__GROUPS_MAX + 1 };
    berth__machine *machine;
    berth__workers *pool;
    assert_int_equal(
        berth__machine_create(berth__allocator_default(), "numa:17 core:1 pu:1", &machine),
        BERTH_OK);
    assert_int_equal(
        berth__workers_create(berth__allocator_default(), machine, WORKERS, true, &pool), BERTH_OK);
    assert_int_equal(berth__workers_groups(pool), 1);
    for (uint32_t w = 0; w < WORKERS; w++)
        assert_int_equal(berth__workers_group_of(pool, w), 0);
    berth__workers_destroy(pool);
    berth__machine_destroy(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_too_many_groups),
        cmocka_unit_test(test_every_worker_runs_every_round),
        cmocka_unit_test(test_parked_workers_wake),
        cmocka_unit_test(test_rounds_follow_one_another),
        cmocka_unit_test(test_pools_come_and_go),
        cmocka_unit_test(test_two_pools_at_once),
        cmocka_unit_test(test_tickets_with_a_core_each),
        cmocka_unit_test(test_tickets_with_fewer_cores_than_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
