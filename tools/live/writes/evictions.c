/* Each victim is a task: a patch, then a delete. */
#include "live/writes/evictions.h"

#include <stdlib.h>
#include <string.h>

#include "cli/heap.h"
#include "live/log/log.h"

static const int64_t first_backoff_ns = 50000000, last_backoff_ns = INT64_C(5000000000);
static const int64_t look_again_ns = 5000000;

enum { IN_FLIGHT = 8 };

typedef struct eviction {
    write_task task; /* must be first: task and eviction are cast to each other */
    evictions *all;
    struct eviction *before, *next;
    write_pod *victim, *preemptor;
    char *node;
    int64_t began_ns; /* when the first eviction for the preemptor was put */
    bool any_failed;  /* of earlier ones for the preemptor */
    live_id timer;    /* set until the next check whether the victim may be deleted */
} eviction;

struct evictions {
    write_lane lane;
    bool observed_generation;
    eviction_ready_fn ready;
    eviction_settled_fn settled;
    void *context;
    eviction *first;
    size_t count;
};

evictions *evictions_create(write_gate *gate, bool observed_generation, eviction_ready_fn ready,
                            eviction_settled_fn settled, void *context)
{
    evictions *e = heap_new(1, sizeof(*e));
    write_lane_open(&e->lane, gate, LIVE_WRITES, IN_FLIGHT, "delete pods");
    e->observed_generation = observed_generation;
    e->ready = ready;
    e->settled = settled;
    e->context = context;
    return e;
}

static void free_eviction(eviction *x)
{
    live_timer_stop(x->all->lane.gate->transport, x->timer);
    write_task_clear(&x->task);
    free(x->victim);
    free(x->preemptor);
    free(x->node);
    free(x);
}

/* Unlinks the eviction and cancels its requests. */
static void take_out(eviction *x)
{
    evictions *e = x->all;
    write_task_drop(&x->task);
    *(x->before != NULL ? &x->before->next : &e->first) = x->next;
    if (x->next != NULL)
        x->next->before = x->before;
    e->count--;
}

static void remove_eviction(eviction *x)
{
    take_out(x);
    free_eviction(x);
}

void evictions_destroy(evictions *e)
{
    if (e == NULL)
        return;
    for (eviction *x = e->first, *next; x != NULL; x = next) {
        next = x->next;
        free_eviction(x);
    }
    write_lane_close(&e->lane);
    free(e);
}

static bool is_pod(const write_pod *pod, berth_str namespace_name, berth_str name, berth_str uid)
{
    return write_str_equal(pod->uid, uid) && write_str_equal(pod->name, name) &&
           write_str_equal(pod->namespace_name, namespace_name);
}

/* An eviction for the same preemptor that is still in the list, or NULL. */
static eviction *another_for(const evictions *e, const write_pod *preemptor)
{
    eviction *x = e->first;
    while (x != NULL &&
           !is_pod(x->preemptor, preemptor->namespace_name, preemptor->name, preemptor->uid))
        x = x->next;
    return x;
}

/* The callback may request the same eviction again at once. */
static void settle(eviction *x, bool deleted, const char *why)
{
    evictions *e = x->all;
    take_out(x);
    eviction *other = another_for(e, x->preemptor);
    bool any_failed = x->any_failed || why != NULL;
    if (other != NULL)
        other->any_failed = other->any_failed || any_failed;
    const eviction_outcome outcome = {.victim = x->victim,
                                      .preemptor = x->preemptor,
                                      .node = write_str(x->node),
                                      .deleted = deleted,
                                      .failed = why != NULL,
                                      .why = why != NULL ? why : "",
                                      .over = other == NULL,
                                      .all_good = !any_failed,
                                      .took_ns = live_now(e->lane.gate->transport) - x->began_ns};
    e->settled(e->context, &outcome);
    free_eviction(x);
}

/* The server checks the uid with every attempt, so another pod of that name is never deleted. */
static char *delete_body(const write_pod *victim)
{
    return write_json_text(json_pack("{ss ss s{so}}", "kind", "DeleteOptions", "apiVersion", "v1",
                                     "preconditions", "uid", write_json_str(victim->uid)));
}

static void bad(eviction *x, const live_answer *answer)
{
    server_status status;
    server_status_read(&status, answer->body);
    LOG_ERROR("the API server does not take an eviction", "message", status.message);
    settle(x, false, status.message);
}

static void try_again(eviction *x, const live_answer *answer)
{
    if (x->all->lane.ends)
        remove_eviction(x);
    else
        write_task_retry(&x->task, answer, x->task.tries, first_backoff_ns, last_backoff_ns);
}

static void on_deleted(write_task *task, const live_answer *answer)
{
    eviction *x = (eviction *)task;
    switch (write_result_of(answer)) {
    case WRITE_DONE:
        settle(x, true, NULL);
        break;
    case WRITE_GONE:
    case WRITE_CONFLICT: /* another pod of that name */
        settle(x, false, NULL);
        break;
    case WRITE_BAD:
        bad(x, answer);
        break;
    default:
        try_again(x, answer);
    }
}

static void delete_when_ready(void *context)
{
    eviction *x = context;
    evictions *e = x->all;
    const live_transport *transport = e->lane.gate->transport;
    x->timer = 0;
    if (e->ready != NULL && !e->ready(e->context, x->preemptor))
        x->timer =
            live_timer_set(transport, live_now(transport) + look_again_ns, delete_when_ready, x);
    else
        write_lane_put(&e->lane, &x->task, true);
}

static void begin_deleting(eviction *x)
{
    if (x->all->lane.ends) {
        remove_eviction(x);
        return;
    }
    free(x->task.path);
    free(x->task.body);
    x->task.method = "DELETE";
    x->task.content_type = "application/json";
    x->task.path = write_path("/api/v1/namespaces/%.*s/pods/%.*s",
                              WRITE_ARG(x->victim->namespace_name), WRITE_ARG(x->victim->name));
    x->task.body = delete_body(x->victim);
    x->task.answered = on_deleted;
    x->task.tries = 0;
    delete_when_ready(x);
}

static void on_patched(write_task *task, const live_answer *answer)
{
    eviction *x = (eviction *)task;
    switch (write_result_of(answer)) {
    case WRITE_DONE:
        begin_deleting(x);
        break;
    case WRITE_GONE:
        settle(x, false, NULL);
        break;
    case WRITE_BAD:
        if (answer->status == 422)
            settle(x, false, NULL); /* another pod of that name */
        else
            bad(x, answer);
        break;
    default:
        try_again(x, answer);
    }
}

static char *patch_body(const evictions *e, const write_pod *victim, const write_pod *preemptor)
{
    char now[WRITE_TIME_BYTES];
    write_time(now, live_wall(e->lane.gate->transport));
    char *message =
        write_path("%.*s: preempting to accommodate a higher priority %s",
                   WRITE_ARG(preemptor->scheduler_name), write_preemptor_type(preemptor));
    json_t *condition = json_pack("{sn ss ss ss ss ss}", "lastProbeTime", "lastTransitionTime", now,
                                  "message", message, "reason", "PreemptionByScheduler", "status",
                                  "True", "type", "DisruptionTarget");
    free(message);
    if (e->observed_generation && victim->generation > 0)
        json_object_set_new(condition, "observedGeneration", json_integer(victim->generation));
    return write_json_text(json_pack("{s{so} s{s[o]}}", "metadata", "uid",
                                     write_json_str(victim->uid), "status", "conditions",
                                     condition));
}

void evictions_put(evictions *e, const write_pod *victim, const write_pod *preemptor,
                   berth_str node)
{
    for (const eviction *x = e->first; x != NULL; x = x->next)
        if (is_pod(x->victim, victim->namespace_name, victim->name, victim->uid))
            return;
    eviction *x = heap_new(1, sizeof(*x));
    x->all = e;
    x->victim = write_pod_copy(victim);
    x->preemptor = write_pod_copy(preemptor);
    const eviction *other = another_for(e, preemptor);
    x->began_ns = other != NULL ? other->began_ns : live_now(e->lane.gate->transport);
    x->node = heap_text(node.data, node.len);
    x->task =
        (write_task){.method = "PATCH",
                     .content_type = "application/strategic-merge-patch+json",
                     .path = write_path("/api/v1/namespaces/%.*s/pods/%.*s/status",
                                        WRITE_ARG(victim->namespace_name), WRITE_ARG(victim->name)),
                     .body = patch_body(e, victim, preemptor),
                     .answered = on_patched};
    x->next = e->first;
    if (e->first != NULL)
        e->first->before = x;
    e->first = x;
    e->count++;
    write_lane_put(&e->lane, &x->task, false);
}

void evictions_pod_gone(evictions *e, berth_str namespace_name, berth_str name, berth_str uid)
{
    eviction *next;
    for (eviction *x = e->first; x != NULL; x = next) {
        next = x->next;
        if (is_pod(x->preemptor, namespace_name, name, uid))
            settle(x, false, "who needs the room is gone");
        else if (is_pod(x->victim, namespace_name, name, uid) && !write_task_is_sent(&x->task))
            settle(x, false, NULL);
    }
}

void evictions_pod_placed(evictions *e, const write_pod *pod)
{
    eviction *next;
    for (eviction *x = e->first; x != NULL; x = next) {
        next = x->next;
        if (is_pod(x->preemptor, pod->namespace_name, pod->name, pod->uid) &&
            !write_task_is_sent(&x->task))
            settle(x, false, "who needs the room has a node");
    }
}

void evictions_end(evictions *e)
{
    eviction *next;
    e->lane.ends = true;
    for (eviction *x = e->first; x != NULL; x = next) {
        next = x->next;
        if (!write_task_is_sent(&x->task))
            remove_eviction(x);
    }
}

size_t evictions_count(const evictions *e)
{
    return e->count;
}

bool evictions_denied(const evictions *e)
{
    return e->lane.denied;
}
