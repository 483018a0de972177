/* Numbers the contents of devices: devices that differ only in their names and the nodes they are
 * for get the same number. Verdicts are kept, and nodes compared, by this number: nodes of one
 * model have devices with the same contents, unless each device has a unique attribute such as a
 * serial number.
 *
 * A new offer is compared with the first offer of each content. If this first offer is removed, its
 * number is not used again, and the next offer with the same contents gets another number. So equal
 * numbers mean equal contents, but not the reverse. */
#ifndef BERTH_DEVICES_CONTENTS_H
#define BERTH_DEVICES_CONTENTS_H

#include <stdbool.h>

#include "base/memory.h"

struct berth__offer;

typedef struct berth__content {
    const struct berth__offer *first; /* NULL: removed */
    uint64_t hash;
    uint32_t next; /* of the same bucket; + 1, 0: none */
} berth__content;

typedef struct berth__contents {
    const berth_allocator *allocator;
    berth__content *items; /* by number */
    uint32_t count, capacity;
    uint32_t removed;  /* of `count` */
    uint32_t *buckets; /* the first content of each; + 1, 0: none */
    uint32_t bucket_count;
} berth__contents;

/* All zero, apart from the allocator: empty. */
void berth__contents_destroy(berth__contents *contents);

/* Forget all numbers. */
void berth__contents_clear(berth__contents *contents);

/* Set `content` of a new offer. Returns false when out of memory. */
bool berth__contents_add(berth__contents *contents, struct berth__offer *offer);

/* An offer goes. Reads only the offer itself, not its device. */
void berth__contents_remove(berth__contents *contents, const struct berth__offer *offer);

#endif
