/* Configurations of kubescheduler.config.k8s.io/v1alpha1 and Policy files. */
#include "config_check.h"

#include "legacy/legacy.h"

#define HEAD "apiVersion: kubescheduler.config.k8s.io/v1alpha1\nkind: KubeSchedulerConfiguration\n"
#define POLICY "apiVersion: v1\nkind: Policy\n"

/* ---- accepted ---- */

static void test_golden(void **state)
{
    (void)state;
    check_golden("sample.yaml");
    check_golden("sample-flat.yaml");
    check_golden("autoscaler.json");
    check_golden("policy.yaml");
    check_golden("policy-empty.yaml");
    check_golden("policy-missing.json");
}

static void test_percentage(void **state)
{
    static const percentage cases[] = {
        {"", 0},
        {"percentageOfNodesToScore: 0\n", 0},
        {"percentageOfNodesToScore: 1\n", 1},
        {"percentageOfNodesToScore: 100\n", 100},
        {"percentageOfNodesToScore: 101\n", 100},
        {"percentageOfNodesToScore: 2147483647\n", 100},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        check_percentage(HEAD, &cases[i]);
}

/* Without a source, or with an empty one, the default provider is used. */
static void test_default_source(void **state)
{
    static const char *const texts[] = {
        HEAD,
        HEAD "algorithmSource: {}\n",
        HEAD "algorithmSource: {provider: null}\n",
        HEAD "algorithmSource: {provider: DefaultProvider}\n",
    };
    (void)state;
    sheet want = {.len = 0};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        berth_scheduler_config *config = accept(texts[i]);
        sheet got = {.len = 0};
        put_config(i == 0 ? &want : &got, config);
        if (i > 0)
            assert_string_equal(got.text, want.text);
        berth_scheduler_config_destroy(config);
    }
}

/* Every predicate has a unique place, and the list of the provider is in that order. */
static void test_evaluation_order(void **state)
{
    (void)state;
    berth_plugin_list list = berth__legacy_predicates();
    uint32_t before = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        uint32_t rank = berth__legacy_predicate_rank(list.items[i].name);
        assert_true(rank != UINT32_MAX);
        assert_true(i == 0 || rank > before);
        before = rank;
    }
    berth_plugin_list mandatory = berth__legacy_mandatory();
    for (uint32_t i = 0; i < mandatory.count; i++)
        assert_non_null(berth__legacy_predicate_find(mandatory.items[i].name));
    assert_int_equal(berth__legacy_predicate_rank(BERTH_STR("PodFitsPorts")), UINT32_MAX);
}

/* ---- refused ---- */

static void test_refused_settings(void **state)
{
    static const refusal table[] = {
        {"percentageOfNodesToScore: -1", BERTH_E_INVALID, "percentageOfNodesToScore", "not -1"},
        {"percentageOfNodesToScore: many", BERTH_E_INVALID, "percentageOfNodesToScore",
         "must be an integer"},
        {"hardPodAffinitySymmetricWeight: 0", BERTH_E_INVALID, "hardPodAffinitySymmetricWeight",
         "not 0"},
        {"hardPodAffinitySymmetricWeight: 101", BERTH_E_INVALID, "hardPodAffinitySymmetricWeight",
         "not 101"},
        {"schedulerName: ''", BERTH_E_INVALID, "schedulerName", "must be given"},
        {"bindTimeoutSeconds: -1", BERTH_E_INVALID, "bindTimeoutSeconds", "not -1"},
        {"disablePreemption: 1", BERTH_E_INVALID, "disablePreemption", "must be a boolean"},
        {"podMaxBackoffSeconds: 0", BERTH_E_INVALID, "podMaxBackoffSeconds", "not 0"},
        {"profiles: []", BERTH_E_INVALID, "profiles", "unknown field"},
        {"plugins: {score: {}}", BERTH_E_UNSUPPORTED, "plugins", "use a Policy"},
        {"pluginConfig: [{name: a}]", BERTH_E_UNSUPPORTED, "pluginConfig", "use a Policy"},
        {"pluginConfig: true", BERTH_E_UNSUPPORTED, "pluginConfig", "use a Policy"},
        {"algorithmSource: DefaultProvider", BERTH_E_INVALID, "algorithmSource",
         "must be an object, not a string"},
        {"algorithmSource: {name: a}", BERTH_E_INVALID, "algorithmSource.name", "unknown field"},
        {"algorithmSource: {provider: Default}", BERTH_E_INVALID, "algorithmSource.provider",
         "not \"Default\""},
        {"algorithmSource: {provider: ''}", BERTH_E_INVALID, "algorithmSource.provider",
         "must be given"},
        {"algorithmSource:\nprovider: Default", BERTH_E_INVALID, "provider", "not \"Default\""},
        {"algorithmSource: {}\nprovider: DefaultProvider", BERTH_E_INVALID, "provider",
         "belongs into algorithmSource"},
        {"algorithmSource: {provider: DefaultProvider, policy: {}}", BERTH_E_INVALID,
         "algorithmSource", "not both"},
        {"algorithmSource: {policy: {}}", BERTH_E_INVALID, "algorithmSource.policy.file",
         "must be given"},
        {"algorithmSource: {policy: {url: x}}", BERTH_E_INVALID, "algorithmSource.policy.url",
         "unknown field"},
        {"algorithmSource: {policy: {configMap: {namespace: a, name: b}}}", BERTH_E_UNSUPPORTED,
         "algorithmSource.policy.configMap", "policy.cfg"},
        {"algorithmSource: {policy: {file: {}}}", BERTH_E_INVALID,
         "algorithmSource.policy.file.path", "must be given"},
        {"algorithmSource: {policy: {file: {path: no/such/policy}}}", BERTH_E_IO,
         "algorithmSource.policy.file.path", "no/such/policy: "},
    };
    (void)state;
    CHECK_REFUSALS(HEAD, table);
}

static const refusal refused_policies[] = {
    {"predicate: []", BERTH_E_INVALID, "predicate", "unknown field"},
    {"extenders: [{urlPrefix: x}]", BERTH_E_UNSUPPORTED, "extenders", "HTTP"},
    {"hardPodAffinitySymmetricWeight: 101", BERTH_E_INVALID, "hardPodAffinitySymmetricWeight",
     "not 101"},
    {"hardPodAffinitySymmetricWeight: -1", BERTH_E_INVALID, "hardPodAffinitySymmetricWeight",
     "not -1"},
    {"alwaysCheckAllPredicates: 'yes'", BERTH_E_INVALID, "alwaysCheckAllPredicates",
     "must be a boolean, not a string"},
    {"predicates: {}", BERTH_E_INVALID, "predicates", "must be a list"},
    {"predicates: [HostName]", BERTH_E_INVALID, "predicates[0]", "must be an object"},
    {"predicates: [{}]", BERTH_E_INVALID, "predicates[0].name", "must be given"},
    {"predicates: [{name: HostName}, {name: Hostname}]", BERTH_E_INVALID, "predicates[1].name",
     "unknown predicate \"Hostname\""},
    {"predicates: [{name: LeastRequestedPriority}]", BERTH_E_INVALID, "predicates[0].name",
     "unknown predicate"},
    {"predicates: [{name: PodToleratesNodeNoExecuteTaints}]", BERTH_E_INVALID, "predicates[0].name",
     "unknown predicate"},
    {"predicates: [{name: HostName, weight: 1}]", BERTH_E_INVALID, "predicates[0].weight",
     "unknown field"},
    {"predicates: [{name: HostName}, {name: HostName}]", BERTH_E_INVALID, "predicates[1].name",
     "listed twice"},
    {"predicates: [{name: CheckServiceAffinity}]", BERTH_E_INVALID, "predicates[0].argument",
     "must be given for \"CheckServiceAffinity\""},
    {"predicates: [{name: CheckNodeLabelPresence, argument: null}]", BERTH_E_INVALID,
     "predicates[0].argument", "must be given"},
    {"predicates: [{name: Own, argument: []}]", BERTH_E_INVALID, "predicates[0].argument",
     "must be an object"},
    {"predicates: [{name: Own, argument: {}}]", BERTH_E_INVALID, "predicates[0].argument",
     "exactly one member, not 0"},
    {"predicates: [{name: Own, argument: {labelPreference: {}}}]", BERTH_E_INVALID,
     "predicates[0].argument.labelPreference", "unknown field"},
    {"predicates: [{name: Own, argument: {serviceAffinity: {labels: [a]}, "
     "labelsPresence: {labels: [a]}}}]",
     BERTH_E_INVALID, "predicates[0].argument", "exactly one member, not 2"},
    {"predicates: [{name: Own, argument: {serviceAffinity: {}}}]", BERTH_E_INVALID,
     "predicates[0].argument.serviceAffinity.labels", "at least one"},
    {"predicates: [{name: Own, argument: {serviceAffinity: {labels: [], presence: true}}}]",
     BERTH_E_INVALID, "predicates[0].argument.serviceAffinity.presence", "unknown field"},
    {"predicates: [{name: Own, argument: {labelsPresence: {labels: [a, 1]}}}]", BERTH_E_INVALID,
     "predicates[0].argument.labelsPresence.labels[1]", "must be a string"},
    {"predicates: [{name: Own, argument: {labelsPresence: {labels: [a], presence: 1}}}]",
     BERTH_E_INVALID, "predicates[0].argument.labelsPresence.presence", "must be a boolean"},
    {"predicates: [{name: My_own, argument: {serviceAffinity: {labels: [a]}}}]", BERTH_E_INVALID,
     "predicates[0].name", "not \"My_own\""},
    {"predicates: [{name: X, argument: {serviceAffinity: {labels: [a]}}}]", BERTH_E_INVALID,
     "predicates[0].name", "two or more"},
    {"predicates: [{name: Own-, argument: {serviceAffinity: {labels: [a]}}}]", BERTH_E_INVALID,
     "predicates[0].name", "not \"Own-\""},
    {"priorities: [{name: EqualPriority}]", BERTH_E_INVALID, "priorities[0].weight",
     "must be given and above 0"},
    {"priorities: [{name: EqualPriority, weight: 0}]", BERTH_E_INVALID, "priorities[0].weight",
     "not 0"},
    {"priorities: [{name: EqualPriority, weight: 1}, {name: LeastRequestedPriority, "
     "weight: -5}]",
     BERTH_E_INVALID, "priorities[1].weight", "not -5"},
    {"priorities: [{name: EqualPriority, weight: 2147483648}]", BERTH_E_INVALID,
     "priorities[0].weight", "not 2147483648"},
    {"priorities: [{name: Equal, weight: 1}]", BERTH_E_INVALID, "priorities[0].name",
     "unknown priority \"Equal\""},
    {"priorities: [{name: ResourceLimitsPriority, weight: 1}]", BERTH_E_INVALID,
     "priorities[0].name", "unknown priority"},
    {"priorities: [{name: EqualPriority, weight: 1}, {name: EqualPriority, weight: 2}]",
     BERTH_E_INVALID, "priorities[1].name", "listed twice"},
    {"priorities: [{name: ServiceAntiAffinityPriority, weight: 1}]", BERTH_E_INVALID,
     "priorities[0].argument", "must be given"},
    {"priorities: [{name: CalculateAntiAffinityPriority, weight: 1}]", BERTH_E_INVALID,
     "priorities[0].argument", "must be given"},
    {"priorities: [{name: NodeLabelPriority, weight: 1}]", BERTH_E_INVALID,
     "priorities[0].argument", "must be given"},
    {"priorities: [{name: Own, weight: 1, argument: {serviceAntiAffinity: {}}}]", BERTH_E_INVALID,
     "priorities[0].argument.serviceAntiAffinity.label", "must be given"},
    {"priorities: [{name: Own, weight: 1, argument: {labelPreference: {label: 5}}}]",
     BERTH_E_INVALID, "priorities[0].argument.labelPreference.label", "must be a string"},
    {"priorities: [{name: Own, weight: 1, argument: "
     "{requestedToCapacityRatioArguments: {}}}]",
     BERTH_E_INVALID, "priorities[0].argument.requestedToCapacityRatioArguments.shape",
     "at least one"},
    {"priorities: [{name: Own, weight: 1, argument: {requestedToCapacityRatioArguments: "
     "{shape: [{utilization: 10, score: 1}, {utilization: 1, score: 1}]}}}]",
     BERTH_E_INVALID,
     "priorities[0].argument.requestedToCapacityRatioArguments.shape[1].utilization",
     "above the 10"},
};

static void test_refused_policies(void **state)
{
    (void)state;
    CHECK_REFUSALS(POLICY, refused_policies);
}

/* ---- a Policy in a separate file ---- */

/* Write `text` into a new file; `path` receives its name. */
static void write_file(char path[32], const char *text)
{
    snprintf(path, 32, "%s", "/tmp/berth_policy_XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

/* The errors of a Policy name its file and field. */
static void test_policy_file_errors(void **state)
{
    static const struct {
        const char *policy;
        berth_status status;
        const char *field;
        const char *message;
    } cases[] = {
        {"", BERTH_E_PARSE, "", "empty"},
        {"{\"predicates\": [}", BERTH_E_PARSE, "", ""},
        {"[]", BERTH_E_INVALID, "", "must be an object"},
        {"kind: Pod\n", BERTH_E_INVALID, "kind", "must be Policy, not \"Pod\""},
        {"priorities: [{name: x, weight: 1}]\n", BERTH_E_INVALID, "priorities[0].name",
         "unknown priority"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char path[32];
        char text[512];
        berth_error error = {0};
        berth_scheduler_config *config = NULL;
        write_file(path, cases[i].policy);
        snprintf(text, sizeof(text), HEAD "algorithmSource: {policy: {file: {path: %s}}}\n", path);
        berth_status status =
            berth_scheduler_config_text(berth__text_of(text), "test.yaml", 0, &config, &error);
        remove(path);
        assert_null(config);
        assert_int_equal(status, cases[i].status);
        assert_string_equal(error.source, path);
        assert_string_equal(error.field, cases[i].field);
        assert_non_null(strstr(error.message, cases[i].message));
    }
}

/* kind and apiVersion are optional there. */
static void test_policy_file_untyped(void **state)
{
    (void)state;
    char path[32];
    char text[512];
    write_file(path, "{\"predicates\": [{\"name\": \"HostName\"}], \"priorities\": []}");
    snprintf(text, sizeof(text), HEAD "algorithmSource: {policy: {file: {path: %s}}}\n", path);
    berth_scheduler_config *config = accept(text);
    remove(path);
    const berth_profile *profile = first_profile(config);
    assert_int_equal(berth_profile_list(profile, BERTH_POINT_FILTER).count, 3);
    assert_int_equal(berth_profile_list(profile, BERTH_POINT_SCORE).count, 0);
    berth_scheduler_config_destroy(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_percentage),
        cmocka_unit_test(test_default_source),
        cmocka_unit_test(test_evaluation_order),
        cmocka_unit_test(test_refused_settings),
        cmocka_unit_test(test_refused_policies),
        cmocka_unit_test(test_policy_file_errors),
        cmocka_unit_test(test_policy_file_untyped),
    };
    return cmocka_run_group_tests_name("config_legacy", tests, NULL, NULL);
}
