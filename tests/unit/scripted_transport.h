/* A transport without a network: the test is the server and the clock. Requests wait until the test
 * answers them; timers fire when the test advances the time. */
#ifndef BERTH_TESTS_SCRIPTED_TRANSPORT_H
#define BERTH_TESTS_SCRIPTED_TRANSPORT_H

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "live/transport/transport.h"

/* A request that was sent and not yet answered; the texts are copies. */
typedef struct scripted_request {
    live_id id;
    live_connection connection;
    char *method, *path, *content_type, *body; /* "" if absent */
    int64_t sent_ns, timeout_ns, not_after_ns;
    live_done_fn done;
    live_data_fn data;
    void *context;
} scripted_request;

typedef struct scripted_timer {
    live_id id;
    int64_t at_ns;
    live_timer_fn fire;
    void *context;
} scripted_timer;

enum { SCRIPTED_MAX = 4096 };

typedef struct scripted_transport {
    live_transport transport;
    int64_t now_ns, wall_ns;
    uint64_t random, last_id;
    scripted_request requests[SCRIPTED_MAX]; /* oldest first */
    size_t request_count;
    scripted_timer timers[SCRIPTED_MAX]; /* in the order of creation */
    size_t timer_count;
    uint64_t sent; /* requests in total */
} scripted_transport;

static inline char *scripted_copy(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    assert(copy != NULL);
    if (length > 0)
        memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

static inline live_id scripted_send(void *self, const live_request *request)
{
    scripted_transport *s = self;
    assert(s->request_count < SCRIPTED_MAX);
    assert(request->path[0] == '/' && request->done != NULL);
    const char *type = request->content_type != NULL ? request->content_type : "";
    s->requests[s->request_count++] = (scripted_request){
        .id = ++s->last_id,
        .connection = request->connection,
        .method = scripted_copy(request->method, strlen(request->method)),
        .path = scripted_copy(request->path, strlen(request->path)),
        .content_type = scripted_copy(type, strlen(type)),
        .body = scripted_copy(request->body.data, request->body.len),
        .sent_ns = s->now_ns,
        .timeout_ns = request->timeout_ns,
        .not_after_ns = request->not_after_ns,
        .done = request->done,
        .data = request->data,
        .context = request->context,
    };
    s->sent++;
    return s->last_id;
}

static inline void scripted_request_free(scripted_request *request)
{
    free(request->method);
    free(request->path);
    free(request->content_type);
    free(request->body);
}

/* Take a waiting request out of the list. Owner: its texts are the caller's. */
static inline scripted_request scripted_remove(scripted_transport *s, size_t at)
{
    scripted_request request = s->requests[at];
    s->request_count--;
    memmove(&s->requests[at], &s->requests[at + 1],
            (s->request_count - at) * sizeof(s->requests[0]));
    return request;
}

static inline void scripted_cancel(void *self, live_id id)
{
    scripted_transport *s = self;
    for (size_t i = 0; i < s->request_count; i++)
        if (s->requests[i].id == id) {
            scripted_request request = scripted_remove(s, i);
            scripted_request_free(&request);
            return;
        }
}

static inline live_id scripted_timer_set(void *self, int64_t at_ns, live_timer_fn fire,
                                         void *context)
{
    scripted_transport *s = self;
    assert(s->timer_count < SCRIPTED_MAX);
    s->timers[s->timer_count++] = (scripted_timer){++s->last_id, at_ns, fire, context};
    return s->last_id;
}

static inline void scripted_timer_stop(void *self, live_id id)
{
    scripted_transport *s = self;
    for (size_t i = 0; i < s->timer_count; i++)
        if (s->timers[i].id == id) {
            s->timer_count--;
            memmove(&s->timers[i], &s->timers[i + 1], (s->timer_count - i) * sizeof(s->timers[0]));
            return;
        }
}

static inline int64_t scripted_now(void *self)
{
    return ((scripted_transport *)self)->now_ns;
}

static inline int64_t scripted_wall(void *self)
{
    return ((scripted_transport *)self)->wall_ns;
}

/* splitmix64: the same numbers in every run. */
static inline uint64_t scripted_random(void *self)
{
    uint64_t mixed = ((scripted_transport *)self)->random += 0x9e3779b97f4a7c15U;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31);
}

static inline scripted_transport *scripted_create(void)
{
    static const live_transport_ops ops = {
        .send = scripted_send,
        .cancel = scripted_cancel,
        .timer_set = scripted_timer_set,
        .timer_stop = scripted_timer_stop,
        .now = scripted_now,
        .wall = scripted_wall,
        .random = scripted_random,
    };
    scripted_transport *s = calloc(1, sizeof(*s));
    assert(s != NULL);
    s->transport = (live_transport){&ops, s};
    s->now_ns = INT64_C(1000000000);
    s->wall_ns = INT64_C(1795000000000000000);
    return s;
}

static inline void scripted_destroy(scripted_transport *s)
{
    for (size_t i = 0; i < s->request_count; i++)
        scripted_request_free(&s->requests[i]);
    free(s);
}

/* The oldest waiting request with this method and with `part` in its path ("" matches all), or
 * NULL. Valid until the next call. */
static inline scripted_request *scripted_find(scripted_transport *s, const char *method,
                                              const char *part)
{
    for (size_t i = 0; i < s->request_count; i++)
        if ((method[0] == '\0' || strcmp(s->requests[i].method, method) == 0) &&
            strstr(s->requests[i].path, part) != NULL)
            return &s->requests[i];
    return NULL;
}

/* End a request. */
static inline void scripted_end(scripted_transport *s, const scripted_request *which,
                                const live_answer *answer)
{
    scripted_request request = scripted_remove(s, (size_t)(which - s->requests));
    live_answer whole = *answer;
    if (whole.body.data == NULL)
        whole.body.data = "";
    if (whole.why == NULL)
        whole.why = whole.outcome == LIVE_ANSWERED ? "" : "scripted";
    request.done(request.context, &whole);
    scripted_request_free(&request);
}

/* Answer a request, without Retry-After. */
static inline void scripted_answer(scripted_transport *s, const scripted_request *which, int status,
                                   const char *body)
{
    scripted_end(s, which,
                 &(live_answer){.outcome = LIVE_ANSWERED,
                                .status = status,
                                .body = {body, (uint32_t)strlen(body)},
                                .retry_after_ns = -1});
}

/* Answer with Retry-After. */
static inline void scripted_retry_after(scripted_transport *s, const scripted_request *which,
                                        int status, int seconds)
{
    scripted_end(s, which,
                 &(live_answer){.outcome = LIVE_ANSWERED,
                                .status = status,
                                .retry_after_ns = seconds * INT64_C(1000000000)});
}

/* Let a request fail without an answer. */
static inline void scripted_fail(scripted_transport *s, const scripted_request *which,
                                 live_outcome outcome)
{
    scripted_end(s, which, &(live_answer){.outcome = outcome, .retry_after_ns = -1});
}

/* Send a piece of a stream. If the reader stops, the request ends as UNKNOWN. Returns whether the
 * request still exists. */
static inline bool scripted_data(scripted_transport *s, const scripted_request *which,
                                 const char *bytes, size_t count)
{
    live_id id = which->id;
    assert(which->data != NULL);
    bool more = which->data(which->context, bytes, count);
    for (size_t i = 0; i < s->request_count; i++)
        if (s->requests[i].id == id) {
            if (!more)
                scripted_fail(s, &s->requests[i], LIVE_UNKNOWN);
            return more;
        }
    return false;
}

/* Advance the time and fire the timers that are due, earliest first. Requests that time out end as
 * UNKNOWN. */
static inline void scripted_advance(scripted_transport *s, int64_t by_ns)
{
    int64_t end_ns = s->now_ns + by_ns;
    for (;;) {
        size_t timer = SIZE_MAX, request = SIZE_MAX;
        int64_t first_ns = end_ns;
        for (size_t i = 0; i < s->timer_count; i++)
            if (s->timers[i].at_ns <= first_ns - (timer != SIZE_MAX)) {
                timer = i;
                first_ns = s->timers[i].at_ns;
            }
        for (size_t i = 0; i < s->request_count; i++) {
            const scripted_request *r = &s->requests[i];
            if (r->timeout_ns > 0 && r->sent_ns + r->timeout_ns < first_ns) {
                request = i;
                first_ns = r->sent_ns + r->timeout_ns;
            }
        }
        if (timer == SIZE_MAX && request == SIZE_MAX)
            break;
        if (first_ns > s->now_ns) {
            s->wall_ns += first_ns - s->now_ns;
            s->now_ns = first_ns;
        }
        if (request != SIZE_MAX) {
            scripted_fail(s, &s->requests[request], LIVE_UNKNOWN);
            continue;
        }
        scripted_timer due = s->timers[timer];
        scripted_timer_stop(s, due.id);
        due.fire(due.context);
    }
    s->wall_ns += end_ns - s->now_ns;
    s->now_ns = end_ns;
}

#endif
