/* Topology keys with more values than a word has bits, such as racks: the index decides as the
 * scan, with default sampling and with all nodes scored. */
#include "both_paths.h"

enum { NODES = 1100, PODS = 240, APPS = 4 };

#define TERM "{topologyKey: rack, labelSelector: {matchLabels: {app: a%1$u}}}"

/* Soft rules about racks, and about racks and hosts; in the last one, a host weighs the more, the
 * more feasible nodes are in racks. */
static const char *const rules[] = {
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: rack, whenUnsatisfiable: "
    "ScheduleAnyway, labelSelector: {matchLabels: {app: a%1$u}}}], ",
    "affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
    "[{weight: 100, podAffinityTerm: " TERM "}]}}, ",
    "affinity: {podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "
    "[{weight: 10, podAffinityTerm: " TERM "}]}}, topologySpreadConstraints: [{maxSkew: 1, "
    "topologyKey: kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway, labelSelector: "
    "{matchLabels: {app: a%1$u}}}], ",
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: rack, whenUnsatisfiable: "
    "ScheduleAnyway, labelSelector: {matchLabels: {app: a%1$u}}}, {maxSkew: 3, topologyKey: "
    "kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: "
    "{app: a%1$u}}}], ",
};

static void add_nodes(both_paths *b, uint32_t racks)
{
    for (uint32_t i = 0; i < NODES; i++) {
        char rack[32] = "";
        if (i % 50 != 49) /* some nodes are in no rack */
            (void)snprintf(rack, sizeof(rack), ", rack: r%u", (unsigned)(i % racks));
        both_addf(b,
                  "apiVersion: v1\nkind: Node\nmetadata: {name: n%1$u, labels: "
                  "{kubernetes.io/hostname: n%1$u%2$s}}\n"
                  "status: {allocatable: {cpu: %3$u, memory: %4$uGi, pods: 20}}\n",
                  (unsigned)i, rack, 2 + (unsigned)(i % 7), i % racks < 2 ? 16U : 2U);
    }
}

static berth_pod_id add_pod(both_paths *b, uint32_t number)
{
    char rule[512];
    const uint32_t app = number % APPS;
    (void)snprintf(rule, sizeof(rule), rules[app], (unsigned)app);
    return both_addf(b,
                     "apiVersion: v1\nkind: Pod\nmetadata: {name: p%u, labels: {app: a%u}}\n"
                     "spec: {%scontainers: [{name: c, resources: {requests: {%s}}}]}\n",
                     (unsigned)number, (unsigned)app, rule,
                     app == APPS - 1 ? "cpu: 1, memory: 3Gi" : "cpu: 200m");
}

static void close_node(both_paths *b, berth_node_id node, bool closed)
{
    for (uint32_t k = 0; k < 2; k++)
        assert_int_equal(berth_engine_close_node(b->c[k].engine, node, closed, NULL), BERTH_OK);
}

/* Place pods one by one; now and then one leaves, or a node is closed or opened. */
static void compare(int32_t percentage, uint32_t racks)
{
    both_paths b;
    berth_pod_id pods[PODS];
    berth_profile profile = *berth_profile_default();
    profile.percentage_of_nodes_to_score = percentage;
    both_open(&b, &profile);
    add_nodes(&b, racks);
    for (uint32_t i = 0; i < PODS; i++) {
        const uint32_t gone = both_below(&b, i + 1);
        pods[i] = add_pod(&b, i);
        if (i % 4 == 3 && both_bound(&b, pods[gone]))
            both_unbind(&b, pods[gone]);
        if (i % 3 == 0)
            close_node(&b, both_below(&b, NODES), i % 2 == 0);
        both_schedule(&b, pods[i]);
    }
    both_close(&b);
}

static void test_racks(void **state)
{
    (void)state;
    static const uint32_t racks[] = {60, 64, 65, 100, 128};
    static const int32_t percentages[] = {0, 20, 100};
    for (uint32_t r = 0; r < sizeof(racks) / sizeof(racks[0]); r++)
        for (uint32_t p = 0; p < sizeof(percentages) / sizeof(percentages[0]); p++)
            compare(percentages[p], racks[r]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_racks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
