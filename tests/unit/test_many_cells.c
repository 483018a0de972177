/* Topology keys with more values than a word has bits, such as racks: the index decides as the
 * scan, with default sampling and with all nodes scored. Runs with another seed each time;
 * BERTH_TEST_SEED replays a failure. */
#include <time.h>

#include "base/random.h"
#include "rule_cluster.h"

enum { NODES = 1100, PODS = 240, APPS = 3 };

#define TERM "{topologyKey: rack, labelSelector: {matchLabels: {app: a%1$u}}}"

/* Soft rules about racks, and about racks and hosts. */
static const char *const rules[] = {
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: rack, whenUnsatisfiable: "
    "ScheduleAnyway, labelSelector: {matchLabels: {app: a%1$u}}}], ",
    "affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
    "[{weight: 100, podAffinityTerm: " TERM "}]}}, ",
    "affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
    "[{weight: 10, podAffinityTerm: " TERM "}]}}, topologySpreadConstraints: [{maxSkew: 1, "
    "topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway, labelSelector: "
    "{matchLabels: {app: a%1$u}}}], ",
};

static berth__random source;

static void add_nodes(small_cluster *c, uint32_t racks)
{
    for (uint32_t i = 0; i < NODES; i++) {
        char rack[32] = "";
        if (i % 50 != 49) /* some nodes are in no rack */
            (void)snprintf(rack, sizeof(rack), ", rack: r%u", (unsigned)(i % racks));
        small_addf(c,
                   "apiVersion: v1\nkind: Node\nmetadata: {name: n%1$u, labels: "
                   "{kubernetes.io/hostname: n%1$u%2$s}}\n"
                   "status: {allocatable: {cpu: %3$u, memory: 16Gi, pods: 20}}\n",
                   (unsigned)i, rack, 2 + (unsigned)(i % 7));
    }
}

static berth_pod_id add_pod(small_cluster *c, uint32_t number)
{
    char rule[512];
    const uint32_t app = number % APPS;
    (void)snprintf(rule, sizeof(rule), rules[app], (unsigned)app);
    return small_addf(c,
                      "apiVersion: v1\nkind: Pod\nmetadata: {name: p%u, labels: {app: a%u}}\n"
                      "spec: {%scontainers: [{name: c, resources: {requests: {cpu: 200m}}}]}\n",
                      (unsigned)number, (unsigned)app, rule);
}

static void open_as(small_cluster *c, berth_path path, int32_t percentage, uint32_t racks,
                    berth_pod_id *pods)
{
    berth_engine_config config;
    berth_engine_config_init(&config);
    berth_profile profile = *berth_profile_default();
    profile.percentage_of_nodes_to_score = percentage;
    config.path = path;
    config.profiles = &profile;
    config.profile_count = 1;
    small_open_as(c, config);
    add_nodes(c, racks);
    for (uint32_t i = 0; i < PODS; i++)
        pods[i] = add_pod(c, i);
}

/* Place pods one by one; now and then one leaves, or a node is closed or opened. */
static void compare(int32_t percentage, uint32_t racks, uint64_t seed)
{
    static berth_pod_id pods[2][PODS];
    small_cluster c[2];
    uint32_t by_index = 0;
    source = (berth__random){seed};
    open_as(&c[0], BERTH_PATH_INDEX, percentage, racks, pods[0]);
    open_as(&c[1], BERTH_PATH_SCAN, percentage, racks, pods[1]);
    for (uint32_t i = 0; i < PODS; i++) {
        berth_placement got[2];
        const uint32_t gone = berth__random_below(&source, i + 1);
        const berth_node_id node = berth__random_below(&source, NODES);
        for (uint32_t k = 0; k < 2; k++) {
            if (i % 4 == 3 && berth_engine_pod_node(c[k].engine, pods[k][gone]) != BERTH_NODE_NONE)
                assert_int_equal(berth_engine_unbind(c[k].engine, pods[k][gone], NULL), BERTH_OK);
            if (i % 3 == 0)
                assert_int_equal(berth_engine_close_node(c[k].engine, node, i % 2 == 0, NULL),
                                 BERTH_OK);
            assert_int_equal(berth_engine_schedule(c[k].engine, pods[k][i], &got[k], NULL),
                             BERTH_OK);
        }
        by_index += got[0].path == BERTH_PATH_INDEX;
        if (got[0].total != got[1].total || got[0].best_count != got[1].best_count ||
            got[0].feasible_count != got[1].feasible_count || got[0].node != got[1].node)
            fail_msg("pod %u, %u racks, %d %%; BERTH_TEST_SEED=%llu", (unsigned)i, (unsigned)racks,
                     (int)percentage, (unsigned long long)seed);
    }
    assert_int_equal(by_index, PODS);
    small_close(&c[0]);
    small_close(&c[1]);
}

static void test_racks(void **state)
{
    (void)state;
    static const uint32_t racks[] = {60, 64, 65, 100, 128};
    static const int32_t percentages[] = {0, 20, 100};
    const char *given = getenv("BERTH_TEST_SEED");
    const uint64_t seed = given != NULL ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
    for (uint32_t r = 0; r < sizeof(racks) / sizeof(racks[0]); r++)
        for (uint32_t p = 0; p < sizeof(percentages) / sizeof(percentages[0]); p++)
            compare(percentages[p], racks[r], seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_racks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
