/* Applies changes, decides while there is room for orders, and sleeps until a change comes or room
 * appears. */
#include "live/run/deciding.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "live/log/log.h"
#include "live/run/served.h"
#include "live/transport/event_loop.h"

/* Steps between two reads of the inbox; bounds how long a change waits. */
enum { STEPS_A_TURN = 32 };

/* ---- the scheduler's callbacks, on the deciding thread ---- */

static void put(deciding *d, const order *plain, const order_texts *texts)
{
    outbox_put(&d->out, plain, texts);
    d->ordered(d->context);
}

/* The name belongs to the engine and lives as long as the pod. */
static berth_str scheduler_of(const deciding *d, berth_pod_id pod)
{
    berth_pod_info info = {.size = sizeof(info)};
    if (berth_engine_pod_info(d->engine, pod, &info, NULL) != BERTH_OK ||
        info.scheduler_name.len == 0)
        return BERTH_STR("default-scheduler");
    return info.scheduler_name;
}

static void read_claims(deciding *d, berth_pod_id pod, order_texts *texts)
{
    texts->claim_count = berth_engine_pod_claims(d->engine, pod, NULL, 0);
    if (texts->claim_count == 0)
        return;
    d->claims = heap_grow(d->claims, &d->claim_capacity, texts->claim_count, sizeof(*d->claims));
    (void)berth_engine_pod_claims(d->engine, pod, d->claims, texts->claim_count);
    texts->claims = d->claims;
}

static berth_answer on_bind(void *context, const berth_binding *binding)
{
    deciding *d = context;
    berth_pod_status status;
    order plain = {.kind = ORDER_BIND,
                   .decided_at = d->number,
                   .binding = binding->id,
                   .by_extender = extenders_bind(d->extenders, binding->pod),
                   .decided_ns = d->decided_ns};
    order_texts texts = {.node = berth_engine_node_name(d->engine, binding->node),
                         .scheduler = scheduler_of(d, binding->pod)};
    berth_engine_pod_name(d->engine, binding->pod, &texts.namespace_name, &texts.name);
    berth_scheduler_pod(d->scheduler, binding->pod, &status);
    plain.attempt = status.attempts;
    plain.waited_ns = status.submitted_ns != 0 ? d->decided_ns - status.submitted_ns : 0;
    read_claims(d, binding->pod, &texts);
    pod_devices_read(&d->devices, d->engine, binding->pod);
    texts.devices = d->devices.items;
    texts.device_count = d->devices.count;
    put(d, &plain, &texts);
    return BERTH_ANSWER_LATER;
}

static void on_unbind(void *context, const berth_binding *binding, berth_unbind_reason reason)
{
    deciding *d = context;
    const order plain = {
        .kind = ORDER_UNBIND, .decided_at = d->number, .binding = binding->id, .why = reason};
    order_texts texts = {.node = berth_engine_node_name(d->engine, binding->node)};
    berth_engine_pod_name(d->engine, binding->pod, &texts.namespace_name, &texts.name);
    put(d, &plain, &texts);
}

/* While the watches are lost, our knowledge of a victim is out of date. relaxed: a second more or
 * less does not matter. */
static berth_answer on_evict(void *context, const berth_eviction *eviction)
{
    deciding *d = context;
    if (atomic_load_explicit(&d->is_blind, memory_order_relaxed))
        return BERTH_ANSWER_FAILED;
    const bool for_group = eviction->pod_group.len > 0;
    const berth_kind group_kind =
        eviction->composite ? BERTH_KIND_COMPOSITE_POD_GROUP : BERTH_KIND_POD_GROUP;
    const order plain = {.kind = ORDER_EVICT,
                         .decided_at = d->number,
                         .preemptor_kind = for_group ? group_kind : BERTH_KIND_POD};
    order_texts texts = {.node = berth_engine_node_name(d->engine, eviction->node),
                         .scheduler = scheduler_of(d, eviction->preemptor)};
    berth_engine_pod_name(d->engine, eviction->victim, &texts.namespace_name, &texts.name);
    berth_engine_pod_name(d->engine, eviction->preemptor, &texts.preemptor_namespace,
                          &texts.preemptor_name);
    if (for_group) { /* which does not preempt on one node */
        texts.preemptor_name = eviction->pod_group;
        texts.node = BERTH_STR("cluster");
    }
    put(d, &plain, &texts);
    return BERTH_ANSWER_LATER;
}

/* Nothing is written for pods of other schedulers. */
static void on_unnominated(void *context, berth_pod_id pod)
{
    deciding *d = context;
    const order plain = {.kind = ORDER_UNNOMINATE, .decided_at = d->number};
    order_texts texts = {.scheduler = scheduler_of(d, pod)};
    if (!engine_setup_serves(d->setup, texts.scheduler))
        return;
    berth_engine_pod_name(d->engine, pod, &texts.namespace_name, &texts.name);
    put(d, &plain, &texts);
}

/* Only PodGroups have a condition; attempts are counted for the groups that have turns. */
static void on_pod_group(void *context, const berth_pod_group_attempt *attempt)
{
    deciding *d = context;
    const order plain = {.kind = ORDER_POD_GROUP,
                         .decided_at = d->number,
                         .placed = attempt->verdict == BERTH_VERDICT_PLACED,
                         .error = attempt->verdict == BERTH_VERDICT_ERROR};
    const order_texts texts = {.namespace_name = attempt->namespace_name,
                               .name = attempt->name,
                               .message = attempt->message};
    if (d->metrics != NULL && !attempt->below)
        served_group(d->metrics, attempt, scheduler_of(d, attempt->pod),
                     event_loop_now() - d->decided_ns);
    if (!attempt->composite)
        put(d, &plain, &texts);
}

static void on_report(void *context, berth_trouble trouble, const berth_error *error)
{
    (void)context;
    if (trouble == BERTH_TROUBLE_EVENT) {
        char text[1024];
        berth_error_format(error, text, sizeof(text));
        LOG_WARNING("a change could not be applied", "error", text);
    }
}

static void on_notify(void *context)
{
    inbox_wake(&((deciding *)context)->in);
}

/* ---- changes ---- */

static void say_refused(deciding *d, const message *m, const berth_error *error)
{
    char text[1024];
    d->refused++;
    berth_error_format(error, text, sizeof(text));
    LOG_ERROR("the engine refused a change", "kind", berth_kind_name(m->object_kind), "error",
              text);
}

/* Finds a pod that was pending here and now has a node: the other scheduler has placed it. */
static berth_pod_id bound_by_other(const deciding *d, const message *m)
{
    if (d->scheduler != NULL || m->kind != MESSAGE_UPDATE || m->object_kind != BERTH_KIND_POD)
        return BERTH_POD_NONE;
    const berth_pod *pod = m->object->as.pod;
    if (pod->node_name.len == 0)
        return BERTH_POD_NONE;
    berth_pod_id id = berth_engine_find_pod(d->engine, pod->meta.namespace_name, pod->meta.name);
    return id != BERTH_POD_NONE && berth_engine_pod_node(d->engine, id) == BERTH_NODE_NONE &&
                   engine_setup_serves(d->setup, pod->scheduler_name)
               ? id
               : BERTH_POD_NONE;
}

static void compare(deciding *d, const message *m)
{
    berth_pod_id id = bound_by_other(d, m);
    if (id == BERTH_POD_NONE)
        return;
    agreement_note(&d->agreement, d->engine, id, m->object->as.pod->node_name);
    atomic_fetch_add_explicit(&d->decisions, 1, memory_order_relaxed); /* relaxed: a statistic */
}

static berth_status apply_dry(deciding *d, const message *m, berth_error *error)
{
    switch (m->kind) {
    case MESSAGE_ADD:
        return berth_engine_add(d->engine, m->object, NULL, error);
    case MESSAGE_UPDATE:
        compare(d, m);
        return berth_engine_update(d->engine, m->object, error);
    default:
        return berth_engine_remove(d->engine, m->object_kind, m->namespace_name, m->name, error);
    }
}

/* Whether the pod that a message is about is on a node or is about to be. */
static bool is_assigned(const deciding *d, const message *m)
{
    if (m->object != NULL)
        return m->object->as.pod->node_name.len > 0;
    berth_pod_id id = berth_engine_find_pod(d->engine, m->namespace_name, m->name);
    return berth_engine_pod_node(d->engine, id) != BERTH_NODE_NONE;
}

static berth_status schedule_change(deciding *d, const message *m, int64_t now_ns,
                                    berth_error *error)
{
    switch (m->kind) {
    case MESSAGE_ADD:
        return berth_scheduler_add(d->scheduler, now_ns, m->object, NULL, error);
    case MESSAGE_UPDATE:
        return berth_scheduler_update(d->scheduler, now_ns, m->object, error);
    default:
        return berth_scheduler_remove(d->scheduler, now_ns, m->object_kind, m->namespace_name,
                                      m->name, error);
    }
}

static berth_status apply_change(deciding *d, const message *m, berth_error *error)
{
    static const char *const actions[] = {"Add", "Update", "Delete"};
    if (d->scheduler == NULL)
        return apply_dry(d, m, error);
    bool assigned = m->object_kind == BERTH_KIND_POD && is_assigned(d, m);
    int64_t now_ns = event_loop_now();
    berth_status status = schedule_change(d, m, now_ns, error);
    if (d->metrics != NULL)
        served_event(d->metrics, m->object_kind, assigned, actions[m->kind],
                     event_loop_now() - now_ns);
    return status;
}

static berth_status stay(deciding *d, const message *m, berth_error *error)
{
    berth_pod_id victim = berth_engine_find_pod(d->engine, m->namespace_name, m->name);
    return d->scheduler == NULL
               ? BERTH_OK
               : berth_scheduler_evict_done(d->scheduler, victim, BERTH_ANSWER_FAILED, error);
}

static void apply(deciding *d, const message *m)
{
    berth_error error = {.code = BERTH_OK};
    switch (m->kind) {
    case MESSAGE_SYNCED:
        d->synced = true;
        break;
    case MESSAGE_DECIDE:
    case MESSAGE_PAUSE:
        d->leads = m->kind == MESSAGE_DECIDE;
        break;
    case MESSAGE_STOP:
        d->stops = true;
        break;
    case MESSAGE_COMPARE:
        comparison_note(&d->comparison, d->engine, m->object);
        break;
    case MESSAGE_COMPARED:
        (void)comparison_end(&d->comparison, d->engine);
        break;
    case MESSAGE_STAYS:
        if (stay(d, m, &error) != BERTH_OK)
            say_refused(d, m, &error);
        break;
    default:
        if (apply_change(d, m, &error) != BERTH_OK)
            say_refused(d, m, &error);
    }
    d->number = m->number;
}

static void apply_and_free(deciding *d, message *m)
{
    if (m == NULL)
        return;
    apply(d, m);
    message_free(m);
}

/* In a dry run, later changes of a pod must follow the binding that is held back for it. */
static void take_message(deciding *d, message *m)
{
    if (bound_by_other(d, m) != BERTH_POD_NONE) {
        const berth_metadata *meta = &m->object->as.pod->meta;
        apply_and_free(d, seen_bindings_take(&d->seen, meta->namespace_name, meta->name));
        seen_bindings_hold(&d->seen, m, event_loop_now());
        return;
    }
    if (d->seen.count > 0 && m->object_kind == BERTH_KIND_POD) {
        const berth_metadata *meta = m->object != NULL ? &m->object->as.pod->meta : NULL;
        apply_and_free(
            d, seen_bindings_take(&d->seen, meta != NULL ? meta->namespace_name : m->namespace_name,
                                  meta != NULL ? meta->name : m->name));
    }
    apply_and_free(d, m);
}

/* At the end, all held bindings are due. */
static void take_seen(deciding *d)
{
    message *m;
    while ((m = seen_bindings_next(&d->seen, d->stops ? INT64_MAX : event_loop_now())) != NULL)
        apply_and_free(d, m);
}

/* Returns when the next action is due if nothing arrives. */
static void take_messages(deciding *d, int64_t until_ns)
{
    message *next;
    for (message *m = inbox_take(&d->in, until_ns); m != NULL; m = next) {
        next = m->next;
        take_message(d, m);
    }
    take_seen(d);
    /* relaxed: a statistic that orders nothing else. */
    atomic_store_explicit(&d->applied, d->number, memory_order_relaxed);
}

/* ---- decisions ---- */

static void say_failed(deciding *d, const berth_step *step)
{
    const order plain = {.kind = ORDER_FAILED,
                         .decided_at = d->number,
                         .error = step->kind == BERTH_STEP_ERROR,
                         .attempt = step->attempt,
                         .waited_ns = step->waited_ns,
                         .decided_ns = d->decided_ns};
    order_texts texts = {.message = berth_explanation_message(d->explanation),
                         .scheduler = scheduler_of(d, step->pod)};
    berth_pod_status status;
    if (texts.message.len == 0)
        texts.message = BERTH_STR("the attempt failed with an error");
    berth_scheduler_pod(d->scheduler, step->pod, &status);
    if (status.nominated != BERTH_NODE_NONE)
        texts.node = berth_engine_node_name(d->engine, status.nominated);
    berth_engine_pod_name(d->engine, step->pod, &texts.namespace_name, &texts.name);
    put(d, &plain, &texts);
}

/* Preemption may have found no victims because of this claim; the claim's change wakes the pod. */
static void free_claim(deciding *d)
{
    const order plain = {.kind = ORDER_FREE_CLAIM, .decided_at = d->number};
    order_texts texts = {.message = {0}};
    if (berth_explanation_freed_claim(d->explanation, &texts.namespace_name, &texts.name))
        put(d, &plain, &texts);
}

/* The same for the claim that an earlier attempt created for the pod's extended resources. */
static void delete_claim(deciding *d, berth_pod_id pod)
{
    const order plain = {.kind = ORDER_DELETE_CLAIM, .decided_at = d->number};
    order_texts texts = {.message = {0}};
    if (!berth_explanation_deleted_claim(d->explanation, &texts.namespace_name, &texts.name))
        return;
    berth_engine_pod_name(d->engine, pod, &texts.preemptor_namespace, &texts.preemptor_name);
    put(d, &plain, &texts);
}

static void log_attempt(const deciding *d, const berth_step *step)
{
    static const char *const results[] = {
        [BERTH_STEP_UNSCHEDULABLE] = "unschedulable", [BERTH_STEP_ERROR] = "error"};
    char pod[640], node[256] = "", attempt[16], took[24];
    berth_str namespace_name, name;
    bool placed = step->kind != BERTH_STEP_UNSCHEDULABLE && step->kind != BERTH_STEP_ERROR;
    if (!log_enabled(3))
        return;
    berth_engine_pod_name(d->engine, step->pod, &namespace_name, &name);
    snprintf(pod, sizeof(pod), "%.*s/%.*s", WRITE_ARG(namespace_name), WRITE_ARG(name));
    if (placed)
        snprintf(node, sizeof(node), "%.*s",
                 WRITE_ARG(berth_engine_node_name(d->engine, step->placement.node)));
    snprintf(attempt, sizeof(attempt), "%u", (unsigned)step->attempt);
    snprintf(took, sizeof(took), "%.6f", (double)(event_loop_now() - d->decided_ns) / 1e9);
    LOG_INFO(3, "attempt to schedule a pod", "pod", pod, "result",
             placed ? "placed" : results[step->kind], "node", node, "attempt", attempt, "seconds",
             took);
}

/* Decides until no pod is active or enough is under way. Returns whether there is more to do. */
static bool decide(deciding *d)
{
    berth_step step;
    berth_error error = {.code = BERTH_OK};
    for (int i = 0; i < STEPS_A_TURN; i++) {
        if (outbox_count(&d->out) >= ORDERS_MAX)
            return false; /* deciding_wake is called when there is room */
        d->decided_ns = event_loop_now();
        if (berth_scheduler_step(d->scheduler, d->decided_ns, &step, &error) != BERTH_OK) {
            char text[1024];
            berth_error_format(&error, text, sizeof(text));
            LOG_ERROR("a decision failed", "error", text);
            return false;
        }
        if (step.kind == BERTH_STEP_IDLE)
            return false;
        /* relaxed: a statistic. */
        atomic_fetch_add_explicit(&d->decisions, 1, memory_order_relaxed);
        log_attempt(d, &step);
        if (d->metrics != NULL)
            served_step(d->metrics, &step, scheduler_of(d, step.pod),
                        event_loop_now() - d->decided_ns);
        if (step.kind == BERTH_STEP_UNSCHEDULABLE || step.kind == BERTH_STEP_ERROR) {
            rejections_note(&d->rejections, step.pod, scheduler_of(d, step.pod));
            free_claim(d);
            delete_claim(d, step.pod);
            say_failed(d, &step);
        }
    }
    return true;
}

static int64_t next_time(deciding *d, bool more, int64_t now_ns)
{
    bool decides = d->scheduler != NULL && d->synced && d->leads;
    if (more)
        return now_ns;
    int64_t idle_ns =
        now_ns + INT64_C(1000000000); /* shows the watchdog that the thread is alive */
    if (!decides || outbox_count(&d->out) >= ORDERS_MAX)
        return idle_ns;
    int64_t next_ns = berth_scheduler_next(d->scheduler);
    return next_ns < idle_ns ? next_ns : idle_ns;
}

static void copy_counters(deciding *d)
{
    pthread_mutex_lock(&d->counters_lock);
    if (d->scheduler != NULL)
        berth_scheduler_count(d->scheduler, &d->counters);
    berth_engine_counts(d->engine, &d->cluster);
    pthread_mutex_unlock(&d->counters_lock);
}

static void *run(void *context)
{
    deciding *d = context;
    berth_error error;
    bool more = false;
    while (!d->stops) {
        int64_t now_ns = event_loop_now();
        /* relaxed: only a watchdog reads it. */
        atomic_store_explicit(&d->alive_ns, now_ns, memory_order_relaxed);
        take_messages(d, next_time(d, more, now_ns));
        more = false;
        if (d->scheduler != NULL && !d->stops) {
            if (d->synced && d->leads)
                more = decide(d);
            else
                (void)berth_scheduler_advance(d->scheduler, event_loop_now(), &error);
        }
        copy_counters(d);
        if (d->metrics != NULL && d->scheduler != NULL)
            rejections_show(&d->rejections, d->scheduler, d->metrics, event_loop_now());
    }
    return NULL;
}

/* ---- life cycle ---- */

static berth_status make_scheduler(deciding *d, berth_error *error)
{
    berth_scheduler_options options;
    berth_scheduler_options_init(&options);
    if (d->setup->config != NULL) {
        berth_backoff backoff = berth_scheduler_config_backoff(d->setup->config);
        options.backoff_initial_ns = backoff.initial_seconds * INT64_C(1000000000);
        options.backoff_max_ns = backoff.max_seconds * INT64_C(1000000000);
    }
    if (d->unschedulable_max_ns > 0)
        options.unschedulable_max_ns = d->unschedulable_max_ns;
    options.now_ns = event_loop_now();
    options.explanation = d->explanation;
    options.callbacks =
        (berth_scheduler_callbacks){d, on_bind, on_unbind, on_evict, on_report, on_notify};
    options.unnominated = on_unnominated;
    options.pace_evictions = true;
    options.pod_group = on_pod_group;
    return berth_scheduler_create(d->engine, &options, &d->scheduler, error);
}

static berth_status make_engine(deciding *d, berth_error *error)
{
    uint32_t count;
    if (d->extenders == NULL)
        return engine_setup_create(d->setup, &d->engine, error);
    const berth_extender *const *tables = extenders_tables(d->extenders, &count);
    TRY(engine_setup_create_extended(d->setup, tables, count, &d->engine, error));
    extenders_attach(d->extenders, d->engine, d->texts);
    return BERTH_OK;
}

static berth_status make(deciding *d, berth_error *error)
{
    TRY(make_engine(d, error));
    TRY(berth_explanation_create(NULL, &d->explanation, error));
    return d->dry_run ? BERTH_OK : make_scheduler(d, error);
}

/* The thread blocks all signals; the network thread handles them. */
static bool start_thread(deciding *d)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    d->started = pthread_create(&d->thread, NULL, run, d) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return d->started;
}

berth_status deciding_start(deciding *d, berth_error *error)
{
    inbox_init(&d->in);
    outbox_init(&d->out);
    pthread_mutex_init(&d->counters_lock, NULL);
    atomic_init(&d->alive_ns, event_loop_now());
    berth_status status = make(d, error);
    if (status == BERTH_OK && !start_thread(d))
        status = error_set(error, BERTH_E_INTERNAL, NULL, "a thread can't be started");
    if (status != BERTH_OK)
        deciding_free(d);
    return status;
}

void deciding_stop(deciding *d)
{
    if (!d->started)
        return;
    atomic_store_explicit(&d->gives_up, true, memory_order_relaxed); /* relaxed: a hint */
    (void)inbox_put(&d->in, MESSAGE_STOP);
    pthread_join(d->thread, NULL);
    d->started = false;
}

void deciding_free(deciding *d)
{
    berth_scheduler_destroy(d->scheduler);
    berth_explanation_destroy(d->explanation);
    berth_engine_destroy(d->engine);
    d->scheduler = NULL;
    d->explanation = NULL;
    d->engine = NULL;
    agreement_free(&d->agreement);
    seen_bindings_free(&d->seen);
    rejections_free(&d->rejections);
    free(d->claims);
    d->claims = NULL;
    pod_devices_free(&d->devices);
    inbox_destroy(&d->in);
    outbox_destroy(&d->out);
    pthread_mutex_destroy(&d->counters_lock);
}

void deciding_bind_done(deciding *d, berth_binding_id binding, bool done)
{
    /* Without memory for the answer, the pod would stay assumed; so the program ends. */
    if (berth_scheduler_bind_done(d->scheduler, binding,
                                  done ? BERTH_ANSWER_DONE : BERTH_ANSWER_FAILED, NULL) != BERTH_OK)
        exit(exit_status("run", "answering a binding", BERTH_E_NOMEM));
}

void deciding_wake(deciding *d)
{
    inbox_wake(&d->in);
}

void deciding_count(deciding *d, berth_scheduler_counters *out)
{
    pthread_mutex_lock(&d->counters_lock);
    *out = d->counters;
    pthread_mutex_unlock(&d->counters_lock);
}

void deciding_cluster(deciding *d, berth_counts *out)
{
    pthread_mutex_lock(&d->counters_lock);
    *out = d->cluster;
    pthread_mutex_unlock(&d->counters_lock);
}

bool deciding_waits(void *context)
{
    deciding *d = context;
    /* relaxed: only a watchdog reads it. */
    atomic_store_explicit(&d->alive_ns, event_loop_now(), memory_order_relaxed);
    return !atomic_load_explicit(&d->gives_up, memory_order_relaxed); /* relaxed: a hint */
}
