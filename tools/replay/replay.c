/* Runs a replay: virtual time, events in order, and the scheduling queue. */
#include "replay/replay.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/amounts.h"
#include "cli/exits.h"
#include "cli/heap.h"
#include "replay/replay_nodes.h"
#include "replay/replay_pods.h"

/* At one round in five minutes, nine years and a half. */
enum { IDLE_ROUNDS_MAX = 1000000 };

/* ---- the report's rows ---- */

static uint64_t waiting_count(const berth_scheduler_counters *c)
{
    return c->gated + c->active + c->backoff + c->unschedulable;
}

static void count(const replay *r, series_counts *out)
{
    berth_counts counts;
    berth_scheduler_counters c;
    berth_engine_counts(r->engine, &counts);
    berth_scheduler_count(r->scheduler, &c);
    *out = (series_counts){
        .nodes = counts.nodes,
        .running = r->placed_now,
        .waiting = waiting_count(&c),
        .gated = c.gated,
        .backing_off = c.backoff,
        .unschedulable = c.unschedulable,
        .submitted = r->pods,
        .placements = r->placements,
        .decisions = c.decisions,
        .finished = r->outcomes[OUTCOME_finished],
        .evicted = r->evicted,
        .lost = r->lost,
    };
}

static series_cell *measure_cells(replay *r)
{
    size_t width = r->load.resources.count;
    series_cell *cells = heap_new(width, sizeof(*cells));
    double *fragments = heap_new(width, sizeof(*fragments));
    replay_load_fragments(&r->load, fragments);
    for (uint32_t i = 0; i < width; i++)
        cells[i] = (series_cell){.requested = amount_of_wide(r->load.total_requested[i]),
                                 .allocatable = amount_of_wide(r->load.total_allocatable[i]),
                                 .fragmentation = fragments[i]};
    free(fragments);
    return cells;
}

/* Add rows for all sample times before `time_ns`; nothing changes until then. */
static berth_status sample_until(replay *r, int64_t time_ns, berth_error *error)
{
    if (r->series.next_ns >= time_ns)
        return BERTH_OK;
    series_counts counts;
    count(r, &counts);
    series_cell *cells = measure_cells(r);
    berth_status status = BERTH_OK;
    while (r->series.next_ns < time_ns && status == BERTH_OK)
        status =
            replay_series_add(&r->series, &counts, cells, (uint32_t)r->load.resources.count, error);
    free(cells);
    return status;
}

/* ---- time ---- */

static berth_status move_time(replay *r, int64_t time_ns, berth_error *error)
{
    berth_scheduler_counters c;
    if (time_ns <= r->now_ns)
        return BERTH_OK;
    TRY(sample_until(r, time_ns, error));
    berth_scheduler_count(r->scheduler, &c);
    uint64_t waiting = waiting_count(&c);
    r->waiting_seconds += (double)waiting * ((double)(time_ns - r->now_ns) / 1e9);
    r->waiting_peak = waiting > r->waiting_peak ? waiting : r->waiting_peak;
    replay_load_pass(&r->load, time_ns - r->now_ns);
    r->now_ns = time_ns;
    return BERTH_OK;
}

static bool is_stale(const replay *r, const heap_event *event)
{
    switch ((replay_rank)heap_event_rank(event)) {
    case RANK_CONFIRM:
    case RANK_FINISH:
        return r->records.pods[event->subject].run != event->stamp;
    case RANK_LEAVE:
        return r->records.pods[event->subject].generation != event->stamp;
    case RANK_RETURN:
    case RANK_CHANCE:
        return r->records.nodes[event->subject].stamp != event->stamp;
    }
    return true;
}

static berth_status happen(replay *r, const heap_event *event, berth_error *error)
{
    switch ((replay_rank)heap_event_rank(event)) {
    case RANK_CONFIRM:
        return replay_pod_confirm(r, event->subject, error);
    case RANK_FINISH:
        return replay_pod_leave(r, event->subject, OUTCOME_finished, error);
    case RANK_LEAVE:
        return replay_pod_leave(r, event->subject,
                                r->records.pods[event->subject].node != BERTH_NODE_NONE
                                    ? OUTCOME_finished
                                    : OUTCOME_withdrawn,
                                error);
    case RANK_RETURN:
        return replay_node_return(r, event->subject, error);
    case RANK_CHANCE:
        return r->now_ns <= r->failures_end_ns
                   ? replay_node_fail_by_chance(r, event->subject, error)
                   : BERTH_OK;
    }
    return BERTH_OK;
}

/* The next event that still counts, or NULL. */
static const heap_event *first_event(replay *r)
{
    const heap_event *first = event_heap_first(&r->events);
    while (first != NULL && is_stale(r, first)) {
        event_heap_pop(&r->events);
        first = event_heap_first(&r->events);
    }
    return first;
}

static void end_idling(replay *r)
{
    r->idle_rounds = 0;
    r->idle_since_ns = r->now_ns;
}

static berth_status happen_until_now(replay *r, berth_error *error)
{
    const heap_event *first;
    while ((first = first_event(r)) != NULL && first->time_ns <= r->now_ns) {
        const heap_event event = event_heap_pop(&r->events);
        end_idling(r);
        TRY(happen(r, &event, error));
    }
    return BERTH_OK;
}

/* ---- the queue ---- */

static berth_status step(replay *r, bool *idle, berth_error *error)
{
    berth_step result;
    uint64_t from = stopwatch_ticks(&r->watch);
    TRY(berth_scheduler_step(r->scheduler, r->now_ns, &result, error));
    r->step_ticks += stopwatch_ticks(&r->watch) - from;
    *idle = result.kind == BERTH_STEP_IDLE;
    if (result.kind == BERTH_STEP_BOUND || result.kind == BERTH_STEP_ASSUMED) {
        end_idling(r);
        replay_pod_placed(r, &result);
    }
    return r->restart_count > 0 ? replay_pod_restart_all(r, error) : BERTH_OK;
}

static berth_status run_queue(replay *r, berth_error *error)
{
    for (bool idle = false; !idle;)
        TRY(step(r, &idle, error));
    return BERTH_OK;
}

static int64_t next_time(replay *r)
{
    const heap_event *first = first_event(r);
    int64_t event_ns = first != NULL ? first->time_ns : TRACE_NEVER;
    int64_t queue_ns = berth_scheduler_next(r->scheduler);
    return event_ns < queue_ns ? event_ns : queue_ns;
}

/* Go to the next time at which something happens. Fails if the queue alone has been at work for too
 * long: waiting pods are tried again every few minutes, which would take hours for centuries. */
static berth_status go_on(replay *r, int64_t next_ns, berth_error *error)
{
    if (r->idle_rounds++ == IDLE_ROUNDS_MAX)
        return error_set(error, BERTH_E_RANGE, NULL,
                         "for %.0f days nothing happened but %d retries of pods that wait: take "
                         "shorter durations, or an earlier end (--until)",
                         (double)(r->now_ns - r->idle_since_ns) / 86400e9, IDLE_ROUNDS_MAX);
    TRY(move_time(r, next_ns, error));
    return happen_until_now(r, error);
}

/* Handle everything that happens before `time_ns`, and the queue at the present time. */
static berth_status pass_until(replay *r, int64_t time_ns, berth_error *error)
{
    for (;;) {
        TRY(run_queue(r, error));
        int64_t next_ns = next_time(r);
        if (next_ns >= time_ns)
            return BERTH_OK;
        TRY(go_on(r, next_ns, error));
    }
}

/* ---- events of the trace ---- */

static void place_error(const berth_error *origin, berth_error *error)
{
    if (origin == NULL || error->line != 0)
        return;
    snprintf(error->source, sizeof(error->source), "%s", origin->source);
    error->line = origin->line;
}

berth_status replay_refuse(replay *r, berth_status status, const berth_error *origin,
                           berth_error *error)
{
    place_error(origin, error);
    bool harmless = status == BERTH_E_EXISTS || status == BERTH_E_NOT_FOUND;
    if (!harmless || r->options.strict)
        return status;
    if (r->refused++ == 0)
        berth_error_format(error, r->refused_first, sizeof(r->refused_first));
    return BERTH_OK;
}

static berth_status apply_other(replay *r, const trace_event *event, const berth_error *origin,
                                berth_error *error)
{
    berth_status status = BERTH_OK;
    r->claims.keep_all = true;
    if (event->verb != TRACE_REMOVE)
        claim_book_see(&r->claims, &event->object);
    if (event->verb == TRACE_ADD)
        status = berth_scheduler_add(r->scheduler, r->now_ns, &event->object, NULL, error);
    else if (event->verb == TRACE_UPDATE)
        status = berth_scheduler_update(r->scheduler, r->now_ns, &event->object, error);
    else
        status = berth_scheduler_remove(r->scheduler, r->now_ns, event->kind, event->namespace_name,
                                        event->name, error);
    return status == BERTH_OK ? BERTH_OK : replay_refuse(r, status, origin, error);
}

static berth_status apply(replay *r, const trace_event *event, const berth_error *origin,
                          berth_error *error)
{
    if (event->kind == BERTH_KIND_POD) {
        if (event->verb == TRACE_ADD)
            return replay_pod_add(r, event, origin, error);
        return event->verb == TRACE_UPDATE ? replay_pod_update(r, event, origin, error)
                                           : replay_pod_remove(r, event, origin, error);
    }
    if (event->kind == BERTH_KIND_NODE) {
        if (event->verb == TRACE_ADD)
            return replay_node_add(r, event, origin, error);
        return event->verb == TRACE_UPDATE ? replay_node_update(r, event, origin, error)
                                           : replay_node_change(r, event, origin, error);
    }
    return apply_other(r, event, origin, error);
}

static void start(replay *r, int64_t time_ns)
{
    r->started = true;
    r->start_ns = r->now_ns = time_ns;
    replay_series_init(&r->series, time_ns, r->options.sample_interval_ns);
    if (r->options.until_ns != TRACE_NEVER)
        r->failures_end_ns = r->options.until_ns;
}

/* Extend the time of random failures to the times that this event names. */
static void extend_failures(replay *r, const trace_event *event)
{
    int64_t ends_ns[] = {event->time_ns, event->leave_ns,
                         trace_later(event->time_ns, event->duration_ns)};
    for (size_t i = 0; i < sizeof(ends_ns) / sizeof(ends_ns[0]); i++)
        if (ends_ns[i] != TRACE_NEVER && ends_ns[i] > r->failures_end_ns)
            r->failures_end_ns = ends_ns[i];
}

berth_status replay_event(void *context, const trace_event *event, const berth_error *origin,
                          berth_error *error)
{
    replay *r = context;
    if (!r->started)
        start(r, event->time_ns);
    if (event->time_ns > r->options.until_ns) {
        r->stopped = true;
        return BERTH_E_STATE;
    }
    if (r->options.until_ns == TRACE_NEVER)
        extend_failures(r, event);
    if (event->time_ns > r->now_ns) {
        TRY(pass_until(r, event->time_ns, error));
        TRY(move_time(r, event->time_ns, error));
        TRY(happen_until_now(r, error));
    }
    end_idling(r);
    return apply(r, event, origin, error);
}

/* ---- the end ---- */

static bool queue_is_busy(const replay *r)
{
    berth_scheduler_counters c;
    berth_scheduler_count(r->scheduler, &c);
    return c.active + c.backoff > 0;
}

/* Fail if events remain that lie at no representable time. */
static berth_status refuse_never(replay *r, berth_error *error)
{
    if (first_event(r) == NULL)
        return error_set(error, BERTH_E_INTERNAL, NULL,
                         "the replay waits for %llu events that never happen",
                         (unsigned long long)r->outstanding);
    return error_set(error, BERTH_E_RANGE, NULL,
                     "the remaining events lie beyond the latest possible time, 292 years: use "
                     "shorter durations, or an end (--until)");
}

/* Whether the replay is over. With a given end, random failures alone keep a replay going. */
static bool is_over(const replay *r)
{
    bool failures = r->options.failure_mean_ns > 0 && r->options.until_ns != TRACE_NEVER;
    return r->outstanding == 0 && !failures && !queue_is_busy(r);
}

/* Finish the replay. Once no event is left, pods in the pool would only be refused again, because
 * nothing changes any more. */
static berth_status pass_to_end(replay *r, berth_error *error)
{
    for (;;) {
        TRY(run_queue(r, error));
        if (is_over(r))
            return BERTH_OK;
        int64_t next_ns = next_time(r);
        if (next_ns > r->options.until_ns)
            break;
        if (next_ns == TRACE_NEVER)
            return refuse_never(r, error);
        TRY(go_on(r, next_ns, error));
    }
    return r->options.until_ns != TRACE_NEVER ? move_time(r, r->options.until_ns, error) : BERTH_OK;
}

/* Compare each node's sums with the engine's. */
static berth_status check_nodes(const replay *r, berth_error *error)
{
    for (berth_node_id node = 0; node < r->records.node_count; node++) {
        for (uint32_t i = 0; i < r->load.resources.count; i++) {
            int64_t allocatable = 0;
            int64_t requested = 0;
            berth_str name = word_table_get(&r->load.resources, i);
            if (r->records.nodes[node].state != NODE_PRESENT)
                continue;
            TRY(berth_engine_node_resource(r->engine, node, name, &allocatable, &requested, error));
            size_t at = (size_t)node * r->load.width + i;
            if (allocatable != r->load.allocatable[at] || requested != r->load.requested[at])
                return error_set(error, BERTH_E_INTERNAL, NULL,
                                 "the replay's sums of %.*s differ from the engine's",
                                 (int)name.len, name.data);
        }
    }
    return BERTH_OK;
}

static berth_status check(const replay *r, berth_error *error)
{
    uint64_t outcomes = 0;
    for (int i = 0; i < OUTCOME_COUNT; i++)
        outcomes += r->outcomes[i];
    if (outcomes != r->pods)
        return error_set(error, BERTH_E_INTERNAL, NULL, "pods and outcomes differ in number");
    TRY(berth_scheduler_check(r->scheduler, error));
    TRY(berth_engine_check(r->engine, error));
    return check_nodes(r, error);
}

static int by_length(const void *a, const void *b)
{
    const int64_t *left = a;
    const int64_t *right = b;
    return *left < *right ? -1 : *left > *right;
}

berth_status replay_finish(replay *r, berth_error *error)
{
    series_counts counts;
    if (!r->started)
        start(r, 0);
    TRY(pass_to_end(r, error));
    TRY(sample_until(r, r->now_ns, error));
    count(r, &counts);
    series_cell *cells = measure_cells(r);
    replay_series_close(&r->series, r->now_ns, &counts, cells, (uint32_t)r->load.resources.count);
    free(cells);
    TRY(replay_pod_end_all(r, error));
    if (r->wait_count > 0)
        qsort(r->waits_ns, r->wait_count, sizeof(*r->waits_ns), by_length);
    stopwatch_stop(&r->watch);
    return check(r, error);
}

/* ---- creation and destruction ---- */

static void configure(const replay *r, berth_scheduler_options *config, replay *context)
{
    static const int64_t second_ns = INT64_C(1000000000);
    berth_scheduler_options_init(config);
    if (r->options.backoff.initial_seconds > 0)
        config->backoff_initial_ns = r->options.backoff.initial_seconds * second_ns;
    if (r->options.backoff.max_seconds > 0)
        config->backoff_max_ns = r->options.backoff.max_seconds * second_ns;
    config->callbacks = (berth_scheduler_callbacks){
        .context = context,
        .bind = replay_on_bind,
        .unbind = replay_on_unbind,
        .evict = replay_on_evict,
    };
}

berth_status replay_open(replay *r, const replay_options *options, berth_engine *engine,
                         berth_error *error)
{
    berth_scheduler_options config;
    *r = (replay){.options = *options, .engine = engine};
    replay_records_init(&r->records);
    replay_load_init(&r->load);
    replay_records_widen(&r->records, r->load.width);
    configure(r, &config, r);
    if (options->pods_file != NULL)
        replay_pods_header(options->pods_file);
    TRY(berth_explanation_create(NULL, &r->explanation, error));
    stopwatch_start(&r->watch);
    return berth_scheduler_create(engine, &config, &r->scheduler, error);
}

void replay_close(replay *r)
{
    berth_scheduler_destroy(r->scheduler);
    berth_explanation_destroy(r->explanation);
    replay_records_free(&r->records);
    replay_load_free(&r->load);
    replay_series_free(&r->series);
    replay_reasons_free(&r->reasons);
    claim_book_free(&r->claims);
    event_heap_free(&r->events);
    free(r->restarts);
    free(r->waits_ns);
}
