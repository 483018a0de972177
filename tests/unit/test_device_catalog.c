/* The catalog of devices and the programs of selectors without memory; and that a selector is
 * compiled once. */
#include "arena_pieces.h"
#include "counted_memory.h"
#include "offered_devices.h"

static counted memory;
static berth_allocator failing = {&memory, counted_allocate, counted_release};

static int set_up_failing(void **state)
{
    memory = (counted){0};
    model_memory = &failing;
    return set_up(state);
}

static int tear_down_failing(void **state)
{
    int status = tear_down(state);
    assert_int_equal(memory.bytes, 0);
    return status;
}

/* From here on, the number of the call that fails, from 1; 0: none. */
static void fail_call(unsigned call)
{
    memory.calls = 0;
    memory.fail_at = call;
}

static bool was_refused(void)
{
    bool refused = memory.fail_at != 0 && memory.calls >= memory.fail_at;
    memory.fail_at = 0;
    return refused;
}

/* ---- the catalog ---- */

enum { OFFERED = 6 * 16 + 2 };

static void offer_many(void)
{
    static const char *const pools[] = {"p0", "p1", "p2", "p3", "p4", "p5"};
    offer_counters("a.x", "p0", "c", "100");
    for (uint32_t i = 0; i < 6; i++)
        offer("a.x", pools[i], pools[i], "d0 uses=1;d1;d2;d3;d4;d5;d6;d7;d8;d9;da;db;dc;dd;de;df");
    berth__slice_facts *choosy = offer("a.x", "p6", "t", "d0 on=n; d1 on=m");
    choosy->reach = (berth__device_reach){0};
    choosy->per_device = true;
}

/* Builds a catalog while that call fails; returns false if the call was not made. */
static bool build_without(unsigned call)
{
    berth__catalog own = {0};
    berth__device_uses own_uses = {0};
    berth__offer_node node = {.id = 0, .name = sym("n")};
    assert_int_equal(berth__catalog_init(&own, &model), BERTH_OK);
    assert_int_equal(berth__device_uses_init(&own_uses, &failing), BERTH_OK);
    fail_call(call);
    bool built =
        berth__catalog_build(&own, &own_uses, slices, slice_count, &(berth__taint_rules){0});
    bool refused = was_refused();
    assert_true(built || refused); /* a table that could not grow is slower, but complete */
    if (!built) {
        assert_int_equal(own.slice_count + own.offer_count + own.content_count, 0);
        assert_true(
            berth__catalog_build(&own, &own_uses, slices, slice_count, &(berth__taint_rules){0}));
    }
    assert_int_equal(own.slice_count, slice_count);
    assert_int_equal(own.offer_count, OFFERED);
    assert_non_null(berth__catalog_of(&own, &node));
    berth__catalog_destroy(&own);
    berth__device_uses_destroy(&own_uses);
    return refused;
}

static void test_catalog_is_built_as_a_whole_or_not(void **state)
{
    (void)state;
    offer_many();
    unsigned call = 1;
    while (build_without(call))
        call++;
    assert_true(call > OFFERED);
}

/* ---- programs ---- */

static void test_program_is_compiled_once(void **state)
{
    (void)state;
    static const char *const texts[] = {"true", "false", "device.driver == \"a.x\"", ""};
    berth__device_program *programs[4];
    for (uint32_t i = 0; i < 4; i++) {
        programs[i] = berth__device_program_get(&verdicts, sym(texts[i]));
        assert_non_null(programs[i]);
        assert_int_equal(verdicts.programs.count, i + 1);
    }
    for (uint32_t i = 0; i < 4; i++)
        assert_ptr_equal(berth__device_program_get(&verdicts, sym(texts[i])), programs[i]);
    assert_int_equal(verdicts.programs.count, 4);
}

static void test_many_programs_are_given_up(void **state)
{
    (void)state;
    char text[32];
    for (int i = 0; i < BERTH__PROGRAMS_MAX; i++) {
        (void)snprintf(text, sizeof(text), "%d == 1", i);
        assert_non_null(berth__device_program_get(&verdicts, sym(text)));
    }
    berth__verdicts_trim(&verdicts);
    assert_int_equal(verdicts.programs.count, BERTH__PROGRAMS_MAX);
    assert_non_null(berth__device_program_get(&verdicts, sym("true")));
    berth__verdicts_trim(&verdicts);
    assert_int_equal(verdicts.programs.count, 0);
    assert_non_null(berth__device_program_get(&verdicts, sym("true")));
    assert_int_equal(verdicts.programs.count, 1);
}

static void test_program_without_memory(void **state)
{
    (void)state;
    berth__sym text = sym("device.driver == \"a.x\"");
    unsigned call = 1;
    for (;; call++) {
        fail_call(call);
        berth__device_program *program = berth__device_program_get(&verdicts, text);
        bool refused = was_refused();
        assert_int_equal(program == NULL, refused);
        assert_int_equal(verdicts.programs.count, refused ? 0 : 1);
        if (!refused)
            break;
    }
    assert_true(call > 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up_failing, tear_down_failing)

int main(void)
{
    arena_pieces_refuse = counted_piece;
    const struct CMUnitTest tests[] = {
        TEST(test_catalog_is_built_as_a_whole_or_not),
        TEST(test_program_is_compiled_once),
        TEST(test_many_programs_are_given_up),
        TEST(test_program_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
