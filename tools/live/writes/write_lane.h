/* Requests that change something: queued in lanes, with a limited number in progress per lane,
 * repeated as their owner decides, and none handed over after the lease's deadline.
 *
 * The life of a task: idle -> put -> queued -> sent -> idle. Then `answered` is called, which puts
 * the task again, lets it wait (again), or frees it.
 *
 * Threads: the network loop's. */
#ifndef BERTH_LIVE_WRITE_LANE_H
#define BERTH_LIVE_WRITE_LANE_H

#include "live/transport/transport.h"

typedef struct write_lane write_lane;
typedef struct write_task write_task;

/* The gate that all lanes share. */
typedef struct write_gate {
    const live_transport *transport;
    int64_t fence_ns;   /* by now(): the lease's deadline; LIVE_NEVER: no election */
    double rate, burst; /* requests per second, and in a burst; rate 0: no limit */
    double tokens;      /* below 0: borrowed from the future */
    int64_t filled_ns;  /* when the tokens were counted */
    write_lane *lanes;  /* all of them */
    /* a write is sent after waiting so long for the rate limit; may be NULL */
    void (*limited)(void *context, const char *method, int64_t waited_ns);
    void *context;
} write_gate;

/* Owner: the fields belong to the task's owner, except those of the lane. */
struct write_task {
    const char *method, *content_type; /* literals; content_type NULL: no body */
    char *path, *body;                 /* on the heap; freed by write_task_clear */
    void (*answered)(write_task *task, const live_answer *answer);
    int64_t sent_ns; /* time of the last try */
    unsigned tries;  /* number of tries */
    /* the lane's fields */
    write_lane *lane;
    write_task *before, *next; /* in the queue */
    live_id request, timer;
    bool queued;
};

struct write_lane {
    write_gate *gate;
    live_connection connection;
    const char *name;   /* "create pods/binding": the rule that allows it, for the log */
    size_t limit;       /* largest number in progress */
    int64_t timeout_ns; /* of a request; WRITE_TIMEOUT_S unless changed after opening */
    write_lane *after;  /* begin nothing while this lane has queued tasks; may be NULL */
    bool ends;          /* begin only tasks that have been tried before */
    bool denied;        /* the last answer was 401 or 403 */
    size_t queued, sent, waiting;
    uint64_t asked;   /* requests sent so far */
    uint64_t refused; /* how many were answered with 429 */
    write_task *first, *last;
    write_lane *next;   /* next lane of the gate */
    live_id timer;      /* until the rate allows more */
    int64_t limited_ns; /* when the rate began to hold up the first task; 0: it does not */
};

enum { WRITE_TIMEOUT_S = 40 };

/* Owner: the lane must not move until write_lane_close. */
void write_lane_open(write_lane *lane, write_gate *gate, live_connection connection, size_t limit,
                     const char *name);
/* Cancel the timer; tasks belong to their owners. */
void write_lane_close(write_lane *lane);

/* Send a task when there is room; `first`: before all queued tasks. */
void write_lane_put(write_lane *lane, write_task *task, bool first);

/* Send the tasks that may be sent. Call this when the limit or the fence has changed. */
void write_lane_pump(write_lane *lane);

/* Queue an idle task again after `delay_ns`, ahead of others. */
void write_task_again(write_task *task, int64_t delay_ns);

/* Remove a task from its lane; a request in progress is cancelled. */
void write_task_drop(write_task *task);

/* The same, and free its texts. */
void write_task_clear(write_task *task);

bool write_task_is_sent(const write_task *task);

/* Move the fence: to the renewed deadline, or to 0, which stops everything. */
void write_gate_fence(write_gate *gate, int64_t fence_ns);

/* Whether no lane has a task that is queued, in progress or waiting to be repeated. */
bool write_gate_is_idle(const write_gate *gate);

/* `delay_ns` times a random factor from 1 to 1.2. */
int64_t write_delay(const write_gate *gate, int64_t delay_ns);

/* write_delay of `first_ns`, doubled with each try after the first, up to `max_ns`. */
int64_t write_backoff(const write_gate *gate, unsigned tries, int64_t first_ns, int64_t max_ns);

/* Repeat a task after write_backoff, but not before the answer's Retry-After. */
void write_task_retry(write_task *task, const live_answer *answer, unsigned tries, int64_t first_ns,
                      int64_t max_ns);

/* ---- the meaning of answers ---- */

typedef enum write_result {
    WRITE_DONE = 0, /* 2xx */
    WRITE_GONE,     /* 404 */
    WRITE_CONFLICT, /* 409 */
    WRITE_BAD,      /* another 4xx: never accepted */
    WRITE_DENIED,   /* 401, 403: not done; may be allowed later */
    WRITE_LATER,    /* 429, or not sent: not done; try again */
    WRITE_ERROR,    /* 500, 503: answered, so it will not take effect later */
    WRITE_UNSURE,   /* no answer, 502, 504: it may be done, or may still be */
} write_result;

write_result write_result_of(const live_answer *answer);

#endif
