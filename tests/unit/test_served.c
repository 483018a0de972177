/* What a running scheduler serves about itself: checks, gauges and histograms, and its
 * configuration. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "live/run/configz.h"
#include "live/run/served.h"
#include "live/transport/event_loop.h"
#include "scripted_transport.h"

#define SECOND INT64_C(1000000000)

static served s;
static deciding d;

static int start(void **state)
{
    (void)state;
    memset(&d, 0, sizeof(d));
    pthread_mutex_init(&d.counters_lock, NULL);
    served_init(&s, &d, "https://10.0.0.1:6443/path", "berth", 15 * SECOND);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    served_free(&s);
    pthread_mutex_destroy(&d.counters_lock);
    return 0;
}

static bool passes(const char *name)
{
    for (size_t i = 0; i < SERVED_CHECKS; i++)
        if (strcmp(s.checks[i].name, name) == 0)
            return s.checks[i].passes(s.checks[i].context);
    fail_msg("no check %s", name);
    return false;
}

static void expect_line(const char *line)
{
    size_t length;
    char *text = metrics_text(s.metrics, &length);
    if (strstr(text, line) == NULL)
        fail_msg("no line '%s' in\n%s", line, text);
    free(text);
}

static void test_checks(void **state)
{
    (void)state;
    assert_true(passes("leaderElection"));
    assert_true(passes("shutdown"));
    assert_false(passes("sched-handler-sync"));
    assert_true(passes("threads"));
    s.leads = true; /* renewed long ago: healthy until the lease's duration and 20 s have passed */
    s.renewed_ns = event_loop_now() - 36 * SECOND;
    assert_false(passes("leaderElection"));
    s.renewed_ns = event_loop_now() - 34 * SECOND;
    assert_true(passes("leaderElection"));
    s.stops = true;
    assert_false(passes("shutdown"));
    s.network_ns = event_loop_now() - 31 * SECOND;
    assert_false(passes("threads"));
    s.network_ns = event_loop_now();
    s.deciding_runs = true;
    assert_false(passes("threads"));
    d.alive_ns = event_loop_now();
    assert_true(passes("threads"));
}

/* Watches that are lost, or not permitted. */
static void test_watches(void **state)
{
    (void)state;
    scripted_transport *server = scripted_create();
    const watch_sink none = {.change = NULL};
    watcher *w = watcher_create(&server->transport, &none, 0, false, false);
    watcher_start(w);
    scripted_advance(server, 1);
    served_look(&s, w, NULL, NULL);
    assert_true(passes("watches"));
    assert_true(passes("permissions"));
    assert_null(served_denied(w, NULL, NULL));
    scripted_answer(server, scripted_find(server, "GET", "/nodes"), 403, "{}");
    served_look(&s, w, NULL, NULL);
    assert_false(passes("permissions"));
    assert_string_equal(served_denied(w, NULL, NULL), "nodes");
    scripted_advance(server, 301 * SECOND);
    served_look(&s, w, NULL, NULL);
    assert_false(passes("watches"));
    watcher_stop(w);
    watcher_destroy(w);
    scripted_destroy(server);
}

static void test_metrics(void **state)
{
    (void)state;
    const write_pod pod = {.namespace_name = BERTH_STR("ns"),
                           .name = BERTH_STR("p"),
                           .scheduler_name = BERTH_STR("own"),
                           .attempt = 17,
                           .waited_ns = SECOND,
                           .decided_ns = event_loop_now()};
    served_bound(&s, &(bind_outcome){.id = 1, .verdict = BIND_BOUND, .pod = &pod});
    served_bound(&s, &(bind_outcome){.id = 2, .verdict = BIND_FAILED, .pod = &pod});
    expect_line("scheduler_schedule_attempts_total{profile=\"own\",result=\"scheduled\"} 1\n");
    expect_line("scheduler_schedule_attempts_total{profile=\"own\",result=\"error\"} 1\n");
    expect_line("scheduler_pod_scheduling_sli_duration_seconds_count{attempts=\"15+\"} 1\n");
    expect_line("scheduler_pod_scheduling_attempts_sum 17\n");
    expect_line("berth_bindings_total{outcome=\"failed\"} 1\n");
    berth_step step = {.kind = BERTH_STEP_UNSCHEDULABLE, .victim_count = 2};
    served_step(s.metrics, &step, BERTH_STR("own"), 3000);
    expect_line("scheduler_schedule_attempts_total{profile=\"own\",result=\"unschedulable\"} 1\n");
    expect_line("scheduler_preemption_victims_sum 2\n");
    expect_line("scheduler_scheduling_algorithm_duration_seconds_count 1\n");
    served_request(&s, "GET", 0, SECOND);
    served_request(&s, "POST", 201, SECOND);
    expect_line("rest_client_requests_total{code=\"<error>\",host=\"10.0.0.1:6443\","
                "method=\"GET\"} 1\n");
    expect_line("rest_client_requests_total{code=\"201\",host=\"10.0.0.1:6443\","
                "method=\"POST\"} 1\n");
}

/* The name of a profile may have 255 letters. */
static void test_long_profile(void **state)
{
    (void)state;
    enum { LETTERS = 255 };
    char name[LETTERS + 1] = "", line[2 * LETTERS];
    memset(name, 'x', LETTERS - 1);
    name[LETTERS - 1] = 'y';
    const berth_step step = {.kind = BERTH_STEP_UNSCHEDULABLE};
    served_step(s.metrics, &step, (berth_str){name, LETTERS}, 3000);
    snprintf(line, sizeof(line),
             "scheduler_schedule_attempts_total{profile=\"%s\",result=\"unschedulable\"} 1\n",
             name);
    expect_line(line);
}

/* The metric of the cache's size, by release. */
static void test_gauges(void **state)
{
    (void)state;
    s.deciding_runs = true;
    d.counters.backoff = 3;
    d.cluster.nodes = 5;
    served_configure(&s, NULL, 32, 32);
    served_look(&s, NULL, NULL, NULL);
    expect_line("scheduler_pending_pods{queue=\"backoff\"} 3\n");
    expect_line("scheduler_scheduler_cache_size{type=\"nodes\"} 5\n");
    expect_line("leader_election_master_status{name=\"berth\"} 0\n");
    served_configure(&s, NULL, 36, 36);
    served_look(&s, NULL, NULL, NULL);
    expect_line("\nscheduler_cache_size{type=\"nodes\"} 5\n");
    expect_line("\nberth_version_skew 0\n");
    served_configure(&s, NULL, 38, 37);
    expect_line("\nberth_version_skew 1\n");
    served_configure(&s, NULL, 36, 37);
    expect_line("\nberth_version_skew 0\n");
}

static bool shows(const char *text, const char *name)
{
    char line[128];
    snprintf(line, sizeof(line), "\n# TYPE %s ", name);
    return strstr(text, line) != NULL;
}

/* Whether a list of kube-scheduler's names contains `name`. */
static bool lists(const char *names, const char *name, size_t length)
{
    for (const char *at = names; (at = strstr(at, name)) != NULL; at += length)
        if ((at == names || at[-1] == '\n') && at[length] == '\n')
            return true;
    return false;
}

static char *read_names(int minor)
{
    char path[512];
    snprintf(path, sizeof(path), METRIC_NAMES "/1.%d.txt", minor);
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    char *names = calloc(1, 65536);
    assert_true(fread(names, 1, 65535, file) > 0);
    fclose(file);
    return names;
}

/* Counts something for each metric that is shown only then. */
static void count_all(int minor)
{
    const write_pod pod = {.scheduler_name = BERTH_STR("own"), .attempt = 1};
    const berth_step step = {.kind = BERTH_STEP_UNSCHEDULABLE};
    s.deciding_runs = true;
    served_configure(&s, NULL, minor, minor);
    served_rules(&s, minor, "SchedulerQueueingHints=true,DRAExtendedResource=false,odd");
    scripted_transport *api = scripted_create();
    const writes_options options = {.transport = &api->transport};
    writes *w = writes_create(&options);
    served_look(&s, NULL, w, NULL);
    writes_destroy(w);
    scripted_destroy(api);
    served_bound(&s, &(bind_outcome){.verdict = BIND_BOUND, .pod = &pod});
    served_step(s.metrics, &step, BERTH_STR("own"), 1);
    served_group(s.metrics, &(berth_pod_group_attempt){.verdict = BERTH_VERDICT_PLACED},
                 BERTH_STR("own"), 1);
    served_group(s.metrics,
                 &(berth_pod_group_attempt){
                     .verdict = BERTH_VERDICT_UNSCHEDULABLE, .preempts = true, .victim_count = 1},
                 BERTH_STR("own"), 1);
    served_event(s.metrics, BERTH_KIND_NODE, false, "Add", 1);
    served_request(&s, "GET", 200, 1);
    served_limited(&s, "POST", 1);
    served_evicted(&s, &(eviction_outcome){.over = false, .all_good = true});
    served_evicted(&s, &(eviction_outcome){.over = true, .all_good = true, .took_ns = SECOND});
    served_evicted(&s, &(eviction_outcome){.over = true});
    metrics_set(s.metrics, METRIC_UNSCHEDULABLE_PODS, 1, METRIC_LABELS("NodeAffinity", "own"));
}

/* The names of each release, against the lists in metric_names/. */
static void test_names(void **state)
{
    char *newest = read_names(37), *before = read_names(36);
    for (int minor = 32; minor <= 37; minor++) {
        size_t length;
        char *names = read_names(minor);
        count_all(minor);
        char *text = metrics_text(s.metrics, &length);
        for (char *left = NULL, *copy = strdup(names), *name = strtok_r(copy, "\n", &left);;
             name = strtok_r(NULL, "\n", &left)) {
            if (name != NULL && !shows(text, name))
                fail_msg("1.%d: no %s", minor, name);
            if (name == NULL) {
                free(copy);
                break;
            }
        }
        for (const char *at = text; (at = strstr(at, "# TYPE ")) != NULL; at++) {
            const char *name = at + strlen("# TYPE ");
            char one[128];
            snprintf(one, sizeof(one), "%.*s", (int)strcspn(name, " "), name);
            if (strncmp(one, "berth_", 6) != 0 && strncmp(one, "process_", 8) != 0 &&
                !lists(names, one, strlen(one)) && !lists(newest, one, strlen(one)) &&
                !lists(before, one, strlen(one)))
                fail_msg("1.%d: %s is not kube-scheduler's", minor, one);
        }
        free(text);
        free(names);
        (void)stop(state);
        (void)start(state);
    }
    free(newest);
    free(before);
}

/* The values of metrics that kube-scheduler counts in its queue, and of those that identify this
 * build. */
static void test_queue(void **state)
{
    (void)state;
    d.counters = (berth_scheduler_counters){.active = 4,
                                            .backoff_ended = 5,
                                            .popped_early = 6,
                                            .freed_active = 7,
                                            .freed_backoff = 8,
                                            .bound_after_flush = 9};
    count_all(36);
#define INCOMING "scheduler_queue_incoming_pods_total{event="
    expect_line(INCOMING "\"BackoffComplete\",queue=\"active\"} 5\n");
    expect_line(INCOMING "\"PopFromBackoffQ\",queue=\"active\"} 6\n");
    expect_line(INCOMING "\"AssignedPodDelete\",queue=\"active\"} 7\n");
    expect_line(INCOMING "\"AssignedPodDelete\",queue=\"backoff\"} 8\n");
    expect_line("scheduler_queue_incoming_entities_total{event=\"BackoffComplete\",queue="
                "\"active\",type=\"pod\"} 5\n");
    expect_line("scheduler_queued_entities{queue=\"active\",type=\"pod\"} 4\n");
    expect_line("\nscheduler_pod_scheduled_after_flush_total 9\n");
    expect_line("scheduler_preemption_goroutines_execution_total{result=\"success\"} 1\n");
    expect_line("scheduler_preemption_goroutines_execution_total{result=\"error\"} 1\n");
    expect_line("scheduler_preemption_execution_duration_seconds_sum{preemptor=\"pod\",result="
                "\"success\"} 1\n");
    expect_line("scheduler_goroutines{operation=\"binding\"} 0\n");
    expect_line("kubernetes_build_info{major=\"1\",minor=\"36\",git_version=\"berth-");
    expect_line("kubernetes_feature_enabled{name=\"SchedulerQueueingHints\",stage=\"\"} 1\n");
    expect_line("kubernetes_feature_enabled{name=\"DRAExtendedResource\",stage=\"\"} 0\n");
    expect_line("rest_client_rate_limiter_duration_seconds_count{host=\"10.0.0.1:6443\",verb="
                "\"POST\"} 1\n");
}

/* ---- all values ---- */

/* Events with durations and numbers of their own; durations are whole seconds. */
static void count_with_numbers(void)
{
    const int64_t now = event_loop_now();
    const write_pod pod = {.scheduler_name = BERTH_STR("own"),
                           .attempt = 3,
                           .waited_ns = 40 * SECOND,
                           .decided_ns = now - 5 * SECOND};
    const berth_step refused = {.kind = BERTH_STEP_UNSCHEDULABLE, .victim_count = 2};
    const berth_step of_group = {
        .kind = BERTH_STEP_UNSCHEDULABLE, .victim_count = 9, .of_group = true};
    const berth_step broken = {.kind = BERTH_STEP_ERROR};
    const berth_step placed = {.kind = BERTH_STEP_BOUND};
    const berth_str own = BERTH_STR("own");
    for (int verdict = 0; verdict < BIND_VERDICT_COUNT; verdict++)
        served_bound(&s, &(bind_outcome){.verdict = (bind_verdict)verdict,
                                         .pod = &pod,
                                         .duration_ns = (verdict + 1) * SECOND});
    served_step(s.metrics, &refused, own, 10 * SECOND);
    served_step(s.metrics, &of_group, own, 11 * SECOND);
    served_step(s.metrics, &broken, own, 12 * SECOND);
    served_step(s.metrics, &placed, own, 13 * SECOND);
    const berth_pod_group_attempt attempts[] = {
        {.verdict = BERTH_VERDICT_PLACED},
        {.verdict = BERTH_VERDICT_UNSCHEDULABLE},
        {.verdict = BERTH_VERDICT_UNSCHEDULABLE, .preempts = true, .victim_count = 7},
        {.verdict = BERTH_VERDICT_ERROR},
    };
    for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++)
        served_group(s.metrics, &attempts[i], own, (int64_t)(20 + i) * SECOND);
    served_event(s.metrics, BERTH_KIND_POD, true, "Add", 2 * SECOND);
    served_event(s.metrics, BERTH_KIND_POD, false, "Delete", 3 * SECOND);
    served_event(s.metrics, BERTH_KIND_NODE, false, "Update", 4 * SECOND);
    served_request(&s, "GET", 200, 6 * SECOND);
    served_request(&s, "PUT", 0, 7 * SECOND);
    served_limited(&s, "POST", 8 * SECOND);
    served_evicted(&s, &(eviction_outcome){.over = false, .all_good = true, .took_ns = SECOND});
    served_evicted(&s, &(eviction_outcome){.over = true, .all_good = true, .took_ns = 9 * SECOND});
    served_evicted(&s, &(eviction_outcome){.over = true, .took_ns = 14 * SECOND});
}

/* A counter of its own for each member, in their order. */
static void number_counters(void)
{
    uint64_t *counters = (uint64_t *)(void *)&d.counters;
    for (size_t i = 0; i < sizeof(d.counters) / sizeof(*counters); i++)
        counters[i] = 1000 + i;
    d.cluster.nodes = 501;
    d.cluster.pods_running = 502;
    d.cluster.pods_pending = 503;
}

/* The values that metrics_text shows, without buckets and what depends on the process. Times are
 * rounded, because some begin with the clock. */
static void list_values(const char *text, FILE *out)
{
    char name[256];
    double value;
    for (const char *line = text; *line != '\0'; line = strchr(line, '\n') + 1) {
        const size_t length = strcspn(line, "\n");
        char one[512];
        snprintf(one, sizeof(one), "%.*s", (int)length, line);
        const char *end = strrchr(one, ' ');
        if (one[0] == '#' || end == NULL || strstr(one, "_bucket{") != NULL ||
            strncmp(one, "process_", 8) == 0 || strncmp(one, "kubernetes_build", 16) == 0 ||
            strncmp(one, "version_info", 12) == 0)
            continue;
        snprintf(name, sizeof(name), "%.*s", (int)(end - one), one);
        assert_int_equal(sscanf(end, "%lf", &value), 1);
        fprintf(out, "%s %.0f\n", name, value);
    }
}

/* All values at once, against a list: no label, factor or counter may be another one. */
static void test_values(void **state)
{
    char path[512], *text, *found = NULL;
    size_t length, size;
    (void)state;
    number_counters();
    s.deciding_runs = true;
    served_configure(&s, NULL, 37, 37);
    served_rules(&s, 37, "SchedulerQueueingHints=true,DRAExtendedResource=false,odd");
    count_with_numbers();
    served_look(&s, NULL, NULL, NULL);
    text = metrics_text(s.metrics, &length);
    FILE *out = open_memstream(&found, &size);
    assert_non_null(out);
    list_values(text, out);
    fclose(out);
    free(text);
    snprintf(path, sizeof(path), METRIC_NAMES "/values.txt");
    if (getenv("BERTH_UPDATE") != NULL) {
        FILE *file = fopen(path, "we");
        assert_non_null(file);
        fputs(found, file);
        fclose(file);
    }
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    char wanted[512];
    for (const char *line = found; *line != '\0'; line = strchr(line, '\n') + 1) {
        char one[512];
        snprintf(one, sizeof(one), "%.*s\n", (int)strcspn(line, "\n"), line);
        assert_non_null(fgets(wanted, sizeof(wanted), file));
        assert_string_equal(one, wanted);
    }
    assert_null(fgets(wanted, sizeof(wanted), file));
    fclose(file);
    free(found);
}

static void test_configuration(void **state)
{
    (void)state;
    engine_setup setup = {.kubernetes = "1.36"};
    berth_error error;
    (void)engine_setup_options(&setup);
    setup.kubernetes = "1.36";
    assert_int_equal(engine_setup_resolve(&setup, &error), BERTH_OK);
    const session_options options = {.setup = &setup,
                                     .leader_elect = true,
                                     .lease_namespace = "x",
                                     .lease_name = "berth",
                                     .lease_ns = 15 * SECOND,
                                     .renew_deadline_ns = 10 * SECOND,
                                     .retry_period_ns = SECOND / 2 * 3};
    char *text = configz_text(&options);
    json_t *root = json_loads(text, 0, NULL);
    assert_non_null(root);
    const json_t *election = json_object_get(root, "LeaderElection");
    assert_string_equal(json_string_value(json_object_get(election, "RetryPeriod")), "1500ms");
    assert_string_equal(json_string_value(json_object_get(election, "LeaseDuration")), "15s");
    const json_t *profile = json_array_get(json_object_get(root, "Profiles"), 0);
    assert_string_equal(json_string_value(json_object_get(profile, "SchedulerName")),
                        "default-scheduler");
    const json_t *score = json_object_get(json_object_get(profile, "Plugins"), "Score");
    assert_true(json_array_size(json_object_get(score, "Enabled")) > 5);
    json_decref(root);
    free(text);
    engine_setup_release(&setup);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_checks),       TEST(test_watches), TEST(test_metrics),
        TEST(test_long_profile), TEST(test_gauges),  TEST(test_configuration),
        TEST(test_names),        TEST(test_queue),   TEST(test_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
