/* JSON put together from parts: the same text as jansson's, for any strings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "live/writes/json_text.h"
#include "live/writes/write_json.h"

static void check(berth_str value)
{
    json_text text = {0};
    json_text_pair(&text, "{\"key\":", value);
    json_text_part(&text, "}");
    char *wanted = write_json_text(json_pack("{so}", "key", write_json_str(value)));
    assert_string_equal(text.data, wanted);
    assert_int_equal(text.len, strlen(text.data));
    free(wanted);
    free(text.data);
}

static void test_chosen(void **state)
{
    (void)state;
    static const char *const texts[] = {"",           "a",           "a b",
                                        "say \"no\"", "back\\slash", "line\n",
                                        "tab\there",  "\x1f\x7f",    "\xc3\xa9t\xc3\xa9",
                                        "\xff\xfe",   "a/b",         "<&>"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        check(write_str(texts[i]));
    check((berth_str){0});
    check((berth_str){"a\0b", 3});
}

/* Replay: BERTH_TEST_SEED=S. */
static void test_random(void **state)
{
    (void)state;
    const char *env = getenv("BERTH_TEST_SEED");
    uint64_t seed = env != NULL ? strtoull(env, NULL, 0) : 1;
    printf("seed %llu\n", (unsigned long long)seed);
    for (int i = 0; i < 20000; i++) {
        char bytes[24];
        uint32_t length = 0;
        for (uint32_t wanted = (uint32_t)(seed >> 33) % sizeof(bytes); length < wanted; length++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407U;
            bytes[length] = (char)(seed >> 40 & (i % 2 == 0 ? 0x7f : 0xff));
        }
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407U;
        check((berth_str){bytes, length});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chosen),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
