#include "live/reviews/reviews.h"

#include <gnutls/crypto.h>
#include <jansson.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"
#include "live/log/log.h"
#include "live/reviews/expiring_cache.h"

static const int64_t second_ns = 1000000000;
enum { KEPT_SECONDS = 10, ANSWER_SECONDS = 10, HASH_BYTES = 32 };

/* One question on its way to an answer. */
typedef struct review {
    struct review *next, *before; /* `before`: only among the running ones */
    reviews *owner;
    char *token, *verb, *path;
    char key[2 * HASH_BYTES + 1]; /* the token's hash */
    json_t *user;                 /* from a certificate, or anonymous; NULL: see the token */
    json_t *spec;                 /* of the SubjectAccessReview */
    char *access;                 /* the same as text: the key of what the user may do */
    live_id request, timer;       /* the timer ends the review, whatever it waits for */
    review_done_fn done;
    void *context;
} review;

struct reviews {
    review_options options;
    pthread_mutex_t lock;
    review *asked;    /* under the lock, the latest first */
    uint32_t waiting; /* under the lock: questions without an answer */
    bool stopped;     /* under the lock */
    review *running;
    expiring_cache users;  /* by hash of a token: a user, or null */
    expiring_cache access; /* by spec: true, or the reason of a refusal */
    double room;           /* reviews that may be sent now */
    int64_t room_ns;       /* when that was */
};

/* ---- one review ---- */

static void free_review(review *v)
{
    if (v->token != NULL)
        gnutls_memset(v->token, 0, strlen(v->token));
    free(v->token);
    free(v->verb);
    free(v->path);
    free(v->access);
    json_decref(v->user);
    json_decref(v->spec);
    free(v);
}

static char *copy_of(const char *text)
{
    return text != NULL ? heap_text(text, strlen(text)) : NULL;
}

static void answer_and_free(review *v, int status, const char *message)
{
    const review_verdict verdict = {status, message};
    v->done(v->context, &verdict);
    free_review(v);
}

static void finish(review *v, int status, const char *message)
{
    reviews *r = v->owner;
    if (v->before != NULL)
        v->before->next = v->next;
    else
        r->running = v->next;
    if (v->next != NULL)
        v->next->before = v->before;
    live_timer_stop(r->options.authentication, v->timer);
    pthread_mutex_lock(&r->lock);
    r->waiting--;
    pthread_mutex_unlock(&r->lock);
    answer_and_free(v, status, message);
}

static int64_t kept_ns(int64_t option_ns)
{
    return option_ns == 0 ? KEPT_SECONDS * second_ns : option_ns;
}

/* ---- what a user may do ---- */

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text != NULL ? text : "";
}

/* A refusal in the words of the API server. */
static void refuse(review *v, const char *reason)
{
    char message[1024];
    snprintf(message, sizeof(message), "forbidden: User \"%s\" cannot %s path \"%s\"%s%s",
             text_of(v->spec, "user"), v->verb, v->path, reason[0] != '\0' ? ": " : "", reason);
    finish(v, 403, message);
}

static void take_access(review *v, const json_t *access)
{
    if (json_is_true(access))
        finish(v, 200, "");
    else
        refuse(v, json_string_value(access));
}

/* What went wrong with a request, for the log and the client. */
static void describe(const live_answer *answer, char *out, size_t size)
{
    if (answer->outcome == LIVE_ANSWERED)
        snprintf(out, size, "the API server answers %d", answer->status);
    else
        snprintf(out, size, "%s", answer->why);
}

/* The status of a review that was made; NULL: there is none. The caller releases `*root`. */
static const json_t *status_of(const live_answer *answer, json_t **root)
{
    *root = NULL;
    if (answer->outcome == LIVE_ANSWERED && (answer->status == 200 || answer->status == 201))
        *root = json_loadb(answer->body.data, answer->body.len, 0, NULL);
    return json_object_get(*root, "status");
}

static void fail_access(review *v, const char *why)
{
    char message[700];
    LOG_WARNING("a SubjectAccessReview failed, so a page was not served", "path", v->path, "error",
                why);
    snprintf(message, sizeof(message), "Internal Server Error: \"%s\": %s", v->path, why);
    finish(v, 500, message);
}

static void fail_user(review *v, const char *why)
{
    LOG_WARNING("a TokenReview failed, so a page was not served", "path", v->path, "error", why);
    finish(v, 401, "Unauthorized");
}

static void on_access(void *context, const live_answer *answer)
{
    review *v = context;
    reviews *r = v->owner;
    json_t *root;
    const json_t *status = status_of(answer, &root);
    const json_t *allowed = json_object_get(status, "allowed");
    if (!json_is_boolean(allowed)) {
        char why[300];
        describe(answer, why, sizeof(why));
        json_decref(root);
        fail_access(v, why);
        return;
    }
    const int64_t now_ns = live_now(r->options.authorization);
    const bool may = json_is_true(allowed);
    const int64_t for_ns = kept_ns(may ? r->options.allowed_ns : r->options.denied_ns);
    json_t *access = may ? json_true() : json_string(text_of(status, "reason"));
    if (strlen(v->access) <= REVIEWS_KEPT_BYTES)
        expiring_cache_keep(&r->access, v->access, json_incref(access), now_ns, now_ns + for_ns);
    take_access(v, access);
    json_decref(access);
    json_decref(root);
}

/* Whether another review may be sent now. */
static bool has_room(reviews *r)
{
    const int64_t now_ns = live_now(r->options.authentication);
    r->room += (double)(now_ns - r->room_ns) * REVIEWS_A_SECOND / (double)second_ns;
    r->room_ns = now_ns;
    if (r->room > REVIEWS_BURST)
        r->room = REVIEWS_BURST;
    if (r->room < 1)
        return false;
    r->room -= 1;
    return true;
}

/* Post a review, or end it if there are too many. Owner: takes `spec`. */
static void post(review *v, const live_transport *transport, const char *group, const char *kind,
                 const char *resource, json_t *spec, live_done_fn done)
{
    char path[120], version[80];
    if (!has_room(v->owner)) {
        json_decref(spec);
        finish(v, 429, "429 too many requests");
        return;
    }
    snprintf(path, sizeof(path), "/apis/%s/v1/%s", group, resource);
    snprintf(version, sizeof(version), "%s/v1", group);
    json_t *object =
        json_pack("{s:s, s:s, s:o}", "apiVersion", version, "kind", kind, "spec", spec);
    char *body = json_dumps(object, JSON_COMPACT);
    v->request = live_send(transport, &(live_request){.connection = LIVE_WRITES,
                                                      .method = "POST",
                                                      .path = path,
                                                      .content_type = "application/json",
                                                      .body = {body, (uint32_t)strlen(body)},
                                                      .timeout_ns = ANSWER_SECONDS * second_ns,
                                                      .done = done,
                                                      .context = v});
    gnutls_memset(body, 0, strlen(body));
    free(body);
    json_decref(object);
    v->owner->options.wake(v->owner->options.context); /* the transport sends in the next turn */
}

static bool is_master(const json_t *user)
{
    size_t i;
    const json_t *group;
    json_array_foreach(json_object_get(user, "groups"), i, group)
    {
        if (json_is_string(group) && strcmp(json_string_value(group), "system:masters") == 0)
            return true;
    }
    return false;
}

/* Ask what a user may do: {"username", "uid", "groups", "extra"}. */
static void authorize(review *v, const json_t *user)
{
    static const char *const optional[] = {"uid", "groups", "extra"};
    reviews *r = v->owner;
    if (is_master(user)) {
        finish(v, 200, "");
        return;
    }
    v->spec = json_pack("{s:s, s:{s:s, s:s}}", "user", text_of(user, "username"),
                        "nonResourceAttributes", "path", v->path, "verb", v->verb);
    for (size_t i = 0; i < sizeof(optional) / sizeof(optional[0]); i++) {
        json_t *value = json_object_get(user, optional[i]);
        if (value != NULL)
            json_object_set(v->spec, optional[i], value);
    }
    v->access = json_dumps(v->spec, JSON_COMPACT | JSON_SORT_KEYS);
    if (v->access == NULL) {
        finish(v, 400, "400 the path is not in UTF-8");
        return;
    }
    const json_t *known =
        expiring_cache_find(&r->access, v->access, live_now(r->options.authorization));
    if (known != NULL)
        take_access(v, known);
    else
        post(v, r->options.authorization, "authorization.k8s.io", "SubjectAccessReview",
             "subjectaccessreviews", json_incref(v->spec), on_access);
}

/* ---- who a client is ---- */

/* `user`: JSON null if the token belongs to nobody. */
static void take_user(review *v, const json_t *user)
{
    if (json_is_object(user))
        authorize(v, user);
    else
        finish(v, 401, "Unauthorized");
}

static void on_user(void *context, const live_answer *answer)
{
    review *v = context;
    reviews *r = v->owner;
    json_t *root, *user = NULL;
    const json_t *status = status_of(answer, &root);
    if (status == NULL) {
        char why[300];
        describe(answer, why, sizeof(why));
        fail_user(v, why);
    } else {
        const int64_t now_ns = live_now(r->options.authentication);
        if (json_is_true(json_object_get(status, "authenticated")))
            user = json_incref(json_object_get(status, "user"));
        if (user == NULL)
            user = json_null();
        expiring_cache_keep(&r->users, v->key, json_incref(user), now_ns,
                            now_ns + kept_ns(r->options.token_ns));
        take_user(v, user);
        json_decref(user);
    }
    json_decref(root);
}

static bool hash_token(review *v)
{
    unsigned char hash[HASH_BYTES];
    if (gnutls_hash_fast(GNUTLS_DIG_SHA256, v->token, strlen(v->token), hash) < 0)
        return false;
    for (int i = 0; i < HASH_BYTES; i++)
        snprintf(v->key + 2 * i, 3, "%02x", hash[i]);
    return true;
}

static void authenticate(review *v)
{
    reviews *r = v->owner;
    if (!hash_token(v)) {
        fail_user(v, "its hash can't be computed");
        return;
    }
    const json_t *known =
        expiring_cache_find(&r->users, v->key, live_now(r->options.authentication));
    json_t *token = json_string(v->token);
    if (known != NULL)
        take_user(v, known);
    else if (token == NULL)
        finish(v, 401, "Unauthorized"); /* not UTF-8 */
    else
        post(v, r->options.authentication, "authentication.k8s.io", "TokenReview", "tokenreviews",
             json_pack("{s:O}", "token", token), on_user);
    json_decref(token);
}

/* The user of a certificate, or the anonymous one. NULL: a token identifies the user, or the name
 * is not valid UTF-8. */
static json_t *user_of(const review_question *question)
{
    if (question->user != NULL) {
        json_t *groups = json_array();
        for (const char *const *group = question->groups; *group != NULL; group++)
            json_array_append_new(groups, json_string(*group));
        json_array_append_new(groups, json_string("system:authenticated"));
        return json_pack("{s:s, s:o}", "username", question->user, "groups", groups);
    }
    if (question->token != NULL)
        return NULL;
    return json_pack("{s:s, s:[s]}", "username", "system:anonymous", "groups",
                     "system:unauthenticated");
}

/* No answer in time: cancel what it waits for. */
static void on_timer(void *context)
{
    review *v = context;
    const review_options *options = &v->owner->options;
    live_cancel(v->spec != NULL ? options->authorization : options->authentication, v->request);
    if (v->spec != NULL)
        fail_access(v, "no answer in time");
    else
        fail_user(v, "no answer in time");
}

static void begin(review *v)
{
    reviews *r = v->owner;
    const live_transport *clock = r->options.authentication;
    v->timer = live_timer_set(clock, live_now(clock) + ANSWER_SECONDS * second_ns, on_timer, v);
    v->before = NULL;
    v->next = r->running;
    if (v->next != NULL)
        v->next->before = v;
    r->running = v;
    if (v->user != NULL)
        authorize(v, v->user);
    else if (v->token != NULL)
        authenticate(v);
    else
        finish(v, 401, "Unauthorized");
}

/* ---- public functions ---- */

reviews *reviews_create(const review_options *options)
{
    reviews *r = heap_new(1, sizeof(*r));
    r->options = *options;
    r->room = REVIEWS_BURST;
    r->room_ns = live_now(options->authentication);
    pthread_mutex_init(&r->lock, NULL);
    return r;
}

bool reviews_is_open(const reviews *r, const char *path)
{
    const char *list = r->options.always_allowed;
    if (list == NULL)
        list = "/healthz,/readyz,/livez";
    for (const char *at = list; *at != '\0';) {
        size_t length = strcspn(at, ",");
        const char *wanted = at + (at[0] == '/'), *asked = path + (path[0] == '/');
        const size_t left = length - (size_t)(wanted - at);
        const bool prefix = left > 0 && wanted[left - 1] == '*';
        const size_t fixed = prefix ? left - 1 : left;
        if (length > 0 && strncmp(wanted, asked, fixed) == 0 && (prefix || asked[fixed] == '\0'))
            return true;
        at += length + (at[length] == ',');
    }
    return false;
}

void reviews_ask(reviews *r, const review_question *question, review_done_fn done, void *context)
{
    review *v = heap_new(1, sizeof(*v));
    v->owner = r;
    v->verb = copy_of(question->verb);
    v->path = copy_of(question->path);
    v->user = user_of(question);
    v->token = question->user == NULL ? copy_of(question->token) : NULL;
    v->done = done;
    v->context = context;
    pthread_mutex_lock(&r->lock);
    const bool stopped = r->stopped, full = r->waiting == REVIEWS_WAITING;
    if (!stopped && !full) {
        v->next = r->asked;
        r->asked = v;
        r->waiting++;
    }
    pthread_mutex_unlock(&r->lock);
    if (stopped)
        answer_and_free(v, 503, "503 the scheduler is ending");
    else if (full)
        answer_and_free(v, 429, "429 too many requests");
    else
        r->options.wake(r->options.context);
}

static review *take_asked(reviews *r, bool stop)
{
    pthread_mutex_lock(&r->lock);
    review *asked = r->asked;
    r->asked = NULL;
    r->stopped = r->stopped || stop;
    pthread_mutex_unlock(&r->lock);
    return asked;
}

void reviews_turn(reviews *r)
{
    for (review *v = take_asked(r, false), *next; v != NULL; v = next) {
        next = v->next;
        begin(v);
    }
}

void reviews_stop(reviews *r)
{
    for (review *v = take_asked(r, true), *next; v != NULL; v = next) {
        next = v->next;
        answer_and_free(v, 503, "503 the scheduler is ending");
    }
    for (review *v = r->running, *next; v != NULL; v = next) {
        next = v->next;
        /* Cancel the request on the transport that sent it: each transport knows only its own ids.
         */
        live_cancel(v->spec != NULL ? r->options.authorization : r->options.authentication,
                    v->request);
        finish(v, 503, "503 the scheduler is ending");
    }
}

void reviews_destroy(reviews *r)
{
    if (r == NULL)
        return;
    expiring_cache_free(&r->users);
    expiring_cache_free(&r->access);
    pthread_mutex_destroy(&r->lock);
    free(r);
}
