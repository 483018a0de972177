/* Deep copies of objects, by the tables of their fields. A copy begins as the struct's own bytes;
 * then everything it points to is copied and its pointers are replaced. */
#include "objects/object_copy.h"

#include <string.h>

#include "base/error.h"
#include "objects/fields.h"
#include "objects/sized_object.h"

typedef struct copying {
    berth__arena *arena;
    bool ok; /* false: out of memory */
} copying;

/* A copy of an array. NULL for NULL, and when out of memory. */
static void *copy_array(copying *own, const void *items, uint32_t count, size_t item_bytes)
{
    if (items == NULL || !own->ok)
        return NULL;
    size_t bytes = count * item_bytes;
    void *copy = berth__arena_alloc(own->arena, bytes > 0 ? bytes : 1, 16);
    own->ok = copy != NULL;
    if (copy != NULL && bytes > 0)
        memcpy(copy, items, bytes);
    return copy;
}

/* ---- texts and maps ---- */

static void copy_str(copying *own, berth_str *text)
{
    *text = berth__arena_str(own->arena, *text, &own->ok);
}

static void copy_strs(copying *own, berth_strs *list)
{
    berth_str *items = copy_array(own, list->items, list->count, sizeof(*items));
    for (uint32_t i = 0; items != NULL && i < list->count; i++)
        copy_str(own, &items[i]);
    list->items = items;
}

static void copy_map(copying *own, berth_map *map)
{
    berth_key_value *entries = copy_array(own, map->entries, map->count, sizeof(*entries));
    for (uint32_t i = 0; entries != NULL && i < map->count; i++) {
        copy_str(own, &entries[i].key);
        copy_str(own, &entries[i].value);
    }
    map->entries = entries;
}

static void copy_resources(copying *own, berth_resources *resources)
{
    berth_resource *items = copy_array(own, resources->items, resources->count, sizeof(*items));
    for (uint32_t i = 0; items != NULL && i < resources->count; i++)
        copy_str(own, &items[i].name);
    resources->items = items;
}

/* ---- structs ---- */

static void copy_fields(copying *own, const berth__field *fields, void *copy);

/* Replace the pointer at `at` by one to a copy of what it points to. */
static void copy_items(copying *own, const berth__field *field, void *at, uint32_t count)
{
    const void *from;
    memcpy(&from, at, sizeof(from));
    char *items = copy_array(own, from, count, field->size);
    for (uint32_t i = 0; items != NULL && field->fields != NULL && i < count; i++) {
        void *item = items + (size_t)i * field->size;
        if (field->type == BERTH__FIELD_TABLE) /* items begin with their keys */
            copy_str(own, item);
        copy_fields(own, field->fields, item);
    }
    memcpy(at, &items, sizeof(items));
}

static void copy_field(copying *own, const berth__field *field, void *copy)
{
    void *at = (char *)copy + field->offset;
    uint32_t count = 1;
    switch ((berth__field_type)field->type) {
    case BERTH__FIELD_STR:
        copy_str(own, at);
        break;
    case BERTH__FIELD_KEYS:
    case BERTH__FIELD_STRS:
        copy_strs(own, at);
        break;
    case BERTH__FIELD_MAP:
        copy_map(own, at);
        break;
    case BERTH__FIELD_RESOURCES:
        copy_resources(own, at);
        break;
    case BERTH__FIELD_STRUCT:
        copy_fields(own, field->fields, at);
        break;
    case BERTH__FIELD_LIST:
    case BERTH__FIELD_TABLE:
        memcpy(&count, (const char *)copy + field->count_offset, sizeof(count));
        copy_items(own, field, at, count);
        break;
    case BERTH__FIELD_POINTER:
        copy_items(own, field, at, count);
        break;
    default: /* a value, which the copy has already */
        break;
    }
}

/* Copy everything that the struct `copy` points to. */
static void copy_fields(copying *own, const berth__field *fields, void *copy)
{
    for (; own->ok && fields->type > BERTH__FIELD_UNREAD; fields++)
        if ((fields->traits & BERTH__FIELD_REPEATED) == 0)
            copy_field(own, fields, copy);
}

/* ---- objects ---- */

berth_status berth__object_copy_into(berth__arena *arena, const berth_object *object,
                                     berth_object *out)
{
    copying own = {.arena = arena, .ok = true};
    const uint32_t size = berth__object_size(object->kind);
    if (size == 0)
        return BERTH_E_ARG;
    void *copy = copy_array(&own, object->as.any, 1, size);
    if (copy != NULL)
        copy_fields(&own, berth__fields_of(object->kind), copy);
    if (!own.ok)
        return BERTH_E_NOMEM;
    *out = (berth_object){.kind = object->kind, .size = size, .as.any = copy};
    return BERTH_OK;
}
