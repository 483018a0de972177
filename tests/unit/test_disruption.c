/* PodDisruptionBudgets in the engine: copies have the same version, and change independently. */
#include "one_model.h"

#include "base/text.h"
#include "model/disruption.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_copies_have_the_version, model_set_up,
                                        model_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
