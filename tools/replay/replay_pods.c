/* Handles pods in a replay: submission, placement, loss of the node, end. */
#include "replay/replay_pods.h"
#include "replay/replay_claims.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/table.h"
#include "workloads/workload_kinds.h"

enum { EXPLAINED_MAX = 1000 };

/* ---- names ---- */

static void copy_text(char out[REPLAY_NAME_BYTES], berth_str text)
{
    if (text.len > 0)
        memcpy(out, text.data, text.len);
    out[text.len] = '\0';
}

static berth_status check_name(const berth_metadata *meta, berth_error *error)
{
    if (meta->name.len < REPLAY_NAME_BYTES && meta->namespace_name.len < REPLAY_NAME_BYTES)
        return BERTH_OK;
    return error_set(error, BERTH_E_RANGE, NULL,
                     "a replay takes names and namespaces of pods of at most %d bytes",
                     REPLAY_NAME_BYTES - 1);
}

static bool is_deleting(const replay *r, berth_pod_id id)
{
    berth_pod_info info = {.size = sizeof(info)};
    return berth_engine_pod_info(r->engine, id, &info, NULL) == BERTH_OK && info.deleting;
}

static void copy_names(const replay *r, berth_pod_id id, name_copy *out)
{
    berth_str namespace_name = {0};
    berth_str name = {0};
    berth_engine_pod_name(r->engine, id, &namespace_name, &name);
    copy_text(out->namespace_name, namespace_name);
    copy_text(out->name, name);
}

static berth_status remove_pod(replay *r, const name_copy *names, bool ends, berth_error *error)
{
    return replay_claims_remove_pod(r, words_of(names->namespace_name), words_of(names->name), ends,
                                    error);
}

/* ---- outcomes ---- */

void replay_pods_header(FILE *file)
{
    fputs("namespace,name,outcome,submitted,placed,ended,node,attempts,restarts\n", file);
}

static void write_line(const replay *r, const pod_record *record, const name_copy *names,
                       replay_outcome outcome)
{
    char times[3][32] = {"", "", ""};
    berth_pod_status status;
    berth_node_id node = record->node;
    if (r->options.pods_file == NULL)
        return;
    replay_format_seconds(record->submitted_ns, times[0]);
    if (record->placed_ns != TRACE_NEVER)
        replay_format_seconds(record->placed_ns, times[1]);
    replay_format_seconds(r->now_ns, times[2]);
    berth_str node_name = berth_engine_node_name(r->engine, node);
    berth_scheduler_pod(r->scheduler, record->id, &status);
    uint32_t attempts = record->attempts + (node == BERTH_NODE_NONE ? status.attempts : 0);
    FILE *file = r->options.pods_file;
    table_csv_text(file, words_of(names->namespace_name));
    fputc(',', file);
    table_csv_text(file, words_of(names->name));
    fprintf(file, ",%s,%s,%s,%s,", replay_outcome_names[outcome], times[0], times[1], times[2]);
    table_csv_text(file, node_name);
    fprintf(file, ",%" PRIu32 ",%" PRIu32 "\n", attempts, record->restarts);
}

/* Record that a pod has left its node. */
static void unplace(replay *r, uint32_t pod)
{
    pod_record *record = &r->records.pods[pod];
    if (record->node == BERTH_NODE_NONE)
        return;
    r->outstanding -= record->finish_pending + record->on_way;
    record->finish_pending = false;
    r->placed_now--;
    replay_load_add(&r->load, record->node, replay_records_amounts(&r->records, pod), -1);
    replay_records_detach(&r->records, pod);
}

/* Record the final outcome of a pod. */
static void end(replay *r, uint32_t pod, const name_copy *names, replay_outcome outcome)
{
    const pod_record *record = &r->records.pods[pod];
    write_line(r, record, names, outcome);
    unplace(r, pod);
    r->outstanding -= record->leave_pending;
    r->outcomes[outcome]++;
    replay_records_drop_pod(&r->records, pod);
}

/* ---- reasons ---- */

static void add_rejectors(replay *r, berth_pod_id pod, const berth_pod_status *status)
{
    char text[1024] = "not explained; rejected by ";
    size_t len = strlen(text);
    for (uint32_t i = 0; i < status->rejector_count && len < sizeof(text); i++) {
        berth_str name = berth_scheduler_rejector(r->scheduler, pod, i);
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%.*s", i > 0 ? " and " : "",
                                (int)name.len, name.data);
    }
    replay_reasons_add(&r->reasons, words_of(text));
}

/* Record why a waiting pod has no node. Each explanation costs a scan, so their number is limited;
 * further pods are recorded with the plugins that rejected their last attempt. */
static berth_status explain(replay *r, berth_pod_id pod, berth_error *error)
{
    const berth_decide_options options = {
        .size = sizeof(options),
        .flags = BERTH_DECIDE_KEEP_ROTATION,
        .explanation = r->explanation,
    };
    berth_pod_status status;
    berth_placement placement;
    berth_scheduler_pod(r->scheduler, pod, &status);
    if (status.state == BERTH_POD_STATE_GONE)
        return BERTH_OK;
    if (status.attempts == 0 && status.state == BERTH_POD_STATE_ACTIVE) {
        replay_reasons_add(&r->reasons, words_of("left before its first attempt"));
        return BERTH_OK;
    }
    if (r->explained >= EXPLAINED_MAX) {
        add_rejectors(r, pod, &status);
        return BERTH_OK;
    }
    r->explained++;
    TRY(berth_engine_decide(r->engine, pod, &options, &placement, error));
    berth_str message = berth_explanation_message(r->explanation);
    if (message.data == NULL)
        message = words_of(placement.verdict == BERTH_VERDICT_PLACED
                               ? "would fit by now, and waited out its backoff"
                               : "the attempt failed with an error");
    replay_reasons_add(&r->reasons, message);
    return BERTH_OK;
}

/* ---- submission ---- */

static void measure(replay *r, uint32_t pod)
{
    replay_load_pod(&r->load, r->engine, r->records.pods[pod].id,
                    replay_records_amounts(&r->records, pod));
}

void replay_pod_measure_all(replay *r)
{
    replay_records_widen(&r->records, r->load.width);
    for (uint32_t pod = 0; pod < r->records.pod_count; pod++) {
        const pod_record *record = &r->records.pods[pod];
        if (!record->live)
            continue;
        const int64_t *amounts = replay_records_amounts(&r->records, pod);
        if (record->node != BERTH_NODE_NONE)
            replay_load_add(&r->load, record->node, amounts, -1);
        measure(r, pod);
        if (record->node != BERTH_NODE_NONE)
            replay_load_add(&r->load, record->node, amounts, 1);
    }
}

static void await_finish(replay *r, uint32_t pod)
{
    pod_record *record = &r->records.pods[pod];
    int64_t finish_ns = trace_later(r->now_ns, record->duration_ns);
    if (finish_ns == TRACE_NEVER)
        return;
    record->finish_pending = true;
    r->outstanding++;
    event_heap_push(&r->events, finish_ns, RANK_FINISH, pod, record->run);
}

/* Record that a pod is on a node. */
static void place(replay *r, uint32_t pod, berth_node_id node)
{
    replay_records_attach(&r->records, pod, node);
    replay_load_add(&r->load, node, replay_records_amounts(&r->records, pod), 1);
    r->placed_now++;
}

static berth_status refuse_orphan(const replay *r, berth_pod_id pod, berth_node_id node,
                                  const berth_error *origin, berth_error *error)
{
    name_copy names;
    berth_str name = berth_engine_node_name(r->engine, node);
    copy_names(r, pod, &names);
    error_set(error, BERTH_E_NOT_FOUND, origin != NULL ? origin->source : NULL,
              "node '%.*s' is not in the cluster", (int)name.len, name.data);
    error->line = origin != NULL ? origin->line : 0;
    error_object(error, "Pod %s/%s", names.namespace_name, names.name);
    snprintf(error->field, sizeof(error->field), "spec.nodeName");
    return BERTH_E_NOT_FOUND;
}

/* Record if an event of the trace has put the pod on a node or taken it off. */
static berth_status follow(replay *r, uint32_t pod, const berth_error *origin, berth_error *error)
{
    pod_record *record = &r->records.pods[pod];
    berth_node_id node = berth_engine_pod_node(r->engine, record->id);
    if (node == record->node)
        return BERTH_OK;
    unplace(r, pod);
    if (node == BERTH_NODE_NONE)
        return BERTH_OK;
    if (replay_records_node(&r->records, node)->state != NODE_PRESENT)
        return refuse_orphan(r, record->id, node, origin, error);
    place(r, pod, node);
    record->placed_ns = r->now_ns;
    await_finish(r, pod);
    return BERTH_OK;
}

static void keep_copy(replay *r, pod_record *record, const trace_event *event)
{
    if (!r->options.restart || !r->options.keep_copies)
        return;
    record->made_of = event->made_of;
    if (event->made_of == NULL)
        record->copy = heap_object(&event->object);
}

berth_status replay_pod_add(replay *r, const trace_event *event, const berth_error *origin,
                            berth_error *error)
{
    berth_pod_id id = BERTH_POD_NONE;
    berth_status status = check_name(&event->object.as.pod->meta, error);
    if (status == BERTH_OK)
        status = berth_scheduler_add_pod(r->scheduler, r->now_ns, event->object.as.pod, &id, error);
    if (status != BERTH_OK)
        return replay_refuse(r, status, origin, error);
    if (id == BERTH_POD_NONE) {
        r->ignored++;
        return BERTH_OK;
    }
    uint32_t pod = replay_records_add_pod(&r->records, id);
    pod_record *record = &r->records.pods[pod];
    record->submitted_ns = record->queued_ns = r->now_ns;
    record->duration_ns = event->duration_ns;
    keep_copy(r, record, event);
    r->pods++;
    measure(r, pod);
    replay_load_submit(&r->load, replay_records_amounts(&r->records, pod));
    if (event->leave_ns != TRACE_NEVER) {
        record->leave_pending = true;
        r->outstanding++;
        event_heap_push(&r->events, event->leave_ns, RANK_LEAVE, pod, record->generation);
    }
    return follow(r, pod, origin, error);
}

berth_status replay_pod_update(replay *r, const trace_event *event, const berth_error *origin,
                               berth_error *error)
{
    const berth_metadata *meta = trace_meta(event);
    berth_str namespace_name =
        meta->namespace_name.len > 0 ? meta->namespace_name : words_of("default");
    name_copy names;
    berth_pod_id id = berth_engine_find_pod(r->engine, namespace_name, meta->name);
    uint32_t pod = replay_records_find(&r->records, id);
    copy_names(r, id, &names);
    berth_status status = berth_scheduler_update(r->scheduler, r->now_ns, &event->object, error);
    if (status != BERTH_OK)
        return replay_refuse(r, status, origin, error);
    if (pod == RECORD_NONE)
        return BERTH_OK;
    berth_node_id node = r->records.pods[pod].node;
    if (berth_engine_find_pod(r->engine, namespace_name, meta->name) != id) {
        end(r, pod, &names, node != BERTH_NODE_NONE ? OUTCOME_finished : OUTCOME_withdrawn);
        return BERTH_OK;
    }
    const int64_t *amounts = replay_records_amounts(&r->records, pod);
    if (node != BERTH_NODE_NONE)
        replay_load_add(&r->load, node, amounts, -1);
    measure(r, pod);
    if (node != BERTH_NODE_NONE)
        replay_load_add(&r->load, node, amounts, 1);
    return follow(r, pod, origin, error);
}

berth_status replay_pod_remove(replay *r, const trace_event *event, const berth_error *origin,
                               berth_error *error)
{
    berth_pod_id id = berth_engine_find_pod(r->engine, event->namespace_name, event->name);
    uint32_t pod = replay_records_find(&r->records, id);
    if (id == BERTH_POD_NONE || pod == RECORD_NONE) {
        error_set(error, BERTH_E_NOT_FOUND, NULL, "there is no such pod (any more)");
        error_object(error, "Pod %.*s/%.*s", (int)event->namespace_name.len,
                     event->namespace_name.data, (int)event->name.len, event->name.data);
        return replay_refuse(r, BERTH_E_NOT_FOUND, origin, error);
    }
    bool placed = r->records.pods[pod].node != BERTH_NODE_NONE;
    return replay_pod_leave(r, pod, placed ? OUTCOME_removed : OUTCOME_withdrawn, error);
}

/* ---- placement ---- */

/* Record that the pod is bound: its wait ends, and its run begins. */
static void begin_run(replay *r, uint32_t pod)
{
    pod_record *record = &r->records.pods[pod];
    int64_t wait_ns = r->now_ns - record->queued_ns;
    record->placed_ns = r->now_ns;
    if (wait_ns == 0) {
        r->waitless++;
    } else {
        r->waits_ns =
            heap_grow(r->waits_ns, &r->wait_capacity, r->wait_count + 1, sizeof(*r->waits_ns));
        r->waits_ns[r->wait_count++] = wait_ns;
    }
    await_finish(r, pod);
}

void replay_pod_placed(replay *r, const berth_step *step)
{
    uint32_t pod = replay_records_find(&r->records, step->pod);
    pod_record *record = &r->records.pods[pod];
    place(r, pod, step->placement.node);
    record->attempts += step->attempt;
    r->placements++;
    r->digest = workload_hash(r->digest ^ (uint64_t)r->now_ns, step->pod, step->placement.node);
    if (step->kind == BERTH_STEP_BOUND) {
        begin_run(r, pod);
        return;
    }
    record->on_way = true;
    record->binding = step->binding;
    r->outstanding++;
    event_heap_push(&r->events, trace_later(r->now_ns, r->options.bind_latency_ns), RANK_CONFIRM,
                    pod, record->run);
}

berth_status replay_pod_confirm(replay *r, uint32_t pod, berth_error *error)
{
    pod_record *record = &r->records.pods[pod];
    record->on_way = false;
    r->outstanding--;
    berth_status status =
        berth_scheduler_bind_done(r->scheduler, record->binding, BERTH_ANSWER_DONE, error);
    if (status != BERTH_OK)
        return error_set(error, status, NULL, "%s", berth_status_text(status));
    TRY(berth_scheduler_advance(r->scheduler, r->now_ns, error));
    begin_run(r, pod);
    return BERTH_OK;
}

berth_answer replay_on_bind(void *context, const berth_binding *binding)
{
    const replay *r = context;
    (void)binding;
    return r->options.bind_latency_ns > 0 ? BERTH_ANSWER_LATER : BERTH_ANSWER_DONE;
}

void replay_on_unbind(void *context, const berth_binding *binding, berth_unbind_reason reason)
{
    replay *r = context;
    (void)reason;
    uint32_t pod = replay_records_find(&r->records, binding->pod);
    if (pod != RECORD_NONE)
        unplace(r, pod);
}

/* ---- leaving ---- */

berth_status replay_pod_leave(replay *r, uint32_t pod, replay_outcome outcome, berth_error *error)
{
    name_copy names;
    berth_pod_id id = r->records.pods[pod].id;
    if (outcome == OUTCOME_withdrawn)
        TRY(explain(r, id, error));
    copy_names(r, id, &names);
    end(r, pod, &names, outcome);
    return remove_pod(r, &names, true, error);
}

/* Take a pod off its node and keep it for a new submission. */
static void set_aside(replay *r, uint32_t pod)
{
    unplace(r, pod);
    r->restarts =
        heap_grow(r->restarts, &r->restart_capacity, r->restart_count + 1, sizeof(*r->restarts));
    pod_restart *restart = &r->restarts[r->restart_count++];
    restart->pod = pod;
    copy_names(r, r->records.pods[pod].id, &restart->names);
}

/* Whether a pod is submitted again. Not if it is being deleted: its controller has replaced it
 * already. */
static bool can_restart(const replay *r, uint32_t pod)
{
    const pod_record *record = &r->records.pods[pod];
    return (record->copy != NULL || record->made_of != NULL) && !is_deleting(r, record->id);
}

berth_status replay_pod_lose(replay *r, uint32_t pod, berth_error *error)
{
    name_copy names;
    copy_names(r, r->records.pods[pod].id, &names);
    bool again = can_restart(r, pod);
    r->lost++;
    if (again)
        set_aside(r, pod);
    else
        end(r, pod, &names, OUTCOME_lost);
    return remove_pod(r, &names, !again, error);
}

berth_answer replay_on_evict(void *context, const berth_eviction *eviction)
{
    replay *r = context;
    uint32_t pod = replay_records_find(&r->records, eviction->victim);
    if (pod == RECORD_NONE)
        return BERTH_ANSWER_DONE;
    name_copy names;
    copy_names(r, eviction->victim, &names);
    r->evicted++;
    if (can_restart(r, pod))
        set_aside(r, pod);
    else
        end(r, pod, &names, OUTCOME_evicted);
    return BERTH_ANSWER_DONE;
}

static berth_status submit_again(replay *r, const pod_restart *restart, berth_error *error)
{
    pod_record *record = &r->records.pods[restart->pod];
    const berth_object *made = record->copy != NULL ? record->copy : record->made_of;
    berth_pod again = *made->as.pod;
    again.meta.namespace_name = words_of(restart->names.namespace_name);
    again.meta.name = words_of(restart->names.name);
    if (again.resource_claim_status_count == 0) /* claims identify their pod by it */
        again.meta.uid = (berth_str){0};
    again.node_name = (berth_str){0};
    again.phase = (berth_str){0};
    again.nominated_node_name = (berth_str){0};
    again.start_time_ns = 0;
    again.condition_count = 0;
    berth_pod_id id = BERTH_POD_NONE;
    TRY(berth_scheduler_add_pod(r->scheduler, r->now_ns, &again, &id, error));
    replay_records_renew_pod(&r->records, restart->pod, id);
    record->queued_ns = r->now_ns;
    record->restarts++;
    r->restarted++;
    return BERTH_OK;
}

berth_status replay_pod_restart_all(replay *r, berth_error *error)
{
    for (size_t i = 0; i < r->restart_count; i++)
        TRY(submit_again(r, &r->restarts[i], error));
    r->restart_count = 0;
    return BERTH_OK;
}

/* ---- the end ---- */

static replay_outcome outcome_of(const replay *r, const pod_record *record)
{
    berth_pod_status status;
    berth_scheduler_pod(r->scheduler, record->id, &status);
    switch (status.state) {
    case BERTH_POD_STATE_GATED:
        return OUTCOME_gated;
    case BERTH_POD_STATE_GONE:
        return is_deleting(r, record->id) ? OUTCOME_terminating : OUTCOME_passed_over;
    case BERTH_POD_STATE_ASSUMED:
    case BERTH_POD_STATE_BOUND:
        return OUTCOME_running;
    default:
        return OUTCOME_waiting;
    }
}

static int by_submission(const void *a, const void *b)
{
    const pod_record *left = *(const pod_record *const *)a;
    const pod_record *right = *(const pod_record *const *)b;
    if (left->submitted_ns != right->submitted_ns)
        return left->submitted_ns < right->submitted_ns ? -1 : 1;
    return left < right ? -1 : left > right;
}

berth_status replay_pod_end_all(replay *r, berth_error *error)
{
    size_t count = 0;
    berth_status status = BERTH_OK;
    const pod_record **left = heap_new(r->records.live_count, sizeof(*left));
    for (size_t pod = 0; pod < r->records.pod_count; pod++)
        if (r->records.pods[pod].live)
            left[count++] = &r->records.pods[pod];
    if (count > 0)
        qsort(left, count, sizeof(*left), by_submission);
    for (size_t i = 0; i < count && status == BERTH_OK; i++) {
        replay_outcome outcome = outcome_of(r, left[i]);
        int64_t wait_ns = r->now_ns - left[i]->queued_ns;
        name_copy names;
        if (outcome == OUTCOME_waiting) {
            status = explain(r, left[i]->id, error);
            if (wait_ns > r->longest_still_ns)
                r->longest_still_ns = wait_ns;
        }
        copy_names(r, left[i]->id, &names);
        write_line(r, left[i], &names, outcome);
        r->outcomes[outcome]++;
    }
    free(left);
    return status;
}
