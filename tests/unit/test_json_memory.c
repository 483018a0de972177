/* The JSON parser allocates C++ heap memory when it is created, and never later: simdjson's
 * functions may not throw, so an allocation in them that fails ends the process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/text.h"
#include "text/json.h"

static unsigned allocations;

/* C++'s operators new and delete by their names in the ABI; these serve the libraries as well.
 * Those that return NULL instead of throwing are not counted. */
void *_Znwm(size_t bytes);
void *_ZnwmRKSt9nothrow_t(size_t bytes, const void *tag);
void *_ZnamRKSt9nothrow_t(size_t bytes, const void *tag);
void _ZdlPv(void *memory);
void _ZdlPvm(void *memory, size_t bytes);
void _ZdaPv(void *memory);

void *_Znwm(size_t bytes)
{
    allocations++;
    void *memory = malloc(bytes > 0 ? bytes : 1);
    if (memory == NULL)
        abort();
    return memory;
}

void *_ZnwmRKSt9nothrow_t(size_t bytes, const void *tag)
{
    (void)tag;
    return malloc(bytes > 0 ? bytes : 1);
}

void *_ZnamRKSt9nothrow_t(size_t bytes, const void *tag)
{
    return _ZnwmRKSt9nothrow_t(bytes, tag);
}

void _ZdaPv(void *memory)
{
    free(memory);
}

void _ZdlPv(void *memory)
{
    free(memory);
}

void _ZdlPvm(void *memory, size_t bytes)
{
    (void)bytes;
    free(memory);
}

static void test_nothing_at_the_first_text(void **state)
{
    (void)state;
    berth__json_parser *parser;
    berth__arena arena;
    const berth__json *tree;
    berth__arena_init(&arena, berth__allocator_default());
    assert_int_equal(berth__json_parser_create(berth__allocator_default(), &parser), BERTH_OK);
    assert_true(allocations > 0); /* the function above is the one in use */
    allocations = 0;
    assert_int_equal(berth__json_parse(parser, &arena, BERTH_STR("{\"a\": [1]}"), &tree, NULL),
                     BERTH_OK);
    assert_int_equal(allocations, 0);
    berth__json_parser_destroy(parser);
    berth__arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_at_the_first_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
