/* Percentiles of the latency histogram. */
#include "cli/histogram.h"

/* The middle of a bucket; a bucket of one value has that value. */
static uint64_t middle(uint32_t bucket)
{
    if (bucket < 2 * HISTOGRAM_SPLIT)
        return bucket;
    uint32_t shift = bucket / HISTOGRAM_SPLIT - 1;
    uint64_t low = (uint64_t)(bucket - shift * HISTOGRAM_SPLIT) << shift;
    return low + ((UINT64_C(1) << shift) >> 1);
}

uint64_t histogram_percentile(const histogram *h, double part)
{
    if (h->count == 0)
        return 0;
    uint64_t wanted = (uint64_t)(part * (double)h->count);
    if (wanted >= h->count)
        return h->max;
    uint64_t seen = 0;
    for (uint32_t b = 0; b < HISTOGRAM_BUCKETS; b++) {
        seen += h->buckets[b];
        if (seen > wanted) {
            uint64_t value = middle(b);
            return value < h->max ? value : h->max;
        }
    }
    return h->max;
}
