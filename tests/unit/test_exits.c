/* Errors of the program: the place in a file that an error gets from where its object was read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/exits.h"

static const berth_error origin = {
    .object = "Node a", .source = "nodes.yaml", .line = 3, .column = 5, .offset = 70};

static void expect_place(const berth_error *error, const char *object)
{
    assert_string_equal(error->source, "nodes.yaml");
    assert_int_equal(error->line, 3);
    assert_int_equal(error->column, 5);
    assert_int_equal(error->offset, 70);
    assert_string_equal(error->object, object);
    assert_string_equal(error->message, "wrong");
}

/* An error that names its object keeps the name; another one gets that of the place. */
static void test_object_of_a_place(void **state)
{
    berth_error unnamed = {.message = "wrong"}, named = {.message = "wrong", .object = "shape b"};
    (void)state;
    error_place(&unnamed, &origin);
    expect_place(&unnamed, "Node a");
    error_place(&named, &origin);
    expect_place(&named, "shape b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_object_of_a_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
