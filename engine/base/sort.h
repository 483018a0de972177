/* Sorting in place that no order of the input makes slow, and that takes no memory. */
#ifndef BERTH_BASE_SORT_H
#define BERTH_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Ascending. Cost: n log n. */
void berth__sort_words(uint64_t *words, uint32_t count);

/* Elements of up to 64 bytes by an order that tells any two apart, or finds them alike: below 0, 0
 * or above as that of memcmp. Which of those that are alike comes first is left open. Cost: n log
 * n. */
void berth__sort(void *items, uint32_t count, size_t bytes,
                 int (*order)(const void *a, const void *b));

#endif
