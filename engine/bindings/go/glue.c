/* Operations on engines and snapshots that need one crossing each. */
#include "glue.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- making ---- */

bg_box *bg_box_new(berth_engine *engine)
{
    bg_box *box = calloc(1, sizeof(*box));
    if (box != NULL)
        box->engine = engine;
    return box;
}

void bg_box_free(bg_box *box)
{
    bg_flat_drop(box);
    berth_explanation_destroy(box->explanation);
    free(box);
}

static int no_memory(berth_error *error)
{
    memset(error, 0, sizeof(*error));
    error->code = BERTH_E_NOMEM;
    error->offset = UINT64_MAX;
    strcpy(error->message, "out of memory");
    return BERTH_E_NOMEM;
}

static berth_status read_configuration(const bg_open *open, berth_scheduler_config **out,
                                       berth_error *error)
{
    if (open->configuration_file != NULL)
        return berth_scheduler_config_file(open->configuration_file, open->kubernetes, out, error);
    if (open->configuration.data != NULL)
        return berth_scheduler_config_text(open->configuration, "configuration", open->kubernetes,
                                           out, error);
    return BERTH_OK;
}

int bg_engine_open(const bg_open *open, bg_box **out, berth_error *error)
{
    berth_scheduler_config *configuration = NULL;
    berth_engine_config config;
    bg_box *box = bg_box_new(NULL);
    if (box == NULL)
        return no_memory(error);
    berth_engine_config_init(&config);
    config.threads = open->threads;
    config.path = (berth_path)open->path;
    config.seed = open->seed;
    config.kubernetes = open->kubernetes;
    config.feature_gates = open->feature_gates;
    config.bind_workers = open->bind_workers;
    config.huge_pages = (berth_huge_pages)open->huge_pages;
    config.attached_volumes_max = open->attached_volumes_max;
    config.keep_objects = open->keep_objects;
    config.check_plugins = open->check_plugins;
    config.memory_limit_bytes = open->memory_limit_bytes;
    config.annotation_keys = open->annotation_keys;
    config.plugins = open->plugins;
    config.plugin_count = open->plugin_count;
    berth_status status = read_configuration(open, &configuration, error);
    if (status == BERTH_OK) {
        if (configuration != NULL) {
            config.profiles = berth_scheduler_config_profiles(configuration, &config.profile_count);
            box->backoff = berth_scheduler_config_backoff(configuration);
        }
        status = berth_engine_create(&config, &box->engine, error);
    }
    berth_scheduler_config_destroy(configuration);
    if (status != BERTH_OK) {
        bg_box_free(box);
        return status;
    }
    *out = box;
    return BERTH_OK;
}

static void write_filters(FILE *to, const berth_profile *profile)
{
    const berth_plugin_list list = berth_profile_list(profile, BERTH_POINT_FILTER);
    const berth_str name = profile->scheduler_name;
    if (name.data == NULL)
        fputs("default-scheduler", to);
    else
        fwrite(name.data, 1, name.len, to);
    for (uint32_t i = 0; i < list.count; i++)
        fprintf(to, " %.*s", (int)list.items[i].name.len, list.items[i].name.data);
    fputc('\n', to);
}

int bg_config_filters(const bg_open *open, char **out, berth_error *error)
{
    berth_scheduler_config *configuration = NULL;
    uint32_t count = 1;
    size_t bytes = 0;
    berth_status status = read_configuration(open, &configuration, error);
    if (status != BERTH_OK)
        return status;
    const berth_profile *profiles = configuration != NULL
                                        ? berth_scheduler_config_profiles(configuration, &count)
                                        : berth_profile_default_of(open->kubernetes);
    FILE *to = open_memstream(out, &bytes);
    for (uint32_t i = 0; to != NULL && profiles != NULL && i < count; i++)
        write_filters(to, &profiles[i]);
    berth_scheduler_config_destroy(configuration);
    return to != NULL && fclose(to) == 0 ? BERTH_OK : no_memory(error);
}

/* ---- objects ---- */

static berth_object object_of(uint32_t kind, const void *object)
{
    berth_object out = {.kind = (berth_kind)kind};
    out.as.any = object;
    return out;
}

int bg_add(bg_box *box, uint32_t kind, const void *object)
{
    berth_object given = object_of(kind, object);
    berth_object_id id = {.node = BERTH_NODE_NONE, .pod = BERTH_POD_NONE};
    berth_status status = berth_engine_add(box->engine, &given, &id, &box->error);
    box->node = id.node;
    box->pod = id.pod;
    return status;
}

int bg_update(bg_box *box, uint32_t kind, const void *object)
{
    berth_object given = object_of(kind, object);
    return berth_engine_update(box->engine, &given, &box->error);
}

int bg_remove(bg_box *box, uint32_t kind, berth_str namespace_name, berth_str name)
{
    return berth_engine_remove(box->engine, (berth_kind)kind, namespace_name, name, &box->error);
}

int bg_add_pods(bg_box *box, const berth_pod *pods, uint32_t count, uint64_t *ids)
{
    berth_status status = BERTH_OK;
    for (box->done = 0; box->done < count; box->done++) {
        berth_pod_id id;
        status = berth_engine_add_pod(box->engine, &pods[box->done], &id, &box->error);
        if (status != BERTH_OK)
            break;
        if (ids != NULL)
            ids[box->done] = id;
    }
    return status;
}

int bg_add_nodes(bg_box *box, const berth_node *nodes, uint32_t count, uint32_t *ids)
{
    berth_status status = BERTH_OK;
    for (box->done = 0; box->done < count; box->done++) {
        berth_node_id id;
        status = berth_engine_add_node(box->engine, &nodes[box->done], &id, &box->error);
        if (status != BERTH_OK)
            break;
        if (ids != NULL)
            ids[box->done] = id;
    }
    return status;
}

/* Writes `prefix` and a number, cut to `size`; returns the length. */
static uint32_t numbered(char *out, size_t size, const char *prefix, uint32_t len, uint64_t number)
{
    char digits[20];
    uint32_t digit_count = 0, used = len < size - sizeof(digits) ? len : size - sizeof(digits);
    memcpy(out, prefix, used);
    do {
        digits[digit_count++] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    while (digit_count > 0)
        out[used++] = digits[--digit_count];
    return used;
}

int bg_add_like(bg_box *box, uint64_t like, const char *prefix, uint32_t len, uint32_t count,
                uint64_t first, uint64_t *ids)
{
    char name[320];
    berth_status status = BERTH_OK;
    for (box->done = 0; box->done < count; box->done++) {
        berth_str text = {name, numbered(name, sizeof(name), prefix, len, first + box->done)};
        status = berth_engine_add_like(box->engine, like, text, &ids[box->done], &box->error);
        if (status != BERTH_OK)
            break;
    }
    return status;
}

static berth_status add_read(void *context, const berth_object *object, const berth_error *origin,
                             berth_error *error)
{
    bg_box *box = context;
    berth_status status = berth_engine_add(box->engine, object, NULL, error);
    if (status == BERTH_OK) {
        box->done++;
        return status;
    }
    memcpy(error->source, origin->source, sizeof(error->source));
    error->line = origin->line;
    error->column = origin->column;
    error->offset = origin->offset;
    return status;
}

static berth_str text_of(const char *from)
{
    return (berth_str){from, (uint32_t)strlen(from)};
}

/* Append a text up to its first zero byte, and a zero byte. Returns false when out of memory. */
static bool append_text(bg_load *load, berth_str text)
{
    size_t len = text.len > 0 ? strnlen(text.data, text.len) : 0;
    if (load->notes_bytes + len + 1 > load->notes_capacity) {
        uint64_t capacity = 2 * (load->notes_capacity + len + 1);
        char *grown = realloc(load->notes, capacity);
        if (grown == NULL)
            return false;
        load->notes = grown;
        load->notes_capacity = capacity;
    }
    if (len > 0)
        memcpy(load->notes + load->notes_bytes, text.data, len);
    load->notes_bytes += len;
    load->notes[load->notes_bytes++] = '\0';
    return true;
}

static void on_note(void *context, const berth_note *note)
{
    bg_load *load = context;
    char numbers[3][16];
    snprintf(numbers[0], sizeof(numbers[0]), "%u", (unsigned)note->what);
    snprintf(numbers[1], sizeof(numbers[1]), "%u", (unsigned)note->place->line);
    snprintf(numbers[2], sizeof(numbers[2]), "%u", (unsigned)note->place->column);
    const berth_str texts[BG_NOTE_TEXTS] = {text_of(numbers[0]),
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
    uint64_t before = load->notes_bytes;
    bool ok = true;
    for (size_t i = 0; ok && i < BG_NOTE_TEXTS; i++)
        ok = append_text(load, texts[i]);
    if (ok)
        load->note_count++;
    else
        load->notes_bytes = before; /* no memory for this note */
}

int bg_load_objects(bg_box *box, bg_load *load)
{
    berth_reader *reader;
    berth_read_options options;
    berth_read_options_init(&options);
    options.apply_defaults = load->apply_defaults;
    options.templates = load->templates;
    options.namespace_name = load->namespace_name;
    options.threads = load->threads;
    options.cancel = &box->cancel;
    if (load->hears) {
        options.note = on_note;
        options.note_context = load;
    }
    box->done = 0;
    berth_status status = berth_reader_create(&options, &reader, &box->error);
    if (status != BERTH_OK)
        return status;
    if (load->path != NULL)
        status = berth_reader_file(reader, load->path, add_read, box, &box->error);
    else
        status = berth_reader_text(reader, load->text, load->source, add_read, box, &box->error);
    if (status == BERTH_OK)
        status = berth_reader_finish(reader, box->engine, add_read, box, &box->error);
    berth_reader_destroy(reader);
    return status;
}

uint64_t bg_find_pod(const bg_box *box, const char *space, uint32_t space_len, const char *name,
                     uint32_t name_len)
{
    return berth_engine_find_pod(box->engine, (berth_str){space, space_len},
                                 (berth_str){name, name_len});
}

uint32_t bg_find_node(const bg_box *box, const char *name, uint32_t len)
{
    return berth_engine_find_node(box->engine, (berth_str){name, len});
}

void bg_node_names(const bg_box *box, const uint32_t *nodes, uint32_t count, berth_str *out)
{
    for (uint32_t i = 0; i < count; i++)
        out[i] = berth_engine_node_name(box->engine, nodes[i]);
}

void bg_pod_names(const bg_box *box, const uint64_t *pods, uint32_t count, berth_str *out)
{
    for (uint32_t i = 0; i < count; i++)
        berth_engine_pod_name(box->engine, pods[i], &out[2 * i], &out[2 * i + 1]);
}

void bg_pod_nodes(const bg_box *box, const uint64_t *pods, uint32_t count, uint32_t *out)
{
    for (uint32_t i = 0; i < count; i++)
        out[i] = berth_engine_pod_node(box->engine, pods[i]);
}

int bg_node_resources(bg_box *box, berth_str resource, const uint32_t *nodes, uint32_t count,
                      int64_t *allocatable, int64_t *requested)
{
    berth_status status = BERTH_OK;
    for (uint32_t i = 0; i < count && status == BERTH_OK; i++)
        status = berth_engine_node_resource(box->engine, nodes[i], resource, &allocatable[i],
                                            &requested[i], &box->error);
    return status;
}

int bg_pod_resource(bg_box *box, uint64_t pod, berth_str resource)
{
    return berth_engine_pod_resource(box->engine, pod, resource, &box->amounts[0], &box->error);
}

/* ---- decisions ---- */

static bg_placement placement_of(const berth_placement *from)
{
    return (bg_placement){
        .verdict = from->verdict,
        .node = from->node,
        .feasible_count = from->feasible_count,
        .best_count = from->best_count,
        .total = from->total,
        .path = from->path,
    };
}

int bg_schedule(bg_box *box, uint64_t pod)
{
    berth_placement placement;
    berth_status status = berth_engine_schedule(box->engine, pod, &placement, &box->error);
    if (status == BERTH_OK)
        box->placement = placement_of(&placement);
    return status;
}

static berth_status with_explanation(bg_box *box)
{
    if (box->explanation != NULL)
        return BERTH_OK;
    return berth_explanation_create(NULL, &box->explanation, &box->error);
}

int bg_decide(bg_box *box, uint64_t pod, uint32_t flags, bool explain)
{
    berth_placement placement;
    berth_decide_options options;
    berth_decide_options_init(&options);
    options.flags = flags;
    if (explain) {
        berth_status made = with_explanation(box);
        if (made != BERTH_OK)
            return made;
        options.explanation = box->explanation;
    }
    berth_status status = berth_engine_decide(box->engine, pod, &options, &placement, &box->error);
    if (status == BERTH_OK)
        box->placement = placement_of(&placement);
    return status;
}

int bg_schedule_many(bg_box *box, const uint64_t *pods, uint32_t count, bg_placement *out)
{
    berth_status status = BERTH_OK;
    for (box->done = 0; box->done < count; box->done++) {
        berth_placement placement;
        status = berth_engine_schedule(box->engine, pods[box->done], &placement, &box->error);
        if (status != BERTH_OK)
            break;
        out[box->done] = placement_of(&placement);
    }
    return status;
}

int bg_decide_many(bg_box *box, const uint64_t *pods, uint32_t count, uint32_t flags,
                   bg_placement *out)
{
    int status = BERTH_OK;
    for (box->done = 0; box->done < count; box->done++) {
        status = bg_decide(box, pods[box->done], flags, false);
        if (status != BERTH_OK)
            break;
        out[box->done] = box->placement;
    }
    return status;
}

uint32_t bg_c_loop(bg_box *box, const uint64_t *pods, uint32_t count)
{
    uint32_t placed = 0;
    for (uint32_t i = 0; i < count; i++) {
        berth_placement placement;
        if (berth_engine_schedule(box->engine, pods[i], &placement, &box->error) == BERTH_OK)
            placed += placement.verdict == BERTH_VERDICT_PLACED;
    }
    return placed;
}

int bg_schedule_group(bg_box *box, const uint64_t *pods, uint32_t count, bg_placement *out)
{
    uint32_t placed = 0;
    berth_placement *placements = calloc(count > 0 ? count : 1, sizeof(*placements));
    if (placements == NULL)
        return no_memory(&box->error);
    berth_status status =
        berth_engine_schedule_group(box->engine, pods, count, placements, &placed, &box->error);
    for (uint32_t i = 0; status == BERTH_OK && i < count && i <= placed; i++)
        out[i] = placement_of(&placements[i]);
    free(placements);
    box->done = placed;
    return status;
}

int bg_fit_count(bg_box *box, uint64_t like, uint32_t limit, uint32_t *nodes, bool explain)
{
    if (explain) {
        berth_status made = with_explanation(box);
        if (made != BERTH_OK)
            return made;
    }
    const berth_fit_count_options options = {.size = sizeof(options),
                                             .limit = limit,
                                             .nodes = nodes,
                                             .explanation = explain ? box->explanation : NULL,
                                             .cancel = &box->cancel};
    return berth_engine_fit_count_with(box->engine, like, &options, &box->done, &box->error);
}

int bg_bind_many(bg_box *box, const uint64_t *pods, const uint32_t *nodes, uint32_t count)
{
    berth_status status = BERTH_OK;
    for (box->done = 0; box->done < count; box->done++) {
        status = berth_engine_bind(box->engine, pods[box->done], nodes[box->done], &box->error);
        if (status != BERTH_OK)
            break;
    }
    return status;
}

int bg_unbind_many(bg_box *box, const uint64_t *pods, uint32_t count)
{
    berth_status status = BERTH_OK;
    for (box->done = 0; box->done < count; box->done++) {
        status = berth_engine_unbind(box->engine, pods[box->done], &box->error);
        if (status != BERTH_OK)
            break;
    }
    return status;
}

/* ---- questions ---- */

int bg_fits(bg_box *box, uint64_t pod, uint32_t node, uint32_t flags)
{
    box->fit.size = sizeof(box->fit);
    return berth_engine_fits(box->engine, pod, node, flags, &box->fit, &box->error);
}

int bg_feasible(bg_box *box, uint64_t pod, uint32_t *nodes, int64_t *totals, uint32_t capacity)
{
    return berth_engine_feasible_nodes(box->engine, pod, nodes, totals, capacity, &box->done,
                                       &box->error);
}

static void take_eviction(void *context, berth_pod_id victim, berth_node_id node,
                          uint32_t preemptor)
{
    bg_evictions *to = context;
    if (to->count == to->capacity) {
        const uint32_t capacity = to->capacity > 0 ? 2 * to->capacity : 16;
        bg_eviction *items = realloc(to->items, capacity * sizeof(*items));
        to->failed |= items == NULL;
        if (items == NULL)
            return;
        to->items = items;
        to->capacity = capacity;
    }
    to->items[to->count++] = (bg_eviction){victim, node, preemptor};
}

void bg_evictions_free(bg_evictions *evictions)
{
    free(evictions->items);
}

/* The list of evictions is made in a transaction, so that one without memory takes them back. */
static berth_status schedule_preempting(bg_box *box, const uint64_t *pods, uint32_t count,
                                        const berth_group_options *options,
                                        berth_placement *placements, uint32_t *fitted,
                                        const bg_evictions *evictions)
{
    berth_status status = berth_engine_begin(box->engine, &box->error);
    if (status != BERTH_OK)
        return status;
    status = berth_engine_schedule_pods(box->engine, pods, count, options, placements, fitted,
                                        &box->error);
    if (status == BERTH_OK && evictions->failed)
        status = no_memory(&box->error);
    (void)(status == BERTH_OK ? berth_engine_commit(box->engine, NULL)
                              : berth_engine_rollback(box->engine, NULL));
    return status;
}

int bg_schedule_pods(bg_box *box, const uint64_t *pods, uint32_t count, uint32_t flags,
                     uint32_t minimum, bg_placement *out, bg_evictions *evictions)
{
    const berth_group_options options = {.size = sizeof(options),
                                         .flags = flags,
                                         .minimum = minimum,
                                         .cancel = &box->cancel,
                                         .evicted = take_eviction,
                                         .context = evictions};
    uint32_t fitted = 0;
    berth_placement *placements = calloc(count > 0 ? count : 1, sizeof(*placements));
    if (placements == NULL)
        return no_memory(&box->error);
    berth_status status =
        (flags & BERTH_GROUP_PREEMPT) != 0
            ? schedule_preempting(box, pods, count, &options, placements, &fitted, evictions)
            : berth_engine_schedule_pods(box->engine, pods, count, &options, placements, &fitted,
                                         &box->error);
    for (uint32_t i = 0; status == BERTH_OK && out != NULL && i < count; i++)
        out[i] = placement_of(&placements[i]);
    free(placements);
    box->done = fitted;
    return status;
}

int bg_add_group(bg_box *box, const berth_node *node, const berth_pod *pods, uint32_t pod_count,
                 const berth_csi_node *csi_node, uint32_t count, uint32_t *nodes)
{
    const berth_node_template from = {.size = sizeof(from),
                                      .pod_count = pod_count,
                                      .pods = pods,
                                      .node = node,
                                      .csi_node = csi_node};
    return berth_engine_add_nodes(box->engine, &from, count, nodes, &box->error);
}

/* ---- snapshots ---- */

void bg_snapshot_names(const berth_snapshot *snapshot, const uint32_t *nodes, uint32_t count,
                       berth_str *out)
{
    for (uint32_t i = 0; i < count; i++)
        out[i] = berth_snapshot_node_name(snapshot, nodes[i]);
}

void bg_snapshot_pod_names(const berth_snapshot *snapshot, const uint64_t *pods, uint32_t count,
                           berth_str *out)
{
    for (uint32_t i = 0; i < count; i++)
        berth_snapshot_pod_name(snapshot, pods[i], &out[2 * i], &out[2 * i + 1]);
}

uint32_t bg_snapshot_nodes(const berth_snapshot *snapshot, uint32_t *out, uint32_t capacity)
{
    uint32_t count = 0, limit = berth_snapshot_node_limit(snapshot);
    for (uint32_t node = 0; node < limit; node++) {
        if (!berth_snapshot_node_present(snapshot, node))
            continue;
        if (count < capacity)
            out[count] = node;
        count++;
    }
    return count;
}

uint32_t bg_snapshot_pods(const berth_snapshot *snapshot, uint32_t node, uint64_t *out,
                          uint32_t capacity)
{
    uint32_t count = 0;
    for (berth_pod_id pod = berth_snapshot_next_pod(snapshot, node, BERTH_POD_NONE);
         pod != BERTH_POD_NONE; pod = berth_snapshot_next_pod(snapshot, node, pod)) {
        if (count < capacity)
            out[count] = pod;
        count++;
    }
    return count;
}

int bg_snapshot_resources(const berth_snapshot *snapshot, berth_str resource, const uint32_t *nodes,
                          uint32_t count, int64_t *allocatable, int64_t *requested,
                          berth_error *error)
{
    berth_status status = BERTH_OK;
    for (uint32_t i = 0; i < count && status == BERTH_OK; i++)
        status = berth_snapshot_node_resource(snapshot, nodes[i], resource, &allocatable[i],
                                              &requested[i], error);
    return status;
}

/* ---- for tests ---- */

static berth_status keep_first(void *context, const berth_object *object, const berth_error *origin,
                               berth_error *error)
{
    berth_object **out = context;
    (void)origin;
    return *out != NULL ? BERTH_OK : berth_object_copy(object, NULL, out, error);
}

int bg_read_one(berth_str json, berth_object **out, berth_error *error)
{
    berth_reader *reader;
    berth_read_options options;
    berth_read_options_init(&options);
    options.threads = 1;
    *out = NULL;
    berth_status status = berth_reader_create(&options, &reader, error);
    if (status != BERTH_OK)
        return status;
    status = berth_reader_text(reader, json, "text", keep_first, out, error);
    berth_reader_destroy(reader);
    return status;
}
