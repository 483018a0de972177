/* Shares: each piece is taken once, by whichever worker, and pieces of the worker's own group
 * first. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>

#include <cmocka.h>

#include "base/shares.h"

enum { PIECES_MAX = 3000, TAKERS_MAX = 6 };

typedef struct taker {
    pthread_t thread;
    berth__shares *shares;
    uint32_t group;
    uint8_t taken[PIECES_MAX];
} taker;

static void *take_all(void *argument)
{
    taker *self = argument;
    uint32_t first, last;
    while (berth__shares_take(self->shares, self->group, &first, &last))
        for (uint32_t piece = first; piece < last && piece < PIECES_MAX; piece++)
            self->taken[piece]++;
    return NULL;
}

static void check_once(const taker *takers, uint32_t taker_count, uint32_t count)
{
    for (uint32_t piece = 0; piece < PIECES_MAX; piece++) {
        uint32_t times = 0;
        for (uint32_t t = 0; t < taker_count; t++)
            times += takers[t].taken[piece];
        assert_int_equal(times, piece < count);
    }
}

static void test_each_piece_once(void **state)
{
    (void)state;
    static const uint32_t counts[] = {0, 1, 7, 8, 9, 64, 100, 1025, PIECES_MAX};
    static const uint32_t steps[] = {1, 3, 8, 5000};
    static taker takers[TAKERS_MAX];
    berth__shares shares;
    for (uint32_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++)
        for (uint32_t s = 0; s < sizeof(steps) / sizeof(steps[0]); s++)
            for (uint32_t groups = 1; groups <= 5; groups++) {
                uint32_t count = 1 + (c + s + groups) % TAKERS_MAX; /* also fewer than groups */
                berth__shares_start(&shares, counts[c], groups, steps[s]);
                memset(takers, 0, sizeof(takers));
                for (uint32_t t = 0; t < count; t++) {
                    takers[t].shares = &shares;
                    takers[t].group = t % groups;
                    assert_int_equal(pthread_create(&takers[t].thread, NULL, take_all, &takers[t]),
                                     0);
                }
                for (uint32_t t = 0; t < count; t++)
                    pthread_join(takers[t].thread, NULL);
                check_once(takers, count, counts[c]);
            }
}

/* ---- a worker that is overtaken ---- */

static berth__shares raced;
static volatile sig_atomic_t overtaken, taken_beyond;

static bool take_raced(void)
{
    uint32_t first = 0, last = 0;
    const bool taken = berth__shares_take(&raced, 0, &first, &last);
    if (taken && (first != 0 || last != 1))
        taken_beyond = 1;
    return taken;
}

static void overtake(int signal)
{
    (void)signal;
    if (take_raced())
        overtaken++;
}

/* Signals interrupt a worker anywhere in the call, and whoever interrupts it takes the only piece
 * before it. */
static void test_overtaken_worker_gets_nothing(void **state)
{
    (void)state;
    enum { ROUNDS = 3000000, ENOUGH = 300 };
    const struct sigaction by_overtaking = {.sa_handler = overtake, .sa_flags = SA_RESTART};
    const struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
    struct sigaction before;
    uint32_t lost = 0;
    berth__shares_start(&raced, 1, 1, 1);
    assert_int_equal(sigaction(SIGALRM, &by_overtaking, &before), 0);
    assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
    for (uint32_t round = 0; round < ROUNDS && lost < ENOUGH && taken_beyond == 0; round++) {
        berth__shares_start(&raced, 1, 1, 1);
        lost += !take_raced();
    }
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
    assert_int_equal(sigaction(SIGALRM, &before, NULL), 0);
    assert_int_equal(taken_beyond, 0);
    assert_true(lost <= (uint32_t)overtaken);
}

/* A worker alone takes the pieces of its own group first, in order, and then the others. */
static void test_home_first(void **state)
{
    (void)state;
    enum { COUNT = 100, STEP = 8, GROUPS = 3 };
    berth__shares shares;
    for (uint32_t group = 0; group < GROUPS; group++) {
        uint32_t first, last, before = 0, away = 0;
        berth__shares_start(&shares, COUNT, GROUPS, STEP);
        while (berth__shares_take(&shares, group, &first, &last)) {
            uint32_t home = berth__shares_home(first, STEP, GROUPS);
            assert_int_equal(home, berth__shares_home(last - 1, STEP, GROUPS));
            assert_int_equal(first % STEP, 0);
            assert_true(last - first == STEP || last == COUNT);
            assert_true(home == group ? away == 0 : true);
            assert_true(home != group || first >= before);
            before = first;
            away += home != group;
        }
        assert_true(away > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_piece_once),
        cmocka_unit_test(test_overtaken_worker_gets_nothing),
        cmocka_unit_test(test_home_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
