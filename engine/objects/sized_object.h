/* Objects of callers that were compiled with other headers, made this library's, and the
 * reverse. */
#ifndef BERTH_OBJECTS_SIZED_OBJECT_H
#define BERTH_OBJECTS_SIZED_OBJECT_H

#include "base/arena.h"
#include "berth/objects.h"

/* Room for one: the struct itself, while what it refers to stays the caller's. */
typedef struct berth__sized_object {
    berth_object object;
    union {
#define X(name, member, type, text) type member;
        BERTH_KIND_LIST(X)
#undef X
    } room;
} berth__sized_object;

/* The struct of a kind as this library knows it, and as the caller does who gave `sizes`
 * (berth_object_sizes; NULL: unknown); 0: there is no such kind. */
uint32_t berth__object_size(berth_kind kind);
uint32_t berth__object_size_told(const uint32_t *sizes, berth_kind kind);

/* Let `*object` point to an object whose struct has this library's size, and says so: it stays if
 * that is what it is, and is copied into `own` if not. What is no object (NULL, an unknown kind) is
 * left for others to refuse.
 * Errors: E_ARG (its size is not told, or anything is set that this library doesn't know). Cost: a
 * look at each part of it; at none of a pod that a reader found to be like another. */
berth_status berth__object_fit(const berth_object **object, const uint32_t *sizes,
                               berth__sized_object *own, berth_error *error);

/* Where the caller's struct is longer than that of `object`, make one in `arena` that is as long,
 * with zeros at its end. False when out of memory. Cost: constant. */
bool berth__object_grow(berth__arena *arena, const uint32_t *sizes, berth_object *object);

/* Whether some part of an object, of this library's size, refers to members that came later than
 * this library. Errors: E_ARG, which names the field. */
berth_status berth__object_has_no_later(const berth_object *object, berth_error *error);

#endif
