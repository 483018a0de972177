/* Whole copies of objects, for events that outlive their sender's memory. */
#ifndef BERTH_OBJECTS_OBJECT_COPY_H
#define BERTH_OBJECTS_OBJECT_COPY_H

#include "base/arena.h"
#include "base/text.h"

/* Copy an object of this library's size and all it refers to into `arena`. Absent stays absent, and
 * NULL lists NULL.
 * Errors: E_ARG (there is no such kind), E_NOMEM. Cost: linear in the object. */
berth_status berth__object_copy_into(berth__arena *arena, const berth_object *object,
                                     berth_object *out);

/* As berth_object_copy_sized, of an object of this library's size without members that it does not
 * know: such as it makes itself. */
berth_status berth__object_copy_own(const berth_object *object, const uint32_t *sizes,
                                    const berth_allocator *allocator, berth_object **out,
                                    berth_error *error);

/* For an engine that keeps objects: if `keep` is set, copies the object into `arena` and points
 * `*out` to the copy; otherwise sets `*out` to NULL. Returns false when out of memory. */
bool berth__object_keep(bool keep, berth__arena *arena, const berth_object *object,
                        const berth_object **out);

#endif
