/* Memory for the program. Running out of it ends the program with exit code 4. */
#ifndef BERTH_TOOLS_HEAP_H
#define BERTH_TOOLS_HEAP_H

#include <stddef.h>

#include "berth/objects.h"

/* Zeroed room for `count` items. Freed with free. */
void *heap_new(size_t count, size_t item_bytes);

/* Grow `memory` (NULL: none yet) so that `needed` items fit; `*capacity` counts items. New room is
 * not cleared. The capacity doubles, so appending one by one takes linear time. */
void *heap_grow(void *memory, size_t *capacity, size_t needed, size_t item_bytes);

/* A terminated copy of `length` bytes. Freed with free. */
char *heap_text(const char *text, size_t length);

/* A copy of an object, freed with berth_object_destroy. */
berth_object *heap_object(const berth_object *object);

#endif
