/* Converts objects of callers that were compiled with other headers to this library's, and back. */
#include "objects/sized_object.h"

#include <string.h>

#include "base/error.h"
#include "base/sized.h"

static const uint32_t own_sizes[] = {
#define X(name, member, type, text) sizeof(type),
    BERTH_KIND_LIST(X)
#undef X
};

uint32_t berth__object_size(berth_kind kind)
{
    return (unsigned)kind < BERTH_KIND_COUNT ? own_sizes[kind] : 0;
}

uint32_t berth__object_size_told(const uint32_t *sizes, berth_kind kind)
{
    return sizes != NULL && (uint32_t)kind < sizes[0] ? sizes[1 + (uint32_t)kind] : 0;
}

/* Convert an object of another size to a copy. */
static __attribute__((noinline)) berth_status resize(const berth_object **object, uint32_t size,
                                                     berth__sized_object *own, berth_error *error)
{
    const berth_object *given = *object;
    uint32_t known = own_sizes[given->kind];
    if (size < sizeof(berth_metadata)) /* every object begins with it */
        return berth__error_set(error, BERTH_E_ARG, "the size of a %s is %u",
                                berth_kind_name(given->kind), (unsigned)size);
    own->object = (berth_object){given->kind, known, {.any = &own->room}};
    *object = &own->object;
    return berth__sized_take(&own->room, known, given->as.any, size, berth_kind_name(given->kind),
                             error);
}

/* A reader never makes members that this library does not know, and all pods of such a template are
 * equal. */
static bool is_own(const berth_object *object)
{
    return object->kind == BERTH_KIND_POD &&
           object->as.pod->template_id >= BERTH_TEMPLATE_OF_READER;
}

berth_status berth__object_fit(const berth_object **object, const uint32_t *sizes,
                               berth__sized_object *own, berth_error *error)
{
    const berth_object *given = *object;
    if (given == NULL || (unsigned)given->kind >= BERTH_KIND_COUNT || given->as.any == NULL)
        return BERTH_OK;
    uint32_t size = given->size != 0 ? given->size : berth__object_size_told(sizes, given->kind);
    if (size != own_sizes[given->kind])
        BERTH_TRY(resize(object, size, own, error));
    return is_own(*object) ? BERTH_OK : berth__object_has_no_later(*object, error);
}

bool berth__object_grow(berth__arena *arena, const uint32_t *sizes, berth_object *object)
{
    uint32_t told = berth__object_size_told(sizes, object->kind);
    if (told <= object->size)
        return true;
    void *longer = berth__arena_alloc_zero(arena, told, 16);
    if (longer == NULL)
        return false;
    memcpy(longer, object->as.any, object->size);
    *object = (berth_object){object->kind, told, {.any = longer}};
    return true;
}
