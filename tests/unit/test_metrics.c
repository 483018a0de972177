/* The text of metrics: names, labels, buckets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "live/serving/metric_families.h"
#include "live/serving/metrics.h"

static metrics *m;

static int start(void **state)
{
    (void)state;
    m = metrics_create(true);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    metrics_destroy(m);
    return 0;
}

static void has(const char *part)
{
    size_t length;
    char *text = metrics_text(m, &length);
    assert_int_equal(strlen(text), length);
    if (strstr(text, part) == NULL)
        print_message("%s", text);
    assert_non_null(strstr(text, part));
    free(text);
}

static void counters_and_gauges(void **state)
{
    (void)state;
    metrics_add(m, METRIC_SCHEDULE_ATTEMPTS, 1, METRIC_LABELS("default-scheduler", "scheduled"));
    metrics_add(m, METRIC_SCHEDULE_ATTEMPTS, 2, METRIC_LABELS("default-scheduler", "scheduled"));
    metrics_add(m, METRIC_SCHEDULE_ATTEMPTS, 1, METRIC_LABELS("a\"b\\c\nd", "error"));
    metrics_set(m, METRIC_PENDING_PODS, 7, METRIC_LABELS("active"));
    metrics_set(m, METRIC_PENDING_PODS, 3, METRIC_LABELS("active"));
    metrics_add(m, METRIC_PREEMPTION_ATTEMPTS, 1, METRIC_NO_LABELS);
    has("# HELP scheduler_schedule_attempts_total Number of attempts to schedule pods, by the "
        "result.\n# TYPE scheduler_schedule_attempts_total counter\n"
        "scheduler_schedule_attempts_total{profile=\"default-scheduler\",result=\"scheduled\"} 3\n"
        "scheduler_schedule_attempts_total{profile=\"a\\\"b\\\\c\\nd\",result=\"error\"} 1\n");
    has("# TYPE scheduler_pending_pods gauge\nscheduler_pending_pods{queue=\"active\"} 3\n");
    has("\nscheduler_preemption_attempts_total 1\n");
}

static void histograms(void **state)
{
    (void)state;
    metrics_observe(m, METRIC_ATTEMPT_SECONDS, 0.001, METRIC_LABELS("p", "scheduled"));
    metrics_observe(m, METRIC_ATTEMPT_SECONDS, 0.003, METRIC_LABELS("p", "scheduled"));
    metrics_observe(m, METRIC_ATTEMPT_SECONDS, 100, METRIC_LABELS("p", "scheduled"));
#define BUCKET(le, count)                                                                         \
    "scheduler_scheduling_attempt_duration_seconds_bucket{profile=\"p\",result=\"scheduled\",le=" \
    "\"" le "\"} " count "\n"
    has(BUCKET("0.001", "1") BUCKET("0.002", "1") BUCKET("0.004", "2") BUCKET("0.008", "2"));
    has(BUCKET("16.384", "2") BUCKET("+Inf", "3") "scheduler_scheduling_attempt_duration_seconds_"
                                                  "sum{profile=\"p\",result=\"scheduled\"} "
                                                  "100.004\n"
                                                  "scheduler_scheduling_attempt_duration_seconds_"
                                                  "count{profile=\"p\",result=\"scheduled\"} "
                                                  "3\n");
    metrics_observe(m, METRIC_REST_SECONDS, 0.02, METRIC_LABELS("h", "POST"));
    has("rest_client_request_duration_seconds_bucket{host=\"h\",verb=\"POST\",le=\"0.005\"} 0\n"
        "rest_client_request_duration_seconds_bucket{host=\"h\",verb=\"POST\",le=\"0.025\"} 1\n");
    has("le=\"60\"} 1\n");
    metrics_observe(m, METRIC_POD_ATTEMPTS, 1, METRIC_NO_LABELS);
    has("scheduler_pod_scheduling_attempts_bucket{le=\"1\"} 1\n"
        "scheduler_pod_scheduling_attempts_bucket{le=\"2\"} 1\n"
        "scheduler_pod_scheduling_attempts_bucket{le=\"4\"} 1\n"
        "scheduler_pod_scheduling_attempts_bucket{le=\"8\"} 1\n"
        "scheduler_pod_scheduling_attempts_bucket{le=\"16\"} 1\n"
        "scheduler_pod_scheduling_attempts_bucket{le=\"+Inf\"} 1\n"
        "scheduler_pod_scheduling_attempts_sum 1\nscheduler_pod_scheduling_attempts_count 1\n");
    metrics_observe(m, METRIC_DECISION_SECONDS, 1e-6, METRIC_NO_LABELS);
    has("berth_decision_duration_seconds_bucket{le=\"1e-06\"} 1\n");
}

/* The buckets of kube-scheduler 1.37, which its dashboards rely on: their number, the first and the
 * last bound. Source: pkg/scheduler/metrics/metrics.go. */
static void buckets_of_kube_scheduler(void **state)
{
    static const struct {
        const char *name;
        uint32_t count;
        double first, last;
    } wanted[] = {
        {"scheduler_scheduling_attempt_duration_seconds", 15, .001, 16.384},
        {"scheduler_scheduling_algorithm_duration_seconds", 15, .001, 16.384},
        {"scheduler_podgroup_scheduling_attempt_duration_seconds", 15, .001, 16.384},
        {"scheduler_podgroup_scheduling_algorithm_duration_seconds", 15, .001, 16.384},
        {"scheduler_pod_scheduling_sli_duration_seconds", 20, .01, 5242.88},
        {"scheduler_pod_scheduling_attempts", 5, 1, 16},
        {"scheduler_framework_extension_point_duration_seconds", 12, .0001, .2048},
        {"scheduler_event_handling_duration_seconds", 12, .0001, .2048},
        {"scheduler_preemption_victims", 7, 1, 64},
        {"scheduler_workload_preemption_victims", 11, 1, 1024},
        {"scheduler_preemption_goroutines_duration_seconds", 20, .01, 5242.88},
        {"scheduler_preemption_execution_duration_seconds", 16, .001, 32.768},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        uint32_t at = 0;
        while (at < METRIC_COUNT && strcmp(metric_families[at].name, wanted[i].name) != 0)
            at++;
        if (at == METRIC_COUNT)
            fail_msg("there is no %s", wanted[i].name);
        const metric_family *found = &metric_families[at];
        double last = found->first;
        for (uint32_t k = 1; k < found->count; k++)
            last *= found->factor;
        assert_int_equal(found->count, wanted[i].count);
        assert_float_equal(found->first, wanted[i].first, 1e-9);
        assert_float_equal(last, wanted[i].last, 1e-6);
    }
}

static void the_process(void **state)
{
    (void)state;
    has("# TYPE process_resident_memory_bytes gauge\nprocess_resident_memory_bytes ");
    has("\nprocess_cpu_seconds_total ");
    has("\nprocess_open_fds ");
    /* Memory is in whole pages: a process has at least some. */
    static const char *const memory[] = {"\nprocess_resident_memory_bytes ",
                                         "\nprocess_virtual_memory_bytes "};
    for (size_t i = 0; i < 2; i++) {
        size_t length;
        char *text = metrics_text(m, &length);
        const char *at = strstr(text, memory[i]);
        assert_non_null(at);
        const double bytes = strtod(at + strlen(memory[i]), NULL);
        assert_true(bytes >= 100 * 4096.0 && (uint64_t)bytes % 4096 == 0);
        free(text);
    }
}

static void without_descriptors_memory_is_unknown(void **state)
{
    (void)state;
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    const struct rlimit none = {0, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    size_t length;
    char *text = metrics_text(m, &length);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_non_null(strstr(text, "\nprocess_resident_memory_bytes 0\n"));
    assert_non_null(strstr(text, "\nprocess_virtual_memory_bytes 0\n"));
    assert_non_null(strstr(text, "\nprocess_open_fds 0\n"));
    free(text);
}

static void every_gauge(void **state)
{
    (void)state;
    metrics_set(m, METRIC_CACHE_SIZE, 12, METRIC_LABELS("nodes"));
    has("# TYPE scheduler_cache_size gauge\nscheduler_cache_size{type=\"nodes\"} 12\n");
    metrics_set(m, METRIC_LEADER, 1, METRIC_LABELS("berth"));
    has("leader_election_master_status{name=\"berth\"} 1\n");
    metrics_add(m, METRIC_REST_REQUESTS, 5, METRIC_LABELS("201", "h:1", "POST"));
    has("rest_client_requests_total{code=\"201\",host=\"h:1\",method=\"POST\"} 5\n");
}

/* While nothing is counted, metrics with labels are absent and the others are 0, as are those that
 * measure nothing in Berth. */
static void empty(void **state)
{
    size_t length;
    (void)state;
    char *text = metrics_text(m, &length);
    assert_null(strstr(text, "scheduler_schedule_attempts_total"));
    free(text);
    has("\nscheduler_preemption_attempts_total 0\n");
    has("# TYPE scheduler_inflight_events gauge\n"
        "scheduler_inflight_events{event=\"PodPopped\"} 0\n");
    has("\nscheduler_plugin_evaluation_total{extension_point=\"Filter\",plugin="
        "\"NodeResourcesFit\",profile=\"default-scheduler\"} 0\n");
    has("workqueue_work_duration_seconds_bucket{name=\"DynamicServingCertificateController\","
        "le=\"1e-08\"} 0\n");
    has("\nrest_client_exec_plugin_ttl_seconds +Inf\n");
}

static bool no_stream;

FILE *__real_open_memstream(char **text, size_t *length);
FILE *__wrap_open_memstream(char **text, size_t *length);
FILE *__wrap_open_memstream(char **text, size_t *length)
{
    return no_stream ? NULL : __real_open_memstream(text, length);
}

static void without_a_stream_the_text_is_empty(void **state)
{
    size_t length = 7;
    (void)state;
    no_stream = true;
    char *text = metrics_text(m, &length);
    no_stream = false;
    assert_string_equal(text, "");
    assert_int_equal(length, 0);
    free(text);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        T(counters_and_gauges),
        T(histograms),
        T(buckets_of_kube_scheduler),
        T(the_process),
        T(without_descriptors_memory_is_unknown),
        T(every_gauge),
        T(empty),
        T(without_a_stream_the_text_is_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
