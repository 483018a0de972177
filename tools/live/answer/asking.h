/* Questions and the threads that answer them, with a limit for each client and a time for each
 * answer.
 *
 *   come -> wait in order -> a thread answers -> settled (live/serving/question.h)
 *     |         |                 +- the time is up: its cancel flag is set, 504
 *     |         +- the time is up: 504, without a thread's work
 *     +- too many of this client: 429; too many in all: 503
 *
 * A question for changes (/v1/changes) waits apart, without a thread, until the copy has another
 * version than the one that the client names (Last-Event-ID), and is answered by one server-sent
 * event. A browser then asks again by itself, a second later.
 *
 * Threads: asking_look and the life are the loop's; the rule is the server's; answers are made on
 * the threads of this room.
 *   ASKING-1  One lock guards the waiting questions and those that threads are answering. A thread
 * owns a question
 *             from the moment it takes it off the list until it settles it.
 *   ASKING-2  A thread's cancel flag is cleared by that thread before it takes a question, and set
 *             under the lock while it has one. */
#ifndef BERTH_LIVE_ASKING_H
#define BERTH_LIVE_ASKING_H

#include "live/answer/answers.h"
#include "live/serving/metrics.h"

typedef struct asking asking;

typedef struct asking_options {
    answer_world world;
    metrics *metrics;
    uint32_t threads;
    uint32_t of_client;  /* questions of one client at a time */
    uint32_t waiting;    /* questions that wait, of all clients; as many for changes */
    int64_t time_ns;     /* for one answer, waiting included */
    size_t manifest_max; /* bytes */
} asking_options;

/* Errors: BERTH_E_IO (no thread can be started). Owner: what `options` point to outlives it. */
berth_status asking_create(const asking_options *options, asking **out, berth_error *error);

/* The rule for the server. */
question_rule asking_rule(asking *a);

/* End answers whose time is up. Call it several times a second. */
void asking_look(asking *a);

/* Refuse waiting and new questions, cancel those that are being answered, and wait for the threads.
 * Call it before the server stops. Accepts NULL, as asking_destroy does. */
void asking_stop(asking *a);
void asking_destroy(asking *a);

#endif
