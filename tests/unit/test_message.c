/* kube-scheduler's one-line messages, piece by piece, also where memory ends; and the line of the
 * part of a document that a path names. */
#include <stdio.h>
#include <string.h>

#include "arena_pieces.h"
#include "base/text.h"
#include "explain/message.h"
#include "scarce_memory.h"
#include "text/yaml.h"

enum { LONG = 3000 }; /* bytes of a long reason: more than the arena holds in one piece */

static berth_str text(const char *bytes)
{
    return (berth_str){bytes, (uint32_t)strlen(bytes)};
}

static void expect(berth_str found, const char *wanted)
{
    assert_non_null(found.data);
    assert_int_equal(found.len, strlen(wanted));
    assert_memory_equal(found.data, wanted, found.len);
}

/* ---- histograms ---- */

static void test_histogram(void **state)
{
    berth__arena arena;
    berth__histogram histogram;
    char names[20][8];
    (void)state;
    berth__arena_init(&arena, berth__allocator_default());
    berth__histogram_init(&histogram, &arena);
    expect(berth__message_unschedulable(&arena, 0, (berth_str){0}, &histogram),
           "0/0 nodes are available:");
    assert_true(berth__histogram_add(&histogram, text("few"), 2));
    expect(berth__message_unschedulable(&arena, 2, (berth_str){0}, &histogram),
           "0/2 nodes are available: 2 few.");
    assert_true(berth__histogram_add(&histogram, text("many"), 10));
    assert_true(berth__histogram_add(&histogram, text("few"), 1));
    /* in the order of their bytes, counts included */
    expect(berth__message_unschedulable(&arena, 13, (berth_str){0}, &histogram),
           "0/13 nodes are available: 10 many, 3 few.");
    expect(berth__message_unschedulable(&arena, 13, text("no room"), &histogram),
           "0/13 nodes are available: no room.");
    expect(berth__message_unschedulable(&arena, 13, text(""), &histogram),
           "0/13 nodes are available:");
    for (int i = 0; i < 20; i++) { /* the list grows */
        snprintf(names[i], sizeof(names[i]), "r%d", i);
        assert_true(berth__histogram_add(&histogram, text(names[i]), 1));
    }
    assert_int_equal(histogram.count, 22);
    for (int i = 0; i < 20; i++)
        assert_true(berth__histogram_add(&histogram, text(names[i]), UINT32_C(100)));
    assert_int_equal(histogram.count, 22);
    assert_int_equal(histogram.items[0].count, 3);
    assert_int_equal(histogram.items[21].count, 101);
    berth__arena_destroy(&arena);
}

/* ---- joining ---- */

static void test_joined(void **state)
{
    berth__arena arena;
    const berth_str parts[] = {BERTH_STR("a"), {0}, BERTH_STR("bc")};
    (void)state;
    berth__arena_init(&arena, berth__allocator_default());
    expect(berth__message_join(&arena, parts, 0), "");
    expect(berth__message_join(&arena, parts, 1), "a");
    expect(berth__message_join(&arena, parts, 3), "a, , bc");
    expect(berth__message_with_parts(&arena, text("first:"), parts, 3), "first: a, , bc");
    expect(berth__message_with_parts(&arena, text("first:"), parts, 0), "first: ");
    expect(berth__message_of_preemption(&arena, text("nobody helps")), "preemption: nobody helps");
    expect(berth__message_in_brackets(&arena, text("a, b")), "[a, b]");
    berth__arena_destroy(&arena);
}

static void test_plugins(void **state)
{
    static const struct {
        const char *reason, *plugin, *wanted;
    } table[] = {
        {"refused by [B]", "A", "refused by [A B]"},
        {"refused by [B]", "C", "refused by [B C]"},
        {"refused by [B]", "B", "refused by [B]"},
        {"refused by [A C]", "B", "refused by [A B C]"},
        {"refused by [A C]", "AB", "refused by [A AB C]"},
        {"refused by [A C]", "C", "refused by [A C]"},
        {"refused by [A C]", "A", "refused by [A C]"},
        {"refused by [AB C]", "A", "refused by [A AB C]"},
        {"refused by [A C] now", "D", "refused by [A C D] now"},
        {"refused", "A", "refused"},
    };
    berth__arena arena;
    (void)state;
    berth__arena_init(&arena, berth__allocator_default());
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        expect(berth__message_add_plugin(&arena, text(table[i].reason), text(table[i].plugin)),
               table[i].wanted);
    berth__arena_destroy(&arena);
}

/* ---- memory ---- */

/* All of a message; absent texts say that memory has ended. */
static berth_status say(const berth_allocator *allocator, const void *input)
{
    const berth_str reason = {input, LONG};
    const berth_str parts[] = {reason, reason};
    berth__arena arena;
    berth__histogram histogram;
    bool ok = true;
    berth__arena_init_sized(&arena, allocator, 1);
    berth__histogram_init(&histogram, &arena);
    for (uint32_t i = 0; ok && i < 40; i++) /* the list takes four pieces */
        ok = berth__histogram_add(&histogram, (berth_str){reason.data, LONG - i}, 1);
    ok = ok && berth__message_unschedulable(&arena, 3, (berth_str){0}, &histogram).data != NULL &&
         berth__message_unschedulable(&arena, 3, reason, &histogram).data != NULL &&
         berth__message_join(&arena, parts, 2).data != NULL &&
         berth__message_with_parts(&arena, reason, parts, 2).data != NULL &&
         berth__message_in_brackets(&arena, reason).data != NULL &&
         berth__message_of_preemption(&arena, reason).data != NULL &&
         berth__message_add_plugin(&arena, reason, text("A")).data != NULL;
    berth__arena_destroy(&arena);
    return ok ? BERTH_OK : BERTH_E_NOMEM;
}

static void test_memory(void **state)
{
    char reason[LONG];
    (void)state;
    memset(reason, 'x', sizeof(reason));
    memcpy(reason + LONG - 3, "[B]", 3);
    scarce_each_request(say, reason);
}

/* ---- lines ---- */

static berth_status check_lines(void *context, const berth__json *root, uint32_t line,
                                berth_error *error)
{
    static const struct {
        const char *path;
        uint32_t line;
    } table[] = {
        {"", 1},
        {"a", 1},
        {"a.b", 2},
        {"a.b.c", 2}, /* there is nothing below: the last part that there is */
        {"a.list", 3},
        {"a.list[0]", 4},
        {"a.list[0].w", 5},
        {"a.list[1]", 6},
        {"a.list[1][1]", 7},
        {"a.list[2]", 3},
        {"a.list[2].x", 3},
        {"a.list.0", 3},
        {"a.list[0].z", 4},
        {"a[c.d/e]", 8},
        {"a[c.d/e", 8},
        {"a[c.d/f]", 1},
        {"a.", 1},
        {"z", 1},
        {"[0]", 1},
    };
    (void)context;
    (void)line;
    (void)error;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (berth__json_line_of(root, table[i].path) != table[i].line)
            fail_msg("%s: line %u", table[i].path,
                     (unsigned)berth__json_line_of(root, table[i].path));
    return BERTH_OK;
}

static void test_lines(void **state)
{
    static const char yaml[] = "a:\n"          /* 1 */
                               "  b: 1\n"      /* 2 */
                               "  list:\n"     /* 3 */
                               "  - x: 1\n"    /* 4 */
                               "    w: 2\n"    /* 5 */
                               "  - [7,\n"     /* 6 */
                               "     8]\n"     /* 7 */
                               "  c.d/e: 5\n"; /* 8 */
    berth__arena arena;
    berth_error error;
    (void)state;
    berth__arena_init(&arena, berth__allocator_default());
    assert_int_equal(berth__yaml_parse(&arena, text(yaml), check_lines, NULL, &error), BERTH_OK);
    assert_int_equal(berth__json_line_of(NULL, "a"), 0);
    /* A part whose line is unknown has that of the part above. */
    const berth__json_member member = {
        .key = BERTH_STR("a"), .value = {.type = BERTH__JSON_STRING, .as.text = BERTH_STR("x")}};
    const berth__json known = {
        .type = BERTH__JSON_OBJECT, .line = 5, .count = 1, .as.members = &member};
    assert_int_equal(berth__json_line_of(&known, "a"), 5);
    berth__arena_destroy(&arena);
}

int main(void)
{
    arena_pieces_refuse = scarce_piece;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_histogram), cmocka_unit_test(test_joined),
        cmocka_unit_test(test_plugins),   cmocka_unit_test(test_memory),
        cmocka_unit_test(test_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
