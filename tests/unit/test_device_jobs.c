/* Jobs of several claims: when they wait, end and time out, what each claim is given back, and how
 * many requests are under way. */
#include "gated_writes.h"

#include "live/writes/device_writes.h"

static claim_deletions *deletions;
static device_writes *d;
static size_t settled, waited;
static bool ready;
static char why[256];

static const write_pod web = {
    .namespace_name = {"shop", 4}, .name = {"web-1", 5}, .uid = {"u-1", 3}};

static void on_settled(void *context, const device_outcome *outcome)
{
    assert_ptr_equal(context, &settled);
    settled++;
    ready = outcome->ready;
    snprintf(why, sizeof(why), "%s", outcome->why);
}

static void on_waits(void *context, const write_pod *pod, berth_str node)
{
    assert_ptr_equal(context, &settled);
    assert_memory_equal(pod->name.data, "web-1", 5);
    assert_memory_equal(node.data, "n1", 2);
    waited++;
}

/* The ids of timers that are given back are of timers that run. */
static void stop_what_runs(void *self, live_id id)
{
    const size_t before = server->timer_count;
    scripted_timer_stop(self, id);
    assert_true(id == 0 || server->timer_count < before);
}

static int start(void **state)
{
    static live_transport_ops strict;
    (void)state;
    gate_open();
    strict = *server->transport.ops;
    strict.timer_stop = stop_what_runs;
    server->transport.ops = &strict;
    settled = waited = 0;
    deletions = claim_deletions_create(&gate);
    d = device_writes_create(&gate, deletions, on_settled, on_waits, &settled);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    device_writes_destroy(d);
    device_writes_destroy(NULL);
    claim_deletions_destroy(deletions);
    gate_close();
    return 0;
}

/* ---- claims ---- */

#define CLAIMS "/apis/resource.k8s.io/v1/namespaces/shop/resourceclaims/"
#define US "{\"uid\":\"u-1\"}"
#define OTHER "{\"uid\":\"u-2\"}"

/* The text of a claim with devices; `users` are in its reservedFor, `conditions` are awaited. */
static const char *claim_text(const char *name, const char *users, const char *conditions)
{
    static char text[1024];
    snprintf(
        text, sizeof(text),
        "{\"metadata\":{\"uid\":\"c-%s\",\"resourceVersion\":\"7\"},\"status\":{\"allocation\":"
        "{\"devices\":{\"results\":[{\"driver\":\"d\",\"bindingConditions\":[%s]}]}},"
        "\"reservedFor\":[%s]}}",
        name, conditions, users);
    return text;
}

static void answer(const char *method, const char *name, int status, const char *body)
{
    char path[128];
    snprintf(path, sizeof(path), CLAIMS "%s", name);
    scripted_request *r = scripted_find(server, method, path);
    if (r == NULL)
        fail_msg("no %s of %s", method, name);
    assert_int_equal(r->connection, LIVE_WRITES);
    assert_string_equal(r->content_type, strcmp(method, "GET") == 0 ? ""
                                         : strstr(r->body, "$patch") != NULL
                                             ? "application/strategic-merge-patch+json"
                                             : "application/merge-patch+json");
    scripted_answer(server, r, status, body);
    scripted_advance(server, 0); /* immediate requests are sent */
}

static void show(const char *name, const char *users, const char *conditions)
{
    answer("GET", name, 200, claim_text(name, users, conditions));
}

static bool is_asked(const char *method, const char *name)
{
    char path[128];
    snprintf(path, sizeof(path), CLAIMS "%s", name);
    return scripted_find(server, method, path) != NULL;
}

/* Put and begin a job with a claim for each letter of `names`. */
static void begin_for(uint64_t id, const char *names, int64_t timeout_ns)
{
    device_choice choices[4];
    char uids[4][8];
    const size_t count = strlen(names);
    assert_true(count <= 4);
    for (size_t i = 0; i < count; i++) {
        snprintf(uids[i], sizeof(uids[i]), "c-%c", names[i]);
        choices[i] = (device_choice){.claim_namespace = BERTH_STR("shop"),
                                     .claim_name = {&names[i], 1},
                                     .claim_uid = {uids[i], 3}};
    }
    device_writes_put(d, &(device_job){.id = id,
                                       .pod = &web,
                                       .node = BERTH_STR("n1"),
                                       .choices = choices,
                                       .choice_count = count,
                                       .timeout_ns = timeout_ns});
    assert_true(device_writes_go(d, id));
}

/* ---- several claims, several jobs ---- */

static void sixteen_at_a_time(void **state)
{
    (void)state;
    for (uint64_t id = 1; id <= 20; id++)
        begin_for(id, "a", 0);
    assert_int_equal(device_writes_count(d), 20);
    assert_int_equal(server->request_count, 16);
    show("a", US, "");
    assert_int_equal(server->request_count, 16);
    assert_int_equal(server->sent, 17);
    assert_int_equal(settled, 1);
}

static void every_claim_must_be_ready(void **state)
{
    (void)state;
    begin_for(1, "abc", 0);
    show("b", US, "");
    show("a", US, "");
    assert_int_equal(settled, 0);
    show("c", US, "");
    assert_int_equal(settled, 1);
    assert_true(ready);
    assert_string_equal(why, "");
    assert_int_equal(server->timer_count, 0);
    device_writes_node_gone(d, BERTH_STR("n1")); /* it is settled already */
    assert_int_equal(settled, 1);
    assert_int_equal(waited, 0);
    device_writes_bound(d, 1);
    assert_int_equal(device_writes_count(d), 0);
    assert_int_equal(server->request_count, 0);
}

static void unknown_jobs(void **state)
{
    (void)state;
    begin_for(1, "a", 0);
    assert_false(device_writes_go(d, 2));
    device_writes_bound(d, 2);
    device_writes_drop(d, 2);
    assert_int_equal(device_writes_count(d), 1);
}

/* ---- waiting ---- */

/* A claim is looked at again every five seconds, and its pod is told of once. */
static void conditions_are_looked_at(void **state)
{
    (void)state;
    begin_for(1, "ab", 0);
    show("a", US, "\"Ready\"");
    assert_int_equal(waited, 1);
    show("b", US, "\"Ready\"");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(server->request_count, 0);
        scripted_advance(server, 5 * second - 1);
        assert_int_equal(server->request_count, 0);
        scripted_advance(server, 1);
        show("a", US, "\"Ready\"");
        show("b", US, "\"Ready\"");
    }
    assert_int_equal(waited, 1);
    assert_int_equal(settled, 0);
}

/* Before conditions are awaited, a job has ten minutes; then it has its own time. */
static void time_ends_a_job(void **state)
{
    static const struct {
        bool waits;
        int64_t option_ns, limit_ns;
    } cases[] = {{false, 7000000000, 600000000000},
                 {true, 0, 600000000000},
                 {true, 7000000000, 7000000000},
                 {true, 900000000000, 900000000000}};
    (void)state;
    for (uint64_t id = 0; id < 4; id++) {
        settled = 0;
        begin_for(id, "ab", cases[id].option_ns);
        if (cases[id].waits) {
            scripted_advance(server, 100 * second); /* the time before does not count */
            show("a", US, "\"Ready\"");
        } else {
            show("a", US, "");
        }
        const int64_t end_ns = server->now_ns + cases[id].limit_ns;
        for (int64_t left_ns; (left_ns = end_ns - server->now_ns) > 1;) {
            if (is_asked("GET", "a"))
                show("a", US, "\"Ready\"");
            scripted_advance(server, left_ns > second ? second : left_ns - 1);
        }
        assert_int_equal(settled, 0);
        scripted_advance(server, 1);
        assert_int_equal(settled, 1);
        assert_false(ready);
        /* the first claim that is not done */
        assert_string_equal(why, cases[id].waits ? "device binding timeout: claim=a"
                                                 : "device binding timeout: claim=b");
        device_writes_bound(d, id);
        assert_int_equal(server->timer_count, 0);
    }
}

/* What the watch shows is looked at at once, if a reservation of ours waits there. */
static void changes_are_looked_at(void **state)
{
    (void)state;
    begin_for(1, "abc", 0);
    for (const char *name = "abc"; name[0] != '\0'; name++) {
        const char one[] = {name[0], '\0'};
        if (name[0] == 'c') {
            show(one, US, "\"Ready\""); /* reserved by somebody else for us */
            continue;
        }
        show(one, "", "\"Ready\"");
        answer("PATCH", one, 200, "{}");
        show(one, US, "\"Ready\"");
    }
    assert_int_equal(server->request_count, 0);
    device_writes_claim_seen(d, BERTH_STR("shop"), BERTH_STR("c"));
    device_writes_claim_seen(d, BERTH_STR("shop"), BERTH_STR("z"));
    device_writes_claim_seen(d, BERTH_STR("other"), BERTH_STR("a"));
    assert_int_equal(server->request_count, 0);
    device_writes_claim_seen(d, BERTH_STR("shop"), BERTH_STR("a"));
    assert_int_equal(server->request_count, 1);
    device_writes_claim_seen(d, BERTH_STR("shop"), BERTH_STR("a")); /* it is under way */
    assert_int_equal(server->request_count, 1);
    device_writes_claim_seen(d, BERTH_STR("shop"), BERTH_STR("b"));
    assert_true(is_asked("GET", "a") && is_asked("GET", "b"));
    show("a", US, "");
    show("b", US, "");
    scripted_advance(server, 5 * second);
    show("c", US, "");
    assert_int_equal(settled, 1);
    device_writes_claim_seen(d, BERTH_STR("shop"), BERTH_STR("a"));
    assert_int_equal(server->request_count, 0);
}

/* ---- giving back ---- */

/* Of a job that is dropped in time, only the reservations that it made are removed. */
static void own_reservations_are_given_back(void **state)
{
    (void)state;
    begin_for(1, "abc", 0);
    show("a", US, "\"Ready\""); /* was ours before */
    show("b", OTHER, "\"Ready\"");
    answer("PATCH", "b", 200, "{}");
    show("b", OTHER "," US, "\"Ready\"");
    device_writes_drop(d, 1);
    assert_int_equal(server->request_count, 1);
    assert_non_null(strstr(scripted_find(server, "PATCH", CLAIMS "b")->body, "$patch"));
    answer("PATCH", "b", 200, "{}");
    assert_int_equal(device_writes_count(d), 0);
    assert_int_equal(server->timer_count, 0);
    assert_int_equal(settled, 0);
}

/* Of one whose conditions came too late, devices are taken from claims that wait for ours alone. */
static void late_devices_are_taken(void **state)
{
    (void)state;
    begin_for(1, "abcd", second);
    show("a", US, "");
    show("b", US, "\"Ready\"");
    show("c", OTHER "," US, "\"Ready\"");
    scripted_advance(server, second);
    assert_int_equal(settled, 1);
    assert_int_equal(waited, 1);
    device_writes_drop(d, 1);
    assert_int_equal(server->request_count, 1);
    assert_non_null(
        strstr(scripted_find(server, "PATCH", CLAIMS "b")->body, "\"allocation\":null"));
    answer("PATCH", "b", 200, "{}");
    assert_int_equal(device_writes_count(d), 0);
    assert_int_equal(server->timer_count, 0);
}

/* The same conditions, but the job fails before they are late: nobody's devices are taken. */
static void devices_in_time_stay(void **state)
{
    (void)state;
    begin_for(1, "a", 20 * second);
    show("a", US, "\"Ready\"");
    device_writes_node_gone(d, BERTH_STR("n1"));
    assert_int_equal(settled, 1);
    device_writes_drop(d, 1);
    assert_int_equal(server->request_count, 0);
    assert_int_equal(device_writes_count(d), 0);
}

static void a_release_is_tried_ten_times(void **state)
{
    (void)state;
    begin_for(1, "a", 0);
    show("a", "", "");
    device_writes_drop(d, 1); /* the patch may have arrived */
    for (int tries = 1; tries <= 10; tries++) {
        assert_int_equal(device_writes_count(d), 1);
        answer("PATCH", "a", 503, "{}");
        scripted_advance(server, 6 * second);
    }
    assert_int_equal(device_writes_count(d), 0);
    assert_int_equal(server->request_count + server->timer_count, 0);
}

/* ---- classes ---- */

static void choose_of_class(uint64_t id)
{
    const device_choice choice = {
        .claim_namespace = BERTH_STR("shop"),
        .claim_name = BERTH_STR("a"),
        .claim_uid = BERTH_STR("c-a"),
        .allocation = BERTH_STR("{\"devices\":{\"results\":[{\"request\":\"r\"}]}}")};
    device_writes_put(
        d,
        &(device_job){
            .id = id, .pod = &web, .node = BERTH_STR("n1"), .choices = &choice, .choice_count = 1});
    assert_true(device_writes_go(d, id));
}

static const char of_class[] =
    "{\"metadata\":{\"uid\":\"c-a\",\"resourceVersion\":\"7\","
    "\"finalizers\":[\"resource.kubernetes.io/delete-protection\"]},\"spec\":{\"devices\":"
    "{\"requests\":[{\"name\":\"r\",\"exactly\":{\"deviceClassName\":\"x\"}}]}}}";

static bool class_is_asked(void)
{
    return scripted_find(server, "GET", "/deviceclasses/x") != NULL;
}

/* A class is read again until there is an answer, and once for as long as a job is left. */
static void classes_are_remembered(void **state)
{
    (void)state;
    choose_of_class(1);
    answer("GET", "a", 200, of_class);
    assert_true(class_is_asked());
    scripted_answer(server, scripted_find(server, "GET", "/deviceclasses/x"), 503, "{}");
    assert_false(class_is_asked());
    scripted_advance(server, second);
    assert_true(class_is_asked());
    scripted_answer(server, scripted_find(server, "GET", "/deviceclasses/x"), 200,
                    "{\"spec\":{\"config\":[{\"of\":\"x\"}]}}");
    scripted_advance(server, 0);
    choose_of_class(2);
    device_writes_bound(d, 1); /* the other one is left */
    answer("GET", "a", 200, of_class);
    assert_false(class_is_asked());
    assert_non_null(strstr(scripted_find(server, "PATCH", CLAIMS "a/status")->body,
                           "\"config\":[{\"of\":\"x\",\"source\":\"FromClass\""));
    device_writes_bound(d, 2);
    choose_of_class(3);
    answer("GET", "a", 200, of_class);
    assert_true(class_is_asked());
}

/* ---- claims that are created ---- */

static void create(uint64_t id)
{
    const device_choice choice = {.claim_namespace = BERTH_STR("shop"),
                                  .allocation = BERTH_STR("{\"devices\":{\"results\":[]}}"),
                                  .requests = BERTH_STR("[]"),
                                  .mappings = BERTH_STR("[]")};
    device_writes_put(
        d,
        &(device_job){
            .id = id, .pod = &web, .node = BERTH_STR("n1"), .choices = &choice, .choice_count = 1});
    assert_true(device_writes_go(d, id));
}

static void answer_creation(int status, const char *body)
{
    const scripted_request *r = scripted_find(server, "POST", "/namespaces/shop/resourceclaims");
    assert_non_null(r);
    scripted_answer(server, r, status, body);
}

/* A job that was dropped while its claim is created ends with the answer. */
static void dropped_while_it_is_created(void **state)
{
    static const struct {
        int status;
        const char *body;
        size_t deletions;
    } cases[] = {
        {201, "{\"metadata\":{\"name\":\"x\",\"uid\":\"e\"}}", 1},
        {201, "{\"metadata\":{\"name\":\"x\"}}", 0},
        {201, "{\"metadata\":{\"uid\":\"e\"}}", 0},
        {422, "{}", 0},
        {429, "{}", 0},
        {504, "{}", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        create(i);
        device_writes_drop(d, i);
        assert_int_equal(device_writes_count(d), 1);
        answer_creation(cases[i].status, cases[i].body);
        assert_int_equal(device_writes_count(d), 0);
        assert_int_equal(claim_deletions_count(deletions), cases[i].deletions);
        assert_int_equal(settled, 0);
        claim_deletions_destroy(deletions);
        device_writes_destroy(d);
        deletions = claim_deletions_create(&gate);
        d = device_writes_create(&gate, deletions, on_settled, NULL, &settled);
    }
}

/* Without a name and a uid there is nothing that could be deleted safely. */
static void created_without_a_uid(void **state)
{
    (void)state;
    create(1);
    answer_creation(201, "{\"metadata\":{\"name\":\"x\"}}");
    assert_int_equal(settled, 1);
    assert_false(ready);
    device_writes_drop(d, 1);
    assert_int_equal(claim_deletions_count(deletions), 0);
    assert_int_equal(device_writes_count(d), 0);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, start, stop)
    const struct CMUnitTest tests[] = {
        T(sixteen_at_a_time),
        T(every_claim_must_be_ready),
        T(unknown_jobs),
        T(conditions_are_looked_at),
        T(time_ends_a_job),
        T(changes_are_looked_at),
        T(own_reservations_are_given_back),
        T(late_devices_are_taken),
        T(devices_in_time_stay),
        T(a_release_is_tried_ten_times),
        T(classes_are_remembered),
        T(dropped_while_it_is_created),
        T(created_without_a_uid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
