/* Reads shapes of nodes from the command line, from files, and from existing nodes. */
#include "plans/node_shape.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exits.h"
#include "cli/heap.h"
#include "cli/text_buffer.h"
#include "cli/words.h"

enum { SHAPE_LABELS_MAX = 256, SHAPE_RESOURCES_MAX = 64, SHAPE_TAINTS_MAX = 64 };

/* A shape being read: arrays that are then copied into the object. Texts belong to the command
 * line, or to the node that the shape is like. */
typedef struct shape_draft {
    berth_str name;
    berth_str zones; /* "a+b" */
    berth_key_value labels[SHAPE_LABELS_MAX];
    uint32_t label_count;
    berth_resource resources[SHAPE_RESOURCES_MAX];
    uint32_t resource_count;
    berth_taint taints[SHAPE_TAINTS_MAX];
    uint32_t taint_count;
    berth_node node;
    double price;
    bool priced;
    uint64_t max;
    berth_object *like; /* owned */
} shape_draft;

static bool begins_with(berth_str text, const char *prefix)
{
    size_t len = strlen(prefix);
    return text.len >= len && memcmp(text.data, prefix, len) == 0;
}

static berth_str without(berth_str text, size_t len)
{
    return (berth_str){text.data + len, text.len - (uint32_t)len};
}

/* Cut `*text` at the first `mark`: returns the part before it; `*text` keeps the rest. */
static berth_str cut(berth_str *text, char mark)
{
    const char *at = text->len > 0 ? memchr(text->data, mark, text->len) : NULL;
    uint32_t len = at != NULL ? (uint32_t)(at - text->data) : text->len;
    berth_str part = {text->data, len};
    *text = without(*text, len + (at != NULL));
    return part;
}

static berth_status wrong(const shape_draft *draft, berth_error *error, const char *what,
                          berth_str value)
{
    error_set(error, BERTH_E_INVALID, NULL, "%s '%.*s'", what, (int)value.len, value.data);
    error_object(error, "shape %.*s", (int)draft->name.len, draft->name.data);
    return BERTH_E_INVALID;
}

/* ---- properties of a shape ---- */

static berth_status set_label(shape_draft *draft, berth_str key, berth_str value,
                              berth_error *error)
{
    for (uint32_t i = 0; i < draft->label_count; i++)
        if (words_equal(draft->labels[i].key, key)) {
            draft->labels[i].value = value;
            return BERTH_OK;
        }
    if (draft->label_count == SHAPE_LABELS_MAX)
        return wrong(draft, error, "there are too many labels, from", key);
    draft->labels[draft->label_count++] = (berth_key_value){key, value};
    return BERTH_OK;
}

static berth_status set_resource(shape_draft *draft, berth_str name, berth_str text,
                                 berth_error *error)
{
    berth_quantity amount;
    if (berth_quantity_parse(text, &amount, NULL) != BERTH_OK || amount.units < 0 ||
        amount.nanos < 0)
        return wrong(draft, error, "a resource needs an amount, such as 4 or 16Gi, not", text);
    uint32_t at = 0;
    while (at < draft->resource_count && !words_equal(draft->resources[at].name, name))
        at++;
    if (at == SHAPE_RESOURCES_MAX)
        return wrong(draft, error, "there are too many resources, from", name);
    draft->resources[at] = (berth_resource){name, amount};
    draft->resource_count += at == draft->resource_count;
    return BERTH_OK;
}

/* Adds a taint: "KEY=VALUE:EFFECT" or "KEY:EFFECT". */
static berth_status add_taint(shape_draft *draft, berth_str text, berth_error *error)
{
    berth_taint taint = {.key = text};
    const char *colon = text.len > 0 ? memrchr(text.data, ':', text.len) : NULL;
    if (colon != NULL) {
        taint.key.len = (uint32_t)(colon - text.data);
        taint.effect = without(text, taint.key.len + 1);
    }
    taint.value = taint.key;
    taint.key = cut(&taint.value, '=');
    if (draft->taint_count == SHAPE_TAINTS_MAX)
        return wrong(draft, error, "there are too many taints, from", text);
    if (taint.key.len == 0 || (!words_equal(taint.effect, words_of("NoSchedule")) &&
                               !words_equal(taint.effect, words_of("NoExecute")) &&
                               !words_equal(taint.effect, words_of("PreferNoSchedule"))))
        return wrong(draft, error, "a taint is KEY=VALUE:EFFECT, as a=b:NoSchedule, not", text);
    draft->taints[draft->taint_count++] = taint;
    return BERTH_OK;
}

static berth_status set_price(shape_draft *draft, berth_str text, berth_error *error)
{
    char copy[64];
    char *end = copy;
    snprintf(copy, sizeof(copy), "%.*s", (int)text.len, text.data);
    draft->price = strtod(copy, &end);
    if (text.len == 0 || *end != '\0' || !isfinite(draft->price) || draft->price <= 0.0)
        return wrong(draft, error, "a price is a number above 0, not", text);
    draft->priced = true;
    return BERTH_OK;
}

static berth_status set_max(shape_draft *draft, berth_str text, berth_error *error)
{
    char copy[32];
    snprintf(copy, sizeof(copy), "%.*s", (int)text.len, text.data);
    if (!options_number(copy, 1, UINT32_MAX, &draft->max))
        return wrong(draft, error, "max is a whole number above 0, not", text);
    return BERTH_OK;
}

/* Copy everything of a node except its name and its momentary state. */
static berth_status set_node(shape_draft *draft, const berth_node *node, berth_error *error)
{
    draft->node = *node;
    for (uint32_t i = 0; i < node->meta.labels.count; i++)
        TRY(set_label(draft, node->meta.labels.entries[i].key, node->meta.labels.entries[i].value,
                      error));
    for (uint32_t i = 0; i < node->taint_count && i < SHAPE_TAINTS_MAX; i++)
        if (!begins_with(node->taints[i].key, "node.kubernetes.io/") &&
            !begins_with(node->taints[i].key, "ToBeDeletedByClusterAutoscaler"))
            draft->taints[draft->taint_count++] = node->taints[i];
    for (uint32_t i = 0; i < node->allocatable.count && i < SHAPE_RESOURCES_MAX; i++)
        draft->resources[draft->resource_count++] = node->allocatable.items[i];
    for (uint32_t i = 0; i < node->meta.annotations.count; i++) {
        const berth_key_value *entry = &node->meta.annotations.entries[i];
        if (words_equal(entry->key, words_of("price")))
            TRY(set_price(draft, entry->value, error));
        if (words_equal(entry->key, words_of("max")))
            TRY(set_max(draft, entry->value, error));
    }
    return BERTH_OK;
}

static berth_status set_like(shape_draft *draft, berth_str name, berth_engine *engine,
                             berth_error *error)
{
    berth_node_id node = berth_engine_find_node(engine, name);
    if (node == BERTH_NODE_NONE)
        return wrong(draft, error, "there is no node", name);
    if (draft->like != NULL || draft->resource_count + draft->label_count > 0)
        return wrong(draft, error, "'like' comes once, before everything else, not with", name);
    TRY(berth_engine_node_object(engine, node, NULL, &draft->like, error));
    return set_node(draft, draft->like->as.node, error);
}

static berth_status set_item(shape_draft *draft, berth_str item, berth_engine *engine,
                             berth_error *error)
{
    berth_str value = item;
    berth_str key = cut(&value, '=');
    if (begins_with(key, "taint:"))
        return add_taint(draft, without(item, 6), error);
    if (key.len == item.len || key.len == 0)
        return wrong(draft, error, "a part is KEY=VALUE, not", item);
    if (words_equal(key, words_of("price")))
        return set_price(draft, value, error);
    if (words_equal(key, words_of("max")))
        return set_max(draft, value, error);
    if (words_equal(key, words_of("like")))
        return set_like(draft, value, engine, error);
    if (begins_with(key, "label:"))
        return set_label(draft, without(key, 6), value, error);
    if (words_equal(key, words_of("type")))
        return set_label(draft, words_of(PRICES_TYPE_LABEL), value, error);
    if (words_equal(key, words_of("zone"))) {
        draft->zones = value;
        return BERTH_OK;
    }
    return set_resource(draft, key, value, error);
}

/* ---- completing a shape ---- */

static bool has_resource(const shape_draft *draft, const char *name)
{
    for (uint32_t i = 0; i < draft->resource_count; i++)
        if (words_equal(draft->resources[i].name, words_of(name)))
            return true;
    return false;
}

static bool has_label(const shape_draft *draft, const char *key)
{
    for (uint32_t i = 0; i < draft->label_count; i++)
        if (words_equal(draft->labels[i].key, words_of(key)))
            return true;
    return false;
}

/* Fill in what a kubelet and an API server would set. */
static berth_status fill_in(shape_draft *draft, berth_error *error)
{
    static const char *const labels[][2] = {{"kubernetes.io/hostname", ""},
                                            {"kubernetes.io/os", "linux"},
                                            {"kubernetes.io/arch", "amd64"}};
    for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
        if (!has_label(draft, labels[i][0]))
            TRY(set_label(draft, words_of(labels[i][0]), words_of(labels[i][1]), error));
    if (!has_resource(draft, "pods"))
        TRY(set_resource(draft, words_of("pods"), words_of("110"), error));
    if (!has_resource(draft, "cpu") || !has_resource(draft, "memory"))
        return wrong(draft, error, "a shape needs cpu and memory, or 'like=NODE':", draft->name);
    return BERTH_OK;
}

static berth_status add_shape(node_shapes *shapes, shape_draft *draft, const char *name,
                              berth_str zone, berth_error *error)
{
    for (size_t i = 0; i < shapes->count; i++)
        if (strcmp(shapes->items[i].name, name) == 0)
            return wrong(draft, error, "there are two shapes of the name", words_of(name));
    if (shapes->count == NODE_SHAPES_MAX)
        return wrong(draft, error, "there are too many shapes, from", words_of(name));
    if (zone.len > 0)
        TRY(set_label(draft, words_of("topology.kubernetes.io/zone"), zone, error));
    berth_node node = draft->node;
    node.meta =
        (berth_metadata){.name = words_of(name), .labels = {draft->labels, draft->label_count}};
    node.unschedulable = false;
    node.taints = draft->taints;
    node.taint_count = draft->taint_count;
    node.allocatable = (berth_resources){draft->resources, draft->resource_count};
    const berth_object object = {.kind = BERTH_KIND_NODE, .as.node = &node};
    shapes->items =
        heap_grow(shapes->items, &shapes->capacity, shapes->count + 1, sizeof(*shapes->items));
    shapes->items[shapes->count++] = (node_shape){.name = heap_text(name, strlen(name)),
                                                  .price = draft->priced ? draft->price : 1.0,
                                                  .priced = draft->priced,
                                                  .max = draft->max,
                                                  .object = heap_object(&object)};
    return BERTH_OK;
}

static berth_status end_draft(node_shapes *shapes, shape_draft *draft, berth_error *error)
{
    berth_str zones = draft->zones;
    bool several = zones.len > 0 && memchr(zones.data, '+', zones.len) != NULL;
    text_buffer name = {0};
    berth_status status = fill_in(draft, error);
    while (status == BERTH_OK) {
        const berth_str zone = cut(&zones, '+');
        text_clear(&name);
        text_add_str(&name, draft->name);
        text_add_str(&name, words_of(several ? "-" : ""));
        text_add_str(&name, several ? zone : (berth_str){0});
        status = add_shape(shapes, draft, text_str(&name).data, zone, error);
        if (zones.len == 0)
            break;
    }
    text_free(&name);
    return status;
}

static berth_status read_spec(node_shapes *shapes, berth_str text, berth_engine *engine,
                              berth_error *error)
{
    shape_draft *draft = heap_new(1, sizeof(*draft));
    draft->max = UINT32_MAX;
    draft->name = cut(&text, '=');
    berth_status status = BERTH_OK;
    while (text.len > 0 && status == BERTH_OK)
        status = set_item(draft, cut(&text, ','), engine, error);
    if (status == BERTH_OK)
        status = end_draft(shapes, draft, error);
    berth_object_destroy(draft->like);
    free(draft);
    return status;
}

static berth_status on_read(void *context, const berth_object *object, const berth_error *origin,
                            berth_error *error)
{
    if (object->kind != BERTH_KIND_NODE)
        return BERTH_OK;
    shape_draft *draft = heap_new(1, sizeof(*draft));
    draft->max = UINT32_MAX;
    draft->name = object->as.node->meta.name;
    berth_status status = set_node(draft, object->as.node, error);
    if (status == BERTH_OK)
        status = end_draft(context, draft, error);
    if (status != BERTH_OK && origin != NULL)
        error_place(error, origin);
    free(draft);
    return status;
}

static berth_status read_file(node_shapes *shapes, const char *path, berth_engine *engine,
                              berth_error *error)
{
    const berth_read_options options = {.size = sizeof(options), .apply_defaults = true};
    berth_reader *reader = NULL;
    size_t before = shapes->count;
    TRY(berth_reader_create(&options, &reader, error));
    berth_status status = berth_reader_file(reader, path, on_read, shapes, error);
    if (status == BERTH_OK)
        status = berth_reader_finish(reader, engine, on_read, shapes, error);
    berth_reader_destroy(reader);
    if (status == BERTH_OK && shapes->count == before)
        return error_set(error, BERTH_E_NOT_FOUND, path, "there is no Node in it");
    return status;
}

bool node_shape_is_spec(const char *text)
{
    const char *equals = strchr(text, '=');
    const char *slash = strchr(text, '/');
    return equals != NULL && equals != text && (slash == NULL || equals < slash);
}

/* Set the price: the shape's own, or else that of its instance type. */
static berth_status price_shape(node_shape *shape, const prices *list, berth_error *error)
{
    const price_labels labels = price_labels_of_list(shape->object->as.node->meta.labels);
    if (shape->priced) {
        shape->exact = (money)(shape->price * (double)MONEY_UNIT + 0.5);
        return BERTH_OK;
    }
    if (list->path == NULL)
        return BERTH_OK;
    if (labels.type.len == 0)
        return error_set(error, BERTH_E_INVALID, NULL,
                         "shape %s has no price, and no instance type by which to find one: name "
                         "it as type=m5.large, say",
                         shape->name);
    if (!prices_find(list, &labels, &shape->exact))
        return error_set(error, BERTH_E_NOT_FOUND, list->path,
                         "there is no price of instance type %.*s, which shape %s has",
                         (int)labels.type.len, labels.type.data, shape->name);
    if (shape->exact == 0)
        return error_set(error, BERTH_E_INVALID, list->path,
                         "instance type %.*s of shape %s costs nothing: a shape needs a price "
                         "above 0",
                         (int)labels.type.len, labels.type.data, shape->name);
    shape->price = (double)shape->exact / (double)MONEY_UNIT;
    shape->priced = true;
    return BERTH_OK;
}

berth_status node_shapes_read(node_shapes *shapes, const text_list *given, const prices *list,
                              berth_engine *engine, berth_error *error)
{
    size_t priced = 0;
    for (size_t i = 0; i < given->count; i++) {
        const char *text = given->items[i];
        TRY(node_shape_is_spec(text) ? read_spec(shapes, words_of(text), engine, error)
                                     : read_file(shapes, text, engine, error));
    }
    for (size_t i = 0; i < shapes->count; i++) {
        TRY(price_shape(&shapes->items[i], list, error));
        priced += shapes->items[i].priced;
    }
    shapes->priced = priced > 0;
    for (size_t i = 0; i < shapes->count && priced > 0; i++)
        if (!shapes->items[i].priced)
            return error_set(error, BERTH_E_INVALID, NULL,
                             "shape %s has no price, where others have one", shapes->items[i].name);
    return BERTH_OK;
}

void node_shapes_free(node_shapes *shapes)
{
    for (size_t i = 0; i < shapes->count; i++) {
        free(shapes->items[i].name);
        berth_object_destroy(shapes->items[i].object);
    }
    free(shapes->items);
    *shapes = (node_shapes){0};
}
