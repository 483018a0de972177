/* Sorting in the order that Go's sort.Slice leaves, equal elements included.
 *
 * kube-scheduler sometimes uses sort.Slice although elements may be equal or its comparison is
 * inconsistent, and its decisions depend on the result. The algorithm is deterministic, so the
 * result can be reproduced: insertion sort up to 12 elements, pattern-defeating quicksort above,
 * heapsort after too many bad pivots.
 *
 * Source of the algorithm: Go 1.19 and later, package sort; O. R. L. Peters, "Pattern-defeating
 * Quicksort", arXiv:2106.05123. */
#ifndef BERTH_BASE_GO_SORT_H
#define BERTH_BASE_GO_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The elements to sort, known by their positions. */
typedef struct berth__go_sort_items {
    void *context;
    bool (*is_less)(void *context, size_t a, size_t b);
    void (*swap)(void *context, size_t a, size_t b);
} berth__go_sort_items;

/* Sort the elements 0 to count-1. `is_less` may be inconsistent. It is called with the same
 * arguments in the same sequence as in Go. Cost: O(count log count) calls; allocates nothing. */
void berth__go_sort(const berth__go_sort_items *items, size_t count);

#endif
