/* Pods that differ only in the topology key of a rule, decided by the index: what is kept for one
 * key serves no other one. The scan is asked the same. */
#include "rule_cluster.h"

enum { NODES = 96, KEYS = 8, BOUND = 40 };

/* Node n is in domain n / size of a key, whose size grows from key to key. */
static unsigned domain_of(unsigned node, unsigned key)
{
    return node / (3 + 2 * key);
}

static void open_with(small_cluster *c, berth_path path)
{
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.path = path;
    small_open_as(c, config);
    for (unsigned n = 0; n < NODES; n++) {
        char text[600];
        int at = snprintf(text, sizeof(text), "n%u, labels: {", n);
        for (unsigned k = 0; k < KEYS; k++)
            at += snprintf(text + at, sizeof(text) - (size_t)at, "%sx.org/key%u: d%u",
                           k > 0 ? ", " : "", k, domain_of(n, k));
        snprintf(text + at, sizeof(text) - (size_t)at, "}");
        small_node(c, text, "");
    }
    for (unsigned i = 0; i < BOUND; i++)
        small_addf(c,
                   "apiVersion: v1\nkind: Pod\nmetadata: {name: b%u, labels: {app: a}}\n"
                   "spec: {nodeName: n%u, containers: [{name: c}]}\n",
                   i, i * i * 7 % NODES);
}

static berth_placement decide(small_cluster *c, const char *rule, unsigned key, unsigned number)
{
    berth_placement placement;
    berth_error error = {.code = BERTH_OK};
    char rules[400];
    snprintf(rules, sizeof(rules), rule, key);
    berth_pod_id pod = small_addf(c,
                                  "apiVersion: v1\nkind: Pod\nmetadata: {name: p%u, labels: {app: "
                                  "a}}\nspec: {%scontainers: [{name: c}]}\n",
                                  number, rules);
    small_require(berth_engine_decide(c->engine, pod, NULL, &placement, &error), &error);
    return placement;
}

static void check(const char *rule)
{
    small_cluster by_index, by_scan;
    open_with(&by_index, BERTH_PATH_INDEX);
    open_with(&by_scan, BERTH_PATH_SCAN);
    for (unsigned i = 0; i < 3 * KEYS; i++) {
        const berth_placement found = decide(&by_index, rule, i % KEYS, i);
        const berth_placement wanted = decide(&by_scan, rule, i % KEYS, i);
        assert_int_equal(found.path, BERTH_PATH_INDEX);
        assert_int_equal(wanted.path, BERTH_PATH_SCAN);
        assert_int_equal(found.total, wanted.total);
        assert_int_equal(found.best_count, wanted.best_count);
        assert_int_equal(found.node, wanted.node);
    }
    small_close(&by_index);
    small_close(&by_scan);
}

static void test_spread(void **state)
{
    (void)state;
    check("topologySpreadConstraints: [{maxSkew: 1, topologyKey: x.org/key%u, whenUnsatisfiable: "
          "ScheduleAnyway, labelSelector: {matchLabels: {app: a}}}], ");
}

static void test_affinity(void **state)
{
    (void)state;
    check("affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 9, "
          "podAffinityTerm: {topologyKey: x.org/key%u, labelSelector: {matchLabels: {app: "
          "a}}}}]}}, ");
}

static void test_anti_affinity(void **state)
{
    (void)state;
    check("affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: "
          "9, podAffinityTerm: {topologyKey: x.org/key%u, labelSelector: {matchLabels: {app: "
          "a}}}}]}}, ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_spread),
                                       cmocka_unit_test(test_affinity),
                                       cmocka_unit_test(test_anti_affinity)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
