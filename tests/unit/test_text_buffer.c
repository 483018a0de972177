/* Texts that grow: the empty one, pieces of any length, and names of objects. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "assert_text.h"
#include "cli/text_buffer.h"

/* A text without a byte is "", never NULL. */
static void the_empty_text(void **state)
{
    (void)state;
    text_buffer t = {0};
    assert_non_null(text_str(&t).data);
    assert_int_equal(text_str(&t).len, 0);
    text_add_str(&t, (berth_str){0});
    assert_non_null(text_str(&t).data);
    text_add(&t, "a%d", 1);
    text_clear(&t);
    assert_text(text_str(&t), "");
    text_free(&t);
    assert_non_null(text_str(&t).data);
}

static void pieces_of_any_length(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    text_buffer t = {0};
    for (int i = 0; i < COUNT; i++)
        text_add(&t, "%04d ", i);
    text_add_str(&t, (berth_str){"end", 3});
    assert_int_equal(text_str(&t).len, 5 * COUNT + 3);
    assert_int_equal(strlen(t.text), t.len);
    assert_memory_equal(t.text, "0000 0001 ", 10);
    assert_string_equal(t.text + 5 * (size_t)(COUNT - 1), "2999 end");
    text_free(&t);
}

static void names_of_objects(void **state)
{
    (void)state;
    text_buffer t = {0};
    const berth_str none = {0}, web = {"web", 3};
    assert_text(text_name(&t, (berth_str){"Pod", 3}, none, web), "Pod default/web");
    assert_text(text_name(&t, none, (berth_str){"shop", 4}, web), "shop/web");
    text_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_empty_text),
        cmocka_unit_test(pieces_of_any_length),
        cmocka_unit_test(names_of_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
