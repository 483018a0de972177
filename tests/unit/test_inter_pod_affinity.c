/* InterPodAffinity on clusters of a few nodes. */
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
        /* nobody matches both terms, and the pod does not either */
        {"x",
         "affinity: {podAffinity: {" AFFINITY "[" TERM("x", "") ", " TERM("u", "") "]}}",
         {UNMATCHED, UNMATCHED, UNMATCHED, UNMATCHED}},
        /* the first of its kind */
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

/* A running pod's anti-affinity keeps others away, until it goes. */
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

/* A term's namespace selector is put to the labels of namespaces as they now are. */
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
    /* terms that cancel one another count; terms that match nobody do not */
    check_scores("affinity: {podAffinity: {" PREFERRED
                 "[" SOFT("5", TERM("x", "")) "]}, "
                                              "podAntiAffinity: {" PREFERRED
                                              "[" SOFT("5", TERM("x", "")) "]}}",
                 (const int64_t[]){0, 0, 0, 0});
    check_scores("affinity: {podAffinity: {" PREFERRED "[" SOFT("5", TERM("z", "")) "]}}",
                 (const int64_t[]){-1, -1, -1, -1});
}

static void check_parse_error(const char *spec, const char *wanted)
{
    small_cluster c;
    berth_node_id nodes[4];
    open_hosts(&c, nodes);
    small_decide(&c, small_pod(&c, "p", NULL, "", spec));
    berth_str text = berth_explanation_pre_filter(c.explanation);
    assert_int_equal(c.placement.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    assert_int_equal(text.len, strlen(wanted));
    assert_memory_equal(text.data, wanted, text.len);
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

/* A running pod's list of terms with one that can't be read is as if it were not there. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filter),
        cmocka_unit_test(test_unwelcome),
        cmocka_unit_test(test_namespaces),
        cmocka_unit_test(test_scores),
        cmocka_unit_test(test_unreadable_selector),
        cmocka_unit_test(test_unreadable_selector_of_running_pod),
    };
    return cmocka_run_group_tests_name("inter_pod_affinity", tests, NULL, NULL);
}
