/* Questions: requests whose answers take a while, so that other threads make them. Like a request
 * that waits for its permission, a waiting question is suspended, and others are served meanwhile.
 *   QUESTION-1  The answer is written before the connection is resumed, and read after that.
 *   QUESTION-2  A server that stops may handle a request again although its answer was handed over,
 *               or never handle it again: the answer's text has one owner at any time.
 *
 * Threads: the server's, except question_settle, and functions that read a waiting question. */
#ifndef BERTH_LIVE_QUESTION_H
#define BERTH_LIVE_QUESTION_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "live/serving/debug_pages.h"

typedef struct question {
    struct MHD_Connection *connection;
    const char *method, *path; /* valid while the question waits */
    char *body;                /* terminated; NULL: none */
    size_t length, capacity;
    bool is_too_long;   /* the part beyond the limit was dropped */
    uint8_t client[16]; /* its address, as in open_connection */
    bool asked;
    debug_page answer;
    unsigned retry_s;      /* the answer's Retry-After; 0: none */
    struct question *next; /* of the answerer's lists */
    int64_t since_ns;      /* set by the answerer, like `seen` */
    uint64_t seen;         /* the version of the cluster that the client knows */
} question;

/* Who answers. */
typedef struct question_rule {
    /* Whether a path is that of a question. NULL: none is. */
    bool (*takes)(void *context, const char *path);
    /* Answer by question_settle, once, on any thread. */
    void (*ask)(void *context, question *q);
    void *context;
    size_t body_max; /* bytes */
} question_rule;

/* Take a piece of the body. */
void question_body(question *q, const question_rule *rule, const char *bytes, size_t count);

/* Whether the answer is there; if not, the request is suspended, and handled again later. */
bool question_is_answered(question *q, const question_rule *rule, struct MHD_Connection *connection,
                          const char *method, const char *path);

/* The value of "?name=value"; NULL: absent. */
const char *question_argument(const question *q, const char *name);

/* Call `each` with every value of "?name=value&name=value", in order. */
void question_arguments(const question *q, const char *name,
                        void (*each)(void *context, const char *value), void *context);

/* The value of a header; NULL: absent. */
const char *question_header(const question *q, const char *name);

/* Take the answer; what is left has no text. Owner: the caller frees the text. */
debug_page question_take_answer(question *q);

/* Answer. Owner: takes over the text. Threads: any. */
void question_settle(question *q, const debug_page *answer, unsigned retry_s);

/* Free what it holds, with an answer that nobody took. */
void question_free(question *q);

#endif
