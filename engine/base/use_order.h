/* The objects of a cache, found by a keymap, in the order of their last use, so that a cache that
 * has grown too large can drop the oldest. An object begins with its entry; the order owns nothing.
 * Threads: those of the cache. Cost: constant. */
#ifndef BERTH_BASE_USE_ORDER_H
#define BERTH_BASE_USE_ORDER_H

#include "base/keymap.h"

typedef struct berth__used {
    berth__keymap_entry entry; /* in the cache's map */
    struct berth__used *newer, *older;
} berth__used;

typedef struct berth__use_order {
    berth__used *newest, *oldest; /* NULL: there is none */
} berth__use_order;

static inline void berth__use_remove(berth__use_order *order, berth__used *used)
{
    *(used->newer != NULL ? &used->newer->older : &order->newest) = used->older;
    *(used->older != NULL ? &used->older->newer : &order->oldest) = used->newer;
}

/* Add an object that is not in the order yet as its newest. */
static inline void berth__use_add(berth__use_order *order, berth__used *used)
{
    used->newer = NULL;
    used->older = order->newest;
    *(order->newest != NULL ? &order->newest->newer : &order->oldest) = used;
    order->newest = used;
}

static inline void berth__use_again(berth__use_order *order, berth__used *used)
{
    if (order->newest == used)
        return;
    berth__use_remove(order, used);
    berth__use_add(order, used);
}

#endif
