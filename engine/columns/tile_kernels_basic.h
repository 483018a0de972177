/* Tile kernels of the scores that every profile has (LeastAllocated, and balance of cpu and memory)
 * for a whole tile; a part of tile_kernels_body.h. The steps are those of least, average and
 * balance, so the bits are the same. */

/* (1 - |f1 - f2| / 2) * 100, truncated. */
static inline int32_t balance_of(double fraction1, double fraction2)
{
    fraction1 = fraction1 > 1.0 ? 1.0 : fraction1;
    fraction2 = fraction2 > 1.0 ? 1.0 : fraction2;
    double difference = fraction1 - fraction2;
    double deviation = (difference < 0 ? -difference : difference) / 2.0;
    return (int32_t)((1.0 - deviation) * 100.0);
}

/* For slots whose resources are both invertible. Sums are integers, for which a processor has more
 * execution units. The sum of weighted scores is a small integer. Half of one is added to it, so
 * the product with `share`, one over the weights, truncates as the quotient does. */
static inline __attribute__((always_inline)) void total_both(const berth__amount_columns *tile,
                                                             const berth__basic_ask *ask,
                                                             double share, bool of_difference,
                                                             int64_t *restrict totals)
{
    int64_t least_cpu = (int64_t)ask->least_cpu, least_memory = (int64_t)ask->least_memory;
    int64_t more_cpu = (int64_t)ask->balance_cpu, more_memory = (int64_t)ask->balance_memory;
    for (uint32_t s = 0; s < BERTH__TILE; s++) {
        double cpu = small_double(tile->cpu[s]), memory = small_double(tile->memory[s]);
        int64_t cpu_free = tile->cpu[s] - tile->cpu_nonzero[s] - least_cpu;
        int64_t memory_free = tile->memory[s] - tile->memory_nonzero[s] - least_memory;
        double cpu_inverse = inverse_of(cpu), memory_inverse = inverse_of(memory);
        double cpu_least = hundredths(small_double(cpu_free > 0 ? cpu_free : 0), cpu, cpu_inverse);
        double memory_least =
            hundredths(small_double(memory_free > 0 ? memory_free : 0), memory, memory_inverse);
        double sum = cpu_least * ask->cpu_weight + memory_least * ask->memory_weight;
        int32_t least_score = (int32_t)((sum + 0.5) * share);
        int64_t cpu_taken = tile->cpu_used[s] + more_cpu;
        int64_t memory_taken = tile->memory_used[s] + more_memory;
        int32_t balance_score =
            balance_of(quotient(small_double(cpu_taken), cpu, cpu_inverse),
                       quotient(small_double(memory_taken), memory, memory_inverse));
        if (of_difference)
            balance_score = difference_score(balance_score, tile->evenness[s]);
        totals[s] = least_score * ask->least_weight + balance_score * ask->balance_weight;
    }
}

/* For all other slots. */
static inline void total_some(const berth__amount_columns *tile, const berth__basic_ask *ask,
                              int64_t *restrict totals)
{
    double sums[BERTH__TILE] = {0}, weights[BERTH__TILE] = {0};
    int64_t score[BERTH__TILE];
    least(tile->cpu, tile->cpu_nonzero, (int64_t)ask->least_cpu, ask->cpu_weight, sums, weights);
    least(tile->memory, tile->memory_nonzero, (int64_t)ask->least_memory, ask->memory_weight, sums,
          weights);
    memset(totals, 0, BERTH__TILE * sizeof(*totals));
    average(sums, weights, score);
    accumulate(totals, score, ask->least_weight);
    balance(tile->cpu, tile->cpu_used, (int64_t)ask->balance_cpu, tile->memory, tile->memory_used,
            (int64_t)ask->balance_memory, score);
    if (ask->balance_difference) {
        for (uint32_t s = 0; s < BERTH__TILE; s++)
            score[s] = berth__balance_difference(score[s], tile->evenness[s]);
    }
    accumulate(totals, score, ask->balance_weight);
}

static inline bool all_are_invertible(const berth__amount_columns *tile)
{
    int64_t outside = 0; /* negative if some amount is too small or too large */
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        outside |= (tile->cpu[s] - 1) | (BERTH__INVERTIBLE_AMOUNT - tile->cpu[s]) |
                   (tile->memory[s] - 1) | (BERTH__INVERTIBLE_AMOUNT - tile->memory[s]);
    return outside >= 0;
}

static void basic_scores(const berth__amount_columns *tile, const berth__basic_ask *ask,
                         int64_t *restrict totals)
{
    const berth__amount_columns columns = *tile;
    const berth__basic_ask own = *ask;
    double weights = ask->cpu_weight + ask->memory_weight;
    if (weights > 0 && all_are_invertible(&columns))
        own.balance_difference ? total_both(&columns, &own, 1.0 / weights, true, totals)
                               : total_both(&columns, &own, 1.0 / weights, false, totals);
    else
        total_some(&columns, &own, totals);
}
