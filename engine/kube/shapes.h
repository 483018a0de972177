/* Which fields Kubernetes knows in the objects that bear on placement, and under which apiVersion it
 * serves them. */
#ifndef BERTH_KUBE_SHAPES_H
#define BERTH_KUBE_SHAPES_H

#include "berth/status.h"

/* A field of one object; a list of them ends with one without a key. */
typedef struct berth__shape {
    const char *key;
    uint32_t key_len;
    const struct berth__shape *part; /* of the object, or of the list's objects; NULL: anything */
} berth__shape;

typedef struct berth__known_kind {
    berth_str name;
    berth_str api_version;
    const berth__shape *shape;
} berth__known_kind;

/* The kind of that name, or NULL. */
const berth__known_kind *berth__known_kind_of(berth_str kind);

/* All of them, one after the other; NULL behind the last. */
const berth__known_kind *berth__known_kind_at(uint32_t i);

#endif
