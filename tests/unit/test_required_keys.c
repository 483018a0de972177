/* Soft spread constraints of a pod, of whose keys some nodes lack one: the index decides as the
 * scan. The nodes that lack it are not spread evenly, so their number weighs. */
#include "both_paths.h"

enum { NODES = 256, PODS = 60 };

static void add_nodes(both_paths *b)
{
    for (uint32_t i = 0; i < NODES; i++) {
        char rack[32] = "";
        if (i < 192 || both_below(b, 10) == 0)
            (void)snprintf(rack, sizeof(rack), ", rack: r%u", (unsigned)(i % 5));
        both_addf(b,
                  "apiVersion: v1\nkind: Node\nmetadata: {name: n%1$u, labels: "
                  "{kubernetes.io/hostname: n%1$u%2$s}}\n"
                  "status: {allocatable: {cpu: %3$u, memory: 16Gi, pods: 40}}\n",
                  (unsigned)i, rack, 2 + (unsigned)(i % 7));
    }
}

static berth_pod_id add_pod(both_paths *b, uint32_t number)
{
    return both_addf(b,
                     "apiVersion: v1\nkind: Pod\nmetadata: {name: p%u, labels: {app: a}}\n"
                     "spec: {topologySpreadConstraints: [{maxSkew: 1, topologyKey: "
                     "kubernetes.io/hostname, whenUnsatisfiable: ScheduleAnyway, labelSelector: "
                     "{matchLabels: {app: a}}}, {maxSkew: 1, topologyKey: rack, "
                     "whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: a}}}],"
                     " containers: [{name: c, resources: {requests: {cpu: 10m}}}]}\n",
                     (unsigned)number);
}

static void compare(int32_t percentage)
{
    both_paths b;
    berth_profile profile = *berth_profile_default();
    profile.percentage_of_nodes_to_score = percentage;
    both_open(&b, &profile);
    add_nodes(&b);
    uint32_t number = 0;
    for (uint32_t node = 0; node < NODES; node++)
        for (uint32_t k = both_below(&b, 12); k > 0; k--)
            both_bind(&b, add_pod(&b, number++), node);
    for (uint32_t i = 0; i < PODS; i++)
        both_schedule(&b, add_pod(&b, number++));
    both_close(&b);
}

static void test_keys_that_nodes_lack(void **state)
{
    (void)state;
    static const int32_t percentages[] = {40, 60, 80, 100};
    for (uint32_t p = 0; p < sizeof(percentages) / sizeof(percentages[0]); p++)
        compare(percentages[p]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_keys_that_nodes_lack)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
