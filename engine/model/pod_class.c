/* Interns pod classes: each part of a pod is written as words; equal words are equal parts. */
#include "model/pod_class.h"

#include <string.h>

#include "base/error.h"
#include "base/sort.h"
#include "base/text.h"
#include "model/class_places.h"
#include "objects/object_copy.h"

/* ---- writing keys ---- */

static void put(berth__model *model, uint32_t word, bool *ok)
{
    if (!berth__grow(model->allocator, &model->words, &model->word_capacity, model->word_count + 1,
                     sizeof(uint32_t))) {
        *ok = false;
        return;
    }
    model->words[model->word_count++] = word;
}

static void put_wide(berth__model *model, int64_t value, bool *ok)
{
    put(model, (uint32_t)(uint64_t)value, ok);
    put(model, (uint32_t)((uint64_t)value >> 32), ok);
}

static void put_text(berth__model *model, berth_str text, bool *ok)
{
    put(model, berth__intern_add(&model->strings, text, ok), ok);
}

static void put_strs(berth__model *model, berth_strs list, bool *ok)
{
    put(model, list.count, ok);
    for (uint32_t i = 0; i < list.count; i++)
        put_text(model, list.items[i], ok);
}

static void put_labels(berth__model *model, berth__labels labels, bool *ok)
{
    put(model, labels.count, ok);
    for (uint32_t i = 0; i < labels.count && *ok; i++) {
        put(model, labels.items[i].key, ok);
        put(model, labels.items[i].value, ok);
    }
}

static void put_map(berth__model *model, berth_map map, bool *ok)
{
    put_labels(model, berth__labels_make(&model->strings, &model->scratch, map, ok), ok);
}

static void put_requirements(berth__model *model, berth_requirements list, bool *ok)
{
    put(model, list.count, ok);
    for (uint32_t i = 0; i < list.count; i++) {
        put_text(model, list.items[i].key, ok);
        put_text(model, list.items[i].op, ok);
        put_strs(model, list.items[i].values, ok);
    }
}

static void put_selector(berth__model *model, const berth_label_selector *selector, bool *ok)
{
    put(model, selector != NULL, ok);
    if (selector == NULL)
        return;
    put_map(model, selector->match_labels, ok);
    put_requirements(model, selector->match_expressions, ok);
}

static void put_node_term(berth__model *model, const berth_node_selector_term *term, bool *ok)
{
    put_requirements(model, term->match_expressions, ok);
    put_requirements(model, term->match_fields, ok);
}

static void put_node_rules(berth__model *model, const berth_pod *pod, bool *ok)
{
    const berth_node_affinity *affinity = &pod->node_affinity;
    put_map(model, pod->node_selector, ok);
    put(model, affinity->required != NULL, ok);
    if (affinity->required != NULL) {
        put(model, affinity->required->count, ok);
        for (uint32_t i = 0; i < affinity->required->count; i++)
            put_node_term(model, &affinity->required->terms[i], ok);
    }
    put(model, affinity->preferred != NULL, ok);
    put(model, affinity->preferred_count, ok);
    for (uint32_t i = 0; i < affinity->preferred_count; i++) {
        put(model, (uint32_t)affinity->preferred[i].weight, ok);
        put_node_term(model, &affinity->preferred[i].preference, ok);
    }
    put(model, pod->toleration_count, ok);
    for (uint32_t i = 0; i < pod->toleration_count; i++) {
        put_text(model, pod->tolerations[i].key, ok);
        put_text(model, pod->tolerations[i].op, ok);
        put_text(model, pod->tolerations[i].value, ok);
        put_text(model, pod->tolerations[i].effect, ok);
    }
    uint32_t features = berth__pod_features(model, pod);
    if (features != 0)
        put(model, features, ok);
}

static void put_pod_terms(berth__model *model, const berth_pod_affinity_term *terms, uint32_t count,
                          bool *ok)
{
    put(model, count, ok);
    for (uint32_t i = 0; i < count; i++) {
        put(model, (uint32_t)terms[i].weight, ok);
        put_text(model, terms[i].topology_key, ok);
        put_strs(model, terms[i].namespaces, ok);
        put_selector(model, terms[i].namespace_selector, ok);
        put_selector(model, terms[i].label_selector, ok);
    }
}

static void put_pod_affinity(berth__model *model, const berth_pod_affinity *affinity, bool *ok)
{
    put(model, affinity->present, ok);
    put_pod_terms(model, affinity->required, affinity->required_count, ok);
    put_pod_terms(model, affinity->preferred, affinity->preferred_count, ok);
}

static berth_str namespace_of(const berth_pod *pod)
{
    return pod->meta.namespace_name.len > 0 ? pod->meta.namespace_name : BERTH_STR("default");
}

static void put_pod_rules(berth__model *model, const berth_pod *pod, bool *ok)
{
    put_text(model, namespace_of(pod), ok);
    put_pod_affinity(model, &pod->pod_affinity, ok);
    put_pod_affinity(model, &pod->pod_anti_affinity, ok);
    put(model, pod->spread_count, ok);
    for (uint32_t i = 0; i < pod->spread_count; i++) {
        const berth_topology_spread *spread = &pod->spreads[i];
        put(model, (uint32_t)spread->max_skew, ok);
        put(model, (uint32_t)spread->min_domains, ok);
        put_text(model, spread->topology_key, ok);
        put_text(model, spread->when_unsatisfiable, ok);
        put_text(model, spread->node_affinity_policy, ok);
        put_text(model, spread->node_taints_policy, ok);
        put_selector(model, spread->label_selector, ok);
        put_strs(model, spread->match_label_keys, ok);
        if (spread->match_label_keys.count > 0)
            put_map(model, pod->meta.labels, ok);
    }
}

static const berth_owner *controller_of(const berth_pod *pod)
{
    for (uint32_t i = 0; i < pod->meta.owner_count; i++)
        if (pod->meta.owners[i].controller)
            return &pod->meta.owners[i];
    return NULL;
}

static void put_identity(berth__model *model, const berth_pod *pod, bool *ok)
{
    static const berth_owner none = {0};
    const berth_owner *owner = controller_of(pod);
    if (owner == NULL)
        owner = &none;
    put_text(model, namespace_of(pod), ok);
    put_map(model, pod->meta.labels, ok);
    put_labels(model,
               berth__annotations_make(&model->strings, &model->scratch, model->annotation_keys,
                                       pod->meta.annotations, ok),
               ok);
    put_text(model, owner->api_version, ok);
    put_text(model, owner->kind, ok);
    put_text(model, owner->name, ok);
    put_text(model, owner->uid, ok);
    if (model->behaviours.pod_groups)
        put_text(model, pod->pod_group, ok);
    else
        put(model, 0, ok);
}

/* The container of that number if its host ports are taken from the node: regular containers first,
 * then init containers that keep running. NULL: its ports do not count. */
static const berth_container *port_holder(const berth__model *model, const berth_pod *pod,
                                          uint32_t i)
{
    if (i < pod->container_count)
        return &pod->containers[i];
    const berth_container *init = &pod->init_containers[i - pod->container_count];
    return model->behaviours.sidecar_ports && init->restart_always ? init : NULL;
}

static void put_ports(berth__model *model, const berth_pod *pod, bool *ok)
{
    for (uint32_t i = 0; i < pod->container_count + pod->init_container_count; i++) {
        const berth_container *container = port_holder(model, pod, i);
        for (uint32_t p = 0; container != NULL && p < container->port_count; p++) {
            const berth_port *port = &container->ports[p];
            if (port->host_port <= 0)
                continue;
            put_text(model, port->host_ip.len > 0 ? port->host_ip : BERTH_STR("0.0.0.0"), ok);
            put_text(model, port->protocol.len > 0 ? port->protocol : BERTH_STR("TCP"), ok);
            put(model, (uint32_t)port->host_port, ok);
        }
    }
}

static void put_volumes(berth__model *model, const berth_pod *pod, bool *ok)
{
    put_text(model, namespace_of(pod), ok);
    for (uint32_t i = 0; i < pod->volume_count; i++) {
        const berth_volume_source *source = &pod->volumes[i].source;
        if (!berth__is_storage(source->kind))
            continue;
        put(model, (uint32_t)source->kind, ok);
        put_text(model, pod->volumes[i].name, ok);
        put_text(model, source->handle, ok);
        put_text(model, source->pool, ok);
        put_text(model, source->uri, ok);
        put_text(model, source->disk_kind, ok);
        put(model, source->read_only, ok);
        put_strs(model, source->monitors, ok);
        if (source->kind == BERTH_VOLUME_EPHEMERAL) {
            put_text(model, pod->meta.name, ok);
            put_text(model, pod->meta.uid, ok);
        }
    }
}

/* Write an entry of spec.resourceClaims. An entry whose template needed no claim (its status names
 * none) is left out. */
static void put_claim(berth__model *model, const berth_pod *pod, const berth_pod_claim *claim,
                      bool *ok)
{
    const berth_pod_claim *made = claim;
    bool templated = claim->claim.data == NULL && claim->claim_template.data != NULL;
    if (templated)
        made = berth__pod_claim_made(pod, claim->name);
    if (made != NULL && made->claim.data == NULL && templated)
        return;
    put_text(model, claim->name, ok);
    put(model, templated ? BERTH__CLAIM_FROM_TEMPLATE : 0, ok);
    if (made != NULL && made->claim.data != NULL)
        put_text(model, made->claim, ok);
    else
        put(model, 0, ok);
}

static void put_claims(berth__model *model, const berth_pod *pod, bool *ok)
{
    put_text(model, namespace_of(pod), ok);
    put_text(model, pod->meta.uid, ok);
    put_text(model, pod->meta.name, ok);
    for (uint32_t i = 0; i < pod->resource_claim_count; i++)
        put_claim(model, pod, &pod->resource_claims[i], ok);
}

static void put_images(berth__model *model, const berth_pod *pod, bool *ok)
{
    put(model, pod->init_container_count, ok);
    put(model, pod->init_container_count + pod->container_count, ok);
    for (uint32_t i = 0; i < pod->init_container_count; i++)
        put(model, berth__image_name(model, pod->init_containers[i].image, ok), ok);
    for (uint32_t i = 0; i < pod->container_count; i++)
        put(model, berth__image_name(model, pod->containers[i].image, ok), ok);
    for (uint32_t i = 0; model->behaviours.image_volumes && i < pod->volume_count; i++)
        if (pod->volumes[i].source.kind == BERTH_VOLUME_IMAGE)
            put(model, berth__image_name(model, pod->volumes[i].source.handle, ok), ok);
}

static void put_request(berth__model *model, const berth__request *request, bool *ok)
{
    for (uint32_t i = 0; i < BERTH__SCALARS; i++) {
        put_wide(model, request->ask[i], ok);
        put_wide(model, request->use[i], ok);
    }
    put_wide(model, request->nonzero_cpu, ok);
    put_wide(model, request->nonzero_memory, ok);
    put_wide(model, request->scored_cpu, ok);
    put_wide(model, request->scored_memory, ok);
    put(model, request->best_effort, ok);
    for (uint32_t i = 0; i < request->scalar_count; i++) {
        put(model, request->scalars[i].resource, ok);
        put_wide(model, request->scalars[i].ask, ok);
        put_wide(model, request->scalars[i].use, ok);
        put_wide(model, request->scalars[i].scored, ok);
    }
}

/* ---- parts ---- */

typedef enum part_kind {
    PART_REQUEST,
    PART_NODE_RULES,
    PART_IMAGES,
    PART_PORTS,
    PART_IDENTITY,
    PART_POD_RULES,
    PART_VOLUMES,
    PART_CLAIMS,
    PART_EXTENDED,
    PART_COUNT,
} part_kind;

static const size_t part_sizes[PART_COUNT] = {
    [PART_REQUEST] = sizeof(berth__request),        [PART_NODE_RULES] = sizeof(berth__node_rules),
    [PART_IMAGES] = sizeof(berth__image_list),      [PART_PORTS] = sizeof(berth__port_list),
    [PART_IDENTITY] = sizeof(berth__identity),      [PART_POD_RULES] = sizeof(berth__pod_rules),
    [PART_VOLUMES] = sizeof(berth__volume_list),    [PART_CLAIMS] = sizeof(berth__claim_list),
    [PART_EXTENDED] = sizeof(berth__extended_asks),
};

static void fill_request(berth__arena *arena, const berth__request *computed, berth__request *out,
                         bool *ok)
{
    berth__part head = out->part;
    *out = *computed;
    out->part = head;
    size_t bytes = computed->scalar_count * sizeof(*computed->scalars);
    berth__scalar_request *scalars = berth__arena_alloc(arena, bytes, 8);
    if (scalars == NULL)
        *ok = false;
    else if (bytes > 0)
        memcpy(scalars, computed->scalars, bytes);
    out->scalars = scalars;
}

/* Images, ports and identity are read back from the words of their key. */
static void fill_images(berth__image_list *out, const uint32_t *key, uint32_t count)
{
    out->init_count = key[1];
    out->container_count = key[2];
    out->names = key + 3;
    out->count = count - 3;
}

static void fill_ports(berth__arena *arena, berth__port_list *out, const uint32_t *key,
                       uint32_t count, bool *ok)
{
    out->count = (count - 1) / 3;
    berth__host_port *items = berth__arena_alloc(arena, out->count * sizeof(*items), 8);
    for (uint32_t i = 0; items != NULL && i < out->count; i++)
        items[i] = (berth__host_port){key[1 + 3 * i], key[2 + 3 * i], (int32_t)key[3 + 3 * i]};
    if (items != NULL)
        berth__sort(items, out->count, sizeof(*items), berth__host_port_order);
    out->items = items;
    *ok &= items != NULL;
}

static void fill_identity(berth__identity *out, const uint32_t *key, uint32_t count)
{
    out->namespace_name = key[1];
    out->labels.count = key[2];
    out->labels.items = (const berth__label *)(const void *)(key + 3);
    const uint32_t *annotations = key + 3 + 2 * out->labels.count;
    out->annotations = (berth__labels){(const void *)(annotations + 1), annotations[0]};
    const uint32_t *owner = key + count - 5;
    out->owner_api_version = owner[0];
    out->owner_kind = owner[1];
    out->owner_name = owner[2];
    out->owner_uid = owner[3];
    out->pod_group = owner[4];
}

static void fill_part(berth__model *model, part_kind kind, berth__part *part, const berth_pod *pod,
                      const berth__request *computed, bool *ok)
{
    const uint32_t *key = part->entry.key;
    uint32_t count = part->entry.key_bytes / sizeof(uint32_t);
    void *body = part;
    switch (kind) {
    case PART_REQUEST:
        fill_request(&part->arena, computed, body, ok);
        break;
    case PART_NODE_RULES:
        berth__node_rules_fill(model, &part->arena, pod, body, ok);
        break;
    case PART_IMAGES:
        fill_images(body, key, count);
        break;
    case PART_PORTS:
        fill_ports(&part->arena, body, key, count, ok);
        break;
    case PART_IDENTITY:
        fill_identity(body, key, count);
        break;
    case PART_POD_RULES:
        berth__pod_rules_fill(model, &part->arena, pod, body, ok);
        break;
    case PART_VOLUMES:
        berth__volume_list_fill(model, &part->arena, pod, body, ok);
        break;
    case PART_CLAIMS:
        berth__claim_list_fill(model, &part->arena, key + 1, count - 1, body, ok);
        break;
    case PART_EXTENDED:
        berth__extended_asks_fill(model, &part->arena, key + 1, count - 1, body, ok);
        break;
    case PART_COUNT:
        break;
    }
}

static void write_key(berth__model *model, part_kind kind, const berth_pod *pod,
                      const berth__request *computed, bool *ok)
{
    model->word_count = 0;
    put(model, (uint32_t)kind, ok);
    switch (kind) {
    case PART_REQUEST:
        put_request(model, computed, ok);
        break;
    case PART_NODE_RULES:
        put_node_rules(model, pod, ok);
        break;
    case PART_IMAGES:
        put_images(model, pod, ok);
        break;
    case PART_PORTS:
        put_ports(model, pod, ok);
        break;
    case PART_IDENTITY:
        put_identity(model, pod, ok);
        break;
    case PART_POD_RULES:
        put_pod_rules(model, pod, ok);
        break;
    case PART_VOLUMES:
        put_volumes(model, pod, ok);
        break;
    case PART_CLAIMS:
        put_claims(model, pod, ok);
        break;
    case PART_EXTENDED:
        berth__extended_asks_write(model, pod, put, ok);
        break;
    case PART_COUNT:
        break;
    }
}

static void part_release(berth__model *model, const berth__part *shared)
{
    if (shared == NULL)
        return;
    berth__part *part;
    memcpy(&part, &shared, sizeof(part)); /* the model owns the part, so it may drop the const */
    if (--part->users > 0)
        return;
    berth__keymap_remove(&model->parts, &part->entry);
    berth__arena arena = part->arena; /* the part is in it */
    berth__arena_destroy(&arena);
}

/* The part of that kind, with one more user; `*is_new` becomes true if the part was made. NULL when
 * out of memory. */
static berth__part *part_of(berth__model *model, part_kind kind, const berth_pod *pod,
                            const berth__request *computed, bool *is_new)
{
    bool ok = true;
    write_key(model, kind, pod, computed, &ok);
    size_t key_bytes = model->word_count * sizeof(uint32_t);
    if (!ok)
        return NULL;
    berth__part *part = (berth__part *)berth__keymap_find(&model->parts, model->words, key_bytes);
    if (part != NULL) {
        part->users++;
        return part;
    }
    berth__arena arena;
    berth__arena_init_sized(&arena, model->allocator, part_sizes[kind] + key_bytes + 128);
    part = berth__arena_alloc_zero(&arena, part_sizes[kind], 8);
    uint32_t *key = part != NULL ? berth__arena_alloc(&arena, key_bytes, 8) : NULL;
    if (key == NULL)
        goto fail;
    memcpy(key, model->words, key_bytes);
    const berth__keymap_entry entry = {.key = key, .key_bytes = (uint32_t)key_bytes};
    *part = (berth__part){entry, arena, ++model->class_serial, 1, kind != PART_REQUEST};
    fill_part(model, kind, part, pod, computed, &ok);
    arena = part->arena;
    if (!ok)
        goto fail;
    berth__keymap_add(&model->parts, &part->entry);
    *is_new = true;
    return part;
fail:
    berth__arena_destroy(&arena);
    return NULL;
}

/* ---- classes ---- */

/* What distinguishes classes. No padding: it is hashed as bytes. */
typedef struct class_key {
    const void *parts[PART_COUNT];
    berth__sym scheduler_name;
    berth__sym gates;
    uint32_t preempts;
    uint32_t deleting;
} class_key;
_Static_assert(sizeof(class_key) == PART_COUNT * sizeof(void *) + 16, "class_key has padding");

static bool has_host_ports(const berth__model *model, const berth_pod *pod)
{
    for (uint32_t i = 0; i < pod->container_count + pod->init_container_count; i++) {
        const berth_container *container = port_holder(model, pod, i);
        for (uint32_t p = 0; container != NULL && p < container->port_count; p++)
            if (container->ports[p].host_port > 0)
                return true;
    }
    return false;
}

static bool is_needed(const berth__model *model, part_kind kind, const berth_pod *pod)
{
    switch (kind) {
    case PART_NODE_RULES:
        return pod->node_selector.count > 0 || pod->node_affinity.required != NULL ||
               pod->node_affinity.preferred != NULL || pod->toleration_count > 0 ||
               berth__pod_features(model, pod) != 0;
    case PART_PORTS:
        return has_host_ports(model, pod);
    case PART_POD_RULES:
        return pod->pod_affinity.present || pod->pod_anti_affinity.present ||
               pod->pod_affinity.required_count + pod->pod_affinity.preferred_count +
                       pod->pod_anti_affinity.required_count +
                       pod->pod_anti_affinity.preferred_count + pod->spread_count >
                   0;
    case PART_VOLUMES:
        for (uint32_t i = 0; i < pod->volume_count; i++)
            if (berth__is_storage(pod->volumes[i].source.kind))
                return true;
        return false;
    case PART_CLAIMS:
        return pod->resource_claim_count > 0;
    case PART_EXTENDED:
        return berth__pod_asks_extended(model, pod);
    default:
        return true;
    }
}

static berth_status check_ports(const berth__model *model, const berth_pod *pod, berth_error *error)
{
    for (uint32_t i = 0; i < pod->container_count + pod->init_container_count; i++) {
        const berth_container *container = port_holder(model, pod, i);
        bool regular = i < pod->container_count;
        for (uint32_t p = 0; container != NULL && p < container->port_count; p++) {
            int32_t port = container->ports[p].host_port;
            if (port >= 0 && port <= 65535)
                continue;
            berth__error_set(error, BERTH_E_RANGE, "a port is 0 to 65535, not %d", (int)port);
            berth__error_field(error, "spec.%s[%u].ports[%u].hostPort",
                               regular ? "containers" : "initContainers",
                               (unsigned)(regular ? i : i - pod->container_count), (unsigned)p);
            return BERTH_E_RANGE;
        }
    }
    return BERTH_OK;
}

static berth__class *make_class(berth__model *model, const class_key *key)
{
    berth__class *cls =
        berth__alloc_zero(model->allocator, sizeof(*cls) + sizeof(*key), _Alignof(berth__class));
    if (cls == NULL)
        return NULL;
    if (!berth__class_place_take(model, &cls->place)) {
        berth__free(model->allocator, cls, sizeof(*cls) + sizeof(*key));
        return NULL;
    }
    void *stored = cls + 1;
    memcpy(stored, key, sizeof(*key));
    cls->entry = (berth__keymap_entry){.key = stored, .key_bytes = sizeof(*key)};
    cls->serial = ++model->class_serial;
    cls->users = 1;
    cls->request = key->parts[PART_REQUEST];
    cls->node_rules = key->parts[PART_NODE_RULES];
    cls->images = key->parts[PART_IMAGES];
    cls->ports = key->parts[PART_PORTS];
    cls->identity = key->parts[PART_IDENTITY];
    cls->pod_rules = key->parts[PART_POD_RULES];
    cls->volumes = key->parts[PART_VOLUMES];
    cls->claims = key->parts[PART_CLAIMS];
    cls->extended = key->parts[PART_EXTENDED];
    cls->scheduler_name = key->scheduler_name;
    cls->gates = key->gates;
    cls->preempts = key->preempts;
    cls->deleting = key->deleting;
    berth__keymap_add(&model->classes, &cls->entry);
    model->class_count++;
    return cls;
}

/* Copy the first pod of a class if the engine keeps objects. False when out of memory. */
static bool keep_sample(const berth__model *model, berth__class *cls, const berth_pod *pod)
{
    const berth_object object = {.kind = BERTH_KIND_POD, .as.pod = pod};
    return !model->keep_objects ||
           berth__object_copy_own(&object, NULL, model->allocator, &cls->sample, NULL) == BERTH_OK;
}

static void release_parts(berth__model *model, const void *const *parts)
{
    for (uint32_t i = 0; i < PART_COUNT; i++)
        part_release(model, parts[i]);
}

static berth_status look_up_class(berth__model *model, const berth_pod *pod, berth__class **out,
                                  berth_error *error)
{
    bool ok = true, is_new = false;
    berth__request computed = {0};
    class_key key = {0};
    berth__arena_reset(&model->scratch);
    BERTH_TRY(check_ports(model, pod, error));
    BERTH_TRY(berth__request_compute(model, pod, &computed, error));
    for (uint32_t kind = 0; kind < PART_COUNT && ok; kind++) {
        if (!is_needed(model, (part_kind)kind, pod))
            continue;
        key.parts[kind] = part_of(model, (part_kind)kind, pod, &computed, &is_new);
        ok = key.parts[kind] != NULL;
    }
    key.scheduler_name = pod->scheduler_name.len > 0
                             ? berth__intern_add(&model->strings, pod->scheduler_name, &ok)
                             : model->known.default_scheduler;
    key.gates = berth__joined_gates(model, pod->scheduling_gates, &ok);
    key.preempts = !berth__str_is(pod->preemption_policy, "Never");
    key.deleting = pod->meta.deleting;
    berth__class *cls = ok && !is_new /* no class exists yet with a new part */
                            ? (berth__class *)berth__keymap_find(&model->classes, &key, sizeof(key))
                            : NULL;
    if (cls != NULL) {
        cls->users++;
        release_parts(model, key.parts); /* the class holds uses of its own */
    } else if (!ok || (cls = make_class(model, &key)) == NULL) {
        release_parts(model, key.parts);
        return berth__error_set(error, BERTH_E_NOMEM, "out of memory");
    } else if (!keep_sample(model, cls, pod)) {
        berth__class_release(model, cls);
        return berth__error_set(error, BERTH_E_NOMEM, "out of memory");
    }
    *out = cls;
    return BERTH_OK;
}

/* Check what a pod's template_id can't promise: its namespace, and what changes during its life. */
static bool keeps_promise(const berth__model *model, const berth__class *cls, const berth_pod *pod)
{
    berth__sym kept = cls->identity->namespace_name;
    berth_str given = pod->meta.namespace_name;
    bool same_namespace = given.len > 0 ? berth__str_eq(given, berth__text(model, kept))
                                        : kept == model->known.default_namespace;
    return same_namespace && cls->deleting == pod->meta.deleting && cls->gates == 0 &&
           pod->scheduling_gates.count == 0;
}

berth_status berth__class_of(berth__model *model, const berth_pod *pod, berth__class **out,
                             berth_error *error)
{
    berth__class *known = berth__class_recall(&model->class_memo, pod);
    if (known != NULL && keeps_promise(model, known, pod)) {
        known->users++;
        *out = known;
        return BERTH_OK;
    }
    BERTH_TRY(look_up_class(model, pod, out, error));
    berth__class_remember(&model->class_memo, model->allocator, pod, *out);
    return BERTH_OK;
}

void berth__class_release(berth__model *model, berth__class *cls)
{
    if (cls == NULL || --cls->users > 0)
        return;
    berth__class_memo_void(&model->class_memo);
    berth__keymap_remove(&model->classes, &cls->entry);
    const void *const parts[PART_COUNT] = {cls->request, cls->node_rules, cls->images,
                                           cls->ports,   cls->identity,   cls->pod_rules,
                                           cls->volumes, cls->claims,     cls->extended};
    release_parts(model, parts);
    model->class_count--;
    berth__class_place_return(model, cls->place);
    berth_object_destroy(cls->sample);
    berth__free(model->allocator, cls, sizeof(*cls) + sizeof(class_key));
}

void berth__class_release_later(berth__model *model, berth__class *cls)
{
    if (atomic_fetch_add_explicit(&cls->due, 1, memory_order_acq_rel) != 0) /* MODEL-2 */
        return;
    /* Relaxed: only a guess for the exchange; nobody follows the pointer yet. */
    cls->next_due = atomic_load_explicit(&model->due, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(
        &model->due, &cls->next_due, cls, memory_order_release, memory_order_relaxed)) /* MODEL-2 */
        ;
}
