/* Which names are those of extended resources: "requests." before one must still be a qualified
 * name, so its parts have 244 and 63 bytes at most. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/model.h"

static bool is_extended(const char *name)
{
    return berth__resource_is_extended((berth_str){name, (uint32_t)strlen(name)});
}

static void test_names(void **state)
{
    (void)state;
    assert_true(is_extended("x.org/gpu"));
    assert_true(is_extended("requests/gpu"));
    assert_false(is_extended("gpu"));
    assert_false(is_extended("cpu"));
    assert_false(is_extended(""));
    assert_false(is_extended("/"));
    assert_false(is_extended("x.org/"));
    assert_false(is_extended("x.org/a/b"));
    assert_false(is_extended("kubernetes.io/gpu"));
    assert_false(is_extended("a.kubernetes.io/gpu"));
    assert_false(is_extended("requests.x.org/gpu"));
}

/* A domain of `domain` bytes, and `rest` bytes behind it. */
static bool is_extended_long(uint32_t domain, uint32_t rest)
{
    static char name[1024];
    memset(name, 'a', sizeof(name));
    name[domain] = '/';
    return berth__resource_is_extended((berth_str){name, domain + 1 + rest});
}

static void test_lengths(void **state)
{
    (void)state;
    assert_true(is_extended_long(244, 63));
    assert_false(is_extended_long(245, 63));
    assert_false(is_extended_long(244, 64));
    for (uint32_t domain = 245; domain < 900; domain++)
        assert_false(is_extended_long(domain, 63));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names),
                                       cmocka_unit_test(test_lengths)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
