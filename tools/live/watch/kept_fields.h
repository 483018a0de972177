/* The fields of each kind that are kept, because some plugin reads them. */
#ifndef BERTH_LIVE_KEPT_FIELDS_H
#define BERTH_LIVE_KEPT_FIELDS_H

#include "berth/objects.h"

/* Values that the live part itself reads. */
typedef enum object_fact {
    FACT_NONE = 0,
    FACT_NAME,
    FACT_NAMESPACE,
    FACT_UID,
    FACT_VERSION,
    FACT_GENERATION,
    FACT_NODE_NAME,
    FACT_SCHEDULER_NAME,
    FACT_NOMINATED,
    FACT_CONDITIONS, /* an array, and in it */
    FACT_SCHEDULED,  /* this element */
    FACT_COUNT
} object_fact;

typedef struct kept_field {
    const char *key; /* NULL: the end */
    uint8_t key_bytes;
    uint8_t fact;
    uint8_t fact_only;              /* changes all the time: read, but not kept */
    const struct kept_field *inner; /* the fields to keep of it, or of its elements; NULL: all */
} kept_field;

typedef struct kept_kind {
    const char *heading; /* the beginning of the kept text, because items of lists have no kind */
    const kept_field *fields;
} kept_kind;

const kept_kind *kept_fields_of(berth_kind kind);

#endif
