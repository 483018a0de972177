/* Sorts rows by requests, by cost, or by name. */
#include "top/top_sort.h"

#include <stdlib.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The end of the number that begins at `at`; `*first` is its first digit after leading zeros. */
static uint32_t end_of_number(berth_str text, uint32_t at, uint32_t *first)
{
    while (at + 1 < text.len && text.data[at] == '0' && is_digit(text.data[at + 1]))
        at++;
    *first = at;
    while (at < text.len && is_digit(text.data[at]))
        at++;
    return at;
}

/* Compares by bytes, but numbers by value. */
static int compare_names(berth_str a, berth_str b)
{
    uint32_t i = 0;
    uint32_t k = 0;
    while (i < a.len && k < b.len) {
        if (!is_digit(a.data[i]) || !is_digit(b.data[k])) {
            if (a.data[i] != b.data[k])
                return (unsigned char)a.data[i] < (unsigned char)b.data[k] ? -1 : 1;
            i++;
            k++;
            continue;
        }
        uint32_t first_a;
        uint32_t first_b;
        i = end_of_number(a, i, &first_a);
        k = end_of_number(b, k, &first_b);
        if (i - first_a != k - first_b)
            return i - first_a < k - first_b ? -1 : 1;
        int order = words_compare((berth_str){a.data + first_a, i - first_a},
                                  (berth_str){b.data + first_b, k - first_b});
        if (order != 0)
            return order;
    }
    return i < a.len ? 1 : k < b.len ? -1 : words_compare(a, b);
}

static int by_name(const void *a, const void *b)
{
    const top_row *left = a;
    const top_row *right = b;
    int order = words_compare(left->namespace_name, right->namespace_name);
    if (order == 0)
        order = compare_names(left->name, right->name);
    return order != 0 ? order : words_compare(left->kind, right->kind);
}

static int by_amount(int64_t left, int64_t right, const void *a, const void *b)
{
    return left != right ? (left > right ? -1 : 1) : by_name(a, b);
}

static int by_resource(const void *a, const void *b, int resource)
{
    const top_row *left = a;
    const top_row *right = b;
    return by_amount(left->cells[resource].requested, right->cells[resource].requested, a, b);
}

static int by_cpu(const void *a, const void *b)
{
    return by_resource(a, b, TOP_CPU);
}

static int by_memory(const void *a, const void *b)
{
    return by_resource(a, b, TOP_MEMORY);
}

static int by_pods(const void *a, const void *b)
{
    return by_resource(a, b, TOP_PODS);
}

/* Sorts by cost: of nodes their price, of pods their share of it. */
static int by_cost(const void *a, const void *b)
{
    const top_row *left = a;
    const top_row *right = b;
    money one = left->nodes > 0 ? left->price : left->used;
    money other = right->nodes > 0 ? right->price : right->used;
    return one != other ? (one > other ? -1 : 1) : by_name(a, b);
}

void top_sort_rows(top_row *rows, size_t count, top_sort sort)
{
    static int (*const orders[])(const void *, const void *) = {
        [TOP_SORT_CPU] = by_cpu,   [TOP_SORT_MEMORY] = by_memory, [TOP_SORT_PODS] = by_pods,
        [TOP_SORT_NAME] = by_name, [TOP_SORT_COST] = by_cost,
    };
    if (count > 0)
        qsort(rows, count, sizeof(*rows), orders[sort]);
}
