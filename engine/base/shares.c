/* Sharing out work among workers: a ticket for each group of workers. */
#include "base/shares.h"

#include "base/assert.h"

void berth__shares_start(berth__shares *shares, uint32_t count, uint32_t group_count, uint32_t step)
{
    BERTH_ASSERT(group_count >= 1 && group_count <= BERTH__GROUPS_MAX && step >= 1);
    shares->count = count;
    shares->group_count = group_count;
    shares->step = step;
    for (uint32_t g = 0; g < group_count; g++)
        /* relaxed: workers see it by WORK-1 */
        atomic_store_explicit(&shares->groups[g].taken, 0, memory_order_relaxed);
}

/* The number of runs that belong to a group. */
static uint32_t runs_of(const berth__shares *shares, uint32_t group)
{
    uint32_t runs = shares->count / shares->step + (shares->count % shares->step != 0);
    return runs / shares->group_count + (group < runs % shares->group_count);
}

static bool take_from(berth__shares *shares, uint32_t group, uint32_t *first, uint32_t *last)
{
    atomic_uint *taken = &shares->groups[group].taken;
    uint32_t runs = runs_of(shares, group);
    /* Look first: otherwise workers that find nothing would advance the ticket each time. Relaxed:
     * the ticket hands out numbers and guards nothing. */
    if (atomic_load_explicit(taken, memory_order_relaxed) >= runs)
        return false;
    uint32_t run =
        atomic_fetch_add_explicit(taken, 1, memory_order_relaxed); /* relaxed: as above */
    if (run >= runs)
        return false;
    *first = (run * shares->group_count + group) * shares->step;
    *last = shares->count - *first > shares->step ? *first + shares->step : shares->count;
    return true;
}

bool berth__shares_take(berth__shares *shares, uint32_t group, uint32_t *first, uint32_t *last)
{
    for (uint32_t i = 0; i < shares->group_count; i++)
        if (take_from(shares, (group + i) % shares->group_count, first, last))
            return true;
    return false;
}
