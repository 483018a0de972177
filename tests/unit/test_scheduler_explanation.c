/* A scheduler that explains failed attempts: what it reports, and that its decisions are those of
 * one that does not explain. */
#include "scheduler_cluster.h"

static void explained(loop *l)
{
    berth_scheduler_options options;
    berth_error error;
    berth_scheduler_destroy(l->scheduler);
    berth_scheduler_options_init(&options);
    options.callbacks =
        (berth_scheduler_callbacks){l, loop_bind, loop_unbind, loop_evict, loop_report, NULL};
    options.explanation = l->c.explanation;
    small_require(berth_scheduler_create(l->c.engine, &options, &l->scheduler, &error), &error);
}

static void assert_message(loop *l, const char *expected)
{
    berth_str message = berth_explanation_message(l->c.explanation);
    char text[512];
    snprintf(text, sizeof(text), "%.*s", (int)message.len, message.data);
    assert_string_equal(text, expected);
}

static void test_message(void **state)
{
    loop *l = *state;
    explained(l);
    loop_node(l, "a", "1");
    loop_node(l, "b", "2");
    loop_pod(l, "huge", "3", "");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_message(
        l, "0/2 nodes are available: 2 Insufficient cpu. "
           "preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.");
    /* A successful attempt has no message and does not pay for an explanation. */
    loop_pod(l, "small", "1", "");
    assert_int_equal(loop_step(l), BERTH_STEP_BOUND);
    assert_int_not_equal(berth_explanation_message(l->c.explanation).len, 0);
}

/* The explanation describes the state before the victims are evicted. */
static void test_message_of_a_preemption(void **state)
{
    loop *l = *state;
    explained(l);
    loop_node(l, "a", "2");
    loop_add(l, loop_pod_text("low", "2", "", ", nodeName: a"));
    loop_pod(l, "high", "2", ", priority: 10");
    assert_int_equal(loop_step(l), BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(l->evictions, 1);
    assert_int_equal(berth_explanation_nominated(l->c.explanation), l->step.nominated);
    assert_int_equal(berth_explanation_victim_count(l->c.explanation), 1);
}

/* Pods of several sizes and priorities fill the nodes, twice. */
static void play(loop *l, uint64_t *trail)
{
    char name[32], cpu[16], spec[64];
    uint64_t random = 77;
    for (int i = 0; i < 12; i++) {
        snprintf(name, sizeof(name), "n%d", i);
        loop_node(l, name, i % 3 == 0 ? "2" : "3");
    }
    for (int i = 0; i < 120; i++) {
        random = random * 6364136223846793005U + 1442695040888963407U;
        snprintf(name, sizeof(name), "p%d", i);
        snprintf(cpu, sizeof(cpu), "%um", (unsigned)(random >> 40) % 1500 + 100);
        snprintf(spec, sizeof(spec), ", priority: %u", (unsigned)(random >> 60));
        loop_pod(l, name, cpu, spec);
        while (loop_step(l) != BERTH_STEP_IDLE)
            *trail = (*trail ^ l->step.pod ^ (uint64_t)l->step.placement.node << 20 ^
                      (uint64_t)l->step.nominated << 40 ^ l->step.kind) *
                     0x100000001b3U;
        l->now_ms += 700;
    }
}

static void test_same_decisions(void **state)
{
    static loop plain, told;
    uint64_t trails[2] = {1, 1};
    (void)state;
    loop_open(&plain, berth_profile_default(), 1, 0);
    loop_open(&told, berth_profile_default(), 1, 0);
    explained(&told);
    play(&plain, &trails[0]);
    play(&told, &trails[1]);
    assert_true(loop_count(&plain).evictions > 5);
    assert_true(loop_count(&plain).unplaced > 20);
    assert_int_equal(trails[0], trails[1]);
    assert_int_equal(berth_engine_digest(plain.c.engine), berth_engine_digest(told.c.engine));
    loop_close(&plain);
    loop_close(&told);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_message, loop_set_up, loop_tear_down),
        cmocka_unit_test_setup_teardown(test_message_of_a_preemption, loop_set_up, loop_tear_down),
        cmocka_unit_test(test_same_decisions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
