/* Reasons for a refusal: any number of them, of any length, and with memory that ends. */
#include "arena_pieces.h"
#include "counted_memory.h"

#include "plugins/plugin.h"

enum { REASONS = 20, LONG = 3000 };

static void assert_reason(const berth__reasons *reasons, uint32_t at, const char *expected)
{
    assert_true(at < reasons->count);
    assert_int_equal(reasons->items[at].len, strlen(expected));
    assert_memory_equal(reasons->items[at].data, expected, strlen(expected));
}

/* Gives many reasons, one of them long. Returns whether there was enough memory. */
static bool give(unsigned fail_at)
{
    static char text[LONG + 1];
    counted memory = {.fail_at = fail_at};
    berth_allocator allocator = {&memory, counted_allocate, counted_release};
    berth__arena arena;
    berth__arena_init_sized(&arena, &allocator, 16);
    berth__reasons reasons = {.arena = &arena, .ok = true};
    memset(text, 'x', LONG);
    for (int i = 0; i < REASONS; i++)
        berth__reason(&reasons, BERTH_CODE_UNSCHEDULABLE, "%d%.*s", i, i == 7 ? LONG : 0, text);
    bool ok = reasons.ok;
    if (ok) {
        assert_int_equal(reasons.count, REASONS);
        assert_reason(&reasons, 0, "0");
        assert_reason(&reasons, REASONS - 1, "19");
        assert_int_equal(reasons.items[7].len, 1 + LONG);
        assert_int_equal(reasons.items[7].data[0], '7');
        assert_memory_equal(reasons.items[7].data + 1, text, LONG);
        assert_int_equal(reasons.code, BERTH_CODE_UNSCHEDULABLE);
    }
    assert_int_equal(ok, atomic_load(&memory.calls) < fail_at);
    berth__arena_destroy(&arena);
    assert_int_equal(atomic_load(&memory.bytes), 0);
    return ok;
}

static void test_reasons_and_memory(void **state)
{
    unsigned at = 1;
    (void)state;
    while (!give(at))
        at++;
    assert_true(at > 4);
}

static void test_errors(void **state)
{
    (void)state;
    berth__arena arena;
    berth__arena_init(&arena, berth__allocator_default());
    berth__reasons reasons = {.arena = &arena, .ok = true};
    berth__reason_error(&reasons, "Filter", BERTH_STR("P"), BERTH_STR("e"));
    berth__reason_error(&reasons, "Score", BERTH_STR("P"), BERTH_STR("e"));
    berth__reason_error(&reasons, "PreFilter", BERTH_STR("P"), BERTH_STR("e"));
    assert_reason(&reasons, 0, "running \"P\" filter plugin: e");
    assert_reason(&reasons, 1, "running Score plugins: plugin \"P\" failed with: e");
    assert_reason(&reasons, 2, "running PreFilter plugin \"P\": e");
    assert_false(reasons.failed);
    berth__reason_missed(&reasons, "lost");
    assert_reason(&reasons, 3, BERTH__ERROR_PREFIX "lost");
    assert_true(reasons.failed);
    assert_int_equal(reasons.code, BERTH_CODE_UNRESOLVABLE);
    berth__arena_destroy(&arena);
}

int main(void)
{
    arena_pieces_refuse = counted_piece;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reasons_and_memory),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
