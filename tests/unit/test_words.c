/* Borrowed texts: hashes of different texts differ, and a table numbers each text once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cli/words.h"

enum { TEXTS = 20000 };

static berth_str image(char *out, size_t size, uint32_t i)
{
    return (berth_str){out,
                       (uint32_t)snprintf(out, size, "registry/app-%u:1.%u", i / 100, i % 100)};
}

static int compare_hashes(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Images are told apart by their hashes alone. */
static void test_hashes_differ(void **state)
{
    (void)state;
    static uint64_t hashes[TEXTS];
    char text[64];
    for (uint32_t i = 0; i < TEXTS; i++)
        hashes[i] = words_hash(image(text, sizeof(text), i));
    assert_true(words_hash(image(text, sizeof(text), 7)) == hashes[7]);
    assert_true(words_hash(words_of("ab")) != words_hash(words_of("ba")));
    qsort(hashes, TEXTS, sizeof(hashes[0]), compare_hashes);
    for (uint32_t i = 1; i < TEXTS; i++)
        assert_true(hashes[i - 1] != hashes[i]);
}

static void test_table_numbers_each_text_once(void **state)
{
    (void)state;
    word_table table = {0};
    char text[64];
    uint32_t number = TEXTS;
    assert_false(word_table_find(&table, words_of("x"), &number));
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 0; i < TEXTS; i++)
            assert_int_equal(word_table_add(&table, image(text, sizeof(text), i)), i);
    for (uint32_t i = 0; i < TEXTS; i++) {
        const berth_str wanted = image(text, sizeof(text), i);
        assert_true(word_table_find(&table, wanted, &number));
        assert_int_equal(number, i);
        assert_true(words_equal(word_table_get(&table, i), wanted));
    }
    assert_false(word_table_find(&table, words_of("x"), &number));
    word_table_free(&table);
    assert_int_equal(table.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hashes_differ),
        cmocka_unit_test(test_table_numbers_each_text_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
