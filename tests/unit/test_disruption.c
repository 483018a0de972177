/* PodDisruptionBudgets in the engine: copies have the same version, and change independently. */
#include "one_model.h"

#include "base/text.h"
#include "counted_memory.h"
#include "model/disruption.h"
#include "rule_cluster.h"

static void add_budget(berth__disruption *disruption, const char *name)
{
    const berth_key_value label = {BERTH_STR("app"), BERTH_STR("x")};
    const berth_label_selector selector = {.match_labels = {&label, 1}};
    const berth_pod_disruption_budget budget = {
        .meta.name = berth__text_of(name), .selector = &selector, .disruptions_allowed = 1};
    const berth_object object = {.kind = BERTH_KIND_POD_DISRUPTION_BUDGET,
                                 .as.pod_disruption_budget = &budget};
    assert_int_equal(berth__disruption_add(disruption, &object, false, NULL), BERTH_OK);
}

/* Remembered results of one are valid for the other, until either changes. */
static void test_copies_have_the_version(void **state)
{
    (void)state;
    berth__disruption *first;
    assert_int_equal(berth__disruption_create(&model, &first), BERTH_OK);
    uint64_t empty = first->epoch;
    add_budget(first, "a");
    assert_true(first->epoch != empty);
    berth__disruption *second = berth__disruption_copy(first);
    assert_non_null(second);
    assert_true(second->epoch == first->epoch);
    add_budget(second, "b");
    assert_true(second->epoch != first->epoch);
    assert_int_equal(first->budgets.count, 1);
    assert_int_equal(second->budgets.count, 2);
    berth__disruption_destroy(second);
    berth__disruption_destroy(first);
}

/* A namespace may have a name of one letter. */
static void test_namespace_of_one_letter(void **state)
{
    (void)state;
    berth__disruption *disruption;
    assert_int_equal(berth__disruption_create(&model, &disruption), BERTH_OK);
    static const char *const spaces[] = {"default", "n", "nn"};
    for (uint32_t i = 0; i < 3; i++) {
        const berth_pod_disruption_budget budget = {
            .meta = {.name = BERTH_STR("a"), .namespace_name = berth__text_of(spaces[i])}};
        const berth_object object = {.kind = BERTH_KIND_POD_DISRUPTION_BUDGET,
                                     .as.pod_disruption_budget = &budget};
        assert_int_equal(berth__disruption_add(disruption, &object, false, NULL), BERTH_OK);
        assert_int_equal(disruption->budgets.count, i + 1);
        assert_int_equal(berth__disruption_add(disruption, &object, false, NULL), BERTH_E_EXISTS);
    }
    berth__disruption_destroy(disruption);
}

/* Budgets that are removed in transactions leave nothing behind, whether their selectors choose
 * some pods, all or none. */
static void test_removed_in_transactions(void **state)
{
    (void)state;
    enum { ROUNDS = 600 };
    static const char *const selectors[] = {"selector: {matchLabels: {app: x}}, ", "selector: {}, ",
                                            ""};
    counted memory = {0};
    const berth_allocator allocator = {&memory, counted_allocate, counted_release};
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.allocator = &allocator;
    small_cluster c;
    small_open_as(&c, config);
    size_t bytes = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const bool keeps = round % 4 == 0;
        small_addf(&c,
                   "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b}\n"
                   "spec: {%sminAvailable: 1}\n",
                   selectors[round % 3]);
        assert_int_equal(berth_engine_begin(c.engine, NULL), BERTH_OK);
        assert_int_equal(berth_engine_remove(c.engine, BERTH_KIND_POD_DISRUPTION_BUDGET,
                                             (berth_str)TEXT("default"), (berth_str)TEXT("b"),
                                             NULL),
                         BERTH_OK);
        assert_int_equal(keeps ? berth_engine_rollback(c.engine, NULL)
                               : berth_engine_commit(c.engine, NULL),
                         BERTH_OK);
        if (keeps)
            assert_int_equal(berth_engine_remove(c.engine, BERTH_KIND_POD_DISRUPTION_BUDGET,
                                                 (berth_str)TEXT("default"), (berth_str)TEXT("b"),
                                                 NULL),
                             BERTH_OK);
        if (round == ROUNDS / 2)
            bytes = atomic_load(&memory.bytes);
    }
    assert_int_equal(atomic_load(&memory.bytes), bytes);
    small_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_copies_have_the_version, model_set_up,
                                        model_tear_down),
        cmocka_unit_test_setup_teardown(test_namespace_of_one_letter, model_set_up,
                                        model_tear_down),
        cmocka_unit_test(test_removed_in_transactions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
