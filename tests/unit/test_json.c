/* JSON text to a tree: values, escapes, refused texts with their places; the finder of errors
 * compared with the parser; the bracket scan compared with a plain walk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "text/bracket_scan.h"
#include "text/json.h"
#include "text/json_fault.h"
#include "tree_text.h"

static berth__json_parser *parser;
static berth__arena arena;

static int set_up(void **state)
{
    (void)state;
    berth__arena_init(&arena, berth__allocator_default());
    return berth__json_parser_create(berth__allocator_default(), &parser) != BERTH_OK;
}

static int tear_down(void **state)
{
    (void)state;
    berth__json_parser_destroy(parser);
    berth__json_parser_destroy(NULL);
    berth__arena_destroy(&arena);
    return 0;
}

/* Puts the text into a heap block of its exact size, so that a sanitizer notices a read beyond
 * it. */
static berth_status parse(berth_str text, const berth__json **out, berth_error *error)
{
    char *exact = malloc(text.len > 0 ? text.len : 1);
    assert_non_null(exact);
    if (text.len > 0)
        memcpy(exact, text.data, text.len);
    berth__arena_reset(&arena);
    berth_status status =
        berth__json_parse(parser, &arena, (berth_str){exact, text.len}, out, error);
    free(exact); /* the tree must not need it: it lives in the arena */
    return status;
}

typedef struct tree_case {
    const char *text;
    const char *tree;
} tree_case;

static const tree_case accepted[] = {
    {"{}", "{}"},
    {"[]", "[]"},
    {" \t\r\n[ ] ", "[]"},
    {"null", "null"},
    {"true", "true"},
    {" false ", "false"},
    {"\"x\"", "\"x\""},
    {"\"x\"  ", "\"x\""},
    {"-0.50e+10", "-0.50e+10"},
    {"12345678901234567890123456789", "12345678901234567890123456789"},
    {"[0.1,0.10,1E5]", "[0.1,0.10,1E5]"},
    {"{\"a\":{\"b\":[1,{\"c\":null}]},\"d\":\"\"}", "{\"a\":{\"b\":[1,{\"c\":null}]},\"d\":\"\"}"},
    {"{\"a\":1,\"a\":2}", "{\"a\":1,\"a\":2}"},
    {"{\"\\u0061\\\"\":1}", "{\"a\\u0022\":1}"},
    {"{\"a\\\\\":1}", "{\"a\\u005c\":1}"},
    {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\u0022\\u005c/\\u0008\\u000c\\u000a\\u000d\\u0009\""},
    {"\"\\u00e9\\u20ac\\ud83d\\ude00\"", "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""},
    {"\"\\ud800\"", "\"\xef\xbf\xbd\""},
    {"\"\\ue000\"", "\"\xee\x80\x80\""},
    {"\"\\ud800abcdef\"", "\"\xef\xbf\xbd"
                          "abcdef\""},
    {"\"\\ud800\\nabcd\"", "\"\xef\xbf\xbd\\u000aabcd\""},
    {"\"\\ud800\\ue000\"", "\"\xef\xbf\xbd\xee\x80\x80\""},
    {"\"\\udbff\\udfff\"", "\"\xf4\x8f\xbf\xbf\""},
    {"\"\\ud800\\u0041\"", "\"\xef\xbf\xbd"
                           "A\""},
    {"\"\\udc00x\"", "\"\xef\xbf\xbdx\""},
    {"\"\\u0000\"", "\"\\u0000\""},
    {"\"\xc3\xa9\"", "\"\xc3\xa9\""},
    {"[\"a\",\"b\\n\",true,false,null]", "[\"a\",\"b\\u000a\",true,false,null]"},
};

static void test_accepted(void **state)
{
    (void)state;
    static tree_text out;
    for (size_t i = 0; i < sizeof(accepted) / sizeof(accepted[0]); i++) {
        const berth__json *tree;
        berth_error error;
        if (parse(berth__text_of(accepted[i].text), &tree, &error) != BERTH_OK)
            fail_msg("%s: %s", accepted[i].text, error.message);
        out.len = 0;
        tree_write(&out, tree);
        assert_string_equal(out.text, accepted[i].tree);
    }
}

typedef struct fault_case {
    const char *text;
    uint32_t line;
    uint32_t column;
    const char *message;
} fault_case;

static const fault_case refused[] = {
    {"", 1, 1, "found the end of the text, expected a value"},
    {"  \n ", 2, 2, "found the end of the text, expected a value"},
    {"{", 1, 2, "found the end of the text, expected a string in double quotes"},
    {"[1,]", 1, 4, "found ']', expected a value"},
    {"{\"a\":}", 1, 6, "found '}', expected a value"},
    {"{\"a\" 1}", 1, 6, "found '1', expected ':' behind a key"},
    {"{\"a\":\"b\":1}", 1, 9, "found ':', expected ',' or '}'"},
    {"{\"x\":{\"a\":\"b\":1},\"c\":2}}", 1, 14, "found ':', expected ',' or '}'"},
    {"{\"a\":1,}", 1, 8, "found '}', expected a string in double quotes"},
    {"{1:2}", 1, 2, "found '1', expected a string in double quotes"},
    {"[1 2]", 1, 4, "found '2', expected ',' or ']'"},
    {"[1}", 1, 3, "found '}', expected ',' or ']'"},
    {"[01]", 1, 3, "found '1', expected ',' or ']'"},
    {"[1.]", 1, 4, "found ']', expected a digit"},
    {"[.5]", 1, 2, "found '.', expected a value"},
    {"[+1]", 1, 2, "found '+', expected a value"},
    {"[-]", 1, 3, "found ']', expected a digit"},
    {"[1e]", 1, 4, "found ']', expected a digit"},
    {"[1e-]", 1, 5, "found ']', expected a digit"},
    {"[nul]", 1, 2, "found 'n', expected a value"},
    {"[truex]", 1, 6, "found 'x', expected ',' or ']'"},
    {"{}{}", 1, 3, "found '{', expected nothing behind the value"},
    {"\"s\" 1", 1, 5, "found '1', expected nothing behind the value"},
    {"[\"a\"x]", 1, 5, "found 'x', expected ',' or ']'"},
    {"[1\"a\"]", 1, 3, "found '\"', expected ',' or ']'"},
    {"[\"a", 1, 4, "found the end of the text, expected a closing quote"},
    {"[\"a\\", 1, 5,
     "found the end of the text, expected one of \" \\ / b f n r t u behind a backslash"},
    {"[\"\\x\"]", 1, 4, "found 'x', expected one of \" \\ / b f n r t u behind a backslash"},
    {"[\"\\u00G0\"]", 1, 7, "found 'G', expected four hexadecimal digits behind \\u"},
    {"[\"\\ud8\"]", 1, 7, "found '\"', expected four hexadecimal digits behind \\u"},
    {"[\"\xff\"]", 1, 3, "found byte 0xff, expected valid UTF-8"},
    {"[\"\xc0\x80\"]", 1, 3, "found byte 0xc0, expected valid UTF-8"},
    {"[\"\xed\xa0\x80\"]", 1, 3, "found byte 0xed, expected valid UTF-8"},
    /* longer than need be, and beyond the last character; the first and the last ones are valid */
    {"[\"\xe0\xa0\x80\xe0\x9f\xbf\"]", 1, 6, "found byte 0xe0, expected valid UTF-8"},
    {"[\"\xf0\x90\x80\x80\xf0\x8f\xbf\xbf\"]", 1, 7, "found byte 0xf0, expected valid UTF-8"},
    {"[\"\xed\x9f\xbf\xed\xbf\xbf\"]", 1, 6, "found byte 0xed, expected valid UTF-8"},
    {"[\"\xf4\x8f\xbf\xbf\xf4\x90\x80\x80\"]", 1, 7, "found byte 0xf4, expected valid UTF-8"},
    {"[\"\\u00Fg\"]", 1, 8, "found 'g', expected four hexadecimal digits behind \\u"},
    {"[\"\t\"]", 1, 3,
     "found byte 0x09, expected an escape instead of a bare control character in a string"},
    {"\n\n [1,\n  }", 4, 3, "found '}', expected a value"},
    {"\xef\xbb\xbf{}", 1, 1, "found byte 0xef, expected a value"},
};

static void test_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        const berth__json *tree;
        berth_error error;
        assert_int_equal(parse(berth__text_of(refused[i].text), &tree, &error), BERTH_E_PARSE);
        assert_string_equal(error.message, refused[i].message);
        assert_int_equal(error.line, refused[i].line);
        assert_int_equal(error.column, refused[i].column);
    }
    assert_int_equal(parse(BERTH_STR("[1\0]"), &(const berth__json *){NULL}, NULL), BERTH_E_PARSE);
}

static void test_depth(void **state)
{
    (void)state;
    static char text[4096];
    static tree_text out;
    const berth__json *tree;
    berth_error error;
    memset(text, '[', 1024);
    memset(text + 1024, ']', 1024);
    assert_int_equal(parse((berth_str){text, 2048}, &tree, &error), BERTH_OK);
    tree_write(&out, tree);
    assert_int_equal(out.len, 2048);
    memset(text, '[', 1025);
    memset(text + 1025, ']', 1025);
    assert_int_equal(parse((berth_str){text, 2050}, &tree, &error), BERTH_E_PARSE);
    assert_string_equal(error.message, "found '[', expected at most 1024 levels of nesting");
    assert_int_equal(error.offset, 1024);
}

static void test_get(void **state)
{
    (void)state;
    const berth__json *tree;
    assert_int_equal(parse(BERTH_STR("{\"a\":1,\"b\":null,\"a\":\"last\",\"ab\":3}"), &tree, NULL),
                     BERTH_OK);
    assert_int_equal(berth__json_get(tree, "a")->type, BERTH__JSON_STRING);
    assert_null(berth__json_get(tree, "b"));
    assert_null(berth__json_get(tree, "c"));
    assert_null(berth__json_get(NULL, "a"));
    assert_null(berth__json_get(berth__json_get(tree, "a"), "a"));
}

/* ---- properties ---- */

static uint64_t random_state = 1;

static uint32_t below(uint32_t bound)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((random_state >> 33) % bound);
}

/* Makes texts similar to JSON: pieces of JSON in random order, or a valid text with a few changed
 * bytes. */
static uint32_t make_text(char *out, uint32_t size)
{
    static const char *const pieces[] = {
        "{",        "}",  "[",      "]",       ",",     ":",          "\"a\"",
        "\"b\\n\"", "1",  "-2.5e3", "true",    "null",  " ",          "\n",
        "\"\\\\\"", "\\", "\"",     "{\"a\":", "[1,2]", "{\"k\":{}}", "\"\xc3\xa9\"",
        "\xc3",
    };
    uint32_t len = 0;
    uint32_t count = 1 + below(12);
    for (uint32_t i = 0; i < count; i++) {
        const char *piece = pieces[below(sizeof(pieces) / sizeof(pieces[0]))];
        uint32_t piece_len = (uint32_t)strlen(piece);
        if (len + piece_len > size)
            break;
        memcpy(out + len, piece, piece_len);
        len += piece_len;
    }
    if (len > 0 && below(4) == 0)
        out[below(len)] = (char)below(256);
    return len;
}

/* The parser and the finder of errors are two readers of the same grammar. */
static void test_fault_agrees(void **state)
{
    (void)state;
    char text[256];
    uint32_t accepted_count = 0;
    for (int i = 0; i < 200000; i++) {
        const berth__json *tree;
        berth_error error;
        berth_str made = {text, make_text(text, sizeof(text))};
        berth_status status = parse(made, &tree, NULL);
        berth__json_fault(made, &error);
        bool sound = strstr(error.message, "expected JSON") != NULL;
        if (sound != (status == BERTH_OK))
            fail_msg("%.*s: status %d, but %s", (int)made.len, text, (int)status, error.message);
        accepted_count += status == BERTH_OK;
    }
    assert_true(accepted_count > 1000);
}

/* The end of the value at the start of the text, by a plain walk; 0: it has no end. */
static size_t plain_end(const char *text, size_t len)
{
    int depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        if (c == '\\') {
            i++;
            continue;
        }
        if (c == '"')
            in_string = !in_string;
        else if (!in_string && (c == '{' || c == '['))
            depth++;
        else if (!in_string && (c == '}' || c == ']') && depth > 0)
            depth--;
        else
            continue;
        if (depth == 0 && !in_string)
            return i + 1;
    }
    return 0;
}

static void test_bracket_scan(void **state)
{
    (void)state;
    static const char symbols[] = "{}[]\"\\\\\"\"{[ax ,:";
    char text[512];
    for (int run = 0; run < 100000; run++) {
        size_t len = 1 + below(sizeof(text) - 1);
        text[0] = below(2) ? '{' : '"';
        for (size_t i = 1; i < len; i++)
            text[i] = below(3) == 0 ? symbols[below(sizeof(symbols) - 1)] : 'a';
        berth__bracket_scan scan = {0};
        size_t at = 0;
        while (at < len && !scan.ended) {
            size_t step = 1 + below(200);
            step = step < len - at ? step : len - at;
            at += berth__bracket_scan_run(&scan, text + at, step);
        }
        size_t expected = plain_end(text, len);
        assert_int_equal(scan.ended ? at : 0, expected);
    }
}

static void test_bracket_scan_depth(void **state)
{
    (void)state;
    static char text[4096];
    memset(text, '[', sizeof(text));
    berth__bracket_scan scan = {0};
    assert_int_equal(berth__bracket_scan_run(&scan, text, sizeof(text)), 1025);
    assert_true(scan.too_deep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepted),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_get),
        cmocka_unit_test(test_fault_agrees),
        cmocka_unit_test(test_bracket_scan),
        cmocka_unit_test(test_bracket_scan_depth),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
