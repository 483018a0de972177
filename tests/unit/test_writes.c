/* All writes together: the consequences of an outcome, evictions, the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "live/writes/writes.h"
#include "scripted_transport.h"

static const int64_t second = INT64_C(1000000000);

typedef struct setup {
    scripted_transport *server;
    writes *w;
    size_t bound, evicted, rooms;
    bind_verdict verdict;
    bool deleted, failed, over, all_good;
    int64_t took_ns;
} setup;

static setup now;

static void on_bound(void *context, const bind_outcome *outcome)
{
    setup *n = context;
    n->bound++;
    n->verdict = outcome->verdict;
}

static void on_evicted(void *context, const eviction_outcome *outcome)
{
    setup *n = context;
    n->evicted++;
    n->deleted = outcome->deleted;
    n->failed = outcome->failed;
    n->over = outcome->over;
    n->all_good = outcome->all_good;
    n->took_ns = outcome->took_ns;
}

static void on_room(void *context)
{
    ((setup *)context)->rooms++;
}

static int start(void **state)
{
    (void)state;
    now = (setup){.server = scripted_create()};
    now.w = writes_create(&(writes_options){
        .transport = &now.server->transport,
        .host = "host-1",
        .minor = 32,
        .scheduled_events = true,
        .callbacks = {.context = &now, .bound = on_bound, .evicted = on_evicted, .room = on_room}});
    return 0;
}

static int stop(void **state)
{
    (void)state;
    writes_destroy(now.w);
    assert_int_equal(now.server->request_count, 0);
    assert_int_equal(now.server->timer_count, 0);
    scripted_destroy(now.server);
    return 0;
}

#define POD(NAME, UID)                                                                \
    {                                                                                 \
        .namespace_name = {"shop", 4}, .name = {NAME, sizeof(NAME) - 1},              \
        .uid = {UID, sizeof(UID) - 1}, .scheduler_name = {"berth", 5}, .version = 70, \
        .generation = 1                                                               \
    }
static const write_pod web = POD("web-1", "u-1");
static const write_pod victim = POD("old-1", "u-9");

static scripted_request *sent(const char *method, const char *part)
{
    scripted_request *r = scripted_find(now.server, method, part);
    assert_non_null(r);
    return r;
}

static void answer(const char *method, const char *part, int status)
{
    scripted_answer(now.server, sent(method, part), status,
                    "{\"metadata\":{\"resourceVersion\":\"80\"},\"message\":\"so\"}");
}

static void bound_is_told(void **state)
{
    (void)state;
    writes_bind(now.w, 1, &web, BERTH_STR("n1"));
    answer("POST", "/binding", 201);
    assert_int_equal(now.bound, 1);
    assert_int_equal(now.verdict, BIND_BOUND);
    assert_non_null(strstr(sent("POST", "/events")->body,
                           "\"note\":\"Successfully assigned shop/web-1 to n1\""));
    answer("POST", "/events", 201);
    writes_counters counters;
    writes_count(now.w, &counters);
    assert_int_equal(counters.bind[BIND_BOUND], 1);
    assert_int_equal(counters.bind_requests, 1);
    assert_true(writes_is_settled(now.w));
    assert_int_equal(now.rooms, 1);
}

static void a_failed_binding_leaves_a_condition(void **state)
{
    (void)state;
    write_pod pod = web;
    pod.nominated = BERTH_STR("n1");
    writes_bind(now.w, 1, &pod, BERTH_STR("n1"));
    answer("POST", "/binding", 422);
    assert_int_equal(now.verdict, BIND_FAILED);
    const char *body = sent("PATCH", "/pods/web-1/status")->body;
    assert_non_null(strstr(body, "\"reason\":\"SchedulerError\""));
    assert_non_null(strstr(body, "running Bind plugin \\\"DefaultBinder\\\": so"));
    assert_non_null(strstr(body, "\"nominatedNodeName\":null"));
    assert_null(strstr(body, "observedGeneration")); /* only since 1.33 */
    answer("PATCH", "/status", 200);
    answer("POST", "/events", 201);
}

static void a_refused_binding_leaves_nothing(void **state)
{
    (void)state;
    writes_bind(now.w, 1, &web, BERTH_STR("n1"));
    answer("POST", "/binding", 404);
    assert_int_equal(now.verdict, BIND_REFUSED);
    assert_int_equal(now.server->request_count, 0);
}

static void an_unplaced_pod_is_told_of(void **state)
{
    (void)state;
    const write_failure failure = {.message = BERTH_STR("0/3 nodes are available"),
                                   .nominated = BERTH_STR("n2")};
    writes_failed(now.w, &web, &failure);
    assert_non_null(strstr(sent("PATCH", "/status")->body, "\"nominatedNodeName\":\"n2\""));
    answer("POST", "/events", 201);
    answer("PATCH", "/status", 200);
    writes_failed(now.w, &web, &failure); /* an equal event is only counted */
    answer("PATCH", "/events/", 200);
    assert_int_equal(now.server->request_count, 0);
}

/* ---- evictions ---- */

static void evict(void)
{
    now.evicted = 0;
    writes_evict(now.w, &victim, &web, BERTH_STR("n1"));
}

static void condition_then_deletion(void **state)
{
    (void)state;
    evict();
    evict(); /* an eviction is under way */
    const char *body = sent("PATCH", "/pods/old-1/status")->body;
    assert_non_null(strstr(body, "\"uid\":\"u-9\""));
    assert_non_null(strstr(body, "\"message\":\"berth: preempting to accommodate a higher "
                                 "priority pod\",\"reason\":\"PreemptionByScheduler\",\"status\":"
                                 "\"True\",\"type\":\"DisruptionTarget\""));
    assert_null(scripted_find(now.server, "DELETE", ""));
    answer("PATCH", "/status", 200);
    assert_string_equal(sent("DELETE", "")->path, "/api/v1/namespaces/shop/pods/old-1");
    assert_string_equal(sent("DELETE", "")->body,
                        "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\",\"preconditions\":"
                        "{\"uid\":\"u-9\"}}");
    answer("DELETE", "", 200);
    assert_int_equal(now.evicted, 1);
    assert_true(now.deleted);
    assert_non_null(
        strstr(sent("POST", "/events")->body, "\"note\":\"Preempted by pod u-1 on node n1\""));
    assert_non_null(strstr(sent("POST", "/events")->body, "\"name\":\"old-1\""));
    answer("POST", "/events", 201);
    assert_int_equal(now.server->request_count, 0);
}

static void victims_that_are_gone(void **state)
{
    (void)state;
    static const int at_patch[] = {404, 422};
    static const int at_delete[] = {404, 409};
    for (size_t i = 0; i < 2; i++) {
        evict();
        answer("PATCH", "/status", at_patch[i]);
        assert_true(now.evicted == 1 && !now.deleted && !now.failed);
        evict();
        answer("PATCH", "/status", 200);
        answer("DELETE", "", at_delete[i]);
        assert_true(now.evicted == 1 && !now.deleted && !now.failed);
    }
    evict();
    answer("PATCH", "/status", 500);
    writes_pod_gone(now.w, &victim);
    assert_true(now.evicted == 1 && !now.deleted && !now.failed);
    assert_int_equal(now.server->request_count, 0);
}

/* The last of a preemptor's evictions reports for all of them. */
static void a_preemption_of_two(void **state)
{
    (void)state;
    write_pod second_victim = victim;
    second_victim.name = BERTH_STR("old-2");
    second_victim.uid = BERTH_STR("u-10");
    for (int fails = 0; fails < 2; fails++) {
        evict();
        scripted_advance(now.server, second);
        writes_evict(now.w, &second_victim, &web, BERTH_STR("n1"));
        scripted_advance(now.server, second);
        answer("PATCH", "/old-1/status", fails == 1 ? 400 : 404);
        assert_true(now.evicted == 1 && !now.over);
        assert_int_equal(now.failed, fails);
        scripted_advance(now.server, second);
        answer("PATCH", "/old-2/status", 404);
        assert_true(now.evicted == 2 && now.over && !now.failed);
        assert_int_equal(now.all_good, 1 - fails);
        assert_int_equal(now.took_ns, 3 * second);
    }
    assert_int_equal(now.server->request_count, 0);
}

static void evictions_are_repeated(void **state)
{
    (void)state;
    evict();
    for (int i = 0; i < 10; i++) {
        if (i % 3 == 0)
            scripted_fail(now.server, sent("PATCH", "/status"), LIVE_UNKNOWN);
        else
            answer("PATCH", "/status", i % 3 == 1 ? 500 : 403);
        scripted_advance(now.server, 6 * second);
    }
    answer("PATCH", "/status", 200);
    scripted_fail(now.server, sent("DELETE", ""), LIVE_UNKNOWN);
    scripted_advance(now.server, second);
    answer("DELETE", "", 200);
    answer("POST", "/events", 201);
    assert_true(now.deleted);
}

/* Victims are not deleted for a pod that is gone, or while we do not hold the lease. */
static void no_deletion_without_need(void **state)
{
    (void)state;
    evict();
    writes_pod_gone(now.w, &web);
    assert_int_equal(now.server->request_count, 0);
    assert_true(now.evicted == 1 && !now.deleted && now.failed); /* the victim stays */
    evict();
    writes_fence(now.w, 0);
    answer("PATCH", "/status", 200);
    scripted_advance(now.server, 60 * second);
    assert_int_equal(now.server->request_count, 0);
    writes_fence(now.w, LIVE_NEVER);
    assert_non_null(scripted_find(now.server, "DELETE", ""));
    scripted_fail(now.server, sent("DELETE", ""), LIVE_UNKNOWN);
    writes_end(now.w);
    scripted_advance(now.server, 60 * second);
    assert_int_equal(now.server->request_count, 0);
    assert_true(writes_is_settled(now.w));
}

/* No victim is deleted for a pod that is not yet seen as nominated. */
static void the_nomination_comes_first(void **state)
{
    (void)state;
    evict();
    writes_failed(now.w, &web,
                  &(write_failure){.message = BERTH_STR("full"), .nominated = BERTH_STR("n1")});
    answer("PATCH", "/pods/old-1/status", 200);
    scripted_advance(now.server, second);
    assert_null(scripted_find(now.server, "DELETE", ""));
    answer("PATCH", "/pods/web-1/status", 200);
    scripted_advance(now.server, second / 10);
    answer("DELETE", "", 200);
    while (now.server->request_count > 0)
        answer("POST", "/events", 201);
    assert_true(now.deleted);
}

/* If the nomination is not written because the pod has a node by then, no victim is deleted. */
static void no_deletion_for_a_pod_with_a_node(void **state)
{
    (void)state;
    evict();
    writes_failed(now.w, &web,
                  &(write_failure){.message = BERTH_STR("full"), .nominated = BERTH_STR("n1")});
    answer("PATCH", "/pods/old-1/status", 200);
    answer("PATCH", "/pods/web-1/status", 504);
    writes_pod_seen(now.w, &web, BERTH_STR("n2"));
    scripted_advance(now.server, second);
    assert_null(scripted_find(now.server, "DELETE", ""));
    assert_true(now.evicted == 1 && !now.deleted && now.failed); /* the victim stays */
}

/* Whichever of them ends, another begins; only the last one reports that all is over. */
static void eight_evictions_at_a_time(void **state)
{
    (void)state;
    char name[16], uid[16];
    for (int i = 0; i < 20; i++) {
        write_pod pod = victim;
        snprintf(name, sizeof(name), "old-%d", i);
        snprintf(uid, sizeof(uid), "u-%d", i);
        pod.name = write_str(name);
        pod.uid = write_str(uid);
        writes_evict(now.w, &pod, &web, BERTH_STR("n1"));
    }
    for (size_t left = 20; left > 0; left--) {
        assert_int_equal(now.server->request_count, left < 8 ? left : 8);
        scripted_answer(now.server, &now.server->requests[left % now.server->request_count], 404,
                        "{}");
        assert_int_equal(now.over, left == 1);
    }
    assert_int_equal(now.evicted, 20);
    assert_int_equal(now.server->sent, 20);
}

/* From 50 ms up to 5 s, and up to a fifth longer by chance; a new step begins anew. */
static void evictions_pause_longer_and_longer(void **state)
{
    static const char *const methods[] = {"PATCH", "DELETE"};
    (void)state;
    evict();
    for (size_t i = 0; i < 2; i++) {
        for (int64_t delay_ns = second / 20; delay_ns < 20 * second; delay_ns *= 2) {
            const int64_t least_ns = delay_ns < 5 * second ? delay_ns : 5 * second;
            answer(methods[i], "/old-1", 503);
            scripted_advance(now.server, least_ns - 1);
            assert_int_equal(now.server->request_count, 0);
            scripted_advance(now.server, least_ns / 5 + 1);
        }
        answer(methods[i], "/old-1", 200);
    }
    assert_true(now.deleted);
    answer("POST", "/events", 201);
}

/* An answer that is under way is waited for: it says whether the victim was deleted. */
static void a_victim_may_go_while_it_is_deleted(void **state)
{
    (void)state;
    evict();
    answer("PATCH", "/status", 200);
    assert_string_equal(sent("DELETE", "")->content_type, "application/json");
    writes_pod_gone(now.w, &victim);
    assert_int_equal(now.evicted, 0);
    answer("DELETE", "", 200);
    assert_true(now.evicted == 1 && now.deleted);
    answer("POST", "/events", 201);
    writes_pod_gone(now.w, &victim);
    assert_int_equal(now.evicted, 1);
}

/* The victim's event comes from the preemptor's scheduler, and names the victim first. */
static void a_victim_of_another_scheduler(void **state)
{
    (void)state;
    write_pod pod = victim;
    pod.scheduler_name = BERTH_STR("other");
    writes_evict(now.w, &pod, &web, BERTH_STR("n1"));
    answer("PATCH", "/status", 200);
    answer("DELETE", "", 200);
    const char *body = sent("POST", "/events")->body;
    assert_non_null(strstr(body, "\"reportingController\":\"berth\""));
    assert_non_null(strstr(body, "\"regarding\":{\"kind\":\"Pod\",\"namespace\":\"shop\",\"name\":"
                                 "\"old-1\""));
    assert_non_null(strstr(body, "\"related\":{\"kind\":\"Pod\",\"namespace\":\"shop\",\"name\":"
                                 "\"web-1\""));
}

/* At the end, an eviction takes no further step and is not repeated. */
static void the_end_ends_evictions(void **state)
{
    static const int statuses[] = {200, 503};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        evict();
        writes_end(now.w);
        assert_false(writes_is_settled(now.w));
        answer("PATCH", "/status", statuses[i]);
        assert_true(writes_is_settled(now.w));
        assert_int_equal(now.server->request_count, 0);
        assert_int_equal(now.server->timer_count, 0);
        stop(NULL);
        start(NULL);
    }
}

/* ---- PodGroups and nominations ---- */

static const char *group_status(const write_pod *group, bool placed, bool error)
{
    writes_pod_group(now.w, group, &(write_group_outcome){placed, error, BERTH_STR("1 of 2 pods")});
    return sent("PATCH", "/podgroups/web-1/status")->body;
}

static void a_group_is_told_of(void **state)
{
    (void)state;
    const char *body = group_status(&web, false, false);
    assert_non_null(strstr(body, "\"message\":\"1 of 2 pods\",\"reason\":\"Unschedulable\","
                                 "\"status\":\"False\""));
    assert_non_null(strstr(body, "\"observedGeneration\":1")); /* in every version */
    assert_false(writes_is_settled(now.w));
    answer("PATCH", "/podgroups/", 200);
    assert_true(writes_is_settled(now.w));
    assert_non_null(strstr(group_status(&web, false, true), "\"reason\":\"SchedulerError\""));
    answer("PATCH", "/podgroups/", 200);
    assert_non_null(strstr(group_status(&web, true, false), "\"reason\":\"Scheduled\",\"status\":"
                                                            "\"True\""));
    answer("PATCH", "/podgroups/", 503);
    writes_pod_group_gone(now.w, &web);
    assert_true(writes_is_settled(now.w));
    write_pod placed = web;
    placed.placed = true;
    writes_pod_group(now.w, &placed, &(write_group_outcome){.message = BERTH_STR("full")});
    assert_int_equal(now.server->request_count, 0);
}

static void a_nomination_comes_and_goes(void **state)
{
    (void)state;
    writes_nominate(now.w, &web, BERTH_STR("n1"));
    assert_string_equal(sent("PATCH", "/pods/web-1/status")->body,
                        "{\"status\":{\"nominatedNodeName\":\"n1\"},\"metadata\":{\"uid\":"
                        "\"u-1\"}}");
    answer("PATCH", "/status", 200);
    writes_nominate(now.w, &web, (berth_str){0});
    assert_non_null(strstr(sent("PATCH", "/status")->body, "\"nominatedNodeName\":null"));
    assert_false(writes_is_settled(now.w));
    writes_pod_gone(now.w, &web);
    assert_true(writes_is_settled(now.w));
    assert_int_equal(now.server->request_count, 0);
}

/* Since 1.33, conditions say which generation they are about. */
static void conditions_say_the_generation(void **state)
{
    (void)state;
    for (int minor = 32; minor <= 33; minor++) {
        writes_destroy(now.w);
        now.w =
            writes_create(&(writes_options){.transport = &now.server->transport, .minor = minor});
        writes_evict(now.w, &victim, &web, BERTH_STR("n1"));
        writes_failed(now.w, &web, &(write_failure){.message = BERTH_STR("full")});
        const char *const parts[] = {"/old-1/status", "/web-1/status"};
        for (size_t i = 0; i < 2; i++)
            assert_true((strstr(sent("PATCH", parts[i])->body, "\"observedGeneration\":1") !=
                         NULL) == (minor == 33));
    }
}

/* ---- together ---- */

/* Refusals for want of room are counted in every lane. */
static void pushbacks_are_counted_together(void **state)
{
    (void)state;
    writes_counters counters;
    writes_bind(now.w, 1, &web, BERTH_STR("n1"));
    evict();
    writes_failed(now.w, &web, &(write_failure){.message = BERTH_STR("full")});
    for (int i = 0; i < 2; i++) {
        answer("POST", "/binding", 429);
        scripted_advance(now.server, second);
    }
    answer("PATCH", "/old-1/status", 429);
    answer("PATCH", "/web-1/status", 429);
    answer("POST", "/events", 503);
    writes_count(now.w, &counters);
    assert_int_equal(counters.pushed_back, 4);
    assert_int_equal(counters.binding, 1);
    assert_int_equal(counters.bind_requests, 3);
    assert_int_equal(counters.bind[BIND_BOUND], 0);
    assert_int_equal(counters.events_dropped, 0);
    writes_unbind(now.w, 1);
    writes_end(now.w);
}

/* The rate has a burst of one, unless it is given a larger one. */
static void the_burst_is_at_least_one(void **state)
{
    static const double bursts[] = {0, 0.5, 1, 1.5, 3};
    static const size_t sent_at_once[] = {1, 1, 1, 1, 3};
    (void)state;
    for (size_t i = 0; i < 5; i++) {
        writes_destroy(now.w);
        now.w = writes_create(
            &(writes_options){.transport = &now.server->transport, .rate = 1, .burst = bursts[i]});
        for (uint64_t id = 1; id <= 4; id++)
            writes_bind(now.w, id, &web, BERTH_STR("n1"));
        assert_int_equal(now.server->request_count, sent_at_once[i]);
    }
}

/* Each kind of write by itself keeps the whole from being settled. */
static void settled_means_all_of_them(void **state)
{
    (void)state;
    writes_bind(now.w, 1, &web, BERTH_STR("n1"));
    assert_false(writes_is_settled(now.w));
    answer("POST", "/binding", 404);
    writes_unbind(now.w, 1);
    assert_true(writes_is_settled(now.w));
    evict();
    assert_false(writes_is_settled(now.w));
    answer("PATCH", "/old-1/status", 404);
    assert_true(writes_is_settled(now.w));
    assert_int_equal(now.rooms, 2); /* both made room */
    writes_failed(now.w, &web, &(write_failure){.message = BERTH_STR("full")});
    answer("PATCH", "/web-1/status", 200);
    assert_false(writes_is_settled(now.w)); /* the event */
    answer("POST", "/events", 201);
    assert_true(writes_is_settled(now.w));
}

/* A write of every kind is in progress. */
static void begin_everything(void)
{
    const volume_choice choice = {.claim_namespace = BERTH_STR("shop"),
                                  .claim_name = BERTH_STR("data"),
                                  .claim_uid = BERTH_STR("c-1"),
                                  .claim_version = 50};
    const device_choice device = {.claim_namespace = BERTH_STR("shop"),
                                  .claim_name = BERTH_STR("gpu"),
                                  .claim_uid = BERTH_STR("c-2")};
    writes_bind_with_volumes(
        now.w,
        &(volume_job){
            .id = 1, .pod = &web, .node = BERTH_STR("n1"), .choices = &choice, .choice_count = 1});
    writes_devices(
        now.w,
        &(device_job){
            .id = 2, .pod = &web, .node = BERTH_STR("n1"), .choices = &device, .choice_count = 1});
    writes_bind(now.w, 2, &web, BERTH_STR("n1"));
    writes_free_claim(now.w, &(freed_claim){BERTH_STR("shop"), BERTH_STR("a"), BERTH_STR("e"), 7});
    writes_delete_claim(now.w, &(deleted_claim){.namespace_name = BERTH_STR("shop"),
                                                .name = BERTH_STR("b"),
                                                .uid = BERTH_STR("f")});
    writes_failed(now.w, &web, &(write_failure){.message = BERTH_STR("full")});
    writes_pod_group(now.w, &web, &(write_group_outcome){.message = BERTH_STR("full")});
    scripted_advance(now.server, 1);
    static const char *const kinds[] = {"claims/data",    "claims/gpu",    "claims/a", "claims/b",
                                        "/pods/web-1/st", "/podgroups/we", "/events"};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        (void)sent("", kinds[i]);
}

static void destruction_cancels_all(void **state)
{
    (void)state;
    begin_everything();
    evict();
    writes_bind(now.w, 3, &web, BERTH_STR("n1"));
}

/* Claims and victims are dropped at the end; what is told of pods is still written. */
static void the_end_drops_what_has_not_begun(void **state)
{
    (void)state;
    begin_everything();
    writes_end(now.w);
    answer("PATCH", "/podgroups/web-1/status", 200);
    assert_int_equal(now.server->request_count, 2);
    answer("PATCH", "/pods/web-1/status", 200);
    answer("POST", "/events", 201);
    assert_int_equal(now.server->request_count, 0);
    assert_true(writes_is_settled(now.w));
}

static void events_wait_for_conditions(void **state)
{
    (void)state;
    char name[16];
    for (int i = 0; i < 20; i++) {
        write_pod pod = web;
        snprintf(name, sizeof(name), "p-%d", i);
        pod.name = write_str(name);
        writes_failed(now.w, &pod, &(write_failure){.message = BERTH_STR("full")});
    }
    assert_int_equal(now.server->request_count,
                     16); /* 8 events were sent before anything else was there */
    for (int i = 0; i < 8; i++)
        answer("POST", "/events", 201);
    assert_null(scripted_find(now.server, "POST", "/events"));
    for (int i = 0; i < 12; i++)
        answer("PATCH", "/status", 200);
    assert_non_null(scripted_find(now.server, "POST", "/events"));
    while (now.server->request_count > 0)
        answer("", "", 200);
}

static void room_follows_the_window(void **state)
{
    (void)state;
    uint64_t id = 0;
    while (writes_has_room(now.w))
        writes_bind(now.w, ++id, &web, BERTH_STR("n1"));
    assert_int_equal(id, 32);
    writes_end(now.w);
    for (int i = 0; i < 16; i++)
        answer("POST", "/binding", 404);
    assert_int_equal(now.bound, 16);
    assert_true(writes_is_settled(now.w));
}

static void what_is_refused_is_named(void **state)
{
    (void)state;
    assert_null(writes_denied(now.w));
    writes_bind(now.w, 1, &web, BERTH_STR("n1"));
    answer("POST", "/binding", 403);
    assert_string_equal(writes_denied(now.w), "create pods/binding");
    writes_unbind(now.w, 1);
    assert_true(writes_is_settled(now.w));
    writes_bind(now.w, 2, &web, BERTH_STR("n1"));
    answer("POST", "/binding", 404);
    writes_unbind(now.w, 2);
    assert_null(writes_denied(now.w));
    writes_free_claim(now.w, &(freed_claim){BERTH_STR("shop"), BERTH_STR("a"), BERTH_STR("e"), 7});
    answer("PATCH", "/resourceclaims/a/status", 403);
    assert_string_equal(writes_denied(now.w), "patch resourceclaims/status");
    writes_end(now.w);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        T(bound_is_told),
        T(a_failed_binding_leaves_a_condition),
        T(a_refused_binding_leaves_nothing),
        T(an_unplaced_pod_is_told_of),
        T(condition_then_deletion),
        T(victims_that_are_gone),
        T(a_preemption_of_two),
        T(evictions_are_repeated),
        T(no_deletion_without_need),
        T(the_nomination_comes_first),
        T(no_deletion_for_a_pod_with_a_node),
        T(eight_evictions_at_a_time),
        T(evictions_pause_longer_and_longer),
        T(a_victim_may_go_while_it_is_deleted),
        T(a_victim_of_another_scheduler),
        T(the_end_ends_evictions),
        T(a_group_is_told_of),
        T(a_nomination_comes_and_goes),
        T(conditions_say_the_generation),
        T(pushbacks_are_counted_together),
        T(the_burst_is_at_least_one),
        T(settled_means_all_of_them),
        T(destruction_cancels_all),
        T(the_end_drops_what_has_not_begun),
        T(events_wait_for_conditions),
        T(room_follows_the_window),
        T(what_is_refused_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
