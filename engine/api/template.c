/* The public functions that add nodes from a template, with their pods. */
#include "berth/template.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "base/text.h"
#include "objects/sized_object.h"
#include "versions/engine_state.h"

enum { NUMBER_MAX = 24 };

/* The state of adding nodes. */
typedef struct addition {
    berth_engine *engine;
    const berth_node_template *from;
    const uint32_t *sizes; /* of the objects in the template */
    berth__arena arena;    /* names for one node at a time */
    uint64_t serial;       /* number in the last name */
} addition;

/* Join two names; absent when out of memory. */
static berth_str join(berth__arena *arena, berth_str first, berth_str second)
{
    size_t bytes = (size_t)first.len + second.len + 1;
    char *text = berth__arena_alloc(arena, bytes, 1);
    if (text == NULL)
        return (berth_str){0};
    if (first.len > 0)
        memcpy(text, first.data, first.len);
    text[first.len] = '-';
    if (second.len > 0)
        memcpy(text + first.len + 1, second.data, second.len);
    return (berth_str){text, (uint32_t)bytes};
}

/* The next name without a node. */
static berth_str next_name(addition *own)
{
    berth_str name;
    do {
        char number[NUMBER_MAX];
        int len = snprintf(number, sizeof(number), "%" PRIu64, ++own->serial);
        name = join(&own->arena, own->from->node->meta.name, (berth_str){number, (uint32_t)len});
    } while (name.data != NULL && berth_engine_find_node(own->engine, name) != BERTH_NODE_NONE);
    return name;
}

/* Copy the template's labels with the node's own hostname; false when out of memory. */
static bool name_host(berth__arena *arena, berth_node *node)
{
    berth_map *labels = &node->meta.labels;
    berth_key_value *entries = berth__arena_alloc(arena, labels->count * sizeof(*entries), 8);
    if (entries == NULL)
        return false;
    for (uint32_t i = 0; i < labels->count; i++) {
        entries[i] = labels->entries[i];
        if (berth__str_is(entries[i].key, "kubernetes.io/hostname"))
            entries[i].value = node->meta.name;
    }
    labels->entries = entries;
    return true;
}

/* Convert one of the template's objects to this library's struct, in `room->object`. */
static berth_status fit(const addition *own, berth_kind kind, const void *given,
                        berth__sized_object *room, berth_error *error)
{
    const berth_object object = {.kind = kind, .as.any = given};
    const berth_object *fitted = &object;
    BERTH_TRY(berth__object_fit(&fitted, own->sizes, room, error));
    room->object = *fitted;
    return BERTH_OK;
}

static berth_status add_pods(addition *own, berth_str node, berth_error *error)
{
    const char *pods = (const char *)own->from->pods;
    size_t size = berth__object_size_told(own->sizes, BERTH_KIND_POD);
    for (uint32_t i = 0; i < own->from->pod_count; i++) {
        berth__sized_object room;
        BERTH_TRY(fit(own, BERTH_KIND_POD, pods + i * size, &room, error));
        berth_pod pod = *room.object.as.pod;
        pod.meta.name = join(&own->arena, pod.meta.name, node);
        if (pod.meta.name.data == NULL)
            return berth__error_no_memory(error);
        pod.meta.uid = pod.phase = pod.nominated_node_name = (berth_str){0};
        pod.meta.deleting = false;
        pod.node_name = node;
        BERTH_TRY(berth_engine_add_pod(own->engine, &pod, NULL, error));
    }
    return BERTH_OK;
}

static berth_status add_csi_node(addition *own, berth_str node, berth_error *error)
{
    if (own->from->csi_node == NULL)
        return BERTH_OK;
    berth__sized_object room;
    BERTH_TRY(fit(own, BERTH_KIND_CSI_NODE, own->from->csi_node, &room, error));
    berth_csi_node csi_node = *room.object.as.csi_node;
    const berth_object object = {.kind = BERTH_KIND_CSI_NODE, .as.csi_node = &csi_node};
    csi_node.meta.name = node;
    return berth_engine_add(own->engine, &object, NULL, error);
}

static berth_status add_one(addition *own, berth_node_id *id, berth_error *error)
{
    berth__sized_object room;
    BERTH_TRY(fit(own, BERTH_KIND_NODE, own->from->node, &room, error));
    berth_node node = *room.object.as.node;
    berth__arena_reset(&own->arena);
    node.meta.name = next_name(own);
    if (node.meta.name.data == NULL || !name_host(&own->arena, &node))
        return berth__error_no_memory(error);
    node.meta.uid = (berth_str){0};
    BERTH_TRY(berth_engine_add_node(own->engine, &node, id, error));
    BERTH_TRY(add_csi_node(own, node.meta.name, error));
    return add_pods(own, node.meta.name, error);
}

/* Begin a transaction without updating the layout, because nothing is decided in it. */
static berth_status begin(berth_engine *engine, berth_error *error)
{
    BERTH_TRY(berth__engine_enter(engine, error));
    berth_status status = berth__transaction_begin(&engine->transactions);
    return berth__error_plain(error, berth__engine_leave(engine, status));
}

berth_status berth_engine_add_nodes_sized(berth_engine *engine, const berth_node_template *from,
                                          const uint32_t *sizes, uint32_t count,
                                          berth_node_id *nodes, berth_error *error)
{
    berth_node_template own = {.size = sizeof(own)};
    BERTH_TRY(berth__sized_read(&own, sizeof(own), from, "berth_node_template", error));
    if (own.node == NULL || (own.pods == NULL && own.pod_count > 0))
        return berth__error_set(error, BERTH_E_ARG,
                                "a template needs a node, and the pods it counts");
    BERTH_TRY(begin(engine, error));
    addition all = {.engine = engine, .from = &own, .sizes = sizes};
    berth__arena_init(&all.arena, engine->allocator);
    berth_status status = BERTH_OK;
    for (uint32_t i = 0; i < count && status == BERTH_OK; i++) {
        berth_node_id id = BERTH_NODE_NONE;
        status = add_one(&all, &id, error);
        if (status == BERTH_OK && nodes != NULL)
            nodes[i] = id;
    }
    berth__arena_destroy(&all.arena);
    (void)(status == BERTH_OK ? berth_engine_commit(engine, NULL)
                              : berth_engine_rollback(engine, NULL));
    return status;
}
