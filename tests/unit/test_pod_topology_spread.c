/* PodTopologySpread on clusters of a few nodes. */
#include "rule_cluster.h"

#define ZONE "topology.kubernetes.io/zone"
#define HOST "kubernetes.io/hostname"
#define WEB ", labels: {app: web}"
#define SPREAD(key, skew, action, more)                                 \
    "topologySpreadConstraints: [{topologyKey: " key ", maxSkew: " skew \
    ", whenUnsatisfiable: " action more "}]"
#define OF_WEB ", labelSelector: {matchLabels: {app: web}}"
#define SKEWED "PodTopologySpread: node(s) didn't match pod topology spread constraints"
#define UNLABELLED SKEWED " (missing required label)"

enum { A, B, NONE };

/* Two zones and a node without one; three matching pods in a, one in b. */
static void open_zones(small_cluster *c, berth_node_id nodes[3])
{
    small_open(c, berth_profile_default());
    nodes[A] = small_node(c, "a", ", labels: {" ZONE ": a}");
    nodes[B] = small_node(c, "b", ", labels: {" ZONE ": b}");
    nodes[NONE] = small_node(c, "none", "");
    small_pod(c, "a1", "a", WEB, "");
    small_pod(c, "a2", "a", WEB, "");
    small_pod(c, "a3", "a", WEB, "");
    small_pod(c, "b1", "b", WEB, "");
    small_pod(c, "other", "b", ", namespace: dev, labels: {app: web}", "");
    small_pod(c, "leaving", "b", ", deletionTimestamp: '2026-01-01T00:00:00Z', labels: {app: web}",
              "");
}

static void test_filter(void **state)
{
    static const struct {
        const char *spec;
        const char *refusals[3];
    } cases[] = {
        {SPREAD(ZONE, "1", "DoNotSchedule", OF_WEB), {SKEWED, "", UNLABELLED}},
        {SPREAD(ZONE, "3", "DoNotSchedule", OF_WEB), {"", "", UNLABELLED}},
        {SPREAD(ZONE, "2", "DoNotSchedule", OF_WEB ", minDomains: 3"), {SKEWED, "", UNLABELLED}},
        {SPREAD(ZONE, "1", "DoNotSchedule", OF_WEB ", minDomains: 3"),
         {SKEWED, SKEWED, UNLABELLED}},
        {SPREAD(ZONE, "1", "DoNotSchedule", ", labelSelector: {}"), {"", "", UNLABELLED}},
        {SPREAD(ZONE, "1", "DoNotSchedule", ""), {"", "", UNLABELLED}},
        /* no pod is in a counted domain: only the key is required */
        {"nodeSelector: {no: where}, " SPREAD(ZONE, "1", "DoNotSchedule", OF_WEB),
         {"NodeAffinity: node(s) didn't match Pod's node affinity/selector",
          "NodeAffinity: node(s) didn't match Pod's node affinity/selector",
          "NodeAffinity: node(s) didn't match Pod's node affinity/selector"}},
        {SPREAD(ZONE, "1", "ScheduleAnyway", OF_WEB), {"", "", ""}},
        {SPREAD(ZONE, "1", "Whatever", OF_WEB), {"", "", ""}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        small_cluster c;
        berth_node_id nodes[3];
        open_zones(&c, nodes);
        small_decide(&c, small_pod(&c, "p", NULL, WEB, cases[i].spec));
        for (int n = A; n <= NONE; n++)
            assert_string_equal(small_refusal(&c, nodes[n]), cases[i].refusals[n]);
        small_close(&c);
    }
}

/* Policies decide which nodes count: without b, a has the smallest count. */
static void test_policies(void **state)
{
    (void)state;
    small_cluster c;
    small_open(&c, berth_profile_default());
    berth_node_id a = small_node(&c, "a", ", labels: {" ZONE ": a}");
    small_add(&c, "kind: Node\napiVersion: v1\nmetadata: {name: b, labels: {" ZONE ": b}}\n"
                  "spec: {taints: [{key: t, effect: NoSchedule}]}\n"
                  "status: {allocatable: {cpu: '4', memory: 8Gi, pods: '110'}}\n");
    small_pod(&c, "a1", "a", WEB, "");
    small_decide(&c, small_pod(&c, "p", NULL, WEB, SPREAD(ZONE, "1", "DoNotSchedule", OF_WEB)));
    assert_string_equal(small_refusal(&c, a), SKEWED);
    small_decide(&c,
                 small_pod(&c, "q", NULL, WEB,
                           SPREAD(ZONE, "1", "DoNotSchedule", OF_WEB ", nodeTaintsPolicy: Honor")));
    assert_string_equal(small_refusal(&c, a), "");
    small_decide(&c, small_pod(&c, "r", NULL, WEB,
                               "nodeSelector: {" ZONE
                               ": a}, " SPREAD(ZONE, "1", "DoNotSchedule", OF_WEB)));
    assert_string_equal(small_refusal(&c, a), "");
    small_decide(&c, small_pod(&c, "s", NULL, WEB,
                               "nodeSelector: {" ZONE
                               ": a}, " SPREAD(ZONE, "1", "DoNotSchedule",
                                               OF_WEB ", nodeAffinityPolicy: Ignore")));
    assert_string_equal(small_refusal(&c, a), SKEWED);
    small_close(&c);
}

/* n1 and n2 in zone a with 2 and 1 matching pods, n3 in zone b with 1, n4 without a zone. */
static void open_scored(small_cluster *c, berth_node_id nodes[4])
{
    small_open(c, berth_profile_default());
    nodes[0] = small_node(c, "n1", ", labels: {" ZONE ": a, " HOST ": n1}");
    nodes[1] = small_node(c, "n2", ", labels: {" ZONE ": a, " HOST ": n2}");
    nodes[2] = small_node(c, "n3", ", labels: {" ZONE ": b, " HOST ": n3}");
    nodes[3] = small_node(c, "n4", ", labels: {" HOST ": n4}");
    small_pod(c, "p1", "n1", WEB, "");
    small_pod(c, "p2", "n1", WEB, "");
    small_pod(c, "p3", "n2", WEB, "");
    small_pod(c, "p4", "n3", WEB, "");
}

static void check_scores(small_cluster *c, const berth_node_id nodes[4], const int64_t wanted[4])
{
    for (int n = 0; n < 4; n++) /* the default weight is 2 */
        assert_int_equal(small_score(c, "PodTopologySpread", nodes[n]), 2 * wanted[n]);
}

static berth_status renew(void *context, const berth_object *object, const berth_error *origin,
                          berth_error *error)
{
    const small_cluster *c = context;
    (void)origin;
    return berth_engine_update(c->engine, object, error);
}

/* The node c gets other facts; `more` is inserted as in small_node, `spec` into its spec. */
static void change_c(small_cluster *c, const char *more, const char *spec)
{
    char text[SMALL_TEXT];
    berth_error error = {.code = BERTH_OK};
    (void)snprintf(text, sizeof(text),
                   "kind: Node\napiVersion: v1\nmetadata: {name: c%s}\nspec: {%s}\n"
                   "status: {allocatable: {cpu: '4', memory: 8Gi, pods: '110'}}\n",
                   more, spec);
    small_require(berth_reader_text(c->reader, (berth_str){text, (uint32_t)strlen(text)}, "test",
                                    renew, c, &error),
                  &error);
}

#define TAINTED "taints: [{key: t, effect: NoSchedule}]"

/* The counts of an earlier decision follow taints and labels of nodes that change: c is the zone
 * with the smallest count as long as it is one, and counts. */
static void test_counts_follow_facts(void **state)
{
    static const char zone_c[] = ", labels: {" ZONE ": c}", zone_a[] = ", labels: {" ZONE ": a}";
    static const struct {
        const char *labels, *spec;
        const char *counted_by_taints, *counted;
    } steps[] = {
        {zone_c, "", SKEWED, SKEWED},
        {zone_c, TAINTED, "", SKEWED},
        {zone_c, "", SKEWED, SKEWED},
        {zone_a, "", "", ""},
        {zone_c, TAINTED, "", SKEWED},
        {zone_a, TAINTED, "", ""},
        {"", "", "", ""},
        {zone_c, "unschedulable: true", SKEWED, SKEWED},
        {zone_c, TAINTED, "", SKEWED},
    };
    small_cluster c;
    (void)state;
    small_open(&c, berth_profile_default());
    berth_node_id a = small_node(&c, "a", zone_a);
    small_add(&c, "kind: Node\napiVersion: v1\nmetadata: {name: b, labels: {" ZONE ": b}}\n"
                  "spec: {" TAINTED "}\n"
                  "status: {allocatable: {cpu: '4', memory: 8Gi, pods: '110'}}\n");
    small_node(&c, "c", zone_c);
    small_pod(&c, "a1", "a", WEB, "");
    small_pod(&c, "b1", "b", WEB, "");
    berth_pod_id by_taints = small_pod(
        &c, "p", NULL, WEB, SPREAD(ZONE, "1", "DoNotSchedule", OF_WEB ", nodeTaintsPolicy: Honor"));
    berth_pod_id any = small_pod(&c, "q", NULL, WEB, SPREAD(ZONE, "1", "DoNotSchedule", OF_WEB));
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        change_c(&c, steps[i].labels, steps[i].spec);
        for (int twice = 0; twice < 2; twice++) {
            small_decide(&c, by_taints);
            assert_string_equal(small_refusal(&c, a), steps[i].counted_by_taints);
            small_decide(&c, any);
            assert_string_equal(small_refusal(&c, a), steps[i].counted);
        }
        assert_int_equal(berth_engine_check(c.engine, NULL), BERTH_OK);
    }
    small_close(&c);
}

static void test_scores(void **state)
{
    (void)state;
    small_cluster c;
    berth_node_id nodes[4];
    open_scored(&c, nodes);
    small_decide(&c, small_pod(&c, "own", NULL, WEB, SPREAD(ZONE, "1", "ScheduleAnyway", OF_WEB)));
    check_scores(&c, nodes, (const int64_t[]){25, 25, 100, 0});
    /* neither a constraint nor a Service or controller that groups the pods */
    berth_pod_id plain = small_pod(&c, "plain", NULL, WEB, "");
    small_decide(&c, plain);
    assert_int_equal(small_score(&c, "PodTopologySpread", nodes[0]), -1);
    small_add(&c, "kind: Service\napiVersion: v1\nmetadata: {name: s}\n"
                  "spec: {selector: {app: web}}\n");
    small_decide(&c, plain);
    check_scores(&c, nodes, (const int64_t[]){14, 21, 50, 100});
    small_close(&c);
}

/* For the constraints of the system, nodes without a zone count as the zone whose name is empty,
 * whichever zone the engine learned of first. */
static void test_zone_with_an_empty_name(void **state)
{
    static const char *const orders[][3] = {
        {"empty", "named", "none"}, {"named", "empty", "none"}, {"none", "named", "empty"}};
    int64_t scores[3][3];
    (void)state;
    for (int i = 0; i < 3; i++) {
        small_cluster c;
        small_open(&c, berth_profile_default());
        for (int n = 0; n < 3; n++) {
            const char *name = orders[i][n];
            char more[160];
            snprintf(more, sizeof(more), ", labels: {" HOST ": %s%s}", name,
                     strcmp(name, "empty") == 0   ? ", " ZONE ": ''"
                     : strcmp(name, "named") == 0 ? ", " ZONE ": z"
                                                  : "");
            small_node(&c, name, more);
        }
        small_add(&c, "kind: Service\napiVersion: v1\nmetadata: {name: s}\n"
                      "spec: {selector: {app: web}}\n");
        small_pod(&c, "p1", "none", WEB, "");
        small_pod(&c, "p2", "none", WEB, "");
        small_pod(&c, "p3", "named", WEB, "");
        small_decide(&c, small_pod(&c, "p", NULL, WEB, ""));
        for (int n = 0; n < 3; n++)
            scores[i][n] =
                small_score(&c, "PodTopologySpread",
                            berth_engine_find_node(c.engine, berth_str_of(orders[0][n])));
        assert_true(scores[i][0] > 0);
        assert_memory_equal(scores[i], scores[0], sizeof(scores[0]));
        small_close(&c);
    }
}

static void check_error(const char *spec, const char *wanted)
{
    small_cluster c;
    berth_node_id nodes[3];
    open_zones(&c, nodes);
    small_decide(&c, small_pod(&c, "p", NULL, WEB, spec));
    assert_int_equal(c.placement.verdict, BERTH_VERDICT_ERROR);
    assert_text(berth_explanation_message(c.explanation), wanted);
    small_close(&c);
}

static void test_unreadable_selector(void **state)
{
    (void)state;
#define ODD ", labelSelector: {matchExpressions: [{key: app, operator: Odd}]}"
    check_error(SPREAD(ZONE, "1", "DoNotSchedule", ODD),
                "running PreFilter plugin \"PodTopologySpread\": get constraints from pod: "
                "obtaining pod's hard topology spread constraints: \"Odd\" is not a valid label "
                "selector operator");
    check_error(SPREAD(ZONE, "1", "ScheduleAnyway", ODD),
                "running PreScore plugin \"PodTopologySpread\": calculating preScoreState: "
                "obtaining pod's soft topology spread constraints: "
                "\"Odd\" is not a valid label selector operator");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filter),
        cmocka_unit_test(test_policies),
        cmocka_unit_test(test_counts_follow_facts),
        cmocka_unit_test(test_scores),
        cmocka_unit_test(test_zone_with_an_empty_name),
        cmocka_unit_test(test_unreadable_selector),
    };
    return cmocka_run_group_tests_name("pod_topology_spread", tests, NULL, NULL);
}
