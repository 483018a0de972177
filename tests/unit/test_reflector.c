/* Lists, watches and their ends against a scripted server: each difference is reported once. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kept_stderr.h"
#include "live/log/log.h"
#include "live/watch/watcher.h"
#include "scripted_transport.h"

#define SECOND INT64_C(1000000000)

typedef struct world {
    scripted_transport *s;
    berth_reader *reader;
    watch_sink sink;
    reflector r;
    char told[4096]; /* "+ns/a ~ns/a -ns/a " */
    uint64_t number;
    int listed, seen, gone, texts;
    char text[512]; /* the last whole text, and the changes that had been reported before it came */
    size_t told_before;
    bool full;
} world;

static world w;

static uint64_t on_change(void *context, const watch_change *change)
{
    world *now = context;
    size_t at = strlen(now->told);
    assert_int_equal(change->object == NULL, change->operation == WATCH_REMOVE);
    snprintf(now->told + at, sizeof(now->told) - at, "%c%.*s ", "+~-"[change->operation],
             (int)change -> name.len, change->name.data);
    return ++now->number;
}

static bool on_is_full(void *context)
{
    return ((world *)context)->full;
}

static void on_listed(void *context, berth_kind kind)
{
    (void)kind;
    ((world *)context)->listed++;
}

static void on_text(void *context, berth_kind kind, const object_view *view, berth_str text)
{
    world *n = context;
    (void)kind;
    (void)view;
    n->texts++;
    n->told_before = strlen(n->told);
    snprintf(n->text, sizeof(n->text), "%.*s", (int)text.len, text.data);
}

static void on_seen(void *context, const object_entry *entry, const object_view *view)
{
    assert_int_equal(entry->version, view->version);
    ((world *)context)->seen++;
}

static void on_gone(void *context, berth_kind kind, const object_entry *entry)
{
    (void)kind;
    (void)entry;
    ((world *)context)->gone++;
}

static const watch_resource pods = {BERTH_KIND_POD, "/api/v1/pods", "fieldSelector=x%3Dy", "pods",
                                    false};

static int start(void **state)
{
    (void)state;
    const berth_read_options options = {.size = sizeof(options), .templates = true, .threads = 1};
    w = (world){.s = scripted_create()};
    w.sink = (watch_sink){.change = on_change,
                          .is_full = on_is_full,
                          .listed = on_listed,
                          .seen = on_seen,
                          .text = on_text,
                          .gone = on_gone,
                          .context = &w};
    assert_int_equal(berth_reader_create(&options, &w.reader, NULL), BERTH_OK);
    reflector_init(&w.r, &w.s->transport, &pods, &w.sink, w.reader);
    reflector_start(&w.r);
    scripted_advance(w.s, 1);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    reflector_stop(&w.r);
    reflector_free(&w.r);
    berth_reader_destroy(w.reader);
    scripted_destroy(w.s);
    return 0;
}

#define POD(name, uid, version, node)                                          \
    "{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"ns\",\"uid\":\"" uid \
    "\",\"resourceVersion\":\"" version "\"},\"spec\":{\"nodeName\":\"" node "\"}}"
#define EVENT(type, object) "{\"type\":\"" type "\",\"object\":" object "}\n"
#define LIST(version, next, items)                                            \
    "{\"metadata\":{\"resourceVersion\":\"" version "\",\"continue\":\"" next \
    "\"},\"items\":[" items "]}"

/* Answer the pending list request. */
static void give_list(const char *text)
{
    scripted_request *request = scripted_find(w.s, "GET", "?limit=");
    assert_non_null(request);
    if (scripted_data(w.s, request, text, strlen(text)))
        scripted_answer(w.s, scripted_find(w.s, "GET", "?limit="), 200, "");
    scripted_advance(w.s, 1);
}

static bool give_event(const char *text)
{
    scripted_request *request = scripted_find(w.s, "GET", "watch=1");
    assert_non_null(request);
    bool more = scripted_data(w.s, request, text, strlen(text));
    scripted_advance(w.s, 1);
    return more;
}

static void assert_told(const char *expected)
{
    assert_string_equal(w.told, expected);
    w.told[0] = '\0';
}

static void assert_watches_from(const char *version)
{
    char part[64];
    snprintf(part, sizeof(part), "resourceVersion=%s&", version);
    assert_non_null(scripted_find(w.s, "GET", part));
    assert_int_equal(w.r.state, REFLECTOR_WATCH);
}

static void test_list_and_watch(void **state)
{
    (void)state;
    scripted_request *first = scripted_find(w.s, "GET", "/api/v1/pods");
    assert_string_equal(first->path, "/api/v1/pods?limit=1000&fieldSelector=x%3Dy");
    assert_int_equal(first->connection, LIVE_READS);
    give_list(LIST("7", "a b/=", POD("p", "1", "3", "") "," POD("q", "2", "4", "n")));
    assert_non_null(scripted_find(w.s, "GET", "&continue=a%20b%2F%3D"));
    assert_int_equal(w.listed, 0);
    give_list(LIST("7", "", POD("r", "3", "5", "")));
    assert_int_equal(w.listed, 1);
    assert_told("+p +q +r ");
    assert_watches_from("7");
    assert_int_equal(reflector_lost_since(&w.r), 0);
    assert_true(give_event(EVENT("ADDED", POD("s", "4", "8", "")) EVENT(
        "MODIFIED", POD("p", "1", "9", "n")) EVENT("DELETED", POD("q", "2", "10", "n"))));
    assert_told("+s ~p -q ");
    assert_int_equal(w.gone, 1);
    assert_int_equal(w.seen, 5);
    assert_string_equal(w.r.version, "10");
    /* A change of fields that are not read. */
    assert_true(give_event(EVENT("MODIFIED", POD("p", "1", "11", "n"))));
    assert_told("");
    assert_int_equal(w.r.unchanged, 1);
    assert_true(give_event(EVENT("BOOKMARK", "{\"metadata\":{\"resourceVersion\":\"20\"}}")));
    assert_true(give_event(EVENT("NOVELTY", "{\"metadata\":{\"resourceVersion\":\"99\"}}")));
    assert_string_equal(w.r.version, "20");
    scripted_answer(w.s, scripted_find(w.s, "GET", "watch=1"), 200, "");
    scripted_advance(w.s, 1);
    assert_watches_from("20");
}

/* The whole text comes before the change, and also if no field that is read has changed. */
static void test_whole_texts(void **state)
{
    (void)state;
    give_list(LIST("7", "", POD("p", "1", "3", "")));
    assert_int_equal(w.texts, 1);
    assert_int_equal(w.told_before, 0);
    assert_string_equal(w.text, POD("p", "1", "3", ""));
    assert_true(give_event(EVENT("MODIFIED", POD("p", "1", "8", ""))));
    assert_told("+p ");
    assert_int_equal(w.texts, 2);
    assert_string_equal(w.text, POD("p", "1", "8", ""));
    assert_true(give_event(EVENT("MODIFIED", POD("p", "1", "4", "")))); /* an old one */
    assert_int_equal(w.texts, 2);
    assert_true(give_event(EVENT("DELETED", POD("p", "1", "9", ""))));
    assert_int_equal(w.texts, 2);
}

static void begin_watching(void)
{
    give_list(LIST("7", "", POD("p", "1", "3", "") "," POD("q", "2", "4", "")));
    w.told[0] = '\0';
}

/* The server ends a watch after five to ten minutes, so that those of many clients end apart. */
static void test_length_of_watches(void **state)
{
    (void)state;
    static const char name[] = "timeoutSeconds=";
    unsigned long least = ULONG_MAX, most = 0;
    begin_watching();
    for (int i = 0; i < 50; i++) {
        const scripted_request *request = scripted_find(w.s, "GET", "watch=1");
        assert_non_null(request);
        const unsigned long seconds =
            strtoul(strstr(request->path, name) + sizeof(name) - 1, NULL, 10);
        assert_true(seconds >= 300 && seconds < 600);
        least = seconds < least ? seconds : least;
        most = seconds > most ? seconds : most;
        assert_false(give_event(EVENT("ERROR", "{\"code\":410,\"reason\":\"Expired\"}")));
        give_list(LIST("30", "", ""));
    }
    assert_true(most - least > 100);
}

/* A watch that expires by an event or by the answer is followed by a new list, whose differences
 * are reported. */
static void test_expired(void **state)
{
    (void)state;
    begin_watching();
    assert_false(give_event(EVENT("ERROR", "{\"code\":410,\"reason\":\"Expired\"}")));
    give_list(LIST("30", "",
                   POD("p", "1", "3", "") "," POD("r", "9", "22", "") "," POD("s", "8", "21", "")));
    assert_told("+r +s -q ");
    assert_watches_from("30");
    scripted_answer(w.s, scripted_find(w.s, "GET", "watch=1"), 410, "{}");
    scripted_advance(w.s, 1);
    give_list(LIST("31", "", POD("r", "10", "31", "n") "," POD("s", "8", "21", "")));
    assert_told("-r +r -p ");
    assert_int_equal(w.listed, 1);
}

static void test_another_error_lists_after_a_while(void **state)
{
    (void)state;
    log_setup(false, 0);
    begin_watching();
    assert_int_equal(stderr_keep(), 0);
    assert_false(give_event(EVENT("ERROR", "{\"code\":500,\"reason\":\"InternalError\"}")));
    const int told = stderr_count("500 InternalError");
    stderr_restore();
    assert_int_equal(told, 1);
    assert_null(scripted_find(w.s, "GET", ""));
    scripted_advance(w.s, 2 * SECOND);
    assert_non_null(scripted_find(w.s, "GET", "?limit="));
    give_list(LIST("8", "", ""));
    assert_told("-q -p "); /* in the order of the table */
    assert_false(give_event("nonsense\n"));
    scripted_advance(w.s, 4 * SECOND);
    assert_non_null(scripted_find(w.s, "GET", "?limit="));
}

/* After refused connections, 429 with Retry-After, and broken connections the watch continues at
 * the same version, after longer and longer waits. */
static void test_back_off(void **state)
{
    (void)state;
    begin_watching();
    scripted_fail(w.s, scripted_find(w.s, "GET", "watch=1"), LIVE_NOT_SENT);
    scripted_advance(w.s, SECOND * 7 / 10);
    assert_null(scripted_find(w.s, "GET", ""));
    assert_int_not_equal(reflector_lost_since(&w.r), 0);
    scripted_advance(w.s, SECOND);
    assert_watches_from("7");
    scripted_retry_after(w.s, scripted_find(w.s, "GET", "watch=1"), 429, 9);
    scripted_advance(w.s, 8 * SECOND);
    assert_null(scripted_find(w.s, "GET", ""));
    scripted_advance(w.s, 2 * SECOND);
    assert_watches_from("7");
    for (int i = 0; i < 8; i++) {
        scripted_fail(w.s, scripted_find(w.s, "GET", "watch=1"), LIVE_UNKNOWN);
        scripted_advance(w.s, 8 * SECOND); /* it never waits longer than this */
        assert_watches_from("7");
    }
    /* A watch that was healthy for two minutes starts over with a short wait. */
    for (int i = 0; i < 13; i++) {
        scripted_advance(w.s, 10 * SECOND);
        give_event(EVENT("BOOKMARK", "{\"metadata\":{\"resourceVersion\":\"8\"}}"));
    }
    scripted_fail(w.s, scripted_find(w.s, "GET", "watch=1"), LIVE_UNKNOWN);
    scripted_advance(w.s, 1);
    assert_watches_from("8");
}

/* The watch fails, and is repeated after so long, up to twice that by chance. */
static void fail_watch(int64_t least_ns)
{
    scripted_fail(w.s, scripted_find(w.s, "GET", "watch=1"), LIVE_NOT_SENT);
    scripted_advance(w.s, least_ns - 1);
    assert_null(scripted_find(w.s, "GET", ""));
    scripted_advance(w.s, least_ns + 1);
    assert_non_null(scripted_find(w.s, "GET", "watch=1"));
}

/* Waits double from 0.8 s to 4 s, and begin anew after a watch of two minutes, as does the patience
 * with silent lists. */
static void test_health_begins_anew(void **state)
{
    (void)state;
    scripted_advance(w.s, 5 * SECOND); /* the list is silent */
    assert_int_equal(w.r.patience_ns, 10 * SECOND);
    begin_watching();
    fail_watch(SECOND * 8 / 10);
    fail_watch(SECOND * 16 / 10);
    fail_watch(SECOND * 32 / 10);
    for (int i = 0; i < 5; i++)
        fail_watch(4 * SECOND);
    scripted_advance(w.s, w.r.began_ns + 120 * SECOND - 1 - w.s->now_ns);
    fail_watch(4 * SECOND);
    assert_int_equal(w.r.patience_ns, 10 * SECOND);
    scripted_advance(w.s, w.r.began_ns + 120 * SECOND - w.s->now_ns);
    fail_watch(SECOND * 8 / 10);
    assert_int_equal(w.r.patience_ns, 5 * SECOND);
}

/* A watch that ends cleanly within a second and without an event is not healthy. */
static void test_empty_watches_back_off(void **state)
{
    (void)state;
    begin_watching();
    scripted_answer(w.s, scripted_find(w.s, "GET", "watch=1"), 200, "");
    scripted_advance(w.s, SECOND / 2);
    assert_null(scripted_find(w.s, "GET", ""));
    scripted_advance(w.s, 2 * SECOND);
    assert_watches_from("7");
    scripted_advance(w.s, 2 * SECOND);
    scripted_answer(w.s, scripted_find(w.s, "GET", "watch=1"), 200, "");
    scripted_advance(w.s, 1);
    assert_watches_from("7");
}

/* A silent watch: its version may lie in the server's future. The list may then be older than our
 * state, and a pod that was bound is pending again. The watch is looked at every 10 s since it
 * began, which was less than one before the event. */
static void test_silence(void **state)
{
    (void)state;
    begin_watching();
    give_event(EVENT("MODIFIED", POD("p", "1", "50", "n")));
    w.told[0] = '\0';
    scripted_advance(w.s, 149 * SECOND);
    assert_watches_from("7");
    scripted_advance(w.s, 6 * SECOND);
    assert_watches_from("7");
    scripted_advance(w.s, 6 * SECOND);
    assert_non_null(scripted_find(w.s, "GET", "?limit="));
    give_list(LIST("9", "", POD("p", "1", "3", "") "," POD("q", "2", "4", "")));
    assert_told("-p +p ");
    assert_watches_from("9");
    /* From then on older versions are ignored again. */
    give_event(EVENT("MODIFIED", POD("p", "1", "2", "n")));
    assert_told("");
}

/* A list that sends nothing is requested again from its first page after 5 s, then 10 s, 20 s. */
static void test_silent_list(void **state)
{
    (void)state;
    give_list(LIST("7", "more", POD("p", "1", "3", "")));
    scripted_request *request = scripted_find(w.s, "GET", "continue=more");
    scripted_advance(w.s, 4 * SECOND);
    scripted_data(w.s, request, "{", 1); /* it continues slowly */
    scripted_advance(w.s, 4 * SECOND);
    assert_non_null(scripted_find(w.s, "GET", "continue=more"));
    scripted_advance(w.s, 2 * SECOND);
    assert_null(scripted_find(w.s, "GET", "continue"));
    for (int64_t patience = 10; patience <= 20; patience *= 2) {
        live_id asked = w.r.request;
        assert_non_null(scripted_find(w.s, "GET", "?limit="));
        scripted_advance(w.s, (patience - 2) * SECOND);
        assert_int_equal(w.r.request, asked);
        scripted_advance(w.s, 2 * SECOND);
        assert_int_not_equal(w.r.request, asked);
    }
    give_list(LIST("9", "", POD("p", "1", "3", "")));
    assert_watches_from("9");
    assert_told("+p ");
}

static void test_list_fails(void **state)
{
    (void)state;
    scripted_answer(w.s, scripted_find(w.s, "GET", "?limit="), 403, "{}");
    assert_int_equal(w.r.status_denied, 403);
    scripted_advance(w.s, 2 * SECOND);
    give_list(LIST("7", "more", POD("p", "1", "3", "")));
    assert_int_equal(w.r.status_denied, 0);
    /* The pages' revision is gone: start over. */
    scripted_answer(w.s, scripted_find(w.s, "GET", "continue=more"), 410, "{}");
    scripted_advance(w.s, 4 * SECOND);
    assert_null(scripted_find(w.s, "GET", "continue"));
    /* A list that breaks off removes no object. */
    scripted_request *request = scripted_find(w.s, "GET", "?limit=");
    const char *half = "{\"metadata\":{\"resourceVersion\":\"9\"},\"items\":[";
    scripted_data(w.s, request, half, strlen(half));
    scripted_answer(w.s, scripted_find(w.s, "GET", "?limit="), 200, "");
    scripted_advance(w.s, 1);
    assert_told("+p ");
    assert_int_equal(w.listed, 0);
    scripted_advance(w.s, 9 * SECOND);
    scripted_fail(w.s, scripted_find(w.s, "GET", "?limit="), LIVE_UNKNOWN);
    scripted_advance(w.s, 61 * SECOND);
    give_list("[]"); /* and a document that is not a list is not used */
    assert_int_equal(w.listed, 0);
    scripted_advance(w.s, 61 * SECOND);
    give_list(LIST("10", "", ""));
    assert_told("-p ");
    assert_int_equal(w.listed, 1);
}

static void test_waits_for_room(void **state)
{
    (void)state;
    w.full = true;
    give_list(LIST("7", "more", POD("p", "1", "3", "")));
    scripted_advance(w.s, SECOND);
    assert_null(scripted_find(w.s, "GET", ""));
    w.full = false;
    scripted_advance(w.s, SECOND);
    assert_non_null(scripted_find(w.s, "GET", "continue=more"));
}

/* An object that cannot be read is not reported until a readable version arrives, and neither is
 * its removal. */
static void test_bad_objects(void **state)
{
    (void)state;
    static const char bad[] =
        "{\"metadata\":{\"name\":\"bad\",\"namespace\":\"ns\",\"uid\":\"5\",\"resourceVersion\":"
        "\"8\"},\"spec\":{\"containers\":[{\"resources\":{\"requests\":{\"cpu\":\"many\"}}}]}}";
    char event[512];
    log_setup(false, 0);
    begin_watching();
    snprintf(event, sizeof(event), "{\"type\":\"ADDED\",\"object\":%s}\n", bad);
    assert_true(give_event(event));
    assert_told("");
    assert_int_equal(w.r.refused, 1);
    assert_true(give_event(EVENT("MODIFIED", POD("bad", "5", "9", ""))));
    assert_told("+bad ");
    assert_true(give_event(EVENT("ADDED", "{\"metadata\":{}}")));
    assert_int_equal(w.r.refused, 2);
    snprintf(event, sizeof(event), "{\"type\":\"ADDED\",\"object\":%s}\n", bad);
    assert_true(give_event(EVENT("DELETED", POD("bad", "other", "10", ""))));
    assert_told("");
    assert_true(give_event(EVENT("DELETED", POD("bad", "5", "10", ""))));
    assert_told("-bad ");
    assert_true(give_event(event));
    assert_true(give_event(EVENT("DELETED", POD("bad", "5", "12", ""))));
    assert_told("");
}

static void test_status_of_a_pending_pod(void **state)
{
    (void)state;
    give_list(LIST("7", "",
                   "{\"metadata\":{\"name\":\"p\",\"uid\":\"1\",\"resourceVersion\":\"3\","
                   "\"generation\":2},\"status\":{\"nominatedNodeName\":\"n\",\"conditions\":["
                   "{\"type\":\"PodScheduled\",\"reason\":\"Unschedulable\"}]}}"));
    const object_entry *entry = object_table_find(&w.r.table, (berth_str){0}, BERTH_STR("p"));
    assert_non_null(entry);
    assert_string_equal(entry->nominated, "n");
    assert_string_equal(entry->scheduled,
                        "{\"type\":\"PodScheduled\",\"reason\":\"Unschedulable\"}");
    assert_int_equal(entry->generation, 2);
    assert_int_equal(entry->born, 1);
    assert_false(entry->bound);
    give_event("{\"type\":\"MODIFIED\",\"object\":{\"metadata\":{\"name\":\"p\",\"uid\":\"1\","
               "\"resourceVersion\":\"8\"},\"spec\":{\"nodeName\":\"n\"}}}\n");
    assert_true(entry->bound);
    assert_null(entry->scheduled);
    assert_null(entry->nominated);
}

/* ---- resources that the server does not serve ---- */

static void test_denied_resource_is_absent(void **state)
{
    const watch_resource optional = {BERTH_KIND_POD, "/api/v1/pods", "", "pods", true};
    (void)state;
    w.r.resource = &optional;
    scripted_answer(w.s, scripted_find(w.s, "GET", "?limit="), 403, "{}");
    assert_int_equal(w.r.status_denied, 403);
    scripted_advance(w.s, 2 * SECOND);
    scripted_answer(w.s, scripted_find(w.s, "GET", "?limit="), 404, "{}");
    assert_int_equal(w.r.status_denied, 0);
    assert_int_equal(w.listed, 1);
}

static void test_absent_resource(void **state)
{
    const watch_resource optional = {BERTH_KIND_POD, "/api/v1/pods", "", "pods", true};
    (void)state;
    log_setup(false, 0);
    w.r.resource = &optional;
    scripted_answer(w.s, scripted_find(w.s, "GET", "?limit="), 404, "{}");
    assert_int_equal(w.listed, 1);
    assert_int_equal(reflector_lost_since(&w.r), 0);
    scripted_advance(w.s, 29 * SECOND);
    assert_null(scripted_find(w.s, "GET", ""));
    scripted_advance(w.s, 2 * SECOND);
    scripted_answer(w.s, scripted_find(w.s, "GET", "?limit="), 404, "{}");
    /* An error in between changes nothing. */
    scripted_advance(w.s, 31 * SECOND);
    scripted_answer(w.s, scripted_find(w.s, "GET", "?limit="), 500, "{}");
    assert_int_equal(reflector_lost_since(&w.r), 0);
    scripted_advance(w.s, 2 * SECOND);
    give_list(LIST("7", "", POD("p", "1", "3", "")));
    assert_told("+p ");
    assert_int_equal(w.listed, 1);
    assert_non_null(scripted_find(w.s, "GET", "watch=1"));
    /* A resource that was served once is kept. */
    scripted_answer(w.s, scripted_find(w.s, "GET", "watch=1"), 404, "{}");
    scripted_advance(w.s, 2 * SECOND);
    scripted_answer(w.s, scripted_find(w.s, "GET", "?limit="), 404, "{}");
    assert_told("");
    assert_int_not_equal(reflector_lost_since(&w.r), 0);
    assert_int_equal(w.r.table.count, 1);
}

/* Every server serves pods: a 404 is a failure. */
static void test_missing_resource(void **state)
{
    (void)state;
    log_setup(false, 0);
    scripted_answer(w.s, scripted_find(w.s, "GET", "?limit="), 404, "{}");
    assert_int_equal(w.listed, 0);
    scripted_advance(w.s, 2 * SECOND);
    assert_non_null(scripted_find(w.s, "GET", "?limit="));
    assert_int_not_equal(reflector_lost_since(&w.r), 0);
}

/* ---- all kinds ---- */

static void test_without_devices(void **state)
{
    (void)state;
    log_setup(false, 0);
    reflector_stop(&w.r);
    watcher *all = watcher_create(&w.s->transport, &w.sink, 37, true, true);
    assert_non_null(all);
    watcher_start(all);
    scripted_advance(w.s, 1);
    scripted_request *request;
    int absent = 0;
    while ((request = scripted_find(w.s, "GET", "/apis/resource.k8s.io/")) != NULL) {
        scripted_answer(w.s, request, 404, "{}");
        absent++;
    }
    assert_int_equal(absent, 4);
    while (scripted_find(w.s, "GET", "?limit=") != NULL) {
        give_list(LIST("7", "", ""));
        scripted_advance(w.s, 1);
    }
    assert_true(watcher_is_synced(all));
    assert_int_equal(watcher_lost_ns(all), 0);
    scripted_advance(w.s, 31 * SECOND);
    request = scripted_find(w.s, "GET", "/resourceslices?limit=");
    assert_non_null(request);
    const char *text = LIST("9", "", "");
    scripted_data(w.s, request, text, strlen(text));
    scripted_answer(w.s, scripted_find(w.s, "GET", "/resourceslices?limit="), 200, "");
    scripted_advance(w.s, 1);
    assert_non_null(scripted_find(w.s, "GET", "/resourceslices?watch=1"));
    assert_true(watcher_is_synced(all));
    watcher_stop(all);
    watcher_destroy(all);
}

static void test_pods_come_last(void **state)
{
    (void)state;
    reflector_stop(&w.r);
    w.s->now_ns += 1000 * SECOND;
    watcher *all = watcher_create(&w.s->transport, &w.sink, 0, false, false);
    assert_non_null(all);
    watcher_start(all);
    scripted_advance(w.s, 1);
    const uint32_t unwatched = 6; /* kinds: four of devices, and groups of pods */
    assert_int_equal(w.s->request_count, BERTH_KIND_COUNT - 1 - unwatched);
    assert_null(scripted_find(w.s, "GET", "/pods"));
    scripted_answer(w.s, scripted_find(w.s, "GET", "/nodes"), 403, "{}");
    assert_string_equal(watcher_denied(all), "nodes");
    while (scripted_find(w.s, "GET", "?limit=") != NULL)
        give_list(LIST("7", "", "{\"metadata\":{\"name\":\"x\"},\"spec\":{\"selector\":{}}}"));
    assert_null(scripted_find(w.s, "GET", "/pods"));
    assert_false(watcher_is_synced(all));
    scripted_advance(w.s, 3 * SECOND);
    assert_true(watcher_lost_ns(all) < 10 * SECOND); /* pods have not been requested yet */
    give_list(LIST("7", "", ""));
    assert_null(watcher_denied(all));
    assert_non_null(scripted_find(w.s, "GET", "status.phase%21%3DSucceeded"));
    give_list(LIST("7", "", ""));
    assert_true(watcher_is_synced(all));
    assert_int_equal(w.listed, BERTH_KIND_COUNT - unwatched);
    assert_int_equal(watcher_lost_ns(all), 0);
    assert_non_null(watcher_find(all, BERTH_KIND_SERVICE, (berth_str){0}, BERTH_STR("x")));
    assert_true(watcher_reflector(all, BERTH_KIND_SERVICE)->table.count == 1);
    /* Every kind could be read, and workloads created no pods. */
    assert_int_equal(w.number, BERTH_KIND_COUNT - 2 - unwatched);
    scripted_fail(w.s, scripted_find(w.s, "GET", "/nodes?watch"), LIVE_NOT_SENT);
    scripted_advance(w.s, SECOND / 2);
    assert_true(watcher_lost_ns(all) >= SECOND / 2 - 10);
    watcher_stop(all);
    assert_int_equal(w.s->request_count, 0);
    assert_int_equal(w.s->timer_count, 0);
    watcher_destroy(all);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_list_and_watch),
        TEST(test_whole_texts),
        TEST(test_length_of_watches),
        TEST(test_expired),
        TEST(test_another_error_lists_after_a_while),
        TEST(test_back_off),
        TEST(test_health_begins_anew),
        TEST(test_back_off),
        TEST(test_empty_watches_back_off),
        TEST(test_silence),
        TEST(test_silent_list),
        TEST(test_list_fails),
        TEST(test_waits_for_room),
        TEST(test_bad_objects),
        TEST(test_status_of_a_pending_pod),
        TEST(test_absent_resource),
        TEST(test_denied_resource_is_absent),
        TEST(test_missing_resource),
        TEST(test_without_devices),
        TEST(test_pods_come_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
