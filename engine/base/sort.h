/* Sorting in place, without memory, and without slow cases. */
#ifndef BERTH_BASE_SORT_H
#define BERTH_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Sort ascending. Cost: n log n. */
void berth__sort_words(uint64_t *words, uint32_t count);

/* Sort elements of up to 64 bytes. `order` returns a value below, equal to or above 0, as memcmp
 * does. The order of equal elements is unspecified. Cost: n log n. */
void berth__sort(void *items, uint32_t count, size_t bytes,
                 int (*order)(const void *a, const void *b));

#endif
