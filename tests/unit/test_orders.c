/* Orders on their way to the API server: bindings are sent only for the pod and node of the
 * decision, not for others of the same name. A deciding thread and a scripted server run together.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "live/run/orders.h"
#include "live/transport/event_loop.h"
#include "scripted_transport.h"

#define SECOND INT64_C(1000000000)

typedef struct world {
    scripted_transport *s;
    engine_setup setup;
    deciding d;
    watcher *watcher;
    writes *writes;
    orders orders;
} world;

static world w;

static uint64_t on_change(void *context, const watch_change *change)
{
    static const message_kind kinds[] = {MESSAGE_ADD, MESSAGE_UPDATE, MESSAGE_REMOVE};
    (void)context;
    return inbox_put_change(&w.d.in, kinds[change->operation], change->kind, change->namespace_name,
                            change->name, change->object);
}

static void on_listed(void *context, berth_kind kind)
{
    (void)context;
    (void)kind;
}

static void on_seen(void *context, const object_entry *entry, const object_view *view)
{
    (void)context;
    orders_seen(&w.orders, entry, view);
}

static void on_gone(void *context, berth_kind kind, const object_entry *entry)
{
    (void)context;
    orders_gone(&w.orders, kind, entry);
}

static void on_bound(void *context, const bind_outcome *outcome)
{
    (void)context;
    orders_bound(&w.orders, outcome);
}

static void on_evicted(void *context, const eviction_outcome *outcome)
{
    (void)context;
    orders_evicted(&w.orders, outcome);
}

static void on_ordered(void *context)
{
    (void)context;
}

#define NODE(uid, version)                                                             \
    "{\"metadata\":{\"name\":\"n\",\"uid\":\"" uid "\",\"resourceVersion\":\"" version \
    "\"},\"status\":{\"allocatable\":{\"cpu\":\"4\",\"pods\":\"110\"}}}"
#define POD(name, uid, version, spec) POD_OF(name, uid, version, spec, "3")
#define POD_OF(name, uid, version, spec, cpu)                                                 \
    "{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"ns\",\"uid\":\"" uid                \
    "\",\"resourceVersion\":\"" version "\"},\"spec\":{" spec                                 \
    "\"schedulerName\":\"default-scheduler\",\"containers\":[{\"name\":\"c\",\"resources\":{" \
    "\"requests\":{\"cpu\":\"" cpu "\"}}}]}}"

/* Answer every list request: one node, no pods, nothing else. */
static void give_lists(void)
{
    scripted_request *request;
    scripted_advance(w.s, 1);
    while ((request = scripted_find(w.s, "GET", "?limit=")) != NULL) {
        const char *items =
            strstr(request->path, "/nodes") != NULL
                ? "{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[" NODE("n1", "1") "]}"
                : "{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[]}";
        scripted_data(w.s, request, items, strlen(items));
        scripted_answer(w.s, scripted_find(w.s, "GET", "?limit="), 200, "");
        scripted_advance(w.s, 1);
    }
    assert_true(watcher_is_synced(w.watcher));
}

static int start_with(int minor, const char *kubernetes, const char *gates)
{
    berth_error error;
    memset(&w, 0, sizeof(w));
    w.s = scripted_create();
    (void)engine_setup_options(&w.setup);
    w.setup.kubernetes = kubernetes;
    w.setup.feature_gates = gates;
    w.setup.places_groups = true;
    assert_int_equal(engine_setup_resolve(&w.setup, &error), BERTH_OK);
    w.d.setup = &w.setup;
    w.d.ordered = on_ordered;
    assert_int_equal(deciding_start(&w.d, &error), BERTH_OK);
    const watch_sink sink = {
        .change = on_change, .listed = on_listed, .seen = on_seen, .gone = on_gone};
    w.watcher = watcher_create(&w.s->transport, &sink, minor, engine_setup_follows_groups(&w.setup),
                               engine_setup_follows_composites(&w.setup));
    w.writes =
        writes_create(&(writes_options){.transport = &w.s->transport,
                                        .host = "h",
                                        .minor = minor,
                                        .scheduled_events = true,
                                        .callbacks = {.bound = on_bound, .evicted = on_evicted}});
    writes_fence(w.writes, LIVE_NEVER);
    w.orders = (orders){.deciding = &w.d, .watcher = w.watcher, .writes = w.writes};
    watcher_start(w.watcher);
    give_lists();
    (void)inbox_put(&w.d.in, MESSAGE_SYNCED);
    (void)inbox_put(&w.d.in, MESSAGE_DECIDE);
    return 0;
}

static int start(void **state)
{
    (void)state;
    return start_with(36, "1.36", NULL);
}

static int start_groups(void **state)
{
    (void)state;
    return start_with(37, "1.37", "GenericWorkload=true");
}

static int stop(void **state)
{
    (void)state;
    watcher_stop(w.watcher);
    deciding_stop(&w.d);
    writes_destroy(w.writes);
    deciding_free(&w.d);
    watcher_destroy(w.watcher);
    engine_setup_release(&w.setup);
    scripted_destroy(w.s);
    return 0;
}

static void give_event(const char *path, const char *type, const char *object)
{
    char text[2048];
    scripted_request *request = scripted_find(w.s, "GET", path);
    assert_non_null(request);
    int length = snprintf(text, sizeof(text), "{\"type\":\"%s\",\"object\":%s}\n", type, object);
    scripted_data(w.s, request, text, (size_t)length);
    scripted_advance(w.s, 1);
}

static void give_pod(const char *type, const char *object)
{
    give_event("/pods?watch", type, object);
}

/* Wait until the deciding thread has put an order. */
static void wait_for_orders(void)
{
    int64_t until_ns = event_loop_now() + 20 * SECOND;
    while (outbox_count(&w.d.out) == 0 && event_loop_now() < until_ns)
        usleep(500);
    assert_int_not_equal(outbox_count(&w.d.out), 0);
}

static scripted_request *sent(const char *method, const char *path)
{
    orders_take(&w.orders);
    scripted_advance(w.s, 1);
    return scripted_find(w.s, method, path);
}

static void assert_state(uint64_t bound, uint64_t assumed)
{
    berth_scheduler_counters now = {.bound = 0};
    for (int64_t until_ns = event_loop_now() + 20 * SECOND; event_loop_now() < until_ns;) {
        deciding_count(&w.d, &now);
        if (now.bound == bound && now.assumed == assumed)
            return;
        usleep(500);
    }
    fail_msg("bound %d, assumed %d", (int)now.bound, (int)now.assumed);
}

/* Orders that nobody takes go with the thread that made them. */
static void test_not_taken(void **state)
{
    (void)state;
    give_pod("ADDED", POD("p", "u1", "9", ""));
    wait_for_orders();
}

static void test_bound(void **state)
{
    (void)state;
    give_pod("ADDED", POD("p", "u1", "8", ""));
    wait_for_orders();
    scripted_request *request = sent("POST", "/api/v1/namespaces/ns/pods/p/binding");
    assert_non_null(request);
    assert_non_null(strstr(request->body, "\"uid\":\"u1\""));
    assert_non_null(strstr(request->body, "\"name\":\"n\""));
    assert_state(0, 1);
    scripted_answer(w.s, request, 201, "{\"kind\":\"Status\",\"status\":\"Success\"}");
    assert_state(1, 0);
    request = sent("POST", "/events");
    assert_non_null(request);
    assert_non_null(strstr(request->body, "Successfully assigned ns/p to n"));
    assert_non_null(strstr(request->body, "\"reportingController\":\"default-scheduler\""));
}

/* The pod was deleted and created again before the order was taken. */
static void test_another_pod(void **state)
{
    (void)state;
    give_pod("ADDED", POD("p", "u1", "8", ""));
    wait_for_orders();
    give_pod("DELETED", POD("p", "u1", "9", ""));
    give_pod("ADDED", POD("p", "u2", "10", ""));
    scripted_request *request = sent("POST", "/binding");
    for (int64_t until_ns = event_loop_now() + 20 * SECOND;
         request == NULL && event_loop_now() < until_ns; request = sent("POST", "/binding"))
        usleep(500);
    assert_non_null(request);
    assert_non_null(strstr(request->body, "\"uid\":\"u2\"")); /* a new decision, for the new pod */
}

/* The new pod of that name fits nowhere: the order about the old one does not bind it. */
static void test_another_pod_that_does_not_fit(void **state)
{
    scripted_request *request = NULL;
    (void)state;
    give_pod("ADDED", POD("p", "u1", "8", ""));
    wait_for_orders();
    give_pod("DELETED", POD("p", "u1", "9", ""));
    give_pod("ADDED", POD_OF("p", "u2", "10", "", "9"));
    for (int64_t until_ns = event_loop_now() + 20 * SECOND;
         request == NULL && event_loop_now() < until_ns; request = sent("PATCH", "/pods/p/status"))
        usleep(500);
    assert_non_null(request);
    assert_null(scripted_find(w.s, "POST", "/binding"));
}

/* The node was removed before the order was taken: nothing is sent. */
static void test_another_node(void **state)
{
    (void)state;
    give_pod("ADDED", POD("p", "u1", "8", ""));
    wait_for_orders();
    give_event("/nodes?watch", "DELETED", NODE("n1", "9"));
    assert_null(sent("POST", "/binding"));
    assert_state(0, 0);
}

static void test_unfit(void **state)
{
    (void)state;
    give_pod("ADDED", POD("q", "u0", "8", "\"nodeName\":\"n\","));
    give_pod("ADDED", POD("p", "u1", "9", ""));
    wait_for_orders();
    scripted_request *request = sent("PATCH", "/api/v1/namespaces/ns/pods/p/status");
    assert_non_null(request);
    assert_non_null(strstr(request->body, "0/1 nodes are available: 1 Insufficient cpu."));
    assert_non_null(strstr(request->body, "\"Unschedulable\""));
}

static void test_preemption(void **state)
{
    (void)state;
    give_pod("ADDED", POD("low", "u0", "8", "\"nodeName\":\"n\","));
    give_pod("ADDED", POD("p", "u1", "9", "\"priority\":5,"));
    wait_for_orders();
    usleep(20000);
    scripted_request *request = sent("PATCH", "/pods/low/status");
    assert_non_null(request);
    assert_non_null(strstr(request->body, "PreemptionByScheduler"));
    scripted_answer(w.s, request, 200, "{}");
    assert_null(sent("DELETE", "/pods/low")); /* the nomination is written first */
    request = sent("PATCH", "/pods/p/status");
    assert_non_null(request);
    assert_non_null(strstr(request->body, "\"nominatedNodeName\":\"n\""));
    scripted_answer(w.s, request, 200, "{}");
    scripted_advance(w.s, INT64_C(100000000));
    request = sent("DELETE", "/pods/low");
    assert_non_null(request);
    assert_non_null(strstr(request->body, "\"uid\":\"u0\""));
}

/* Take orders until a matching request is sent. */
static scripted_request *await(const char *method, const char *path)
{
    scripted_request *request;
    int64_t until_ns = event_loop_now() + 20 * SECOND;
    while ((request = sent(method, path)) == NULL && event_loop_now() < until_ns)
        usleep(500);
    assert_non_null(request);
    return request;
}

/* The server refuses: the victim stays, and the next attempt requests the eviction again. */
static void test_refused_eviction(void **state)
{
    (void)state;
    give_pod("ADDED", POD("low", "u0", "8", "\"nodeName\":\"n\","));
    give_pod("ADDED", POD("p", "u1", "9", "\"priority\":5,"));
    scripted_answer(w.s, await("PATCH", "/pods/p/status"), 200, "{}");
    scripted_answer(w.s, await("PATCH", "/pods/low/status"), 400, "{}");
    assert_non_null(await("PATCH", "/pods/low/status"));
}

/* The preemptor was removed before the order was taken. */
static void test_eviction_for_nobody(void **state)
{
    (void)state;
    give_pod("ADDED", POD("low", "u0", "8", "\"nodeName\":\"n\","));
    give_pod("ADDED", POD("p", "u1", "9", "\"priority\":5,"));
    wait_for_orders();
    usleep(20000);
    give_pod("DELETED", POD("p", "u1", "10", "\"priority\":5,"));
    assert_null(sent("PATCH", "/pods/low/status"));
    give_pod("ADDED", POD("q", "u2", "11", "\"priority\":5,"));
    assert_non_null(await("PATCH", "/pods/low/status"));
}

/* A pod loses its nomination when a more important pod takes its node. */
static void test_unnominated(void **state)
{
    (void)state;
    give_pod("ADDED", POD("low", "u0", "8", "\"nodeName\":\"n\","));
    give_pod("ADDED", POD_OF("tiny", "u3", "8", "\"nodeName\":\"n\",", "1"));
    give_pod("ADDED", POD("p", "u1", "9", "\"priority\":5,"));
    scripted_request *request = await("PATCH", "/pods/p/status");
    assert_non_null(strstr(request->body, "\"nominatedNodeName\":\"n\""));
    scripted_answer(w.s, request, 200, "{\"metadata\":{\"resourceVersion\":\"11\"}}");
    give_pod("ADDED", POD_OF("high", "u2", "10", "\"priority\":6,", "4"));
    request = await("PATCH", "/pods/p/status");
    assert_non_null(strstr(request->body, "\"nominatedNodeName\":null"));
    request = await("PATCH", "/pods/high/status");
    assert_non_null(strstr(request->body, "\"nominatedNodeName\":\"n\""));
}

#define GROUP(version, condition)                                                               \
    "{\"metadata\":{\"name\":\"g\",\"namespace\":\"ns\",\"uid\":\"g1\",\"resourceVersion\":"    \
    "\"" version "\"},\"spec\":{\"schedulingPolicy\":{\"gang\":{\"minCount\":2}}},\"status\":{" \
    "\"conditions\":[" condition "]}}"
#define MEMBER(name, version) \
    POD_OF(name, name, version, "\"schedulingGroup\":{\"podGroupName\":\"g\"},", "2")
#define GROUP_STATUS "/apis/scheduling.k8s.io/v1beta1/namespaces/ns/podgroups/g/status"

/* A PodGroup waits for its pods, is bound as a whole, and has a condition that stays True. */
static void test_group(void **state)
{
    (void)state;
    give_event("/podgroups?watch", "ADDED", GROUP("8", ""));
    give_pod("ADDED", MEMBER("p", "9"));
    give_pod("ADDED", MEMBER("q", "10"));
    scripted_request *request = await("PATCH", GROUP_STATUS);
    assert_non_null(strstr(request->body, "\"status\":\"True\""));
    assert_non_null(strstr(request->body, "\"uid\":\"g1\""));
    assert_non_null(await("POST", "/pods/p/binding"));
    assert_non_null(await("POST", "/pods/q/binding"));
    scripted_answer(w.s, scripted_find(w.s, "PATCH", GROUP_STATUS), 200,
                    "{\"metadata\":{\"resourceVersion\":\"11\"}}");
    give_event("/podgroups?watch", "MODIFIED",
               GROUP("11", "{\"type\":\"PodGroupInitiallyScheduled\",\"status\":\"True\"}"));
    give_pod("ADDED", MEMBER("r", "12")); /* there is no room for a third */
    request = await("PATCH", "/pods/r/status");
    assert_non_null(strstr(request->body, "0/1 nodes are available: 1 Insufficient cpu."));
    assert_null(scripted_find(w.s, "PATCH", GROUP_STATUS));
    give_event("/podgroups?watch", "DELETED", GROUP("13", ""));
}

/* A PodGroup of two pods, of which only one would fit beside the pod that is there. */
static void give_group_without_room(void)
{
    give_event("/podgroups?watch", "ADDED", GROUP("8", ""));
    give_pod("ADDED", POD_OF("s", "s", "8", "\"nodeName\":\"n\",", "1"));
    give_pod("ADDED", MEMBER("p", "9"));
    give_pod("ADDED", MEMBER("q", "10"));
}

/* A status that could not be written is no longer owed to a PodGroup that is gone. */
static void test_group_gone(void **state)
{
    (void)state;
    give_group_without_room();
    scripted_answer(w.s, await("PATCH", GROUP_STATUS), 503, "{}");
    give_event("/podgroups?watch", "DELETED", GROUP("13", ""));
    scripted_advance(w.s, 60 * SECOND);
    assert_null(sent("PATCH", GROUP_STATUS));
}

/* The victim's condition and event name the group. */
static void test_group_preempts(void **state)
{
    (void)state;
    give_event("/podgroups?watch", "ADDED", GROUP("8", ""));
    give_pod("ADDED", POD_OF("low", "u0", "8", "\"nodeName\":\"n\",\"priority\":-5,", "1"));
    give_pod("ADDED", MEMBER("p", "9"));
    give_pod("ADDED", MEMBER("q", "10"));
    scripted_request *request = await("PATCH", "/pods/low/status");
    assert_non_null(strstr(request->body, "to accommodate a higher priority podgroup"));
    scripted_answer(w.s, request, 200, "{}");
    scripted_answer(w.s, await("DELETE", "/pods/low"), 200, "{}");
    give_pod("DELETED", POD_OF("low", "u0", "11", "\"nodeName\":\"n\",\"priority\":-5,", "1"));
    request = await("POST", "/events");
    while (strstr(request->body, "Preempted by podgroup g1 on node cluster") == NULL) {
        scripted_answer(w.s, request, 201, "{}");
        request = await("POST", "/events");
    }
}

static void test_group_does_not_fit(void **state)
{
    (void)state;
    give_group_without_room();
    scripted_request *request = await("PATCH", GROUP_STATUS);
    assert_non_null(strstr(request->body, "\"reason\":\"Unschedulable\",\"status\":\"False\""));
    assert_non_null(strstr(request->body, "minCount (2) cannot be satisfied"));
    request = await("PATCH", "/pods/p/status"); /* it would fit by itself */
    assert_non_null(strstr(request->body, "minCount (2) cannot be satisfied"));
    request = await("PATCH", "/pods/q/status");
    assert_non_null(strstr(request->body, "1 Insufficient cpu"));
}

/* The view is too old: nothing is evicted or nominated. */
static void test_blind(void **state)
{
    (void)state;
    atomic_store(&w.d.is_blind, true);
    give_pod("ADDED", POD("low", "u0", "8", "\"nodeName\":\"n\","));
    give_pod("ADDED", POD("p", "u1", "9", "\"priority\":5,"));
    scripted_request *request = await("PATCH", "/pods/p/status");
    assert_null(strstr(request->body, "nominatedNodeName"));
    assert_null(sent("PATCH", "/pods/low/status"));
}

#define LATE_CLASS                                                                \
    "{\"metadata\":{\"name\":\"late\",\"uid\":\"s1\",\"resourceVersion\":\"8\"}," \
    "\"provisioner\":\"drv\",\"volumeBindingMode\":\"WaitForFirstConsumer\"}"
#define CLAIM(version, annotations, volume)                                                  \
    "{\"metadata\":{\"name\":\"c\",\"namespace\":\"ns\",\"uid\":\"c1\",\"resourceVersion\":" \
    "\"" version "\",\"annotations\":{" annotations "}},\"spec\":{" volume                   \
    "\"storageClassName\":\"late\",\"accessModes\":[\"ReadWriteOnce\"],"                     \
    "\"resources\":{\"requests\":{\"storage\":\"1Gi\"}}}}"
#define SELECTED "\"volume.kubernetes.io/selected-node\":\"n\""
#define BOUND_CLAIM \
    CLAIM("11", SELECTED ",\"pv.kubernetes.io/bind-completed\":\"yes\"", "\"volumeName\":\"v\",")
#define USES_CLAIM "\"volumes\":[{\"name\":\"v\",\"persistentVolumeClaim\":{\"claimName\":\"c\"}}],"

/* A claim that waits for its first consumer is given the node; when it is bound, the pod is
 * bound. */
static void test_claim(void **state)
{
    (void)state;
    give_event("/storageclasses?watch", "ADDED", LATE_CLASS);
    give_event("/persistentvolumeclaims?watch", "ADDED", CLAIM("9", "", ""));
    give_pod("ADDED", POD("p", "u1", "10", USES_CLAIM));
    wait_for_orders();
    scripted_request *request = sent("PATCH", "/api/v1/namespaces/ns/persistentvolumeclaims/c");
    assert_non_null(request);
    assert_non_null(strstr(request->body, SELECTED));
    assert_non_null(strstr(request->body, "\"resourceVersion\":\"9\""));
    assert_null(scripted_find(w.s, "POST", "/binding"));
    scripted_answer(w.s, request, 200, CLAIM("10", SELECTED, ""));
    scripted_advance(w.s, SECOND);
    request = scripted_find(w.s, "GET", "/persistentvolumeclaims/c");
    assert_non_null(request);
    scripted_answer(w.s, request, 200, CLAIM("10", SELECTED, ""));
    assert_state(0, 1);
    give_event("/persistentvolumeclaims?watch", "MODIFIED", BOUND_CLAIM);
    request = scripted_find(w.s, "GET", "/persistentvolumeclaims/c");
    assert_null(request); /* the sink of the watch has to send it */
    orders_changed(&w.orders, BERTH_KIND_PERSISTENT_VOLUME_CLAIM, BERTH_STR("ns"), BERTH_STR("c"));
    request = sent("GET", "/persistentvolumeclaims/c");
    assert_non_null(request);
    scripted_answer(w.s, request, 200, BOUND_CLAIM);
    request = sent("POST", "/api/v1/namespaces/ns/pods/p/binding");
    assert_non_null(request);
    scripted_answer(w.s, request, 201, "{}");
    assert_state(1, 0);
}

/* The claim has changed since the decision: nothing is written for it. */
static void test_changed_claim(void **state)
{
    (void)state;
    give_event("/storageclasses?watch", "ADDED", LATE_CLASS);
    give_event("/persistentvolumeclaims?watch", "ADDED", CLAIM("9", "", ""));
    give_pod("ADDED", POD("p", "u1", "10", USES_CLAIM));
    wait_for_orders();
    give_event("/persistentvolumeclaims?watch", "MODIFIED",
               CLAIM("11", "\"volume.kubernetes.io/selected-node\":\"m\"", ""));
    assert_null(sent("PATCH", "/persistentvolumeclaims/c"));
    assert_null(sent("POST", "/binding"));
    assert_state(0, 0);
}

/* The node was removed while the claim was being bound. */
static void test_claim_without_node(void **state)
{
    (void)state;
    give_event("/storageclasses?watch", "ADDED", LATE_CLASS);
    give_event("/persistentvolumeclaims?watch", "ADDED", CLAIM("9", "", ""));
    give_pod("ADDED", POD("p", "u1", "10", USES_CLAIM));
    wait_for_orders();
    assert_non_null(sent("PATCH", "/persistentvolumeclaims/c"));
    give_event("/nodes?watch", "DELETED", NODE("n1", "9"));
    assert_state(0, 0);
    assert_null(sent("POST", "/binding"));
}

#define STATIC_CLASS                                                              \
    "{\"metadata\":{\"name\":\"late\",\"uid\":\"s1\",\"resourceVersion\":\"8\"}," \
    "\"provisioner\":\"kubernetes.io/no-provisioner\","                           \
    "\"volumeBindingMode\":\"WaitForFirstConsumer\"}"
#define VOLUME(version, claim)                                                               \
    "{\"metadata\":{\"name\":\"v\",\"uid\":\"v1\",\"resourceVersion\":\"" version            \
    "\"},\"spec\":{\"storageClassName\":\"late\",\"accessModes\":[\"ReadWriteOnce\"]," claim \
    "\"capacity\":{\"storage\":\"1Gi\"}},\"status\":{\"phase\":\"Available\"}}"

static void give_volume(void)
{
    give_event("/storageclasses?watch", "ADDED", STATIC_CLASS);
    give_event("/persistentvolumes?watch", "ADDED", VOLUME("9", ""));
    give_event("/persistentvolumeclaims?watch", "ADDED", CLAIM("9", "", ""));
    give_pod("ADDED", POD("p", "u1", "10", USES_CLAIM));
    wait_for_orders();
}

/* A volume that was chosen for the claim is bound to it first. */
static void test_volume(void **state)
{
    (void)state;
    give_volume();
    scripted_request *request = sent("PATCH", "/api/v1/persistentvolumes/v");
    assert_non_null(request);
    assert_non_null(strstr(request->body, "\"claimRef\""));
    assert_non_null(strstr(request->body, "\"uid\":\"c1\""));
    assert_non_null(strstr(request->body, "\"resourceVersion\":\"9\""));
    assert_null(scripted_find(w.s, "POST", "/binding"));
}

/* The volume has got another claim since the decision, or is gone: nothing is written. */
static void test_changed_volume(void **state)
{
    (void)state;
    give_volume();
    give_event("/persistentvolumes?watch", "MODIFIED",
               VOLUME("11", "\"claimRef\":{\"namespace\":\"ns\",\"name\":\"d\",\"uid\":\"d1\"},"));
    assert_null(sent("PATCH", "/persistentvolumes/v"));
    assert_null(sent("POST", "/binding"));
}

static void test_volume_is_gone(void **state)
{
    (void)state;
    give_volume();
    give_event("/persistentvolumes?watch", "DELETED", VOLUME("11", ""));
    assert_null(sent("PATCH", "/persistentvolumes/v"));
    assert_null(sent("POST", "/binding"));
    assert_state(0, 0);
}

/* ---- holding and ending ---- */

/* Orders that are held are carried out later. */
static void test_held(void **state)
{
    (void)state;
    give_pod("ADDED", POD("p", "u1", "8", ""));
    wait_for_orders();
    w.orders.holds = true;
    assert_false(w.orders.held);
    assert_null(sent("POST", "/binding"));
    assert_true(w.orders.held);
    w.orders.holds = false;
    assert_non_null(sent("POST", "/api/v1/namespaces/ns/pods/p/binding"));
}

/* At the end nothing is bound or evicted any more, and the deciding thread waits for nothing. */
static void test_nothing_is_bound_at_the_end(void **state)
{
    (void)state;
    give_pod("ADDED", POD("p", "u1", "8", ""));
    wait_for_orders();
    w.orders.ends = true;
    assert_null(sent("POST", "/binding"));
    assert_state(0, 0);
}

static void test_nothing_is_evicted_at_the_end(void **state)
{
    (void)state;
    give_pod("ADDED", POD("low", "u0", "8", "\"nodeName\":\"n\","));
    give_pod("ADDED", POD("p", "u1", "9", "\"priority\":5,"));
    wait_for_orders();
    usleep(20000);
    w.orders.ends = true;
    assert_null(sent("PATCH", "/pods/low/status"));
}

/* The pod was bound by somebody else before the order was taken. */
static void test_bound_elsewhere(void **state)
{
    (void)state;
    give_pod("ADDED", POD("p", "u1", "8", ""));
    wait_for_orders();
    give_pod("MODIFIED", POD("p", "u1", "9", "\"nodeName\":\"m\","));
    assert_null(sent("POST", "/binding"));
}

/* The same for a pod that does not fit: its failure is nobody's concern any more. */
static void test_failed_and_bound_elsewhere(void **state)
{
    (void)state;
    give_pod("ADDED", POD("q", "u0", "8", "\"nodeName\":\"n\","));
    give_pod("ADDED", POD("p", "u1", "9", ""));
    wait_for_orders();
    give_pod("MODIFIED", POD("p", "u1", "10", "\"nodeName\":\"m\","));
    assert_null(sent("PATCH", "/pods/p/status"));
}

#define DEVICES(version, node)                                                                 \
    "{\"metadata\":{\"name\":\"g\",\"namespace\":\"ns\",\"uid\":\"g1\",\"resourceVersion\":"   \
    "\"" version "\"},\"spec\":{\"devices\":{\"requests\":[{\"name\":\"r\",\"exactly\":{"      \
    "\"deviceClassName\":\"gpu\"}}]}},\"status\":{\"allocation\":{\"nodeSelector\":{"          \
    "\"nodeSelectorTerms\":[{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"In\"," \
    "\"values\":[\"" node "\"]}]}]},\"devices\":{\"results\":[{\"request\":\"r\",\"driver\":"  \
    "\"d\",\"pool\":\"p\",\"device\":\"x\"}]}}}}"
#define USES_DEVICES "\"resourceClaims\":[{\"name\":\"d\",\"resourceClaimName\":\"g\"}],"

/* The claim's devices are on another node and no other pod reserves the claim: it loses them. */
static void test_freed_claim(void **state)
{
    (void)state;
    give_event("/resourceclaims?watch", "ADDED", DEVICES("9", "other"));
    give_pod("ADDED", POD("p", "u1", "10", USES_DEVICES));
    wait_for_orders();
    scripted_request *request = await("PATCH", "/namespaces/ns/resourceclaims/g/status");
    assert_string_equal(request->body,
                        "{\"metadata\":{\"uid\":\"g1\",\"resourceVersion\":\"9\"},\"status\":{"
                        "\"allocation\":null,\"reservedFor\":null,\"devices\":null}}");
    scripted_answer(w.s, request, 200, "{}");
    request = await("PATCH", "/pods/p/status");
    assert_non_null(strstr(request->body, "deallocation of ResourceClaim completed"));
}

/* The claim has changed since the decision: it keeps its devices. */
static void test_changed_devices(void **state)
{
    (void)state;
    give_event("/resourceclaims?watch", "ADDED", DEVICES("9", "other"));
    give_pod("ADDED", POD("p", "u1", "10", USES_DEVICES));
    wait_for_orders();
    give_event("/resourceclaims?watch", "MODIFIED", DEVICES("11", "n"));
    assert_null(sent("PATCH", "/resourceclaims/g/status"));
}

/* ---- extended resources that devices back ---- */

#define GPU_CLASS                                                                          \
    "{\"metadata\":{\"name\":\"gpu\",\"uid\":\"gc\",\"resourceVersion\":\"8\"},\"spec\":{" \
    "\"extendedResourceName\":\"x.org/gpu\"}}"
#define GPUS                                                                                    \
    "{\"metadata\":{\"name\":\"s\",\"uid\":\"gs\",\"resourceVersion\":\"8\"},\"spec\":{"        \
    "\"driver\":\"gpu.x\",\"pool\":{\"name\":\"n\",\"generation\":1,\"resourceSliceCount\":1}," \
    "\"nodeName\":\"n\",\"devices\":[{\"name\":\"g0\"},{\"name\":\"g1\"},{\"name\":\"g2\"}]}}"
#define GPU_REQUEST(count) \
    "\"resources\":{\"requests\":{\"cpu\":\"1\",\"x.org/gpu\":\"" count "\"}}"
#define GPU_POD(uid)                                                                    \
    "{\"metadata\":{\"name\":\"p\",\"namespace\":\"ns\",\"uid\":\"" uid                 \
    "\",\"resourceVersion\":\"10\"},\"spec\":{\"schedulerName\":\"default-scheduler\"," \
    "\"initContainers\":[{\"name\":\"setup\"," GPU_REQUEST(                             \
        "3") "}],\"containers\":[{\"name\":"                                            \
             "\"main\"," GPU_REQUEST("2") "},{\"name\":\"idle\"}]}}"
#define OWNED_BY(uid)                                                                            \
    "\"annotations\":{\"resource.kubernetes.io/extended-resource-claim\":\"true\"},"             \
    "\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"name\":\"p\",\"uid\":\"" uid \
    "\",\"controller\":true}]"
#define GPU_REQUESTS                                                                         \
    "\"spec\":{\"devices\":{\"requests\":[{\"name\":\"container-0-request-1\",\"exactly\":{" \
    "\"deviceClassName\":\"gpu\",\"allocationMode\":\"ExactCount\",\"count\":1}},{\"name\":" \
    "\"container-1-request-1\",\"exactly\":{\"deviceClassName\":\"gpu\",\"allocationMode\":" \
    "\"ExactCount\",\"count\":2}}]}}"
#define EARLIER_CLAIM(uid)                                                               \
    "{\"metadata\":{\"name\":\"p-extended-resources-old\",\"namespace\":\"ns\",\"uid\":" \
    "\"e0\",\"resourceVersion\":\"9\"," OWNED_BY(uid) "}," GPU_REQUESTS "}"

static void offer_gpus(void)
{
    give_event("/deviceclasses?watch", "ADDED", GPU_CLASS);
    give_event("/resourceslices?watch", "ADDED", GPUS);
}

/* The class backs the resource: the claim is created with what the decision chose. */
static void test_extended_resource(void **state)
{
    (void)state;
    offer_gpus();
    give_pod("ADDED", GPU_POD("u1"));
    wait_for_orders();
    scripted_request *request = sent("POST", "/namespaces/ns/resourceclaims");
    assert_non_null(request);
    assert_non_null(strstr(request->body, "\"generateName\":\"p-extended-resources-\""));
    assert_non_null(strstr(request->body, OWNED_BY("u1")));
    assert_non_null(strstr(request->body, GPU_REQUESTS));
    static const char claim[] =
        "{\"metadata\":{\"name\":\"p-extended-resources-x\",\"namespace\":\"ns\",\"uid\":\"e1\","
        "\"resourceVersion\":\"11\",\"finalizers\":[\"resource.kubernetes.io/"
        "delete-protection\"]," OWNED_BY("u1") "}," GPU_REQUESTS;
    char text[4096];
    (void)snprintf(text, sizeof(text), "%s}", claim);
    scripted_answer(w.s, request, 201, text);
    scripted_answer(w.s, sent("GET", "/deviceclasses/gpu"), 200, GPU_CLASS);
    scripted_answer(w.s, sent("GET", "/p-extended-resources-x"), 200, text);
    request = sent("PATCH", "/p-extended-resources-x/status");
    assert_non_null(request);
    const char *allocation = strstr(request->body, "\"status\":{");
    assert_non_null(allocation);
    (void)snprintf(text, sizeof(text), "%s,%.*s", claim, (int)strlen(allocation), allocation);
    scripted_answer(w.s, request, 200, "{}");
    scripted_answer(w.s, sent("GET", "/p-extended-resources-x"), 200, text);
    request = sent("PATCH", "/pods/p/status");
    assert_non_null(request);
    assert_non_null(
        strstr(request->body,
               "\"requestMappings\":[{\"containerName\":\"main\",\"resourceName\":\"x.org/gpu\","
               "\"requestName\":\"container-1-request-1\"},{\"containerName\":\"setup\","
               "\"resourceName\":\"x.org/gpu\",\"requestName\":\"container-1-request-1\"},{"
               "\"containerName\":\"setup\",\"resourceName\":\"x.org/gpu\",\"requestName\":"
               "\"container-0-request-1\"}],\"resourceClaimName\":\"p-extended-resources-x\""));
    scripted_answer(w.s, request, 200, "{}");
    scripted_answer(w.s, sent("GET", "/p-extended-resources-x"), 200, text);
    request = sent("POST", "/pods/p/binding");
    assert_non_null(request);
    scripted_answer(w.s, request, 201, "{}");
    assert_state(1, 0);
}

/* An earlier attempt has left a claim: it is deleted, and then the pod is placed. */
static void test_earlier_claim(void **state)
{
    (void)state;
    offer_gpus();
    give_event("/resourceclaims?watch", "ADDED", EARLIER_CLAIM("u1"));
    give_pod("ADDED", GPU_POD("u1"));
    wait_for_orders();
    scripted_request *request = await("GET", "/p-extended-resources-old");
    scripted_answer(w.s, request, 200, EARLIER_CLAIM("u1"));
    request = await("DELETE", "/p-extended-resources-old");
    assert_string_equal(request->body, "{\"preconditions\":{\"uid\":\"e0\"}}");
    scripted_answer(w.s, request, 200, "{}");
    request = await("PATCH", "/pods/p/status");
    assert_non_null(strstr(request->body, "deletion of ResourceClaim completed"));
    scripted_answer(w.s, request, 200, "{}");
    give_event("/resourceclaims?watch", "DELETED", EARLIER_CLAIM("u1"));
    assert_non_null(await("POST", "/namespaces/ns/resourceclaims"));
}

/* A pod of that name was there before: its claim goes with it. */
static void test_claim_of_another_pod(void **state)
{
    (void)state;
    offer_gpus();
    give_event("/resourceclaims?watch", "ADDED", EARLIER_CLAIM("u0"));
    give_pod("ADDED", GPU_POD("u1"));
    wait_for_orders();
    scripted_answer(w.s, await("GET", "/p-extended-resources-old"), 200, EARLIER_CLAIM("u0"));
    scripted_answer(w.s, await("PATCH", "/pods/p/status"), 200, "{}");
    assert_null(sent("DELETE", "/p-extended-resources-old"));
    give_event("/resourceclaims?watch", "DELETED", EARLIER_CLAIM("u0"));
    assert_non_null(await("POST", "/namespaces/ns/resourceclaims"));
}

/* After the end, nothing new is started. */
static void test_end(void **state)
{
    (void)state;
    give_pod("ADDED", POD("p", "u1", "8", ""));
    wait_for_orders();
    w.orders.ends = true;
    (void)inbox_put(&w.d.in, MESSAGE_PAUSE);
    assert_null(sent("POST", "/binding"));
    assert_state(0, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_not_taken),
        TEST(test_bound),
        cmocka_unit_test_setup_teardown(test_group, start_groups, stop),
        cmocka_unit_test_setup_teardown(test_group_does_not_fit, start_groups, stop),
        cmocka_unit_test_setup_teardown(test_group_gone, start_groups, stop),
        cmocka_unit_test_setup_teardown(test_group_preempts, start_groups, stop),
        TEST(test_another_pod),
        TEST(test_another_pod_that_does_not_fit),
        TEST(test_another_node),
        TEST(test_unfit),
        TEST(test_preemption),
        TEST(test_end),
        TEST(test_refused_eviction),
        TEST(test_eviction_for_nobody),
        TEST(test_unnominated),
        TEST(test_blind),
        TEST(test_claim),
        TEST(test_changed_claim),
        TEST(test_claim_without_node),
        TEST(test_volume),
        TEST(test_changed_volume),
        TEST(test_volume_is_gone),
        TEST(test_held),
        TEST(test_nothing_is_bound_at_the_end),
        TEST(test_nothing_is_evicted_at_the_end),
        TEST(test_bound_elsewhere),
        TEST(test_failed_and_bound_elsewhere),
        TEST(test_freed_claim),
        TEST(test_changed_devices),
        TEST(test_extended_resource),
        TEST(test_earlier_claim),
        TEST(test_claim_of_another_pod),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
