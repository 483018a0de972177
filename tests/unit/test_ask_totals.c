/* Totals kept by ask equal those of the kernel `basic` for the current states of the nodes, after
 * any changes, however they were brought up to date. Runs with another seed each time;
 * BERTH_TEST_SEED replays a failure. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/random.h"
#include "columns/pod_counts.h"
#include "index/ask_totals.h"
#include "rule_cluster.h"
#include "scarce_memory.h"
#include "versions/engine_state.h"

enum { ASKS = 14, ROUNDS = 800 };

/* The parts of a deciding thread that a test needs. */
typedef struct fixture {
    small_cluster cluster;
    berth_pod_id pod;
    berth__view *view;
    berth__slot_window window;
    berth__slot_log *log;
    berth__ask_cache cache;
    berth__request requests[ASKS];
    berth__class classes[ASKS];
    berth__prepared_kind kinds[ASKS];
    uint64_t seed;
    berth__random random;
} fixture;

static uint32_t below(fixture *f, uint32_t count)
{
    return berth__random_below(&f->random, count);
}

/* An ask that differs from the first one in one member, or scores nothing. */
static berth__basic_ask ask_of(uint32_t i)
{
    berth__basic_ask ask = {.cpu = 500,
                            .memory = 1 << 20,
                            .least_cpu = 100,
                            .least_memory = 1 << 20,
                            .cpu_weight = 1,
                            .memory_weight = 1,
                            .balance_cpu = 500,
                            .balance_memory = 1 << 20,
                            .least_weight = 1,
                            .balance_weight = 1,
                            .places = 1};
    double *const doubles[] = {&ask.cpu,          &ask.memory,         &ask.least_cpu,
                               &ask.least_memory, &ask.cpu_weight,     &ask.memory_weight,
                               &ask.balance_cpu,  &ask.balance_memory, &ask.places};
    enum { DOUBLES = sizeof(doubles) / sizeof(*doubles) };
    if (i > 0 && i <= DOUBLES)
        *doubles[i - 1] = i <= 2 || i == DOUBLES ? -INFINITY : 3 * *doubles[i - 1];
    ask.least_weight = i == DOUBLES + 1 ? 2 : i == DOUBLES + 4 ? 0 : 1;
    ask.balance_weight = i == DOUBLES + 2 ? 2 : i == DOUBLES + 4 ? 0 : 1;
    ask.balance_difference = i == DOUBLES + 3;
    return ask;
}

/* A decision makes the layout of the nodes. */
static void decide(const fixture *f)
{
    berth_placement placement;
    berth_error error;
    small_require(berth_engine_decide(f->cluster.engine, f->pod, NULL, &placement, &error), &error);
}

static void open_fixture(fixture *f, uint32_t nodes, const berth_allocator *allocator)
{
    const char *given = getenv("BERTH_TEST_SEED");
    char name[16];
    memset(f, 0, sizeof(*f));
    f->seed = given != NULL ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
    f->random = (berth__random){f->seed};
    small_open(&f->cluster, berth_profile_default());
    for (uint32_t i = 0; i < nodes; i++) {
        (void)snprintf(name, sizeof(name), "n%u", (unsigned)i);
        small_node(&f->cluster, name, "");
    }
    f->pod = small_addf(&f->cluster, "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
                                     "spec: {containers: [{name: c}]}\n");
    decide(f);
    f->view = &f->cluster.engine->cluster.view;
    f->window.allocator = allocator;
    assert_int_equal(berth__ask_cache_init(&f->cache, allocator), BERTH_OK);
    f->log = calloc(1, sizeof(*f->log));
    assert_non_null(f->log);
    for (uint32_t i = 0; i < ASKS; i++) {
        f->requests[i].part.serial = i + 1;
        f->classes[i].request = &f->requests[i];
        f->kinds[i].memory.slot_plan.ask = ask_of(i);
    }
}

static void close_fixture(fixture *f)
{
    berth__ask_cache_destroy(&f->cache);
    berth__slot_window_destroy(&f->window);
    free(f->log);
    berth_explanation_destroy(f->cluster.explanation);
    berth_reader_destroy(f->cluster.reader);
    berth_engine_destroy(f->cluster.engine); /* unchecked: its columns are not those of its pods */
}

static void change_slot(fixture *f, uint32_t slot)
{
    const uint32_t s = slot % BERTH__TILE;
    berth__tile *tile = berth__view_write(f->view, slot);
    berth__tile_used(tile, BERTH__CPU)[s] = below(f, 5000);
    berth__tile_used(tile, BERTH__MEMORY)[s] = below(f, 1 << 30);
    tile->nonzero_cpu[s] = below(f, 5000);
    tile->nonzero_memory[s] = below(f, 1 << 30);
    tile->pods_used[s] = (int32_t)below(f, 3) * tile->pods_max[s] / 2;
    tile->evenness[s] = 50 + (int32_t)below(f, 51);
}

/* Change slots from `first` on: few, many, or too many, so that each way of catching up runs. */
static void change_slots(fixture *f, uint32_t first)
{
    static const uint32_t counts[] = {0, 1, 5, 40, 200, 1100, 9000, 70000};
    const uint32_t last = below(f, 8) == 0 ? 8 : 6;
    const uint32_t count = counts[below(f, last)];
    const uint32_t slots = f->view->layout->count;
    for (uint32_t i = 0; i < count; i++)
        change_slot(f, first + below(f, slots - first));
}

/* What the kernel computes for a slot from its state alone. */
static int32_t plain_total(const fixture *f, const berth__basic_ask *ask, uint32_t slot)
{
    double values[BERTH__LOG_COLUMNS], runs[BERTH__LOG_COLUMNS][BERTH__BASIC_RUN];
    int32_t even, evenness[BERTH__BASIC_RUN], totals[BERTH__BASIC_RUN];
    berth__slot_state_read(f->view, slot, values, &even);
    for (uint32_t i = 0; i < BERTH__BASIC_RUN; i++) {
        for (uint32_t c = 0; c < BERTH__LOG_COLUMNS; c++)
            runs[c][i] = values[c];
        evenness[i] = even;
    }
    const berth__basic_columns columns = {.cpu = runs[0],
                                          .cpu_used = runs[1],
                                          .cpu_nonzero = runs[2],
                                          .memory = runs[3],
                                          .memory_used = runs[4],
                                          .memory_nonzero = runs[5],
                                          .places = runs[6],
                                          .evenness = evenness};
    f->view->kernels->basic(&columns, 0, BERTH__BASIC_RUN, ask, totals);
    return totals[0];
}

static void check_tile(fixture *f, uint32_t ask, berth__ask_totals *asked, uint32_t tile)
{
    const berth__basic_tile own = berth__ask_totals_tile(asked, &f->window, f->view, tile);
    for (uint32_t s = 0; s < BERTH__TILE; s++) {
        const uint32_t slot = tile * BERTH__TILE + s;
        if (slot >= f->view->layout->count) {
            assert_false(berth__bit_get(own.fits->words, s));
            continue;
        }
        const int32_t wanted = plain_total(f, &f->kinds[ask].memory.slot_plan.ask, slot);
        if (own.totals[s] != wanted || berth__bit_get(own.fits->words, s) != (wanted >= 0))
            fail_msg("slot %u has the total %d instead of %d; BERTH_TEST_SEED=%llu", (unsigned)slot,
                     (int)own.totals[s], (int)wanted, (unsigned long long)f->seed);
    }
}

/* The totals for an ask of a search for `limit` slots, or NULL. */
static berth__ask_totals *get(fixture *f, uint32_t ask, uint32_t limit)
{
    const berth__question cycle = {.view = f->view, .cls = &f->classes[ask]};
    const berth__decision decision = {.cycle = &cycle, .prepared = &f->kinds[ask]};
    if (!berth__slot_window_follow(&f->window, f->view, f->view->layout->count))
        return NULL;
    return berth__ask_totals_get(&f->cache, &f->window, f->log, &decision, limit);
}

static void check_asks(fixture *f, uint32_t rounds)
{
    const uint32_t slots = f->view->layout->count, tiles = f->view->layout->tile_count;
    for (uint32_t round = 0; round < rounds; round++) {
        const uint32_t first = below(f, 2) * below(f, slots);
        const uint32_t ask = below(f, ASKS);
        change_slots(f, first);
        const bool all = below(f, 2) == 0;
        berth__ask_totals *asked = get(f, ask, all ? slots : 1 + below(f, slots));
        assert_true(f->cache.bytes <= f->cache.bytes_max);
        for (uint32_t i = 0; asked != NULL && i < tiles; i++)
            if (all || below(f, 3) == 0)
                check_tile(f, ask, asked, i);
    }
}

static void test_totals_follow(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, 5 * BERTH__TILE + 17, berth__allocator_default());
    check_asks(&f, ROUNDS);
    for (uint32_t i = 0; i < ASKS; i++)
        assert_non_null(get(&f, i, 1));
    close_fixture(&f);
}

/* Ask until the first ask has totals; the window takes some decisions, too. */
static void await_totals(fixture *f)
{
    while (get(f, 0, 1) == NULL)
        ;
}

/* As long as some tiles were never computed, the log can't bring all of them up to date, however
 * often the ask recurs. */
static void test_tiles_never_read(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, 5 * BERTH__TILE, berth__allocator_default());
    await_totals(&f);
    for (uint32_t round = 0; round < 20; round++) {
        for (uint32_t i = 0; i < 6; i++)
            change_slot(&f, below(&f, f.view->layout->count));
        check_tile(&f, 0, get(&f, 0, 1), 0);
    }
    check_tile(&f, 0, get(&f, 0, 1), 4);
    close_fixture(&f);
}

/* A node without cpu: the cheaper kernel does not serve then. */
static void test_totals_without_cpu(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, BERTH__TILE + 3, berth__allocator_default());
    check_asks(&f, ROUNDS / 4);
    const uint32_t all = f.view->layout->count, slot = below(&f, all);
    berth__tile_allocatable(berth__view_write(f.view, slot), BERTH__CPU)[slot % BERTH__TILE] = 0;
    for (uint32_t ask = 0; ask < ASKS; ask++) {
        for (uint32_t i = 0; i < 4; i++) { /* made, and then followed by the log */
            berth__ask_totals *asked = get(&f, ask, all);
            if (asked != NULL)
                check_tile(&f, ask, asked, slot / BERTH__TILE);
            change_slot(&f, slot);
        }
    }
    check_asks(&f, ROUNDS / 4);
    close_fixture(&f);
}

/* A tile of which few slots changed while many of the others did: some of its changes are no longer
 * known by then. */
static void test_changes_far_apart(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, 3 * BERTH__TILE, berth__allocator_default());
    await_totals(&f);
    for (uint32_t round = 0; round < 16; round++) {
        check_tile(&f, 0, get(&f, 0, 1), 0);
        for (uint32_t slot = 0; slot < 3; slot++)
            change_slot(&f, slot);
        for (uint32_t i = 0; i < BERTH__WINDOW_CHANGES - 3 + round / 2; i++) {
            change_slot(&f, (1 + i % 2) * BERTH__TILE + below(&f, BERTH__TILE));
            assert_true(berth__slot_window_follow(&f.window, f.view, 1));
        }
        if (round % 2 == 0)
            change_slot(&f, 3);
        check_tile(&f, 0, get(&f, 0, 1), 0);
    }
    close_fixture(&f);
}

/* An ask is kept from its second decision on; the one that was used last goes last. */
static void test_asks_are_bounded(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, 2 * BERTH__TILE, berth__allocator_default());
    await_totals(&f);
    f.cache.bytes_max = 2 * f.cache.bytes;
    assert_null(get(&f, 1, 1));
    assert_non_null(get(&f, 1, 1));
    assert_ptr_equal(get(&f, 0, 1), f.kinds[0].memory.asked);
    assert_null(get(&f, 2, 1));
    assert_int_equal(f.cache.epoch, 0);
    assert_non_null(get(&f, 2, 1)); /* instead of 1 */
    assert_int_equal(f.cache.epoch, 1);
    assert_non_null(get(&f, 0, 1));
    assert_int_equal(f.cache.epoch, 1);
    assert_non_null(get(&f, 1, 1)); /* instead of 2 */
    assert_int_equal(f.cache.epoch, 2);
    assert_int_equal(f.cache.map.count, 2);
    check_asks(&f, ROUNDS / 4);
    const size_t one = f.cache.bytes / f.cache.map.count;
    berth__ask_cache_destroy(&f.cache);
    assert_int_equal(f.cache.bytes, 0);
    assert_int_equal(berth__ask_cache_init(&f.cache, berth__allocator_default()), BERTH_OK);
    f.cache.bytes_max = one - 1;
    for (uint32_t i = 0; i < 3; i++)
        assert_null(get(&f, 3, 1)); /* there is no room for one */
    close_fixture(&f);
}

/* Another number of nodes: what was kept goes. */
static void test_nodes_come(void **state)
{
    (void)state;
    fixture f;
    open_fixture(&f, BERTH__TILE - 2, berth__allocator_default());
    check_asks(&f, ROUNDS / 8);
    for (uint32_t i = 0; i < 5; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "more%u", (unsigned)i);
        small_node(&f.cluster, name, "");
        decide(&f);
        check_asks(&f, ROUNDS / 8);
    }
    close_fixture(&f);
}

/* If memory is short, no totals are kept, and nothing is lost. */
static void test_memory_is_short(void **state)
{
    (void)state;
    for (unsigned granted = 0; granted < 12; granted++) {
        scarce s = {.left = 1000};
        const berth_allocator allocator = scarce_allocator(&s);
        fixture f;
        open_fixture(&f, BERTH__TILE, &allocator);
        s.left = granted;
        check_asks(&f, 20);
        s.left = 1000;
        for (uint32_t i = 0; i < 3; i++)
            (void)get(&f, 0, 1);
        assert_non_null(get(&f, 0, 1));
        close_fixture(&f);
        scarce_assert_released(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_totals_follow),     cmocka_unit_test(test_totals_without_cpu),
        cmocka_unit_test(test_tiles_never_read),  cmocka_unit_test(test_asks_are_bounded),
        cmocka_unit_test(test_changes_far_apart), cmocka_unit_test(test_nodes_come),
        cmocka_unit_test(test_memory_is_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
