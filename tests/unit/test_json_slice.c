/* Cutting JSON text into parts: the parts keep their text, and malformed text returns nothing
 * beyond its end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "assert_text.h"
#include "traces/json_slice.c"

static berth_str text_of(const char *text)
{
    return (berth_str){text, (uint32_t)strlen(text)};
}

static void assert_member(const char *object, const char *key, const char *expected)
{
    berth_str found = json_slice_member(text_of(object), key);
    if (expected == NULL) {
        assert_null(found.data);
        return;
    }
    assert_non_null(found.data);
    assert_text(found, expected);
}

static void test_members(void **state)
{
    (void)state;
    const char *object = " { \"a\" : 0.10 ,\"b\":{\"c\":[1,{\"a\":\"}\"}]}, "
                         "\"s\":\"x\\\"y,\", \"n\":null} ";
    assert_member(object, "a", "0.10");
    assert_member(object, "b", "{\"c\":[1,{\"a\":\"}\"}]}");
    assert_member(object, "s", "\"x\\\"y,\"");
    assert_member(object, "n", "null");
    assert_member(object, "c", NULL);
    assert_member("{}", "a", NULL);
    assert_member("[]", "a", NULL);
    assert_member("", "a", NULL);
}

static void test_elements(void **state)
{
    (void)state;
    static const char *const expected[] = {"1", "[2, 3]", "{\"a\": \"]\"}", "\"x\"", "null"};
    berth_str array = text_of("[1, [2, 3],{\"a\": \"]\"} , \"x\",null ]");
    berth_str element;
    size_t at = 0;
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        assert_true(json_slice_next(array, &at, &element));
        assert_text(element, expected[i]);
    }
    assert_false(json_slice_next(array, &at, &element));
    at = 0;
    assert_false(json_slice_next(text_of("[ ]"), &at, &element));
    assert_false(json_slice_next(text_of("{}"), &at, &element));
}

/* Every prefix of a text is cut without reading past it: each is copied to memory of its exact
 * size. */
static void test_truncated(void **state)
{
    (void)state;
    const char *whole = "{\"a\":[1,\"\\\\\",{\"b\":\"c\"}],\"d\":[[]]}";
    for (size_t len = 0; len < strlen(whole); len++) {
        char *copy = malloc(len > 0 ? len : 1);
        assert_non_null(copy);
        memcpy(copy, whole, len);
        berth_str text = {copy, (uint32_t)len};
        assert_null(json_slice_member(text, "x").data);
        berth_str list = json_slice_member(text, "a");
        berth_str element;
        size_t at = 0;
        while (list.data != NULL && json_slice_next(list, &at, &element))
            assert_true(element.data + element.len <= copy + len);
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_elements),
        cmocka_unit_test(test_truncated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
