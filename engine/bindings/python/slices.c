/* Plugins whose functions are in Python. */
#include "slices.h"

#include <stdlib.h>
#include <string.h>

typedef struct instance {
    const berth_py_plugin *plugin;
} instance;

/* The result of preparing: the facts of the pod, a column for each resource, and the counts. */
typedef struct prepared_state {
    berth_py_pod pod;
    uint32_t columns[BERTH_PY_RESOURCES_MAX];
    uint32_t domain_count;
    const berth_domain_count *domains[BERTH_PY_DOMAINS_MAX];
} prepared_state;

static berth_status configure(void *context, berth_str arguments, void *at, berth_error *error)
{
    berth_py_plugin *plugin = context;
    ((instance *)at)->plugin = plugin;
    if (!plugin->has_configure)
        return BERTH_OK;
    return (berth_status)plugin->call.configure(plugin->context, arguments, error);
}

/* ---- preparing ---- */

static bool copy_text(berth_preparation *preparation, berth_str *text)
{
    if (text->data == NULL)
        return true;
    char *copy = berth_preparation_allocate(preparation, (size_t)text->len + 1);
    if (copy == NULL)
        return false;
    memcpy(copy, text->data, text->len);
    text->data = copy;
    return true;
}

static bool copy_owner(berth_preparation *preparation, berth_owner *owner)
{
    berth_cycle_pod_owner(preparation->cycle, owner);
    return copy_text(preparation, &owner->api_version) && copy_text(preparation, &owner->kind) &&
           copy_text(preparation, &owner->name) && copy_text(preparation, &owner->uid);
}

static bool read_pod(berth_preparation *preparation, const berth_py_plugin *plugin,
                     prepared_state *state)
{
    const berth_cycle *cycle = preparation->cycle;
    const size_t label_count = plugin->pod_label_count;
    int64_t *requests =
        berth_preparation_allocate(preparation, (plugin->resource_count + 1) * sizeof(*requests));
    berth_str *texts = berth_preparation_allocate(
        preparation, (label_count + plugin->pod_annotation_count + 1) * sizeof(*texts));
    if (requests == NULL || texts == NULL)
        return false;
    state->pod = (berth_py_pod){
        .namespace_name = berth_cycle_pod_namespace(cycle),
        .requests = requests,
        .labels = texts,
        .annotations = texts + label_count,
        .id = plugin->reads_id ? berth_cycle_pod(cycle) : BERTH_POD_NONE,
        .priority = plugin->reads_id ? berth_cycle_pod_priority(cycle) : 0,
    };
    bool room = copy_text(preparation, &state->pod.namespace_name) &&
                copy_owner(preparation, &state->pod.owner);
    for (uint32_t i = 0; i < plugin->resource_count; i++) {
        requests[i] = berth_cycle_pod_request(cycle, plugin->resources[i]);
        state->columns[i] = berth_cycle_column(cycle, plugin->resources[i]);
    }
    for (uint32_t i = 0; i < label_count && room; i++) {
        texts[i] = berth_cycle_pod_label(cycle, plugin->pod_labels[i]);
        room = copy_text(preparation, &texts[i]);
    }
    texts += label_count;
    for (uint32_t i = 0; i < plugin->pod_annotation_count && room; i++) {
        texts[i] = berth_cycle_pod_annotation(cycle, plugin->pod_annotations[i]);
        room = copy_text(preparation, &texts[i]);
    }
    return room;
}

bool berth_py_plugin_count(void *at, const berth_pod_selection *selections, uint32_t count)
{
    berth_preparation *preparation = at;
    prepared_state *state = preparation->state;
    for (uint32_t i = 0; i < count && i < BERTH_PY_DOMAINS_MAX; i++) {
        const berth_domain_count *found = berth_preparation_count(preparation, &selections[i]);
        if (found == NULL)
            return false;
        state->domains[state->domain_count++] = found;
    }
    return true;
}

static berth_prepared prepare(berth_preparation *preparation)
{
    const berth_py_plugin *plugin = ((const instance *)preparation->instance)->plugin;
    prepared_state *state = preparation->state;
    if (!read_pod(preparation, plugin, state))
        return BERTH_PREPARED_NO_MEMORY;
    if (!plugin->has_prepare)
        return BERTH_PREPARED_ACTIVE;
    char reason[256] = "";
    int answer =
        plugin->call.prepare(plugin->context, preparation, &state->pod, reason, sizeof(reason));
    if (answer == BERTH_PREPARED_REFUSE) {
        berth_str text = {reason, (uint32_t)strlen(reason)};
        if (!copy_text(preparation, &text))
            return BERTH_PREPARED_NO_MEMORY;
        berth_preparation_refuse(preparation, plugin->table.code, text);
    }
    return (berth_prepared)answer;
}

static berth_prepared prepare_score(berth_preparation *preparation)
{
    berth_prepared answer = prepare(preparation);
    /* Only a filter may refuse. */
    return answer == BERTH_PREPARED_REFUSE ? BERTH_PREPARED_SKIP : answer;
}

/* ---- slices ---- */

/* A slice during its layout. */
typedef struct layout {
    const berth_cycle *cycle;
    const berth_py_plugin *plugin;
    const prepared_state *state;
    const berth_slice *slice;
    uint8_t asked[BERTH_SLICE];
    const int64_t *allocatable[BERTH_PY_RESOURCES_MAX], *requested[BERTH_PY_RESOURCES_MAX];
    berth_str labels[BERTH_PY_TEXTS_MAX * BERTH_SLICE];
    berth_str annotations[BERTH_PY_TEXTS_MAX * BERTH_SLICE];
    berth_str names[BERTH_SLICE];
    uint32_t domains[BERTH_PY_DOMAINS_MAX * BERTH_SLICE];
    uint32_t pod_ends[BERTH_SLICE];
    berth_py_node_pod *pods;
    berth_str *pod_texts;
    void *memory;
} layout;

static uint32_t slot_of(const layout *out, uint32_t i)
{
    return out->slice->index * BERTH_SLICE + i;
}

static void read_columns(layout *out)
{
    for (uint32_t i = 0; i < out->plugin->resource_count; i++) {
        const uint32_t column = out->state->columns[i], slice = out->slice->index;
        const bool known = column != BERTH_COLUMN_NONE;
        out->allocatable[i] = known ? berth_cycle_allocatable(out->cycle, slice, column) : NULL;
        out->requested[i] = known ? berth_cycle_requested(out->cycle, slice, column) : NULL;
    }
}

static void read_nodes(layout *out)
{
    const berth_cycle *cycle = out->cycle;
    const berth_py_plugin *plugin = out->plugin;
    const berth_str none = {0};
    for (uint32_t i = 0; i < out->slice->count; i++) {
        const uint32_t slot = slot_of(out, i);
        const bool is = out->asked[i] != 0;
        for (uint32_t k = 0; k < plugin->node_label_count; k++)
            out->labels[k * BERTH_SLICE + i] =
                is ? berth_cycle_node_label(cycle, slot, plugin->node_labels[k]) : none;
        for (uint32_t k = 0; k < plugin->node_annotation_count; k++)
            out->annotations[k * BERTH_SLICE + i] =
                is ? berth_cycle_node_annotation(cycle, slot, plugin->node_annotations[k]) : none;
        for (uint32_t k = 0; k < out->state->domain_count; k++)
            out->domains[k * BERTH_SLICE + i] =
                is ? berth_cycle_domain_pods(cycle, out->state->domains[k], slot) : 0;
        if (plugin->node_names)
            out->names[i] = is ? berth_cycle_node_name(cycle, slot) : none;
    }
}

static size_t count_pods(const layout *out)
{
    size_t count = 0;
    for (uint32_t i = 0; i < out->slice->count; i++)
        if (out->asked[i] != 0)
            count += berth_cycle_node_pods(out->cycle, slot_of(out, i), NULL, 0);
    return count;
}

static void read_pod_on_node(layout *out, uint32_t i, berth_pod_id id)
{
    const berth_cycle *cycle = out->cycle;
    const berth_py_plugin *plugin = out->plugin;
    berth_str *texts =
        out->pod_texts + i * ((size_t)plugin->pod_label_count + plugin->pod_annotation_count);
    out->pods[i] = (berth_py_node_pod){id, berth_cycle_namespace_of(cycle, id),
                                       berth_cycle_priority_of(cycle, id)};
    for (uint32_t k = 0; k < plugin->pod_label_count; k++)
        *texts++ = berth_cycle_label_of(cycle, id, plugin->pod_labels[k]);
    for (uint32_t k = 0; k < plugin->pod_annotation_count; k++)
        *texts++ = berth_cycle_annotation_of(cycle, id, plugin->pod_annotations[k]);
}

static bool read_pods(layout *out)
{
    const size_t texts = (size_t)out->plugin->pod_label_count + out->plugin->pod_annotation_count;
    const size_t count = count_pods(out);
    out->memory =
        malloc(count * (sizeof(*out->pods) + texts * sizeof(berth_str) + sizeof(berth_pod_id)) + 1);
    if (out->memory == NULL)
        return false;
    out->pods = out->memory;
    out->pod_texts = (berth_str *)(out->pods + count);
    berth_pod_id *ids = (berth_pod_id *)(out->pod_texts + count * texts);
    uint32_t used = 0;
    for (uint32_t i = 0; i < out->slice->count; i++) {
        if (out->asked[i] != 0) {
            uint32_t end = used + berth_cycle_node_pods(out->cycle, slot_of(out, i), ids,
                                                        (uint32_t)count - used);
            for (const berth_pod_id *id = ids; used < end; used++)
                read_pod_on_node(out, used, *id++);
        }
        out->pod_ends[i] = used;
    }
    return true;
}

static void run(layout *out, int64_t *values)
{
    const berth_py_plugin *plugin = out->plugin;
    for (uint32_t i = 0; i < out->slice->count; i++)
        out->asked[i] = out->slice->mask[i / 64] >> (i % 64) & 1;
    read_columns(out);
    read_nodes(out);
    const bool has_pods = plugin->node_pods && read_pods(out);
    const berth_py_slice call = {
        .count = out->slice->count,
        .nodes = out->slice->nodes,
        .asked = out->asked,
        .values = values,
        .pod = &out->state->pod,
        .allocatable = out->allocatable,
        .requested = out->requested,
        .labels = out->labels,
        .annotations = out->annotations,
        .names = out->names,
        .domains = out->domains,
        .domain_count = out->state->domain_count,
        .pods = out->pods,
        .pod_ends = has_pods ? out->pod_ends : NULL,
        .pod_texts = out->pod_texts,
    };
    plugin->call.slice(plugin->context, &call);
    free(out->memory);
}

static void filter(const berth_cycle *cycle, const void *at, const void *state, berth_slice *slice)
{
    layout out = {cycle, ((const instance *)at)->plugin, state, slice, .memory = NULL};
    run(&out, NULL);
    for (uint32_t i = 0; i < slice->count; i++)
        if (out.asked[i] == 0)
            slice->mask[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

static void score(const berth_cycle *cycle, const void *at, const void *state,
                  const berth_slice *slice, int64_t *values)
{
    layout out = {cycle, ((const instance *)at)->plugin, state, slice, .memory = NULL};
    run(&out, values);
}

/* ---- the other functions ---- */

static berth_str reason(const berth_cycle *cycle, const void *at, const void *state, uint32_t slot)
{
    (void)cycle;
    (void)state;
    (void)slot;
    return ((const instance *)at)->plugin->reason;
}

/* If a function has raised, its result is missing: bind no pod. */
static berth_status reserve(void *context, const berth_cycle *cycle, berth_pod_id pod,
                            berth_node_id node)
{
    berth_py_plugin *plugin = context;
    if (*plugin->failing != 0 && berth_cycle_may_refuse(cycle))
        return BERTH_E_CONFLICT;
    if (!plugin->has_reserve)
        return BERTH_OK;
    return (berth_status)plugin->call.reserve(plugin->context, pod, node);
}

static void unreserve(void *context, const berth_cycle *cycle, berth_pod_id pod, berth_node_id node)
{
    const berth_py_plugin *plugin = context;
    (void)cycle;
    if (plugin->has_unreserve)
        plugin->call.unreserve(plugin->context, pod, node);
}

void berth_py_plugin_fill(berth_py_plugin *plugin)
{
    berth_plugin *table = &plugin->table;
    table->size = sizeof(*table);
    table->context = plugin;
    table->instance_bytes = sizeof(instance);
    table->configure = configure;
    if (plugin->has_filter) {
        table->filter_state_bytes = sizeof(prepared_state);
        table->prepare_filter = prepare;
        table->filter = filter;
        table->reason = plugin->reason.data != NULL ? reason : NULL;
    }
    if (plugin->has_score) {
        table->score_state_bytes = sizeof(prepared_state);
        table->prepare_score = prepare_score;
        table->score = score;
    }
    if (plugin->has_filter || plugin->has_reserve || plugin->has_unreserve) {
        table->reserve = reserve;
        table->unreserve = unreserve;
    }
}
