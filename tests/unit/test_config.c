/* Configurations of kubescheduler.config.k8s.io/v1 and v1beta3, and the opening and parsing shared
 * by all versions. */
#include "config_check.h"

#include <unistd.h>

#include "arena_pieces.h"
#include "base/memory.h"
#include "config/config.h"
#include "plugins/profile_lists.h"
#include "scarce_memory.h"

#define HEAD "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

/* ---- accepted ---- */

static void test_golden(void **state)
{
    (void)state;
    check_golden("minimal.yaml");
    check_golden("everything.yaml");
    check_golden("lists.yaml");
    check_golden("beta.json");
}

/* The default profile, the default configuration and the table agree. */
static void test_default_profile(void **state)
{
    (void)state;
    sheet constant = {.len = 0};
    sheet read = {.len = 0};
    berth_scheduler_config *config = accept(HEAD);
    put_profile(&constant, berth_profile_default());
    put_profile(&read, first_profile(config));
    assert_string_equal(constant.text, read.text);
    berth_scheduler_config_destroy(config);

    uint32_t count;
    const berth__plugin_info *infos = berth__plugin_infos(0, &count);
    assert_int_equal(count, 20);
    for (unsigned p = 0; p < BERTH_POINT_PLACEMENT_GENERATE; p++) { /* groups' are not in it */
        const berth_plugin_list list = berth_profile_list(berth_profile_default(), (berth_point)p);
        uint32_t at = 0;
        for (uint32_t i = 0; i < count; i++) {
            if ((infos[i].points >> p & 1) == 0)
                continue;
            assert_true(at < list.count);
            assert_true(berth__str_eq(list.items[at].name, infos[i].name));
            at++;
        }
        assert_int_equal(at, list.count);
    }
}

static void test_percentage(void **state)
{
    static const percentage cases[] = {
        {"", 0},
        {"percentageOfNodesToScore: 0\n", 0},
        {"percentageOfNodesToScore: 30\n", 30},
        {"percentageOfNodesToScore: 30\nprofiles: []\n", 30},
        {"percentageOfNodesToScore: 30\nprofiles: [{}]\n", 30},
        {"percentageOfNodesToScore: 30\nprofiles: [{percentageOfNodesToScore: null}]\n", 30},
        {"percentageOfNodesToScore: 30\nprofiles: [{percentageOfNodesToScore: 0}]\n", 0},
        {"percentageOfNodesToScore: 30\nprofiles: [{percentageOfNodesToScore: 70}]\n", 70},
        {"profiles: [{percentageOfNodesToScore: 100}]\n", 100},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        check_percentage(HEAD, &cases[i]);
}

/* Text is copied: the profiles outlive it. */
static void test_text_is_copied(void **state)
{
    (void)state;
    char *text = strdup(HEAD "profiles:\n- schedulerName: mine\n  plugins:\n    filter:\n"
                             "      enabled: [{name: Own}]\n"
                             "  pluginConfig: [{name: Own, args: {a: b}}]\n");
    berth_scheduler_config *config = accept(text);
    memset(text, 'x', strlen(text));
    free(text);
    const berth_profile *profile = first_profile(config);
    const berth_plugin_list filters = berth_profile_list(profile, BERTH_POINT_FILTER);
    assert_true(berth__str_is(profile->scheduler_name, "mine"));
    assert_true(berth__str_is(filters.items[filters.count - 1].name, "Own"));
    assert_true(berth__str_is(filters.items[filters.count - 1].args->raw_json, "{\"a\":\"b\"}"));
    berth_scheduler_config_destroy(config);
}

static void test_same_queue_sort(void **state)
{
    (void)state;
    berth_scheduler_config_destroy(
        accept(HEAD "profiles:\n"
                    "- schedulerName: a\n"
                    "  plugins: {queueSort: {disabled: [{name: '*'}], enabled: [{name: Own}]}}\n"
                    "  pluginConfig: [{name: Own, args: {a: 1}}]\n"
                    "- schedulerName: b\n"
                    "  plugins: {queueSort: {disabled: [{name: '*'}], enabled: [{name: Own}]}}\n"
                    "  pluginConfig: [{name: Own, args: {a: 1}}]\n"));
}

static void test_yaml_document_marks(void **state)
{
    (void)state;
    berth_scheduler_config *config =
        accept("---\n" HEAD "...\n\npercentageOfNodesToScore: 50\n...  \r\n---\n# nothing\n...");
    assert_int_equal(first_profile(config)->percentage_of_nodes_to_score, 50);
    berth_scheduler_config_destroy(config);
    config = accept("---\n" HEAD "... \t\r\npercentageOfNodesToScore: 60\n");
    assert_int_equal(first_profile(config)->percentage_of_nodes_to_score, 60);
    berth_scheduler_config_destroy(config);
    config = accept(" \r\n\t{\"apiVersion\": \"kubescheduler.config.k8s.io/v1\", "
                    "\"kind\": \"KubeSchedulerConfiguration\"}");
    berth_scheduler_config_destroy(config);
}

/* ---- refused: the document as a whole ---- */

static void test_refused_texts(void **state)
{
    static const refusal table[] = {
        {"", BERTH_E_PARSE, "", "empty"},
        {" \n\t", BERTH_E_PARSE, "", "empty"},
        {"# only a comment\n", BERTH_E_PARSE, "", "empty"},
        {"{\"a\": ", BERTH_E_PARSE, "", ""},
        {"a: [", BERTH_E_PARSE, "", ""},
        {"- a\n", BERTH_E_INVALID, "", "must be an object"},
        {HEAD "---\n" HEAD, BERTH_E_INVALID, "", "second document"},
        {"kind: KubeSchedulerConfiguration\n", BERTH_E_INVALID, "apiVersion", "must be given"},
        {"apiVersion: kubescheduler.config.k8s.io/v1\n", BERTH_E_INVALID, "kind", "must be given"},
        {"apiVersion: v1\nkind: Pod\n", BERTH_E_UNSUPPORTED, "kind", "not \"Pod\""},
        {"apiVersion: kubescheduler.config.k8s.io/v1beta2\nkind: KubeSchedulerConfiguration\n",
         BERTH_E_UNSUPPORTED, "apiVersion", "v1, v1beta3 or v1alpha1"},
        {"apiVersion: 1\nkind: KubeSchedulerConfiguration\n", BERTH_E_INVALID, "apiVersion",
         "must be a string, not a number"},
        {"apiVersion: a\nkind: {}\n", BERTH_E_INVALID, "kind", "must be a string, not an object"},
    };
    (void)state;
    CHECK_REFUSALS("", table);
}

/* An error in the text has its line; a second document the line of its beginning. */
static void test_refused_positions(void **state)
{
    (void)state;
    berth_error error = {0};
    berth_scheduler_config *config = NULL;
    assert_int_equal(berth_scheduler_config_text(BERTH_STR(HEAD "a: [\n"), "x", 0, &config, &error),
                     BERTH_E_PARSE);
    assert_true(error.line >= 3);
    assert_string_equal(error.source, "x");
    assert_int_equal(
        berth_scheduler_config_text(BERTH_STR("{\n\"a\": 1,\n}"), NULL, 0, &config, &error),
        BERTH_E_PARSE);
    assert_int_equal(error.line, 3);
    assert_int_equal(
        berth_scheduler_config_text(BERTH_STR(HEAD "---\n" HEAD), "x", 0, &config, &error),
        BERTH_E_INVALID);
    assert_true(error.line >= 3);
}

static void test_refused_settings(void **state)
{
    static const refusal table[] = {
        {"percentageOfNodesToScore: 101", BERTH_E_INVALID, "percentageOfNodesToScore",
         "between 0 and 100, not 101"},
        {"percentageOfNodesToScore: -1", BERTH_E_INVALID, "percentageOfNodesToScore", "not -1"},
        {"percentageOfNodesToScore: 5.5", BERTH_E_INVALID, "percentageOfNodesToScore",
         "must be an integer"},
        {"percentageOfNodesToScore: 99999999999999999999", BERTH_E_INVALID,
         "percentageOfNodesToScore", "must be an integer"},
        {"percentageOfNodesToScore: '50'", BERTH_E_INVALID, "percentageOfNodesToScore",
         "must be an integer, not a string"},
        {"parallelism: 0", BERTH_E_INVALID, "parallelism", "not 0"},
        {"parallelism: -3", BERTH_E_INVALID, "parallelism", "not -3"},
        {"parallelism: 4294967296", BERTH_E_INVALID, "parallelism", "not 4294967296"},
        {"podInitialBackoffSeconds: 0", BERTH_E_INVALID, "podInitialBackoffSeconds", "not 0"},
        {"podInitialBackoffSeconds: 11", BERTH_E_INVALID, "podMaxBackoffSeconds", "10 is below 11"},
        {"podMaxBackoffSeconds: -1", BERTH_E_INVALID, "podMaxBackoffSeconds", "not -1"},
        {"extenders: [{urlPrefix: 'http://x'}]", BERTH_E_UNSUPPORTED, "extenders", "HTTP"},
        {"extenders: {}", BERTH_E_INVALID, "extenders", "must be a list, not an object"},
        {"algorithmSource: {}", BERTH_E_INVALID, "algorithmSource", "unknown field"},
        {"PercentageOfNodesToScore: 5", BERTH_E_INVALID, "PercentageOfNodesToScore",
         "unknown field"},
        {"profiles: 1", BERTH_E_INVALID, "profiles", "must be a list"},
        {"profiles: [null]", BERTH_E_INVALID, "profiles[0]", "must be an object, not null"},
        {"profiles: [{name: x}]", BERTH_E_INVALID, "profiles[0].name", "unknown field"},
        {"profiles: [{schedulerName: ''}]", BERTH_E_INVALID, "profiles[0].schedulerName",
         "must be given"},
        {"profiles: [{schedulerName: a}, {}]", BERTH_E_INVALID, "profiles[1].schedulerName",
         "must be given"},
        {"profiles: [{schedulerName: a}, {schedulerName: b}, {schedulerName: a}]", BERTH_E_INVALID,
         "profiles[2].schedulerName", "names profiles[0] too"},
        {"profiles: [{percentageOfNodesToScore: 200}]", BERTH_E_INVALID,
         "profiles[0].percentageOfNodesToScore", "not 200"},
    };
    (void)state;
    CHECK_REFUSALS(HEAD, table);
}

/* What changes no decision is checked, too. */
static void test_refused_process(void **state)
{
#define INVALID(text, field, message)         \
    {                                         \
        text, BERTH_E_INVALID, field, message \
    }
    static const refusal table[] = {
        INVALID("enableProfiling: yes please", "enableProfiling", "must be a boolean"),
        INVALID("enableContentionProfiling: 1", "enableContentionProfiling", "a boolean"),
        INVALID("delayCacheUntilActive: '5'", "delayCacheUntilActive", "a boolean"),
        INVALID("clientConnection: 5", "clientConnection", "must be an object"),
        INVALID("clientConnection: {qpsx: 5}", "clientConnection.qpsx", "unknown field"),
        INVALID("clientConnection: {QPS: 5}", "clientConnection.QPS", "unknown field"),
        INVALID("clientConnection: {kubeconfig: 5}", "clientConnection.kubeconfig", "a string"),
        INVALID("clientConnection: {contentType: []}", "clientConnection.contentType", "a string"),
        INVALID("clientConnection: {acceptContentTypes: 1}", "clientConnection.acceptContentTypes",
                "a string"),
        INVALID("clientConnection: {qps: '5'}", "clientConnection.qps", "must be a number"),
        INVALID("clientConnection: {burst: '5'}", "clientConnection.burst", "integer"),
        INVALID("clientConnection: {burst: -1}", "clientConnection.burst", "0"),
        INVALID("clientConnection: {burst: 2147483648}", "clientConnection.burst", "2147483647"),
        INVALID("leaderElection: leases", "leaderElection", "must be an object"),
        INVALID("leaderElection: {resourceLockx: leases}", "leaderElection.resourceLockx",
                "unknown field"),
        INVALID("leaderElection: {leaderElect: 1}", "leaderElection.leaderElect", "a boolean"),
        INVALID("leaderElection: {leaseDuration: 15}", "leaderElection.leaseDuration", "a string"),
        INVALID("leaderElection: {renewDeadline: 1d}", "leaderElection.renewDeadline",
                "must be a duration such as 15s, not \"1d\""),
        INVALID("leaderElection: {retryPeriod: s}", "leaderElection.retryPeriod", "a duration"),
        INVALID("leaderElection: {resourceName: 1}", "leaderElection.resourceName", "a string"),
        INVALID("leaderElection: {resourceNamespace: {}}", "leaderElection.resourceNamespace",
                "a string"),
        INVALID("leaderElection: {leaderElect: false, resourceLock: 1}",
                "leaderElection.resourceLock", "a string"),
        INVALID("leaderElection: {resourceLock: endpoints}", "leaderElection.resourceLock",
                "must be \"leases\", not \"endpoints\""),
    };
#undef INVALID
    (void)state;
    CHECK_REFUSALS(HEAD, table);
    berth_scheduler_config_destroy(accept(
        HEAD "enableProfiling: false\nenableContentionProfiling: true\n"
             "delayCacheUntilActive: true\nclientConnection: {qps: 1.5, burst: 2147483647}\n"
             "leaderElection: {leaderElect: false, resourceLock: endpoints, retryPeriod: -1us}\n"));
    berth_scheduler_config_destroy(
        accept(HEAD "clientConnection: null\nleaderElection: {resourceLock: ''}\n"));
    berth_scheduler_config_destroy(
        accept(HEAD "clientConnection: {}\nleaderElection: {resourceLock: leases}\n"));
}

static void test_refused_repeated_field(void **state)
{
    static const refusal table[] = {
        {"{\"apiVersion\": \"kubescheduler.config.k8s.io/v1\", "
         "\"kind\": \"KubeSchedulerConfiguration\", \"parallelism\": 1, \"parallelism\": 2}",
         BERTH_E_INVALID, "parallelism", "twice"},
    };
    (void)state;
    CHECK_REFUSALS("", table);
}

/* ---- refused: plugin lists ---- */

static void test_refused_plugins(void **state)
{
#define AT "profiles[0].plugins."
    static const refusal table[] = {
        {"[]", BERTH_E_INVALID, "profiles[0].plugins", "must be an object, not a list"},
        {"{fliter: {}}", BERTH_E_INVALID, AT "fliter", "unknown field"},
        {"{filter: []}", BERTH_E_INVALID, AT "filter", "must be an object"},
        {"{filter: {enable: []}}", BERTH_E_INVALID, AT "filter.enable", "unknown field"},
        {"{filter: {enabled: {}}}", BERTH_E_INVALID, AT "filter.enabled", "must be a list"},
        {"{filter: {enabled: [NodeName]}}", BERTH_E_INVALID, AT "filter.enabled[0]",
         "must be an object, not a string"},
        {"{filter: {enabled: [{}]}}", BERTH_E_INVALID, AT "filter.enabled[0].name",
         "must be given"},
        {"{filter: {enabled: [{name: A, wieght: 1}]}}", BERTH_E_INVALID,
         AT "filter.enabled[0].wieght", "unknown field"},
        {"{score: {enabled: [{name: A}, {name: B}, {name: C, weight: -1}]}}", BERTH_E_INVALID,
         AT "score.enabled[2].weight", "not -1"},
        {"{score: {enabled: [{name: A, weight: 2147483648}]}}", BERTH_E_INVALID,
         AT "score.enabled[0].weight", "not 2147483648"},
        {"{score: {enabled: [{name: A, weight: x}]}}", BERTH_E_INVALID,
         AT "score.enabled[0].weight", "must be an integer, not a string"},
        {"{filter: {enabled: [{name: '*'}]}}", BERTH_E_INVALID, AT "filter.enabled[0].name",
         "disabled list only"},
        {"{filter: {enabled: [{name: EBSLimits}]}}", BERTH_E_INVALID, AT "filter.enabled[0].name",
         "was removed"},
        {"{multiPoint: {enabled: [{name: CinderLimits}]}}", BERTH_E_INVALID,
         AT "multiPoint.enabled[0].name", "was removed"},
        {"{score: {enabled: [{name: NodeAffinity}, {name: NodeName}]}}", BERTH_E_INVALID,
         AT "score.enabled[1]", "\"NodeName\" does not extend score"},
        {"{queueSort: {enabled: [{name: NodeName}]}}", BERTH_E_INVALID, AT "queueSort.enabled[0]",
         "does not extend queueSort"},
        {"{score: {enabled: [{name: A}, {name: A}]}}", BERTH_E_INVALID, AT "score.enabled[1]",
         "enabled twice"},
        {"{filter: {disabled: [{name: '*'}], enabled: [{name: NodeName}, {name: NodeName}]}}",
         BERTH_E_INVALID, AT "filter.enabled[1]", "enabled twice"},
        {"{multiPoint: {enabled: [{name: NodeName}, {name: NodeName}]}}", BERTH_E_INVALID,
         AT "multiPoint.enabled", "\"NodeName\" is enabled twice"},
        {"{multiPoint: {enabled: [{name: A}, {name: A}]}}", BERTH_E_INVALID,
         AT "multiPoint.enabled", "\"A\" is enabled twice"},
        {"{queueSort: {disabled: [{name: '*'}]}}", BERTH_E_INVALID, AT "queueSort", "not 0"},
        {"{queueSort: {enabled: [{name: Own}]}}", BERTH_E_INVALID, AT "queueSort", "not 2"},
        {"{bind: {disabled: [{name: DefaultBinder}]}}", BERTH_E_INVALID, AT "bind", "at least one"},
        {"{multiPoint: {disabled: [{name: '*'}], enabled: [{name: PrioritySort}]}}",
         BERTH_E_INVALID, AT "bind", "at least one"},
    };
    (void)state;
    CHECK_REFUSALS(HEAD "profiles:\n- plugins: ", table);
#undef AT
}

/* A plugin twice in multiPoint is an error only if both would run. */
static void test_multi_point_twice(void **state)
{
    (void)state;
    berth_scheduler_config_destroy(
        accept(HEAD "profiles:\n- plugins:\n"
                    "    multiPoint: {enabled: [{name: ImageLocality}, {name: ImageLocality}]}\n"
                    "    score: {enabled: [{name: ImageLocality}]}\n"));
}

static void test_refused_queue_sorts(void **state)
{
    static const refusal table[] = {
        /* Both sort by PrioritySort, but express it differently. */
        {"- {schedulerName: a}\n"
         "- {schedulerName: b, plugins: {queueSort: {enabled: [{name: PrioritySort}]}}}\n",
         BERTH_E_INVALID, "profiles[1].plugins.queueSort", "the same in all profiles"},
        {"- {schedulerName: a, plugins: {queueSort: {disabled: [{name: P}]}}}\n"
         "- {schedulerName: b, plugins: {queueSort: {disabled: [{name: Q}]}}}\n",
         BERTH_E_INVALID, "profiles[1].plugins.queueSort", "the same in all profiles"},
        {"- schedulerName: a\n"
         "  plugins: {queueSort: {disabled: [{name: '*'}], enabled: [{name: Own}]}}\n"
         "  pluginConfig: [{name: Own, args: {a: 1}}]\n"
         "- schedulerName: b\n"
         "  plugins: {queueSort: {disabled: [{name: '*'}], enabled: [{name: Own}]}}\n",
         BERTH_E_INVALID, "profiles[1].plugins.queueSort", "the same in all profiles"},
    };
    (void)state;
    CHECK_REFUSALS(HEAD "profiles:\n", table);
}

/* Lists whose entries are compared pair by pair have a maximum length. */
static void test_refused_long_list(void **state)
{
    (void)state;
    static char text[8192];
    size_t len = (size_t)snprintf(text, sizeof(text), "%s", HEAD "profiles: [");
    for (int i = 0; i <= BERTH__CONFIG_SHORT_MAX; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "{schedulerName: s%d},", i);
    snprintf(text + len, sizeof(text) - len, "]\n");
    const refusal want = {text, BERTH_E_INVALID, "profiles", "257 entries, more than 256"};
    check_refusal(text, &want);
}

/* ---- refused: arguments ---- */

static void test_refused_plugin_config(void **state)
{
#define AT "profiles[0].pluginConfig"
    static const refusal table[] = {
        {"{}", BERTH_E_INVALID, AT, "must be a list"},
        {"[3]", BERTH_E_INVALID, AT "[0]", "must be an object, not a number"},
        {"[{}]", BERTH_E_INVALID, AT "[0].name", "must be given"},
        {"[{name: A, arg: {}}]", BERTH_E_INVALID, AT "[0].arg", "unknown field"},
        {"[{name: A}, {name: A}]", BERTH_E_INVALID, AT "[1].name", "\"A\" is configured twice"},
        {"[{name: GCEPDLimits}]", BERTH_E_INVALID, AT "[0].name", "was removed"},
        {"[{name: NodeAffinity, args: true}]", BERTH_E_INVALID, AT "[0].args",
         "must be an object, not a boolean"},
        {"[{name: NodeAffinity, args: {x: 1}}]", BERTH_E_INVALID, AT "[0].args.x", "unknown field"},
        {"[{name: NodeAffinity, args: {kind: NodeNameArgs}}]", BERTH_E_INVALID, AT "[0].args.kind",
         "must be NodeAffinityArgs"},
        {"[{name: NodeAffinity, args: {apiVersion: v1}}]", BERTH_E_INVALID,
         AT "[0].args.apiVersion", "kubescheduler.config.k8s.io"},
        {"[{name: InterPodAffinity, args: {hardPodAffinityWeight: 101}}]", BERTH_E_INVALID,
         AT "[0].args.hardPodAffinityWeight", "between 0 and 100, not 101"},
        {"[{name: InterPodAffinity, args: {hardPodAffinityWeight: -1}}]", BERTH_E_INVALID,
         AT "[0].args.hardPodAffinityWeight", "not -1"},
        {"[{name: InterPodAffinity, args: {ignorePreferredTermsOfExistingPods: 1}}]",
         BERTH_E_INVALID, AT "[0].args.ignorePreferredTermsOfExistingPods",
         "must be a boolean, not a number"},
        {"[{name: DefaultPreemption, args: {minCandidateNodesPercentage: 101}}]", BERTH_E_INVALID,
         AT "[0].args.minCandidateNodesPercentage", "not 101"},
        {"[{name: DefaultPreemption, args: {minCandidateNodesAbsolute: -1}}]", BERTH_E_INVALID,
         AT "[0].args.minCandidateNodesAbsolute", "not -1"},
        {"[{name: DefaultPreemption, args: {minCandidateNodesAbsolute: 0, "
         "minCandidateNodesPercentage: 0}}]",
         BERTH_E_INVALID, AT "[0].args.minCandidateNodesPercentage", "together with"},
        {"[{name: DynamicResources, args: {filterTimeout: 10}}]", BERTH_E_INVALID,
         AT "[0].args.filterTimeout", "string"},
        {"[{name: DynamicResources, args: {filterTimeout: -1ns}}]", BERTH_E_INVALID,
         AT "[0].args.filterTimeout", "0s or more, not \"-1ns\""},
        {"[{name: DynamicResources, args: {bindingTimeout: 999.9ms}}]", BERTH_E_INVALID,
         AT "[0].args.bindingTimeout", "1s or more"},
        {"[{name: DynamicResources, args: {bindingTimeout: 1s5}}]", BERTH_E_INVALID,
         AT "[0].args.bindingTimeout", "a duration"},
        {"[{name: DynamicResources, args: {bindingTimeout: 9999999999h}}]", BERTH_E_INVALID,
         AT "[0].args.bindingTimeout", "a duration"},
        {"[{name: DynamicResources, args: {filterTimeout: '0', bindingTimeout: 1m0.5s, x: 1}}]",
         BERTH_E_INVALID, AT "[0].args.x", "unknown field"},
        {"[{name: VolumeBinding, args: {bindTimeoutSeconds: -1}}]", BERTH_E_INVALID,
         AT "[0].args.bindTimeoutSeconds", "not -1"},
        {"[{name: VolumeBinding, args: {shape: [{utilization: 101, score: 1}]}}]", BERTH_E_INVALID,
         AT "[0].args.shape[0].utilization", "not 101"},
    };
    (void)state;
    CHECK_REFUSALS(HEAD "profiles:\n- pluginConfig: ", table);
#undef AT
}

static void test_refused_fit(void **state)
{
#define AT "profiles[0].pluginConfig[0].args."
#define STRATEGY AT "scoringStrategy."
#define SHAPE STRATEGY "requestedToCapacityRatio.shape"
    static const refusal table[] = {
        {"{ignoredResources: cpu}", BERTH_E_INVALID, AT "ignoredResources", "must be a list"},
        {"{ignoredResources: [1]}", BERTH_E_INVALID, AT "ignoredResources[0]", "must be a string"},
        {"{ignoredResources: [example.com/a, '']}", BERTH_E_INVALID, AT "ignoredResources[1]",
         "not a qualified name"},
        {"{ignoredResources: [Example.com/a]}", BERTH_E_INVALID, AT "ignoredResources[0]",
         "not a qualified name"},
        {"{ignoredResources: [a/b/c]}", BERTH_E_INVALID, AT "ignoredResources[0]",
         "not a qualified name"},
        {"{ignoredResources: [/a]}", BERTH_E_INVALID, AT "ignoredResources[0]",
         "not a qualified name"},
        {"{ignoredResources: [a..b/c]}", BERTH_E_INVALID, AT "ignoredResources[0]",
         "not a qualified name"},
        {"{ignoredResources: [a-.b/c]}", BERTH_E_INVALID, AT "ignoredResources[0]",
         "not a qualified name"},
        {"{ignoredResources: [-a]}", BERTH_E_INVALID, AT "ignoredResources[0]",
         "not a qualified name"},
        {"{ignoredResources: ['a b']}", BERTH_E_INVALID, AT "ignoredResources[0]",
         "not a qualified name"},
        {"{ignoredResources: "
         "[aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa]}",
         BERTH_E_INVALID, AT "ignoredResources[0]", "not a qualified name"},
        {"{ignoredResourceGroups: [example.com/a]}", BERTH_E_INVALID, AT "ignoredResourceGroups[0]",
         "has no \"/\""},
        {"{ignoredResourceGroups: [a, '-']}", BERTH_E_INVALID, AT "ignoredResourceGroups[1]",
         "not a qualified name"},
        {"{scoringStrategy: []}", BERTH_E_INVALID, AT "scoringStrategy", "must be an object"},
        {"{scoringStrategy: {}}", BERTH_E_INVALID, STRATEGY "type", "must be given"},
        {"{scoringStrategy: {type: Best}}", BERTH_E_INVALID, STRATEGY "type", "not \"Best\""},
        {"{scoringStrategy: {type: LeastAllocated, resources: [{weight: 1}]}}", BERTH_E_INVALID,
         STRATEGY "resources[0].name", "must be given"},
        {"{scoringStrategy: {type: LeastAllocated, resources: [{name: cpu, weight: 101}]}}",
         BERTH_E_INVALID, STRATEGY "resources[0].weight", "not 101"},
        {"{scoringStrategy: {type: LeastAllocated, resources: [{name: cpu, weight: -1}]}}",
         BERTH_E_INVALID, STRATEGY "resources[0].weight", "not -1"},
        {"{scoringStrategy: {type: LeastAllocated, requestedToCapacityRatio: {shape: []}}}",
         BERTH_E_INVALID, STRATEGY "requestedToCapacityRatio", "only goes with"},
        {"{scoringStrategy: {type: RequestedToCapacityRatio}}", BERTH_E_INVALID,
         STRATEGY "requestedToCapacityRatio", "must be given"},
        {"{scoringStrategy: {type: RequestedToCapacityRatio, requestedToCapacityRatio: {}}}",
         BERTH_E_INVALID, SHAPE, "at least one point"},
        {"{scoringStrategy: {type: RequestedToCapacityRatio, requestedToCapacityRatio: "
         "{shape: [{utilization: 5, score: 1}, {utilization: 5, score: 2}]}}}",
         BERTH_E_INVALID, SHAPE "[1].utilization", "above the 5"},
        {"{scoringStrategy: {type: RequestedToCapacityRatio, requestedToCapacityRatio: "
         "{shape: [{utilization: 101, score: 1}]}}}",
         BERTH_E_INVALID, SHAPE "[0].utilization", "not 101"},
        {"{scoringStrategy: {type: RequestedToCapacityRatio, requestedToCapacityRatio: "
         "{shape: [{utilization: 10, score: 11}]}}}",
         BERTH_E_INVALID, SHAPE "[0].score", "not 11"},
        {"{scoringStrategy: {type: RequestedToCapacityRatio, requestedToCapacityRatio: "
         "{shape: [7]}}}",
         BERTH_E_INVALID, SHAPE "[0]", "must be an object"},
    };
    (void)state;
    CHECK_REFUSALS(HEAD "profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args: ",
                   table);
#undef SHAPE
#undef STRATEGY
#undef AT
}

static void test_refused_balanced(void **state)
{
#define AT "profiles[0].pluginConfig[0].args."
    static const refusal table[] = {
        {"{resources: [{name: cpu, weight: 2}]}", BERTH_E_INVALID, AT "resources[0].weight",
         "not 2"},
        {"{resources: [{name: cpu}, {name: memory}, {name: cpu}]}", BERTH_E_INVALID,
         AT "resources[2].name", "listed twice"},
        {"{resources: [{name: cpu}, {name: memory}, {name: cpu, weight: 3}]}", BERTH_E_INVALID,
         AT "resources[2].weight", "not 3"},
    };
    (void)state;
    CHECK_REFUSALS(HEAD "profiles:\n- pluginConfig:\n"
                        "  - name: NodeResourcesBalancedAllocation\n    args: ",
                   table);
#undef AT
}

static void test_refused_spread(void **state)
{
#define AT "profiles[0].pluginConfig[0].args."
#define LIST "{defaultingType: List, defaultConstraints: ["
    static const refusal table[] = {
        {"{defaultingType: Cluster}", BERTH_E_INVALID, AT "defaultingType",
         "must be System or List, not \"Cluster\""},
        {"{defaultConstraints: [{}]}", BERTH_E_INVALID, AT "defaultingType", "must be List"},
        {"{defaultingType: System, defaultConstraints: [{}]}", BERTH_E_INVALID, AT "defaultingType",
         "must be List"},
        {LIST "{topologyKey: a, whenUnsatisfiable: DoNotSchedule}]}", BERTH_E_INVALID,
         AT "defaultConstraints[0].maxSkew", "must be given"},
        {LIST "{maxSkew: 0, topologyKey: a, whenUnsatisfiable: DoNotSchedule}]}", BERTH_E_INVALID,
         AT "defaultConstraints[0].maxSkew", "not 0"},
        {LIST "{maxSkew: 1, whenUnsatisfiable: DoNotSchedule}]}", BERTH_E_INVALID,
         AT "defaultConstraints[0].topologyKey", "must be given"},
        {LIST "{maxSkew: 1, topologyKey: 'a b', whenUnsatisfiable: DoNotSchedule}]}",
         BERTH_E_INVALID, AT "defaultConstraints[0].topologyKey", "not a qualified name"},
        {LIST "{maxSkew: 1, topologyKey: a}]}", BERTH_E_INVALID,
         AT "defaultConstraints[0].whenUnsatisfiable", "must be given"},
        {LIST "{maxSkew: 1, topologyKey: a, whenUnsatisfiable: Never}]}", BERTH_E_INVALID,
         AT "defaultConstraints[0].whenUnsatisfiable", "not \"Never\""},
        {LIST "{maxSkew: 1, topologyKey: a, whenUnsatisfiable: DoNotSchedule, "
              "labelSelector: {}}]}",
         BERTH_E_INVALID, AT "defaultConstraints[0].labelSelector", "must not be given"},
        {LIST "{maxSkew: 1, topologyKey: a, whenUnsatisfiable: DoNotSchedule, minDomains: 0}]}",
         BERTH_E_INVALID, AT "defaultConstraints[0].minDomains", "not 0"},
        {LIST "{maxSkew: 1, topologyKey: a, whenUnsatisfiable: DoNotSchedule, "
              "nodeTaintsPolicy: x}]}",
         BERTH_E_INVALID, AT "defaultConstraints[0].nodeTaintsPolicy", "Honor or Ignore"},
        {LIST "{maxSkew: 1, topologyKey: a, whenUnsatisfiable: DoNotSchedule}, "
              "{maxSkew: 2, topologyKey: a, whenUnsatisfiable: DoNotSchedule}]}",
         BERTH_E_INVALID, AT "defaultConstraints[1]", "repeats"},
    };
    (void)state;
    CHECK_REFUSALS(HEAD "profiles:\n- pluginConfig:\n  - name: PodTopologySpread\n    args: ",
                   table);
#undef LIST
#undef AT
}

static void test_refused_affinity(void **state)
{
#define ADDED "profiles[0].pluginConfig[0].args.addedAffinity"
#define TERMS ADDED ".requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"
#define REQUIRED(term) \
    "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [" term "]}}"
    static const refusal table[] = {
        {"[]", BERTH_E_INVALID, ADDED, "must be an object"},
        {"{required: {}}", BERTH_E_INVALID, ADDED ".required", "unknown field"},
        {REQUIRED("{matchLabels: {}}"), BERTH_E_INVALID, TERMS "[0].matchLabels", "unknown field"},
        {REQUIRED("{}, {matchExpressions: [{key: a, operator: Is}]}"), BERTH_E_INVALID,
         TERMS "[1].matchExpressions[0].operator", "not \"Is\""},
        {REQUIRED("{matchExpressions: [{operator: Exists}]}"), BERTH_E_INVALID,
         TERMS "[0].matchExpressions[0].key", "not a qualified name"},
        {REQUIRED("{matchExpressions: [{key: a, operator: In}]}"), BERTH_E_INVALID,
         TERMS "[0].matchExpressions[0].values", "must not be empty"},
        {REQUIRED("{matchExpressions: [{key: a, operator: Exists, values: [b]}]}"), BERTH_E_INVALID,
         TERMS "[0].matchExpressions[0].values", "must be empty"},
        {REQUIRED("{matchExpressions: [{key: a, operator: Gt, values: ['1', '2']}]}"),
         BERTH_E_INVALID, TERMS "[0].matchExpressions[0].values", "one integer"},
        {REQUIRED("{matchExpressions: [{key: a, operator: Lt, values: ['-5']}]}"), BERTH_E_INVALID,
         TERMS "[0].matchExpressions[0].values", "one integer"},
        {REQUIRED("{matchExpressions: [{key: a, operator: Lt, values: ['']}]}"), BERTH_E_INVALID,
         TERMS "[0].matchExpressions[0].values", "one integer"},
        {REQUIRED("{matchExpressions: "
                  "[{key: a, operator: Lt, values: ['9223372036854775808']}]}"),
         BERTH_E_INVALID, TERMS "[0].matchExpressions[0].values", "one integer"},
        {REQUIRED("{matchExpressions: [{key: a, operator: NotIn, values: ['', 'a b']}]}"),
         BERTH_E_INVALID, TERMS "[0].matchExpressions[0].values[1]", "not a label value"},
        {REQUIRED("{matchFields: [{key: metadata.name, operator: Exists}]}"), BERTH_E_INVALID,
         TERMS "[0].matchFields[0].operator", "must be In or NotIn"},
        {REQUIRED("{matchFields: [{key: metadata.name, operator: In, values: [a, b]}]}"),
         BERTH_E_INVALID, TERMS "[0].matchFields[0].values", "exactly one"},
        {REQUIRED("{matchExpressions: [{key: a, operator: Exists}], "
                  "matchFields: [{key: metadata.name, operator: Exists}]}"),
         BERTH_E_INVALID, TERMS "[0].matchFields[0].operator", "must be In or NotIn"},
        {"{preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1, preference: "
         "{matchExpressions: [{key: a, operator: Is}]}}]}",
         BERTH_E_INVALID,
         ADDED ".preferredDuringSchedulingIgnoredDuringExecution[0].preference."
               "matchExpressions[0].operator",
         "not \"Is\""},
        {"{preferredDuringSchedulingIgnoredDuringExecution: [{weight: 9223372036854775808}]}",
         BERTH_E_INVALID, ADDED ".preferredDuringSchedulingIgnoredDuringExecution[0].weight",
         "must be an integer of 64 bits"},
        {"{preferredDuringSchedulingIgnoredDuringExecution: [{weight: -9223372036854775809}]}",
         BERTH_E_INVALID, ADDED ".preferredDuringSchedulingIgnoredDuringExecution[0].weight",
         "must be an integer of 64 bits"},
        {"{preferredDuringSchedulingIgnoredDuringExecution: [{weight: 92233720368547758080}]}",
         BERTH_E_INVALID, ADDED ".preferredDuringSchedulingIgnoredDuringExecution[0].weight",
         "must be an integer of 64 bits"},
        {"{preferredDuringSchedulingIgnoredDuringExecution: [{weight: a}]}", BERTH_E_INVALID,
         ADDED ".preferredDuringSchedulingIgnoredDuringExecution[0].weight", "must be an integer"},
    };
    (void)state;
    CHECK_REFUSALS(HEAD "profiles:\n- pluginConfig:\n  - name: NodeAffinity\n    args:\n"
                        "      addedAffinity: ",
                   table);
#undef REQUIRED
#undef TERMS
#undef ADDED
}

/* A path longer than the field of the error is cut and does not overflow. */
static void test_long_path(void **state)
{
    (void)state;
    char text[1024];
    char name[400];
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    snprintf(text, sizeof(text),
             HEAD "profiles:\n- pluginConfig:\n  - name: NodeAffinity\n    args:\n"
                  "      addedAffinity:\n"
                  "        preferredDuringSchedulingIgnoredDuringExecution:\n"
                  "        - preference: {matchExpressions: [{key: a, %s: 1}]}\n",
             name);
    berth_error error = {0};
    berth_scheduler_config *config = NULL;
    assert_int_equal(berth_scheduler_config_text(berth__text_of(text), "x", 0, &config, &error),
                     BERTH_E_INVALID);
    assert_int_equal(strlen(error.field), sizeof(error.field) - 1);
}

/* ---- files, memory, arguments ---- */

static void test_files(void **state)
{
    (void)state;
    berth_error error = {0};
    berth_scheduler_config *config = NULL;
    assert_int_equal(berth_scheduler_config_file("no/such/file", 0, &config, &error), BERTH_E_IO);
    assert_string_equal(error.source, "no/such/file");
    assert_memory_equal(error.message, "cannot open: ", strlen("cannot open: "));
    assert_int_equal(berth_scheduler_config_file(".", 0, &config, &error), BERTH_E_IO);
    char path[] = "/tmp/berth_config_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, 17 << 20), 0);
    close(fd);
    assert_int_equal(berth_scheduler_config_file(path, 0, &config, &error), BERTH_E_INVALID);
    remove(path);
    assert_non_null(strstr(error.message, "larger than 16 MiB"));
    assert_null(config);
}

static void test_wrong_calls(void **state)
{
    (void)state;
    berth_error error = {0};
    berth_scheduler_config *config = NULL;
    assert_int_equal(berth_scheduler_config_file(NULL, 0, &config, &error), BERTH_E_ARG);
    assert_int_equal(berth_scheduler_config_file("", 0, &config, &error), BERTH_E_ARG);
    assert_int_equal(berth_scheduler_config_file("x", 0, NULL, &error), BERTH_E_ARG);
    assert_int_equal(berth_scheduler_config_text((berth_str){NULL, 3}, "x", 0, &config, &error),
                     BERTH_E_ARG);
    assert_int_equal(berth_scheduler_config_text(BERTH_STR("a"), "x", 0, NULL, &error),
                     BERTH_E_ARG);
    assert_int_equal(berth_scheduler_config_text((berth_str){0}, "x", 0, &config, &error),
                     BERTH_E_PARSE);
    berth_scheduler_config_destroy(NULL);
}

static berth_status read_scarcely(const berth_allocator *allocator, const void *source)
{
    const berth__config_source *from = source;
    berth_error error = {0};
    berth_scheduler_config *config = NULL;
    const berth_status status = berth__config_read(allocator, *from, "x", &config, &error);
    if (status != BERTH_OK)
        assert_null(config);
    berth_scheduler_config_destroy(config);
    return status;
}

static void test_scarce_memory(void **state)
{
    (void)state;
    char path[1024];
    golden_path(path, sizeof(path), "everything.yaml");
    scarce_each_request(read_scarcely, &(berth__config_source){.path = path});
    golden_path(path, sizeof(path), "beta.json");
    scarce_each_request(read_scarcely, &(berth__config_source){.path = path});
#ifndef BERTH_NO_LEGACY
    golden_path(path, sizeof(path), "policy.yaml");
    scarce_each_request(read_scarcely, &(berth__config_source){.path = path});
#endif
}

/* Two extenders, whose ignored resources change what the profiles say. */
static berth_status read_extenders_scarcely(const berth_allocator *allocator, const void *text)
{
    const berth__config_source from = {.text = berth__text_of(text), .extenders = true};
    berth_scheduler_config *config = NULL;
    BERTH_TRY(berth__config_read(allocator, from, "x", &config, NULL));
    uint32_t count;
    const berth_profile *profiles = berth_scheduler_config_profiles(config, &count);
    assert_int_equal(count, 2);
    for (uint32_t p = 0; p < count; p++) {
        const berth_plugin_list list = berth_profile_list(&profiles[p], BERTH_POINT_FILTER);
        bool met = false;
        for (uint32_t i = 0; i < list.count; i++) {
            if (!berth__str_is(list.items[i].name, "NodeResourcesFit"))
                continue;
            const berth_strs ignored = list.items[i].args->fit.ignored_resources;
            assert_int_equal(ignored.count, 2);
            assert_true(berth__str_is(ignored.items[0], "x.com/b"));
            assert_true(berth__str_is(ignored.items[1], "x.com/c"));
            met = true;
        }
        assert_true(met);
    }
    berth_scheduler_config_destroy(config);
    return BERTH_OK;
}

static void test_scarce_memory_of_extenders(void **state)
{
    (void)state;
    scarce_each_request(
        read_extenders_scarcely,
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
        "profiles:\n"
        "- {schedulerName: a}\n"
        "- {schedulerName: b, pluginConfig: [{name: NodeResourcesFit, args: {ignoredResources:\n"
        "    [x.com/old], scoringStrategy: {type: MostAllocated}}}]}\n"
        "extenders:\n"
        "- {urlPrefix: x, filterVerb: f, managedResources: [{name: x.com/a}, {name: x.com/b,\n"
        "   ignoredByScheduler: true}]}\n"
        "- {urlPrefix: z, filterVerb: f, managedResources: [{name: x.com/c,\n"
        "   ignoredByScheduler: true}]}\n");
}

#ifdef BERTH_NO_LEGACY
/* A library without v1.15 reports that to the reader of a file and to a caller who fills in a
 * profile. */
static void test_no_legacy(void **state)
{
    static const refusal table[] = {
        {"apiVersion: kubescheduler.config.k8s.io/v1alpha1\nkind: KubeSchedulerConfiguration\n",
         BERTH_E_UNSUPPORTED, "apiVersion", "built without v1.15"},
        {"apiVersion: v1\nkind: Policy\n", BERTH_E_UNSUPPORTED, "kind", "built without v1.15"},
    };
    (void)state;
    check_refusals("", table, sizeof(table) / sizeof(table[0]));
    const berth_profile profile = {.era = BERTH_ERA_V1ALPHA1};
    berth_engine_config config;
    berth_engine_config_init(&config);
    config.profiles = &profile;
    config.profile_count = 1;
    berth_engine *engine = NULL;
    berth_error error;
    assert_int_equal(berth_engine_create(&config, &engine, &error), BERTH_E_UNSUPPORTED);
    assert_non_null(strstr(error.message, "built without v1.15"));
}
#endif

int main(void)
{
    arena_pieces_refuse = scarce_piece;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_default_profile),
        cmocka_unit_test(test_percentage),
        cmocka_unit_test(test_text_is_copied),
        cmocka_unit_test(test_same_queue_sort),
        cmocka_unit_test(test_yaml_document_marks),
        cmocka_unit_test(test_refused_texts),
        cmocka_unit_test(test_refused_positions),
        cmocka_unit_test(test_refused_settings),
        cmocka_unit_test(test_refused_process),
        cmocka_unit_test(test_refused_repeated_field),
        cmocka_unit_test(test_refused_plugins),
        cmocka_unit_test(test_multi_point_twice),
        cmocka_unit_test(test_refused_queue_sorts),
        cmocka_unit_test(test_refused_long_list),
        cmocka_unit_test(test_refused_plugin_config),
        cmocka_unit_test(test_refused_fit),
        cmocka_unit_test(test_refused_balanced),
        cmocka_unit_test(test_refused_spread),
        cmocka_unit_test(test_refused_affinity),
        cmocka_unit_test(test_long_path),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_wrong_calls),
        cmocka_unit_test(test_scarce_memory),
        cmocka_unit_test(test_scarce_memory_of_extenders),
#ifdef BERTH_NO_LEGACY
        cmocka_unit_test(test_no_legacy),
#endif
    };
    return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
