/* Text is escaped so that a terminal shows control characters instead of obeying them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cli/plain_text.h"

/* Checks that `len` bytes of `text` are written as `expected`, with the reported length. */
static void assert_shown(const char *text, size_t len, const char *expected)
{
    char *found = NULL;
    size_t found_len = 0;
    FILE *file = open_memstream(&found, &found_len);
    assert_non_null(file);
    plain_text_write(file, text, len);
    assert_int_equal(fclose(file), 0);
    assert_string_equal(found, expected);
    assert_int_equal(plain_text_length(text, len), strlen(expected));
    free(found);
}

static void shown(const char *text, const char *expected)
{
    assert_shown(text, strlen(text), expected);
}

static void test_text_stays(void **state)
{
    (void)state;
    shown("", "");
    shown("web-0 ~!\"'\\n", "web-0 ~!\"'\\n");
    shown("\xc2\xa0", "\xc2\xa0");
    shown("Gr\xc3\xb6\xc3\x9f"
          "e \xe2\x82\xac \xf0\x9f\x98\x80",
          "Gr\xc3\xb6\xc3\x9f"
          "e \xe2\x82\xac \xf0\x9f\x98\x80");
    shown("\xe2\x80\xa9\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa",
          "\xe2\x80\xa9\xe2\x80\xaf\xe2\x81\xa5\xe2\x81\xaa");
}

static void test_controls(void **state)
{
    (void)state;
    assert_shown("a\0b", 3, "a\\x00b");
    shown("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m");
    shown("a\nb\rc\td\x07", "a\\nb\\rc\\td\\x07");
    shown("\x1f \x7f", "\\x1f \\x7f");
    shown("\xc2\x80\xc2\x9b"
          "2J\xc2\x9f",
          "\\u0080\\u009b2J\\u009f");
    shown("\xe2\x80\xaa\xe2\x80\xae\xe2\x81\xa6\xe2\x81\xa9", "\\u202a\\u202e\\u2066\\u2069");
}

static void test_no_text(void **state)
{
    (void)state;
    shown("\x9b"
          "2J",
          "\\x9b2J");
    shown("\xc0\x9b", "\\xc0\\x9b");
    shown("\xc2", "\\xc2");
    shown("\xc2z", "\\xc2z");
    shown("\xe2\x82", "\\xe2\\x82");
    shown("\xf5\xff", "\\xf5\\xff");
    shown("\xf4\x8f\xbf\xbf \xf5\x80\x80\x80", "\xf4\x8f\xbf\xbf \\xf5\\x80\\x80\\x80");
    assert_shown("\xe2\x82\xac", 2, "\\xe2\\x82"); /* cut off: the byte behind is not read */
}

static void test_line(void **state)
{
    (void)state;
    char *found = NULL;
    size_t found_len = 0;
    FILE *file = open_memstream(&found, &found_len);
    assert_non_null(file);
    plain_text_line(file, "%d %s", 7, "a\nb");
    plain_text_line(file, "%s", "");
    assert_int_equal(fclose(file), 0);
    assert_string_equal(found, "7 a\\nb\n\n");
    free(found);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_stays),
        cmocka_unit_test(test_controls),
        cmocka_unit_test(test_no_text),
        cmocka_unit_test(test_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
