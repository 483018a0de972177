/* Finds what an expression reads of a device. */
#ifndef BERTH_CEL_READS_H
#define BERTH_CEL_READS_H

#include "cel/syntax.h"

typedef enum berth__cel_read_kind {
    BERTH__CEL_READ_DRIVER,
    BERTH__CEL_READ_MULTIPLE,
    BERTH__CEL_READ_ATTRIBUTE, /* by domain and id; id absent: the whole domain */
    BERTH__CEL_READ_CAPACITY,
    BERTH__CEL_READ_ATTRIBUTES, /* all of them */
    BERTH__CEL_READ_CAPACITIES,
} berth__cel_read_kind;

typedef struct berth__cel_read {
    berth__cel_read_kind kind;
    berth_str domain, id;
} berth__cel_read;

/* All reads of a checked expression, in the arena. NULL when out of memory. */
const berth__cel_read *berth__cel_reads_of(berth__arena *arena, const berth__cel_node *root,
                                           uint32_t *count);

#endif
