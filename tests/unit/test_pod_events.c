/* Events against a scripted server: texts, series, the limit on waiting events, and repetitions. */
#include "gated_writes.h"

#include "live/writes/pod_events.h"

static pod_events *events;

static int start(void **state)
{
    (void)state;
    gate_open();
    events = pod_events_create(&gate, NULL, "host-1", 1000);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    pod_events_destroy(events);
    gate_close();
    return 0;
}

static const write_pod web = {.namespace_name = {"shop", 4},
                              .name = {"web-1", 5},
                              .uid = {"u-1", 3},
                              .scheduler_name = {"berth", 5},
                              .version = 70};

static void unplaced(const write_pod *pod)
{
    pod_events_put(events, EVENT_FAILED_SCHEDULING, pod, NULL, BERTH_STR("full"));
}

static scripted_request *sent(const char *method)
{
    scripted_request *r = scripted_find(server, method, "");
    assert_non_null(r);
    return r;
}

static void says_what_the_server_wants(void **state)
{
    (void)state;
    pod_events_put(events, EVENT_SCHEDULED, &web, NULL, BERTH_STR("Successfully assigned"));
    assert_string_equal(sent("POST")->path, "/apis/events.k8s.io/v1/namespaces/shop/events");
    assert_int_equal(sent("POST")->connection, LIVE_WRITES);
    assert_string_equal(
        sent("POST")->body,
        "{\"apiVersion\":\"events.k8s.io/v1\",\"kind\":\"Event\",\"metadata\":{\"name\":"
        "\"web-1.18e91efd632f4d15\",\"namespace\":\"shop\"},\"eventTime\":"
        "\"2026-11-18T11:06:40.123456Z\",\"reportingController\":\"berth\","
        "\"reportingInstance\":\"berth-host-1\",\"action\":\"Binding\",\"reason\":\"Scheduled\","
        "\"regarding\":{\"kind\":\"Pod\",\"namespace\":\"shop\",\"name\":\"web-1\",\"uid\":\"u-1\","
        "\"apiVersion\":\"v1\",\"resourceVersion\":\"70\"},\"note\":\"Successfully assigned\","
        "\"type\":\"Normal\"}");
    scripted_answer(server, sent("POST"), 201, "{}");
    assert_int_equal(pod_events_pending(events), 0);
}

/* The preemptor is related: a pod or a PodGroup. */
static void names_the_preemptor(void **state)
{
    (void)state;
    write_pod high = {.namespace_name = {"shop", 4}, .name = {"high", 4}, .uid = {"u-2", 3}};
    pod_events_put(events, EVENT_PREEMPTED, &web, &high, BERTH_STR("x"));
    assert_non_null(strstr(sent("POST")->body,
                           "\"related\":{\"kind\":\"Pod\",\"namespace\":\"shop\",\"name\":"
                           "\"high\",\"uid\":\"u-2\",\"apiVersion\":\"v1\"}"));
    scripted_answer(server, sent("POST"), 201, "{}");
    high.kind = WRITE_POD_GROUP;
    pod_events_put(events, EVENT_PREEMPTED, &web, &high, BERTH_STR("x"));
    assert_non_null(strstr(sent("POST")->body, "\"related\":{\"kind\":\"PodGroup\""));
    assert_non_null(strstr(sent("POST")->body, "\"apiVersion\":\"scheduling.k8s.io/v1beta1\"}"));
    scripted_answer(server, sent("POST"), 201, "{}");
}

static void long_notes_are_cut(void **state)
{
    (void)state;
    char note[3000];
    memset(note, 'x', sizeof(note));
    note[1019] = '\xc3'; /* the two bytes of one character, on both sides of the cut */
    note[1020] = '\xa9';
    pod_events_put(events, EVENT_FAILED_SCHEDULING, &web, NULL, (berth_str){note, sizeof(note)});
    json_t *event = json_loads(sent("POST")->body, 0, NULL);
    const char *text = json_string_value(json_object_get(event, "note"));
    assert_int_equal(strlen(text), 1019 + 4);
    assert_string_equal(text + 1019, " ...");
    json_decref(event);
    scripted_answer(server, sent("POST"), 201, "{}");
}

static void equal_ones_become_a_series(void **state)
{
    (void)state;
    unplaced(&web);
    char path[256];
    json_t *event = json_loads(sent("POST")->body, 0, NULL);
    snprintf(path, sizeof(path), "/apis/events.k8s.io/v1/namespaces/shop/events/%s",
             json_string_value(json_object_get(json_object_get(event, "metadata"), "name")));
    json_decref(event);
    scripted_answer(server, sent("POST"), 201, "{}");
    scripted_advance(server, second);
    unplaced(&web);
    assert_string_equal(sent("PATCH")->path, path);
    assert_string_equal(sent("PATCH")->body, "{\"series\":{\"count\":2,\"lastObservedTime\":"
                                             "\"2026-11-18T11:06:41.123456Z\"}}");
    scripted_answer(server, sent("PATCH"), 200, "{}");
    for (int i = 0; i < 5; i++)
        unplaced(&web); /* counted without a request */
    assert_int_equal(server->request_count, 0);
    scripted_advance(server, 730 * second); /* no more events: the series is written a last time */
    assert_non_null(strstr(sent("PATCH")->body, "\"count\":7"));
    scripted_answer(server, sent("PATCH"), 200, "{}");
    unplaced(&web); /* a new event */
    scripted_answer(server, sent("POST"), 201, "{}");
    write_pod newer = web;
    newer.version = 71;
    unplaced(&newer); /* about another state of the pod */
    scripted_answer(server, sent("POST"), 201, "{}");
    scripted_advance(server, 800 * second);
    assert_int_equal(server->request_count, 0);
    assert_int_equal(server->timer_count, 0);
}

/* A series that is over and was written whole is only forgotten; the next one is looked after. */
static void a_whole_series_is_forgotten(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        unplaced(&web);
        scripted_answer(server, scripted_find(server, "", "/events"), 201, "{}");
    }
    scripted_advance(server, 360 * second);
    assert_int_equal(server->request_count, 0);
    assert_int_equal(server->timer_count, 0);
    for (int i = 0; i < 3; i++) {
        unplaced(&web);
        if (server->request_count > 0)
            scripted_answer(server, scripted_find(server, "", "/events"), 201, "{}");
    }
    assert_int_equal(server->sent, 4);
    scripted_advance(server, 360 * second);
    assert_non_null(strstr(sent("PATCH")->body, "\"count\":3"));
}

/* A series is over after six minutes, also if the sweep that forgets it comes later. */
static void a_series_ends_before_it_is_swept(void **state)
{
    (void)state;
    write_pod newer = web;
    newer.version = 71;
    unplaced(&web); /* the sweeps are at 360 and 720 seconds */
    scripted_answer(server, sent("POST"), 201, "{}");
    scripted_advance(server, 200 * second);
    unplaced(&newer);
    scripted_answer(server, sent("POST"), 201, "{}");
    scripted_advance(server, 400 * second);
    unplaced(&newer);
    scripted_answer(server, sent("POST"), 201, "{}");
    unplaced(&newer);
    assert_non_null(strstr(sent("PATCH")->body, "\"count\":2"));
}

/* Of more than 4,096 kinds of events, equal ones are posted one by one. */
static void so_many_series_are_remembered(void **state)
{
    (void)state;
    size_t posted = 0, patched = 0;
    pod_events_destroy(events);
    events = pod_events_create(&gate, NULL, "host-1", 10000);
    write_pod pod = web;
    for (pod.version = 1; pod.version <= 4097; pod.version++)
        unplaced(&pod);
    for (pod.version = 4096; pod.version <= 4097; pod.version++)
        unplaced(&pod);
    while (server->request_count > 0) {
        const bool posts = strcmp(server->requests[0].method, "POST") == 0;
        posted += posts;
        patched += !posts;
        scripted_answer(server, &server->requests[0], 200, "{}");
    }
    assert_int_equal(posted, 4098);
    assert_int_equal(patched, 1);
    assert_int_equal(pod_events_dropped(events), 0);
}

/* Names are made of the time, and never the same. */
static void no_name_comes_twice(void **state)
{
    (void)state;
    static const char *const names[] = {"web-1.18e91efd632f4d15", "web-1.18e91efd632f4d16",
                                        "web-1.18e91efd632f4d17"};
    for (size_t i = 0; i < 3; i++) {
        pod_events_put(events, EVENT_SCHEDULED, &web, NULL, BERTH_STR("Successfully assigned"));
        assert_non_null(strstr(sent("POST")->body, names[i]));
        scripted_answer(server, sent("POST"), 201, "{}");
    }
}

static void a_note_of_1024_bytes_is_whole(void **state)
{
    (void)state;
    char note[1025];
    memset(note, 'x', sizeof(note));
    for (uint32_t length = 1024; length <= 1025; length++) {
        pod_events_put(events, EVENT_SCHEDULED, &web, NULL, (berth_str){note, length});
        json_t *event = json_loads(sent("POST")->body, 0, NULL);
        const char *text = json_string_value(json_object_get(event, "note"));
        assert_int_equal(strlen(text), 1024);
        assert_int_equal(text[1023], length == 1024 ? 'x' : '.');
        json_decref(event);
        scripted_answer(server, sent("POST"), 201, "{}");
    }
}

/* From one second up to ten, and up to a fifth longer by chance; or as the server says. */
static void pauses_between_tries(void **state)
{
    (void)state;
    unplaced(&web);
    for (int64_t delay_ns = second; delay_ns < 200 * second; delay_ns *= 2) {
        const int64_t least_ns = delay_ns < 10 * second ? delay_ns : 10 * second;
        scripted_answer(server, sent("POST"), 503, "{}");
        scripted_advance(server, least_ns - 1);
        assert_int_equal(server->request_count, 0);
        scripted_advance(server, least_ns / 5 + 1);
    }
    scripted_retry_after(server, sent("POST"), 503, 0);
    scripted_advance(server, 0);
    scripted_retry_after(server, sent("POST"), 429, 30);
    scripted_advance(server, 30 * second - 1);
    assert_int_equal(server->request_count, 0);
    scripted_advance(server, 1);
    scripted_answer(server, sent("POST"), 201, "{}");
}

static void a_series_that_goes_on_is_written_now_and_then(void **state)
{
    (void)state;
    unplaced(&web);
    scripted_answer(server, sent("POST"), 201, "{}");
    uint64_t before = server->sent;
    for (int i = 0; i < 120; i++) {
        scripted_advance(server, 60 * second);
        unplaced(&web);
        if (server->request_count > 0)
            scripted_answer(server, sent("PATCH"), 200, "{}");
    }
    assert_in_range(server->sent - before, 4, 5); /* the second one, then every 30 minutes */
}

static void a_series_without_its_event_is_posted(void **state)
{
    (void)state;
    unplaced(&web);
    scripted_answer(server, sent("POST"), 201, "{}");
    unplaced(&web);
    scripted_answer(server, sent("PATCH"), 404, "{}");
    assert_string_equal(sent("POST")->path, "/apis/events.k8s.io/v1/namespaces/shop/events");
    assert_non_null(strstr(sent("POST")->body, "\"series\":{\"count\":2"));
    scripted_answer(server, sent("POST"), 409, "{}");
    assert_int_equal(pod_events_pending(events), 0);
}

static void none_is_lost_while_the_server_is_away(void **state)
{
    (void)state;
    for (int i = 0; i < 500; i++)
        pod_events_put(events, EVENT_SCHEDULED, &web, NULL, BERTH_STR("x"));
    for (int i = 0; i < 100; i++) { /* 20 minutes */
        scripted_request *r;
        while ((r = scripted_find(server, "POST", "")) != NULL)
            scripted_fail(server, r, i % 2 == 0 ? LIVE_UNKNOWN : LIVE_NOT_SENT);
        scripted_advance(server, 12 * second);
    }
    assert_int_equal(pod_events_pending(events), 500);
    static const int restarting[] = {503, 500, 429, 403, 401};
    for (size_t i = 0; i < 5; i++) {
        scripted_answer(server, sent("POST"), restarting[i], "{}");
        assert_int_equal(pod_events_pending(events), 500);
    }
    int accepted = 0;
    for (int i = 0; i < 100; i++) {
        scripted_request *r;
        for (; (r = scripted_find(server, "POST", "")) != NULL; accepted++)
            scripted_answer(server, r, 201, "{}");
        scripted_advance(server, 12 * second);
    }
    assert_int_equal(accepted, 500);
    assert_int_equal(pod_events_pending(events), 0);
    assert_int_equal(pod_events_dropped(events), 0);
}

/* The first pause is at most a second and a fifth, the later ones at most twelve. */
static void retries_come_soon(void **state)
{
    (void)state;
    pod_events_put(events, EVENT_SCHEDULED, &web, NULL, BERTH_STR("x"));
    for (int i = 0; i < 11; i++) {
        scripted_answer(server, sent("POST"), 500, "{}");
        assert_null(scripted_find(server, "POST", ""));
        scripted_advance(server, i == 0 ? second + second / 5 : 12 * second);
    }
    scripted_answer(server, sent("POST"), 201, "{}");
    assert_int_equal(pod_events_pending(events), 0);
}

static void what_the_server_refuses_is_dropped(void **state)
{
    (void)state;
    static const int at_once[] = {400, 404, 422};
    for (size_t i = 0; i < 3; i++) {
        pod_events_put(events, EVENT_SCHEDULED, &web, NULL, BERTH_STR("x"));
        scripted_answer(server, sent("POST"), at_once[i], "{}");
        assert_int_equal(pod_events_pending(events), 0);
    }
    assert_int_equal(pod_events_dropped(events), 3);
    pod_events_put(events, EVENT_SCHEDULED, &web, NULL, BERTH_STR("x"));
    for (int i = 0; i < 12; i++) {
        scripted_answer(server, sent("POST"), 500, "{}");
        scripted_advance(server, 12 * second);
    }
    assert_int_equal(pod_events_pending(events), 0);
    assert_int_equal(pod_events_dropped(events), 4);
    pod_events_put(events, EVENT_SCHEDULED, &web, NULL, BERTH_STR("x"));
    scripted_answer(server, sent("POST"), 409, "{}"); /* an earlier try was accepted */
    assert_int_equal(pod_events_pending(events), 0);
    assert_int_equal(pod_events_dropped(events), 4);
}

static void too_many_are_dropped(void **state)
{
    (void)state;
    for (int i = 0; i < 1200; i++)
        pod_events_put(events, EVENT_SCHEDULED, &web, NULL, BERTH_STR("x"));
    assert_int_equal(server->request_count, 23);
    assert_int_equal(pod_events_pending(events), 1000);
    assert_int_equal(pod_events_dropped(events), 200);
    while (server->request_count > 0)
        scripted_answer(server, sent("POST"), 201, "{}");
    assert_int_equal(pod_events_sent(events), 1000);
}

/* The more events wait, the more are in progress, within limits. */
static void many_are_sent_together(void **state)
{
    (void)state;
    pod_events *many = pod_events_create(&gate, NULL, "host-1", 8000);
    for (int i = 0; i < 64; i++)
        pod_events_put(many, EVENT_SCHEDULED, &web, NULL, BERTH_STR("x"));
    assert_int_equal(server->request_count, 8);
    pod_events_put(many, EVENT_SCHEDULED, &web, NULL, BERTH_STR("x"));
    assert_int_equal(server->request_count, 9);
    for (int i = 65; i < 8000; i++)
        pod_events_put(many, EVENT_SCHEDULED, &web, NULL, BERTH_STR("x"));
    assert_int_equal(server->request_count, 96);
    while (server->request_count > 0)
        scripted_answer(server, sent("POST"), 201, "{}");
    assert_int_equal(pod_events_sent(many), 8000);
    assert_int_equal(pod_events_pending(many), 0);
    pod_events_destroy(many);
}

static void names_that_would_be_too_long(void **state)
{
    (void)state;
    char name[253];
    memset(name, 'a', sizeof(name));
    write_pod pod = web;
    pod.name = (berth_str){name, sizeof(name)};
    pod_events_put(events, EVENT_SCHEDULED, &pod, NULL, BERTH_STR("x"));
    json_t *event = json_loads(sent("POST")->body, 0, NULL);
    assert_int_equal(
        json_string_length(json_object_get(json_object_get(event, "metadata"), "name")), 32);
    json_decref(event);
    scripted_answer(server, sent("POST"), 201, "{}");
}

static void a_new_leader_is_told_of(void **state)
{
    (void)state;
    pod_events_leader(events, &(leader_event){.namespace_name = "kube-system",
                                              .name = "berth",
                                              .component = "berth",
                                              .message = "a became leader"});
    assert_string_equal(sent("POST")->path, "/api/v1/namespaces/kube-system/events");
    assert_non_null(strstr(sent("POST")->body, "\"reason\":\"LeaderElection\""));
    assert_non_null(strstr(sent("POST")->body, "\"involvedObject\":{\"kind\":\"Lease\""));
    scripted_answer(server, sent("POST"), 201, "{}");
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        T(says_what_the_server_wants),
        T(names_the_preemptor),
        T(long_notes_are_cut),
        T(equal_ones_become_a_series),
        T(a_whole_series_is_forgotten),
        T(a_series_ends_before_it_is_swept),
        T(so_many_series_are_remembered),
        T(no_name_comes_twice),
        T(a_note_of_1024_bytes_is_whole),
        T(pauses_between_tries),
        T(a_series_that_goes_on_is_written_now_and_then),
        T(a_series_without_its_event_is_posted),
        T(none_is_lost_while_the_server_is_away),
        T(retries_come_soon),
        T(what_the_server_refuses_is_dropped),
        T(too_many_are_dropped),
        T(many_are_sent_together),
        T(names_that_would_be_too_long),
        T(a_new_leader_is_told_of),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
