/* Parts of deep copies of objects (object_copy.h), for the files that make these. A copy begins as
 * the struct's own bytes; then everything it points to is copied and its pointers are replaced. */
#ifndef BERTH_OBJECTS_COPYING_H
#define BERTH_OBJECTS_COPYING_H

#include "base/arena.h"
#include "berth/objects.h"

typedef struct berth__copying {
    berth__arena *arena;
    bool ok; /* false: out of memory */
} berth__copying;

/* A copy of an array. NULL for NULL, and when out of memory. */
void *berth__copy_array(berth__copying *own, const void *items, uint32_t count, size_t item_bytes);

/* Point `field`, of type `const TYPE *`, to a copy of its items. `var` then runs over the copy. */
#define BERTH__COPY_EACH(own, type, field, count, var)                            \
    type *const var##_items = berth__copy_array(own, field, count, sizeof(type)); \
    (field) = var##_items;                                                        \
    for (type *var = var##_items; var##_items != NULL && var < var##_items + (count); var++)

void berth__copy_str(berth__copying *own, berth_str *text);
void berth__copy_strs(berth__copying *own, berth_strs *list);
void berth__copy_resources(berth__copying *own, berth_resources *resources);
void berth__copy_metadata(berth__copying *own, berth_metadata *meta);
void berth__copy_conditions(berth__copying *own, const berth_condition **field, uint32_t count);
void berth__copy_tolerations(berth__copying *own, const berth_toleration **field, uint32_t count);
void berth__copy_taints(berth__copying *own, const berth_taint **field, uint32_t count);
const berth_node_selector *berth__copy_node_selector(berth__copying *own,
                                                     const berth_node_selector *selector);

/* Whole objects (copy_devices.c). */
void berth__copy_resource_claim(berth__copying *own, berth_resource_claim *claim);
void berth__copy_device_taint_rule(berth__copying *own, berth_device_taint_rule *rule);
void berth__copy_device_class(berth__copying *own, berth_device_class *device_class);
void berth__copy_resource_slice(berth__copying *own, berth_resource_slice *slice);

#endif
