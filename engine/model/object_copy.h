/* Whole copies of objects, for events that outlive their sender's memory. */
#ifndef BERTH_MODEL_OBJECT_COPY_H
#define BERTH_MODEL_OBJECT_COPY_H

#include "base/arena.h"

/* Copy an object and all it refers to into `arena`. Absent stays absent, and NULL lists NULL.
 * Errors: E_ARG (there is no such kind), E_NOMEM. Cost: linear in the object. */
berth_status berth__object_copy_into(berth__arena *arena, const berth_object *object,
                                     berth_object *out);

#endif
