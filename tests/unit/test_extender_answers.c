/* What extenders answer: every form that kube-scheduler takes, and answers that are wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "live/extenders/extender_answers.h"

enum { NODES = 3 };

static const char *const names[NODES] = {"c", "a", "b"};

typedef struct answer {
    asked_node items[NODES];
    asked_nodes asked;
    json_t *root;
    berth_extender_verdict verdicts[NODES];
    berth_str reasons[NODES];
    int64_t scores[NODES];
    berth_error error;
} answer;

static int by_name(const void *a, const void *b)
{
    return strncmp(((const asked_node *)a)->name.data, ((const asked_node *)b)->name.data, 1);
}

static void begin(answer *a, const char *body)
{
    *a = (answer){.root = NULL};
    for (uint32_t i = 0; i < NODES; i++)
        a->items[i] = (asked_node){{names[i], 1}, i};
    qsort(a->items, NODES, sizeof(a->items[0]), by_name);
    a->asked = (asked_nodes){a->items, NODES};
    if (!answer_parse((berth_str){body, (uint32_t)strlen(body)}, &a->root, &a->error))
        assert_null(a->root);
}

static bool filter(answer *a, const char *body, bool by_names)
{
    begin(a, body);
    return answer_of_filter(a->root, &a->asked, by_names, "http://x", a->verdicts, a->reasons,
                            &a->error);
}

/* The verdicts about a, b and c: K, R, F (for good) or L (left out). */
static const char *verdicts(const answer *a)
{
    static char text[NODES + 1];
    for (uint32_t i = 0; i < NODES; i++)
        text[names[i][0] - 'a'] = "KRFL"[a->verdicts[i]];
    return text;
}

static void expect_filter(const char *body, bool by_names, const char *wanted)
{
    answer a;
    if (!filter(&a, body, by_names))
        fail_msg("%s", a.error.message);
    assert_string_equal(verdicts(&a), wanted);
    json_decref(a.root);
}

static void expect_failure(const char *body, const char *why)
{
    answer a;
    assert_false(filter(&a, body, true));
    if (strstr(a.error.message, why) == NULL)
        fail_msg("'%s' lacks '%s'", a.error.message, why);
    json_decref(a.root);
}

static void test_filter(void **state)
{
    (void)state;
    expect_filter("{\"NodeNames\":[\"a\",\"b\",\"c\"]}", true, "KKK");
    expect_filter("{\"nodenames\":[\"a\"],\"error\":\"\"}", true, "KLL");
    expect_filter("{\"NodeNames\":[\"b\"],\"FailedNodes\":{\"a\":\"x\"},"
                  "\"FailedAndUnresolvableNodes\":{\"c\":\"y\"}}",
                  true, "RKF");
    /* For good wins, and a kept node is kept. */
    expect_filter("{\"NodeNames\":[\"b\"],\"FailedNodes\":{\"a\":\"x\",\"b\":\"x\"},"
                  "\"FailedAndUnresolvableNodes\":{\"a\":\"y\",\"z\":\"y\"}}",
                  true, "FKL");
    expect_filter("{}", true, "LLL");
    expect_filter("{\"FailedNodes\":{\"a\":null}}", true, "RLL");
    expect_filter("{\"NodeNames\":null,\"Nodes\":null,\"FailedNodes\":null}", true, "LLL");
    /* Whole nodes, also where names were expected and none came. */
    expect_filter("{\"Nodes\":{\"items\":[{\"metadata\":{\"name\":\"c\"}}]}}", false, "LLK");
    expect_filter("{\"Nodes\":{\"items\":[{\"metadata\":{\"name\":\"c\"}}]}}", true, "LLK");
    expect_filter("{\"Nodes\":{\"items\":null},\"NodeNames\":[\"a\"]}", false, "LLL");
    expect_filter("{\"NodeNames\":[],\"Nodes\":{\"items\":[{\"metadata\":{\"name\":\"c\"}}]}}",
                  true, "LLL");
}

static void test_reasons(void **state)
{
    answer a;
    (void)state;
    assert_true(filter(&a, "{\"FailedNodes\":{\"c\":\"too hot\"}}", true));
    assert_int_equal(a.reasons[0].len, 7);
    assert_memory_equal(a.reasons[0].data, "too hot", 7);
    json_decref(a.root);
}

static void test_filter_fails(void **state)
{
    (void)state;
    expect_failure("{\"Error\":\"on fire\"}", "on fire");
    expect_failure("{\"NodeNames\":[\"z\"]}",
                   "extender \"http://x\" claims a filtered node \"z\" which is not found in the "
                   "input node list");
    expect_failure("{\"NodeNames\":\"a\"}", "list of nodes");
    expect_failure("{\"NodeNames\":[1]}", "list of nodes");
    expect_failure("{\"FailedNodes\":[]}", "map of nodes and reasons");
    expect_failure("{\"FailedNodes\":{\"a\":1}}", "map of nodes and reasons");
    expect_failure("[]", "an object");
    expect_failure("not json", "");
}

static bool prioritize(answer *a, const char *body)
{
    begin(a, body);
    for (uint32_t i = 0; i < NODES; i++)
        a->scores[i] = BERTH_EXTENDER_NO_SCORE;
    return answer_of_prioritize(a->root, &a->asked, a->scores, &a->error);
}

static void test_prioritize(void **state)
{
    answer a;
    (void)state;
    assert_true(prioritize(&a, "[{\"Host\":\"a\",\"Score\":3},{\"host\":\"c\",\"score\":-4},"
                               "{\"Host\":\"z\",\"Score\":9},{\"Host\":\"b\"},{\"Score\":1}] x"));
    assert_int_equal(a.scores[1], 3);
    assert_int_equal(a.scores[0], -4);
    assert_int_equal(a.scores[2], 0);
    json_decref(a.root);
    assert_true(prioritize(&a, "[{\"Host\":\"a\",\"Score\":3},{\"Host\":\"a\",\"Score\":4}]"));
    assert_int_equal(a.scores[1], 7);
    assert_true(a.scores[0] == BERTH_EXTENDER_NO_SCORE);
    json_decref(a.root);
    assert_true(prioritize(&a, "null"));
    json_decref(a.root);
    static const char *const wrong[] = {"{}", "[{\"Host\":1}]", "[{\"Host\":\"a\",\"Score\":1.5}]",
                                        "[{\"Host\":\"a\",\"Score\":\"1\"}]", "[7]"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_false(prioritize(&a, wrong[i]));
        json_decref(a.root);
    }
}

static void test_preempt(void **state)
{
    answer a;
    answered_victims *victims;
    uint32_t count;
    (void)state;
    begin(&a, "{\"nodeNameToMetaVictims\":{\"n\":{\"Pods\":[{\"UID\":\"u\"},{}],"
              "\"NumPDBViolations\":2},\"m\":{\"Pods\":null},\"k\":null}}");
    assert_true(answer_of_preempt(a.root, &victims, &count, &a.error));
    assert_int_equal(count, 3);
    assert_int_equal(victims[0].budget_violations, 2);
    assert_int_equal(json_array_size(victims[0].pods), 2);
    assert_string_equal(answered_uid(json_array_get(victims[0].pods, 0)), "u");
    assert_string_equal(answered_uid(json_array_get(victims[0].pods, 1)), "");
    assert_null(victims[1].pods);
    assert_null(victims[2].pods);
    free(victims);
    json_decref(a.root);
    begin(&a, "{}");
    assert_true(answer_of_preempt(a.root, &victims, &count, &a.error));
    assert_int_equal(count, 0);
    free(victims);
    json_decref(a.root);
    static const char *const wrong[] = {"{\"NodeNameToMetaVictims\":[]}",
                                        "{\"NodeNameToMetaVictims\":{\"n\":{\"Pods\":{}}}}"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        begin(&a, wrong[i]);
        assert_false(answer_of_preempt(a.root, &victims, &count, &a.error));
        free(victims);
        json_decref(a.root);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filter),       cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_filter_fails), cmocka_unit_test(test_prioritize),
        cmocka_unit_test(test_preempt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
