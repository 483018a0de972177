/* Sends requests with libcurl's multi handles; the event loop reports socket events to libcurl.
 *
 * libcurl must not be entered from its own callbacks. So `send` puts a request into a list,
 * `cancel` marks one, and each turn of the loop begins by starting and removing them. Completed
 * requests are reported there, too. */
#include "live/transport/curl_transport.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <time.h>

#include "cli/heap.h"
#include "live/transport/curl_easy.h"

/* HTTP/2 carries all requests over one connection. But a connection that the server wants to end
 * (GOAWAY) takes no new requests, and stays open as long as one of its watches lives; this can
 * happen with every watch. HTTP/1.1 carries one request at a time. If one finds no connection,
 * libcurl sets it up again whenever another one ends. So there are enough connections for all
 * requests that the writers have in progress. */
enum { CONNECTIONS_MAX = 128 };

/* Handles that are kept for later requests: making one copies all credentials. None is kept before
 * libcurl 8.1.0: there, a handle still points to the last header of its last response, which is
 * freed when the handle is used again, and appends to it if the first header of the next response
 * begins with a space. Source: https://github.com/curl/curl/issues/11101. */
enum { SPARES_MAX = 64, SPARES_SINCE = 0x080100 };

/* One multi handle for a class of requests. */
typedef struct connection {
    struct curl_transport *owner;
    struct connection *next; /* in the list of retired connections */
    CURLM *multi;
    live_id timer;
    size_t request_count;
} connection;

struct curl_transport {
    live_transport interface;
    curl_transport_options options;
    connection *current[LIVE_CONNECTION_COUNT];
    connection *retired;
    curl_request *first, *last; /* all requests, oldest first */
    bool work;                  /* some requests wait to be started or removed */
    CURL *spares[SPARES_MAX];   /* handles for the current access, without a request */
    size_t spare_count, spares_max;
    live_id last_id;
    int64_t looked_ns; /* when look_again was last called */
};

enum { LOOK_AGAIN_MS = 500 };

bool curl_transport_setup(void)
{
    return curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

/* ---- connections ---- */

static void on_socket_ready(void *context, int fd, uint32_t events)
{
    connection *c = context;
    int what = 0, running;
    if ((events & EPOLLIN) != 0)
        what |= CURL_CSELECT_IN;
    if ((events & EPOLLOUT) != 0)
        what |= CURL_CSELECT_OUT;
    if ((events & (EPOLLERR | EPOLLHUP)) != 0)
        what |= CURL_CSELECT_ERR;
    curl_multi_socket_action(c->multi, fd, what, &running);
    c->owner->work = true;
}

/* libcurl may already have read a stream's bytes on behalf of another stream when the socket has no
 * more. libcurl 7.88 then relies on a timer, which it forgets if the timer fires early, and does
 * not always list the stream with its socket. So all transfers are run from time to time, by the
 * only function that does so without socket events; it is deprecated because of its cost. */
static void look_again(connection *c)
{
    int running;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    curl_multi_socket_all(c->multi, &running);
#pragma GCC diagnostic pop
    c->owner->work = true;
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *context, void *unused)
{
    connection *c = context;
    (void)easy;
    (void)unused;
    uint32_t events = 0;
    if (what == CURL_POLL_IN || what == CURL_POLL_INOUT)
        events |= EPOLLIN;
    if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT)
        events |= EPOLLOUT;
    if (what == CURL_POLL_REMOVE) /* closed, or kept for the next request */
        event_loop_fd_rest(c->owner->options.loop, fd);
    else
        event_loop_fd(c->owner->options.loop, fd, events, on_socket_ready, c);
    return 0;
}

static int on_timer(CURLM *multi, long milliseconds, void *context);

static void on_multi_timer(void *context)
{
    connection *c = context;
    int running;
    long left_ms;
    c->timer = 0;
    curl_multi_socket_action(c->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    c->owner->work = true;
    /* libcurl sets no new timer if its own clock finds that this one fired too early. */
    if (c->timer == 0 && curl_multi_timeout(c->multi, &left_ms) == CURLM_OK && left_ms >= 0)
        (void)on_timer(c->multi, left_ms > 0 ? left_ms : 1, c);
}

static int on_timer(CURLM *multi, long milliseconds, void *context)
{
    connection *c = context;
    (void)multi;
    event_loop_timer_stop(c->owner->options.loop, c->timer);
    c->timer = 0;
    if (milliseconds >= 0)
        c->timer =
            event_loop_timer(c->owner->options.loop,
                             event_loop_now() + milliseconds * INT64_C(1000000), on_multi_timer, c);
    return 0;
}

static connection *connection_open(curl_transport *t)
{
    connection *c = heap_new(1, sizeof(*c));
    c->owner = t;
    c->multi = curl_multi_init();
    if (c->multi == NULL)
        abort(); /* out of memory; our own allocations end the program in heap_new */
    curl_multi_setopt(c->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(c->multi, CURLMOPT_SOCKETDATA, c);
    curl_multi_setopt(c->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(c->multi, CURLMOPT_TIMERDATA, c);
    curl_multi_setopt(c->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
    curl_multi_setopt(c->multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)CONNECTIONS_MAX);
    return c;
}

static void connection_close(connection *c)
{
    event_loop_timer_stop(c->owner->options.loop, c->timer);
    curl_multi_cleanup(c->multi);
    event_loop_timer_stop(c->owner->options.loop, c->timer); /* the cleanup set a timer */
    free(c);
}

/* Closes retired connections that have no requests left. */
static void close_retired(curl_transport *t)
{
    for (connection **link = &t->retired; *link != NULL;) {
        connection *c = *link;
        if (c->request_count > 0) {
            link = &c->next;
            continue;
        }
        *link = c->next;
        connection_close(c);
    }
}

/* ---- the list of requests ---- */

static void unlink_request(curl_transport *t, curl_request *r)
{
    if (r->previous != NULL)
        r->previous->next = r->next;
    else
        t->first = r->next;
    if (r->next != NULL)
        r->next->previous = r->previous;
    else
        t->last = r->previous;
}

/* Takes a request out of libcurl. */
static void detach(curl_request *r)
{
    connection *c = r->connection;
    if (c == NULL)
        return;
    curl_multi_remove_handle(c->multi, r->easy);
    c->request_count--;
    r->connection = NULL;
}

static void drop(curl_transport *t, curl_request *r)
{
    detach(r);
    unlink_request(t, r);
    curl_request_free(r);
}

/* Ends a request: it is unlinked before its owner is called, because the owner may send more at
 * once. */
static void tell(curl_transport *t, curl_request *r, const live_answer *answer)
{
    detach(r);
    unlink_request(t, r);
    const live_observer *observer = &t->options.observer;
    if (observer->request_over != NULL) {
        int64_t end_ns = r->first_byte_ns != 0 ? r->first_byte_ns : event_loop_now();
        observer->request_over(observer->context, r->method,
                               answer->outcome == LIVE_ANSWERED ? answer->status : 0,
                               end_ns - r->sent_ns);
    }
    r->done(r->context, answer);
    curl_request_free(r);
}

static void tell_not_sent(curl_transport *t, curl_request *r, const char *why)
{
    tell(t, r,
         &(live_answer){
             .outcome = LIVE_NOT_SENT, .body = {"", 0}, .retry_after_ns = -1, .why = why});
}

/* ---- starting ---- */

static void start(curl_transport *t, curl_request *r)
{
    int64_t now_ns = event_loop_now();
    if (r->not_after_ns != 0 && now_ns > r->not_after_ns) {
        tell_not_sent(t, r, "its deadline is over");
        return;
    }
    if (r->timeout_ns != 0 && now_ns - r->sent_ns >= r->timeout_ns) {
        tell_not_sent(t, r, "no credentials came in time");
        return;
    }
    const char *bearer = NULL, *why = "no credentials";
    switch (t->options.access->authorize(t->options.access_self, &bearer, &why)) {
    case ACCESS_WAIT:
        r->state = REQUEST_WAITS;
        return;
    case ACCESS_FAILED:
        tell_not_sent(t, r, why);
        return;
    default:
        break;
    }
    connection **current = &t->current[r->class];
    if (*current == NULL)
        *current = connection_open(t);
    const server_access *access = t->options.access->access(t->options.access_self);
    CURL *easy = t->spare_count > 0 ? t->spares[--t->spare_count] : curl_handle_create(access);
    if (easy != NULL)
        curl_request_prepare(r, easy, access, bearer, now_ns);
    if (easy == NULL || curl_multi_add_handle((*current)->multi, easy) != CURLM_OK) {
        tell_not_sent(t, r, "libcurl can't take it");
        return;
    }
    r->connection = *current;
    (*current)->request_count++;
    r->state = REQUEST_RUNS;
}

/* ---- ending ---- */

/* Has an expired token renewed and sends the request once more. */
static bool repeat_refused(curl_transport *t, curl_request *r, int status)
{
    if (status != 401 || r->repeated || !t->options.access->refused(t->options.access_self))
        return false;
    detach(r);
    r->repeated = true;
    curl_request_reset(r);
    r->state = REQUEST_NEW;
    return true;
}

/* Keep the handle of a request that was answered. Those of retired connections may have other
 * credentials. */
static void spare_handle(curl_transport *t, curl_request *r)
{
    if (t->spare_count == t->spares_max)
        return;
    detach(r);
    t->spares[t->spare_count++] = curl_request_take_handle(r);
}

static void drop_spares(curl_transport *t)
{
    while (t->spare_count > 0)
        curl_easy_cleanup(t->spares[--t->spare_count]);
}

static void finish(curl_transport *t, curl_request *r, CURLcode code)
{
    live_answer answer;
    curl_request_answer(r, code, &answer);
    if (answer.outcome == LIVE_ANSWERED) {
        if (repeat_refused(t, r, answer.status))
            return;
        if (r->connection == t->current[r->class])
            spare_handle(t, r);
    }
    tell(t, r, &answer);
}

static void collect(curl_transport *t, connection *c)
{
    CURLMsg *message;
    int left;
    while ((message = curl_multi_info_read(c->multi, &left)) != NULL) {
        if (message->msg != CURLMSG_DONE)
            continue;
        char *private = NULL;
        CURLcode code = message->data.result; /* the message is freed with its handle */
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &private);
        curl_request *r = (curl_request *)(void *)private;
        if (r->state == REQUEST_CANCELLED)
            drop(t, r);
        else
            finish(t, r, code);
    }
}

/* A callback that sends more appends to the list and sets `work`; no callback removes a request. */
static void start_and_remove(curl_transport *t)
{
    curl_request *next;
    for (curl_request *r = t->first; r != NULL; r = next) {
        next = r->next;
        if (r->state == REQUEST_CANCELLED)
            drop(t, r);
        else if (r->state == REQUEST_ENDS)
            tell(t, r,
                 &(live_answer){.outcome = LIVE_UNKNOWN,
                                .body = {"", 0},
                                .retry_after_ns = -1,
                                .why = "the connection was given up for new credentials"});
        else if (r->state == REQUEST_NEW)
            start(t, r);
    }
}

static void on_turn(void *context)
{
    curl_transport *t = context;
    int64_t now_ns = event_loop_now();
    if (now_ns - t->looked_ns >= LOOK_AGAIN_MS * INT64_C(1000000)) {
        t->looked_ns = now_ns;
        for (int class = 0; class < LIVE_CONNECTION_COUNT; class ++)
            if (t->current[class] != NULL)
                look_again(t->current[class]);
        for (connection *c = t->retired; c != NULL; c = c->next)
            look_again(c);
    }
    while (t->work) {
        t->work = false;
        for (int class = 0; class < LIVE_CONNECTION_COUNT; class ++)
            if (t->current[class] != NULL)
                collect(t, t->current[class]);
        for (connection *c = t->retired; c != NULL; c = c->next)
            collect(t, c);
        start_and_remove(t);
        close_retired(t);
    }
}

/* ---- public functions ---- */

static live_id transport_send(void *self, const live_request *request)
{
    curl_transport *t = self;
    curl_request *r = curl_request_create(request, event_loop_now());
    r->id = ++t->last_id;
    r->previous = t->last;
    if (t->last != NULL)
        t->last->next = r;
    else
        t->first = r;
    t->last = r;
    t->work = true;
    return r->id;
}

static void transport_cancel(void *self, live_id id)
{
    curl_transport *t = self;
    for (curl_request *r = t->first; r != NULL && id != 0; r = r->next)
        if (r->id == id) {
            r->state = REQUEST_CANCELLED;
            t->work = true;
            return;
        }
}

static live_id transport_timer_set(void *self, int64_t at_ns, live_timer_fn fire, void *context)
{
    return event_loop_timer(((curl_transport *)self)->options.loop, at_ns, fire, context);
}

static void transport_timer_stop(void *self, live_id timer)
{
    event_loop_timer_stop(((curl_transport *)self)->options.loop, timer);
}

static int64_t transport_now(void *self)
{
    (void)self;
    return event_loop_now();
}

static int64_t transport_wall(void *self)
{
    struct timespec now;
    (void)self;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static uint64_t transport_random(void *self)
{
    uint64_t bits = 0;
    (void)self;
    if (getrandom(&bits, sizeof(bits), 0) != (ssize_t)sizeof(bits))
        bits = (uint64_t)event_loop_now() * 0x9e3779b97f4a7c15U;
    return bits;
}

curl_transport *curl_transport_create(const curl_transport_options *options)
{
    static const live_transport_ops ops = {
        .send = transport_send,
        .cancel = transport_cancel,
        .timer_set = transport_timer_set,
        .timer_stop = transport_timer_stop,
        .now = transport_now,
        .wall = transport_wall,
        .random = transport_random,
    };
    curl_transport *t = heap_new(1, sizeof(*t));
    t->interface = (live_transport){&ops, t};
    t->options = *options;
    t->spares_max =
        curl_version_info(CURLVERSION_NOW)->version_num >= SPARES_SINCE ? SPARES_MAX : 0;
    event_loop_each_turn(options->loop, on_turn, t);
    return t;
}

void curl_transport_destroy(curl_transport *t)
{
    if (t == NULL)
        return;
    while (t->first != NULL)
        drop(t, t->first);
    drop_spares(t);
    close_retired(t);
    for (int class = 0; class < LIVE_CONNECTION_COUNT; class ++)
        if (t->current[class] != NULL)
            connection_close(t->current[class]);
    event_loop_each_turn_stop(t->options.loop, t);
    free(t);
}

const live_transport *curl_transport_interface(curl_transport *t)
{
    return &t->interface;
}

void curl_transport_resume(curl_transport *t)
{
    for (curl_request *r = t->first; r != NULL; r = r->next)
        if (r->state == REQUEST_WAITS)
            r->state = REQUEST_NEW;
    t->work = true;
}

void curl_transport_renew(curl_transport *t)
{
    drop_spares(t);
    for (int class = 0; class < LIVE_CONNECTION_COUNT; class ++) {
        connection *c = t->current[class];
        if (c == NULL)
            continue;
        t->current[class] = NULL;
        c->next = t->retired;
        t->retired = c;
    }
    for (curl_request *r = t->first; r != NULL; r = r->next)
        if (r->state == REQUEST_RUNS && r->data != NULL)
            r->state = REQUEST_ENDS;
    t->work = true;
}
