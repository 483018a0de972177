/* Pattern-defeating quicksort with the constants and the sequence of calls of Go's package sort.
 *
 * Ranges are [from, to). Positions are signed because scans may run one below the start. */
#include "base/go_sort.h"

enum {
    INSERTION_MAX = 12,     /* longer ranges are partitioned */
    MEDIAN_MIN = 8,         /* shorter ranges take a fixed pivot */
    NINTHER_MIN = 50,       /* longer ranges take the median of three medians */
    SWAPS_MAX = 4 * 3,      /* when choosing a pivot: every comparison found a descent */
    REPAIRS_MAX = 5,        /* in a range that seems to be sorted */
    REPAIR_LENGTH_MIN = 50, /* shorter ranges are not repaired */
    BALANCE_SHARE = 8,      /* a side with less than 1/8 is unbalanced */
};

typedef const berth__go_sort_items elements;

static bool is_less(elements *s, ptrdiff_t a, ptrdiff_t b)
{
    return s->is_less(s->context, (size_t)a, (size_t)b);
}

static void swap(elements *s, ptrdiff_t a, ptrdiff_t b)
{
    s->swap(s->context, (size_t)a, (size_t)b);
}

static unsigned bit_length(size_t value)
{
    return value == 0 ? 0 : 64 - (unsigned)__builtin_clzll(value);
}

static void insertion_sort(elements *s, ptrdiff_t from, ptrdiff_t to)
{
    for (ptrdiff_t i = from + 1; i < to; i++)
        for (ptrdiff_t k = i; k > from && is_less(s, k, k - 1); k--)
            swap(s, k, k - 1);
}

/* ---- heapsort ---- */

/* The heap begins at `base`; positions in the heap count from there. */
static void sift_down(elements *s, ptrdiff_t base, ptrdiff_t root, ptrdiff_t count)
{
    for (ptrdiff_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        if (child + 1 < count && is_less(s, base + child, base + child + 1))
            child++;
        if (!is_less(s, base + root, base + child))
            return;
        swap(s, base + root, base + child);
        root = child;
    }
}

static void heap_sort(elements *s, ptrdiff_t from, ptrdiff_t to)
{
    const ptrdiff_t count = to - from;
    for (ptrdiff_t i = (count - 1) / 2; i >= 0; i--)
        sift_down(s, from, i, count);
    for (ptrdiff_t i = count - 1; i >= 0; i--) {
        swap(s, from, from + i);
        sift_down(s, from, 0, i);
    }
}

/* ---- the pivot ---- */

typedef enum shape { UNKNOWN, INCREASING, DECREASING } shape;

/* Order the positions of two elements: the smaller element first. */
static void order_two(elements *s, ptrdiff_t *a, ptrdiff_t *b, int *swaps)
{
    if (!is_less(s, *b, *a))
        return;
    const ptrdiff_t smaller = *b;
    *b = *a;
    *a = smaller;
    (*swaps)++;
}

static ptrdiff_t median(elements *s, ptrdiff_t a, ptrdiff_t b, ptrdiff_t c, int *swaps)
{
    order_two(s, &a, &b, swaps);
    order_two(s, &b, &c, swaps);
    order_two(s, &a, &b, swaps);
    return b;
}

static ptrdiff_t choose_pivot(elements *s, ptrdiff_t from, ptrdiff_t to, shape *out)
{
    const ptrdiff_t length = to - from;
    ptrdiff_t a = from + length / 4, b = from + length / 4 * 2, c = from + length / 4 * 3;
    int swaps = 0;
    if (length >= NINTHER_MIN) {
        a = median(s, a - 1, a, a + 1, &swaps);
        b = median(s, b - 1, b, b + 1, &swaps);
        c = median(s, c - 1, c, c + 1, &swaps);
    }
    if (length >= MEDIAN_MIN)
        b = median(s, a, b, c, &swaps);
    *out = swaps == 0 ? INCREASING : swaps == SWAPS_MAX ? DECREASING : UNKNOWN;
    return b;
}

/* ---- partitions ---- */

static void reverse(elements *s, ptrdiff_t from, ptrdiff_t to)
{
    for (ptrdiff_t a = from, b = to - 1; a < b; a++, b--)
        swap(s, a, b);
}

/* Swap three elements in the middle with others. A generator seeded with the length chooses
 * these. */
static void break_patterns(elements *s, ptrdiff_t from, ptrdiff_t to)
{
    const size_t length = (size_t)(to - from);
    const size_t mask = ((size_t)1 << bit_length(length)) - 1;
    uint64_t random = length;
    if (length < MEDIAN_MIN)
        return;
    const ptrdiff_t middle = from + (ptrdiff_t)(length / 4 * 2);
    for (ptrdiff_t at = middle - 1; at <= middle + 1; at++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        size_t other = (size_t)random & mask;
        other -= other >= length ? length : 0;
        swap(s, at, from + (ptrdiff_t)other);
    }
}

/* Repair up to five descents. Returns whether the range is sorted afterwards. */
static bool repair(elements *s, ptrdiff_t from, ptrdiff_t to)
{
    ptrdiff_t at = from + 1;
    for (int i = 0; i < REPAIRS_MAX; i++) {
        while (at < to && !is_less(s, at, at - 1))
            at++;
        if (at == to)
            return true;
        if (to - from < REPAIR_LENGTH_MIN)
            return false;
        swap(s, at, at - 1);
        if (at - from >= 2)
            for (ptrdiff_t k = at - 1; k >= 1 && is_less(s, k, k - 1); k--)
                swap(s, k, k - 1);
        if (to - at >= 2)
            for (ptrdiff_t k = at + 1; k < to && is_less(s, k, k - 1); k++)
                swap(s, k, k - 1);
    }
    return false;
}

/* Put elements below the pivot in front of it and the others behind it. Returns the pivot's new
 * position. Sets `*was_done` if the other elements were partitioned already. */
static ptrdiff_t partition(elements *s, ptrdiff_t from, ptrdiff_t to, ptrdiff_t pivot,
                           bool *was_done)
{
    ptrdiff_t a = from + 1, b = to - 1;
    swap(s, from, pivot);
    for (*was_done = true;; *was_done = false) {
        while (a <= b && is_less(s, a, from))
            a++;
        while (a <= b && !is_less(s, b, from))
            b--;
        if (a > b)
            break;
        swap(s, a++, b--);
    }
    swap(s, b, from);
    return b;
}

/* No element is below the pivot: put those equal to it in front. Returns where the others begin. */
static ptrdiff_t partition_equal(elements *s, ptrdiff_t from, ptrdiff_t to, ptrdiff_t pivot)
{
    ptrdiff_t a = from + 1, b = to - 1;
    swap(s, from, pivot);
    for (;;) {
        while (a <= b && !is_less(s, from, a))
            a++;
        while (a <= b && is_less(s, from, b))
            b--;
        if (a > b)
            return a;
        swap(s, a++, b--);
    }
}

/* ---- the sort ---- */

/* Choose the pivot of a range, reversing the range if it seems to decrease. Returns false if the
 * range is sorted. */
static bool prepare(elements *s, ptrdiff_t from, ptrdiff_t to, bool was_regular, ptrdiff_t *pivot)
{
    shape seems = UNKNOWN;
    *pivot = choose_pivot(s, from, to, &seems);
    if (seems == DECREASING) {
        reverse(s, from, to);
        *pivot = to - 1 - (*pivot - from);
        seems = INCREASING;
    }
    return !(was_regular && seems == INCREASING && repair(s, from, to));
}

/* `bad_pivots` is the number of unbalanced partitions left before heapsort takes over. The shorter
 * side is sorted by a recursive call, the longer one by the loop, so calls nest at most log2(count)
 * deep. */
static void quick_sort(elements *s, ptrdiff_t from, ptrdiff_t to, unsigned bad_pivots)
{
    bool was_balanced = true;
    bool was_done = true;
    while (to - from > INSERTION_MAX) {
        const ptrdiff_t length = to - from;
        if (bad_pivots == 0) {
            heap_sort(s, from, to);
            return;
        }
        if (!was_balanced) {
            break_patterns(s, from, to);
            bad_pivots--;
        }
        ptrdiff_t pivot = 0;
        if (!prepare(s, from, to, was_balanced && was_done, &pivot))
            return;
        if (from > 0 && !is_less(s, from - 1, pivot)) {
            from = partition_equal(s, from, to, pivot);
            continue;
        }
        const ptrdiff_t middle = partition(s, from, to, pivot, &was_done);
        const ptrdiff_t left = middle - from, right = to - middle;
        was_balanced = (left < right ? left : right) >= length / BALANCE_SHARE;
        if (left < right) {
            quick_sort(s, from, middle, bad_pivots);
            from = middle + 1;
        } else {
            quick_sort(s, middle + 1, to, bad_pivots);
            to = middle;
        }
    }
    insertion_sort(s, from, to);
}

void berth__go_sort(const berth__go_sort_items *items, size_t count)
{
    quick_sort(items, 0, (ptrdiff_t)count, bit_length(count));
}
