/* Lists of tasks, and a pump that sends from the front of each. */
#include "live/writes/write_lane.h"

#include <stdlib.h>

#include "cli/exits.h"
#include "live/log/log.h"
#include "live/writes/write_json.h"

static const double second_ns = 1e9;

void write_lane_open(write_lane *lane, write_gate *gate, live_connection connection, size_t limit,
                     const char *name)
{
    write_lane **link = &gate->lanes; /* behind the lanes that it waits for */
    *lane = (write_lane){.gate = gate,
                         .connection = connection,
                         .limit = limit,
                         .timeout_ns = WRITE_TIMEOUT_S * (int64_t)second_ns,
                         .name = name};
    while (*link != NULL)
        link = &(*link)->next;
    *link = lane;
}

void write_lane_close(write_lane *lane)
{
    write_lane **link = &lane->gate->lanes;
    while (*link != lane)
        link = &(*link)->next;
    *link = lane->next;
    live_timer_stop(lane->gate->transport, lane->timer);
}

/* ---- the queue ---- */

static void enqueue(write_lane *lane, write_task *task, bool first)
{
    task->lane = lane;
    task->queued = true;
    task->before = first ? NULL : lane->last;
    task->next = first ? lane->first : NULL;
    *(task->before != NULL ? &task->before->next : &lane->first) = task;
    *(task->next != NULL ? &task->next->before : &lane->last) = task;
    lane->queued++;
}

static void dequeue(write_task *task)
{
    write_lane *lane = task->lane;
    *(task->before != NULL ? &task->before->next : &lane->first) = task->next;
    *(task->next != NULL ? &task->next->before : &lane->last) = task->before;
    task->queued = false;
    lane->queued--;
}

/* The first task that may be sent, or NULL. */
static write_task *next_task(const write_lane *lane)
{
    write_task *task = lane->first;
    while (lane->ends && task != NULL && task->tries == 0)
        task = task->next;
    return task;
}

/* ---- sending ---- */

/* Logs when the server's rules begin or cease to refuse a lane. */
static void note_denied(write_lane *lane, const live_answer *answer)
{
    bool denied = answer->status == 401 || answer->status == 403;
    if (lane->denied == denied)
        return;
    lane->denied = denied;
    if (denied) {
        server_status status;
        server_status_read(&status, answer->body);
        LOG_ERROR(answer->status == 403 ? "not allowed: the role lacks a rule"
                                        : "the API server does not accept our credentials",
                  "rule", lane->name, "message", status.message);
    } else {
        LOG_INFO(0, "the API server takes our writes again", "rule", lane->name);
    }
}

/* Later lanes may have waited for this one. */
static void pump_all(write_gate *gate)
{
    for (write_lane *lane = gate->lanes; lane != NULL; lane = lane->next)
        write_lane_pump(lane);
}

static void on_answer(void *context, const live_answer *answer)
{
    write_task *task = context;
    write_lane *lane = task->lane;
    lane->sent--;
    task->request = 0;
    if (answer->outcome == LIVE_ANSWERED) {
        note_denied(lane, answer);
        lane->refused += answer->status == 429;
    }
    task->answered(task, answer); /* may free the task */
    pump_all(lane->gate);
}

static void on_rate(void *context)
{
    write_lane *lane = context;
    lane->timer = 0;
    write_lane_pump(lane);
}

/* Takes one request from the rate limit. Returns false if none is left; then a timer is set. */
static bool take_token(write_lane *lane)
{
    write_gate *gate = lane->gate;
    int64_t now_ns = live_now(gate->transport);
    if (gate->rate <= 0)
        return true;
    if (gate->filled_ns == 0)
        gate->tokens = gate->burst;
    else
        gate->tokens += (double)(now_ns - gate->filled_ns) * gate->rate / second_ns;
    if (gate->tokens > gate->burst)
        gate->tokens = gate->burst;
    gate->filled_ns = now_ns;
    if (gate->tokens >= 1) {
        gate->tokens -= 1;
        return true;
    }
    if (lane->limited_ns == 0)
        lane->limited_ns = now_ns;
    if (lane->timer == 0) {
        int64_t wait_ns = (int64_t)((1 - gate->tokens) / gate->rate * second_ns) + 1;
        lane->timer = live_timer_set(gate->transport, now_ns + wait_ns, on_rate, lane);
    }
    return false;
}

static void note_limit(write_lane *lane, const write_task *task)
{
    const write_gate *gate = lane->gate;
    int64_t waited_ns = lane->limited_ns != 0 ? task->sent_ns - lane->limited_ns : 0;
    lane->limited_ns = 0;
    if (gate->limited != NULL)
        gate->limited(gate->context, task->method, waited_ns);
}

static void send_task(write_lane *lane, write_task *task)
{
    const live_transport *transport = lane->gate->transport;
    const live_request request = {
        .connection = lane->connection,
        .method = task->method,
        .path = task->path,
        .content_type = task->content_type,
        .body = write_str(task->content_type != NULL ? task->body : NULL),
        .timeout_ns = lane->timeout_ns,
        .not_after_ns = lane->gate->fence_ns == LIVE_NEVER ? 0 : lane->gate->fence_ns,
        .done = on_answer,
        .context = task,
    };
    dequeue(task);
    lane->sent++;
    lane->asked++;
    task->tries++;
    task->sent_ns = live_now(transport);
    note_limit(lane, task);
    task->request = live_send(transport, &request);
}

void write_lane_pump(write_lane *lane)
{
    const write_gate *gate = lane->gate;
    write_task *task;
    while (lane->sent < lane->limit && (lane->after == NULL || lane->after->queued == 0) &&
           live_now(gate->transport) < gate->fence_ns && (task = next_task(lane)) != NULL &&
           take_token(lane))
        send_task(lane, task);
}

void write_lane_put(write_lane *lane, write_task *task, bool first)
{
    enqueue(lane, task, first);
    write_lane_pump(lane);
}

static void on_again(void *context)
{
    write_task *task = context;
    task->timer = 0;
    task->lane->waiting--;
    write_lane_put(task->lane, task, true);
}

void write_task_again(write_task *task, int64_t delay_ns)
{
    const live_transport *transport = task->lane->gate->transport;
    task->lane->waiting++;
    task->timer = live_timer_set(transport, live_now(transport) + delay_ns, on_again, task);
}

void write_task_drop(write_task *task)
{
    write_lane *lane = task->lane;
    if (task->queued)
        dequeue(task);
    if (lane->first == NULL)
        lane->limited_ns = 0; /* the task that was waiting for the rate is gone */
    if (task->timer != 0) {
        live_timer_stop(lane->gate->transport, task->timer);
        lane->waiting--;
    }
    if (task->request != 0) {
        live_cancel(lane->gate->transport, task->request);
        lane->sent--;
    }
    task->timer = task->request = 0;
}

void write_task_clear(write_task *task)
{
    if (task->lane != NULL)
        write_task_drop(task);
    free(task->path);
    free(task->body);
    task->path = task->body = NULL;
}

bool write_task_is_sent(const write_task *task)
{
    return task->request != 0;
}

void write_gate_fence(write_gate *gate, int64_t fence_ns)
{
    gate->fence_ns = fence_ns;
    pump_all(gate);
}

bool write_gate_is_idle(const write_gate *gate)
{
    for (const write_lane *lane = gate->lanes; lane != NULL; lane = lane->next)
        if (lane->queued + lane->sent + lane->waiting > 0)
            return false;
    return true;
}

int64_t write_delay(const write_gate *gate, int64_t delay_ns)
{
    return delay_ns + (int64_t)(live_random(gate->transport) % (uint64_t)(delay_ns / 5 + 1));
}

int64_t write_backoff(const write_gate *gate, unsigned tries, int64_t first_ns, int64_t max_ns)
{
    int64_t delay_ns = first_ns;
    for (unsigned i = 1; i < tries && delay_ns < max_ns; i++)
        delay_ns *= 2;
    if (delay_ns > max_ns)
        delay_ns = max_ns;
    return write_delay(gate, delay_ns);
}

void write_task_retry(write_task *task, const live_answer *answer, unsigned tries, int64_t first_ns,
                      int64_t max_ns)
{
    const int64_t delay_ns = write_backoff(task->lane->gate, tries, first_ns, max_ns);
    write_task_again(task, answer->retry_after_ns > delay_ns ? answer->retry_after_ns : delay_ns);
}

write_result write_result_of(const live_answer *answer)
{
    if (answer->outcome != LIVE_ANSWERED)
        return answer->outcome == LIVE_NOT_SENT ? WRITE_LATER : WRITE_UNSURE;
    switch (answer->status) {
    case 401:
    case 403:
        return WRITE_DENIED;
    case 404:
        return WRITE_GONE;
    case 409:
        return WRITE_CONFLICT;
    case 429:
        return WRITE_LATER;
    case 500:
    case 503:
        return WRITE_ERROR;
    default:
        if (answer->status >= 200 && answer->status < 300)
            return WRITE_DONE;
        return answer->status >= 400 && answer->status < 500 ? WRITE_BAD : WRITE_UNSURE;
    }
}
