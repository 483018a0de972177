/* Plugins whose functions are in Go. The facts that a plugin reads of a slice are laid out in
 * arrays, so each slice needs one crossing, whatever the plugin reads. */
#include <stdlib.h>
#include <string.h>

#include "_cgo_export.h"
#include "glue.h"

/* The Go side of the package relies on these numbers. */
_Static_assert(BERTH_SLICE == 128, "package berth has arrays of this length");
enum { RESOURCES_MAX = 16, LABELS_MAX = 8, DOMAINS_MAX = 4 };

typedef struct instance {
    const bg_plugin *plugin;
} instance;

/* The result of preparing: the facts of the pod, a column for each resource, and the counts. */
typedef struct prepared_state {
    bg_pod_facts pod;
    uint32_t columns[RESOURCES_MAX];
    uint32_t domain_count;
    const berth_domain_count *domains[DOMAINS_MAX];
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
    berth_str *annotations = berth_preparation_allocate(
        preparation, (plugin->pod_annotation_count + 1) * sizeof(*annotations));
    if (requests == NULL || labels == NULL || annotations == NULL)
        return false;
    berth_owner owner;
    berth_cycle_pod_owner(cycle, &owner);
    state->pod = (bg_pod_facts){
        .namespace_name = berth_cycle_pod_namespace(cycle),
        .requests = requests,
        .labels = labels,
        .annotations = annotations,
        .owner_uid = owner.uid,
        .owner_kind = owner.kind,
        .owner_name = owner.name,
        .id = plugin->reads_id ? berth_cycle_pod(cycle) : BERTH_POD_NONE,
        .priority = plugin->reads_id ? berth_cycle_pod_priority(cycle) : 0,
    };
    bool room = copy_text(preparation, &state->pod.namespace_name) &&
                copy_text(preparation, &state->pod.owner_uid) &&
                copy_text(preparation, &state->pod.owner_kind) &&
                copy_text(preparation, &state->pod.owner_name);
    for (uint32_t i = 0; i < plugin->resource_count; i++) {
        requests[i] = berth_cycle_pod_request(cycle, plugin->resources[i]);
        state->columns[i] = berth_cycle_column(cycle, plugin->resources[i]);
    }
    for (uint32_t i = 0; i < plugin->pod_label_count && room; i++) {
        labels[i] = berth_cycle_pod_label(cycle, plugin->pod_labels[i]);
        room = copy_text(preparation, &labels[i]);
    }
    for (uint32_t i = 0; i < plugin->pod_annotation_count && room; i++) {
        annotations[i] = berth_cycle_pod_annotation(cycle, plugin->pod_annotations[i]);
        room = copy_text(preparation, &annotations[i]);
    }
    return room;
}

bool bg_plugin_count(void *at, const berth_pod_selection *selections, uint32_t count)
{
    berth_preparation *preparation = at;
    prepared_state *state = preparation->state;
    for (uint32_t i = 0; i < count && i < DOMAINS_MAX; i++) {
        const berth_domain_count *found = berth_preparation_count(preparation, &selections[i]);
        if (found == NULL)
            return false;
        state->domains[state->domain_count++] = found;
    }
    return true;
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
    int answer = bgGoPrepare(plugin->handle, preparation, &state->pod, reason, sizeof(reason));
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

/* Rarely read facts of nodes; NULL if the plugin does not read them. */
typedef struct node_facts {
    berth_str *labels, *annotations, *names, *pod_texts;
    uint32_t *domains, *pod_ends;
    bg_node_pod *pods;
    void *memory;
} node_facts;

static bool asked(const uint64_t *mask, uint32_t i)
{
    return (mask[i / 64] >> (i % 64) & 1) != 0;
}

/* Counts the pods on the asked nodes. */
static uint32_t count_pods(const berth_cycle *cycle, const berth_slice *slice, const uint64_t *mask)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < slice->count; i++)
        if (asked(mask, i))
            count += berth_cycle_node_pods(cycle, slice->index * BERTH_SLICE + i, NULL, 0);
    return count;
}

static bool read_pods(const berth_cycle *cycle, const bg_plugin *plugin, const berth_slice *slice,
                      const uint64_t *mask, node_facts *facts)
{
    const uint32_t labels = plugin->pod_label_count, annotations = plugin->pod_annotation_count;
    const size_t count = count_pods(cycle, slice, mask);
    const size_t each = sizeof(bg_node_pod) + sizeof(berth_pod_id) +
                        ((size_t)labels + annotations) * sizeof(berth_str);
    facts->memory = malloc(count * each + 1);
    if (facts->memory == NULL)
        return false;
    facts->pods = facts->memory;
    berth_str *texts = facts->pod_texts = (berth_str *)(facts->pods + count);
    berth_pod_id *ids = (berth_pod_id *)(texts + count * ((size_t)labels + annotations));
    uint32_t used = 0;
    for (uint32_t i = 0; i < slice->count; i++) {
        uint32_t slot = slice->index * BERTH_SLICE + i;
        uint32_t here = asked(mask, i)
                            ? berth_cycle_node_pods(cycle, slot, ids + used, (uint32_t)count - used)
                            : 0;
        for (uint32_t end = used + here; used < end; used++) {
            const berth_pod_id id = ids[used];
            facts->pods[used] = (bg_node_pod){id, berth_cycle_namespace_of(cycle, id),
                                              berth_cycle_priority_of(cycle, id)};
            for (uint32_t k = 0; k < labels; k++)
                *texts++ = berth_cycle_label_of(cycle, id, plugin->pod_labels[k]);
            for (uint32_t k = 0; k < annotations; k++)
                *texts++ = berth_cycle_annotation_of(cycle, id, plugin->pod_annotations[k]);
        }
        facts->pod_ends[i] = used;
    }
    return true;
}

static void read_nodes(const berth_cycle *cycle, const bg_plugin *plugin,
                       const prepared_state *state, const berth_slice *slice, const uint64_t *mask,
                       const node_facts *facts)
{
    const berth_str none = {0};
    for (uint32_t i = 0; i < slice->count; i++) {
        const uint32_t slot = slice->index * BERTH_SLICE + i;
        const bool is = asked(mask, i);
        for (uint32_t k = 0; k < plugin->node_label_count; k++)
            facts->labels[k * BERTH_SLICE + i] =
                is ? berth_cycle_node_label(cycle, slot, plugin->node_labels[k]) : none;
        for (uint32_t k = 0; k < plugin->node_annotation_count; k++)
            facts->annotations[k * BERTH_SLICE + i] =
                is ? berth_cycle_node_annotation(cycle, slot, plugin->node_annotations[k]) : none;
        for (uint32_t k = 0; k < state->domain_count; k++)
            facts->domains[k * BERTH_SLICE + i] =
                is ? berth_cycle_domain_pods(cycle, state->domains[k], slot) : 0;
        if (plugin->node_names)
            facts->names[i] = is ? berth_cycle_node_name(cycle, slot) : none;
    }
}

static void run(const berth_cycle *cycle, const bg_plugin *plugin, const prepared_state *state,
                const berth_slice *slice, uint64_t *mask, int64_t *values)
{
    const int64_t *allocatable[RESOURCES_MAX], *requested[RESOURCES_MAX];
    berth_str labels[LABELS_MAX * BERTH_SLICE], annotations[LABELS_MAX * BERTH_SLICE];
    berth_str names[BERTH_SLICE];
    uint32_t domains[DOMAINS_MAX * BERTH_SLICE], pod_ends[BERTH_SLICE];
    node_facts facts = {.labels = labels,
                        .annotations = annotations,
                        .names = names,
                        .domains = domains,
                        .pod_ends = pod_ends};
    for (uint32_t i = 0; i < plugin->resource_count; i++) {
        bool known = state->columns[i] != BERTH_COLUMN_NONE;
        allocatable[i] =
            known ? berth_cycle_allocatable(cycle, slice->index, state->columns[i]) : NULL;
        requested[i] = known ? berth_cycle_requested(cycle, slice->index, state->columns[i]) : NULL;
    }
    read_nodes(cycle, plugin, state, slice, mask, &facts);
    bool has_pods = plugin->node_pods && read_pods(cycle, plugin, slice, mask, &facts);
    bg_slice call = {
        .count = slice->count,
        .nodes = slice->nodes,
        .mask = mask,
        .values = values,
        .pod = &state->pod,
        .allocatable = allocatable,
        .requested = requested,
        .labels = labels,
        .annotations = annotations,
        .names = names,
        .domains = domains,
        .domain_count = state->domain_count,
        .pods = facts.pods,
        .pod_ends = has_pods ? pod_ends : NULL,
        .pod_texts = facts.pod_texts,
    };
    bgGoSlice(plugin->handle, &call);
    free(facts.memory);
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
