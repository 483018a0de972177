/* Walks over the leaves of a search tree, a part of tile_kernels_body.h: a tile at a time, so that
 * a walk has two calls for a tile and not one for each of its groups. */

enum { WORD_GROUPS = 64 / BERTH__FAN };

static void leaves_from(const int32_t *leaves, uint32_t groups, int32_t least, berth__mask *slots)
{
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++) {
        uint64_t kept = 0;
        uint32_t first = w * WORD_GROUPS;
        for (uint32_t g = 0; g < WORD_GROUPS && first + g < groups && slots->words[w] != 0; g++)
            kept |= (uint64_t)lanes_from(leaves + (first + g) * BERTH__FAN, least)
                    << (g * BERTH__FAN);
        slots->words[w] &= kept;
    }
}

static void best_leaves(const int32_t *leaves, const int32_t *bests, const berth__mask *slots,
                        berth__tree_sum *best)
{
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++) {
        uint32_t group = w * WORD_GROUPS, equal;
        for (uint64_t rest = slots->words[w]; rest != 0; rest >>= BERTH__FAN, group++) {
            uint32_t lanes = (uint32_t)rest & ((1u << BERTH__FAN) - 1);
            if (lanes == 0 || bests[group] < best->best)
                continue;
            int32_t total = best_lanes(leaves + group * BERTH__FAN, lanes, &equal);
            if (total < best->best)
                continue;
            uint32_t count = (uint32_t)__builtin_popcount(equal);
            best->best_count = total > best->best ? count : best->best_count + count;
            best->best = total;
        }
    }
}
