/* Deep copies, all of one object in a chain of blocks that go together. */
#include "object_copy.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"

enum { BLOCK_BYTES = 2048 };

typedef struct block {
    struct block *next;
    size_t used;
    size_t size;
    max_align_t data[];
} block;

struct object_copy {
    block *blocks;
    berth_kind kind;
    union {
        berth_node node;
        berth_pod pod;
    } as;
};

static void *room(object_copy *c, size_t count, size_t item_bytes)
{
    size_t bytes = count * item_bytes;
    bytes = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    if (c->blocks == NULL || c->blocks->size - c->blocks->used < bytes) {
        size_t size = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        block *fresh = heap_new(1, sizeof(*fresh) + size);
        fresh->next = c->blocks;
        fresh->size = size;
        c->blocks = fresh;
    }
    void *at = (char *)c->blocks->data + c->blocks->used;
    c->blocks->used += bytes;
    return at;
}

/* A copy of `count` items that may point to more; NULL stays NULL. */
static void *items(object_copy *c, const void *from, size_t count, size_t item_bytes)
{
    if (from == NULL)
        return NULL;
    void *to = room(c, count > 0 ? count : 1, item_bytes);
    if (count > 0)
        memcpy(to, from, count * item_bytes);
    return to;
}

#define ITEMS(c, from, count) items((c), (from), (count), sizeof(*(from)))

static void own_str(object_copy *c, berth_str *text)
{
    if (text->data != NULL)
        text->data = ITEMS(c, text->data, text->len);
}

static void own_strs(object_copy *c, berth_strs *list)
{
    berth_str *copy = ITEMS(c, list->items, list->count);
    for (uint32_t i = 0; i < list->count; i++)
        own_str(c, &copy[i]);
    list->items = copy;
}

static void own_map(object_copy *c, berth_map *map)
{
    berth_key_value *copy = ITEMS(c, map->entries, map->count);
    for (uint32_t i = 0; i < map->count; i++) {
        own_str(c, &copy[i].key);
        own_str(c, &copy[i].value);
    }
    map->entries = copy;
}

static void own_resources(object_copy *c, berth_resources *list)
{
    berth_resource *copy = ITEMS(c, list->items, list->count);
    for (uint32_t i = 0; i < list->count; i++)
        own_str(c, &copy[i].name);
    list->items = copy;
}

static void own_requirements(object_copy *c, berth_requirements *list)
{
    berth_requirement *copy = ITEMS(c, list->items, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        own_str(c, &copy[i].key);
        own_str(c, &copy[i].op);
        own_strs(c, &copy[i].values);
    }
    list->items = copy;
}

static void own_conditions(object_copy *c, const berth_condition **list, uint32_t count)
{
    berth_condition *copy = ITEMS(c, *list, count);
    for (uint32_t i = 0; i < count; i++) {
        own_str(c, &copy[i].type);
        own_str(c, &copy[i].status);
        own_str(c, &copy[i].reason);
    }
    *list = copy;
}

static void own_meta(object_copy *c, berth_metadata *meta)
{
    own_str(c, &meta->name);
    own_str(c, &meta->namespace_name);
    own_str(c, &meta->uid);
    own_map(c, &meta->labels);
    own_map(c, &meta->annotations);
    berth_owner *owners = ITEMS(c, meta->owners, meta->owner_count);
    for (uint32_t i = 0; i < meta->owner_count; i++) {
        own_str(c, &owners[i].api_version);
        own_str(c, &owners[i].kind);
        own_str(c, &owners[i].name);
        own_str(c, &owners[i].uid);
    }
    meta->owners = owners;
}

/* ---- nodes ---- */

static void own_node(object_copy *c, berth_node *node)
{
    own_meta(c, &node->meta);
    berth_taint *taints = ITEMS(c, node->taints, node->taint_count);
    for (uint32_t i = 0; i < node->taint_count; i++) {
        own_str(c, &taints[i].key);
        own_str(c, &taints[i].value);
        own_str(c, &taints[i].effect);
    }
    node->taints = taints;
    own_resources(c, &node->allocatable);
    berth_image *images = ITEMS(c, node->images, node->image_count);
    for (uint32_t i = 0; i < node->image_count; i++)
        own_strs(c, &images[i].names);
    node->images = images;
    own_conditions(c, &node->conditions, node->condition_count);
}

/* ---- pods ---- */

static const berth_label_selector *own_selector(object_copy *c, const berth_label_selector *from)
{
    berth_label_selector *copy = ITEMS(c, from, 1);
    if (copy != NULL) {
        own_map(c, &copy->match_labels);
        own_requirements(c, &copy->match_expressions);
    }
    return copy;
}

static void own_term(object_copy *c, berth_node_selector_term *term)
{
    own_requirements(c, &term->match_expressions);
    own_requirements(c, &term->match_fields);
}

static void own_node_affinity(object_copy *c, berth_node_affinity *affinity)
{
    berth_node_selector *required = ITEMS(c, affinity->required, 1);
    if (required != NULL) {
        berth_node_selector_term *terms = ITEMS(c, required->terms, required->count);
        for (uint32_t i = 0; i < required->count; i++)
            own_term(c, &terms[i]);
        required->terms = terms;
    }
    affinity->required = required;
    berth_preferred_node_term *preferred = ITEMS(c, affinity->preferred, affinity->preferred_count);
    for (uint32_t i = 0; i < affinity->preferred_count; i++)
        own_term(c, &preferred[i].preference);
    affinity->preferred = preferred;
}

static const berth_pod_affinity_term *own_pod_terms(object_copy *c,
                                                    const berth_pod_affinity_term *from,
                                                    uint32_t count)
{
    berth_pod_affinity_term *copy = ITEMS(c, from, count);
    for (uint32_t i = 0; i < count; i++) {
        copy[i].label_selector = own_selector(c, copy[i].label_selector);
        own_strs(c, &copy[i].namespaces);
        copy[i].namespace_selector = own_selector(c, copy[i].namespace_selector);
        own_str(c, &copy[i].topology_key);
    }
    return copy;
}

static void own_pod_affinity(object_copy *c, berth_pod_affinity *affinity)
{
    affinity->required = own_pod_terms(c, affinity->required, affinity->required_count);
    affinity->preferred = own_pod_terms(c, affinity->preferred, affinity->preferred_count);
}

static const berth_container *own_containers(object_copy *c, const berth_container *from,
                                             uint32_t count)
{
    berth_container *copy = ITEMS(c, from, count);
    for (uint32_t i = 0; i < count; i++) {
        own_str(c, &copy[i].name);
        own_str(c, &copy[i].image);
        own_resources(c, &copy[i].requests);
        own_resources(c, &copy[i].limits);
        berth_port *ports = ITEMS(c, copy[i].ports, copy[i].port_count);
        for (uint32_t p = 0; p < copy[i].port_count; p++) {
            own_str(c, &ports[p].host_ip);
            own_str(c, &ports[p].protocol);
        }
        copy[i].ports = ports;
    }
    return copy;
}

static void own_tolerations(object_copy *c, berth_pod *pod)
{
    berth_toleration *copy = ITEMS(c, pod->tolerations, pod->toleration_count);
    for (uint32_t i = 0; i < pod->toleration_count; i++) {
        own_str(c, &copy[i].key);
        own_str(c, &copy[i].op);
        own_str(c, &copy[i].value);
        own_str(c, &copy[i].effect);
    }
    pod->tolerations = copy;
}

static void own_spreads(object_copy *c, berth_pod *pod)
{
    berth_topology_spread *copy = ITEMS(c, pod->spreads, pod->spread_count);
    for (uint32_t i = 0; i < pod->spread_count; i++) {
        own_str(c, &copy[i].topology_key);
        own_str(c, &copy[i].when_unsatisfiable);
        copy[i].label_selector = own_selector(c, copy[i].label_selector);
        own_str(c, &copy[i].node_affinity_policy);
        own_str(c, &copy[i].node_taints_policy);
        own_strs(c, &copy[i].match_label_keys);
    }
    pod->spreads = copy;
}

static void own_volumes(object_copy *c, berth_pod *pod)
{
    berth_volume *copy = ITEMS(c, pod->volumes, pod->volume_count);
    for (uint32_t i = 0; i < pod->volume_count; i++) {
        berth_volume_source *source = &copy[i].source;
        own_str(c, &copy[i].name);
        own_str(c, &source->handle);
        own_str(c, &source->driver);
        own_str(c, &source->pool);
        own_strs(c, &source->monitors);
        own_str(c, &source->uri);
    }
    pod->volumes = copy;
}

static void own_pod(object_copy *c, berth_pod *pod)
{
    own_meta(c, &pod->meta);
    own_str(c, &pod->node_name);
    own_str(c, &pod->scheduler_name);
    own_str(c, &pod->preemption_policy);
    pod->containers = own_containers(c, pod->containers, pod->container_count);
    pod->init_containers = own_containers(c, pod->init_containers, pod->init_container_count);
    own_resources(c, &pod->overhead);
    own_map(c, &pod->node_selector);
    own_node_affinity(c, &pod->node_affinity);
    own_pod_affinity(c, &pod->pod_affinity);
    own_pod_affinity(c, &pod->pod_anti_affinity);
    own_tolerations(c, pod);
    own_spreads(c, pod);
    own_volumes(c, pod);
    own_strs(c, &pod->scheduling_gates);
    own_str(c, &pod->phase);
    own_str(c, &pod->nominated_node_name);
    own_conditions(c, &pod->conditions, pod->condition_count);
}

/* ---- either ---- */

object_copy *object_copy_of(const berth_object *object)
{
    object_copy *c = heap_new(1, sizeof(*c));
    c->kind = object->kind;
    assert(c->kind == BERTH_KIND_NODE || c->kind == BERTH_KIND_POD);
    if (c->kind == BERTH_KIND_NODE) {
        c->as.node = *object->as.node;
        own_node(c, &c->as.node);
    } else {
        c->as.pod = *object->as.pod;
        own_pod(c, &c->as.pod);
    }
    return c;
}

void object_copy_free(object_copy *copy)
{
    if (copy == NULL)
        return;
    while (copy->blocks != NULL) {
        block *next = copy->blocks->next;
        free(copy->blocks);
        copy->blocks = next;
    }
    free(copy);
}

berth_node *object_copy_node(object_copy *copy)
{
    return copy->kind == BERTH_KIND_NODE ? &copy->as.node : NULL;
}

berth_pod *object_copy_pod(object_copy *copy)
{
    return copy->kind == BERTH_KIND_POD ? &copy->as.pod : NULL;
}

berth_object object_copy_object(const object_copy *copy)
{
    berth_object object = {.kind = copy->kind};
    if (copy->kind == BERTH_KIND_NODE)
        object.as.node = &copy->as.node;
    else
        object.as.pod = &copy->as.pod;
    return object;
}
