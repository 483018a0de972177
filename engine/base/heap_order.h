/* The tie rule `kubernetes`: how kube-scheduler has chosen among equal totals since 1.35. Defines
 * an order over the positions of a list, and a way to find the first of some positions that skips
 * most of them.
 *
 * kube-scheduler puts the feasible nodes into a binary heap in the order in which it visited them,
 * and takes the root. Heapifying lets a node rise above another only if its total is greater. So
 * among the best nodes, the winner is the first in PRE-ORDER of the tree that the list forms
 * (children of position i: 2i + 1 and 2i + 2; for 15 positions 0 1 3 7 8 4 9 10 2 5 11 12 6 13 14).
 *
 * Let a position's code be position + 1. The bits below its leading bit describe the way down from
 * the root (0: left), so pre-order compares these bits as text, where a prefix comes first. Hence
 *   - a level (codes 2^d up to 2^(d+1)) is in order, and only the first of the best in it counts;
 *   - code s comes before code c of a deeper level, k levels below, unless c < s << k.
 * One question per level is enough, from the root down: "which of the best is the first at or after
 * this position?" Each find narrows the ranges of all deeper levels; if it is the leftmost of its
 * level, it closes them.
 *
 * Source: kube-scheduler v1.35, schedule_one.go, selectHost (container/heap's Init). */
#ifndef BERTH_BASE_HEAP_ORDER_H
#define BERTH_BASE_HEAP_ORDER_H

#include <stdbool.h>
#include <stdint.h>

/* The codes of one level that may still hold an earlier member: first .. end. Before the first
 * find, every code is possible. */
typedef struct berth__heap_order {
    uint64_t first, end;
    uint64_t last; /* code of the list's last position */
} berth__heap_order;

/* The state for a list of `count` positions, before the first find. */
static inline berth__heap_order berth__heap_order_of(uint32_t count)
{
    return (berth__heap_order){1, UINT64_C(1) << 33, count};
}

/* Whether another question has to be asked. */
static inline bool berth__heap_order_open(const berth__heap_order *order)
{
    return order->first < order->end && order->first <= order->last;
}

/* The question: which of the best is the first at or after this position? A first beyond the end
 * need not be reported. */
static inline uint32_t berth__heap_order_from(const berth__heap_order *order)
{
    return (uint32_t)(order->first - 1);
}

static inline uint32_t berth__heap_order_end(const berth__heap_order *order)
{
    return (uint32_t)(order->end <= order->last ? order->end - 1 : order->last);
}

/* Record the answer: no best one lies before this position. */
static inline void berth__heap_order_pass(berth__heap_order *order, uint32_t position)
{
    if (position >= order->last)
        order->first = order->last + 1;
    while (order->end <= (uint64_t)position + 1 && order->first <= order->last) {
        order->first *= 2;
        order->end *= 2;
    }
}

/* Record the answer: this position, which may be on any level. Returns true if it comes before all
 * earlier answers. */
static inline bool berth__heap_order_tell(berth__heap_order *order, uint32_t position)
{
    uint64_t code = (uint64_t)position + 1;
    if (order->end <= code) {
        berth__heap_order_pass(order, position);
        if (code < order->first || order->first > order->last)
            return false;
    }
    order->first = UINT64_C(2) << (63 - __builtin_clzll(code));
    order->end = 2 * code;
    return true;
}

#endif
