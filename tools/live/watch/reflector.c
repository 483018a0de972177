/* Sends lists and watches, handles their ends, and keeps the timers. reflector_apply.c interprets
 * the objects. */
#include "live/watch/reflector.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "cli/heap.h"
#include "live/log/log.h"
#include "live/watch/reflector_apply.h"

static const int64_t second_ns = 1000000000;
static const int64_t backoff_first_ns = 800000000, backoff_last_ns = 4000000000;
static const int64_t patience_first_ns = 5000000000, patience_last_ns = 120000000000;
enum { HEALTH_SECONDS = 120, WATCH_SECONDS = 300, LOOK_SECONDS = 10, FULL_MILLISECONDS = 20 };

static void begin(void *context);

void reflector_init(reflector *r, const live_transport *transport, const watch_resource *resource,
                    const watch_sink *sink, berth_reader *reader)
{
    r->transport = transport;
    r->resource = resource;
    r->sink = sink;
    r->reader = reader;
    r->cut.context = r;
    r->patience_ns = patience_first_ns;
    r->wants_list = true;
}

void reflector_free(reflector *r)
{
    object_table_free(&r->table);
    object_view_free(&r->view);
    stream_cut_free(&r->cut);
    free(r->next_page);
    r->next_page = NULL;
}

int64_t reflector_lost_since(const reflector *r)
{
    return r->state == REFLECTOR_WATCH || r->absent ? 0 : r->healthy_since_ns;
}

/* ---- waiting ---- */

static void wait_until(reflector *r, int64_t at_ns)
{
    r->state = REFLECTOR_WAIT;
    live_timer_stop(r->transport, r->timer);
    r->timer = live_timer_set(r->transport, at_ns, begin, r);
}

/* Waits 0.8 s, doubling to 4 s, times a random factor of 1 to 2; the server's Retry-After counts if
 * it is longer. client-go waits up to 30 s and may notice only that late that the server is back:
 * its many clients must spread out, but one scheduler need not. */
static void back_off(reflector *r, int64_t retry_after_ns)
{
    r->backoff_ns = r->backoff_ns == 0 ? backoff_first_ns : r->backoff_ns * 2;
    if (r->backoff_ns > backoff_last_ns)
        r->backoff_ns = backoff_last_ns;
    int64_t wait_ns =
        r->backoff_ns + (int64_t)(live_random(r->transport) % (uint64_t)r->backoff_ns);
    if (wait_ns < retry_after_ns)
        wait_ns = retry_after_ns;
    wait_until(r, live_now(r->transport) + wait_ns);
}

/* Continues soon, not at once, because callers are inside a request's callback. */
static void go_on(reflector *r)
{
    wait_until(r, live_now(r->transport));
}

static void say_failure(reflector *r, const char *doing, const live_answer *answer)
{
    char status[16];
    snprintf(status, sizeof(status), "%d", answer->status);
    if (answer->status == 401 || answer->status == 403) {
        if (r->status_denied != answer->status)
            LOG_ERROR(answer->status == 403
                          ? "not allowed: the role lacks the verbs get, list, watch of a resource"
                          : "the API server does not accept our credentials",
                      "resource", r->resource->rbac, "doing", doing);
        r->status_denied = answer->status;
        return;
    }
    LOG_WARNING("no answer to go on with", "resource", r->resource->rbac, "doing", doing, "status",
                status, "why", answer->why);
}

/* ---- lists ---- */

static bool on_list_data(void *context, const char *bytes, size_t count)
{
    reflector *r = context;
    r->last_byte_ns = live_now(r->transport);
    return stream_cut_list(&r->cut, bytes, count);
}

static bool on_list_item(void *context, const char *text, size_t length)
{
    reflector_apply(context, REFLECTOR_LISTED, (berth_str){text, (uint32_t)length});
    return true;
}

/* Reads the list's resourceVersion and the token of the next page. */
static bool read_list_end(reflector *r)
{
    const char *text = stream_cut_list_end(&r->cut);
    json_t *root = text != NULL ? json_loads(text, 0, NULL) : NULL;
    const json_t *metadata = json_object_get(root, "metadata");
    const char *version = json_string_value(json_object_get(metadata, "resourceVersion"));
    const char *next = json_string_value(json_object_get(metadata, "continue"));
    bool good = version != NULL && strlen(version) < sizeof(r->version);
    free(r->next_page);
    r->next_page = NULL;
    if (good) {
        snprintf(r->version, sizeof(r->version), "%s", version);
        if (next != NULL && next[0] != '\0')
            r->next_page = heap_text(next, strlen(next));
    }
    json_decref(root);
    return good;
}

static void start_anew(reflector *r)
{
    free(r->next_page);
    r->next_page = NULL;
}

static void first_list_over(reflector *r)
{
    if (r->listed)
        return;
    r->listed = true;
    r->sink->listed(r->sink->context, r->resource->kind);
}

/* Goes on without a resource that the server does not serve. */
static void do_without(reflector *r)
{
    if (!r->absent)
        LOG_INFO(0, "the API server does not serve a resource: it is left out", "resource",
                 r->resource->rbac);
    r->absent = true;
    r->status_denied = 0;
    start_anew(r);
    first_list_over(r);
    wait_until(r, live_now(r->transport) + REFLECTOR_ABSENT_SECONDS * second_ns);
}

static void take_up(reflector *r)
{
    LOG_INFO(0, "the API server serves a resource that was left out", "resource",
             r->resource->rbac);
    r->absent = false;
    r->healthy_since_ns = live_now(r->transport);
}

static void end_page(reflector *r)
{
    r->status_denied = 0;
    if (r->absent)
        take_up(r);
    if (r->next_page != NULL) {
        go_on(r);
        return;
    }
    reflector_sweep(r);
    r->wants_list = false;
    r->from_anew = false;
    r->lists++;
    first_list_over(r);
    go_on(r);
}

static void stop_watchdog(reflector *r)
{
    live_timer_stop(r->transport, r->watchdog);
    r->watchdog = 0;
}

static void on_list_done(void *context, const live_answer *answer)
{
    reflector *r = context;
    r->request = 0;
    stop_watchdog(r);
    if (answer->outcome == LIVE_ANSWERED && answer->status == 200 && read_list_end(r)) {
        end_page(r);
        return;
    }
    if (answer->outcome == LIVE_ANSWERED && answer->status == 404 && r->resource->may_be_absent &&
        (r->absent || !r->listed)) {
        do_without(r);
        return;
    }
    say_failure(r, "list", answer);
    /* 410: the pages' revision has been compacted away. After any other failure, too, a new list
     * may show a different state, and pages of two states must not be mixed. */
    start_anew(r);
    back_off(r, answer->retry_after_ns);
}

/* Repeats a list that has sent no byte for a while: with many streams on one connection, libcurl
 * 7.88 forgets about one time in a hundred that it has more data of a stream. The wait doubles each
 * time, so that a slow server gets its time. */
static void look_at_list(void *context)
{
    reflector *r = context;
    int64_t now_ns = live_now(r->transport), until_ns = r->last_byte_ns + r->patience_ns;
    r->watchdog = 0;
    if (now_ns < until_ns) {
        r->watchdog = live_timer_set(r->transport, until_ns, look_at_list, r);
        return;
    }
    if (r->patience_ns > patience_first_ns)
        LOG_WARNING("the list is silent; asking anew", "resource", r->resource->rbac);
    else
        LOG_INFO(1, "the list is silent; asking anew", "resource", r->resource->rbac);
    live_cancel(r->transport, r->request);
    r->request = 0;
    r->patience_ns *= 2;
    if (r->patience_ns > patience_last_ns)
        r->patience_ns = patience_last_ns;
    start_anew(r);
    go_on(r);
}

/* Percent-encodes a continue token. */
static size_t encode(char *out, const char *text)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~";
    char *at = out;
    for (; *text != '\0'; text++)
        if (strchr(plain, *text) != NULL)
            *at++ = *text;
        else
            at += sprintf(at, "%%%02X", (unsigned char)*text);
    *at = '\0';
    return (size_t)(at - out);
}

static void list(reflector *r)
{
    size_t token = r->next_page != NULL ? strlen(r->next_page) : 0;
    const watch_resource *what = r->resource;
    size_t room = strlen(what->path) + strlen(what->selector) + 3 * token + 64;
    char *path = heap_new(room, 1);
    size_t at = (size_t)snprintf(path, room, "%s?limit=%d%s%s", what->path, REFLECTOR_PAGE,
                                 what->selector[0] != '\0' ? "&" : "", what->selector);
    if (token > 0) {
        at += (size_t)snprintf(path + at, room - at, "&continue=");
        encode(path + at, r->next_page);
    } else {
        r->mark++;
    }
    stream_cut_reset(&r->cut);
    r->cut.piece = on_list_item;
    r->state = REFLECTOR_LIST;
    r->last_byte_ns = live_now(r->transport);
    r->request = live_send(r->transport, &(live_request){.connection = LIVE_READS,
                                                         .method = "GET",
                                                         .path = path,
                                                         .timeout_ns = 120 * second_ns,
                                                         .done = on_list_done,
                                                         .data = on_list_data,
                                                         .context = r});
    r->watchdog = live_timer_set(r->transport, r->last_byte_ns + r->patience_ns, look_at_list, r);
    free(path);
}

/* ---- watches ---- */

static void take_bookmark(reflector *r, berth_str object)
{
    berth_str version =
        json_plain_string(json_member(json_member(object, "metadata"), "resourceVersion"));
    if (version.len > 0 && version.len < sizeof(r->version))
        snprintf(r->version, sizeof(r->version), "%.*s", (int)version.len, version.data);
}

static void take_error(reflector *r, berth_str object)
{
    berth_str code = json_member(object, "code");
    berth_str reason = json_plain_string(json_member(object, "reason"));
    r->expired = code.len == 3 && memcmp(code.data, "410", 3) == 0;
    r->failed = !r->expired;
    if (r->failed) {
        char text[160];
        snprintf(text, sizeof(text), "%.*s %.*s", (int)(code.len < 8 ? code.len : 8),
                 code.data != NULL ? code.data : "", (int)(reason.len < 120 ? reason.len : 120),
                 reason.data != NULL ? reason.data : "");
        LOG_WARNING("the watch ended with an error", "resource", r->resource->rbac, "error", text);
    }
}

static bool is_type(berth_str type, const char *name)
{
    return type.len == strlen(name) && memcmp(type.data, name, type.len) == 0;
}

static bool on_watch_line(void *context, const char *text, size_t length)
{
    reflector *r = context;
    berth_str type, object;
    if (!watch_event_read(text, length, &type, &object)) {
        LOG_WARNING("the watch sent something that is not an event", "resource", r->resource->rbac);
        r->failed = true;
        return false;
    }
    if (is_type(type, "ERROR")) {
        take_error(r, object);
        return false;
    }
    r->saw_event = true;
    r->events++;
    if (is_type(type, "ADDED") || is_type(type, "MODIFIED"))
        reflector_apply(r, REFLECTOR_CHANGED, object);
    else if (is_type(type, "DELETED"))
        reflector_apply(r, REFLECTOR_DELETED, object);
    else if (!is_type(type, "BOOKMARK"))
        return true; /* an event type of a later Kubernetes */
    take_bookmark(r, object);
    return true;
}

static bool on_watch_data(void *context, const char *bytes, size_t count)
{
    reflector *r = context;
    r->last_byte_ns = live_now(r->transport);
    if (stream_cut_lines(&r->cut, bytes, count))
        return true;
    r->failed = r->failed || !r->expired;
    return false;
}

/* Decides what follows a watch: another watch or a list. */
static void end_watch(reflector *r, const live_answer *answer)
{
    int64_t now_ns = live_now(r->transport);
    bool answered = answer->outcome == LIVE_ANSWERED;
    bool ended = answered && answer->status == 200;
    if (now_ns - r->began_ns >= HEALTH_SECONDS * second_ns) {
        r->backoff_ns = 0;
        r->patience_ns = patience_first_ns;
    }
    r->healthy_since_ns = now_ns; /* the watch was healthy until now */
    if (r->expired || (answered && answer->status == 410)) {
        r->wants_list = true;
        go_on(r);
        return;
    }
    bool again = !answered || ended || answer->status == 429;
    if (!ended && !r->failed && answered)
        say_failure(r, "watch", answer);
    r->wants_list = r->failed || !again;
    bool lived = r->saw_event || (ended && now_ns - r->began_ns >= second_ns);
    if (lived && !r->failed && (ended || !answered))
        go_on(r);
    else
        back_off(r, answer->retry_after_ns);
}

static void on_watch_done(void *context, const live_answer *answer)
{
    reflector *r = context;
    r->request = 0;
    stop_watchdog(r);
    end_watch(r, answer);
}

/* A silent watch is repeated: the server sends nothing about a version that it has not reached, and
 * a network that drops everything looks the same. */
static void look(void *context)
{
    reflector *r = context;
    int64_t now_ns = live_now(r->transport);
    r->watchdog = 0;
    if (now_ns - r->last_byte_ns < REFLECTOR_SILENCE_SECONDS * second_ns) {
        r->watchdog = live_timer_set(r->transport, now_ns + LOOK_SECONDS * second_ns, look, r);
        return;
    }
    LOG_INFO(0, "the watch is silent; listing anew", "resource", r->resource->rbac);
    live_cancel(r->transport, r->request);
    r->request = 0;
    r->healthy_since_ns = r->last_byte_ns;
    r->wants_list = true;
    r->from_anew = true;
    go_on(r);
}

static void watch(reflector *r)
{
    const watch_resource *what = r->resource;
    uint64_t seconds = WATCH_SECONDS + live_random(r->transport) % WATCH_SECONDS;
    size_t room = strlen(what->path) + strlen(what->selector) + strlen(r->version) + 128;
    char *path = heap_new(room, 1);
    snprintf(path, room,
             "%s?watch=1&resourceVersion=%s&allowWatchBookmarks=true&timeoutSeconds=%" PRIu64
             "%s%s",
             what->path, r->version, seconds, what->selector[0] != '\0' ? "&" : "", what->selector);
    r->cut.count = 0;
    r->cut.piece = on_watch_line;
    r->state = REFLECTOR_WATCH;
    r->expired = r->failed = r->saw_event = false;
    r->began_ns = r->last_byte_ns = live_now(r->transport);
    r->watches++;
    r->request = live_send(r->transport, &(live_request){.connection = LIVE_READS,
                                                         .method = "GET",
                                                         .path = path,
                                                         .done = on_watch_done,
                                                         .data = on_watch_data,
                                                         .context = r});
    r->watchdog = live_timer_set(r->transport, r->began_ns + LOOK_SECONDS * second_ns, look, r);
    free(path);
}

/* ---- life cycle ---- */

static void begin(void *context)
{
    reflector *r = context;
    r->timer = 0;
    if (!r->wants_list)
        watch(r);
    else if (r->sink->is_full != NULL && r->sink->is_full(r->sink->context))
        wait_until(r, live_now(r->transport) + FULL_MILLISECONDS * INT64_C(1000000));
    else
        list(r);
}

void reflector_start(reflector *r)
{
    r->healthy_since_ns = live_now(r->transport);
    go_on(r);
}

void reflector_stop(reflector *r)
{
    live_cancel(r->transport, r->request);
    live_timer_stop(r->transport, r->timer);
    live_timer_stop(r->transport, r->watchdog);
    r->request = r->timer = r->watchdog = 0;
}
