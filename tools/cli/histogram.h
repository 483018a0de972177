/* Counts how often each duration occurred: logarithmic buckets, each split in 64. A percentile is
 * within 1.6 % of the measured value, and counting costs one increment. */
#ifndef BERTH_TOOLS_HISTOGRAM_H
#define BERTH_TOOLS_HISTOGRAM_H

#include <stdint.h>

enum {
    HISTOGRAM_SPLIT_BITS = 6,
    HISTOGRAM_SPLIT = 1 << HISTOGRAM_SPLIT_BITS,
    HISTOGRAM_BUCKETS = (64 - HISTOGRAM_SPLIT_BITS + 1) * HISTOGRAM_SPLIT,
};

/* Zeroed: empty. */
typedef struct histogram {
    uint64_t count;
    uint64_t max;
    uint64_t buckets[HISTOGRAM_BUCKETS];
} histogram;

/* Values below 64 have a bucket each; above that, a bucket covers 1/64 of its power of two. */
static inline uint32_t histogram_bucket(uint64_t value)
{
    if (value < HISTOGRAM_SPLIT)
        return (uint32_t)value;
    uint32_t shift = 63 - (uint32_t)__builtin_clzll(value) - HISTOGRAM_SPLIT_BITS;
    return shift * HISTOGRAM_SPLIT + (uint32_t)(value >> shift);
}

static inline void histogram_add(histogram *h, uint64_t value)
{
    h->buckets[histogram_bucket(value)]++;
    h->count++;
    if (value > h->max)
        h->max = value;
}

/* The value that `part` (0..1) of all values do not exceed; 0 if there are none. */
uint64_t histogram_percentile(const histogram *h, double part);

#endif
