/* Grouping of failure messages by their reasons. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "assert_text.h"
#include "replay/replay_reasons.h"

static void assert_group(const replay_reasons *reasons, uint32_t group, const char *name,
                         uint64_t pods)
{
    assert_text(word_table_get(&reasons->names, group), name);
    assert_int_equal(reasons->groups[group].pods, pods);
}

static void test_groups(void **state)
{
    (void)state;
    replay_reasons reasons = {0};
    static const char first[] =
        "0/5 nodes are available: 2 Insufficient memory, 3 Insufficient cpu. "
        "preemption: 0/5 nodes are available: 5 No preemption victims found "
        "for incoming pod.";
    replay_reasons_add(&reasons, words_of("held"));
    replay_reasons_add(&reasons, words_of(first));
    replay_reasons_add(&reasons, words_of("0/7 nodes are available: 1 Insufficient cpu, 6 "
                                          "Insufficient memory."));
    replay_reasons_add(&reasons,
                       words_of("0/7 nodes are available: 1 Insufficient cpu, 6 Insufficient "
                                "memory. no new claims to deallocate, preemption: 0/7 nodes are "
                                "available: 7 Preemption is not helpful for scheduling."));
    replay_reasons_add(&reasons, words_of("0/7 nodes are available: 12 node(s) had untolerated "
                                          "taint {a: 1}, 3 Insufficient cpu."));
    replay_reasons_add(&reasons, words_of(""));
    assert_int_equal(reasons.names.count, 4);
    assert_group(&reasons, 0, "held", 1);
    assert_group(&reasons, 1, "Insufficient cpu, Insufficient memory", 3);
    assert_group(&reasons, 2, "Insufficient cpu, node(s) had untolerated taint {a: 1}", 1);
    assert_group(&reasons, 3, "", 1);
    assert_string_equal(reasons.groups[1].example, first);
    uint32_t *ranked = replay_reasons_rank(&reasons);
    static const uint32_t expected[] = {1, 0, 2, 3};
    assert_memory_equal(ranked, expected, sizeof(expected));
    free(ranked);
    replay_reasons_free(&reasons);
}

/* More reasons than can be distinguished: the rest stays as it is. */
static void test_many_reasons(void **state)
{
    (void)state;
    char message[4096] = "0/1 nodes are available: ";
    for (int i = 0; i < 100; i++)
        strcat(message, i < 99 ? "1 same, " : "1 same.");
    replay_reasons reasons = {0};
    replay_reasons_add(&reasons, words_of(message));
    assert_int_equal(reasons.names.count, 1);
    assert_int_equal(reasons.groups[0].pods, 1);
    replay_reasons_free(&reasons);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_many_reasons),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
