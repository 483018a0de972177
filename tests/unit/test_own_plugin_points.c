/* Own plugins at the points that a configuration names: multiPoint puts a plugin where it has
 * functions; an explicit list of a point for which it has none is refused. */
#include "berth/plugin.h"
#include "rule_cluster.h"

static void filter(const berth_cycle *cycle, const void *instance, const void *state,
                   berth_slice *slice)
{
    (void)cycle;
    (void)instance;
    (void)state;
    for (uint32_t i = 0; i < slice->count; i++)
        if (slice->nodes[i] == 0)
            slice->mask[i / 64] &= ~(UINT64_C(1) << i % 64);
}

static void score(const berth_cycle *cycle, const void *instance, const void *state,
                  const berth_slice *slice, int64_t *values)
{
    (void)cycle;
    (void)instance;
    (void)state;
    for (uint32_t i = 0; i < slice->count; i++)
        values[i] = slice->nodes[i] == 1 ? 100 : 0;
}

static const berth_plugin filters = {.size = sizeof(filters), .name = "Filters", .filter = filter};
static const berth_plugin scores = {.size = sizeof(scores), .name = "Scores", .score = score};

static berth_status create(const char *plugins, berth_engine **out, berth_error *error)
{
    const berth_plugin *tables[] = {&filters, &scores};
    char text[512];
    berth_scheduler_config *source;
    berth_engine_config config;
    int len = snprintf(text, sizeof(text),
                       "{apiVersion: kubescheduler.config.k8s.io/v1, kind: "
                       "KubeSchedulerConfiguration, profiles: [{plugins: %s}]}",
                       plugins);
    small_require(
        berth_scheduler_config_text((berth_str){text, (uint32_t)len}, "test", 0, &source, error),
        error);
    berth_engine_config_init(&config);
    config.threads = 1;
    config.profiles = berth_scheduler_config_profiles(source, &config.profile_count);
    config.plugins = tables;
    config.plugin_count = 2;
    berth_status status = berth_engine_create(&config, out, error);
    berth_scheduler_config_destroy(source);
    return status;
}

/* The node of a pod among three equal nodes. */
static berth_node_id place_with(const char *plugins)
{
    berth_error error = {.code = BERTH_OK};
    berth_placement placement;
    small_cluster c = {.engine = NULL};
    berth_engine *engine;
    small_require(create(plugins, &engine, &error), &error);
    small_open(&c, NULL);
    berth_engine_destroy(c.engine);
    c.engine = engine;
    for (int i = 0; i < 3; i++)
        small_node(&c, (const char *[]){"a", "b", "c"}[i], "");
    berth_pod_id pod = small_pod(&c, "p", NULL, "", "containers: [{name: c, image: i}]");
    small_require(berth_engine_decide(engine, pod, NULL, &placement, &error), &error);
    small_close(&c);
    return placement.node;
}

static void test_multi_point(void **state)
{
    (void)state;
    assert_int_equal(place_with("{multiPoint: {enabled: [{name: Scores}]}}"), 1);
    assert_int_not_equal(place_with("{multiPoint: {enabled: [{name: Filters}]}}"), 0);
    assert_int_equal(place_with("{multiPoint: {enabled: [{name: Filters}, {name: Scores}]}}"), 1);
    assert_int_not_equal(place_with("{multiPoint: {enabled: [{name: Scores}]}, score: {disabled: "
                                    "[{name: '*'}]}}"),
                         BERTH_NODE_NONE);
}

static void refused(const char *plugins, const char *field, const char *message)
{
    berth_error error = {.code = BERTH_OK};
    berth_engine *engine;
    assert_int_equal(create(plugins, &engine, &error), BERTH_E_UNSUPPORTED);
    assert_string_equal(error.field, field);
    assert_string_equal(error.message, message);
}

static void test_explicit(void **state)
{
    (void)state;
    assert_int_equal(place_with("{score: {enabled: [{name: Scores}]}}"), 1);
    refused("{filter: {enabled: [{name: Scores}]}}", "plugins.filter.Scores",
            "no plugin of this name has a filter phase");
    refused("{filter: {enabled: [{name: Scores}]}, score: {enabled: [{name: Scores}]}}",
            "plugins.filter.Scores", "no plugin of this name has a filter phase");
    refused("{preFilter: {enabled: [{name: Scores}]}, filter: {enabled: [{name: Scores}]}}",
            "plugins.filter.Scores", "no plugin of this name has a filter phase");
    refused("{preScore: {enabled: [{name: Filters}]}, score: {enabled: [{name: Filters}]}}",
            "plugins.score.Filters", "no plugin of this name has a score phase");
    refused("{score: {enabled: [{name: Filters}]}}", "plugins.score.Filters",
            "no plugin of this name has a score phase");
    refused("{multiPoint: {enabled: [{name: Nobody}]}}", "plugins.filter.Nobody",
            "no plugin of this name has a filter phase");
}

/* A name that no plugin has is refused at the points without functions, too. */
static void test_nobody(void **state)
{
    static const char *const points[] = {"preEnqueue", "queueSort", "preFilter", "postFilter",
                                         "preScore",   "reserve",   "permit",    "preBind",
                                         "bind",       "postBind"};
    (void)state;
    for (size_t i = 0; i < sizeof(points) / sizeof(points[0]); i++) {
        char plugins[128], field[64], message[64];
        snprintf(plugins, sizeof(plugins),
                 "{%s: {disabled: [{name: '*'}], enabled: [{name: Nobody}]}}", points[i]);
        snprintf(field, sizeof(field), "plugins.%s.Nobody", points[i]);
        snprintf(message, sizeof(message), "no plugin of this name has a %s phase", points[i]);
        refused(plugins, field, message);
        snprintf(plugins, sizeof(plugins), "{%s: {enabled: [{name: Scores}]}}", points[i]);
        if (i != 1)
            assert_int_not_equal(place_with(plugins), BERTH_NODE_NONE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_multi_point),
        cmocka_unit_test(test_explicit),
        cmocka_unit_test(test_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
