/* What a KubeSchedulerConfiguration sets for connections and elections, and durations in Go's
 * format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "live/run/run_config.h"

#define SECOND INT64_C(1000000000)

static berth_status read_text(run_config *config, const char *text, berth_error *error)
{
    run_config_init(config);
    return run_config_read_text(config, (berth_str){text, (uint32_t)strlen(text)}, "f", error);
}

static void test_defaults(void **state)
{
    (void)state;
    run_config config;
    berth_error error;
    assert_int_equal(read_text(&config, "kind: KubeSchedulerConfiguration\n", &error), BERTH_OK);
    assert_true(config.leader_elect);
    assert_int_equal(config.lease_ns, 15 * SECOND);
    assert_int_equal(config.volume_timeout_ns, 600 * SECOND);
    assert_int_equal(config.device_timeout_ns, 600 * SECOND);
    assert_int_equal(config.renew_deadline_ns, 10 * SECOND);
    assert_int_equal(config.retry_period_ns, 2 * SECOND);
    assert_string_equal(config.resource_name, "kube-scheduler");
    assert_string_equal(config.resource_namespace, "kube-system");
    assert_null(config.kubeconfig);
    assert_false(config.qps_given);
    run_config_free(&config);
}

static void test_everything(void **state)
{
    (void)state;
    run_config config;
    berth_error error;
    assert_int_equal(
        read_text(&config,
                  "clientConnection: {kubeconfig: /k, qps: 50.5, burst: 100}\n"
                  "leaderElection: {leaderElect: false, leaseDuration: 30s, renewDeadline: 20s, "
                  "retryPeriod: 1500ms, resourceName: berth, resourceNamespace: x}\n"
                  "profiles: [{schedulerName: a, pluginConfig: [{name: VolumeBinding, args: "
                  "{bindTimeoutSeconds: 30}}, {name: DynamicResources, args: {bindingTimeout: "
                  "1m30s}}]}]\n",
                  &error),
        BERTH_OK);
    assert_string_equal(config.kubeconfig, "/k");
    assert_true(config.qps == 50.5 && config.qps_given);
    assert_int_equal(config.burst, 100);
    assert_false(config.leader_elect);
    assert_int_equal(config.retry_period_ns, SECOND * 3 / 2);
    assert_string_equal(config.resource_name, "berth");
    assert_string_equal(config.resource_namespace, "x");
    assert_int_equal(config.volume_timeout_ns, 30 * SECOND);
    assert_int_equal(config.device_timeout_ns, 90 * SECOND);
    run_config_free(&config);
}

#define WAITS(NAME, VOLUMES, DEVICES)                                                              \
    "- {schedulerName: " NAME ", pluginConfig: [{name: VolumeBinding, args: "                      \
    "{bindTimeoutSeconds: " VOLUMES "}}, {name: DynamicResources, args: {bindingTimeout: " DEVICES \
    "}}]}\n"

/* Of all profiles, the longest times count, in whichever order the profiles are. */
static void test_longest_times(void **state)
{
    static const char *const texts[] = {
        "profiles:\n" WAITS("a", "30", "90s") WAITS("b", "20", "60s"),
        "profiles:\n" WAITS("a", "20", "60s") WAITS("b", "30", "90s"),
        "profiles:\n" WAITS("a", "20", "90s") WAITS("b", "30", "60s"),
    };
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        run_config config;
        berth_error error;
        assert_int_equal(read_text(&config, texts[i], &error), BERTH_OK);
        assert_int_equal(config.volume_timeout_ns, 30 * SECOND);
        assert_int_equal(config.device_timeout_ns, 90 * SECOND);
        run_config_free(&config);
    }
}

/* kube-scheduler writes "" if there is no kubeconfig. */
static void test_empty_kubeconfig(void **state)
{
    (void)state;
    run_config config;
    berth_error error;
    assert_int_equal(read_text(&config, "clientConnection: {kubeconfig: ''}\n", &error), BERTH_OK);
    assert_null(config.kubeconfig);
    run_config_free(&config);
}

static void test_refusals(void **state)
{
    (void)state;
    static const struct {
        const char *text, *field;
    } wrong[] = {
        {"clientConnection: {qps: many}\n", "clientConnection.qps"},
        {"clientConnection: {burst: -1}\n", "clientConnection.burst"},
        {"leaderElection: {leaderElect: 'yes'}\n", "leaderElection.leaderElect"},
        {"leaderElection: {leaseDuration: soon}\n", "leaderElection.leaseDuration"},
        {"leaderElection: {leaseDuration: 10s}\n", "leaderElection"},
        {"leaderElection: {retryPeriod: 9s}\n", "leaderElection"},
        {"leaderElection: {retryPeriod: 0s}\n", "leaderElection"},
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        run_config config;
        berth_error error;
        assert_int_equal(read_text(&config, wrong[i].text, &error), BERTH_E_INVALID);
        assert_string_equal(error.field, wrong[i].field);
        run_config_free(&config);
    }
    run_config config;
    berth_error error;
    assert_int_equal(read_text(&config, "a: [", &error), BERTH_E_PARSE);
    assert_int_equal(run_config_read(&config, "/nowhere/at/all", &error), BERTH_E_IO);
    run_config_free(&config);
}

/* The times of a lease count only if there is an election. */
static void test_no_election(void **state)
{
    (void)state;
    run_config config;
    berth_error error;
    assert_int_equal(
        read_text(&config, "leaderElection: {leaderElect: false, renewDeadline: 0s}", &error),
        BERTH_OK);
    assert_false(config.leader_elect);
    assert_int_equal(config.renew_deadline_ns, 0);
    run_config_free(&config);
    assert_int_equal(
        read_text(&config, "leaderElection: {leaderElect: true, renewDeadline: 0s}", &error),
        BERTH_E_INVALID);
    run_config_free(&config);
}

/* null is as if the field were absent: the scheduler takes part in an election. */
static void test_election_of_null(void **state)
{
    (void)state;
    run_config config;
    berth_error error;
    assert_int_equal(read_text(&config, "leaderElection: {leaderElect: null}", &error), BERTH_OK);
    assert_true(config.leader_elect);
    run_config_free(&config);
}

static void test_durations(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ns; /* -1: none */
    } cases[] = {
        {"15s", 15 * SECOND},
        {"1m30s", 90 * SECOND},
        {"1.5h", 5400 * SECOND},
        {"100ms", SECOND / 10},
        {"7us5ns", 7005},
        {"0", 0},
        {"", -1},
        {"15", -1},
        {"s", -1},
        {"-1s", -1},
        {"1d", -1},
        {"1.2.3s", -1},
        {"9999999999h", -1},
        {" 1s", -1},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int64_t ns = -1;
        if (!duration_read(cases[i].text, &ns))
            ns = -1;
        if (ns != cases[i].ns)
            fail_msg("%s: %lld", cases[i].text, (long long)ns);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),         cmocka_unit_test(test_everything),
        cmocka_unit_test(test_longest_times),    cmocka_unit_test(test_empty_kubeconfig),
        cmocka_unit_test(test_refusals),         cmocka_unit_test(test_no_election),
        cmocka_unit_test(test_election_of_null), cmocka_unit_test(test_durations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
