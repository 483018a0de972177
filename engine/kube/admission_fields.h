/* The tables of fields (objects/field.h) of objects that admission plugins of an API server read,
 * and that complete pods here. */
#ifndef BERTH_KUBE_ADMISSION_FIELDS_H
#define BERTH_KUBE_ADMISSION_FIELDS_H

#include "objects/fields.h"

/* One PriorityClass. */
typedef struct berth__priority_class {
    berth_str name;
    int32_t value;
    berth_str preemption_policy; /* absent: PreemptLowerPriority */
    bool global_default;
} berth__priority_class;

typedef struct berth__priority_class_object {
    berth_metadata meta;
    berth__priority_class class;
} berth__priority_class_object;

extern const berth__field berth__admission_fields_priority_class[]; /* the struct above */
extern const berth__field berth__admission_fields_runtime_class[];  /* berth_pod */
extern const berth__field berth__admission_fields_limit_range[];    /* no struct: tools read it */
extern const berth__field berth__admission_fields_resource_quota[]; /* the same */

#endif
