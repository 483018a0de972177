/* Connects the kinds of writes: what the outcome of one means for another. */
#include "live/writes/writes.h"

#include <stdlib.h>

#include "cli/heap.h"
#include "live/log/log.h"

enum { EVENTS_WAITING = 50000, OBSERVED_GENERATION_MINOR = 33 };

struct writes {
    write_gate gate;
    bindings *bindings;
    status_writes *statuses, *group_statuses;
    evictions *evictions;
    pod_events *events;
    volume_writes *volumes;
    device_writes *devices;
    claim_frees *frees;
    claim_deletions *deletions;
    bool scheduled_events;
    writes_callbacks callbacks;
    writes_counters counters;
};

/* Reports a failed binding in kube-scheduler's words. */
static void say_failed(writes *w, const bind_outcome *outcome)
{
    char *message =
        outcome->plugin != NULL
            ? write_path("running PreBind plugin \"%s\": %s", outcome->plugin, outcome->why)
            : write_path("running Bind plugin \"DefaultBinder\": %s", outcome->why);
    writes_failed(w, outcome->pod, &(write_failure){.error = true, .message = write_str(message)});
    free(message);
}

static void say_bound(writes *w, const bind_outcome *outcome)
{
    const write_pod *pod = outcome->pod;
    char *note =
        write_path("Successfully assigned %.*s/%.*s to %.*s", WRITE_ARG(pod->namespace_name),
                   WRITE_ARG(pod->name), WRITE_ARG(outcome->node));
    pod_events_put(w->events, EVENT_SCHEDULED, pod, NULL, write_str(note));
    free(note);
}

static void log_bound(const bind_outcome *outcome)
{
    char *pod = write_path("%.*s/%.*s", WRITE_ARG(outcome->pod->namespace_name),
                           WRITE_ARG(outcome->pod->name));
    char *node = write_path("%.*s", WRITE_ARG(outcome->node));
    static const char *const words[BIND_VERDICT_COUNT] = {"bound a pod", "a binding was refused",
                                                          "a binding failed"};
    LOG_INFO(2, words[outcome->verdict], "pod", pod, "node", node, "why", outcome->why);
    free(pod);
    free(node);
}

static void room(writes *w)
{
    if (w->callbacks.room != NULL)
        w->callbacks.room(w->callbacks.context);
}

static void settle_devices(writes *w, const bind_outcome *outcome)
{
    if (outcome->verdict == BIND_BOUND)
        device_writes_bound(w->devices, outcome->id);
    else
        device_writes_drop(w->devices, outcome->id);
}

static void on_bound(void *context, const bind_outcome *outcome)
{
    writes *w = context;
    w->counters.bind[outcome->verdict]++;
    if (log_enabled(2))
        log_bound(outcome);
    if (w->callbacks.bound != NULL)
        w->callbacks.bound(w->callbacks.context, outcome);
    if (outcome->verdict == BIND_FAILED)
        say_failed(w, outcome);
    else if (outcome->verdict == BIND_BOUND && w->scheduled_events)
        say_bound(w, outcome);
    settle_devices(w, outcome); /* if the outcome belongs to devices */
    room(w);
}

static void on_volumes(void *context, const volume_outcome *outcome)
{
    writes *w = context;
    if (outcome->bound)
        writes_bind(w, outcome->id, outcome->pod, outcome->node);
    else
        on_bound(w, &(bind_outcome){.id = outcome->id,
                                    .verdict = BIND_FAILED,
                                    .pod = outcome->pod,
                                    .node = outcome->node,
                                    .plugin = "VolumeBinding",
                                    .why = outcome->why});
}

static void on_devices(void *context, const device_outcome *outcome)
{
    writes *w = context;
    if (outcome->ready)
        bindings_put(w->bindings, outcome->id, outcome->pod, outcome->node);
    else
        on_bound(w, &(bind_outcome){.id = outcome->id,
                                    .verdict = BIND_FAILED,
                                    .pod = outcome->pod,
                                    .node = outcome->node,
                                    .plugin = "DynamicResources",
                                    .why = outcome->why});
}

static void on_conditions(void *context, const write_pod *pod, berth_str node)
{
    writes *w = context;
    char *note =
        write_path("waiting for binding conditions for device on node %.*s", WRITE_ARG(node));
    pod_events_put(w->events, EVENT_BINDING_CONDITIONS, pod, NULL, write_str(note));
    free(note);
}

static bool is_nominated(void *context, const write_pod *preemptor)
{
    return !status_writes_is_pending(((writes *)context)->statuses, preemptor);
}

static void on_evicted(void *context, const eviction_outcome *outcome)
{
    writes *w = context;
    if (outcome->deleted) {
        char *note = write_path("Preempted by %s %.*s on node %.*s",
                                write_preemptor_type(outcome->preemptor),
                                WRITE_ARG(outcome->preemptor->uid), WRITE_ARG(outcome->node));
        write_pod victim = *outcome->victim;
        victim.scheduler_name = outcome->preemptor->scheduler_name;
        pod_events_put(w->events, EVENT_PREEMPTED, &victim, outcome->preemptor, write_str(note));
        free(note);
    }
    if (w->callbacks.evicted != NULL)
        w->callbacks.evicted(w->callbacks.context, outcome);
    room(w);
}

writes *writes_create(const writes_options *options)
{
    writes *w = heap_new(1, sizeof(*w));
    bool observed = options->minor >= OBSERVED_GENERATION_MINOR;
    size_t waiting = options->events_waiting != 0 ? options->events_waiting : EVENTS_WAITING;
    w->gate = (write_gate){.transport = options->transport,
                           .fence_ns = LIVE_NEVER,
                           .rate = options->rate,
                           .burst = options->burst >= 1 ? options->burst : 1,
                           .limited = options->callbacks.limited,
                           .context = options->callbacks.context};
    w->callbacks = options->callbacks;
    w->scheduled_events = options->scheduled_events;
    w->bindings = bindings_create(&w->gate, on_bound, w);
    if (options->binder.transport != NULL)
        bindings_use_extender(w->bindings, &options->binder);
    w->statuses = status_writes_create(&w->gate, &status_of_pods, observed);
    w->group_statuses = status_writes_create(&w->gate, &status_of_pod_groups, true);
    w->evictions = evictions_create(&w->gate, observed, is_nominated, on_evicted, w);
    w->volumes = volume_writes_create(&w->gate, on_volumes, w);
    w->deletions = claim_deletions_create(&w->gate);
    w->devices = device_writes_create(&w->gate, w->deletions, on_devices, on_conditions, w);
    w->frees = claim_frees_create(&w->gate);
    w->events = pod_events_create(&w->gate, status_writes_lane(w->statuses),
                                  options->host != NULL ? options->host : "", waiting);
    return w;
}

void writes_destroy(writes *w)
{
    if (w == NULL)
        return;
    pod_events_destroy(w->events);
    volume_writes_destroy(w->volumes);
    claim_frees_destroy(w->frees);
    device_writes_destroy(w->devices);
    claim_deletions_destroy(w->deletions);
    evictions_destroy(w->evictions);
    status_writes_destroy(w->statuses);
    status_writes_destroy(w->group_statuses);
    bindings_destroy(w->bindings);
    free(w);
}

void writes_fence(writes *w, int64_t deadline_ns)
{
    write_gate_fence(&w->gate, deadline_ns);
    bindings_fence(w->bindings, deadline_ns);
}

/* As many bindings may wait as are in progress, so that one is ready when an answer comes. */
bool writes_has_room(const writes *w)
{
    return bindings_count(w->bindings) < 2 * bindings_window(w->bindings);
}

void writes_bind(writes *w, uint64_t id, const write_pod *pod, berth_str node)
{
    if (!device_writes_go(w->devices, id))
        bindings_put(w->bindings, id, pod, node);
}

void writes_devices(writes *w, const device_job *job)
{
    device_writes_put(w->devices, job);
}

void writes_bind_with_volumes(writes *w, const volume_job *job)
{
    volume_writes_put(w->volumes, job);
}

void writes_unbind(writes *w, uint64_t id)
{
    volume_writes_drop(w->volumes, id);
    device_writes_drop(w->devices, id);
    bindings_drop(w->bindings, id);
}

void writes_failed(writes *w, const write_pod *pod, const write_failure *failure)
{
    const wanted_condition condition = {
        .reason = failure->error ? "SchedulerError" : "Unschedulable",
        .message = failure->message,
        .nomination = failure->nominated.len > 0 ? NOMINATION_SET
                      : pod->nominated.len > 0   ? NOMINATION_CLEARED
                                                 : NOMINATION_STAYS,
        .node = failure->nominated,
    };
    pod_events_put(w->events, EVENT_FAILED_SCHEDULING, pod, NULL, failure->message);
    (void)status_writes_put(w->statuses, pod, &condition);
}

/* A group that was placed once counts as placed, whatever becomes of its other pods. */
void writes_pod_group(writes *w, const write_pod *group, const write_group_outcome *outcome)
{
    const wanted_condition condition = {.holds = outcome->placed,
                                        .reason = outcome->placed  ? "Scheduled"
                                                  : outcome->error ? "SchedulerError"
                                                                   : "Unschedulable",
                                        .message = outcome->message};
    if (outcome->placed || !group->placed)
        (void)status_writes_put(w->group_statuses, group, &condition);
}

void writes_nominate(writes *w, const write_pod *pod, berth_str node)
{
    const wanted_condition condition = {
        .nomination = node.len > 0 ? NOMINATION_SET : NOMINATION_CLEARED, .node = node};
    (void)status_writes_put(w->statuses, pod, &condition);
}

void writes_free_claim(writes *w, const freed_claim *claim)
{
    claim_frees_put(w->frees, claim);
}

void writes_delete_claim(writes *w, const deleted_claim *claim)
{
    claim_deletions_put(w->deletions, claim);
}

void writes_evict(writes *w, const write_pod *victim, const write_pod *preemptor, berth_str node)
{
    evictions_put(w->evictions, victim, preemptor, node);
}

void writes_leader(writes *w, const leader_event *event)
{
    pod_events_leader(w->events, event);
}

void writes_pod_seen(writes *w, const write_pod *pod, berth_str node)
{
    status_writes_drop(w->statuses,
                       pod); /* which may also drop a nomination that was never written */
    evictions_pod_placed(w->evictions, pod);
    bindings_pod_seen(w->bindings, pod->namespace_name, pod->name, pod->uid, node);
}

void writes_pod_group_gone(writes *w, const write_pod *group)
{
    status_writes_drop(w->group_statuses, group);
}

void writes_pod_gone(writes *w, const write_pod *pod)
{
    status_writes_drop(w->statuses, pod);
    evictions_pod_gone(w->evictions, pod->namespace_name, pod->name, pod->uid);
}

void writes_node_gone(writes *w, berth_str node)
{
    volume_writes_node_gone(w->volumes, node);
    device_writes_node_gone(w->devices, node);
    bindings_node_gone(w->bindings, node);
}

void writes_claim_seen(writes *w, berth_str namespace_name, berth_str name)
{
    volume_writes_claim_seen(w->volumes, namespace_name, name);
}

void writes_device_claim_seen(writes *w, berth_str namespace_name, berth_str name)
{
    device_writes_claim_seen(w->devices, namespace_name, name);
}

void writes_end(writes *w)
{
    volume_writes_end(w->volumes);
    device_writes_end(w->devices);
    claim_frees_end(w->frees);
    claim_deletions_end(w->deletions);
    bindings_end(w->bindings);
    evictions_end(w->evictions);
}

bool writes_is_settled(const writes *w)
{
    return bindings_count(w->bindings) == 0 && evictions_count(w->evictions) == 0 &&
           status_writes_pending(w->statuses) == 0 &&
           status_writes_pending(w->group_statuses) == 0 && pod_events_pending(w->events) == 0;
}

const char *writes_denied(const writes *w)
{
    for (const write_lane *lane = w->gate.lanes; lane != NULL; lane = lane->next)
        if (lane->denied)
            return lane->name;
    return NULL;
}

void writes_count(const writes *w, writes_counters *out)
{
    *out = w->counters;
    out->bind_requests = bindings_requests(w->bindings);
    out->binding = bindings_count(w->bindings);
    out->devices = device_writes_count(w->devices);
    out->unsettled = bindings_unsettled(w->bindings);
    out->window = bindings_window(w->bindings);
    out->events_dropped = pod_events_dropped(w->events);
    out->pushed_back = 0;
    for (const write_lane *lane = w->gate.lanes; lane != NULL; lane = lane->next)
        out->pushed_back += lane->refused;
}
