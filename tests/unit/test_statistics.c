/* Statistics of decisions (berth/statistics.h): each path and each reason to scan is counted, and a
 * branch has its own counts. */
#include "branch_cluster.h"
#include "explain/refusals.h"

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

/* One decision scans, for this reason. */
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
    assert_int_equal(berth_engine_bind(c->engine, small_pod(c, "b2", NULL, "", CPU("1")), 1, NULL),
                     BERTH_OK);
    assert_int_equal(decide(c->engine, plain).path, BERTH_PATH_INDEX);
    assert_int_equal(read_all(c->engine).repairs, 2);
}

/* A preferred term with an unknown operator. */
static void test_errors(void **state)
{
    small_cluster *c = *state;
    add_nodes(c);
    berth_pod_id wrong = small_pod(
        c, "wrong", NULL, "",
        "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, "
        "preference: {matchExpressions: [{key: row, operator: Bogus}]}}]}}");
    assert_int_equal(decide(c->engine, wrong).verdict, BERTH_VERDICT_ERROR);
    berth_statistics now = read_all(c->engine);
    assert_true(now.decisions == 1 && now.placed == 0 && now.errors == 1);
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
                                  "whenUnsatisfiable: ScheduleAnyway, labelSelector: "
                                  "{matchLabels: {app: web}}}]");
    expect_scan(c, prefers, BERTH_SCAN_NEW);
    for (int i = 0; i < 20; i++) {
        (void)decide(c->engine, named);
        (void)decide(c->engine, prefers);
        (void)decide(c->engine, rows);
    }
    expect_scan(c, named, BERTH_SCAN_NAMED);
    expect_scan(c, rows, BERTH_SCAN_DOMAINS);
    assert_int_equal(decide(c->engine, prefers).path, BERTH_PATH_INDEX);
    assert_int_equal(berth_engine_nominate(c->engine, named, 7, NULL), BERTH_OK);
    assert_int_equal(decide(c->engine, plain).path, BERTH_PATH_INDEX);
    assert_int_equal(berth_engine_nominate(c->engine, plain, 8, NULL), BERTH_OK);
    expect_scan(c, plain, BERTH_SCAN_NOMINATED);
}

/* A decision that ends before any node is visited is neither indexed nor scanned; queries are not
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
    for (int i = 0; i < 2; i++) { /* the second branch reuses the first one's struct */
        berth_engine *branch = branch_off(c);
        assert_int_equal(read_all(branch).decisions, 0);
        assert_int_equal(read_all(branch).trees_built, 0);
        (void)decide(branch, plain);
        assert_int_equal(read_all(branch).decisions, 1);
        berth_branch_drop(branch);
    }
    assert_int_equal(read_all(c->engine).decisions, 1);
}

/* A rollback does not discard the layout of the nodes: each change of the nodes costs one layout,
 * however often the calls below are repeated. */
static void what_if(berth_engine *engine, berth_pod_id pod, berth_pod_id waiting)
{
    uint32_t count;
    berth_placement placement;
    const berth_group_options options = {.size = sizeof(options), .minimum = 2};
    assert_int_equal(berth_engine_fit_count(engine, pod, 1, &count, NULL, NULL, NULL), BERTH_OK);
    assert_int_equal(berth_engine_schedule_pods(engine, &waiting, 1, &options, NULL, &count, NULL),
                     BERTH_OK);
    assert_int_equal(berth_engine_begin(engine, NULL), BERTH_OK);
    assert_int_equal(berth_engine_schedule(engine, waiting, &placement, NULL), BERTH_OK);
    assert_int_equal(berth_engine_begin(engine, NULL), BERTH_OK);
    assert_int_equal(berth_engine_rollback(engine, NULL), BERTH_OK);
    assert_int_equal(berth_engine_rollback(engine, NULL), BERTH_OK);
}

static void test_layouts(void **state)
{
    small_cluster *c = *state;
    add_nodes(c);
    berth_pod_id pod = small_pod(c, "p", NULL, "", CPU("1"));
    berth_pod_id waiting = small_pod(c, "w", NULL, "", CPU("2"));
    assert_int_equal(read_all(c->engine).layouts, 0);
    for (int i = 0; i < 5; i++)
        what_if(c->engine, pod, waiting);
    assert_int_equal(read_all(c->engine).layouts, 1);
    remove_named(c->engine, BERTH_KIND_NODE, "n7");
    for (int i = 0; i < 5; i++)
        what_if(c->engine, pod, waiting);
    assert_int_equal(read_all(c->engine).layouts, 2);
    /* Nodes added inside a transaction are laid out once there, and inner transactions keep that
     * layout. */
    assert_int_equal(berth_engine_begin(c->engine, NULL), BERTH_OK);
    small_node(c, "more", "");
    for (int i = 0; i < 5; i++)
        what_if(c->engine, pod, waiting);
    assert_int_equal(berth_engine_rollback(c->engine, NULL), BERTH_OK);
    assert_int_equal(read_all(c->engine).layouts, 3);
    for (int i = 0; i < 5; i++)
        what_if(c->engine, pod, waiting);
    assert_int_equal(read_all(c->engine).layouts, 3);
}

/* A publication makes the layout for all branches; a branch makes one for its own nodes only. */
static void test_layouts_of_branches(void **state)
{
    small_cluster *c = *state;
    add_nodes(c);
    berth_pod_id pod = small_pod(c, "p", NULL, "", CPU("1"));
    berth_pod_id waiting = small_pod(c, "w", NULL, "", CPU("2"));
    for (int i = 0; i < 3; i++) {
        berth_engine *branch = branch_off(c);
        what_if(branch, pod, waiting);
        what_if(branch, pod, waiting);
        assert_int_equal(read_all(branch).layouts, 0);
        remove_named(branch, BERTH_KIND_NODE, "n7");
        what_if(branch, pod, waiting);
        what_if(branch, pod, waiting);
        assert_int_equal(read_all(branch).layouts, 1);
        berth_branch_drop(branch);
    }
    assert_int_equal(read_all(c->engine).layouts, 1);
    /* A commit that is refused is rolled back, too. */
    berth_engine *branch = branch_off(c);
    berth_placement placement;
    uint32_t count;
    assert_int_equal(berth_engine_schedule(branch, pod, &placement, NULL), BERTH_OK);
    remove_named(c->engine, BERTH_KIND_POD, "p");
    small_node(c, "more", "");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(berth_branch_commit(branch, NULL, 0, &count, NULL), BERTH_OK);
        assert_int_equal(count, 1);
    }
    assert_int_equal(read_all(c->engine).layouts, 2);
    berth_branch_drop(branch);
}

/* Adding nodes from a template decides nothing and makes no layout. */
static void test_layouts_of_templates(void **state)
{
    small_cluster *c = *state;
    add_nodes(c);
    const berth_node node = {.meta.name = TEXT("t")};
    const berth_node_template from = {.size = sizeof(from), .node = &node};
    for (int i = 0; i < 3; i++)
        assert_int_equal(berth_engine_add_nodes(c->engine, &from, 2, NULL, NULL), BERTH_OK);
    assert_int_equal(read_all(c->engine).layouts, 0);
}

/* How often a plugin refused nodes for a reason. */
static uint64_t refusals_of(const berth_engine *engine, const char *plugin, const char *reason)
{
    berth_str by, why;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < berth_engine_refusal_kinds(engine); i++) {
        uint64_t count = berth_engine_refusals(engine, i, &by, &why, NULL);
        bool same =
            by.len == strlen(plugin) && (by.len == 0 || memcmp(by.data, plugin, by.len) == 0) &&
            why.len == strlen(reason) && (why.len == 0 || memcmp(why.data, reason, why.len) == 0);
        sum += same ? count : 0;
    }
    return sum;
}

static void explain(small_cluster *c, berth_engine *engine, berth_pod_id pod)
{
    const berth_decide_options options = {
        .size = sizeof(options), .flags = BERTH_DECIDE_SEARCH_ONLY, .explanation = c->explanation};
    berth_placement placement;
    assert_int_equal(berth_engine_decide(engine, pod, &options, &placement, NULL), BERTH_OK);
}

static void test_refusals(void **state)
{
    small_cluster *c = *state;
    add_nodes(c);
    berth_pod_id large = small_pod(c, "large", NULL, "", CPU("1000"));
    berth_pod_id picky = small_pod(c, "picky", NULL, "", "nodeSelector: {row: r3}, " CPU("1"));
    (void)decide(c->engine, large);
    assert_int_equal(berth_engine_refusal_kinds(c->engine), 0); /* no explanation was requested */
    for (int i = 0; i < 2; i++)
        explain(c, c->engine, large);
    explain(c, c->engine, picky);
    assert_int_equal(refusals_of(c->engine, "NodeResourcesFit", "Insufficient cpu"), 2 * NODES);
    assert_int_equal(
        refusals_of(c->engine, "NodeAffinity", "node(s) didn't match Pod's node affinity/selector"),
        NODES - 1);
    assert_int_equal(berth_engine_refusal_kinds(c->engine), 2);
    assert_int_equal(berth_engine_refusals(c->engine, 2, NULL, NULL, NULL), 0);
    for (int i = 0; i < 2; i++) { /* the second branch reuses the first one's struct */
        berth_engine *branch = branch_off(c);
        assert_int_equal(berth_engine_refusal_kinds(branch), 0);
        explain(c, branch, large);
        assert_int_equal(refusals_of(branch, "NodeResourcesFit", "Insufficient cpu"), NODES);
        berth_branch_drop(branch);
    }
}

/* The table has room for a limited number of reasons; later ones are counted, too. */
static void test_many_refusals(void **state)
{
    (void)state;
    berth__refusals refusals;
    berth__refusals_init(&refusals, berth__allocator_default());
    for (int round = 0; round < 3; round++)
        for (uint32_t i = 0; i < BERTH__REFUSALS_MAX + 10; i++) {
            char reason[16];
            int len = snprintf(reason, sizeof(reason), "%u", i);
            berth__refusals_note(&refusals, (berth_str)TEXT("P"),
                                 (berth_str){reason, (uint32_t)len}, BERTH_CODE_UNSCHEDULABLE);
        }
    assert_int_equal(refusals.count, BERTH__REFUSALS_MAX);
    assert_int_equal(refusals.others, 30);
    for (uint32_t i = 0; i < BERTH__REFUSALS_MAX; i++)
        assert_int_equal(refusals.items[i].count, 3);
    berth__refusals_destroy(&refusals);
}

/* A scheduler's attempts count the plugins that rejected the pod. */
static void test_scheduler(void **state)
{
    small_cluster *c = *state;
    berth_scheduler *scheduler;
    berth_step step;
    add_nodes(c);
    (void)small_pod(c, "large", NULL, "", CPU("1000"));
    assert_int_equal(berth_scheduler_create(c->engine, NULL, &scheduler, NULL), BERTH_OK);
    assert_int_equal(berth_scheduler_step(scheduler, 1, &step, NULL), BERTH_OK);
    assert_int_equal(step.kind, BERTH_STEP_UNSCHEDULABLE);
    assert_int_equal(refusals_of(c->engine, "NodeResourcesFit", ""), 1);
    berth_scheduler_destroy(scheduler);
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
        TEST(test_paths),
        TEST(test_errors),
        TEST(test_reasons),
        TEST(test_neither),
        TEST(test_branch),
        TEST(test_layouts),
        TEST(test_layouts_of_branches),
        TEST(test_layouts_of_templates),
        TEST(test_refusals),
        TEST(test_scheduler),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_many_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
