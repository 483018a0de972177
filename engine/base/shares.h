/* Shares out work among workers by tickets, close to the memory it touches.
 *
 * Pieces 0 .. count - 1 are taken in runs of `step`. Run r belongs to group r mod group_count of
 * the workers (a group shares a NUMA node, see berth__workers_groups), which does not depend on the
 * count: pieces of a growing list stay in their group. A worker first takes the runs of its own
 * group, then helps with the others', so every piece is taken once, no matter how many workers take
 * part. With one group this is a plain ticket.
 * Ordering: the tickets are relaxed, because they only hand out numbers. The results are read after
 * berth__workers_run has returned (WORK-2). */
#ifndef BERTH_BASE_SHARES_H
#define BERTH_BASE_SHARES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { BERTH__GROUPS_MAX = 16 };

typedef struct berth__share {
    _Alignas(64) atomic_uint taken; /* runs of the group; sync: atomic, relaxed, see above */
} berth__share;

typedef struct berth__shares {
    uint32_t count;
    uint32_t group_count;
    uint32_t step;
    berth__share groups[BERTH__GROUPS_MAX];
} berth__shares;

/* The group that a piece belongs to. */
static inline uint32_t berth__shares_home(uint32_t piece, uint32_t step, uint32_t group_count)
{
    return piece / step % group_count;
}

/* Lay out `count` pieces (below 2^31). 1 <= `group_count` <= BERTH__GROUPS_MAX, `step` >= 1.
 * Threads: one, before the work. */
void berth__shares_start(berth__shares *shares, uint32_t count, uint32_t group_count,
                         uint32_t step);

/* Take the next pieces, *first .. *last - 1, for a worker of `group`. Returns false when none are
 * left. */
bool berth__shares_take(berth__shares *shares, uint32_t group, uint32_t *first, uint32_t *last);

#endif
