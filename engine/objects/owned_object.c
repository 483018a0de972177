/* Objects that own everything they refer to: each is a copy in an arena of its own. */
#include "base/error.h"
#include "objects/object_copy.h"
#include "objects/sized_object.h"

/* Most nodes and pods fit into the first chunk. */
enum { FIRST_BYTES = 1024 };

typedef struct owned_object {
    berth_object object; /* first, because the caller holds a pointer to it */
    berth__arena arena;
} owned_object;

berth_status berth__object_copy_own(const berth_object *object, const uint32_t *sizes,
                                    const berth_allocator *allocator, berth_object **out,
                                    berth_error *error)
{
    if (allocator == NULL)
        allocator = berth__allocator_default();
    owned_object *owned = berth__alloc_zero(allocator, sizeof(*owned), _Alignof(owned_object));
    if (owned == NULL)
        return berth__error_no_memory(error);
    berth__arena_init_sized(&owned->arena, allocator, FIRST_BYTES);
    berth_status status = berth__object_copy_into(&owned->arena, object, &owned->object);
    if (status == BERTH_OK && !berth__object_grow(&owned->arena, sizes, &owned->object))
        status = BERTH_E_NOMEM;
    if (status == BERTH_OK) {
        *out = &owned->object;
        return BERTH_OK;
    }
    berth_object_destroy(&owned->object);
    return status == BERTH_E_ARG
               ? berth__error_set(error, status, "there is no kind number %d", (int)object->kind)
               : berth__error_plain(error, status);
}

berth_status berth_object_copy_sized(const berth_object *object, const uint32_t *sizes,
                                     const berth_allocator *allocator, berth_object **out,
                                     berth_error *error)
{
    berth__sized_object fitted;
    if (out != NULL)
        *out = NULL;
    if (object == NULL || out == NULL)
        return berth__error_set(error, BERTH_E_ARG,
                                "there is no object to copy, or no place for the copy");
    BERTH_TRY(berth__object_fit(&object, sizes, &fitted, error));
    return berth__object_copy_own(object, sizes, allocator, out, error);
}

void berth_object_destroy(berth_object *copy)
{
    if (copy == NULL)
        return;
    owned_object *owned = (owned_object *)copy;
    const berth_allocator *allocator = owned->arena.allocator;
    berth__arena_destroy(&owned->arena);
    berth__free(allocator, owned, sizeof(*owned));
}

bool berth__object_keep(bool keep, berth__arena *arena, const berth_object *object,
                        const berth_object **out)
{
    *out = NULL;
    if (!keep)
        return true;
    berth_object *kept = berth__arena_alloc_zero(arena, sizeof(*kept), _Alignof(berth_object));
    if (kept == NULL || berth__object_copy_into(arena, object, kept) != BERTH_OK)
        return false;
    *out = kept;
    return true;
}
