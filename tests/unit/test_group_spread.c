/* Victims of a PodGroup whose pods spread over zones: pods that would make a zone too full must
 * leave, others may stay. */
#include "pod_group_cluster.h"

static int set_up(void **state)
{
    return set_up_with(state, "GenericWorkload=true");
}

/* A node of four cores in a zone; `spec` is its spec. */
static void add_node(group_test *t, const char *name, const char *zone, const char *spec)
{
    small_addf(&t->cluster,
               "apiVersion: v1\nkind: Node\nmetadata: {name: %s, labels: {%s}}\nspec: {%s}\n"
               "status: {allocatable: {cpu: '4', memory: 8Gi, pods: '110'}}\n",
               name, zone, spec);
}

/* A pod of `cpu` cores on a node. */
static berth_pod_id add_running(group_test *t, const char *name, const char *meta, int priority,
                                const char *node, int cpu)
{
    return small_addf(&t->cluster,
                      "apiVersion: v1\nkind: Pod\nmetadata: {name: %s%s}\nspec: {priority: %d, "
                      "nodeName: %s, containers: [{name: c, image: i, resources: {requests: {cpu: "
                      "%d}}}]}\n",
                      name, meta, priority, node, cpu);
}

#define WEB ", labels: {app: web}"
#define OF_WEB "labelSelector: {matchLabels: {app: web}}"
#define SPREAD(skew, more)                                           \
    "topologySpreadConstraints: [{topologyKey: zone, maxSkew: " skew \
    ", whenUnsatisfiable: DoNotSchedule, " more "}]"

#define HALL_AND_RACK                                                                 \
    "topologySpreadConstraints: [{topologyKey: hall, maxSkew: 1, whenUnsatisfiable: " \
    "DoNotSchedule, " OF_WEB "}, {topologyKey: rack, maxSkew: 9, whenUnsatisfiable: " \
    "DoNotSchedule, " OF_WEB "}]"

typedef struct spread_case {
    const char *first, *second; /* the metadata of the two pods that may have to leave */
    const char *node;           /* of the first; NULL: a, as of the second */
    const char *nominated;      /* the metadata of a pod that is nominated for a; NULL: none */
    const char *spreads;        /* of the group's pod */
    const char *leave;          /* "1", "2", "12", or "" */
} spread_case;

/* Zone a is full of an unimportant pod, which leaves in any case; the first and the second pod need
 * no cores. The other zones are full of important pods, b with one of app web and c with two. Node
 * d is in no zone, and two nodes are only in a hall. */
static void add_objects(group_test *t)
{
    add_node(t, "a", "zone: a, hall: a, rack: r", "");
    add_node(t, "b", "zone: b, hall: b, rack: r", "");
    add_node(t, "c", "zone: c, hall: c, rack: r", "taints: [{key: t, effect: NoSchedule}]");
    add_node(t, "d", "", "");
    add_node(t, "tainted-a", "zone: a", "taints: [{key: t, effect: NoSchedule}]");
    add_node(t, "hall-a", "hall: a", "");
    add_node(t, "hall-e", "hall: e", "");
    add_running(t, "full-b", "", 100, "b", 4);
    add_running(t, "full-c", "", 100, "c", 4);
    add_running(t, "full-d", "", 100, "d", 4);
    add_running(t, "full-hall-a", "", 100, "hall-a", 4);
    add_running(t, "full-hall-e", "", 100, "hall-e", 4);
    add_running(t, "web-b", WEB, 100, "b", 0);
    add_running(t, "web-c", WEB, 100, "c", 0);
    add_running(t, "web-c2", WEB, 100, "c", 0);
    add_group(t, "g", "schedulingPolicy: {gang: {minCount: 1}}, priority: 9");
}

static void expect_leaving(const spread_case *one)
{
    group_test *t;
    char found[4] = "";
    assert_int_equal(set_up((void **)&t), 0);
    add_objects(t);
    const berth_pod_id filler = add_running(t, "filler", "", 1, "a", 4);
    const berth_pod_id pods[2] = {
        add_running(t, "first", one->first, 3, one->node != NULL ? one->node : "a", 0),
        add_running(t, "second", one->second, 2, "a", 0)};
    if (one->nominated != NULL) {
        const berth_pod_id other =
            small_addf(&t->cluster,
                       "apiVersion: v1\nkind: Pod\nmetadata: {name: other%s}\nspec: {priority: 9, "
                       "containers: [{name: c, image: i}]}\n",
                       one->nominated);
        nominate(t, other, "a");
    }
    const berth_pod_id member =
        small_addf(&t->cluster,
                   "apiVersion: v1\nkind: Pod\nmetadata: {name: p%s}\nspec: {priority: 9, "
                   "schedulingGroup: {podGroupName: g}, %s, containers: [{name: c, image: i, "
                   "resources: {requests: {cpu: 3}}}]}\n",
                   WEB, one->spreads);
    cycle(t, &member, 1);
    assert_true(t->outcome.preempts);
    bool filler_leaves = false;
    for (uint32_t v = 0; v < t->outcome.victim_count; v++)
        filler_leaves |= t->victims[v] == filler;
    assert_true(filler_leaves);
    for (int p = 0; p < 2; p++)
        for (uint32_t v = 0; v < t->outcome.victim_count; v++)
            if (t->victims[v] == pods[p])
                strcat(found, p == 0 ? "1" : "2");
    assert_int_equal(t->outcome.victim_count, strlen(found) + 1);
    assert_string_equal(found, one->leave);
    (void)tear_down((void **)&t);
}

#define ELSEWHERE ", namespace: dev, labels: {app: web}"
#define HONOR ", nodeTaintsPolicy: Honor"

static void test_who_makes_a_zone_too_full(void **state)
{
    static const spread_case cases[] = {
        /* the lowest count is that of zone b: 1 */
        {WEB, WEB, NULL, NULL, SPREAD("1", OF_WEB), "2"},
        {WEB, WEB, NULL, NULL, SPREAD("2", OF_WEB), ""},
        {"", WEB, NULL, NULL, SPREAD("1", OF_WEB), ""},
        {ELSEWHERE, WEB, NULL, NULL, SPREAD("1", OF_WEB), ""},
        /* with too few zones it is 0 */
        {WEB, WEB, NULL, NULL, SPREAD("1", OF_WEB ", minDomains: 3"), "2"},
        {WEB, WEB, NULL, NULL, SPREAD("1", OF_WEB ", minDomains: 4"), "12"},
        {"", WEB, NULL, NULL, SPREAD("1", OF_WEB ", minDomains: 4"), "2"},
        {WEB, "", NULL, NULL, SPREAD("1", OF_WEB ", minDomains: 4"), "1"},
        {WEB, WEB, NULL, NULL, SPREAD("2", OF_WEB ", minDomains: 4"), "2"},
        /* zone c does not count if its taint is honored */
        {WEB, WEB, NULL, NULL, SPREAD("1", OF_WEB ", minDomains: 2" HONOR), "2"},
        {WEB, WEB, NULL, NULL, SPREAD("1", OF_WEB ", minDomains: 3" HONOR), "12"},
        /* nor do pods in it, or in no zone */
        {WEB, WEB, "c", NULL, SPREAD("1", OF_WEB HONOR), ""},
        {WEB, WEB, "d", NULL, SPREAD("1", OF_WEB), ""},
        {WEB, WEB, "tainted-a", NULL, SPREAD("1", OF_WEB HONOR), ""},
        {WEB, WEB, "tainted-a", NULL, SPREAD("1", OF_WEB), "2"},
        /* a pod in c raises only the count of c, one in b the lowest count */
        {WEB, WEB, "c", NULL, SPREAD("1", OF_WEB), ""},
        {WEB, WEB, "b", NULL, SPREAD("1", OF_WEB), ""},
        /* an empty selector counts the pods of the namespace that were moved */
        {"", "", NULL, NULL, SPREAD("1", "labelSelector: {}"), "12"},
        {"", "", NULL, NULL, SPREAD("2", "labelSelector: {}"), "2"},
        {ELSEWHERE, "", NULL, NULL, SPREAD("1", "labelSelector: {}"), "2"},
        /* two constraints: a pod counts where both keys are */
        {WEB, WEB, NULL, NULL,
         "topologySpreadConstraints: [{topologyKey: zone, maxSkew: 9, whenUnsatisfiable: "
         "DoNotSchedule, " OF_WEB "}, {topologyKey: rack, maxSkew: 1, whenUnsatisfiable: "
         "DoNotSchedule, " OF_WEB "}]",
         ""},
        {WEB, WEB, NULL, NULL,
         "topologySpreadConstraints: [{topologyKey: zone, maxSkew: 9, whenUnsatisfiable: "
         "DoNotSchedule, " OF_WEB "}, {topologyKey: rack, maxSkew: 5, minDomains: 2, "
         "whenUnsatisfiable: DoNotSchedule, " OF_WEB "}]",
         "2"},
        {WEB, WEB, NULL, NULL, HALL_AND_RACK, "2"},
        {WEB, WEB, "hall-a", NULL, HALL_AND_RACK, ""},
        /* a pod that is nominated for the node takes one of its places */
        {WEB, WEB, NULL, WEB, SPREAD("1", OF_WEB), "12"},
        {WEB, WEB, NULL, "", SPREAD("1", OF_WEB), "2"},
        {WEB, "", NULL, WEB, SPREAD("2", OF_WEB), ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_leaving(&cases[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_who_makes_a_zone_too_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
