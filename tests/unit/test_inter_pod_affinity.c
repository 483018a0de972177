/* InterPodAffinity on clusters of a few nodes. */
#include "profile_points.h"
#include "rule_cluster.h"

#define HOST "kubernetes.io/hostname"
#define TERM(app, more) \
    "{topologyKey: " HOST ", labelSelector: {matchLabels: {app: " app "}}" more "}"
#define AFFINITY "requiredDuringSchedulingIgnoredDuringExecution: "
#define PREFERRED "preferredDuringSchedulingIgnoredDuringExecution: "

/* n1 with a pod of app x, n2 with one of app u, n3 with none, n4 without a host label. */
static void open_hosts(small_cluster *c, berth_node_id nodes[4])
{
    small_open(c, berth_profile_default());
    nodes[0] = small_node(c, "n1", ", labels: {" HOST ": n1}");
    nodes[1] = small_node(c, "n2", ", labels: {" HOST ": n2}");
    nodes[2] = small_node(c, "n3", ", labels: {" HOST ": n3}");
    nodes[3] = small_node(c, "n4", "");
    small_pod(c, "x", "n1", ", labels: {app: x}", "");
    small_pod(c, "u", "n2", ", labels: {app: u}", "");
}

#define UNMATCHED "InterPodAffinity: node(s) didn't match pod affinity rules"
#define UNWANTED "InterPodAffinity: node(s) didn't match pod anti-affinity rules"
#define UNWELCOME "InterPodAffinity: node(s) didn't satisfy existing pods anti-affinity rules"

static void test_filter(void **state)
{
    static const struct {
        const char *app;
        const char *spec;
        const char *refusals[4];
    } cases[] = {
        {"p",
         "affinity: {podAffinity: {" AFFINITY "[" TERM("x", "") "]}}",
         {"", UNMATCHED, UNMATCHED, UNMATCHED}},
        {"p",
         "affinity: {podAntiAffinity: {" AFFINITY "[" TERM("x", "") "]}}",
         {UNWANTED, "", "", ""}},
        /* no pod matches both terms, not even the pod itself */
        {"x",
         "affinity: {podAffinity: {" AFFINITY "[" TERM("x", "") ", " TERM("u", "") "]}}",
         {UNMATCHED, UNMATCHED, UNMATCHED, UNMATCHED}},
        /* the first pod of its kind */
        {"p",
         "affinity: {podAffinity: {" AFFINITY "[" TERM("p", "") "]}}",
         {"", "", "", UNMATCHED}},
        {"p",
         "affinity: {podAffinity: {" AFFINITY "[" TERM("x", ", namespaces: [dev]") "]}}",
         {UNMATCHED, UNMATCHED, UNMATCHED, UNMATCHED}},
        {"p",
         "affinity: {podAntiAffinity: {" AFFINITY "[" TERM("u", ", namespaceSelector: {}") "]}}",
         {"", UNWANTED, "", ""}},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        small_cluster c;
        berth_node_id nodes[4];
        char meta[64];
        open_hosts(&c, nodes);
        snprintf(meta, sizeof(meta), ", labels: {app: %s}", cases[i].app);
        small_decide(&c, small_pod(&c, "p", NULL, meta, cases[i].spec));
        for (int n = 0; n < 4; n++)
            assert_string_equal(small_refusal(&c, nodes[n]), cases[i].refusals[n]);
        small_close(&c);
    }
}

#define HELD(label, operator)                                          \
    "affinity: {podAntiAffinity: {" AFFINITY "[{topologyKey: " HOST    \
    ", labelSelector: {matchExpressions: [{key: " label ", operator: " \
    operator"}]}}]}}"

/* The terms of running pods, which a new pod must respect, are distinguished, too. */
static void test_terms_of_others_are_told_apart(void **state)
{
    static const char *const held[] = {
        HELD("app", "In, values: [p]"),    HELD("app", "NotIn, values: [p]"),
        HELD("app", "In, values: [q]"),    HELD("app", "Exists"),
        HELD("app", "DoesNotExist"),       HELD("tier", "DoesNotExist"),
        HELD("app", "In, values: [q, p]"), HELD("app", "NotIn, values: [q, p]"),
    };
    static const char *const refused[] = {"10010110", "01010101", "01001001"};
    static const char *const labels[] = {"app: p", "app: r", "tier: t"};
    enum { HOLDERS = sizeof(held) / sizeof(held[0]) };
    (void)state;
    small_cluster c;
    berth_node_id nodes[HOLDERS];
    small_open(&c, berth_profile_default());
    for (int i = 0; i < HOLDERS; i++) {
        char name[16], pod[16], meta[64];
        snprintf(name, sizeof(name), "n%d", i);
        snprintf(pod, sizeof(pod), "h%d", i);
        snprintf(meta, sizeof(meta), ", labels: {" HOST ": %s}", name);
        nodes[i] = small_node(&c, name, meta);
        small_pod(&c, pod, name, "", held[i]);
    }
    for (int i = 0; i < 3; i++) {
        char name[16], meta[64];
        snprintf(name, sizeof(name), "p%d", i);
        snprintf(meta, sizeof(meta), ", labels: {%s}", labels[i]);
        small_decide(&c, small_pod(&c, name, NULL, meta, ""));
        for (int n = 0; n < HOLDERS; n++)
            assert_string_equal(small_refusal(&c, nodes[n]), refused[i][n] == '1' ? UNWELCOME : "");
    }
    small_close(&c);
}

/* One engine evaluates terms that differ in only one part: each counts separately. */
static void test_terms_are_told_apart(void **state)
{
    static const struct {
        const char *requirement;
        const char *refused; /* one digit each for n1 and n2: "1" if the node is refused */
    } cases[] = {
        {"key: app, operator: In, values: [x]", "10"},
        {"key: app, operator: NotIn, values: [x]", "01"},
        {"key: app, operator: In, values: [u]", "01"},
        {"key: app, operator: In, values: [u, x]", "11"},
        {"key: app, operator: Exists", "11"},
        {"key: app, operator: DoesNotExist", "00"},
        {"key: tier, operator: DoesNotExist", "11"},
        {"key: tier, operator: Exists", "00"},
    };
    (void)state;
    small_cluster c;
    berth_node_id nodes[4];
    open_hosts(&c, nodes);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char name[16], spec[512];
        snprintf(name, sizeof(name), "p%zu", i);
        snprintf(spec, sizeof(spec),
                 "affinity: {podAntiAffinity: {" AFFINITY "[{topologyKey: " HOST
                 ", labelSelector: {matchExpressions: [{%s}]}}]}}",
                 cases[i].requirement);
        small_decide(&c, small_pod(&c, name, NULL, "", spec));
        for (int n = 0; n < 2; n++)
            assert_string_equal(small_refusal(&c, nodes[n]),
                                cases[i].refused[n] == '1' ? UNWANTED : "");
    }
    small_close(&c);
}

/* The anti-affinity of a running pod repels others until it is removed. */
static void test_unwelcome(void **state)
{
    (void)state;
    small_cluster c;
    berth_node_id nodes[4];
    open_hosts(&c, nodes);
    small_pod(&c, "z", "n3", ", labels: {app: z}",
              "affinity: {podAntiAffinity: {" AFFINITY "[" TERM("p", "") "]}}");
    berth_pod_id pod = small_pod(&c, "p", NULL, ", labels: {app: p}", "");
    berth_pod_id other = small_pod(&c, "q", NULL, ", labels: {app: q}", "");
    small_decide(&c, pod);
    assert_string_equal(small_refusal(&c, nodes[2]), UNWELCOME);
    assert_int_equal(c.placement.feasible_count, 3);
    small_decide(&c, other);
    assert_int_equal(c.placement.feasible_count, 4);
    assert_int_equal(berth_engine_remove(c.engine, BERTH_KIND_POD, (berth_str){"default", 7},
                                         (berth_str){"z", 1}, NULL),
                     BERTH_OK);
    small_decide(&c, pod);
    assert_int_equal(c.placement.feasible_count, 4);
    small_close(&c);
}

/* So does that of the only pod that is nominated, if the new pod has terms itself: otherwise
 * kube-scheduler skips the plugin. */
static void test_nominated_pod_repels(void **state)
{
    (void)state;
    small_cluster c;
    berth_node_id nodes[4];
    berth_error error = {.code = BERTH_OK};
    open_hosts(&c, nodes);
    const berth_pod_id nominated =
        small_pod(&c, "z", NULL, ", labels: {app: z}",
                  "priority: 5, affinity: {podAntiAffinity: {" AFFINITY "[" TERM("p", "") "]}}");
    small_require(berth_engine_nominate(c.engine, nominated, nodes[2], &error), &error);
    small_decide(&c, small_pod(&c, "p", NULL, ", labels: {app: p}",
                               "affinity: {podAntiAffinity: {" AFFINITY "[" TERM("v", "") "]}}"));
    assert_int_equal(c.placement.feasible_count, 3);
    assert_string_equal(small_refusal(&c, nodes[2]), UNWELCOME);
    small_close(&c);
}

/* The namespace selector of a term is matched against the current labels of namespaces. */
static void test_namespaces(void **state)
{
    (void)state;
    small_cluster c;
    berth_node_id nodes[4];
    open_hosts(&c, nodes);
    berth_pod_id pod =
        small_pod(&c, "p", NULL, ", labels: {app: p}",
                  "affinity: {podAntiAffinity: {" AFFINITY
                  "[" TERM("x", ", namespaceSelector: {matchLabels: {env: prod}}") "]}}");
    small_decide(&c, pod);
    assert_int_equal(c.placement.feasible_count, 4);
    small_add(&c, "kind: Namespace\napiVersion: v1\n"
                  "metadata: {name: default, labels: {env: prod}}\n");
    small_decide(&c, pod);
    assert_int_equal(c.placement.feasible_count, 3);
    assert_string_equal(small_refusal(&c, nodes[0]), UNWANTED);
    assert_int_equal(berth_engine_remove(c.engine, BERTH_KIND_NAMESPACE, (berth_str){0},
                                         (berth_str){"default", 7}, NULL),
                     BERTH_OK);
    small_decide(&c, pod);
    assert_int_equal(c.placement.feasible_count, 4);
    small_close(&c);
}

static void check_scores(const char *spec, const int64_t wanted[4])
{
    small_cluster c;
    berth_node_id nodes[4];
    open_hosts(&c, nodes);
    small_decide(&c, small_pod(&c, "p", NULL, "", spec));
    for (int n = 0; n < 4; n++)
        assert_int_equal(small_score(&c, "InterPodAffinity", nodes[n]), wanted[n]);
    small_close(&c);
}

/* The default weight is 2. */
static void test_scores(void **state)
{
    (void)state;
#define SOFT(weight, term) "{weight: " weight ", podAffinityTerm: " term "}"
    check_scores("affinity: {podAffinity: {" PREFERRED
                 "[" SOFT("100", TERM("x", "")) ", " SOFT("29", TERM("u", "")) "]}}",
                 (const int64_t[]){200, 56, 0, 0});
    check_scores("affinity: {podAntiAffinity: {" PREFERRED
                 "[" SOFT("10", TERM("x", "")) ", " SOFT("20", TERM("u", "")) "]}}",
                 (const int64_t[]){100, 0, 200, 200});
    /* terms that cancel each other count; terms that match no pod do not */
    check_scores("affinity: {podAffinity: {" PREFERRED
                 "[" SOFT("5", TERM("x", "")) "]}, "
                                              "podAntiAffinity: {" PREFERRED
                                              "[" SOFT("5", TERM("x", "")) "]}}",
                 (const int64_t[]){0, 0, 0, 0});
    check_scores("affinity: {podAffinity: {" PREFERRED "[" SOFT("5", TERM("z", "")) "]}}",
                 (const int64_t[]){-1, -1, -1, -1});
}

/* Sums that do not fit into 16 bits, in which a scan keeps them if they do: 400 pods on one node
 * and 360 on the other. Node b is larger, so that all other scores favour it. */
static void check_large_sums(const char *kind, uint32_t on_a, uint32_t on_b, const char *best)
{
    static const char node[] =
        "apiVersion: v1\nkind: Node\nmetadata: {name: %s, labels: {" HOST
        ": %s}}\nstatus: {allocatable: {cpu: %u, memory: 8Ti, pods: 1000}}\n";
    small_cluster c;
    berth_engine_config config;
    berth_error error;
    berth_placement placement;
    berth_engine_config_init(&config);
    config.path = BERTH_PATH_SCAN;
    small_open_as(&c, config);
    const berth_node_id a = small_addf(&c, node, "a", "a", 1000u);
    const berth_node_id b = small_addf(&c, node, "b", "b", 4000u);
    for (uint32_t i = 0; i < on_a + on_b; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "p%u", (unsigned)i);
        small_pod(&c, name, i < on_a ? "a" : "b", ", labels: {app: x}", "containers: [{name: c}]");
    }
    const berth_pod_id pod = small_addf(
        &c,
        "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {affinity: {%s: {" PREFERRED
        "[{weight: 100, podAffinityTerm: " TERM("x", "") "}]}}, containers: [{name: c}]}\n",
        kind);
    small_require(berth_engine_schedule(c.engine, pod, &placement, &error), &error);
    assert_int_equal(placement.path, BERTH_PATH_SCAN);
    assert_int_equal(placement.node, strcmp(best, "a") == 0 ? a : b);
    small_close(&c);
}

static void test_large_sums(void **state)
{
    (void)state;
    check_large_sums("podAffinity", 400, 360, "a");
    check_large_sums("podAffinity", 360, 400, "b");
    check_large_sums("podAntiAffinity", 360, 400, "a");
    check_large_sums("podAntiAffinity", 400, 360, "b");
    check_large_sums("podAffinity", 300, 200, "a"); /* these fit */
    check_large_sums("podAntiAffinity", 200, 300, "a");
}

static void check_parse_error(const char *spec, const char *wanted)
{
    small_cluster c;
    berth_node_id nodes[4];
    open_hosts(&c, nodes);
    small_decide(&c, small_pod(&c, "p", NULL, "", spec));
    assert_int_equal(c.placement.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    assert_text(berth_explanation_pre_filter(c.explanation), wanted);
    small_close(&c);
}

static void test_unreadable_selector(void **state)
{
    (void)state;
#define ODD(op) \
    "{topologyKey: t, labelSelector: {matchExpressions: [{key: app, operator: " op "}]}}"
#define BECAUSE(op) "\"" op "\" is not a valid label selector operator"
    check_parse_error("affinity: {podAntiAffinity: {" AFFINITY "[" ODD("Odd") "]}}",
                      "parsing pod: requiredAntiAffinityTerms: " BECAUSE("Odd"));
    check_parse_error("affinity: {podAffinity: {" AFFINITY
                      "[" ODD("One") "], " PREFERRED
                                     "[{weight: 1, podAffinityTerm: " ODD("Two") "}]}}",
                      "parsing pod: [requiredAffinityTerms: " BECAUSE(
                          "One") ", preferredAffinityTerms: " BECAUSE("Two") "]");
}

/* If one term of a running pod is unreadable, its whole list of terms is ignored. */
static void test_unreadable_selector_of_running_pod(void **state)
{
    (void)state;
    small_cluster c;
    berth_node_id nodes[4];
    open_hosts(&c, nodes);
    small_pod(&c, "z", "n3", "",
              "affinity: {podAntiAffinity: {" AFFINITY "[" TERM("p", "") ", " ODD("Odd") "]}}");
    small_decide(&c, small_pod(&c, "p", NULL, ", labels: {app: p}", ""));
    assert_int_equal(c.placement.feasible_count, 4);
    small_close(&c);
}

/* ---- the weight of required affinity of running pods ---- */

/* Checks the score of a pod that a pod on n1 requires, on n1 and on n2; -1: no score is
 * computed. */
static void check_hard_weight(int32_t weight, int64_t there, int64_t elsewhere)
{
    const berth_plugin_args args = {.inter_pod_affinity.hard_pod_affinity_weight = weight};
    berth_profile profile = *berth_profile_default_of(SMALL_KUBERNETES);
    berth_plugin_ref scorers[32];
    profile_points points;
    berth_plugin_list *list = &own_points(&profile, &points)[BERTH_POINT_SCORE];
    assert_true(list->count <= 32);
    for (uint32_t i = 0; i < list->count; i++) {
        berth_str name = list->items[i].name;
        scorers[i] = list->items[i];
        if (name.len == 16 && memcmp(name.data, "InterPodAffinity", 16) == 0)
            scorers[i].args = &args;
    }
    list->items = scorers;
    small_cluster c;
    small_open(&c, &profile);
    berth_node_id n1 = small_node(&c, "n1", ", labels: {" HOST ": n1}");
    berth_node_id n2 = small_node(&c, "n2", ", labels: {" HOST ": n2}");
    small_pod(&c, "p", "n1", ", labels: {app: p}",
              "affinity: {podAffinity: {" AFFINITY "[" TERM("p", "") "]}}");
    small_decide(&c, small_pod(&c, "q", NULL, ", labels: {app: p}", ""));
    assert_int_equal(small_score(&c, "InterPodAffinity", n1), there);
    assert_int_equal(small_score(&c, "InterPodAffinity", n2), elsewhere);
    small_close(&c);
}

static void test_hard_weight(void **state)
{
    (void)state;
    check_hard_weight(1, 200, 0);
    check_hard_weight(100, 200, 0);
    check_hard_weight(0, -1, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filter),
        cmocka_unit_test(test_terms_are_told_apart),
        cmocka_unit_test(test_terms_of_others_are_told_apart),
        cmocka_unit_test(test_unwelcome),
        cmocka_unit_test(test_nominated_pod_repels),
        cmocka_unit_test(test_namespaces),
        cmocka_unit_test(test_scores),
        cmocka_unit_test(test_large_sums),
        cmocka_unit_test(test_hard_weight),
        cmocka_unit_test(test_unreadable_selector),
        cmocka_unit_test(test_unreadable_selector_of_running_pod),
    };
    return cmocka_run_group_tests_name("inter_pod_affinity", tests, NULL, NULL);
}
