/* Compiles a pod's rules about nodes, other pods and volumes into interned facts. */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "model/pod_class.h"
#include "model/selector_problems.h"

/* ---- node rules ---- */

static berth__sym sym_of(berth__model *model, berth_str text, bool *ok)
{
    return berth__intern_add(&model->strings, text, ok);
}

static void *array(berth__arena *arena, uint32_t count, size_t element, bool *ok)
{
    void *memory = berth__arena_alloc_zero(arena, count * element, 8);
    if (memory == NULL)
        *ok = false;
    return memory;
}

static bool restarts_all(const berth_container *containers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (containers[i].restarts_all)
            return true;
    return false;
}

uint32_t berth__pod_features(const berth__model *model, const berth_pod *pod)
{
    uint32_t features = 0;
    if (!model->behaviours.declared_features)
        return 0;
    if (restarts_all(pod->containers, pod->container_count) ||
        restarts_all(pod->init_containers, pod->init_container_count))
        features |= BERTH__FEATURE_RESTARTS_ALL;
    if (pod->host_network && pod->host_users_off)
        features |= BERTH__FEATURE_HOST_NETWORK_USERS;
    return features;
}

static void fill_tolerations(berth__model *model, berth__arena *arena, const berth_pod *pod,
                             berth__node_rules *out, bool *ok)
{
    berth__interned_toleration *items = array(arena, pod->toleration_count, sizeof(*items), ok);
    for (uint32_t i = 0; items != NULL && i < pod->toleration_count && *ok; i++) {
        const berth_toleration *source = &pod->tolerations[i];
        items[i] = (berth__interned_toleration){
            sym_of(model, source->key, ok), sym_of(model, source->op, ok),
            sym_of(model, source->value, ok), sym_of(model, source->effect, ok)};
    }
    if (*ok)
        *ok =
            berth__tolerations_make(model, arena, items, pod->toleration_count, &out->tolerations);
}

/* v1.15.3 reads a nodeSelector map as a label selector and ignores the whole map when one pair is
 * malformed. */
static bool is_malformed(berth__model *model, berth_map map, bool *ok)
{
    berth_label_selector as_selector = {.match_labels = map};
    berth__selector compiled =
        berth__selector_make(&model->strings, &model->scratch, &as_selector, ok);
    return compiled.kind == BERTH__SELECTOR_INVALID;
}

void berth__node_rules_fill(berth__model *model, berth__arena *arena, const berth_pod *pod,
                            berth__node_rules *out, bool *ok)
{
    const berth_node_affinity *affinity = &pod->node_affinity;
    out->has_selector = pod->node_selector.count > 0;
    out->selector = berth__labels_make(&model->strings, arena, pod->node_selector, ok);
    out->selector_malformed = is_malformed(model, pod->node_selector, ok);
    out->has_required = affinity->required != NULL;
    if (out->has_required)
        out->required = berth__node_selector_make(&model->strings, arena, affinity->required, ok);
    out->has_preferred = affinity->preferred != NULL;
    uint32_t preferred_count = out->has_preferred ? affinity->preferred_count : 0;
    berth__interned_node_preference *preferred =
        array(arena, preferred_count, sizeof(*preferred), ok);
    for (uint32_t i = 0; preferred != NULL && i < preferred_count && *ok; i++) {
        preferred[i].weight = affinity->preferred[i].weight;
        preferred[i].term =
            berth__node_term_make(&model->strings, arena, &affinity->preferred[i].preference, ok);
    }
    out->preferred = preferred;
    out->preferred_count = preferred_count;
    if (preferred_count > 0)
        out->preferred_problem =
            berth__preferred_terms_problem(arena, &model->behaviours, affinity, ok);
    out->features = berth__pod_features(model, pod);
    fill_tolerations(model, arena, pod, out, ok);
}

/* ---- pod rules ---- */

/* v1.15 does not know the field. */
static const berth_label_selector *namespace_selector_of(const berth__model *model,
                                                         const berth_pod_affinity_term *term)
{
    return model->behaviours.namespace_selectors ? term->namespace_selector : NULL;
}

/* The pod whose rules are compiled, and the memory for them. */
typedef struct rules_source {
    berth__model *model;
    berth__arena *arena;
    const berth_pod *pod;
} rules_source;

static void fill_namespaces(const rules_source *from, const berth_pod_affinity_term *source,
                            berth__pod_term *out, bool *ok)
{
    berth_str own = from->pod->meta.namespace_name.len > 0 ? from->pod->meta.namespace_name
                                                           : BERTH_STR("default");
    bool implicit =
        source->namespaces.count == 0 && namespace_selector_of(from->model, source) == NULL;
    uint32_t count = implicit ? 1 : source->namespaces.count;
    berth__sym *items = array(from->arena, count, sizeof(*items), ok);
    for (uint32_t i = 0; i < count && *ok; i++) {
        berth__sym sym = sym_of(from->model, implicit ? own : source->namespaces.items[i], ok);
        uint32_t at = i;
        for (; at > 0 && items[at - 1] > sym; at--)
            items[at] = items[at - 1];
        items[at] = sym;
    }
    out->namespaces = items;
    out->namespace_count = count;
}

/* Compile a selector of the pod; if it is malformed, it holds kube-scheduler's text about the
 * fault. */
static berth__selector make_selector(berth__model *model, berth__arena *arena,
                                     const berth_label_selector *source, bool *ok)
{
    berth__selector made = berth__selector_make(&model->strings, arena, source, ok);
    if (made.kind == BERTH__SELECTOR_INVALID)
        made.problem = berth__selector_problem(arena, &model->behaviours, source, ok);
    return made;
}

static void note_problem(berth__pod_rules *rules, const berth__selector *selector)
{
    rules->malformed |= selector->kind == BERTH__SELECTOR_INVALID;
}

static berth__pod_terms make_terms(const rules_source *from, const berth_pod_affinity_term *source,
                                   uint32_t count, berth__pod_rules *rules, bool *ok)
{
    berth__model *model = from->model;
    berth__arena *arena = from->arena;
    berth__pod_term *terms = array(arena, count, sizeof(*terms), ok);
    for (uint32_t i = 0; i < count && *ok; i++) {
        berth__pod_term *term = &terms[i];
        term->topology_key = sym_of(model, source[i].topology_key, ok);
        term->weight = source[i].weight;
        term->selector = make_selector(model, arena, source[i].label_selector, ok);
        term->namespace_selector =
            make_selector(model, arena, namespace_selector_of(model, &source[i]), ok);
        fill_namespaces(from, &source[i], term, ok);
        note_problem(rules, &term->selector);
        note_problem(rules, &term->namespace_selector);
    }
    return (berth__pod_terms){terms, count};
}

void berth__spread_rule_set_policies(const berth__behaviours *behaviours,
                                     const berth_topology_spread *source, berth__spread_rule *out)
{
    const bool given = behaviours->spread_node_policies;
    out->honor_affinity = !given || !berth__str_is(source->node_affinity_policy, "Ignore");
    out->honor_taints = given && berth__str_is(source->node_taints_policy, "Honor");
}

static void fill_spread(const rules_source *from, const berth_topology_spread *source,
                        berth__spread_rule *out, bool *ok)
{
    berth__model *model = from->model;
    berth__arena *arena = from->arena;
    const berth_pod *pod = from->pod;
    out->max_skew = source->max_skew;
    out->min_domains = source->min_domains > 0 ? source->min_domains : 1;
    out->topology_key = sym_of(model, source->topology_key, ok);
    out->hard = berth__str_is(source->when_unsatisfiable, "DoNotSchedule");
    out->soft = berth__str_is(source->when_unsatisfiable, "ScheduleAnyway");
    berth__spread_rule_set_policies(&model->behaviours, source, out);
    out->selector = make_selector(model, arena, source->label_selector, ok);
    for (uint32_t i = 0; model->behaviours.spread_label_keys && i < source->match_label_keys.count;
         i++) {
        berth_str key = source->match_label_keys.items[i];
        for (uint32_t l = 0; l < pod->meta.labels.count; l++)
            if (berth__str_eq(pod->meta.labels.entries[l].key, key))
                out->selector =
                    berth__selector_and(arena, &out->selector, sym_of(model, key, ok),
                                        sym_of(model, pod->meta.labels.entries[l].value, ok), ok);
    }
}

void berth__pod_rules_fill(berth__model *model, berth__arena *arena, const berth_pod *pod,
                           berth__pod_rules *out, bool *ok)
{
    const rules_source from = {model, arena, pod};
    const berth_pod_affinity *with = &pod->pod_affinity, *without = &pod->pod_anti_affinity;
    out->has_affinity = with->present || without->present;
    out->required_affinity = make_terms(&from, with->required, with->required_count, out, ok);
    out->required_anti_affinity =
        make_terms(&from, without->required, without->required_count, out, ok);
    out->preferred_affinity = make_terms(&from, with->preferred, with->preferred_count, out, ok);
    out->preferred_anti_affinity =
        make_terms(&from, without->preferred, without->preferred_count, out, ok);
    berth__spread_rule *spreads = array(arena, pod->spread_count, sizeof(*spreads), ok);
    for (uint32_t i = 0; i < pod->spread_count && *ok; i++)
        fill_spread(&from, &pod->spreads[i], &spreads[i], ok);
    out->spreads = spreads;
    out->spread_count = pod->spread_count;
}

/* ---- claims of devices ---- */

const berth_pod_claim *berth__pod_claim_made(const berth_pod *pod, berth_str name)
{
    for (uint32_t i = 0; i < pod->resource_claim_status_count; i++)
        if (berth__str_eq(pod->resource_claim_statuses[i].name, name))
            return &pod->resource_claim_statuses[i];
    return NULL;
}

void berth__claim_list_fill(berth__model *model, berth__arena *arena, const uint32_t *written,
                            uint32_t count, berth__claim_list *out, bool *ok)
{
    berth__device_demand *items = array(arena, (count - 3) / 3, sizeof(*items), ok);
    if (items == NULL)
        return;
    /* relaxed: see transaction.c */
    atomic_store_explicit(&model->has_volumes, true, memory_order_relaxed);
    out->namespace_name = written[0];
    out->pod_uid = written[1];
    out->pod_name = written[2];
    out->items = items;
    out->count = (count - 3) / 3;
    for (uint32_t i = 0; i < out->count; i++) {
        const uint32_t *entry = &written[3 + 3 * i];
        bool from_template = entry[1] == BERTH__CLAIM_FROM_TEMPLATE;
        items[i] = (berth__device_demand){entry[0], entry[2], from_template,
                                          entry[2] == 0 && !from_template};
    }
}

/* ---- volumes ---- */

/* The ephemeral volume controller names the claim after pod and volume. */
static berth__sym ephemeral_claim(berth__model *model, const berth_pod *pod,
                                  const berth_volume *volume, bool *ok)
{
    size_t len = (size_t)pod->meta.name.len + 1 + volume->name.len;
    char *name = berth__arena_alloc(&model->scratch, len + 1, 1);
    if (name == NULL) {
        *ok = false;
        return 0;
    }
    snprintf(name, len + 1, "%.*s-%.*s", (int)pod->meta.name.len, pod->meta.name.data,
             (int)volume->name.len, volume->name.data);
    return sym_of(model, (berth_str){name, (uint32_t)len}, ok);
}

static void fill_volume(berth__model *model, berth__arena *arena, const berth_pod *pod,
                        const berth_volume *source, berth__pod_volume *out, bool *ok)
{
    out->kind = source->source.kind;
    out->name = sym_of(model, source->name, ok);
    out->handle = out->kind == BERTH_VOLUME_EPHEMERAL ? ephemeral_claim(model, pod, source, ok)
                                                      : sym_of(model, source->source.handle, ok);
    out->pool = sym_of(model, source->source.pool, ok);
    out->uri = sym_of(model, source->source.uri, ok);
    out->disk_kind = sym_of(model, source->source.disk_kind, ok);
    out->read_only = source->source.read_only;
    berth__sym *monitors = array(arena, source->source.monitors.count, sizeof(*monitors), ok);
    for (uint32_t i = 0; i < source->source.monitors.count && *ok; i++)
        monitors[i] = sym_of(model, source->source.monitors.items[i], ok);
    out->monitors = monitors;
    out->monitor_count = source->source.monitors.count;
}

void berth__volume_list_fill(berth__model *model, berth__arena *arena, const berth_pod *pod,
                             berth__volume_list *out, bool *ok)
{
    berth_str own =
        pod->meta.namespace_name.len > 0 ? pod->meta.namespace_name : BERTH_STR("default");
    out->namespace_name = sym_of(model, own, ok);
    berth__pod_volume *items = array(arena, pod->volume_count, sizeof(*items), ok);
    for (uint32_t i = 0; i < pod->volume_count && *ok; i++) {
        if (!berth__is_storage(pod->volumes[i].source.kind))
            continue;
        if (pod->volumes[i].source.kind == BERTH_VOLUME_EPHEMERAL) {
            out->pod_uid = sym_of(model, pod->meta.uid, ok);
            out->pod_name = sym_of(model, pod->meta.name, ok);
        }
        fill_volume(model, arena, pod, &pod->volumes[i], &items[out->count++], ok);
    }
    out->items = items;
    /* Relaxed: it only becomes true, and threads that must know of this pod are ordered after it by
     * other means. */
    if (out->count > 0)
        atomic_store_explicit(&model->has_volumes, true, memory_order_relaxed);
}

/* ---- scheduling gates ---- */

berth__sym berth__joined_gates(berth__model *model, berth_strs gates, bool *ok)
{
    if (gates.count == 0)
        return 0;
    size_t bytes = 0;
    for (uint32_t i = 0; i < gates.count; i++)
        bytes += gates.items[i].len + 1;
    char *joined = berth__arena_alloc(&model->scratch, bytes, 1);
    if (joined == NULL) {
        *ok = false;
        return 0;
    }
    size_t at = 0;
    for (uint32_t i = 0; i < gates.count; i++) {
        if (gates.items[i].len > 0)
            memcpy(joined + at, gates.items[i].data, gates.items[i].len);
        at += gates.items[i].len;
        joined[at++] = ' ';
    }
    return berth__intern_add(&model->strings, (berth_str){joined, (uint32_t)(at - 1)}, ok);
}
