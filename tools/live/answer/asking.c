#include "live/answer/asking.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "live/transport/event_loop.h"

static const int64_t second_ns = 1000000000;
enum { CHANGES_S = 15 };

/* A thread, and the question that it is answering. */
typedef struct worker {
    struct asking *owner;
    pthread_t thread;
    question *has;           /* under the lock; NULL: none */
    volatile int32_t cancel; /* a berth_cancel_flag */
} worker;

struct asking {
    asking_options options;
    worker *workers;
    uint32_t started;
    pthread_mutex_t lock;
    pthread_cond_t comes;
    /* under the lock: */
    question *first, *last; /* in the order in which they came */
    uint32_t waiting;
    question *parked; /* for changes */
    uint32_t parked_count;
    bool stops;
};

/* ---- metrics ---- */

static void count(asking *a, const question *q, unsigned status)
{
    char code[16];
    const char *name = answers_name(q->path);
    snprintf(code, sizeof(code), "%u", status);
    metrics_add(a->options.metrics, METRIC_QUESTIONS, 1, METRIC_LABELS(name, code));
    metrics_observe(a->options.metrics, METRIC_QUESTION_SECONDS,
                    (double)(event_loop_now() - q->since_ns) / 1e9, METRIC_LABELS(name));
}

static void settle(asking *a, question *q, debug_page page, unsigned retry_s)
{
    count(a, q, page.status);
    question_settle(q, &page, retry_s);
}

static debug_page late(void)
{
    return answers_refuse(504, "Timeout", "the time for an answer is up");
}

/* ---- the list ---- */

/* Take the first one; NULL: none waits. Under the lock, as the functions below. */
static question *take(asking *a)
{
    question *q = a->first;
    if (q == NULL)
        return NULL;
    a->first = q->next;
    a->last = a->first != NULL ? a->last : NULL;
    a->waiting--;
    return q;
}

static void put(asking *a, question *q)
{
    q->next = NULL;
    if (a->last != NULL)
        a->last->next = q;
    else
        a->first = q;
    a->last = q;
    a->waiting++;
}

static uint32_t count_of(const asking *a, const uint8_t client[16])
{
    uint32_t found = 0;
    for (const question *q = a->first; q != NULL; q = q->next)
        found += memcmp(q->client, client, 16) == 0;
    for (const question *q = a->parked; q != NULL; q = q->next)
        found += memcmp(q->client, client, 16) == 0;
    for (uint32_t i = 0; i < a->started; i++)
        found += a->workers[i].has != NULL && memcmp(a->workers[i].has->client, client, 16) == 0;
    return found;
}

/* Under the lock. relaxed: no other data depends on the flag. */
static void cancel(worker *w)
{
    __atomic_store_n(&w->cancel, 1, __ATOMIC_RELAXED);
}

/* ---- changes ---- */

static void tell_version(asking *a, question *q, uint64_t version)
{
    debug_page page = {.status = 200, .type = "text/event-stream", .text = heap_new(96, 1)};
    page.length = (size_t)snprintf(
        page.text, 96, "retry: 1000\nid: %" PRIu64 "\ndata: %" PRIu64 "\n\n", version, version);
    settle(a, q, page, 0);
}

/* Take off the list the questions that can be answered now: the copy has changed, or the client has
 * waited so long that it is told that nothing has. Under the lock. */
static question *take_told(asking *a, uint64_t version, int64_t now_ns)
{
    question *told = NULL;
    for (question **at = &a->parked; *at != NULL;) {
        question *q = *at;
        if (!a->stops && q->seen == version && now_ns - q->since_ns < CHANGES_S * second_ns) {
            at = &q->next;
            continue;
        }
        *at = q->next;
        q->next = told;
        told = q;
        a->parked_count--;
    }
    return told;
}

static void look_for_changes(asking *a, int64_t now_ns)
{
    const uint64_t version = live_copy_version(a->options.world.copy);
    pthread_mutex_lock(&a->lock);
    question *told = take_told(a, version, now_ns);
    pthread_mutex_unlock(&a->lock);
    for (question *next; told != NULL; told = next) {
        next = told->next;
        tell_version(a, told, version);
    }
}

static bool is_for_changes(const question *q)
{
    return strcmp(q->path, "/v1/changes") == 0;
}

/* A client that names no version (Last-Event-ID) is answered at once. Under the lock. */
static void park(asking *a, question *q)
{
    const char *id = question_header(q, "Last-Event-ID");
    q->seen = id != NULL ? strtoull(id, NULL, 10) : UINT64_MAX;
    q->next = a->parked;
    a->parked = q;
    a->parked_count++;
}

/* ---- answering ---- */

static void *work(void *context)
{
    worker *own = context;
    asking *a = own->owner;
    pthread_mutex_lock(&a->lock);
    for (;;) {
        __atomic_store_n(&own->cancel, 0, __ATOMIC_RELAXED); /* ASKING-2 */
        while (a->first == NULL && !a->stops)
            pthread_cond_wait(&a->comes, &a->lock);
        question *q = take(a);
        if (q == NULL)
            break;
        own->has = q;
        const bool is_late = event_loop_now() - q->since_ns > a->options.time_ns;
        pthread_mutex_unlock(&a->lock);
        const debug_page page = is_late ? late() : answers_make(&a->options.world, q, &own->cancel);
        pthread_mutex_lock(&a->lock);
        own->has = NULL;
        pthread_mutex_unlock(&a->lock);
        settle(a, q, page, 0);
        pthread_mutex_lock(&a->lock);
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

void asking_look(asking *a)
{
    const int64_t now_ns = event_loop_now();
    pthread_mutex_lock(&a->lock);
    for (uint32_t i = 0; i < a->started; i++)
        if (a->workers[i].has != NULL && now_ns - a->workers[i].has->since_ns > a->options.time_ns)
            cancel(&a->workers[i]);
    question *over = NULL;
    while (a->first != NULL && now_ns - a->first->since_ns > a->options.time_ns) {
        question *q = take(a);
        q->next = over;
        over = q;
    }
    pthread_mutex_unlock(&a->lock);
    look_for_changes(a, now_ns);
    while (over != NULL) {
        question *next = over->next;
        settle(a, over, late(), 0);
        over = next;
    }
}

/* ---- the rule; on the server's thread ---- */

static bool takes(void *context, const char *path)
{
    (void)context;
    return strncmp(path, "/v1/", 4) == 0 || strcmp(path, "/openapi.json") == 0 ||
           strcmp(path, "/") == 0;
}

static void ask(void *context, question *q)
{
    asking *a = context;
    const char *refusal = NULL;
    unsigned status = 0;
    q->since_ns = event_loop_now();
    pthread_mutex_lock(&a->lock);
    if (a->stops) {
        status = 503;
        refusal = "the service ends";
    } else if (count_of(a, q->client) >= a->options.of_client) {
        status = 429;
        refusal = "too many questions of one client at a time";
    } else if ((is_for_changes(q) ? a->parked_count : a->waiting) >= a->options.waiting) {
        status = 503;
        refusal = "too many questions wait";
    } else if (is_for_changes(q)) {
        park(a, q);
    } else {
        put(a, q);
        pthread_cond_signal(&a->comes);
    }
    pthread_mutex_unlock(&a->lock);
    if (refusal != NULL)
        settle(a, q,
               answers_refuse(status, status == 429 ? "TooManyRequests" : "Unavailable", refusal),
               1);
}

question_rule asking_rule(asking *a)
{
    return (question_rule){takes, ask, a, a->options.manifest_max};
}

/* ---- life ---- */

/* The threads block all signals; the network's thread handles them. */
static berth_status start(asking *a, berth_error *error)
{
    sigset_t all, before;
    int code = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (uint32_t i = 0; i < a->options.threads && code == 0; i++) {
        a->workers[i].owner = a;
        code = pthread_create(&a->workers[i].thread, NULL, work, &a->workers[i]);
        pthread_mutex_lock(&a->lock);
        a->started += code == 0;
        pthread_mutex_unlock(&a->lock);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code == 0
               ? BERTH_OK
               : error_set(error, BERTH_E_IO, NULL, "no thread can be started: %s", strerror(code));
}

berth_status asking_create(const asking_options *options, asking **out, berth_error *error)
{
    asking *a = heap_new(1, sizeof(*a));
    a->options = *options;
    a->workers = heap_new(options->threads, sizeof(*a->workers));
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->comes, NULL);
    berth_status status = start(a, error);
    if (status != BERTH_OK) {
        asking_stop(a);
        asking_destroy(a);
        return status;
    }
    *out = a;
    return BERTH_OK;
}

void asking_stop(asking *a)
{
    if (a == NULL)
        return;
    pthread_mutex_lock(&a->lock);
    a->stops = true;
    question *left = a->first;
    a->first = a->last = NULL;
    a->waiting = 0;
    for (uint32_t i = 0; i < a->started; i++)
        if (a->workers[i].has != NULL)
            cancel(&a->workers[i]);
    pthread_cond_broadcast(&a->comes);
    pthread_mutex_unlock(&a->lock);
    look_for_changes(a, event_loop_now());
    while (left != NULL) {
        question *next = left->next;
        settle(a, left, answers_refuse(503, "Unavailable", "the service ends"), 1);
        left = next;
    }
    for (uint32_t i = 0; i < a->started; i++)
        pthread_join(a->workers[i].thread, NULL);
    a->started = 0;
}

void asking_destroy(asking *a)
{
    if (a == NULL)
        return;
    pthread_cond_destroy(&a->comes);
    pthread_mutex_destroy(&a->lock);
    free(a->workers);
    free(a);
}
