/* From YAML to trees: the types that Kubernetes' tools give plain scalars, anchors, merges, streams
 * of documents, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "text/yaml.h"
#include "tree_text.h"

typedef struct collected {
    tree_text out;
    uint32_t lines[8];
    uint32_t count;
    uint32_t stop_at; /* the callback fails after that many documents */
} collected;

static collected got;

static berth_status collect(void *context, const berth__json *root, uint32_t line,
                            berth_error *error)
{
    collected *c = context;
    (void)error;
    if (c->stop_at != 0 && c->count + 1 == c->stop_at)
        return BERTH_E_CONFLICT;
    if (c->count > 0)
        tree_put(&c->out, " | ", 3);
    tree_write(&c->out, root);
    c->lines[c->count++ % 8] = line;
    return BERTH_OK;
}

static berth_status parse(berth_str text, berth_error *error)
{
    berth__arena arena;
    berth__arena_init(&arena, berth__allocator_default());
    uint32_t stop_at = got.stop_at;
    memset(&got, 0, sizeof(got));
    got.stop_at = stop_at;
    char *exact = malloc(text.len > 0 ? text.len : 1);
    assert_non_null(exact);
    if (text.len > 0)
        memcpy(exact, text.data, text.len);
    berth_status status =
        berth__yaml_parse(&arena, (berth_str){exact, text.len}, collect, &got, error);
    free(exact);
    berth__arena_destroy(&arena);
    return status;
}

typedef struct tree_case {
    const char *text;
    const char *trees;
} tree_case;

static const tree_case accepted[] = {
    {"", ""},
    {"# nothing but a remark\n", ""},
    {"a: b", "{\"a\":\"b\"}"},
    {"---\na: x\n---\n---\nb: |\n  two\n  lines\n...\n",
     "{\"a\":\"x\"} | null | {\"b\":\"two\\u000alines\\u000a\"}"},
    {"%YAML 1.1\n---\na: b", "{\"a\":\"b\"}"},
    {"{\"a\": \"\\u00e9\", \"b\": [1.5]}", "{\"a\":\"\xc3\xa9\",\"b\":[1.5]}"},
    {"- a\n- - b\n  - c\n- d: e\n", "[\"a\",[\"b\",\"c\"],{\"d\":\"e\"}]"},
    {"{a: 1, b}", "{\"a\":1,\"b\":null}"},
    {"a: 1\na: 2", "{\"a\":1,\"a\":2}"},
    {"a: >\n  folded\n  text\n", "{\"a\":\"folded text\\u000a\"}"},
    {"a:", "{\"a\":null}"},
    /* words */
    {"[true, True, TRUE, yes, Yes, YES, on, On, ON, y, Y]",
     "[true,true,true,true,true,true,true,true,true,true,true]"},
    {"[false, False, FALSE, no, No, NO, off, Off, OFF, n, N]",
     "[false,false,false,false,false,false,false,false,false,false,false]"},
    {"[null, Null, NULL, ~, ]", "[null,null,null,null]"},
    {"[tRUE, yEs, nUll, oN]", "[\"tRUE\",\"yEs\",\"nUll\",\"oN\"]"},
    {"['true', \"1\", 'null', '', \"~\"]", "[\"true\",\"1\",\"null\",\"\",\"~\"]"},
    /* numbers */
    {"[0, 7, -7, +7, 007, 010, 08, 0x1F, -0x1f, 0b101, 0o17, 1_000]",
     "[0,7,-7,7,7,8,8,31,-31,5,15,1000]"},
    {"[0.5, .5, 5., -.5, +.5, 1.10, 0.30, -0, 0.0, 0.1]", "[0.5,0.5,5,-0.5,0.5,1.1,0.3,0,0,0.1]"},
    {"[1e3, 12e6, 1E3, -0.5e-3, 1e-30, 1e30, 1e400, 1.5e1]",
     "[1000,12000000,1000,-0.0005,0.000000000000000000000000000001,"
     "1000000000000000000000000000000,\"1e400\",15]"},
    {"[1e308, -2e-308, 1e309]", "[1e308,-2e-308,\"1e309\"]"},
    {"[9223372036854775807, 9223372036854775808, 123456789012345678901234567890]",
     "[9223372036854775807,9223372036854775808,123456789012345678901234567890]"},
    /* up to 63 characters; a longer one is text */
    {"[123456789123456789123456789123456789123456789123456789123456789,"
     "\n1234567891234567891234567891234567891234567891234567891234567891]",
     "[123456789123456789123456789123456789123456789123456789123456789e0,"
     "\"1234567891234567891234567891234567891234567891234567891234567891\"]"},
    {"[1e, 1E, 100m, 1Gi, 0x, 0xg, 1.2.3, 1:30, 2001-01-01, -, +, ., --1, ._5]",
     "[\"1e\",\"1E\",\"100m\",\"1Gi\",\"0x\",\"0xg\",\"1.2.3\",\"1:30\",\"2001-01-01\",\"-\","
     "\"+\",\".\",\"--1\",\"._5\"]"},
    {"[.inf, -.Inf, .NaN]", "[.inf,-.Inf,.NaN]"},
    /* tags */
    {"[!!str 12, !!int '12', !!bool \"yes\", !!float 1, !mine x, !mine 12, !!str ]",
     "[\"12\",12,true,1,\"x\",\"12\",\"\"]"},
    /* keys */
    {"1: a\ntrue: b\nyes: c\n0x10: d\n1.50: e\n",
     "{\"1\":\"a\",\"true\":\"b\",\"true\":\"c\",\"16\":\"d\",\"1.5\":\"e\"}"},
    /* anchors */
    {"a: &x {p: 1}\nb: *x\nc: [*x, *x]",
     "{\"a\":{\"p\":1},\"b\":{\"p\":1},\"c\":[{\"p\":1},{\"p\":1}]}"},
    {"a: &x 1\nb: &x 2\nc: *x", "{\"a\":1,\"b\":2,\"c\":2}"},
    {"a: &k key\n*k : v", "{\"a\":\"key\",\"key\":\"v\"}"},
    {"- &x {p: 1, q: 2}\n- {<<: *x, q: 3}\n- {q: 3, <<: *x}\n",
     "[{\"p\":1,\"q\":2},{\"p\":1,\"q\":3},{\"p\":1,\"q\":3}]"},
    {"<<: [{k: first}, {k: second, m: 1}]\nz: 2", "{\"m\":1,\"k\":\"first\",\"z\":2}"},
    {"<<: {'': 2, k: 1}\nl: 3", "{\"\":2,\"k\":1,\"l\":3}"},
    {"<<: [{k: 1, '': 2}, {'': 3, l: 4}]\nk: 5\nk: 6\n'': 7", "{\"l\":4,\"k\":5,\"k\":6,\"\":7}"},
    {"'<<': {a: 1}", "{\"<<\":{\"a\":1}}"},
};

static void test_accepted(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(accepted) / sizeof(accepted[0]); i++) {
        berth_error error;
        if (parse(berth__text_of(accepted[i].text), &error) != BERTH_OK)
            fail_msg("%s: %s", accepted[i].text, error.message);
        assert_string_equal(got.out.text, accepted[i].trees);
    }
}

static void test_lines(void **state)
{
    (void)state;
    assert_int_equal(parse(BERTH_STR("# x\n---\n\na: 1\n---\n# y\nb: 1\n"), NULL), BERTH_OK);
    assert_int_equal(got.count, 2);
    assert_int_equal(got.lines[0], 4);
    assert_int_equal(got.lines[1], 7);
}

typedef struct fault_case {
    const char *text;
    uint32_t line;
    uint32_t column;
    uint64_t offset;
    const char *message;
} fault_case;

static const fault_case refused[] = {
    {"a:\n  b: 1\n c: 2", 3, 2, 11,
     "not YAML: did not find expected key, while parsing a block mapping"},
    {"a: [1, 2", 2, 1, 8,
     "not YAML: did not find expected ',' or ']', while parsing a flow sequence"},
    {"\ta: 1", 1, 1, 0,
     "not YAML: found character that cannot start any token, while scanning for the next token"},
    {"a: \"x", 1, 6, 5, "not YAML: found unexpected end of stream, while scanning a quoted scalar"},
    {"\xc3\xa9: b: c", 1, 5, 5, "not YAML: mapping values are not allowed in this context"},
    {"a: 1\nb: \x01", 2, 4, 8, "not YAML: control characters are not allowed"},
    {"a: 1\nb: \xff", 2, 4, 8, "not YAML: invalid leading UTF-8 octet"},
    {"a: *b", 1, 4, 3, "alias of an anchor that is not defined before it: *b"},
    {"a: &x [*x]", 1, 8, 7, "alias of an anchor that is not defined before it: *x"},
    {"a: &x 1\n---\nb: *x", 3, 4, 15, "alias of an anchor that is not defined before it: *x"},
    {"? [a]\n: b", 1, 3, 2, "a key must be a string, a number or a boolean"},
    {"null: 1", 1, 1, 0, "a key must be a string, a number or a boolean"},
    {"<<: 3", 1, 1, 0, "`<<` merges a mapping or a list of mappings"},
    {"<<: [3]", 1, 1, 0, "`<<` merges a mapping or a list of mappings"},
};

static void test_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        berth_error error;
        assert_int_equal(parse(berth__text_of(refused[i].text), &error), BERTH_E_PARSE);
        assert_string_equal(error.message, refused[i].message);
        assert_int_equal(error.line, refused[i].line);
        assert_int_equal(error.column, refused[i].column);
        assert_int_equal(error.offset, refused[i].offset);
        assert_int_equal(parse(berth__text_of(refused[i].text), NULL), BERTH_E_PARSE);
    }
    assert_int_equal(parse(BERTH_STR("a: \0b"), NULL), BERTH_E_PARSE);
}

static void test_alias_bomb(void **state)
{
    (void)state;
    char text[2048];
    int len = snprintf(text, sizeof(text), "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 12; i++)
        len += snprintf(text + len, sizeof(text) - (size_t)len,
                        "a%d: &a%d [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]\n", i, i,
                        i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
    berth_error error;
    assert_int_equal(parse((berth_str){text, (uint32_t)len}, &error), BERTH_E_PARSE);
    assert_string_equal(error.message, "aliases expand to more than a million values");
    assert_int_equal(error.line, 6);
}

static berth_status count_documents(void *context, const berth__json *root, uint32_t line,
                                    berth_error *error)
{
    (void)root;
    (void)line;
    (void)error;
    ++*(uint32_t *)context;
    return BERTH_OK;
}

/* The limit holds for all documents together. */
static void test_many_small_bombs(void **state)
{
    (void)state;
    enum { DOCUMENTS = 120, VALUES = 10000 };
    static char text[DOCUMENTS * 4096];
    size_t len = 0;
    for (int d = 0; d < DOCUMENTS; d++) {
        len += (size_t)snprintf(text + len, sizeof(text) - len, "---\na: &a [");
        for (int i = 0; i < 99; i++)
            len += (size_t)snprintf(text + len, sizeof(text) - len, "x,");
        len += (size_t)snprintf(text + len, sizeof(text) - len, "]\nb: [");
        for (int i = 0; i < VALUES / 100; i++)
            len += (size_t)snprintf(text + len, sizeof(text) - len, "*a,");
        len += (size_t)snprintf(text + len, sizeof(text) - len, "]\n");
    }
    berth_error error;
    berth__arena arena;
    uint32_t documents = 0;
    berth__arena_init(&arena, berth__allocator_default());
    const berth_str all = {text, (uint32_t)len};
    assert_int_equal(berth__yaml_parse(&arena, all, count_documents, &documents, &error),
                     BERTH_E_PARSE);
    berth__arena_destroy(&arena);
    assert_string_equal(error.message, "aliases expand to more than a million values");
    assert_int_equal(documents, 100);
    assert_int_equal(error.line, 101 * 3);
}

static void test_merge_bomb(void **state)
{
    (void)state;
    char text[4096];
    int len = snprintf(text, sizeof(text), "a0: &a0 {p: 1, q: 2}\n");
    for (int i = 1; i < 24; i++)
        len += snprintf(text + len, sizeof(text) - (size_t)len,
                        "a%d: &a%d {<<: [*a%d, *a%d, *a%d]}\n", i, i, i - 1, i - 1, i - 1);
    berth_error error;
    assert_int_equal(parse((berth_str){text, (uint32_t)len}, &error), BERTH_E_PARSE);
    assert_string_equal(error.message, "aliases expand to more than a million values");
}

/* Members that a mapping merges count once, where their alias stands: m weighs 22, for itself, a
 * key, its alias, and the 19 of b. */
static void test_merged_members_count_once(void **state)
{
    enum { FITS = (1000000 - 19) / 22 };
    (void)state;
    static char text[4 * FITS + 200];
    for (int more = 0; more < 2; more++) {
        int len = snprintf(text, sizeof(text),
                           "b: &b {k1: 1, k2: 1, k3: 1, k4: 1, k5: 1, k6: 1, k7: 1,"
                           " k8: 1, k9: 1}\nm: &m {<<: *b}\nall: [");
        for (int i = 0; i < FITS + more; i++)
            len += snprintf(text + len, sizeof(text) - (size_t)len, "*m,");
        len += snprintf(text + len, sizeof(text) - (size_t)len, "]\n");
        berth_error error = {.code = BERTH_OK};
        berth__arena arena;
        uint32_t documents = 0;
        berth__arena_init(&arena, berth__allocator_default());
        assert_int_equal(berth__yaml_parse(&arena, (berth_str){text, (uint32_t)len},
                                           count_documents, &documents, &error),
                         more ? BERTH_E_PARSE : BERTH_OK);
        berth__arena_destroy(&arena);
        assert_string_equal(error.message,
                            more ? "aliases expand to more than a million values" : "");
    }
}

static berth_status take_line(void *context, const berth__json *root, uint32_t line,
                              berth_error *error)
{
    (void)error;
    uint32_t *lines = context;
    lines[0] = line;
    lines[1] = root->as.members[0].value.line;
    return BERTH_OK;
}

/* Values keep 24 bits of their line; later lines count as the last of these. */
static void test_many_lines(void **state)
{
    enum { LAST = (1 << 24) - 1, END = 4 };
    (void)state;
    char *text = malloc(LAST + 1 + END);
    assert_non_null(text);
    for (int more = -2; more < 2; more++) {
        uint32_t lines[2] = {0, 0};
        const uint32_t before = (uint32_t)(LAST + more);
        berth__arena arena;
        berth__arena_init(&arena, berth__allocator_default());
        memset(text, '\n', before);
        memcpy(text + before, "a: 1", END);
        text[0] = '#';
        assert_int_equal(
            berth__yaml_parse(&arena, (berth_str){text, before + END}, take_line, lines, NULL),
            BERTH_OK);
        assert_int_equal(lines[1], before < LAST ? before : LAST);
        berth__arena_destroy(&arena);
    }
    free(text);
}

static void test_depth(void **state)
{
    (void)state;
    static char text[100000];
    berth_error error;
    memset(text, '[', sizeof(text));
    assert_int_equal(parse((berth_str){text, sizeof(text)}, &error), BERTH_E_PARSE);
    assert_string_equal(error.message, "more than 1024 levels of nesting");
    assert_int_equal(error.column, 1025);
}

static void test_callback_stops(void **state)
{
    (void)state;
    got.stop_at = 2;
    assert_int_equal(parse(BERTH_STR("a\n---\nb\n---\nc\n"), NULL), BERTH_E_CONFLICT);
    got.stop_at = 0;
    assert_string_equal(got.out.text, "\"a\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepted),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_alias_bomb),
        cmocka_unit_test(test_merge_bomb),
        cmocka_unit_test(test_many_small_bombs),
        cmocka_unit_test(test_merged_members_count_once),
        cmocka_unit_test(test_many_lines),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_callback_stops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
