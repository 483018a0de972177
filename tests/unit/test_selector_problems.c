/* kube-scheduler's messages about unreadable selectors, by version: keys, values, operators, and
 * several errors at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "arena_pieces.h"
#include "base/memory.h"
#include "base/text.h"
#include "model/selector_problems.h"
#include "scarce_memory.h"

#define NAME_RULE                                                                               \
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " \
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "      \
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
#define PREFIX_RULE                                                                        \
    "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "  \
    "characters, '-' or '.', and must start and end with an alphanumeric character (e.g. " \
    "'example.com', regex used for validation is "                                         \
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
#define VALUE_RULE                                                                                \
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "   \
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value'," \
    "  or '12345', regex used for validation is "                                                 \
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
#define TEN "aaaaaaaaaa"
#define LONG TEN TEN TEN TEN TEN TEN "aaaa" /* 64 */
#define LONG_PREFIX LONG "." LONG "." LONG "." LONG

/* ---- questions ---- */

static const char *told(berth_str problem)
{
    static char text[8192];
    snprintf(text, sizeof(text), "%.*s", (int)problem.len, problem.len > 0 ? problem.data : "");
    return text;
}

static berth__behaviours of_version(uint32_t minor)
{
    berth__behaviours behaviours;
    assert_int_equal(berth__behaviours_make(minor, (berth_str){0}, &behaviours, NULL), BERTH_OK);
    return behaviours;
}

static const char *label_problem(uint32_t minor, const berth_label_selector *selector)
{
    berth__arena arena;
    const berth__behaviours behaviours = of_version(minor);
    bool ok = true;
    berth__arena_init(&arena, berth__allocator_default());
    const char *text = told(berth__selector_problem(&arena, &behaviours, selector, &ok));
    assert_true(ok);
    berth__arena_destroy(&arena);
    return text;
}

/* The problem of one requirement; values end with NULL. */
static const char *expression(uint32_t minor, const char *key, const char *op,
                              const char *const *values)
{
    berth_str items[4];
    uint32_t count = 0;
    while (values != NULL && values[count] != NULL) {
        items[count] = berth__text_of(values[count]);
        count++;
    }
    const berth_requirement one = {
        berth__text_of(key), berth__text_of(op), {values != NULL ? items : NULL, count}};
    return label_problem(minor, &(berth_label_selector){.match_expressions = {&one, 1}});
}

static const char *key_problem(uint32_t minor, const char *key)
{
    return expression(minor, key, "Exists", NULL);
}

static const char *preferred_problem(uint32_t minor, const berth_preferred_node_term *terms,
                                     uint32_t count)
{
    berth__arena arena;
    const berth__behaviours behaviours = of_version(minor);
    const berth_node_affinity affinity = {.preferred = terms, .preferred_count = count};
    bool ok = true;
    berth__arena_init(&arena, berth__allocator_default());
    const char *text = told(berth__preferred_terms_problem(&arena, &behaviours, &affinity, &ok));
    assert_true(ok);
    berth__arena_destroy(&arena);
    return text;
}

/* ---- keys ---- */

static void test_keys(void **state)
{
    static const struct {
        const char *key, *problem;
    } cases[] = {
        {"a", ""},
        {"a-b_c.d9", ""},
        {"example.com/Name", ""},
        {"a-1.b/x", ""},
        {"", "name part must be non-empty; name part " NAME_RULE},
        {"-a", "name part " NAME_RULE},
        {"a.", "name part " NAME_RULE},
        {"a b", "name part " NAME_RULE},
        {"/a", "prefix part must be non-empty"},
        {"Ex/a", PREFIX_RULE},
        {"-x/a", PREFIX_RULE},
        {"x-/a", PREFIX_RULE},
        {"x..y/a", PREFIX_RULE},
        {".x/a", PREFIX_RULE},
        {"x.-y/a", PREFIX_RULE},
        {"x-.y/a", PREFIX_RULE},
        {"x_y/a", PREFIX_RULE},
        {"x/", "name part must be non-empty; name part " NAME_RULE},
        {"a/b/c", "a qualified name " NAME_RULE
                  " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"},
        {LONG, "name part must be no more than 63 characters"},
        {LONG_PREFIX "/a", "prefix part must be no more than 253 characters"},
    };
    char wanted[2048];
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        snprintf(wanted, sizeof(wanted), "key: Invalid value: \"%s\": %s", cases[i].key,
                 cases[i].problem);
        assert_string_equal(key_problem(32, cases[i].key),
                            cases[i].problem[0] != '\0' ? wanted : "");
        snprintf(wanted, sizeof(wanted), "invalid label key \"%s\": %s", cases[i].key,
                 cases[i].problem);
        assert_string_equal(key_problem(15, cases[i].key),
                            cases[i].problem[0] != '\0' ? wanted : "");
    }
}

/* Since 1.35 messages name the field `key` and count bytes. */
static void test_newer_words(void **state)
{
    (void)state;
    assert_string_equal(key_problem(36, LONG), "key: Invalid value: \"" LONG
                                               "\": name part must be no more than 63 bytes");
    assert_string_equal(
        key_problem(35, "a/b/c"),
        "key: Invalid value: \"a/b/c\": a valid label key " NAME_RULE
        " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')");
}

/* ---- values ---- */

static const char *const some[] = {"v", "w", NULL}, *const none[] = {NULL};

static void test_values(void **state)
{
    static const char *const bad[] = {"-a", "ok", LONG, NULL};
    (void)state;
    assert_string_equal(expression(32, "k", "In", some), "");
    assert_string_equal(expression(32, "k", "NotIn", (const char *const[]){"", NULL}), "");
    assert_string_equal(expression(32, "k", "In", bad),
                        "[values[0][k]: Invalid value: \"-a\": " VALUE_RULE
                        ", values[2][k]: Invalid value: \"" LONG
                        "\": must be no more than 63 characters]");
    assert_string_equal(expression(15, "k", "In", bad), "invalid label value: \"-a\": " VALUE_RULE);
    assert_string_equal(
        expression(32, "k", "In", none),
        "values: Invalid value: []string(nil): for 'in', 'notin' operators, values set can't be "
        "empty");
    assert_string_equal(
        expression(36, "k", "NotIn", NULL),
        "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty");
    assert_string_equal(expression(15, "k", "In", none),
                        "for 'in', 'notin' operators, values set can't be empty");
    assert_string_equal(expression(32, "k", "Exists", some),
                        "values: Invalid value: []string{\"v\", \"w\"}: values set must be empty "
                        "for exists and does not exist");
    assert_string_equal(expression(34, "k", "DoesNotExist", some),
                        "values: Invalid value: [\"v\",\"w\"]: values set must be empty for "
                        "exists and does not exist");
    assert_string_equal(expression(15, "k", "Exists", some),
                        "values set must be empty for exists and does not exist");
}

/* The operators of node selectors are not valid in label selectors. */
static void test_operators(void **state)
{
    static const char *const unknown[] = {"", "in", "Gt", "Lt", "Equals"};
    char wanted[128];
    (void)state;
    for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
        snprintf(wanted, sizeof(wanted), "\"%s\" is not a valid label selector operator",
                 unknown[i]);
        assert_string_equal(expression(36, "k", unknown[i], some), wanted);
        snprintf(wanted, sizeof(wanted), "\"%s\" is not a valid pod selector operator", unknown[i]);
        assert_string_equal(expression(15, "k", unknown[i], some), wanted);
    }
}

/* Quotes and control characters, escaped as in Go and in JSON. */
static void test_quoted(void **state)
{
    (void)state;
    assert_string_equal(expression(32, "k", "\"\\\a\b\t\n\v\f\r\x01\x7f<\xc3\xa9", NULL),
                        "\"\\\"\\\\\\a\\b\\t\\n\\v\\f\\r\\x01\\x7f<\xc3\xa9\" is not a valid label "
                        "selector operator");
    assert_string_equal(
        expression(36, "k", "Exists", (const char *const[]){"\"\\\a\b\t\n\v\f\r<>&\x7f", NULL}) +
            strlen("["),
        "values: Invalid value: "
        "[\"\\\"\\\\\\u0007\\b\\t\\n\\u000b\\f\\r\\u003c\\u003e\\u0026\x7f\"]: values set must be "
        "empty for exists and does not exist, values[0][k]: Invalid value: "
        "\"\\\"\\\\\\a\\b\\t\\n\\v\\f\\r<>&\\x7f\": " VALUE_RULE "]");
}

/* A zero byte does not end a text. */
static void test_zero_byte(void **state)
{
    const berth_requirement one = {BERTH_STR("k"), {"a\0b", 3}, {NULL, 0}};
    const berth_label_selector selector = {.match_expressions = {&one, 1}};
    (void)state;
    assert_string_equal(label_problem(32, &selector),
                        "\"a\\x00b\" is not a valid label selector operator");
}

/* matchLabels are checked first, and the first error ends the check. */
static void test_labels(void **state)
{
    const berth_key_value labels[] = {{BERTH_STR("a"), BERTH_STR("1")},
                                      {BERTH_STR("b"), BERTH_STR("?")},
                                      {BERTH_STR("?"), BERTH_STR("1")}};
    const berth_requirement after = {BERTH_STR("k"), BERTH_STR("Nothing"), {NULL, 0}};
    const berth_label_selector selector = {.match_labels = {labels, 3},
                                           .match_expressions = {&after, 1}};
    (void)state;
    assert_string_equal(label_problem(36, &selector),
                        "values[0][b]: Invalid value: \"?\": " VALUE_RULE);
    assert_string_equal(label_problem(36, &(berth_label_selector){0}), "");
}

/* ---- preferred terms ---- */

static berth_preferred_node_term term(int32_t weight, const berth_requirement *expressions,
                                      uint32_t count, const berth_requirement *fields)
{
    return (berth_preferred_node_term){weight,
                                       {{expressions, count}, {fields, fields != NULL ? 1 : 0}}};
}

static void test_numbers(void **state)
{
    static const char *const right[] = {"0", "-1", "+7", "9223372036854775807",
                                        "-9223372036854775808"};
    static const char *const wrong[] = {"",
                                        "-",
                                        "+",
                                        "1.5",
                                        "x",
                                        "9223372036854775808",
                                        "-9223372036854775809",
                                        "99999999999999999999"};
    char wanted[256];
    (void)state;
    for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++) {
        const berth_str value = berth__text_of(right[i]);
        const berth_requirement one = {BERTH_STR("k"), BERTH_STR("Gt"), {&value, 1}};
        const berth_preferred_node_term terms[] = {term(1, &one, 1, NULL)};
        const char *problem = preferred_problem(36, terms, 1);
        /* "-1" and "+7" are integers, but not valid labels. */
        assert_null(strstr(problem, "must be an integer"));
    }
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        const berth_str value = berth__text_of(wrong[i]);
        const berth_requirement one = {BERTH_STR("k"), BERTH_STR("Lt"), {&value, 1}};
        const berth_preferred_node_term terms[] = {term(1, &one, 1, NULL)};
        snprintf(wanted, sizeof(wanted),
                 "[0].matchExpressions[0].values[0]: Invalid value: \"%s\": for 'Gt', 'Lt' "
                 "operators, the value must be an integer",
                 wrong[i]);
        assert_non_null(strstr(preferred_problem(32, terms, 1), wanted));
        assert_non_null(strstr(preferred_problem(15, terms, 1),
                               "for 'Gt', 'Lt' operators, the value must be an integer"));
    }
}

static void test_terms(void **state)
{
    const berth_str two[] = {BERTH_STR("a"), BERTH_STR("b")};
    const berth_requirement expressions[] = {
        {BERTH_STR("k"), BERTH_STR("Gt"), {two, 0}},
        {BERTH_STR("k"), BERTH_STR("Near"), {two, 1}},
        {BERTH_STR("k"), BERTH_STR("In"), {two, 2}},
    };
    const berth_requirement exists = {BERTH_STR("metadata.name"), BERTH_STR("Exists"), {NULL, 0}};
    const berth_requirement both = {BERTH_STR("metadata.name"), BERTH_STR("NotIn"), {two, 2}};
    const berth_preferred_node_term terms[] = {
        term(0, expressions, 3, &exists), /* has no weight, so it is ignored */
        term(5, expressions, 3, &exists),
        term(5, expressions, 2, &both),
    };
    (void)state;
    assert_string_equal(
        preferred_problem(32, terms, 2),
        "[[1].matchExpressions[0].values: Invalid value: []string{}: for 'Gt', 'Lt' operators, "
        "exactly one value is required, [1].matchExpressions[1].operator: Unsupported value: "
        "\"Near\": supported values: \"In\", \"NotIn\", \"Exists\", \"DoesNotExist\", \"Gt\", "
        "\"Lt\", [1].matchFields[0].operator: Unsupported value: \"Exists\": supported values: "
        "\"In\", \"NotIn\"]");
    assert_non_null(strstr(preferred_problem(36, terms, 3),
                           "[2].matchFields[0].values: Invalid value: [\"a\",\"b\"]: must have "
                           "one element]"));
    /* v1.15: only the first error, and no field. */
    assert_string_equal(preferred_problem(15, terms, 3),
                        "for 'Gt', 'Lt' operators, exactly one value is required");
    assert_string_equal(
        preferred_problem(15, &(berth_preferred_node_term){5, {{&expressions[1], 1}, {NULL, 0}}},
                          1),
        "\"Near\" is not a valid node selector operator");
    assert_string_equal(preferred_problem(32, terms, 1), "");
}

/* ---- memory ---- */

/* Problems with many errors: all of them are told, or none and `ok` says so. */
static berth_status tell_all(const berth_allocator *allocator, const void *input)
{
    const berth_str wrong[] = {BERTH_STR("-a"), BERTH_STR("-b"), BERTH_STR("-c"),
                               BERTH_STR("-d"), BERTH_STR("-e"), BERTH_STR("-f")};
    const berth_requirement expressions[] = {{BERTH_STR("-"), BERTH_STR("In"), {wrong, 6}},
                                             {BERTH_STR("k"), BERTH_STR("Near"), {NULL, 0}}};
    const berth_label_selector selector = {.match_expressions = {expressions, 1}};
    const berth_preferred_node_term terms[] = {term(5, expressions, 2, NULL)};
    const berth_node_affinity affinity = {.preferred = terms, .preferred_count = 1};
    const berth__behaviours behaviours = of_version(36);
    berth__arena arena;
    bool ok = true;
    (void)input;
    berth__arena_init(&arena, allocator);
    berth_str problem = berth__selector_problem(&arena, &behaviours, &selector, &ok);
    if (ok) {
        const char *text = told(problem);
        assert_non_null(strstr(text, "values[5]"));
        assert_int_equal(text[problem.len - 1], ']');
        problem = berth__preferred_terms_problem(&arena, &behaviours, &affinity, &ok);
    }
    if (ok)
        assert_non_null(strstr(told(problem), "operator: Unsupported value: \"Near\""));
    else
        assert_null(problem.data);
    berth__arena_destroy(&arena);
    return ok ? BERTH_OK : BERTH_E_NOMEM;
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    scarce_each_request(tell_all, NULL);
}

int main(void)
{
    arena_pieces_refuse = scarce_piece;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_keys),   cmocka_unit_test(test_newer_words),
        cmocka_unit_test(test_values), cmocka_unit_test(test_operators),
        cmocka_unit_test(test_quoted), cmocka_unit_test(test_zero_byte),
        cmocka_unit_test(test_labels), cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_terms),  cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
