/* Pods of one class share what is prepared for a decision, but some of them name a node that is not
 * there: they fit nowhere, and the others are placed as if those had not been asked about. */
#include "both_paths.h"
#include "profile_points.h"

enum { NODES = 200, TIMES = 12 };

static berth_pod_id add_pod(both_paths *b, const char *name, uint32_t number, const char *spec)
{
    return both_addf(b,
                     "apiVersion: v1\nkind: Pod\nmetadata: {name: %s%u, labels: {app: a}}\nspec: "
                     "{%scontainers: [{name: c, image: i, resources: {requests: {cpu: 10m}}}]}\n",
                     name, (unsigned)number, spec);
}

static void expect_refusal(const both_paths *b, berth_pod_id pod)
{
    berth_placement got;
    for (uint32_t k = 0; k < 2; k++) {
        assert_int_equal(berth_engine_decide(b->c[k].engine, pod, NULL, &got, NULL), BERTH_OK);
        assert_int_equal(got.node, BERTH_NODE_NONE);
    }
}

/* A new term of a running pod makes all kinds prepare again. */
static void add_term(both_paths *b, uint32_t number)
{
    both_addf(b,
              "apiVersion: v1\nkind: Pod\nmetadata: {name: t%1$u}\nspec: {nodeName: n0, affinity: "
              "{podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
              "kubernetes.io/hostname, labelSelector: {matchLabels: {app: x%1$u}}}]}}, "
              "containers: [{name: c, image: i}]}\n",
              (unsigned)number);
}

static void decide_in_turn(const berth_profile *profile)
{
    both_paths b;
    both_open(&b, profile);
    for (uint32_t i = 0; i < NODES; i++)
        both_addf(&b,
                  "apiVersion: v1\nkind: Node\nmetadata: {name: n%1$u, labels: "
                  "{kubernetes.io/hostname: n%1$u}}\nstatus: {allocatable: {cpu: 4, memory: 16Gi, "
                  "pods: 110}}\n",
                  (unsigned)i);
    for (uint32_t i = 0; i < TIMES; i++) {
        add_term(&b, 2 * i);
        const berth_pod_id named = add_pod(&b, "named", i, "nodeName: absent, ");
        expect_refusal(&b, named);
        add_term(&b, 2 * i + 1);
        const berth_pod_id free = add_pod(&b, "free", i, "");
        for (uint32_t k = 0; k < TIMES; k++)
            both_decide(&b, free);
        expect_refusal(&b, named);
    }
    both_close(&b);
}

static void test_by_the_default_profile(void **state)
{
    (void)state;
    decide_in_turn(berth_profile_default());
}

/* There, one predicate looks at the name for each node. */
static void test_by_predicates(void **state)
{
    static const berth_plugin_ref both[] = {
        {.name = {"GeneralPredicates", sizeof("GeneralPredicates") - 1}},
        {.name = {"MatchInterPodAffinity", sizeof("MatchInterPodAffinity") - 1}}};
    berth_profile profile = {.era = BERTH_ERA_V1ALPHA1};
    profile_points points;
    (void)state;
    own_points(&profile, &points)[BERTH_POINT_FILTER] = (berth_plugin_list){both, 2};
    decide_in_turn(&profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_the_default_profile),
        cmocka_unit_test(test_by_predicates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
