/* "Did you mean": which words are similar enough. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/suggest.h"

static const char *const words[] = {"schedule", "capacity", "drain", "run", "output", NULL};

static void expect(const char *wanted, const char *suggested)
{
    const char *found = suggest_among(wanted, words);
    if (suggested == NULL)
        assert_null(found);
    else
        assert_string_equal(found, suggested);
}

static void test_words(void **state)
{
    (void)state;
    expect("schedule", "schedule"); /* a correct word is its own best match */
    expect("shedule", "schedule");  /* a missing letter */
    expect("scheedule", "schedule");
    expect("schedulf", "schedule");
    expect("hcsedule", "schedule"); /* two swapped letters */
    expect("cpacitty", "capacity");
    expect("sched", "schedule"); /* a truncated word */
    expect("ru", "run");
    expect("ou", NULL);
    expect("x", NULL);
    expect("place", NULL);
    expect("", NULL);
}

static void test_long(void **state)
{
    (void)state;
    char long_word[500];
    suggestion s;
    memset(long_word, 'a', sizeof(long_word) - 1);
    long_word[sizeof(long_word) - 1] = '\0';
    suggestion_begin(&s, long_word);
    suggestion_offer(&s, "a");
    assert_null(suggestion_end(&s));
    suggestion_begin(&s, "a");
    suggestion_offer(&s, long_word);
    assert_null(suggestion_end(&s));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
