/* Finds out who a client of our server is, and whether it may have a page. The API server answers
 * both questions: a TokenReview says whose token it is, a SubjectAccessReview whether that user may
 * use a path. kube-scheduler asks the same (its options --authentication-... and
 * --authorization-...).
 *
 *   client                             user
 *   shows a valid certificate          its common name, its organizations as groups
 *   shows a token                      as TokenReview says; 401 if it says nothing
 *   shows neither                      system:anonymous, group system:unauthenticated
 *
 *   path                               answer
 *   always allowed                     open to everyone, without a question
 *   any, for group system:masters      open
 *   any other                          as SubjectAccessReview says: open, or 403
 *
 * Answers are kept for a while (review_options), tokens as hashes. Unknown clients can cause
 * reviews, so at most REVIEWS_WAITING questions wait, each for at most ten seconds, and at most
 * REVIEWS_A_SECOND reviews a second are sent. Beyond that, the answer is 429.
 * Source: k8s.io/apiserver v0.37, plugin/pkg/authenticator/token/webhook, plugin/pkg/authorizer/
 * webhook, pkg/endpoints/handlers/responsewriters.
 *
 * Threads: the loop's, except reviews_ask and reviews_is_open.
 *   REVIEWS-1 New questions are in a list under a lock until the loop, once woken, takes them.
 *   REVIEWS-2  Each question is answered once: by the loop, or by reviews_ask itself once
 *              reviews_stop has set `stopped` under the lock. From then on, nothing is added to the
 * list. */
#ifndef BERTH_LIVE_REVIEWS_H
#define BERTH_LIVE_REVIEWS_H

#include "live/transport/transport.h"

enum {
    REVIEWS_WAITING = 16,   /* fewer than the server's connections, so that probes find room */
    REVIEWS_A_SECOND = 200, /* the same as in kube-scheduler */
    REVIEWS_BURST = 400,
    REVIEWS_KEPT_BYTES = 10000, /* what a user may do is not kept if its text is longer */
};

/* Times are in nanoseconds; 0: ten seconds, the default of kube-scheduler; below 0: not at all. */
typedef struct review_options {
    const live_transport *authentication, *authorization; /* to whom reviews are sent */
    int64_t token_ns;                                     /* how long a token's user is kept, */
    int64_t allowed_ns, denied_ns;                        /* and what it may do */
    /* "/healthz,/metrics*": exact paths, or (with *) all paths with this beginning; the first slash
     * may be missing. NULL: the default of kube-scheduler, /healthz, /readyz and /livez. */
    const char *always_allowed;
    void (*wake)(void *context); /* make the loop call reviews_turn. Threads: any */
    void *context;
} review_options;

/* A client's credentials, and what it requests. */
typedef struct review_question {
    const char *token;         /* NULL: none */
    const char *user;          /* of a valid certificate; NULL: none */
    const char *const *groups; /* of that user, ended by NULL */
    const char *verb;          /* "get" */
    const char *path;          /* "/metrics" */
} review_question;

/* 200: the client may have the page. Otherwise what to answer: 400, 401, 403, 429, 500 or 503.
 * Owner: borrowed until the callback returns. */
typedef struct review_verdict {
    int status;
    const char *message;
} review_verdict;

/* Threads: the loop's, or that of reviews_ask, from within it. */
typedef void (*review_done_fn)(void *context, const review_verdict *verdict);

typedef struct reviews reviews;

reviews *reviews_create(const review_options *options);

/* Whether a path is always allowed. Threads: any. */
bool reviews_is_open(const reviews *r, const char *path);

/* Ask; `done` is called once. Owner: the question is copied. Threads: any. */
void reviews_ask(reviews *r, const review_question *question, review_done_fn done, void *context);

/* Take the new questions. */
void reviews_turn(reviews *r);

/* Answer 503 to all waiting and all later questions. */
void reviews_stop(reviews *r);

/* Call reviews_stop first, and no other function afterwards. Accepts NULL. */
void reviews_destroy(reviews *r);

#endif
