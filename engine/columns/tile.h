/* Tiles: the state of BERTH__TILE neighbouring slots, with a column for each quantity.
 *
 * A tile is the unit of scanning (a slice is a few tiles), of copy on write and of repair. */
#ifndef BERTH_COLUMNS_TILE_H
#define BERTH_COLUMNS_TILE_H

#include <stdint.h>

#include "model/pod_class.h"

enum {
    BERTH__TILE = 128, /* slots */
    BERTH__TILE_WORDS = BERTH__TILE / 64,
    BERTH__TILE_SHIFT = 7,
    BERTH__HOME_TILES = 8, /* neighbouring tiles that share memory and are scanned by one worker */
};

/* A set of slots of one tile. */
typedef struct berth__mask {
    uint64_t words[BERTH__TILE_WORDS];
} berth__mask;

/* Host ports in use on one node, sorted. A set: see plugins/rules/filters.md §5. */
typedef struct berth__port_set {
    uint32_t count;
    uint32_t capacity;
    berth__host_port items[];
} berth__port_set;

typedef struct berth__tile {
    uint64_t stamp; /* of the copy-on-write owner that may change it; see base/cow_owner.h */
    uint32_t resource_count;
    const berth_allocator *home; /* the memory that the tile lies in */
    berth__mask ports_held;      /* slots that own a set of ports, perhaps an empty one */
    _Alignas(64) int32_t pods_used[BERTH__TILE];
    int32_t pods_max[BERTH__TILE];
    int32_t evenness[BERTH__TILE];       /* of the used cpu and memory: berth__evenness_of */
    berth__port_set *ports[BERTH__TILE]; /* NULL: none in use */
    _Alignas(64) int64_t nonzero_cpu[BERTH__TILE];
    int64_t nonzero_memory[BERTH__TILE];
    int64_t columns[]; /* resource r: allocatable, then used, BERTH__TILE each */
} berth__tile;

static inline int64_t *berth__tile_allocatable(berth__tile *tile, uint32_t resource)
{
    return tile->columns + (size_t)resource * 2 * BERTH__TILE;
}

static inline int64_t *berth__tile_used(berth__tile *tile, uint32_t resource)
{
    return tile->columns + ((size_t)resource * 2 + 1) * BERTH__TILE;
}

/* Computes the `evenness` of a slot. */
int32_t berth__tile_evenness(berth__tile *tile, uint32_t at);

static inline bool berth__mask_empty(const berth__mask *mask)
{
    return (mask->words[0] | mask->words[1]) == 0;
}

static inline uint32_t berth__mask_count(const berth__mask *mask)
{
    return (uint32_t)(__builtin_popcountll(mask->words[0]) + __builtin_popcountll(mask->words[1]));
}

/* One more than the last slot of a mask; 0 for an empty one. */
static inline uint32_t berth__mask_end(const berth__mask *mask)
{
    for (uint32_t w = BERTH__TILE_WORDS; w-- > 0;)
        if (mask->words[w] != 0)
            return w * 64 + 64 - (uint32_t)__builtin_clzll(mask->words[w]);
    return 0;
}

/* Slots first <= s < last of the tile (0 <= first <= last <= BERTH__TILE). */
static inline berth__mask berth__mask_range(uint32_t first, uint32_t last)
{
    berth__mask mask;
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++) {
        uint32_t base = w * 64;
        uint32_t low = first > base ? first - base : 0;
        uint32_t high = last > base ? last - base : 0;
        uint64_t below_high = high >= 64 ? UINT64_MAX : (UINT64_C(1) << high) - 1;
        uint64_t below_low = low >= 64 ? UINT64_MAX : (UINT64_C(1) << low) - 1;
        mask.words[w] = below_high & ~below_low;
    }
    return mask;
}

/* Run the statement for each slot `s` (within the tile) of a mask. */
#define BERTH__MASK_EACH(mask, s)                                                                  \
    for (uint32_t word_##s = 0; word_##s < BERTH__TILE_WORDS; word_##s++)                          \
        for (uint64_t bits_##s = (mask)->words[word_##s]; bits_##s != 0; bits_##s &= bits_##s - 1) \
            for (uint32_t s = word_##s * 64 + (uint32_t)__builtin_ctzll(bits_##s), once_##s = 1;   \
                 once_##s != 0; once_##s = 0)

#endif
