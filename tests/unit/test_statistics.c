/* Statistics of decisions (berth/statistics.h): each path and each reason to scan is counted where
 * it is taken, and a branch has its own. */
#include "branch_cluster.h"

#define CPU(n) "containers: [{name: c, image: i, resources: {requests: {cpu: '" n "'}}}]"

enum { NODES = 200 };

static berth_statistics read_all(const berth_engine *engine)
{
    berth_statistics out = {.size = sizeof(out)};
    assert_int_equal(berth_engine_statistics(engine, &out, NULL), BERTH_OK);
    return out;
}

static uint64_t scans_of(const berth_statistics *from)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof(from->scans) / sizeof(*from->scans); i++)
        sum += from->scans[i];
    return sum;
}

static berth_placement decide(berth_engine *engine, berth_pod_id pod)
{
    berth_placement placement;
    assert_int_equal(berth_engine_decide(engine, pod, NULL, &placement, NULL), BERTH_OK);
    return placement;
}

/* One decision, which scans, and why. */
static void expect_scan(small_cluster *c, berth_pod_id pod, berth_scan_reason reason)
{
    const berth_statistics before = read_all(c->engine);
    berth_placement placement = decide(c->engine, pod);
    const berth_statistics after = read_all(c->engine);
    assert_int_equal(placement.path, BERTH_PATH_SCAN);
    assert_int_equal(after.decisions, before.decisions + 1);
    assert_int_equal(after.indexed, before.indexed);
    assert_int_equal(after.scans[reason], before.scans[reason] + 1);
    assert_int_equal(scans_of(&after), scans_of(&before) + 1);
    assert_true(after.visited > before.visited);
}

static void add_nodes(small_cluster *c)
{
    for (int i = 0; i < NODES; i++) {
        char name[16], more[64];
        snprintf(name, sizeof(name), "n%d", i);
        snprintf(more, sizeof(more), ", labels: {row: r%d}", i);
        small_node(c, name, more);
    }
}

static void test_paths(void **state)
{
    small_cluster *c = *state;
    add_nodes(c);
    berth_pod_id plain = small_pod(c, "plain", NULL, "", CPU("1"));
    expect_scan(c, plain, BERTH_SCAN_NEW);
    for (int i = 0; i < 20; i++)
        (void)decide(c->engine, plain);
    berth_statistics now = read_all(c->engine);
    assert_int_equal(now.decisions, 21);
    assert_true(now.indexed > 10 && now.indexed + scans_of(&now) == 21);
    assert_int_equal(now.scans[BERTH_SCAN_NEW], scans_of(&now));
    assert_true(now.trees == 1 && now.trees_built == 1 && now.tree_bytes > NODES * 4);
    assert_true(now.placed == 21 && now.errors == 0 && now.early_stops == 21);
    assert_int_equal(now.repairs, 0);
    assert_int_equal(berth_engine_bind(c->engine, small_pod(c, "b", NULL, "", CPU("1")), 0, NULL),
                     BERTH_OK);
    assert_int_equal(decide(c->engine, plain).path, BERTH_PATH_INDEX);
    assert_int_equal(read_all(c->engine).repairs, 1);
}

static void test_reasons(void **state)
{
    small_cluster *c = *state;
    add_nodes(c);
    berth_pod_id plain = small_pod(c, "plain", NULL, "", CPU("1"));
    for (int i = 0; i < 20; i++)
        (void)decide(c->engine, plain);
    small_decide(c, plain);
    assert_int_equal(read_all(c->engine).scans[BERTH_SCAN_EXPLAINED], 1);
    berth_pod_id named =
        small_pod(c, "named", NULL, "",
                  "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                  "{nodeSelectorTerms: [{matchFields: [{key: metadata.name, operator: In, values: "
                  "[n7]}]}]}}}");
    berth_pod_id prefers = small_pod(
        c, "prefers", NULL, "",
        "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, "
        "preference: {matchExpressions: [{key: row, operator: In, values: [r1]}]}}]}}");
    berth_pod_id rows = small_pod(c, "rows", NULL, ", labels: {app: web}",
                                  "topologySpreadConstraints: [{maxSkew: 1, topologyKey: row, "
                                  "whenUnsatisfiable: DoNotSchedule, labelSelector: "
                                  "{matchLabels: {app: web}}}]");
    for (int i = 0; i < 20; i++) {
        (void)decide(c->engine, named);
        (void)decide(c->engine, prefers);
        (void)decide(c->engine, rows);
    }
    expect_scan(c, named, BERTH_SCAN_NAMED);
    expect_scan(c, prefers, BERTH_SCAN_SCORE);
    assert_int_equal(berth_engine_nominate(c->engine, named, 7, NULL), BERTH_OK);
    expect_scan(c, plain, BERTH_SCAN_NOMINATED);
}

/* What ends before any node is looked at is neither indexed nor scanned; questions are no
 * decisions. */
static void test_neither(void **state)
{
    small_cluster *c = *state;
    add_nodes(c);
    berth_fit fit = {.size = sizeof(fit)};
    berth_pod_id gated = small_pod(c, "gated", NULL, "", "schedulingGates: [{name: g}]");
    (void)decide(c->engine, gated);
    assert_int_equal(berth_engine_fits(c->engine, gated, 0, 0, &fit, NULL), BERTH_OK);
    const berth_statistics now = read_all(c->engine);
    assert_true(now.decisions == 1 && now.indexed == 0 && scans_of(&now) == 0 && now.placed == 0);
    assert_int_equal(now.questions, 1);
}

static void test_branch(void **state)
{
    small_cluster *c = *state;
    add_nodes(c);
    berth_pod_id plain = small_pod(c, "plain", NULL, "", CPU("1"));
    (void)decide(c->engine, plain);
    for (int i = 0; i < 2; i++) { /* the second takes over the struct of the first */
        berth_engine *branch = branch_off(c);
        assert_int_equal(read_all(branch).decisions, 0);
        (void)decide(branch, plain);
        assert_int_equal(read_all(branch).decisions, 1);
        berth_branch_drop(branch);
    }
    assert_int_equal(read_all(c->engine).decisions, 1);
}

static void test_words(void **state)
{
    (void)state;
    for (int i = 0; i < BERTH_SCAN_REASON_COUNT; i++)
        assert_true(berth_scan_reason_text((berth_scan_reason)i)[0] != 0);
    assert_string_equal(berth_scan_reason_text((berth_scan_reason)99), "");
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, small_set_up, small_tear_down)
    const struct CMUnitTest tests[] = {
        TEST(test_paths),  TEST(test_reasons),           TEST(test_neither),
        TEST(test_branch), cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
