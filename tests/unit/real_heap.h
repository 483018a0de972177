/* A heap built as Go's container/heap builds it: the reference for the tie rule `kubernetes`. */
#ifndef BERTH_TESTS_REAL_HEAP_H
#define BERTH_TESTS_REAL_HEAP_H

#include <stdint.h>

enum { HEAP_MAX = 9000 };

typedef struct entry {
    int64_t total;
    uint32_t position;
} entry;

static inline void sift_down(entry *heap, uint32_t i, uint32_t count)
{
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= count)
            return;
        if (child + 1 < count && heap[child + 1].total > heap[child].total)
            child++;
        if (heap[child].total <= heap[i].total)
            return;
        entry moved = heap[i];
        heap[i] = heap[child];
        heap[child] = moved;
        i = child;
    }
}

/* The root after container/heap's Init. */
static inline uint32_t heap_root(const int64_t *totals, uint32_t count)
{
    static entry heap[HEAP_MAX];
    for (uint32_t i = 0; i < count; i++)
        heap[i] = (entry){totals[i], i};
    for (uint32_t i = count / 2; i-- > 0;)
        sift_down(heap, i, count);
    return heap[0].position;
}

#endif
