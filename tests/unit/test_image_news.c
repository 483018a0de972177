/* A node learns new counts of its images when it or its pods change (model/images.h). Indexed
 * decisions notice, also where its pods are in the end what they were before. */
#include "branch_cluster.h"
#include "pod_group_cluster.h"

/* A node that has the image of the pods below, of half a gigabyte. */
static berth_node_id add_node(small_cluster *c, const char *name)
{
    return small_addf(c,
                      "apiVersion: v1\nkind: Node\nmetadata: {name: %s, labels: {name: %s}}\n"
                      "status: {allocatable: {cpu: 8, memory: 16Gi, pods: 20},\n"
                      "  images: [{names: [large:latest], sizeBytes: 500000000}]}\n",
                      name, name);
}

static berth_pod_id add_large(small_cluster *c, const char *name, const char *spec)
{
    return small_addf(c,
                      "apiVersion: v1\nkind: Pod\nmetadata: {name: %s}\n"
                      "spec: {%scontainers: [{name: c, image: large}]}\n",
                      name, spec);
}

/* How many nodes are best for a pod, by the index. */
static uint32_t best_count(berth_engine *engine, berth_pod_id pod)
{
    berth_error error = {.code = BERTH_OK};
    berth_decide_options options;
    berth_placement placement;
    berth_decide_options_init(&options);
    small_require(berth_engine_decide(engine, pod, &options, &placement, &error), &error);
    assert_int_equal(placement.verdict, BERTH_VERDICT_PLACED);
    assert_int_equal(placement.path, BERTH_PATH_INDEX);
    return placement.best_count;
}

/* Two nodes, "a" and "b", of which only "b" knows that both have the image. Returns a pod that
 * waits. */
static berth_pod_id make_nodes(group_test *t)
{
    small_cluster *c = &t->cluster;
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.kubernetes = 37;
    config.feature_gates = (berth_str)TEXT("GenericWorkload=true");
    config.path = BERTH_PATH_INDEX;
    *t = (group_test){.outcome.size = 0};
    small_open_as(c, config);
    add_node(c, "a");
    berth_pod_id waits = add_large(c, "waits", "");
    assert_int_equal(best_count(c->engine, waits), 1);
    add_node(c, "b");
    return waits;
}

static berth_node_id node_named(const small_cluster *c, const char *name)
{
    return berth_engine_find_node(c->engine, (berth_str){name, (uint32_t)strlen(name)});
}

static void test_counts_of_the_same_state(void **state)
{
    (void)state;
    group_test t;
    const berth_pod_id waits = make_nodes(&t);
    small_cluster *c = &t.cluster;
    assert_int_equal(best_count(c->engine, waits), 1);
    berth_pod_id other = small_pod(c, "other", NULL, "", "containers: [{name: c, image: i}]");
    assert_int_equal(berth_engine_bind(c->engine, other, node_named(c, "a"), NULL), BERTH_OK);
    take_off(c->engine, other);
    assert_int_equal(best_count(c->engine, waits), 2);
    small_close(c);
}

static berth_status refuse_to_reserve(void *context, const berth_cycle *cycle, berth_pod_id pod,
                                      berth_node_id node)
{
    (void)context;
    (void)cycle;
    (void)pod;
    (void)node;
    return BERTH_E_CONFLICT;
}

static void unreserve_nothing(void *context, const berth_cycle *cycle, berth_pod_id pod,
                              berth_node_id node)
{
    (void)context;
    (void)cycle;
    (void)pod;
    (void)node;
}

static void accept_all(const berth_cycle *cycle, const void *instance, const void *plugin_state,
                       berth_slice *slice)
{
    (void)cycle;
    (void)instance;
    (void)plugin_state;
    (void)slice;
}

/* A binding that is refused is no change of the node. */
static void test_refused_binding(void **state)
{
    (void)state;
    static const berth_plugin refusing = {.size = sizeof(refusing),
                                          .flags = BERTH_PLUGIN_STATIC,
                                          .name = "Refusing",
                                          .filter = accept_all,
                                          .reserve = refuse_to_reserve,
                                          .unreserve = unreserve_nothing};
    const berth_plugin_ref scorer = {.name = TEXT("ImageLocality"), .weight = 1},
                           filter = {.name = TEXT("Refusing")};
    berth_plugin_list points[BERTH_POINT_COUNT] = {
        [BERTH_POINT_FILTER] = {&filter, 1}, [BERTH_POINT_SCORE] = {&scorer, 1}};
    const berth_profile profile = {.points = points, .point_count = BERTH_POINT_COUNT};
    const berth_plugin *const plugin = &refusing;
    berth_engine_config config;
    small_cluster c;
    berth_engine_config_init(&config);
    config.profiles = &profile;
    config.profile_count = 1;
    config.plugins = &plugin;
    config.plugin_count = 1;
    config.path = BERTH_PATH_INDEX;
    small_open_as(&c, config);
    add_node(&c, "a");
    const berth_pod_id waits = add_large(&c, "waits", "");
    assert_int_equal(best_count(c.engine, waits), 1);
    add_node(&c, "b"); /* it alone knows that both have the image */
    assert_int_equal(best_count(c.engine, waits), 1);
    assert_int_equal(berth_engine_bind(c.engine, waits, node_named(&c, "a"), NULL),
                     BERTH_E_CONFLICT);
    assert_int_equal(best_count(c.engine, waits), 1);
    small_close(&c);
}

/* The next branch uses what the first one has computed, as far as it still holds. */
static void test_next_branch(void **state)
{
    (void)state;
    group_test t;
    const berth_pod_id waits = make_nodes(&t);
    small_cluster *c = &t.cluster;
    berth_pod_id other = small_pod(c, "other", NULL, "", "containers: [{name: c, image: i}]");
    berth_engine *branch = branch_off(c);
    assert_int_equal(best_count(branch, waits), 1);
    berth_branch_drop(branch);
    assert_int_equal(berth_engine_bind(c->engine, other, node_named(c, "a"), NULL), BERTH_OK);
    take_off(c->engine, other);
    branch = branch_off(c);
    assert_int_equal(best_count(branch, waits), 2);
    berth_branch_drop(branch);
    small_close(c);
}

/* When a PodGroup's cycle ends, its nodes know the counts as of then, although its later members
 * still saw the earlier ones. */
static void test_after_a_group(void **state)
{
    (void)state;
    group_test t;
    const berth_pod_id waits = make_nodes(&t);
    small_cluster *c = &t.cluster;
    add_group(&t, "g", "schedulingPolicy: {gang: {minCount: 2}}");
    const berth_pod_id members[2] = {
        add_large(c, "p", "schedulingGroup: {podGroupName: g}, nodeSelector: {name: a}, "),
        add_large(c, "q", "schedulingGroup: {podGroupName: g}, ")};
    assert_int_equal(best_count(c->engine, waits), 1);
    cycle(&t, members, 2);
    assert_int_equal(t.outcome.verdict, BERTH_VERDICT_PLACED);
    assert_int_equal(t.nodes[0], node_named(c, "a"));
    assert_int_equal(t.nodes[1], node_named(c, "b"));
    assert_int_equal(best_count(c->engine, waits), 2);
    small_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts_of_the_same_state),
        cmocka_unit_test(test_refused_binding),
        cmocka_unit_test(test_next_branch),
        cmocka_unit_test(test_after_a_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
