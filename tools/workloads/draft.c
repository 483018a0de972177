/* Builds one object at a time: metadata, containers and rules are added one by one. */
#include "workloads/draft.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/words.h"

void draft_reset(draft *d)
{
    d->text_used = 0;
}

/* Discard the previous object. Lists are as long as their counts say, so only the counts are
 * cleared. */
void draft_begin(draft *d, berth_kind kind, berth_metadata *meta, berth_str name)
{
    d->container = (berth_container){0};
    d->required_term = (berth_node_selector_term){0};
    d->labels.count = 0;
    d->annotations.count = 0;
    d->node_selector.count = 0;
    d->value_count = 0;
    d->selector_count = 0;
    d->meta = meta;
    meta->name = name;
    meta->labels.entries = d->labels.entries;
    meta->annotations.entries = d->annotations.entries;
    /* Every object begins with its metadata. */
    d->object = (berth_object){.kind = kind, .as.any = meta};
}

void draft_node(draft *d, berth_str name)
{
    d->node = (berth_node){0};
    draft_begin(d, BERTH_KIND_NODE, &d->node.meta, name);
    d->node.allocatable.items = d->resources;
    d->node.taints = d->taints;
    d->node.images = d->images;
}

void draft_pod(draft *d, berth_str namespace_name, berth_str name)
{
    d->pod = (berth_pod){0};
    berth_pod *pod = &d->pod;
    draft_begin(d, BERTH_KIND_POD, &pod->meta, name);
    pod->meta.namespace_name = namespace_name;
    d->container.name = words_of("main");
    d->container.requests.items = d->resources;
    d->container.limits.items = d->limits;
    d->container.ports = d->ports;
    pod->containers = &d->container;
    pod->container_count = 1;
    pod->node_selector.entries = d->node_selector.entries;
    pod->tolerations = d->tolerations;
    pod->spreads = d->spreads;
    pod->volumes = d->volumes;
    pod->pod_affinity.required = d->terms[DRAFT_AFFINITY_REQUIRED];
    pod->pod_affinity.preferred = d->terms[DRAFT_AFFINITY_PREFERRED];
    pod->pod_anti_affinity.required = d->terms[DRAFT_ANTI_REQUIRED];
    pod->pod_anti_affinity.preferred = d->terms[DRAFT_ANTI_PREFERRED];
}

berth_str draft_text(draft *d, const char *format, ...)
{
    char *to = d->text + d->text_used;
    size_t room = sizeof(d->text) - d->text_used;
    va_list args;
    va_start(args, format);
    int len = vsnprintf(to, room, format, args);
    va_end(args);
    assert(len >= 0 && (size_t)len < room);
    d->text_used += (size_t)len + 1;
    return (berth_str){to, (uint32_t)len};
}

static void add_entry(draft_map *map, const char *key, berth_str value)
{
    assert(map->count < DRAFT_MAPS_MAX);
    map->entries[map->count++] = (berth_key_value){words_of(key), value};
}

void draft_label(draft *d, const char *key, berth_str value)
{
    add_entry(&d->labels, key, value);
    d->meta->labels.count = d->labels.count;
}

void draft_annotation(draft *d, const char *key, berth_str value)
{
    add_entry(&d->annotations, key, value);
    d->meta->annotations.count = d->annotations.count;
}

void draft_resource(draft *d, const char *name, berth_quantity amount)
{
    uint32_t *count = d->object.kind == BERTH_KIND_NODE ? &d->node.allocatable.count
                                                        : &d->container.requests.count;
    assert(*count < DRAFT_LIST_MAX);
    d->resources[(*count)++] = (berth_resource){words_of(name), amount};
    if (d->object.kind == BERTH_KIND_POD && strchr(name, '/') != NULL)
        d->limits[d->container.limits.count++] = (berth_resource){words_of(name), amount};
}

berth_quantity draft_milli(int64_t milli)
{
    return (berth_quantity){milli / 1000, (int32_t)(milli % 1000) * 1000000};
}

berth_quantity draft_units(int64_t units)
{
    return (berth_quantity){units, 0};
}

berth_quantity draft_mebibytes(int64_t mebibytes)
{
    return (berth_quantity){mebibytes * 1024 * 1024, 0};
}

void draft_taint(draft *d, const char *key, const char *value, const char *effect)
{
    assert(d->node.taint_count < DRAFT_LIST_MAX);
    d->taints[d->node.taint_count++] =
        (berth_taint){words_of(key), words_of(value), words_of(effect), NULL};
}

static berth_str *add_values(draft *d, const berth_str *values, uint32_t count)
{
    assert(d->value_count + count <= DRAFT_VALUES_MAX);
    berth_str *first = &d->values[d->value_count];
    memcpy(first, values, count * sizeof(*values));
    d->value_count += count;
    return first;
}

void draft_node_image(draft *d, berth_str name, int64_t size_bytes)
{
    assert(d->node.image_count < DRAFT_LIST_MAX);
    d->images[d->node.image_count++] =
        (berth_image){.names = {add_values(d, &name, 1), 1}, .size_bytes = size_bytes};
}

void draft_image(draft *d, berth_str image)
{
    d->container.image = image;
}

void draft_host_port(draft *d, int32_t port)
{
    assert(d->container.port_count < DRAFT_LIST_MAX);
    d->ports[d->container.port_count++] =
        (berth_port){.protocol = words_of("TCP"), .host_port = port, .container_port = port};
}

void draft_tolerate(draft *d, const char *key, const char *value, const char *effect)
{
    assert(d->pod.toleration_count < DRAFT_LIST_MAX);
    d->tolerations[d->pod.toleration_count++] = (berth_toleration){
        words_of(key), words_of("Equal"), words_of(value), words_of(effect), NULL};
}

void draft_select_node(draft *d, const char *key, berth_str value)
{
    add_entry(&d->node_selector, key, value);
    d->pod.node_selector.count = d->node_selector.count;
}

static berth_requirement key_in(draft *d, const char *key, const berth_str *values, uint32_t count)
{
    return (berth_requirement){
        words_of(key), words_of("In"), {add_values(d, values, count), count}};
}

static void add_required(draft *d, berth_requirements *expressions, const char *key,
                         const berth_str *values, uint32_t count)
{
    assert(expressions->count < DRAFT_LIST_MAX);
    d->required[expressions->count++] = key_in(d, key, values, count);
    expressions->items = d->required;
}

void draft_require_node(draft *d, const char *key, const berth_str *values, uint32_t count)
{
    add_required(d, &d->required_term.match_expressions, key, values, count);
    d->required_selector = (berth_node_selector){&d->required_term, 1};
    if (d->object.kind == BERTH_KIND_POD)
        d->pod.node_affinity.required = &d->required_selector;
    else
        d->volume.node_affinity = &d->required_selector;
}

void draft_mount(draft *d, berth_str name, berth_str claim)
{
    assert(d->pod.volume_count < DRAFT_LIST_MAX);
    d->volumes[d->pod.volume_count++] =
        (berth_volume){.name = name, .source = {.kind = BERTH_VOLUME_CLAIM, .handle = claim}};
}

void draft_prefer_node(draft *d, int32_t weight, const char *key, berth_str value)
{
    uint32_t *count = &d->pod.node_affinity.preferred_count;
    assert(*count < DRAFT_LIST_MAX);
    d->preferred_expressions[*count] = key_in(d, key, &value, 1);
    d->preferred[*count] = (berth_preferred_node_term){
        .weight = weight, .preference.match_expressions = {&d->preferred_expressions[*count], 1}};
    d->pod.node_affinity.preferred = d->preferred;
    (*count)++;
}

static const berth_label_selector *selector(draft *d, const char *key, berth_str value)
{
    assert(d->selector_count < DRAFT_LIST_MAX);
    draft_selector *made = &d->selectors[d->selector_count++];
    made->label = (berth_key_value){words_of(key), value};
    made->selector.match_labels = (berth_map){&made->label, 1};
    return &made->selector;
}

void draft_service(draft *d, berth_str namespace_name, berth_str name, const char *key,
                   berth_str value)
{
    d->service = (berth_service){.has_selector = true};
    draft_begin(d, BERTH_KIND_SERVICE, &d->service.meta, name);
    d->service.meta.namespace_name = namespace_name;
    d->service.selector = selector(d, key, value)->match_labels;
}

void draft_replica_set(draft *d, berth_str namespace_name, berth_str name, const char *key,
                       berth_str value)
{
    d->replica_set = (berth_controller){.selector = NULL};
    draft_begin(d, BERTH_KIND_REPLICA_SET, &d->replica_set.meta, name);
    d->replica_set.meta.namespace_name = namespace_name;
    d->replica_set.selector = selector(d, key, value);
}

void draft_own(draft *d, berth_str replica_set)
{
    d->owner = (berth_owner){.api_version = words_of("apps/v1"),
                             .kind = words_of("ReplicaSet"),
                             .name = replica_set,
                             .uid = replica_set,
                             .controller = true};
    d->meta->owners = &d->owner;
    d->meta->owner_count = 1;
}

void draft_spread(draft *d, const char *topology_key, int32_t max_skew, const char *when,
                  const char *key, berth_str value)
{
    assert(d->pod.spread_count < DRAFT_LIST_MAX);
    d->spreads[d->pod.spread_count++] = (berth_topology_spread){
        .max_skew = max_skew,
        .topology_key = words_of(topology_key),
        .when_unsatisfiable = words_of(when),
        .label_selector = selector(d, key, value),
    };
}

void draft_pod_term(draft *d, draft_term where, int32_t weight, const char *topology_key,
                    const char *key, berth_str value)
{
    bool anti = where == DRAFT_ANTI_REQUIRED || where == DRAFT_ANTI_PREFERRED;
    bool required = where == DRAFT_AFFINITY_REQUIRED || where == DRAFT_ANTI_REQUIRED;
    berth_pod_affinity *affinity = anti ? &d->pod.pod_anti_affinity : &d->pod.pod_affinity;
    uint32_t *count = required ? &affinity->required_count : &affinity->preferred_count;
    assert(*count < DRAFT_LIST_MAX);
    affinity->present = true;
    d->terms[where][(*count)++] = (berth_pod_affinity_term){
        .label_selector = selector(d, key, value),
        .topology_key = words_of(topology_key),
        .weight = required ? 0 : weight,
    };
}

/* ---- storage ---- */

void draft_storage_class(draft *d, berth_str name, berth_str provisioner)
{
    d->storage_class = (berth_storage_class){
        .provisioner = provisioner,
        .binding_mode = words_of("WaitForFirstConsumer"),
        .allowed_topologies = &d->topology,
    };
    d->topology = (berth_topology_term){0};
    draft_begin(d, BERTH_KIND_STORAGE_CLASS, &d->storage_class.meta, name);
}

void draft_allow_topology(draft *d, const char *key, const berth_str *values, uint32_t count)
{
    add_required(d, &d->topology.expressions, key, values, count);
    d->storage_class.allowed_topology_count = 1;
}

void draft_csi_driver(draft *d, berth_str name)
{
    d->csi_driver = (berth_csi_driver){0};
    draft_begin(d, BERTH_KIND_CSI_DRIVER, &d->csi_driver.meta, name);
}

void draft_csi_node(draft *d, berth_str name, berth_str driver, int32_t limit)
{
    d->limit = (berth_csi_node_driver){driver, name, true, limit, NULL};
    d->csi_node = (berth_csi_node){.drivers = &d->limit, .driver_count = 1};
    draft_begin(d, BERTH_KIND_CSI_NODE, &d->csi_node.meta, name);
}

void draft_capacity(draft *d, berth_str namespace_name, berth_str name, int64_t gibibytes)
{
    d->capacity = (berth_csi_storage_capacity){
        .has_capacity = true,
        .capacity = draft_mebibytes(gibibytes * 1024),
    };
    draft_begin(d, BERTH_KIND_CSI_STORAGE_CAPACITY, &d->capacity.meta, name);
    d->capacity.meta.namespace_name = namespace_name;
}

void draft_reach(draft *d, const char *key, berth_str value)
{
    d->capacity.node_topology = selector(d, key, value);
}

static berth_strs one_writer(draft *d)
{
    const berth_str mode = words_of("ReadWriteOnce");
    return (berth_strs){add_values(d, &mode, 1), 1};
}

void draft_volume(draft *d, berth_str name, berth_str driver, int64_t gibibytes)
{
    d->volume = (berth_persistent_volume){
        .capacity = draft_mebibytes(gibibytes * 1024),
        .source = {.kind = BERTH_VOLUME_CSI, .handle = name, .driver = driver},
        .phase = words_of("Available"),
    };
    draft_begin(d, BERTH_KIND_PERSISTENT_VOLUME, &d->volume.meta, name);
    d->volume.access_modes = one_writer(d);
}

void draft_claim(draft *d, berth_str namespace_name, berth_str name, int64_t gibibytes)
{
    d->claim = (berth_persistent_volume_claim){
        .request = draft_mebibytes(gibibytes * 1024),
        .phase = words_of("Pending"),
    };
    draft_begin(d, BERTH_KIND_PERSISTENT_VOLUME_CLAIM, &d->claim.meta, name);
    d->claim.meta.namespace_name = namespace_name;
    d->claim.access_modes = one_writer(d);
}

void draft_use_class(draft *d, berth_str storage_class)
{
    if (d->object.kind == BERTH_KIND_PERSISTENT_VOLUME)
        d->volume.storage_class = storage_class;
    else if (d->object.kind == BERTH_KIND_CSI_STORAGE_CAPACITY)
        d->capacity.storage_class = storage_class;
    else
        d->claim.storage_class = storage_class;
}

void draft_bind_volume(draft *d, berth_str claim_namespace, berth_str claim)
{
    d->volume.has_claim_ref = true;
    d->volume.claim_namespace = claim_namespace;
    d->volume.claim_name = claim;
    d->volume.phase = words_of("Bound");
}

/* A scheduler relies on the annotation: without it the claim is still being bound. */
void draft_bind_claim(draft *d, berth_str volume)
{
    draft_annotation(d, "pv.kubernetes.io/bind-completed", words_of("yes"));
    d->claim.volume_name = volume;
    d->claim.phase = words_of("Bound");
}
