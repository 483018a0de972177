/* Converts objects of callers that were compiled with other headers to this library's, and back. */
#ifndef BERTH_OBJECTS_SIZED_OBJECT_H
#define BERTH_OBJECTS_SIZED_OBJECT_H

#include "base/arena.h"
#include "berth/objects.h"

/* Room for one object: the struct itself. Everything it refers to stays the caller's. */
typedef struct berth__sized_object {
    berth_object object;
    union {
#define X(name, member, type, text) type member;
        BERTH_KIND_LIST(X)
#undef X
    } room;
} berth__sized_object;

/* The size of a kind's struct in this library, and in the caller that passed `sizes`
 * (berth_object_sizes; NULL: unknown). 0: there is no such kind. */
uint32_t berth__object_size(berth_kind kind);
uint32_t berth__object_size_told(const uint32_t *sizes, berth_kind kind);

/* Let `*object` point to an object whose struct has this library's size and states it: the object
 * itself if it does, otherwise a copy in `own`. Anything that is not an object (NULL, an unknown
 * kind) is left for other code to refuse.
 * Errors: BERTH_E_ARG (unknown size, or a member is set that this library does not know). Cost: a
 * look at each part of the object; none for a pod that a reader found to be like another. */
berth_status berth__object_fit(const berth_object **object, const uint32_t *sizes,
                               berth__sized_object *own, berth_error *error);

/* If the caller's struct is longer than `object`'s, make one of that length in `arena`, with zeros
 * at its end. Returns false when out of memory. Cost: constant. */
bool berth__object_grow(berth__arena *arena, const uint32_t *sizes, berth_object *object);

/* Check that no part of an object (of this library's size) refers to members that were added after
 * this library was built. Errors: BERTH_E_ARG, naming the field. */
berth_status berth__object_has_no_later(const berth_object *object, berth_error *error);

#endif
