/* Scores the feasible nodes that a scan found: raw values, their ranges, normalization, totals, the
 * best total. */
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/error.h"
#include "scan/search_parts.h"

/* ---- active scorers ---- */

static bool is_active(const berth__search *search, uint32_t scorer)
{
    return search->scores.ranked[scorer].outcome == BERTH__ACTIVE;
}

static bool normalizes(const berth__search *search, uint32_t scorer)
{
    return is_active(search, scorer) &&
           search->decision.profile->scorers[scorer].plugin->normalize != BERTH__NORMALIZATION_NONE;
}

/* Whether a scorer must wait for the end of the walk. */
static bool is_late(const berth__search *search, uint32_t scorer)
{
    const berth__plugin_ops *plugin = search->decision.profile->scorers[scorer].plugin;
    return plugin->rank != NULL || (plugin->flags & BERTH__SCORES_LATE) != 0;
}

/* Raw values are kept only for normalizing scorers; their memory is allocated when one first
 * runs. */
static bool reserve_raw(berth__search *search, uint32_t scorer)
{
    if (!normalizes(search, scorer) || search->scores.raw[scorer] != NULL)
        return true;
    search->scores.raw[scorer] =
        berth__alloc(search->memory.allocator,
                     (size_t)search->memory.tile_capacity * BERTH__TILE * sizeof(int16_t), 64);
    return search->scores.raw[scorer] != NULL;
}

/* Mark the scorers that one kernel computes together, if both of its parts are present. */
static void plan_basic(berth__search *search)
{
    search->scores.basic_ask = (berth__basic_ask){.cpu = 0};
    for (uint32_t i = 0; i < search->decision.profile->scorer_count; i++) {
        const berth__stage *stage = &search->decision.profile->scorers[i];
        search->scores.runs[i].basic =
            is_active(search, i) && !search->decision.cycle->view->wide &&
            stage->plugin->basic_score != NULL && stage->weight <= BERTH__BASIC_WEIGHT_MAX &&
            stage->plugin->basic_score(search->decision.cycle, stage->instance,
                                       search->scores.ranked[i].state, (int32_t)stage->weight,
                                       &search->scores.basic_ask);
    }
    search->scores.basic =
        search->scores.basic_ask.least_weight != 0 && search->scores.basic_ask.balance_weight != 0;
    for (uint32_t i = 0; !search->scores.basic && i < search->decision.profile->scorer_count; i++)
        search->scores.runs[i].basic = false;
}

static void reset_workers(berth__search *search)
{
    for (uint32_t w = 0; w < search->crew.worker_count; w++) {
        search->scores.own[w].best = INT64_MIN;
        search->scores.own[w].best_count = 0;
        for (uint32_t i = 0; i < search->decision.profile->scorer_count; i++)
            search->scores.own[w].ranges[i] = BERTH__NO_RANGE;
    }
}

berth_status berth__search_begin_scores(berth__search *search)
{
    search->scores.best_in_walk = search->scores.in_walk;
    for (uint32_t i = 0; i < search->decision.profile->scorer_count; i++) {
        search->scores.ranked[i] = search->decision.prepared->scorers[i];
        if (!reserve_raw(search, i))
            return BERTH_E_NOMEM;
        if (is_active(search, i) && (is_late(search, i) || normalizes(search, i)))
            search->scores.best_in_walk = false;
    }
    plan_basic(search);
    reset_workers(search);
    return BERTH_OK;
}

static berth_status rank_one(berth__search *search, uint32_t scorer, berth__arena *arena)
{
    const berth__stage *stage = &search->decision.profile->scorers[scorer];
    berth__prepared_stage *ranked = &search->scores.ranked[scorer];
    ranked->reasons = (berth__reasons){.arena = arena, .ok = true};
    berth__prepare prepare = {.cycle = search->decision.cycle,
                              .instance = stage->instance,
                              .state = ranked->state,
                              .arena = arena,
                              .reasons = &ranked->reasons,
                              .ok = true};
    ranked->outcome =
        stage->plugin->rank(&prepare, search->answer.feasible, search->answer.feasible_count);
    ranked->uniform = prepare.uniform;
    ranked->small = prepare.small;
    return prepare.ok ? BERTH_OK : BERTH_E_NOMEM;
}

/* Whether a plugin that runs only at preScore has failed there; without any scorer preScore does
 * not run. */
static bool prepares_in_vain(const berth__search *search)
{
    const berth__ready_profile *profile = search->decision.profile;
    for (uint32_t i = profile->scorer_count; profile->ranks_nodes && i < profile->scorer_stages;
         i++)
        if (berth__search_scorer(search, i)->outcome == BERTH__FAIL)
            return true;
    return false;
}

/* Run the rank phases, then find which scorers take part. */
static berth_status rank(berth__search *search, berth__arena *arena)
{
    search->scores.constant =
        search->decision.profile->ranks_nodes ? 0 : 1; /* without scorers each node gets 1 */
    for (uint32_t i = 0; i < search->decision.profile->scorer_count; i++) {
        const berth__stage *stage = &search->decision.profile->scorers[i];
        const berth__prepared_stage *ranked = &search->scores.ranked[i];
        if (stage->plugin->rank != NULL && ranked->outcome == BERTH__ACTIVE)
            BERTH_TRY(rank_one(search, i, arena));
        if (ranked->outcome == BERTH__FAIL)
            return BERTH_E_INVALID;
        if (ranked->outcome == BERTH__UNIFORM)
            search->scores.constant += ranked->uniform * stage->weight;
    }
    return prepares_in_vain(search) ? BERTH_E_INVALID : BERTH_OK;
}

/* ---- raw values ---- */

static bool has_static_raw(const berth__search *search, uint32_t scorer, uint32_t tile)
{
    return search->scores.ranked[scorer].static_raw != NULL &&
           (search->decision.prepared->statics.ready[tile] & BERTH__STATIC_RAW) != 0;
}

/* The raw values of a tile; `scratch` has BERTH__TILE entries and may be the result. Slots outside
 * of the mask may have any value, but none is left unwritten, because all are summed. */
static const int64_t *raw_values(const berth__search *search, uint32_t scorer, uint32_t tile,
                                 const berth__mask *mask, int64_t *scratch)
{
    const berth__prepared_stage *ranked = &search->scores.ranked[scorer];
    const berth__stage *stage = &search->decision.profile->scorers[scorer];
    if (has_static_raw(search, scorer, tile))
        return ranked->static_raw + (size_t)tile * BERTH__TILE;
    if (berth__mask_count(mask) < BERTH__TILE)
        memset(scratch, 0, BERTH__TILE * sizeof(scratch[0]));
    stage->plugin->score(search->decision.cycle, stage->instance, ranked->state, tile, mask,
                         scratch);
    return scratch;
}

static void begin_totals(const berth__search *search, uint32_t tile, int64_t *total)
{
    const berth__view *view = search->decision.cycle->view;
    berth__tile *slots = view->tiles[tile];
    if (!search->scores.basic) {
        view->kernels->clear(total);
        return;
    }
    const berth__amount_columns columns = {
        .cpu = berth__tile_allocatable(slots, BERTH__CPU),
        .cpu_used = berth__tile_used(slots, BERTH__CPU),
        .cpu_nonzero = slots->nonzero_cpu,
        .memory = berth__tile_allocatable(slots, BERTH__MEMORY),
        .memory_used = berth__tile_used(slots, BERTH__MEMORY),
        .memory_nonzero = slots->nonzero_memory,
        .evenness = slots->evenness,
    };
    view->kernels->basic_scores(&columns, &search->scores.basic_ask, total);
}

/* Whether a scorer's two functions return the same values; used in assertions. */
__attribute__((unused)) static bool agree(const berth__search *search, uint32_t scorer,
                                          uint32_t tile, const berth__mask *mask,
                                          const int16_t *kept)
{
    _Alignas(64) int64_t scratch[BERTH__TILE];
    const int64_t *values = raw_values(search, scorer, tile, mask, scratch);
    BERTH__MASK_EACH(mask, s)
    {
        int64_t wanted = values[s] == BERTH__SCORE_IGNORED ? BERTH__NARROW_IGNORED : values[s];
        if (kept[s] != wanted)
            return false;
    }
    return true;
}

/* Keep a scorer's raw values, and extend the worker's range by them. */
static void keep_values(berth__search *search, uint32_t scorer, uint32_t tile,
                        const berth__mask *mask, berth__scorer_range *range)
{
    const berth__kernels *kernels = search->decision.cycle->view->kernels;
    const berth__stage *stage = &search->decision.profile->scorers[scorer];
    const berth__prepared_stage *ranked = &search->scores.ranked[scorer];
    int16_t *kept = search->scores.raw[scorer] + (size_t)tile * BERTH__TILE;
    _Alignas(64) int64_t scratch[BERTH__TILE];
    if (ranked->small && stage->plugin->score_kept != NULL &&
        !has_static_raw(search, scorer, tile)) {
        stage->plugin->score_kept(search->decision.cycle, stage->instance, ranked->state, tile,
                                  mask, kept);
        BERTH_DASSERT(agree(search, scorer, tile, mask, kept));
        kernels->widen_kept(kept, mask, &range->lowest, &range->highest);
    } else {
        kernels->narrow(raw_values(search, scorer, tile, mask, scratch), mask, kept, &range->lowest,
                        &range->highest);
    }
}

/* Add a scorer's values to the totals, or keep its raw values if it normalizes. */
static void take_values(berth__search *search, uint32_t scorer, uint32_t tile,
                        const berth__mask *mask, berth__search_worker *own)
{
    _Alignas(64) int64_t scratch[BERTH__TILE];
    if (normalizes(search, scorer))
        keep_values(search, scorer, tile, mask, &own->ranges[scorer]);
    else
        search->decision.cycle->view->kernels->accumulate(
            search->scores.totals + (size_t)tile * BERTH__TILE,
            raw_values(search, scorer, tile, mask, scratch),
            search->decision.profile->scorers[scorer].weight);
}

/* Run the scorers that need not wait for the end of the walk. */
static void score_early(berth__search *search, uint32_t tile, const berth__mask *mask,
                        berth__search_worker *own)
{
    if (berth__mask_empty(mask))
        return;
    if (search->decision.prepared->verdict.reused)
        berth__prepared_tile(&search->decision, tile);
    begin_totals(search, tile, search->scores.totals + (size_t)tile * BERTH__TILE);
    for (uint32_t i = 0; i < search->decision.profile->scorer_count; i++)
        if (is_active(search, i) && !is_late(search, i) && !search->scores.runs[i].basic)
            take_values(search, i, tile, mask, own);
}

static void score_late(berth__search *search, uint32_t tile, berth__search_worker *own)
{
    const berth__mask *mask = &search->answer.feasible[tile];
    if (berth__mask_empty(mask))
        return;
    for (uint32_t i = 0; i < search->decision.profile->scorer_count; i++)
        if (is_active(search, i) && is_late(search, i))
            take_values(search, i, tile, mask, own);
}

/* ---- normalizing ---- */

static void normalize_values(const berth__search *search, uint32_t scorer, const berth__mask *mask,
                             int64_t *values)
{
    berth__normalize(&search->decision.profile->scorers[scorer],
                     search->decision.cycle->view->kernels, &search->scores.own[0].ranges[scorer],
                     mask, values);
}

/* Whether all values that matter were kept unchanged. */
static bool is_narrow(const berth__scorer_range *range)
{
    return range->lowest >= -BERTH__NARROW_MAX && range->highest <= BERTH__NARROW_MAX;
}

/* Fill the scorer's table with what each raw value adds to a total; false if an entry does not fit.
 * Adds the largest entry to `*most`: sums over the entries of all tables must fit into 16 bits. */
static bool fill_table(berth__search *search, uint32_t scorer, const int64_t *values, int64_t *most)
{
    berth__scorer_run *run = &search->scores.runs[scorer];
    int64_t weight = search->decision.profile->scorers[scorer].weight, greatest = 0;
    for (uint32_t k = 0; k <= run->count; k++) {
        int64_t entry;
        if (__builtin_mul_overflow(weight, values[k], &entry) || entry < -INT16_MAX ||
            entry > INT16_MAX)
            return false;
        run->table[k] = (int16_t)entry;
        greatest = entry > greatest ? entry : -entry > greatest ? -entry : greatest;
    }
    if (*most + greatest > INT16_MAX)
        return false;
    *most += greatest;
    return true;
}

/* Raw values usually differ little, so each value is normalized once, not once for each node. */
static bool tabulate(berth__search *search, uint32_t scorer, int64_t *most)
{
    const berth__scorer_range *range = &search->scores.own[0].ranges[scorer];
    bool empty = range->lowest > range->highest;
    int64_t values[BERTH__TILE] = {0};
    if (!empty && (!is_narrow(range) || range->highest - range->lowest >= BERTH__FEW - 1))
        return false;
    uint32_t count = empty ? 0 : (uint32_t)(range->highest - range->lowest + 1);
    for (uint32_t k = 0; k < count; k++)
        values[k] = range->lowest + k;
    const berth__mask used = berth__mask_range(0, count);
    normalize_values(search, scorer, &used, values);
    values[count] = berth__normalize_ignored(&search->decision.profile->scorers[scorer], range);
    search->scores.runs[scorer].count = (uint16_t)count;
    return fill_table(search, scorer, values, most);
}

static void tabulate_all(berth__search *search)
{
    int64_t most = 0;
    search->scores.tabled_count = 0;
    for (uint32_t i = 0; i < search->decision.profile->scorer_count; i++) {
        berth__scorer_run *run = &search->scores.runs[i];
        run->tabled = normalizes(search, i) && tabulate(search, i, &most);
        if (run->tabled)
            search->scores.tabled[search->scores.tabled_count++] = (berth__narrow_part){
                .kept = search->scores.raw[i],
                .table = run->table,
                .lowest = run->count > 0 ? (int16_t)search->scores.own[0].ranges[i].lowest : 0,
                .count = run->count};
    }
}

static void add_tabled(const berth__search *search, uint32_t tile, int64_t *total)
{
    enum { AT_ONCE = 8 };
    berth__narrow_part parts[AT_ONCE];
    for (uint32_t first = 0; first < search->scores.tabled_count; first += AT_ONCE) {
        uint32_t count = 0;
        for (uint32_t i = first; i < search->scores.tabled_count && count < AT_ONCE; i++, count++) {
            parts[count] = search->scores.tabled[i];
            parts[count].kept += (size_t)tile * BERTH__TILE;
        }
        search->decision.cycle->view->kernels->add_parts(parts, count, total);
    }
}

/* Normalize the values themselves; values that were not kept are computed again. */
static void add_normalized(berth__search *search, uint32_t scorer, uint32_t tile, int64_t *total)
{
    const berth__kernels *kernels = search->decision.cycle->view->kernels;
    const berth__mask *mask = &search->answer.feasible[tile];
    _Alignas(64) int64_t values[BERTH__TILE], scratch[BERTH__TILE];
    if (is_narrow(&search->scores.own[0].ranges[scorer]))
        kernels->restore(search->scores.raw[scorer] + (size_t)tile * BERTH__TILE, values);
    else
        memcpy(values, raw_values(search, scorer, tile, mask, scratch), sizeof(values));
    normalize_values(search, scorer, mask, values);
    kernels->accumulate(total, values, search->decision.profile->scorers[scorer].weight);
}

static void normalize_tile(berth__search *search, uint32_t tile)
{
    int64_t *total = search->scores.totals + (size_t)tile * BERTH__TILE;
    add_tabled(search, tile, total);
    for (uint32_t i = 0; i < search->decision.profile->scorer_count; i++)
        if (normalizes(search, i) && !search->scores.runs[i].tabled)
            add_normalized(search, i, tile, total);
}

/* ---- the best ---- */

static void find_best(berth__search *search, uint32_t tile, const berth__mask *mask,
                      berth__search_worker *own)
{
    const int64_t *total = search->scores.totals + (size_t)tile * BERTH__TILE;
    int64_t best = INT64_MIN;
    uint32_t count = 0;
    if (!berth__mask_empty(mask))
        search->decision.cycle->view->kernels->best(total, mask, &best, &count);
    search->scores.tile_best[tile] = best;
    own->best_count = best > own->best    ? count
                      : best == own->best ? own->best_count + count
                                          : own->best_count;
    own->best = best > own->best ? best : own->best;
}

/* Combine the extremes of all workers in the first worker's ranges. */
static void reduce_ranges(berth__search *search)
{
    for (uint32_t w = 1; w < search->crew.worker_count; w++) {
        for (uint32_t i = 0; i < search->decision.profile->scorer_count; i++) {
            berth__scorer_range *all = &search->scores.own[0].ranges[i];
            const berth__scorer_range *one = &search->scores.own[w].ranges[i];
            all->lowest = one->lowest < all->lowest ? one->lowest : all->lowest;
            all->highest = one->highest > all->highest ? one->highest : all->highest;
        }
    }
}

static void reduce_best(berth__search *search)
{
    int64_t best = INT64_MIN;
    search->scores.best_count = 0;
    for (uint32_t w = 0; w < search->crew.worker_count; w++) {
        const berth__search_worker *own = &search->scores.own[w];
        if (own->best > best) {
            best = own->best;
            search->scores.best_count = own->best_count;
        } else if (own->best == best) {
            search->scores.best_count += own->best_count;
        }
    }
    search->scores.best = search->scores.best_count > 0 ? best + search->scores.constant : best;
}

/* ---- tiles ---- */

/* The number of tiles that the walk used, each counted once. */
static uint32_t used_tiles(const berth__search *search)
{
    uint32_t tiles = berth__search_layout(search)->tile_count;
    return search->answer.used_segments < tiles ? search->answer.used_segments : tiles;
}

/* Run `each` on the used tiles. If all tiles are used, each worker begins with the tiles near it;
 * otherwise tiles are taken in order, beginning where the search starts. */
typedef struct tile_run {
    berth__search *search;
    void (*each)(berth__search *search, uint32_t tile, berth__search_worker *own);
    uint32_t first_tile;
} tile_run;

static void tile_job(void *context, uint32_t worker)
{
    const tile_run *run = context;
    berth__search *search = run->search;
    uint32_t tiles = berth__search_layout(search)->tile_count, first, last;
    uint32_t group = berth__search_group_of(search, worker);
    while (berth__shares_take(&search->crew.shares, group, &first, &last))
        for (uint32_t i = first; i < last; i++)
            run->each(search, (run->first_tile + i) % tiles, &search->scores.own[worker]);
}

static void run_tiles(berth__search *search,
                      void (*each)(berth__search *, uint32_t, berth__search_worker *))
{
    uint32_t used = used_tiles(search), groups = berth__search_groups(search);
    bool local = groups > 1 && used == berth__search_layout(search)->tile_count;
    tile_run run = {search, each, local ? 0 : search->range.start / BERTH__TILE};
    berth__shares_start(&search->crew.shares, used, local ? groups : 1, BERTH__SLICE_SEGMENTS);
    if (search->crew.worker_count > 1 && used >= BERTH__PARALLEL_SEGMENTS)
        berth__workers_run(search->crew.workers, tile_job, &run);
    else
        tile_job(&run, 0);
}

static void score_all(berth__search *search, uint32_t tile, berth__search_worker *own)
{
    score_early(search, tile, &search->answer.feasible[tile], own);
    score_late(search, tile, own);
}

static void normalize_and_find(berth__search *search, uint32_t tile, berth__search_worker *own)
{
    const berth__mask *mask = &search->answer.feasible[tile];
    if (!berth__mask_empty(mask))
        normalize_tile(search, tile);
    find_best(search, tile, mask, own);
}

void berth__search_score_found(berth__search *search, uint32_t tile, const berth__mask *found,
                               berth__search_worker *own)
{
    if (tile == berth__search_split_tile(search))
        return;
    score_early(search, tile, found, own);
    if (search->scores.best_in_walk)
        find_best(search, tile, found, own);
}

/* Score what the walk has not scored. */
static void score_rest(berth__search *search)
{
    uint32_t split = berth__search_split_tile(search);
    if (!search->scores.in_walk) {
        run_tiles(search, score_all);
        return;
    }
    if (split != UINT32_MAX)
        score_early(search, split, &search->answer.feasible[split], &search->scores.own[0]);
    for (uint32_t i = 0; i < search->decision.profile->scorer_count; i++)
        if (is_active(search, i) && is_late(search, i)) {
            run_tiles(search, score_late);
            return;
        }
}

berth_status berth__search_score(berth__search *search, berth__arena *arena)
{
    BERTH_TRY(rank(search, arena));
    score_rest(search);
    reduce_ranges(search);
    tabulate_all(search);
    uint32_t split = berth__search_split_tile(search);
    if (!search->scores.best_in_walk)
        run_tiles(search, normalize_and_find);
    else if (split != UINT32_MAX)
        find_best(search, split, &search->answer.feasible[split], &search->scores.own[0]);
    reduce_best(search);
    return BERTH_OK;
}

void berth__search_add(berth__search *search, const uint32_t *slots, const int64_t *values,
                       uint32_t count)
{
    const uint32_t used = used_tiles(search), tiles = berth__search_layout(search)->tile_count;
    for (uint32_t i = 0; i < count; i++)
        search->scores.totals[slots[i]] =
            (int64_t)((uint64_t)search->scores.totals[slots[i]] + (uint64_t)values[i]);
    for (uint32_t w = 0; w < search->crew.worker_count; w++) {
        search->scores.own[w].best = INT64_MIN;
        search->scores.own[w].best_count = 0;
    }
    for (uint32_t i = 0; i < used; i++) {
        const uint32_t tile = (search->range.start / BERTH__TILE + i) % tiles;
        find_best(search, tile, &search->answer.feasible[tile], &search->scores.own[0]);
    }
    reduce_best(search);
}

void berth__search_scorer_values(const berth__search *search, uint32_t scorer, uint32_t tile,
                                 int64_t *out, int64_t *raw)
{
    const berth__stage *stage = &search->decision.profile->scorers[scorer];
    const berth__prepared_stage *ranked = &search->scores.ranked[scorer];
    const berth__mask *mask = &search->answer.feasible[tile];
    if (ranked->outcome == BERTH__UNIFORM) {
        for (uint32_t s = 0; s < BERTH__TILE; s++) {
            out[s] = ranked->uniform;
            raw[s] = BERTH__SCORE_IGNORED;
        }
    } else {
        _Alignas(64) int64_t scratch[BERTH__TILE];
        memcpy(raw, raw_values(search, scorer, tile, mask, scratch), sizeof(scratch));
        memcpy(out, raw, sizeof(scratch));
        normalize_values(search, scorer, mask, out);
    }
    BERTH__MASK_EACH(mask, s)
    {
        out[s] *= stage->weight;
    }
}
