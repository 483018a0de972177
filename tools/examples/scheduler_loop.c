/* A scheduler: pods wait in a queue, are bound through callbacks, are woken by events that could
 * help them, and preempt. One thread schedules. Another one, which would watch the API server,
 * posts changes.
 *     cc scheduler_loop.c $(pkg-config --cflags --libs berth) -pthread */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <berth/berth.h>

#define NODE(name)                                             \
    "apiVersion: v1\nkind: Node\nmetadata: {name: " name "}\n" \
    "status: {allocatable: {cpu: '2', memory: 8Gi, pods: '10'}}\n---\n"
#define POD(name, cpu, priority)                                                                 \
    "apiVersion: v1\nkind: Pod\nmetadata: {name: " name "}\n"                                    \
    "spec: {priority: " priority ", containers: [{name: main, resources: {requests: {cpu: '" cpu \
    "'}}}]}\n---\n"

/* The events, one act after the other. */
static const char *const acts[] = {
    NODE("a") POD("web-0", "1", "0") POD("web-1", "1", "0") POD("web-2", "1", "0"),
    NODE("b"),
    POD("urgent", "2", "1000"),
};

typedef struct program {
    berth_engine *engine;
    berth_scheduler *scheduler;
    int64_t now_ns;
    bool failed_once;
    const char *act;
} program;

static void require(berth_status status, const berth_error *error)
{
    char text[1024];
    if (status == BERTH_OK)
        return;
    berth_error_format(error, text, sizeof(text));
    fprintf(stderr, "scheduler_loop: %s\n", text);
    exit(1);
}

static void say(const program *p, const char *what, berth_pod_id pod, berth_node_id node)
{
    berth_str space, name, where = berth_engine_node_name(p->engine, node);
    berth_engine_pod_name(p->engine, pod, &space, &name);
    printf("%2d s  %-6s %.*s%s%.*s\n", (int)(p->now_ns / 1000000000), what, (int)name.len,
           name.data, where.len > 0 ? ", " : "", (int)where.len, where.data);
}

/* ---- callbacks, on the scheduling thread ---- */

/* A real scheduler would send a request to the API server here; the answer comes later, on any
 * thread. */
static berth_answer on_bind(void *context, const berth_binding *binding)
{
    program *p = context;
    berth_error error;
    berth_answer answer = p->failed_once ? BERTH_ANSWER_DONE : BERTH_ANSWER_FAILED;
    p->failed_once = true;
    say(p, "bind", binding->pod, binding->node);
    require(berth_scheduler_bind_done(p->scheduler, binding->id, answer, &error), &error);
    return BERTH_ANSWER_LATER;
}

static void on_unbind(void *context, const berth_binding *binding, berth_unbind_reason reason)
{
    (void)reason;
    say(context, "failed", binding->pod, binding->node);
}

static berth_answer on_evict(void *context, const berth_eviction *eviction)
{
    say(context, "evict", eviction->victim, eviction->node);
    return BERTH_ANSWER_DONE; /* the victim is gone; use LATER if its removal will be posted */
}

static void on_report(void *context, berth_trouble trouble, const berth_error *error)
{
    (void)context;
    fprintf(stderr, "scheduler_loop: trouble %d: %s\n", (int)trouble,
            error != NULL ? error->message : "");
}

/* ---- the thread that watches ---- */

static berth_status post(void *context, const berth_object *object, const berth_error *origin,
                         berth_error *error)
{
    (void)origin;
    return berth_scheduler_post_add(context, object, error);
}

static void *watch(void *context)
{
    program *p = context;
    berth_error error;
    berth_reader *reader;
    const berth_read_options options = {.size = sizeof(options), .apply_defaults = true};
    berth_str text = {p->act, 0};
    while (p->act[text.len] != '\0')
        text.len++;
    require(berth_reader_create(&options, &reader, &error), &error);
    require(berth_reader_text(reader, text, "act", post, p->scheduler, &error), &error);
    berth_reader_destroy(reader);
    return NULL;
}

/* ---- the thread that schedules ---- */

/* Schedule until every pod is bound or waits for an event. A daemon takes the time from a clock,
 * and sleeps until berth_scheduler_next or the `notify` callback; here the program sets the time
 * itself. */
static void schedule(program *p)
{
    berth_error error;
    berth_step step;
    berth_scheduler_counters counters;
    do {
        require(berth_scheduler_step(p->scheduler, p->now_ns, &step, &error), &error);
        if (step.kind == BERTH_STEP_UNSCHEDULABLE)
            say(p, "no fit", step.pod, step.nominated);
        berth_scheduler_count(p->scheduler, &counters);
        if (step.kind == BERTH_STEP_IDLE && counters.backoff > 0)
            p->now_ns = berth_scheduler_next(p->scheduler);
    } while (step.kind != BERTH_STEP_IDLE || counters.backoff > 0);
}

int main(void)
{
    program p = {.failed_once = false};
    berth_error error;
    berth_scheduler_options options;
    berth_scheduler_options_init(&options);
    options.callbacks = (berth_scheduler_callbacks){.context = &p,
                                                    .bind = on_bind,
                                                    .unbind = on_unbind,
                                                    .evict = on_evict,
                                                    .report = on_report};
    require(berth_engine_create(NULL, &p.engine, &error), &error);
    require(berth_scheduler_create(p.engine, &options, &p.scheduler, &error), &error);
    for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++) {
        pthread_t watcher;
        p.act = acts[i];
        if (pthread_create(&watcher, NULL, watch, &p) != 0 || pthread_join(watcher, NULL) != 0)
            return 1;
        schedule(&p);
    }
    berth_scheduler_counters c;
    berth_scheduler_count(p.scheduler, &c);
    printf("%d pods: %d bound, %d waiting; %d decisions, %d eviction\n", (int)c.submitted,
           (int)c.bound, (int)(c.unschedulable + c.backoff + c.active + c.gated), (int)c.decisions,
           (int)c.evictions);
    berth_scheduler_destroy(p.scheduler);
    berth_engine_destroy(p.engine);
    return 0;
}
