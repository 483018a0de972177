/* The extenders of a configuration: all members, their defaults and errors, and what they change in
 * the profiles. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"
#include "berth/berth.h"

#define HEAD "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"

static berth_scheduler_config *config;
static berth_error error;

/* Read a configuration with these lines. */
static berth_status read_lines(const char *lines)
{
    char path[] = "/tmp/berth_extenders.XXXXXX";
    const int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    fprintf(file, "%s%s\n", HEAD, lines);
    assert_int_equal(fclose(file), 0);
    berth_scheduler_config_destroy(config);
    const berth_status status =
        berth_scheduler_config_file_with_extenders(path, 0, &config, &error);
    assert_int_equal(unlink(path), 0);
    return status;
}

static void require_lines(const char *lines)
{
    if (read_lines(lines) != BERTH_OK)
        fail_msg("%s: %s", error.field, error.message);
}

static berth_extender_config extender(uint32_t i)
{
    berth_extender_config out;
    berth_scheduler_config_extender(config, i, &out);
    return out;
}

static void test_defaults(void **state)
{
    (void)state;
    require_lines("extenders: [{urlPrefix: 'http://x'}]");
    assert_int_equal(berth_scheduler_config_extender_count(config), 1);
    berth_extender_config one = extender(0);
    assert_true(berth__str_is(one.url_prefix, "http://x"));
    assert_int_equal(one.timeout_ns, INT64_C(5000000000));
    assert_int_equal(one.filter_verb.len + one.prioritize_verb.len + one.preempt_verb.len +
                         one.bind_verb.len,
                     0);
    assert_false(one.ignorable || one.node_cache_capable || one.enable_https || one.tls.insecure);
    assert_int_equal(one.managed_resources.count, 0);
    one = extender(1); /* there is none */
    assert_int_equal(one.url_prefix.len, 0);
    require_lines("");
    assert_int_equal(berth_scheduler_config_extender_count(config), 0);
    require_lines("extenders: null");
    assert_int_equal(berth_scheduler_config_extender_count(config), 0);
}

static void test_all_members(void **state)
{
    (void)state;
    require_lines(
        "extenders:\n"
        "- {urlPrefix: 'https://x', filterVerb: f, prioritizeVerb: p, preemptVerb: e, bindVerb: "
        "b,\n"
        "   weight: 3, enableHTTPS: true, httpTimeout: 1m2s, nodeCacheCapable: true,\n"
        "   ignorable: true, tlsConfig: {insecure: true, serverName: s, certFile: c, keyFile: k,\n"
        "   caFile: a, certData: Yw==, keyData: aw==, caData: YQ==}}\n"
        "- {urlPrefix: z, httpTimeout: 100ms}\n");
    const berth_extender_config one = extender(0);
    assert_true(berth__str_is(one.filter_verb, "f") && berth__str_is(one.prioritize_verb, "p") &&
                berth__str_is(one.preempt_verb, "e") && berth__str_is(one.bind_verb, "b"));
    assert_int_equal(one.weight, 3);
    assert_int_equal(one.timeout_ns, INT64_C(62000000000));
    assert_true(one.ignorable && one.node_cache_capable && one.enable_https && one.tls.insecure);
    assert_true(berth__str_is(one.tls.server_name, "s") &&
                berth__str_is(one.tls.certificate_file, "c") &&
                berth__str_is(one.tls.key_file, "k") && berth__str_is(one.tls.ca_file, "a"));
    assert_true(berth__str_is(one.tls.certificate_base64, "Yw==") &&
                berth__str_is(one.tls.key_base64, "aw==") &&
                berth__str_is(one.tls.ca_base64, "YQ=="));
    assert_int_equal(extender(1).timeout_ns, INT64_C(100000000));
}

/* The names of NodeResourcesFit's ignored resources at a point of a profile, joined. */
static const char *ignored(uint32_t profile, berth_point point)
{
    static char text[256];
    uint32_t count;
    const berth_profile *profiles = berth_scheduler_config_profiles(config, &count);
    assert_true(profile < count);
    const berth_plugin_list list = berth_profile_list(&profiles[profile], point);
    text[0] = '\0';
    for (uint32_t i = 0; i < list.count; i++) {
        const berth_plugin_args *args = list.items[i].args;
        if (!berth__str_is(list.items[i].name, "NodeResourcesFit") || args == NULL)
            continue;
        for (uint32_t k = 0; k < args->fit.ignored_resources.count; k++) {
            const berth_str name = args->fit.ignored_resources.items[k];
            snprintf(text + strlen(text), sizeof(text) - strlen(text), "%.*s ", (int)name.len,
                     name.data);
        }
    }
    return text;
}

static void test_ignored_resources(void **state)
{
    (void)state;
    require_lines(
        "profiles:\n"
        "- {schedulerName: a}\n"
        "- {schedulerName: b, pluginConfig: [{name: NodeResourcesFit, args: {ignoredResources:\n"
        "    [x.com/old], scoringStrategy: {type: MostAllocated}}}]}\n"
        "extenders:\n"
        "- {urlPrefix: x, managedResources: [{name: x.com/a}, {name: x.com/b, ignoredByScheduler: "
        "true}]}\n"
        "- {urlPrefix: z, managedResources: [{name: x.com/c, ignoredByScheduler: true}]}\n");
    for (uint32_t p = 0; p < 2; p++) {
        assert_string_equal(ignored(p, BERTH_POINT_FILTER), "x.com/b x.com/c ");
        assert_string_equal(ignored(p, BERTH_POINT_SCORE), "x.com/b x.com/c ");
    }
    uint32_t count;
    const berth_profile *profiles = berth_scheduler_config_profiles(config, &count);
    const berth_plugin_list list = berth_profile_list(&profiles[1], BERTH_POINT_SCORE);
    for (uint32_t i = 0; i < list.count; i++)
        if (berth__str_is(list.items[i].name, "NodeResourcesFit"))
            assert_int_equal(list.items[i].args->fit.strategy, BERTH_FIT_MOST_ALLOCATED);
    const berth_extender_config one = extender(0);
    assert_int_equal(one.managed_resources.count, 2);
    assert_int_equal(one.ignored_count, 1);
    assert_true(berth__str_is(one.managed_resources.items[0], "x.com/b"));
    /* If extenders name no resource to ignore, the profile's own ignored resources stay. */
    require_lines("profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {ignoredResources: "
                  "[x.com/old]}}]}]\nextenders: [{urlPrefix: x, managedResources: [{name: "
                  "x.com/a}]}]");
    assert_string_equal(ignored(0, BERTH_POINT_FILTER), "x.com/old ");
}

static void expect(const char *extenders, const char *field, const char *why)
{
    char lines[512];
    snprintf(lines, sizeof(lines), "extenders: [%s]", extenders);
    const berth_status status = read_lines(lines);
    assert_int_equal(status, BERTH_E_INVALID);
    assert_null(config);
    assert_string_equal(error.field, field);
    if (strstr(error.message, why) == NULL)
        fail_msg("'%s' lacks '%s'", error.message, why);
    assert_int_equal(error.line, 3);
}

static void test_refused(void **state)
{
    (void)state;
    expect("{}", "extenders[0].urlPrefix", "must be given");
    expect("{urlPrefix: x, filter: y}", "extenders[0].filter", "unknown field");
    expect("{urlPrefix: x, prioritizeVerb: p}", "extenders[0].weight", "above 0");
    expect("{urlPrefix: x, prioritizeVerb: p, weight: -1}", "extenders[0].weight", "above 0");
    expect("{urlPrefix: x, weight: 1.5}", "extenders[0].weight", "integer");
    expect("{urlPrefix: x, httpTimeout: 5}", "extenders[0].httpTimeout", "string");
    expect("{urlPrefix: x, httpTimeout: 5 s}", "extenders[0].httpTimeout", "duration");
    expect("{urlPrefix: x, httpTimeout: -1s}", "extenders[0].httpTimeout", "duration");
    expect("{urlPrefix: x, bindVerb: b}, {urlPrefix: z, bindVerb: b}", "extenders", "only one");
    expect("{urlPrefix: x, tlsConfig: {insecur: true}}", "extenders[0].tlsConfig.insecur",
           "unknown field");
    expect("{urlPrefix: x, managedResources: [{name: cpu}]}",
           "extenders[0].managedResources[0].name", "not the name of an extended resource");
    expect("{urlPrefix: x, managedResources: [{name: a.com/b}, {name: a.com/b}]}",
           "extenders[0].managedResources[1].name", "twice");
    expect("{urlPrefix: x, managedResources: [{name: a.com/b}]}, {urlPrefix: z, managedResources: "
           "[{name: a.com/c, ignoredByScheduler: true}, {name: a.com/b}]}",
           "extenders[1].managedResources[1].name", "\"a.com/b\" is there twice");
    expect("{urlPrefix: x, managedResources: [{}]}", "extenders[0].managedResources[0].name",
           "must be given");
}

/* A value of a wrong type is refused at its own place. */
static void test_wrong_types(void **state)
{
    static const char *const of_extender[] = {"filterVerb",       "prioritizeVerb",  "preemptVerb",
                                              "bindVerb",         "enableHTTPS",     "weight",
                                              "httpTimeout",      "tlsConfig",       "ignorable",
                                              "nodeCacheCapable", "managedResources"};
    static const char *const of_tls[] = {"insecure", "serverName", "certFile", "keyFile",
                                         "caFile",   "certData",   "keyData",  "caData"};
    char lines[256], field[128];
    (void)state;
    for (size_t i = 0; i < sizeof(of_extender) / sizeof(of_extender[0]); i++) {
        const char *wrong = strcmp(of_extender[i], "tlsConfig") == 0 ? "[]" : "{}";
        snprintf(lines, sizeof(lines), "{urlPrefix: x, %s: %s}", of_extender[i], wrong);
        snprintf(field, sizeof(field), "extenders[0].%s", of_extender[i]);
        expect(lines, field, "must be");
    }
    for (size_t i = 0; i < sizeof(of_tls) / sizeof(of_tls[0]); i++) {
        snprintf(lines, sizeof(lines), "{urlPrefix: x, tlsConfig: {%s: 1}}", of_tls[i]);
        snprintf(field, sizeof(field), "extenders[0].tlsConfig.%s", of_tls[i]);
        expect(lines, field, "must be");
    }
    expect("{urlPrefix: 1}", "extenders[0].urlPrefix", "must be");
    expect("1", "extenders[0]", "must be");
    expect("{urlPrefix: x, managedResources: [1]}", "extenders[0].managedResources[0]", "must be");
    expect("{urlPrefix: x, managedResources: [{name: a.com/b, ignoredByScheduler: 1}]}",
           "extenders[0].managedResources[0].ignoredByScheduler", "must be");
    assert_int_equal(read_lines("extenders: {}"), BERTH_E_INVALID);
    assert_string_equal(error.field, "extenders");
}

static void test_arguments(void **state)
{
    (void)state;
    assert_int_equal(berth_scheduler_config_file_with_extenders(NULL, 0, &config, &error),
                     BERTH_E_ARG);
    assert_int_equal(berth_scheduler_config_file_with_extenders("x", 0, NULL, &error), BERTH_E_ARG);
    assert_int_equal(berth_scheduler_config_file_with_extenders("/nowhere", 0, &config, &error),
                     BERTH_E_IO);
    assert_null(config);
}

static int free_config(void **state)
{
    (void)state;
    berth_scheduler_config_destroy(config);
    config = NULL;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),          cmocka_unit_test(test_all_members),
        cmocka_unit_test(test_ignored_resources), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_wrong_types),       cmocka_unit_test(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, free_config);
}
