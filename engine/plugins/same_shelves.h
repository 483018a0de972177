/* Slots whose nodes read the same shelves (store/shelves.h) offer a pod's claims the same volumes
 * and capacity, if nothing else decides: volumes for a zone, or for all nodes. So what was found
 * for one such slot holds for the others. Used by VolumeBinding and CheckVolumeBinding.
 *
 * Threads: each caller uses its own. */
#ifndef BERTH_PLUGINS_SAME_SHELVES_H
#define BERTH_PLUGINS_SAME_SHELVES_H

#include "plugins/volume_binder.h"

enum { BERTH__SAME_LABELS = 3, BERTH__SAME_SHELVES = 16 };

/* The results so far, by the label values that choose shelves. */
typedef struct berth__same_shelves {
    bool applies;
    const berth__sym *columns[BERTH__SAME_LABELS]; /* of these labels */
    uint32_t column_count, count;
    berth__sym values[BERTH__SAME_SHELVES][BERTH__SAME_LABELS];
    int64_t results[BERTH__SAME_SHELVES];
    int64_t unshared; /* room for a result that holds for one slot */
} berth__same_shelves;

/* Begin without results. */
void berth__same_shelves_begin(berth__same_shelves *same, const berth__binder *binder);

/* The place of a slot's result, which the caller must write unless `*known`. Valid until the next
 * call. */
int64_t *berth__same_shelves_result(berth__same_shelves *same, uint32_t slot, bool *known);

#endif
