/* Binary search in sorted items. */
#ifndef BERTH_BASE_SEARCH_H
#define BERTH_BASE_SEARCH_H

#include <stdint.h>

/* Set `place` to the number of the first item that does not come before the wanted one; to `count`
 * if all do. `comes_before` says that item number `i` comes before it. A macro, because the search
 * is on hot paths. */
#define BERTH__SEARCH(place, count, i, comes_before) \
    do {                                             \
        uint32_t low_ = 0, high_ = (count);          \
        while (low_ < high_) {                       \
            const uint32_t i = (low_ + high_) / 2;   \
            if (comes_before)                        \
                low_ = i + 1;                        \
            else                                     \
                high_ = i;                           \
        }                                            \
        (place) = low_;                              \
    } while (0)

#endif
