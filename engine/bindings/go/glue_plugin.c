/* Plugins whose functions are Go's: what a plugin reads of a slice is laid out in arrays, so that
 * there is one crossing for each slice, whatever it reads. */
#include <string.h>

#include "_cgo_export.h"
#include "glue.h"

/* Go's side of the package holds plugins to these. */
_Static_assert(BERTH_SLICE == 128, "package berth has arrays of this length");
enum { RESOURCES_MAX = 16, LABELS_MAX = 8 };

typedef struct instance {
    const bg_plugin *plugin;
} instance;

/* What preparing leaves: the pod's facts, and a column for each resource. */
typedef struct prepared_state {
    bg_pod_facts pod;
    uint32_t columns[RESOURCES_MAX];
} prepared_state;

static berth_status configure(void *context, berth_str arguments, void *at, berth_error *error)
{
    bg_plugin *plugin = context;
    ((instance *)at)->plugin = plugin;
    if (!plugin->has_configure)
        return BERTH_OK;
    return (berth_status)bgGoConfigure(plugin->handle, (char *)arguments.data, arguments.len,
                                       error->message, sizeof(error->message));
}

static bool copy_text(berth_preparation *preparation, berth_str *text)
{
    if (text->data == NULL)
        return true;
    char *copy = berth_preparation_allocate(preparation, text->len + 1);
    if (copy == NULL)
        return false;
    memcpy(copy, text->data, text->len);
    text->data = copy;
    return true;
}

static bool read_pod(berth_preparation *preparation, const bg_plugin *plugin, prepared_state *state)
{
    const berth_cycle *cycle = preparation->cycle;
    int64_t *requests =
        berth_preparation_allocate(preparation, (plugin->resource_count + 1) * sizeof(*requests));
    berth_str *labels =
        berth_preparation_allocate(preparation, (plugin->pod_label_count + 1) * sizeof(*labels));
    if (requests == NULL || labels == NULL)
        return false;
    state->pod = (bg_pod_facts){berth_cycle_pod_namespace(cycle), requests, labels};
    bool room = copy_text(preparation, &state->pod.namespace_name);
    for (uint32_t i = 0; i < plugin->resource_count; i++) {
        requests[i] = berth_cycle_pod_request(cycle, plugin->resources[i]);
        state->columns[i] = berth_cycle_column(cycle, plugin->resources[i]);
    }
    for (uint32_t i = 0; i < plugin->pod_label_count && room; i++) {
        labels[i] = berth_cycle_pod_label(cycle, plugin->pod_labels[i]);
        room = copy_text(preparation, &labels[i]);
    }
    return room;
}

static berth_prepared prepare(berth_preparation *preparation)
{
    const bg_plugin *plugin = ((const instance *)preparation->instance)->plugin;
    prepared_state *state = preparation->state;
    if (!read_pod(preparation, plugin, state))
        return BERTH_PREPARED_NO_MEMORY;
    if (!plugin->has_prepare)
        return BERTH_PREPARED_ACTIVE;
    char reason[256] = "";
    int answer = bgGoPrepare(plugin->handle, &state->pod, reason, sizeof(reason));
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
    /* Only a filter refuses. */
    return answer == BERTH_PREPARED_REFUSE ? BERTH_PREPARED_SKIP : answer;
}

static void run(const berth_cycle *cycle, const bg_plugin *plugin, const prepared_state *state,
                const berth_slice *slice, uint64_t *mask, int64_t *values)
{
    const int64_t *allocatable[RESOURCES_MAX], *requested[RESOURCES_MAX];
    berth_str labels[LABELS_MAX * BERTH_SLICE], names[BERTH_SLICE];
    for (uint32_t i = 0; i < plugin->resource_count; i++) {
        bool known = state->columns[i] != BERTH_COLUMN_NONE;
        allocatable[i] =
            known ? berth_cycle_allocatable(cycle, slice->index, state->columns[i]) : NULL;
        requested[i] = known ? berth_cycle_requested(cycle, slice->index, state->columns[i]) : NULL;
    }
    for (uint32_t i = 0; i < slice->count; i++) {
        uint32_t slot = slice->index * BERTH_SLICE + i;
        bool asked = (mask[i / 64] >> (i % 64) & 1) != 0;
        for (uint32_t label = 0; label < plugin->node_label_count; label++)
            labels[label * BERTH_SLICE + i] =
                asked ? berth_cycle_node_label(cycle, slot, plugin->node_labels[label])
                      : (berth_str){0};
        names[i] =
            asked && plugin->node_names ? berth_cycle_node_name(cycle, slot) : (berth_str){0};
    }
    bg_slice call = {
        .count = slice->count,
        .nodes = slice->nodes,
        .mask = mask,
        .values = values,
        .pod = &state->pod,
        .allocatable = allocatable,
        .requested = requested,
        .labels = labels,
        .names = names,
    };
    bgGoSlice(plugin->handle, &call);
}

static void filter(const berth_cycle *cycle, const void *at, const void *state, berth_slice *slice)
{
    run(cycle, ((const instance *)at)->plugin, state, slice, slice->mask, NULL);
}

static void score(const berth_cycle *cycle, const void *at, const void *state,
                  const berth_slice *slice, int64_t *values)
{
    uint64_t mask[BERTH_SLICE / 64];
    memcpy(mask, slice->mask, sizeof(mask));
    run(cycle, ((const instance *)at)->plugin, state, slice, mask, values);
}

static berth_str reason(const berth_cycle *cycle, const void *at, const void *state, uint32_t slot)
{
    (void)cycle;
    (void)state;
    (void)slot;
    return ((const instance *)at)->plugin->reason;
}

static berth_status reserve(void *context, const berth_cycle *cycle, berth_pod_id pod,
                            berth_node_id node)
{
    (void)cycle;
    return (berth_status)bgGoReserve(((bg_plugin *)context)->handle, pod, node);
}

static void unreserve(void *context, const berth_cycle *cycle, berth_pod_id pod, berth_node_id node)
{
    (void)cycle;
    bgGoUnreserve(((bg_plugin *)context)->handle, pod, node);
}

void bg_plugin_fill(bg_plugin *plugin, bool filters, bool scores)
{
    berth_plugin *table = &plugin->table;
    table->size = sizeof(*table);
    table->context = plugin;
    table->instance_bytes = sizeof(instance);
    table->configure = configure;
    if (filters) {
        table->filter_state_bytes = sizeof(prepared_state);
        table->prepare_filter = prepare;
        table->filter = filter;
        table->reason = plugin->reason.data != NULL ? reason : NULL;
    }
    if (scores) {
        table->score_state_bytes = sizeof(prepared_state);
        table->prepare_score = prepare_score;
        table->score = score;
    }
    if (plugin->has_reserve)
        table->reserve = reserve;
    if (plugin->has_unreserve)
        table->unreserve = unreserve;
}
