/* Which pods of a cluster's input are new, and which are skipped: found by id, whatever their
 * order was. */
#include "rule_cluster.h"

#include "loading/cluster_input.h"
#include "loading/planned.h"

/* Every id of the list is found, and none beside one. */
static void fresh_pods(void **state)
{
    static berth_pod_id ids[] = {3, 5, 9, 200, 70000, UINT32_C(0x80000001), UINT32_C(0xfffffff0)};
    const size_t count = sizeof(ids) / sizeof(ids[0]);
    (void)state;
    for (size_t first = 0; first <= count; first++) {
        const cluster_input input = {.fresh = ids, .fresh_count = first};
        for (size_t i = 0; i < count; i++) {
            assert_int_equal(cluster_input_is_fresh(&input, ids[i]), i < first);
            assert_false(cluster_input_is_fresh(&input, ids[i] - 1));
            assert_false(cluster_input_is_fresh(&input, ids[i] + 1));
        }
    }
}

/* They are sorted once all is admitted. */
static void skipped_pods(void **state)
{
    static const berth_pod_id orders[][4] = {
        {1, 2, 3, 4}, {4, 3, 2, 1}, {3, 1, 4, 2}, {2, 4, 1, 3}};
    small_cluster c;
    (void)state;
    small_open(&c, NULL);
    for (size_t order = 0; order < 4; order++)
        for (size_t count = 0; count <= 4; count++) {
            cluster_skip skips[4];
            for (size_t i = 0; i < count; i++)
                skips[i] = (cluster_skip){.pod = orders[order][i] * 10,
                                          .reason = (uint32_t)orders[order][i]};
            cluster_input input = {.skips = skips, .skip_count = count};
            cluster_input_admit(&input, c.engine);
            for (size_t i = 0; i < 4; i++) {
                const berth_pod_id pod = orders[order][i] * 10;
                const cluster_skip *found = cluster_input_skipped(&input, pod);
                assert_int_equal(found != NULL, i < count);
                if (found != NULL)
                    assert_int_equal(found->reason, orders[order][i]);
                assert_null(cluster_input_skipped(&input, pod + 5));
            }
        }
    small_close(&c);
}

/* The ordinal of a StatefulSet's pod is the number behind the last dash. */
static void ordinals(void **state)
{
    static const struct {
        berth_str name;
        int64_t wanted;
    } cases[] = {
        {BERTH_STR("web-0"), 0},   {BERTH_STR("web-10"), 10}, {BERTH_STR("web-3-7"), 7},
        {BERTH_STR("web-"), -1},   {BERTH_STR("web"), -1},    {BERTH_STR("web7"), -1},
        {BERTH_STR("7"), -1},      {BERTH_STR("-7"), 7},      {BERTH_STR(""), -1},
        {BERTH_STR("web-7a"), -1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_true(planned_ordinal(cases[i].name) == cases[i].wanted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fresh_pods), cmocka_unit_test(skipped_pods),
                                       cmocka_unit_test(ordinals)};
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
