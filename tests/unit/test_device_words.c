/* Wide numbers as words of a key: every bit of one tells it from others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "devices/words.h"

enum { BITS = 128, WORDS = 4 };

static void test_bits(void **state)
{
    (void)state;
    berth__arena arena;
    berth__arena_init(&arena, berth__allocator_default());
    for (uint32_t bit = 0; bit < BITS; bit++) {
        berth__words words = {.arena = &arena};
        berth__words_put_wide(&words, (__int128)((unsigned __int128)1 << bit));
        assert_int_equal(words.count, WORDS);
        assert_false(words.no_memory);
        for (uint32_t i = 0; i < WORDS; i++)
            assert_int_equal(words.items[i], i == bit / 32 ? 1U << bit % 32 : 0);
    }
    berth__arena_destroy(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
