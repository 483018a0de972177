/* The best leaf of each lane of a tile, for class forests; a part of tile_kernels_body.h. */

/* Up to so many lanes are looked at one after the other, each in all slots at once. */
enum { LANES_APART = 16 };

/* A tile's slots: their leaves, `none` if negative, and their lanes. */
typedef struct laned_slots {
    _Alignas(64) int32_t leaves[BERTH__TILE];
    _Alignas(64) int32_t lanes[BERTH__TILE];
} laned_slots;

static inline void take_lane(const laned_slots *slots, int32_t lane, int32_t none, int32_t *best,
                             uint32_t *count)
{
    int32_t highest = none, equal = 0;
    for (uint32_t s = 0; s < BERTH__TILE; s++) {
        const int32_t own = slots->lanes[s] == lane ? slots->leaves[s] : none;
        highest = own > highest ? own : highest;
    }
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        equal += (slots->lanes[s] == lane) & (slots->leaves[s] == highest);
    *best = highest;
    *count = highest == none ? 0 : (uint32_t)equal;
}

/* Without branches, because nothing tells which leaf will be the best of its lane. */
static inline void take_all_lanes(const laned_slots *slots, uint32_t lanes, int32_t none,
                                  int32_t *restrict best, uint32_t *restrict counts)
{
    for (uint32_t lane = 0; lane < lanes; lane++) {
        best[lane] = none;
        counts[lane] = 0;
    }
    for (uint32_t s = 0; s < BERTH__TILE; s++) {
        int32_t *own = &best[slots->lanes[s]];
        *own = slots->leaves[s] > *own ? slots->leaves[s] : *own;
    }
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        counts[slots->lanes[s]] +=
            (slots->leaves[s] != none) & (slots->leaves[s] == best[slots->lanes[s]]);
}

static void best_by_lane(const int32_t *restrict leaves, uint32_t groups,
                         const uint8_t *restrict ids, uint32_t lanes, int32_t none,
                         int32_t *restrict best, uint32_t *restrict counts)
{
    laned_slots slots;
    const uint32_t count =
        (groups < BERTH__TILE / BERTH__FAN ? groups : BERTH__TILE / BERTH__FAN) * BERTH__FAN;
    for (uint32_t s = 0; s < count; s++)
        slots.leaves[s] = leaves[s] >= 0 ? leaves[s] : none;
    for (uint32_t s = count; s < BERTH__TILE; s++)
        slots.leaves[s] = none;
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        slots.lanes[s] = ids[s];
    if (lanes <= LANES_APART)
        for (uint32_t lane = 0; lane < lanes; lane++)
            take_lane(&slots, (int32_t)lane, none, &best[lane], &counts[lane]);
    else
        take_all_lanes(&slots, lanes, none, best, counts);
}
