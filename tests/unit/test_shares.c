/* Shares: each piece is taken once, by whichever worker, and pieces of the worker's own group
 * first. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/* ---- who asks at the same moment ---- */

enum { RUSHES = 20000, RUSH_GROUPS = BERTH__GROUPS_MAX };

typedef struct rush {
    atomic_uint arrived; /* of both, over all rounds */
    atomic_uint beyond;  /* pieces that do not exist */
    berth__shares shares;
} rush;

/* Wait in a loop, so that both go on within nanoseconds; on one core, let the other run. */
static void meet(rush *r, uint32_t count)
{
    uint32_t looks = 0;
    atomic_fetch_add(&r->arrived, 1);
    while (atomic_load(&r->arrived) < count)
        if (++looks % 1000 == 0)
            sched_yield();
}

/* Take what there is as soon as the other one is there, too; the first in each round starts it. */
static void *rush_in(rush *r, bool starts)
{
    uint32_t first, last;
    for (uint32_t round = 0; round < RUSHES; round++) {
        if (starts)
            berth__shares_start(&r->shares, RUSH_GROUPS, RUSH_GROUPS, 1);
        meet(r, 4 * round + 2);
        /* One has the shares in its cache: it waits a little, each time for another moment. */
        for (volatile uint32_t i = starts ? round % 256 : 0; i > 0; i--)
            continue;
        while (berth__shares_take(&r->shares, 0, &first, &last))
            if (last > RUSH_GROUPS)
                atomic_fetch_add(&r->beyond, 1);
        meet(r, 4 * round + 4);
    }
    return NULL;
}

static void *rush_in_second(void *argument)
{
    return rush_in(argument, false);
}

/* Each group has one piece: of two that ask for it at once, one goes on to the next group. */
static void test_nothing_is_taken_beyond_the_end(void **state)
{
    (void)state;
    static rush r;
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, rush_in_second, &r), 0);
    (void)rush_in(&r, true);
    pthread_join(other, NULL);
    assert_int_equal(atomic_load(&r.beyond), 0);
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
        cmocka_unit_test(test_nothing_is_taken_beyond_the_end),
        cmocka_unit_test(test_home_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
