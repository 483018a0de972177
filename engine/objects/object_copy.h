/* Deep copies of objects, for events that outlive their sender's memory. */
#ifndef BERTH_OBJECTS_OBJECT_COPY_H
#define BERTH_OBJECTS_OBJECT_COPY_H

#include "base/arena.h"
#include "base/text.h"

/* Copy an object of this library's size, and everything it refers to, into `arena`. Absent texts
 * stay absent, and NULL lists stay NULL.
 * Errors: BERTH_E_ARG (unknown kind), BERTH_E_NOMEM. Cost: linear in the object. */
berth_status berth__object_copy_into(berth__arena *arena, const berth_object *object,
                                     berth_object *out);

/* Like berth_object_copy_sized, for an object that this library made itself: it has the library's
 * size and no members that the library does not know. */
berth_status berth__object_copy_own(const berth_object *object, const uint32_t *sizes,
                                    const berth_allocator *allocator, berth_object **out,
                                    berth_error *error);

/* For an engine that keeps objects: if `keep` is set, copies the object into `arena` and points
 * `*out` to the copy; otherwise sets `*out` to NULL. Returns false when out of memory. */
bool berth__object_keep(bool keep, berth__arena *arena, const berth_object *object,
                        const berth_object **out);

#endif
