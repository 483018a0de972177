/* The loops of the Python package over calls of the library. */
#include "batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static berth_status fail(berth_error *error, berth_status code, const char *message)
{
    memset(error, 0, sizeof(*error));
    error->code = code;
    error->offset = UINT64_MAX;
    snprintf(error->message, sizeof(error->message), "%s", message);
    return code;
}

static berth_status out_of_memory(berth_error *error)
{
    return fail(error, BERTH_E_NOMEM, "no memory for a result");
}

static bool cancelled(const berth_py_call *call)
{
    return __atomic_load_n(&call->cancel, __ATOMIC_RELAXED) != 0;
}

static berth_status end_early(berth_error *error)
{
    return fail(error, BERTH_E_CANCELLED, "the call was cancelled");
}

/* ---- lists ---- */

/* Makes room for `more` entries of `entry` bytes after the first `count`. */
static bool grow(void **items, uint64_t count, uint64_t *capacity, uint64_t more, size_t entry)
{
    if (more <= *capacity - count)
        return true;
    uint64_t wanted = *capacity * 2 > count + more ? *capacity * 2 : count + more + 64;
    void *larger = realloc(*items, wanted * entry);
    if (larger == NULL)
        return false;
    *items = larger;
    *capacity = wanted;
    return true;
}

static bool ids_append(berth_py_ids *ids, uint64_t id)
{
    void *items = ids->items;
    if (!grow(&items, ids->count, &ids->capacity, 1, sizeof(uint64_t)))
        return false;
    ids->items = items;
    ids->items[ids->count++] = id;
    return true;
}

void berth_py_ids_free(berth_py_ids *ids)
{
    free(ids->items);
    *ids = (berth_py_ids){0};
}

void berth_py_narrow(const berth_py_ids *ids, uint32_t *out)
{
    for (uint64_t i = 0; i < ids->count; i++)
        out[i] = (uint32_t)ids->items[i];
}

/* Append a part of a text; the `last` part is followed by a zero byte. */
static bool text_append(berth_py_text *text, berth_str part, bool last)
{
    void *data = text->data;
    if (!grow(&data, text->bytes, &text->capacity, (uint64_t)part.len + 1, 1))
        return false;
    text->data = data;
    if (part.data != NULL)
        memcpy(text->data + text->bytes, part.data, part.len);
    text->bytes += part.len;
    if (last)
        text->data[text->bytes++] = '\0';
    return true;
}

void berth_py_text_free(berth_py_text *text)
{
    free(text->data);
    *text = (berth_py_text){0};
}

/* ---- decisions ---- */

static void put_placement(const berth_py_columns *out, uint64_t i, const berth_placement *placement)
{
    out->verdicts[i] = (uint8_t)placement->verdict;
    out->nodes[i] = placement->node;
    out->feasible[i] = placement->feasible_count;
    out->best[i] = placement->best_count;
    out->totals[i] = placement->total;
}

berth_status berth_py_decide(berth_engine *engine, const berth_py_call *call,
                             berth_py_decision what, const uint64_t *pods, uint64_t count,
                             const berth_py_columns *out, uint64_t *done, uint64_t *placed,
                             berth_error *error)
{
    uint64_t i = 0;
    berth_status status = BERTH_OK;
    for (*placed = 0; i < count; i++) {
        berth_placement placement;
        if (cancelled(call))
            status = end_early(error);
        else if (what == BERTH_PY_SCHEDULE)
            status = berth_engine_schedule(engine, pods[i], &placement, error);
        else
            status = berth_engine_decide(engine, pods[i], NULL, &placement, error);
        if (status != BERTH_OK)
            break;
        put_placement(out, i, &placement);
        *placed += placement.verdict == BERTH_VERDICT_PLACED;
    }
    *done = i;
    return status;
}

/* Placements of pods that were not tried. */
static berth_placement *untried(uint32_t count)
{
    berth_placement *placements = calloc((size_t)count + 1, sizeof(*placements));
    for (uint32_t i = 0; i < count && placements != NULL; i++)
        placements[i] =
            (berth_placement){.verdict = BERTH_VERDICT_UNSCHEDULABLE, .node = BERTH_NODE_NONE};
    return placements;
}

static void take_eviction(void *context, berth_pod_id victim, berth_node_id node,
                          uint32_t preemptor)
{
    berth_py_evictions *to = context;
    if (to->count == to->capacity) {
        const uint32_t capacity = to->capacity > 0 ? 2 * to->capacity : 16;
        berth_py_eviction *items = realloc(to->items, capacity * sizeof(*items));
        to->failed |= items == NULL;
        if (items == NULL)
            return;
        to->items = items;
        to->capacity = capacity;
    }
    to->items[to->count++] = (berth_py_eviction){victim, node, preemptor};
}

void berth_py_evictions_free(berth_py_evictions *evictions)
{
    free(evictions->items);
}

/* In a transaction, which takes the evictions back if there is no memory for their list. */
static berth_status schedule_preempting(berth_engine *engine, const uint64_t *pods, uint32_t count,
                                        const berth_group_options *options,
                                        berth_placement *placements, uint32_t *fitted,
                                        berth_error *error)
{
    const berth_py_evictions *evictions = options->context;
    berth_status status = berth_engine_begin(engine, error);
    if (status != BERTH_OK)
        return status;
    status = berth_engine_schedule_pods(engine, pods, count, options, placements, fitted, error);
    if (status == BERTH_OK && evictions->failed)
        status = out_of_memory(error);
    (void)(status == BERTH_OK ? berth_engine_commit(engine, NULL)
                              : berth_engine_rollback(engine, NULL));
    return status;
}

berth_status berth_py_schedule_pods(berth_engine *engine, const berth_py_call *call,
                                    const uint64_t *pods, uint32_t count, uint32_t flags,
                                    uint32_t minimum, const berth_py_columns *out,
                                    berth_py_evictions *evictions, uint32_t *fitted,
                                    berth_error *error)
{
    const berth_group_options options = {sizeof(options), flags,         minimum,
                                         &call->cancel,   take_eviction, evictions};
    berth_placement *placements = untried(count);
    if (placements == NULL)
        return out_of_memory(error);
    berth_status status =
        (flags & BERTH_GROUP_PREEMPT) != 0
            ? schedule_preempting(engine, pods, count, &options, placements, fitted, error)
            : berth_engine_schedule_pods(engine, pods, count, &options, placements, fitted, error);
    const bool valid = status == BERTH_OK || status == BERTH_E_CANCELLED;
    for (uint32_t i = 0; i < count && valid; i++)
        put_placement(out, i, &placements[i]);
    free(placements);
    return status;
}

berth_status berth_py_fit_count(berth_engine *engine, const berth_py_call *call, uint64_t like,
                                uint32_t limit, uint32_t *nodes, berth_explanation *explanation,
                                uint32_t *count, berth_error *error)
{
    const berth_fit_count_options options = {sizeof(options), limit, nodes, explanation,
                                             &call->cancel};
    return berth_engine_fit_count_with(engine, like, &options, count, error);
}

berth_status berth_py_bind(berth_engine *engine, const berth_py_call *call, const uint64_t *pods,
                           const uint32_t *nodes, uint64_t count, uint64_t *done,
                           berth_error *error)
{
    berth_status status = BERTH_OK;
    uint64_t i = 0;
    for (; i < count; i++) {
        if (cancelled(call))
            status = end_early(error);
        else if (nodes != NULL)
            status = berth_engine_bind(engine, pods[i], nodes[i], error);
        else
            status = berth_engine_unbind(engine, pods[i], error);
        if (status != BERTH_OK)
            break;
    }
    *done = i;
    return status;
}

berth_status berth_py_add_like(berth_engine *engine, const berth_py_call *call, berth_pod_id like,
                               const char *names, uint64_t count, uint64_t *pods, uint64_t *done,
                               berth_error *error)
{
    berth_status status = BERTH_OK;
    uint64_t i = 0;
    for (; i < count; i++) {
        const berth_str name = {names, (uint32_t)strlen(names)};
        status = cancelled(call) ? end_early(error)
                                 : berth_engine_add_like(engine, like, name, &pods[i], error);
        if (status != BERTH_OK)
            break;
        names += name.len + 1;
    }
    *done = i;
    return status;
}

berth_status berth_py_remove_pods(berth_engine *engine, const berth_py_call *call,
                                  const uint64_t *pods, uint64_t count, uint64_t *done,
                                  berth_error *error)
{
    berth_status status = BERTH_OK;
    uint64_t i = 0;
    for (; i < count; i++) {
        berth_str namespace_name, name;
        berth_engine_pod_name(engine, pods[i], &namespace_name, &name);
        status = cancelled(call)
                     ? end_early(error)
                     : berth_engine_remove(engine, BERTH_KIND_POD, namespace_name, name, error);
        if (status != BERTH_OK)
            break;
    }
    *done = i;
    return status;
}

/* ---- looking ---- */

static berth_str node_name(const berth_py_source *source, uint32_t node)
{
    return source->engine != NULL ? berth_engine_node_name(source->engine, node)
                                  : berth_snapshot_node_name(source->snapshot, node);
}

berth_status berth_py_node_names(const berth_py_source *source, const uint32_t *nodes,
                                 uint64_t count, berth_py_text *out, berth_error *error)
{
    for (uint64_t i = 0; i < count; i++)
        if (!text_append(out, node_name(source, nodes[i]), true))
            return out_of_memory(error);
    return BERTH_OK;
}

berth_status berth_py_pod_names(const berth_py_source *source, const uint64_t *pods, uint64_t count,
                                berth_py_text *out, berth_error *error)
{
    for (uint64_t i = 0; i < count; i++) {
        berth_str namespace_name, name;
        if (source->engine != NULL)
            berth_engine_pod_name(source->engine, pods[i], &namespace_name, &name);
        else
            berth_snapshot_pod_name(source->snapshot, pods[i], &namespace_name, &name);
        const berth_str slash = {"/", name.data != NULL ? 1 : 0};
        if (!text_append(out, namespace_name, false) || !text_append(out, slash, false) ||
            !text_append(out, name, true))
            return out_of_memory(error);
    }
    return BERTH_OK;
}

berth_status berth_py_node_labels(const berth_py_source *source, const uint32_t *nodes,
                                  uint64_t count, berth_str key, uint8_t *has, berth_py_text *out,
                                  berth_error *error)
{
    for (uint64_t i = 0; i < count; i++) {
        const berth_str value = source->engine != NULL
                                    ? berth_engine_node_label(source->engine, nodes[i], key)
                                    : berth_snapshot_node_label(source->snapshot, nodes[i], key);
        has[i] = value.data != NULL;
        if (!text_append(out, value, true))
            return out_of_memory(error);
    }
    return BERTH_OK;
}

void berth_py_pod_nodes(const berth_py_source *source, const uint64_t *pods, uint64_t count,
                        uint32_t *nodes)
{
    for (uint64_t i = 0; i < count; i++)
        nodes[i] = source->engine != NULL ? berth_engine_pod_node(source->engine, pods[i])
                                          : berth_snapshot_pod_node(source->snapshot, pods[i]);
}

berth_status berth_py_node_resources(const berth_py_source *source, const uint32_t *nodes,
                                     uint64_t count, berth_str resource, int64_t *allocatable,
                                     int64_t *requested, berth_error *error)
{
    berth_status status = BERTH_OK;
    for (uint64_t i = 0; i < count && status == BERTH_OK; i++)
        status = source->engine != NULL
                     ? berth_engine_node_resource(source->engine, nodes[i], resource,
                                                  &allocatable[i], &requested[i], error)
                     : berth_snapshot_node_resource(source->snapshot, nodes[i], resource,
                                                    &allocatable[i], &requested[i], error);
    return status;
}

berth_status berth_py_snapshot_nodes(const berth_snapshot *snapshot, berth_py_ids *out,
                                     berth_error *error)
{
    const uint32_t limit = berth_snapshot_node_limit(snapshot);
    for (uint32_t node = 0; node < limit; node++)
        if (berth_snapshot_node_present(snapshot, node) && !ids_append(out, node))
            return out_of_memory(error);
    return BERTH_OK;
}

berth_status berth_py_snapshot_pods(const berth_snapshot *snapshot, uint32_t node,
                                    berth_py_ids *out, berth_error *error)
{
    berth_pod_id pod = berth_snapshot_next_pod(snapshot, node, BERTH_POD_NONE);
    for (; pod != BERTH_POD_NONE; pod = berth_snapshot_next_pod(snapshot, node, pod))
        if (!ids_append(out, pod))
            return out_of_memory(error);
    return BERTH_OK;
}

/* ---- objects in ---- */

void berth_py_sink_free(berth_py_sink *sink)
{
    berth_py_ids_free(&sink->nodes);
    berth_py_ids_free(&sink->pods);
    berth_py_text_free(&sink->notes);
    for (uint64_t i = 0; i < sink->copy_count; i++)
        berth_object_destroy(sink->copies[i]);
    free(sink->copies);
    sink->copies = NULL;
    sink->copy_count = sink->copy_capacity = 0;
}

enum { NOTES_MAX = 1000 };

static berth_str text_of(const char *from)
{
    return (berth_str){from, (uint32_t)strlen(from)};
}

static void on_note(void *context, const berth_note *note)
{
    berth_py_sink *sink = context;
    char numbers[3][16];
    snprintf(numbers[0], sizeof(numbers[0]), "%u", (unsigned)note->what);
    snprintf(numbers[1], sizeof(numbers[1]), "%u", (unsigned)note->place->line);
    snprintf(numbers[2], sizeof(numbers[2]), "%u", (unsigned)note->place->column);
    const berth_str texts[] = {text_of(numbers[0]),
                               text_of(note->place->source),
                               text_of(numbers[1]),
                               text_of(numbers[2]),
                               text_of(note->place->object),
                               text_of(note->place->field),
                               note->kind,
                               note->api_version,
                               note->namespace_name,
                               note->name,
                               note->word,
                               note->suggestion};
    uint64_t before = sink->notes.bytes;
    bool ok = sink->note_count < NOTES_MAX;
    for (size_t i = 0; ok && i < sizeof(texts) / sizeof(texts[0]); i++) {
        berth_str text = texts[i];
        if (text.len > 0) /* for Python, a zero byte would end the text */
            text.len = (uint32_t)strnlen(text.data, text.len);
        ok = text_append(&sink->notes, text, true);
    }
    if (ok)
        sink->note_count++;
    else
        sink->notes.bytes = before;
}

void berth_py_hear_notes(berth_py_sink *sink, berth_read_options *options)
{
    options->note = on_note;
    options->note_context = sink;
}

static berth_status keep_copy(berth_py_sink *sink, const berth_object *object, berth_error *error)
{
    void *copies = sink->copies;
    if (!grow(&copies, sink->copy_count, &sink->copy_capacity, 1, sizeof(*sink->copies)))
        return out_of_memory(error);
    sink->copies = copies;
    berth_status status = berth_object_copy(object, NULL, &sink->copies[sink->copy_count], error);
    sink->copy_count += status == BERTH_OK;
    return status;
}

static berth_status change(const berth_py_sink *sink, berth_py_change what,
                           const berth_object *object, berth_object_id *id, berth_error *error)
{
    switch (what) {
    case BERTH_PY_UPDATE:
    case BERTH_PY_APPLY:
        return sink->scheduler != NULL
                   ? berth_scheduler_update(sink->scheduler, sink->now_ns, object, error)
                   : berth_engine_update(sink->engine, object, error);
    case BERTH_PY_POST_ADD:
        return berth_scheduler_post_add(sink->scheduler, object, error);
    case BERTH_PY_POST_UPDATE:
        return berth_scheduler_post_update(sink->scheduler, object, error);
    case BERTH_PY_ADD:
    case BERTH_PY_COPY:
        break;
    }
    return sink->scheduler != NULL
               ? berth_scheduler_add(sink->scheduler, sink->now_ns, object, id, error)
               : berth_engine_add(sink->engine, object, id, error);
}

/* Add the place of the refused object to an error that lacks it. */
static void locate(berth_error *error, const berth_error *origin)
{
    if (error->source[0] == '\0')
        memcpy(error->source, origin->source, sizeof(error->source));
    if (error->object[0] == '\0')
        memcpy(error->object, origin->object, sizeof(error->object));
    if (error->line == 0) {
        error->line = origin->line;
        error->column = origin->column;
        error->offset = origin->offset;
    }
}

static berth_status on_object(void *context, const berth_object *object, const berth_error *origin,
                              berth_error *error)
{
    berth_py_sink *sink = context;
    if (sink->change == BERTH_PY_COPY)
        return keep_copy(sink, object, error);
    berth_object_id id = {.node = BERTH_NODE_NONE, .pod = BERTH_POD_NONE};
    berth_status status = change(sink, sink->change, object, &id, error);
    if (status == BERTH_E_NOT_FOUND && sink->change == BERTH_PY_APPLY)
        status = change(sink, BERTH_PY_ADD, object, &id, error);
    if (status != BERTH_OK) {
        locate(error, origin);
        return status;
    }
    sink->objects++;
    if (id.node != BERTH_NODE_NONE && !ids_append(&sink->nodes, id.node))
        return out_of_memory(error);
    if (id.pod != BERTH_POD_NONE && !ids_append(&sink->pods, id.pod))
        return out_of_memory(error);
    return BERTH_OK;
}

void berth_py_hear_cancel(const berth_py_call *call, berth_read_options *options)
{
    options->cancel = &call->cancel;
}

berth_status berth_py_read_file(berth_reader *reader, const char *path, berth_py_sink *sink,
                                berth_error *error)
{
    return berth_reader_file(reader, path, on_object, sink, error);
}

berth_status berth_py_read_text(berth_reader *reader, const char *text, uint64_t bytes,
                                const char *source, berth_py_sink *sink, berth_error *error)
{
    if (bytes > UINT32_MAX)
        return fail(error, BERTH_E_RANGE, "a text has at most 4 GiB: read it from a file");
    const berth_str all = {text, (uint32_t)bytes};
    return berth_reader_text(reader, all, source, on_object, sink, error);
}

berth_status berth_py_read_finish(berth_reader *reader, berth_py_sink *sink, berth_error *error)
{
    return berth_reader_finish(reader, sink->engine, on_object, sink, error);
}

berth_status berth_py_add_nodes(berth_engine *engine, const berth_py_sink *sink, uint32_t count,
                                uint32_t *nodes, berth_error *error)
{
    berth_node_template from = {.size = sizeof(from)};
    berth_pod *pods = calloc(sink->copy_count + 1, sizeof(*pods));
    if (pods == NULL)
        return out_of_memory(error);
    uint32_t node_count = 0;
    for (uint64_t i = 0; i < sink->copy_count; i++) {
        const berth_object *object = sink->copies[i];
        if (object->kind == BERTH_KIND_NODE) {
            from.node = object->as.node;
            node_count++;
        } else if (object->kind == BERTH_KIND_POD) {
            pods[from.pod_count++] = *object->as.pod;
        } else if (object->kind == BERTH_KIND_CSI_NODE) {
            from.csi_node = object->as.csi_node;
        }
    }
    from.pods = pods;
    berth_status status = BERTH_E_ARG;
    if (node_count == 1)
        status = berth_engine_add_nodes(engine, &from, count, nodes, error);
    else
        fail(error, BERTH_E_ARG, "a template has one Node");
    free(pods);
    return status;
}

/* ---- objects out ---- */

static berth_status on_text(void *context, berth_str piece, berth_error *error)
{
    return text_append(context, piece, false) ? BERTH_OK : out_of_memory(error);
}

berth_status berth_py_dump(berth_engine *engine, berth_py_text *out, berth_error *error)
{
    return berth_engine_dump(engine, on_text, out, error);
}

berth_status berth_py_object(const berth_engine *engine, uint64_t pod, uint32_t node,
                             berth_py_text *out, berth_error *error)
{
    berth_object *object;
    berth_status status = pod != BERTH_POD_NONE
                              ? berth_engine_pod_object(engine, pod, NULL, &object, error)
                              : berth_engine_node_object(engine, node, NULL, &object, error);
    if (status != BERTH_OK)
        return status;
    status = berth_object_write(object, on_text, out, error);
    berth_object_destroy(object);
    return status;
}

/* ---- the loop ---- */

berth_status berth_py_run(berth_scheduler *scheduler, const berth_py_call *call, int64_t now_ns,
                          uint64_t count, const volatile uint8_t *stop, const berth_py_steps *out,
                          uint64_t *done, berth_error *error)
{
    berth_status status = BERTH_OK;
    uint64_t i = 0;
    while (i < count && !*stop) {
        berth_step step;
        status = cancelled(call) ? end_early(error)
                                 : berth_scheduler_step(scheduler, now_ns, &step, error);
        if (status != BERTH_OK || step.kind == BERTH_STEP_IDLE)
            break;
        out->kinds[i] = (uint8_t)step.kind;
        out->pods[i] = step.pod;
        out->nodes[i] = step.placement.node;
        out->attempts[i] = step.attempt;
        out->bindings[i] = step.binding;
        i++;
    }
    *done = i;
    return status;
}
