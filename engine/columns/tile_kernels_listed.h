/* The tile kernel of the common scores for slots that are listed; a part of tile_kernels_body.h.
 * It turns their states into columns, a run of slots at a time, for the kernel `basic`. */

enum { STATE_COLUMNS = BERTH__BASIC_VALUES + 1, STATE_EVENNESS = BERTH__BASIC_VALUES };

/* The states of a run, by column and by slot. */
typedef struct state_run {
    _Alignas(64) double columns[STATE_COLUMNS][BERTH__BASIC_RUN];
} state_run;

static_assert(sizeof(berth__basic_state) == STATE_COLUMNS * sizeof(double), "a state has no gaps");

#if defined(__AVX512F__)

enum { STATE_LANES = 8 };
typedef double state_lanes __attribute__((vector_size(STATE_LANES * sizeof(double))));

/* Half of the columns of four states: 0, 2, 4 and 6, or 1, 3, 5 and 7. */
typedef struct state_fours {
    state_lanes first;  /* column 0 or 1, and the one four columns on */
    state_lanes second; /* column 2 or 3, and the one four columns on */
} state_fours;

/* Join the halves of two pairs of states. */
static inline state_fours fours_of(state_lanes pair, state_lanes next)
{
    return (state_fours){__builtin_shufflevector(pair, next, 0, 1, 8, 9, 4, 5, 12, 13),
                         __builtin_shufflevector(pair, next, 2, 3, 10, 11, 6, 7, 14, 15)};
}

/* The even columns of two states; the odd ones. */
static inline state_lanes even_of(const char *state, const char *next)
{
    state_lanes one, other;
    memcpy(&one, state, sizeof(one));
    memcpy(&other, next, sizeof(other));
    return __builtin_shufflevector(one, other, 0, 8, 2, 10, 4, 12, 6, 14);
}

static inline state_lanes odd_of(const char *state, const char *next)
{
    state_lanes one, other;
    memcpy(&one, state, sizeof(one));
    memcpy(&other, next, sizeof(other));
    return __builtin_shufflevector(one, other, 1, 9, 3, 11, 5, 13, 7, 15);
}

/* Write a column of 8 states, and the one four columns on; `low` has the first four states. */
static inline void put_columns(state_lanes low, state_lanes high, state_run *out, uint32_t column,
                               uint32_t at)
{
    const state_lanes one = __builtin_shufflevector(low, high, 0, 1, 2, 3, 8, 9, 10, 11);
    const state_lanes other = __builtin_shufflevector(low, high, 4, 5, 6, 7, 12, 13, 14, 15);
    memcpy(&out->columns[column][at], &one, sizeof(one));
    memcpy(&out->columns[column + 4][at], &other, sizeof(other));
}

/* Write 8 states to the columns, from number `at` of the run on. */
static inline void turn(const char *const *s, state_run *out, uint32_t at)
{
    const state_fours even = fours_of(even_of(s[0], s[1]), even_of(s[2], s[3]));
    const state_fours odd = fours_of(odd_of(s[0], s[1]), odd_of(s[2], s[3]));
    const state_fours later_even = fours_of(even_of(s[4], s[5]), even_of(s[6], s[7]));
    const state_fours later_odd = fours_of(odd_of(s[4], s[5]), odd_of(s[6], s[7]));
    put_columns(even.first, later_even.first, out, 0, at);
    put_columns(odd.first, later_odd.first, out, 1, at);
    put_columns(even.second, later_even.second, out, 2, at);
    put_columns(odd.second, later_odd.second, out, 3, at);
}

#elif defined(__AVX2__)

enum { STATE_LANES = 4 };
typedef double state_lanes __attribute__((vector_size(STATE_LANES * sizeof(double))));

static inline state_lanes lanes_at(const char *state, uint32_t column)
{
    state_lanes lanes;
    memcpy(&lanes, state + column * sizeof(double), sizeof(lanes));
    return lanes;
}

/* Write four columns of four states. */
static inline void turn_half(const char *const *s, uint32_t column, state_run *out, uint32_t at)
{
    const state_lanes s0 = lanes_at(s[0], column), s1 = lanes_at(s[1], column),
                      s2 = lanes_at(s[2], column), s3 = lanes_at(s[3], column);
    const state_lanes even = __builtin_shufflevector(s0, s1, 0, 4, 2, 6),
                      later_even = __builtin_shufflevector(s2, s3, 0, 4, 2, 6),
                      odd = __builtin_shufflevector(s0, s1, 1, 5, 3, 7),
                      later_odd = __builtin_shufflevector(s2, s3, 1, 5, 3, 7);
    const state_lanes c0 = __builtin_shufflevector(even, later_even, 0, 1, 4, 5),
                      c1 = __builtin_shufflevector(odd, later_odd, 0, 1, 4, 5),
                      c2 = __builtin_shufflevector(even, later_even, 2, 3, 6, 7),
                      c3 = __builtin_shufflevector(odd, later_odd, 2, 3, 6, 7);
    memcpy(&out->columns[column][at], &c0, sizeof(c0));
    memcpy(&out->columns[column + 1][at], &c1, sizeof(c1));
    memcpy(&out->columns[column + 2][at], &c2, sizeof(c2));
    memcpy(&out->columns[column + 3][at], &c3, sizeof(c3));
}

/* Write 4 states to the columns, from number `at` of the run on. */
static inline void turn(const char *const *states, state_run *out, uint32_t at)
{
    turn_half(states, 0, out, at);
    turn_half(states, STATE_LANES, out, at);
}

#else

enum { STATE_LANES = 1 };

/* Write a state to the columns, at number `at` of the run. */
static inline void turn(const char *const *states, state_run *out, uint32_t at)
{
    for (uint32_t c = 0; c < STATE_COLUMNS; c++)
        memcpy(&out->columns[c][at], states[0] + c * sizeof(double), sizeof(double));
}

#endif

/* Read the run of listed slots from number `at` of `count` on. Places beyond them get the first of
 * these. */
static void read_run(const berth__basic_state *states, const uint32_t *listed, uint32_t at,
                     uint32_t count, state_run *out)
{
    for (uint32_t i = 0; i < BERTH__BASIC_RUN; i += STATE_LANES) {
        const char *own[STATE_LANES]; /* the bytes of states */
        for (uint32_t lane = 0; lane < STATE_LANES; lane++) {
            const uint32_t n = at + i + lane;
            own[lane] = (const char *)&states[listed[n < count ? n : at]];
        }
        turn(own, out, i);
    }
}

/* Read the evenness of a run, whose bits were moved as those of doubles. */
static void read_evenness(const state_run *run, int32_t *restrict evenness)
{
    for (uint32_t i = 0; i < BERTH__BASIC_RUN; i++) {
        int64_t bits;
        memcpy(&bits, &run->columns[STATE_EVENNESS][i], sizeof(bits));
        evenness[i] = (int32_t)bits;
    }
}

static void basic_listed(const berth__basic_state *states, bool invertible, const uint32_t *listed,
                         uint32_t count, const berth__basic_ask *ask, int32_t *totals)
{
    state_run run;
    int32_t evenness[BERTH__BASIC_RUN];
    const berth__basic_columns columns = {.cpu = run.columns[0],
                                          .cpu_used = run.columns[1],
                                          .cpu_nonzero = run.columns[2],
                                          .memory = run.columns[3],
                                          .memory_used = run.columns[4],
                                          .memory_nonzero = run.columns[5],
                                          .places = run.columns[6],
                                          .evenness = evenness,
                                          .invertible = invertible};
    for (uint32_t at = 0; at < count; at += BERTH__BASIC_RUN) {
        read_run(states, listed, at, count, &run);
        read_evenness(&run, evenness);
        basic(&columns, 0, BERTH__BASIC_RUN, ask, totals + at);
    }
}
