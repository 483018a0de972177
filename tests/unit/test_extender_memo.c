/* Answers of extenders: each question is asked once and answered again as before, until the
 * attempt is forgotten; and memory may end at any of them. */
#include <stdio.h>
#include <string.h>

#include "arena_pieces.h"
#include "decide/extender_memo.h"
#include "scarce_memory.h"

enum { NODES = 300, VICTIMS = 40 }; /* more than one chunk of the arena holds */

/* An extender whose answers depend on how often it was asked. */
typedef struct asked {
    uint32_t filters, scores, preemptions;
    berth_status fails; /* of the next question; BERTH_OK: it is answered */
    char reason[32];    /* is overwritten by each question */
    berth_pod_id pods[VICTIMS];
    berth_extender_victims kept[VICTIMS];
} asked;

static berth_status answer_of(asked *a, const char *what, berth_error *error)
{
    const berth_status status = a->fails;
    if (status != BERTH_OK)
        snprintf(error->message, sizeof(error->message), "no %s", what);
    error->code = status;
    return status;
}

static berth_status filter(void *context, berth_pod_id pod, const berth_node_id *nodes,
                           uint32_t count, berth_extender_verdict *verdicts, berth_str *reasons,
                           berth_error *error)
{
    asked *a = context;
    (void)nodes;
    assert_int_equal(pod, 7);
    a->filters++;
    snprintf(a->reason, sizeof(a->reason), "full %u", (unsigned)a->filters);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(verdicts[i], 0);
        assert_null(reasons[i].data);
        verdicts[i] = i % 2 == 0 ? BERTH_EXTENDER_KEEPS : BERTH_EXTENDER_REFUSES;
        if (i % 2 != 0)
            reasons[i] = (berth_str){a->reason, (uint32_t)strlen(a->reason)};
    }
    return answer_of(a, "filter", error);
}

static berth_status prioritize(void *context, berth_pod_id pod, const berth_node_id *nodes,
                               uint32_t count, int64_t *scores, berth_error *error)
{
    asked *a = context;
    (void)nodes;
    assert_int_equal(pod, 7);
    a->scores++;
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(scores[i], BERTH_EXTENDER_NO_SCORE);
        if (i > 0)
            scores[i] = 100 * a->scores + i % 7;
    }
    return answer_of(a, "score", error);
}

static berth_status preempt(void *context, berth_pod_id pod,
                            const berth_extender_victims *candidates, uint32_t count,
                            const berth_extender_victims **kept, uint32_t *kept_count,
                            berth_error *error)
{
    asked *a = context;
    assert_int_equal(pod, 7);
    a->preemptions++;
    assert_true(count <= VICTIMS);
    for (uint32_t i = 0; i < count; i++) {
        a->pods[i] = 1000 * a->preemptions + i;
        a->kept[i] = candidates[i];
        a->kept[i].pods = &a->pods[i];
        a->kept[i].pod_count = 1;
    }
    *kept = a->kept;
    *kept_count = count;
    return answer_of(a, "preemption", error);
}

static berth_extender make(asked *a)
{
    *a = (asked){.fails = BERTH_OK};
    return (berth_extender){.size = sizeof(berth_extender),
                            .context = a,
                            .filter = filter,
                            .prioritize = prioritize,
                            .preempt = preempt};
}

/* ---- questions ---- */

static const berth_node_id nodes[NODES];

static berth_status ask_filter(berth__extender_memo *memo, const berth_extender *extender,
                               const char *reason)
{
    berth_extender_verdict verdicts[NODES];
    berth_str reasons[NODES];
    berth_error error = {.code = BERTH_OK};
    memset(verdicts, 0x55, sizeof(verdicts));
    memset(reasons, 0x55, sizeof(reasons));
    const berth_status status =
        berth__extender_memo_filter(memo, extender, 7, nodes, NODES, verdicts, reasons, &error);
    if (status == BERTH_E_IO)
        assert_string_equal(error.message, "no filter");
    for (uint32_t i = 0; status == BERTH_OK && i < NODES; i++) {
        assert_int_equal(verdicts[i], i % 2 == 0 ? BERTH_EXTENDER_KEEPS : BERTH_EXTENDER_REFUSES);
        assert_int_equal(reasons[i].len, i % 2 == 0 ? 0 : strlen(reason));
        assert_memory_equal(reasons[i].len > 0 ? reasons[i].data : "", reason, reasons[i].len);
    }
    return status;
}

static berth_status ask_scores(berth__extender_memo *memo, const berth_extender *extender,
                               int64_t first)
{
    int64_t scores[NODES];
    berth_error error = {.code = BERTH_OK};
    memset(scores, 0x55, sizeof(scores));
    const berth_status status =
        berth__extender_memo_prioritize(memo, extender, 7, nodes, NODES, scores, &error);
    if (status == BERTH_E_IO)
        assert_string_equal(error.message, "no score");
    for (uint32_t i = 0; status == BERTH_OK && i < NODES; i++)
        assert_int_equal(scores[i], i > 0 ? first + i % 7 : BERTH_EXTENDER_NO_SCORE);
    return status;
}

static berth_status ask_preemption(berth__extender_memo *memo, const berth_extender *extender,
                                   berth_pod_id first)
{
    berth_extender_victims candidates[VICTIMS];
    const berth_extender_victims *kept = NULL;
    uint32_t count = 77;
    berth_error error = {.code = BERTH_OK};
    for (uint32_t i = 0; i < VICTIMS; i++)
        candidates[i] = (berth_extender_victims){.node = i, .budget_violations = i % 3};
    const berth_status status =
        berth__extender_memo_preempt(memo, extender, 7, candidates, VICTIMS, &kept, &count, &error);
    if (status == BERTH_E_IO)
        assert_string_equal(error.message, "no preemption");
    assert_int_equal(count, status == BERTH_OK ? VICTIMS : status == BERTH_E_IO ? 0 : 77);
    for (uint32_t i = 0; status == BERTH_OK && i < VICTIMS; i++) {
        assert_int_equal(kept[i].node, i);
        assert_int_equal(kept[i].budget_violations, i % 3);
        assert_int_equal(kept[i].pod_count, 1);
        assert_int_equal(kept[i].pods[0], first + i);
    }
    return status;
}

/* Answers of an attempt, with the same ones again. */
static berth_status ask_all(const berth_allocator *allocator, const void *input)
{
    asked a;
    const berth_extender extender = make(&a);
    berth__extender_memo memo;
    berth_status status = BERTH_OK;
    (void)input;
    berth__extender_memo_init(&memo, allocator);
    for (int round = 0; round < 2 && status == BERTH_OK; round++) {
        status = ask_filter(&memo, &extender, "full 1");
        if (status == BERTH_OK)
            status = ask_filter(&memo, &extender, "full 2");
        if (status == BERTH_OK)
            status = ask_scores(&memo, &extender, 100);
        if (status == BERTH_OK)
            status = ask_preemption(&memo, &extender, 1000);
        berth__extender_memo_rewind(&memo);
    }
    if (status == BERTH_OK) {
        assert_int_equal(a.filters, 2);
        assert_int_equal(a.scores, 1);
        assert_int_equal(a.preemptions, 1);
    }
    berth__extender_memo_destroy(&memo);
    return status;
}

static void test_repeated(void **state)
{
    (void)state;
    assert_int_equal(ask_all(berth__allocator_default(), NULL), BERTH_OK);
}

static void test_scarce(void **state)
{
    (void)state;
    scarce_each_request(ask_all, NULL);
}

/* A question that was not asked before goes to the extender, also in a repetition. */
static void test_more_questions(void **state)
{
    asked a;
    const berth_extender extender = make(&a);
    berth__extender_memo memo;
    (void)state;
    berth__extender_memo_init(&memo, berth__allocator_default());
    assert_int_equal(ask_filter(&memo, &extender, "full 1"), BERTH_OK);
    assert_int_equal(ask_preemption(&memo, &extender, 1000), BERTH_OK);
    /* Preemption again: only its own answers begin anew. */
    berth__extender_memo_rewind_preemption(&memo);
    assert_int_equal(ask_preemption(&memo, &extender, 1000), BERTH_OK);
    assert_int_equal(ask_preemption(&memo, &extender, 2000), BERTH_OK);
    assert_int_equal(ask_filter(&memo, &extender, "full 2"), BERTH_OK);
    berth__extender_memo_rewind(&memo);
    assert_int_equal(ask_filter(&memo, &extender, "full 1"), BERTH_OK);
    assert_int_equal(ask_filter(&memo, &extender, "full 2"), BERTH_OK);
    assert_int_equal(ask_scores(&memo, &extender, 100), BERTH_OK);
    assert_int_equal(ask_preemption(&memo, &extender, 1000), BERTH_OK);
    assert_int_equal(ask_preemption(&memo, &extender, 2000), BERTH_OK);
    assert_int_equal(a.filters, 2);
    assert_int_equal(a.preemptions, 2);
    /* Another attempt: everything is asked again. */
    berth__extender_memo_forget(&memo);
    assert_int_equal(ask_filter(&memo, &extender, "full 3"), BERTH_OK);
    assert_int_equal(ask_scores(&memo, &extender, 200), BERTH_OK);
    assert_int_equal(ask_preemption(&memo, &extender, 3000), BERTH_OK);
    berth__extender_memo_destroy(&memo);
}

/* A failure is repeated with its message. */
static void test_failures(void **state)
{
    asked a;
    const berth_extender extender = make(&a);
    berth__extender_memo memo;
    (void)state;
    berth__extender_memo_init(&memo, berth__allocator_default());
    a.fails = BERTH_E_IO;
    for (int round = 0; round < 2; round++) {
        assert_int_equal(ask_filter(&memo, &extender, ""), BERTH_E_IO);
        assert_int_equal(ask_scores(&memo, &extender, 0), BERTH_E_IO);
        assert_int_equal(ask_preemption(&memo, &extender, 0), BERTH_E_IO);
        berth__extender_memo_rewind(&memo);
        a.fails = BERTH_OK; /* it would answer now, but is not asked */
    }
    assert_int_equal(a.filters, 1);
    assert_int_equal(a.scores, 1);
    assert_int_equal(a.preemptions, 1);
    berth__extender_memo_destroy(&memo);
}

int main(void)
{
    arena_pieces_refuse = scarce_piece;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_scarce),
        cmocka_unit_test(test_more_questions),
        cmocka_unit_test(test_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
