/* Node affinity: the nodes that a pod's terms name, together with the node that the pod itself
 * names; weights of preferred terms; affinity that a profile adds. */
#include "arena_pieces.h"
#include "profile_points.h"
#include "rule_cluster.h"
#include "scarce_memory.h"

enum { NODES = 32, NAMES = 100 };

#define TERM(...) "{matchFields: [" __VA_ARGS__ "]}"
#define NAMED(op, names) "{key: metadata.name, operator: " op ", values: [" names "]}"
#define REQUIRED(terms)                                                          \
    "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: " \
    "{nodeSelectorTerms: [" terms "]}}}, containers: [{name: c}]"
#define PREFERRED(terms)                                                                 \
    "affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [" terms \
    "]}}, containers: [{name: c}]"

static void add_nodes(small_cluster *c)
{
    small_node(c, "a", "");
    small_node(c, "b", "");
    small_node(c, "d", "");
}

/* A pod may name a node that does not exist (yet). If its affinity excludes that node, no node can
 * ever fit; otherwise the other nodes are refused for their name only. */
static void test_named_node_and_affinity(void **state)
{
    small_cluster *c = *state;
    static const char never[] = "node(s) didn't satisfy plugin(s) [NodeAffinity NodeName] "
                                "simultaneously";
    static const struct {
        const char *spec;
        bool ever;
    } cases[] = {
        {REQUIRED(TERM(NAMED("In", "a"))), false},
        {REQUIRED(TERM(NAMED("In", "ghost"))), true},
        {REQUIRED(TERM(NAMED("In", "a, ghost"))), true},
        {REQUIRED(TERM(NAMED("In", "a")) ", " TERM(NAMED("In", "ghost"))), true},
        {REQUIRED(TERM(NAMED("In", "ghost")) ", " TERM(NAMED("In", "a"))), true},
        {REQUIRED(TERM(NAMED("In", "a")) ", " TERM(NAMED("In", "b"))), false},
        {REQUIRED(TERM(NAMED("In", "a, ghost") ", " NAMED("In", "a, b"))), false},
        {REQUIRED(TERM(NAMED("In", "a, ghost") ", " NAMED("NotIn", "a"))), true},
    };
    add_nodes(c);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char name[8];
        (void)snprintf(name, sizeof(name), "p%u", (unsigned)i);
        small_decide(c, small_pod(c, name, "ghost", "", cases[i].spec));
        assert_int_equal(c->placement.verdict, BERTH_VERDICT_UNSCHEDULABLE);
        const berth_str said = berth_explanation_pre_filter(c->explanation);
        const bool refused = said.len > 0 && memmem(said.data, said.len, never, strlen(never));
        if (refused == cases[i].ever)
            fail_msg("%s: \"%.*s\"", cases[i].spec, (int)said.len, said.data);
    }
}

/* The search is restricted to names on which one term's requirements agree, and those of several
 * terms add up. The filter itself accepts a single name for each requirement. */
static void test_names_of_terms(void **state)
{
    small_cluster *c = *state;
    add_nodes(c);
    small_decide(c, small_pod(c, "p", NULL, "",
                              REQUIRED(TERM(NAMED("In", "a, b") ", " NAMED("In", "b, d")))));
    assert_int_equal(c->placement.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    assert_string_equal(small_refusal(c, 0), "");
    assert_string_equal(small_refusal(c, 1),
                        "NodeAffinity: node(s) didn't match Pod's node affinity/selector");
    assert_string_equal(small_refusal(c, 2), "");
    small_decide(c, small_pod(c, "q", NULL, "",
                              REQUIRED(TERM(NAMED("In", "a")) ", " TERM(NAMED("In", "d")))));
    assert_int_equal(berth_explanation_feasible_count(c->explanation), 2);
    small_decide(
        c, small_pod(c, "r", NULL, "", REQUIRED(TERM(NAMED("In", "a") ", " NAMED("In", "d")))));
    assert_int_equal(c->placement.verdict, BERTH_VERDICT_UNSCHEDULABLE);
    assert_text(berth_explanation_pre_filter(c->explanation), "pod affinity terms conflict");
}

/* A preferred term that is not valid is an error unless its weight is 0. */
static void test_invalid_preference(void **state)
{
    small_cluster *c = *state;
    add_nodes(c);
    small_decide(c, small_pod(c, "p", NULL, "",
                              PREFERRED("{weight: 0, preference: {matchExpressions: [{key: k, "
                                        "operator: Bogus}]}}")));
    assert_int_equal(c->placement.verdict, BERTH_VERDICT_PLACED);
    const berth_pod_id q = small_pod(c, "q", NULL, "",
                                     PREFERRED("{weight: 1, preference: {matchExpressions: [{key: "
                                               "k, operator: Bogus}]}}"));
    small_decide(c, q);
    assert_int_equal(c->placement.verdict, BERTH_VERDICT_ERROR);
    assert_text(berth_explanation_message(c->explanation),
                "running PreScore plugin \"NodeAffinity\": [0].matchExpressions[0].operator: "
                "Unsupported value: \"Bogus\": supported values: \"In\", \"NotIn\", \"Exists\", "
                "\"DoesNotExist\", \"Gt\", \"Lt\"");
}

static berth_status create(const berth_allocator *allocator, const void *profile)
{
    berth_engine_config config;
    berth_engine *engine;
    berth_engine_config_init(&config);
    config.threads = 1;
    config.allocator = allocator;
    config.profiles = profile;
    config.profile_count = 1;
    berth_status status = berth_engine_create(&config, &engine, NULL);
    if (status == BERTH_OK)
        berth_engine_destroy(engine);
    return status;
}

/* A profile's own affinity is copied; if the memory ends there, no engine is made. */
static void test_memory_of_added_affinity(void **state)
{
    (void)state;
    berth_str value = TEXT("x");
    const berth_requirement requirement = {
        .key = TEXT("disk"), .op = TEXT("In"), .values = {&value, 1}};
    const berth_node_selector_term term = {.match_expressions = {&requirement, 1}};
    const berth_node_selector required = {&term, 1};
    const berth_preferred_node_term preferred[] = {{.weight = 1, .preference = term},
                                                   {.weight = 2, .preference = term}};
    const berth_plugin_args args = {.node_affinity.added_affinity = {.required = &required,
                                                                     .preferred = preferred,
                                                                     .preferred_count = 2}};
    const berth_plugin_ref ref = {.name = TEXT("NodeAffinity"), .weight = 1, .args = &args};
    berth_profile profile = *berth_profile_default();
    profile_points points;
    own_points(&profile, &points)[BERTH_POINT_FILTER] = (berth_plugin_list){&ref, 1};
    points.lists[BERTH_POINT_SCORE] = (berth_plugin_list){&ref, 1};
    arena_pieces_refuse = scarce_piece;
    scarce_each_request(create, &profile);
    arena_pieces_refuse = NULL;
}

/* A pod is for one node by its name, or for nodes of many names, which kube-scheduler never
 * accepts. The names of the second term take nothing from the first. */
static void test_terms_of_names(void **state)
{
    small_cluster *c = *state;
    char names[NAMES * 8] = "";
    size_t at = 0;
    berth_node_id last = BERTH_NODE_NONE;
    for (int i = 0; i < NODES; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "n%d", i);
        last = small_node(c, name, "");
    }
    for (int i = 0; i < NAMES; i++)
        at += (size_t)snprintf(names + at, sizeof(names) - at, "%sx%d", i > 0 ? ", " : "", i);
    small_decide(c, small_addf(c,
                               "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {affinity: "
                               "{nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
                               "{nodeSelectorTerms: [{matchFields: [{key: metadata.name, "
                               "operator: In, values: [n%d]}]}, {matchFields: [{key: "
                               "metadata.name, operator: In, values: [%s]}]}]}}}}\n",
                               NODES - 1, names));
    assert_int_equal(c->placement.verdict, BERTH_VERDICT_PLACED);
    assert_int_equal(c->placement.node, last);
}

/* Scores of weights that multiply them beyond 16 bits and beyond 32 bits. */
static void test_large_weights(void **state)
{
    static const int32_t weights[] = {1, 327, 328, 100000, INT32_MAX};
    static const berth_path paths[] = {BERTH_PATH_SCAN, BERTH_PATH_INDEX};
    (void)state;
    for (size_t i = 0; i < 2 * sizeof(weights) / sizeof(weights[0]); i++) {
        const int32_t weight = weights[i / 2];
        const berth_plugin_ref ref = {.name = TEXT("NodeAffinity"), .weight = weight};
        berth_profile profile = *berth_profile_default();
        profile_points points;
        berth_engine_config config;
        small_cluster c;
        own_points(&profile, &points)[BERTH_POINT_SCORE] = (berth_plugin_list){&ref, 1};
        berth_engine_config_init(&config);
        config.profiles = &profile;
        config.profile_count = 1;
        config.path = paths[i % 2];
        small_open_as(&c, config);
        add_nodes(&c);
        const berth_node_id best = small_node(&c, "best", "");
        const berth_pod_id pod =
            small_pod(&c, "p", NULL, "",
                      PREFERRED("{weight: 1, preference: " TERM(
                          NAMED("In", "b")) "}, {weight: 2, "
                                            "preference: " TERM(NAMED("In", "best")) "}"));
        small_decide(&c, pod);
        assert_int_equal(c.placement.node, best);
        assert_int_equal(c.placement.total, 100 * (int64_t)weight);
        small_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CLUSTER(test_named_node_and_affinity),      WITH_CLUSTER(test_names_of_terms),
        WITH_CLUSTER(test_invalid_preference),           WITH_CLUSTER(test_terms_of_names),
        cmocka_unit_test(test_memory_of_added_affinity), cmocka_unit_test(test_large_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
