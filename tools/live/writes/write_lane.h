/* Requests that change something: queued in lanes, some of a lane under way at a time, repeated as
 * their owner says, and none handed over after the lease's deadline.
 *
 * The life of a task: idle -> put -> queued -> sent -> idle, where `answered` is called, which puts
 * it again, has it wait (again), or frees it.
 *
 * Threads: the network loop's. */
#ifndef BERTH_LIVE_WRITE_LANE_H
#define BERTH_LIVE_WRITE_LANE_H

#include "live/transport/transport.h"

typedef struct write_lane write_lane;
typedef struct write_task write_task;

/* What all lanes go through. */
typedef struct write_gate {
    const live_transport *transport;
    int64_t fence_ns;   /* of now(): the lease's deadline; LIVE_NEVER: there is no election */
    double rate, burst; /* requests a second, and at once; rate 0: no limit */
    double tokens;      /* below 0: borrowed from the time to come */
    int64_t filled_ns;  /* when they were counted */
    write_lane *lanes;  /* all of them */
} write_gate;

/* Owner: the fields are their owner's, but for those of the lane. */
struct write_task {
    const char *method, *content_type; /* literals; content_type NULL: no body */
    char *path, *body;                 /* of the heap; freed by write_task_clear */
    void (*answered)(write_task *task, const live_answer *answer);
    int64_t sent_ns; /* the last try's */
    unsigned tries;  /* sent so often */
    /* the lane's */
    write_lane *lane;
    write_task *before, *next; /* in the queue */
    live_id request, timer;
    bool queued;
};

struct write_lane {
    write_gate *gate;
    live_connection connection;
    const char *name;  /* "create pods/binding": the rule that allows it, for the log */
    size_t limit;      /* under way at a time */
    write_lane *after; /* begin nothing while that one has queued tasks; NULL: never mind */
    bool ends;         /* begin nothing that has not been tried before */
    bool denied;       /* the server's last word was 401 or 403 */
    size_t queued, sent, waiting;
    uint64_t asked;   /* requests ever sent */
    uint64_t refused; /* of those, answered 429 */
    write_task *first, *last;
    write_lane *next; /* of the gate */
    live_id timer;    /* until the rate allows for more */
};

enum { WRITE_TIMEOUT_S = 40 };

/* Owner: the lane lies where it is until write_lane_close. */
void write_lane_open(write_lane *lane, write_gate *gate, live_connection connection, size_t limit,
                     const char *name);
/* Forget the timer; tasks are their owners'. */
void write_lane_close(write_lane *lane);

/* Send it when there is room; `first`: before all that is queued. */
void write_lane_put(write_lane *lane, write_task *task, bool first);

/* Send what may be sent. Call it when the limit or the fence has changed. */
void write_lane_pump(write_lane *lane);

/* Put an idle task back, ahead of others, in `delay_ns`. */
void write_task_again(write_task *task, int64_t delay_ns);

/* Take it out of its lane, wherever it is; a request under way is cut off. */
void write_task_drop(write_task *task);

/* The same, and free its texts. */
void write_task_clear(write_task *task);

bool write_task_is_sent(const write_task *task);

/* The fence has moved: renewed, or 0, which stops all. */
void write_gate_fence(write_gate *gate, int64_t fence_ns);

/* Nothing is queued, under way or waiting to be repeated, in any lane. */
bool write_gate_is_idle(const write_gate *gate);

/* `first_ns` doubled with each try after the first, up to `max_ns`, times 1 to 1.2 at random. */
int64_t write_backoff(const write_gate *gate, unsigned tries, int64_t first_ns, int64_t max_ns);

/* ---- what an answer means ---- */

typedef enum write_result {
    WRITE_DONE = 0, /* 2xx */
    WRITE_GONE,     /* 404 */
    WRITE_CONFLICT, /* 409 */
    WRITE_BAD,      /* another 4xx: it will never be taken */
    WRITE_DENIED,   /* 401, 403: not done; perhaps later */
    WRITE_LATER,    /* 429, or not sent: not done; try again */
    WRITE_ERROR,    /* 500, 503: answered, so that nothing of it is to come */
    WRITE_UNSURE,   /* no answer, 502, 504: it may be done, or be done yet */
} write_result;

write_result write_result_of(const live_answer *answer);

#endif
