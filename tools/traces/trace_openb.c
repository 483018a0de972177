/* Turns the openb trace into events. Not all lists of tasks are sorted by time, so they are read as
 * a whole. */
#include "traces/trace_openb.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/words.h"
#include "traces/openb.h"
#include "workloads/workload_kinds.h"

static const int64_t second_ns = INT64_C(1000000000);

typedef trace_openb_task task;

typedef struct openb_source {
    const trace_openb_options *options;
    trace_event_fn each;
    void *context;
    draft draft;
    trace_openb *list;
    int64_t gpu_milli; /* sum over all nodes */
} openb_source;

static int64_t gpu_milli_of(berth_resources resources)
{
    for (uint32_t i = 0; i < resources.count; i++)
        if (words_equal(resources.items[i].name, words_of(openb_gpu_milli)))
            return resources.items[i].amount.units;
    return 0;
}

static berth_status hand(const openb_source *s, const trace_event *event, const char *path,
                         uint32_t line, berth_error *error)
{
    berth_error origin;
    error_set(&origin, BERTH_OK, path, "%s", "");
    origin.line = line;
    return s->each(s->context, event, &origin, error);
}

static berth_status hand_nodes(openb_source *s, openb_nodes *nodes, berth_error *error)
{
    trace_event event = {
        .kind = BERTH_KIND_NODE, .duration_ns = TRACE_NEVER, .leave_ns = TRACE_NEVER};
    for (bool more = true;;) {
        TRY(openb_nodes_next(nodes, &s->draft, &more, error));
        if (!more)
            return BERTH_OK;
        s->gpu_milli += gpu_milli_of(s->draft.node.allocatable);
        event.object = s->draft.object;
        TRY(hand(s, &event, nodes->table.path, nodes->table.line_number, error));
    }
}

static berth_status load_tasks(openb_source *s, openb_pods *pods, berth_error *error)
{
    for (bool more = true;;) {
        openb_times times;
        TRY(openb_pods_next(pods, &s->draft, &times, &more, error));
        if (!more)
            return BERTH_OK;
        s->list->tasks = heap_grow(s->list->tasks, &s->list->task_capacity, s->list->task_count + 1,
                                   sizeof(*s->list->tasks));
        s->list->tasks[s->list->task_count++] = (task){
            .pod = heap_object(&s->draft.object),
            .times = times,
            .line = pods->table.line_number,
            .gpu_milli = gpu_milli_of(s->draft.container.requests),
        };
    }
}

static int by_creation(const void *a, const void *b)
{
    const task *left = a;
    const task *right = b;
    if (left->times.created_s != right->times.created_s)
        return left->times.created_s < right->times.created_s ? -1 : 1;
    return left->line < right->line ? -1 : left->line > right->line;
}

/* ---- the unchanged list ---- */

static void set_end(const openb_times *times, trace_event *event)
{
    event->duration_ns = event->leave_ns = TRACE_NEVER;
    if (!times->known)
        return;
    if (!times->was_scheduled) {
        int64_t end_s = times->deleted_s > times->created_s ? times->deleted_s : times->created_s;
        event->leave_ns = end_s * second_ns;
    } else {
        int64_t ran_s = times->deleted_s - times->scheduled_s;
        event->duration_ns = (ran_s > 0 ? ran_s : 0) * second_ns;
    }
}

static berth_status hand_list(openb_source *s, berth_error *error)
{
    if (s->list->task_count > 0)
        qsort(s->list->tasks, s->list->task_count, sizeof(*s->list->tasks), by_creation);
    for (size_t i = 0; i < s->list->task_count; i++) {
        const task *t = &s->list->tasks[i];
        trace_event event = {.kind = BERTH_KIND_POD, .object = *t->pod, .made_of = t->pod};
        event.time_ns = (t->times.known ? t->times.created_s : (int64_t)i) * second_ns;
        set_end(&t->times, &event);
        TRY(hand(s, &event, s->options->pods_path, t->line, error));
    }
    return BERTH_OK;
}

/* ---- draws ---- */

static void shuffle(task *tasks, size_t count, workload_random *random)
{
    for (size_t i = count; i > 1; i--) {
        size_t other = workload_random_below(random, (uint32_t)i);
        const task kept = tasks[i - 1];
        tasks[i - 1] = tasks[other];
        tasks[other] = kept;
    }
}

static berth_status hand_drawn(openb_source *s, const task *t, uint64_t round, int64_t time_ns,
                               berth_error *error)
{
    char name[320];
    berth_pod pod = *t->pod->as.pod;
    if (round > 1) {
        snprintf(name, sizeof(name), "%.*s-%" PRIu64, (int)pod.meta.name.len, pod.meta.name.data,
                 round);
        pod.meta.name = words_of(name);
    }
    const trace_event event = {
        .time_ns = time_ns,
        .kind = BERTH_KIND_POD,
        .object = {.kind = BERTH_KIND_POD, .as.pod = &pod},
        .made_of = t->pod,
        .duration_ns = TRACE_NEVER,
        .leave_ns = TRACE_NEVER,
    };
    return hand(s, &event, s->options->pods_path, t->line, error);
}

static berth_status hand_draws(openb_source *s, berth_error *error)
{
    workload_random random = {workload_hash(s->options->seed, s->options->draw_percent, 0)};
    double wanted = (double)s->gpu_milli * (double)s->options->draw_percent / 100.0;
    int64_t asked = 0;
    int64_t time_ns = 0;
    int64_t listed = 0;
    for (size_t i = 0; i < s->list->task_count; i++)
        listed += s->list->tasks[i].gpu_milli;
    if (listed == 0)
        return error_set(error, BERTH_E_INVALID, s->options->pods_path,
                         "no task of the list requests a GPU, so a GPU load cannot be reached");
    for (uint64_t round = 1; (double)asked < wanted; round++) {
        shuffle(s->list->tasks, s->list->task_count, &random);
        for (size_t i = 0; i < s->list->task_count && (double)asked < wanted; i++) {
            TRY(hand_drawn(s, &s->list->tasks[i], round, time_ns, error));
            asked += s->list->tasks[i].gpu_milli;
            time_ns += second_ns;
        }
    }
    return BERTH_OK;
}

/* ---- both ---- */

static berth_status hand_all(openb_source *s, openb_nodes *nodes, openb_pods *pods,
                             berth_error *error)
{
    TRY(openb_nodes_open(nodes, s->options->nodes_path, error));
    TRY(openb_pods_open(pods, s->options->pods_path, error));
    TRY(hand_nodes(s, nodes, error));
    TRY(load_tasks(s, pods, error));
    return s->options->draw_percent > 0 ? hand_draws(s, error) : hand_list(s, error);
}

void trace_openb_free(trace_openb *t)
{
    for (size_t i = 0; i < t->task_count; i++)
        berth_object_destroy(t->tasks[i].pod);
    free(t->tasks);
}

berth_status trace_openb_read(trace_openb *t, const trace_openb_options *options,
                              trace_event_fn each, void *context, berth_error *error)
{
    openb_source source = {.options = options, .each = each, .context = context, .list = t};
    openb_nodes nodes = {.table = {.file = NULL}};
    openb_pods pods = {.table = {.file = NULL}};
    berth_status status = hand_all(&source, &nodes, &pods, error);
    openb_nodes_close(&nodes);
    openb_pods_close(&pods);
    return status;
}
