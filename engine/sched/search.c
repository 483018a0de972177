/* Walking, cutting, scoring, reducing. */
#include "sched/search.h"

#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/error.h"

enum {
    /* Walks over fewer segments than this stay on the calling thread: below it, waking workers costs
     * more than they save (bench: 100 to 200 ns a segment, a few microseconds a round of workers). */
    PARALLEL_SEGMENTS = 96,
    SLICE_SEGMENTS = BERTH__HOME_TILES,
};

void berth__search_init(berth__search *search, const berth_allocator *allocator,
                        berth__workers *workers, uint32_t worker_count)
{
    memset(search, 0, sizeof(*search));
    search->allocator = allocator;
    search->workers = workers;
    search->worker_count = worker_count;
}

/* ---- memory ---- */

static void free_memory(berth__search *search)
{
    const berth_allocator *allocator = search->allocator;
    size_t tiles = search->tile_capacity, scorers = search->scorer_capacity;
    berth__free(allocator, search->found, (tiles + 1) * sizeof(berth__mask));
    berth__free(allocator, search->visited, (tiles + 1) * sizeof(berth__mask));
    berth__free(allocator, search->feasible, tiles * sizeof(berth__mask));
    berth__free(allocator, search->totals, tiles * BERTH__TILE * sizeof(int64_t));
    berth__free(allocator, search->tile_best, tiles * sizeof(int64_t));
    for (size_t i = 0; search->raw != NULL && i < scorers; i++)
        berth__free(allocator, search->raw[i], tiles * BERTH__TILE * sizeof(int64_t));
    berth__free(allocator, search->raw, scorers * sizeof(*search->raw));
    berth__free(allocator, search->ranked, scorers * sizeof(*search->ranked));
    berth__free(allocator, search->tables, scorers * sizeof(*search->tables));
    for (uint32_t w = 0; search->own != NULL && w < search->worker_count; w++)
        berth__free(allocator, search->own[w].ranges, scorers * sizeof(berth__scorer_range));
    berth__free(allocator, search->own, search->worker_count * sizeof(*search->own));
}

void berth__search_destroy(berth__search *search)
{
    free_memory(search);
    memset(search, 0, sizeof(*search));
}

static bool allocate(berth__search *search, uint32_t tiles, uint32_t scorers)
{
    const berth_allocator *allocator = search->allocator;
    berth__search fresh;
    berth__search_init(&fresh, allocator, search->workers, search->worker_count);
    fresh.tile_capacity = tiles;
    fresh.scorer_capacity = scorers;
    fresh.found = berth__alloc(allocator, ((size_t)tiles + 1) * sizeof(berth__mask), 64);
    fresh.visited = berth__alloc(allocator, ((size_t)tiles + 1) * sizeof(berth__mask), 64);
    fresh.feasible = berth__alloc(allocator, tiles * sizeof(berth__mask), 64);
    fresh.totals = berth__alloc(allocator, (size_t)tiles * BERTH__TILE * sizeof(int64_t), 64);
    fresh.tile_best = berth__alloc(allocator, tiles * sizeof(int64_t), 64);
    fresh.raw = berth__alloc_zero(allocator, scorers * sizeof(*fresh.raw), 64);
    fresh.ranked = berth__alloc_zero(allocator, scorers * sizeof(*fresh.ranked), 64);
    fresh.tables = berth__alloc_zero(allocator, scorers * sizeof(*fresh.tables), 64);
    fresh.own = berth__alloc_zero(allocator, fresh.worker_count * sizeof(*fresh.own), 64);
    bool ok = fresh.found != NULL && fresh.visited != NULL && fresh.feasible != NULL &&
              fresh.totals != NULL && fresh.tile_best != NULL && fresh.raw != NULL &&
              fresh.ranked != NULL && fresh.tables != NULL && fresh.own != NULL;
    for (uint32_t w = 0; ok && w < fresh.worker_count; w++) {
        fresh.own[w].ranges = berth__alloc(allocator, scorers * sizeof(berth__scorer_range), 64);
        ok = fresh.own[w].ranges != NULL;
    }
    if (!ok) {
        free_memory(&fresh);
        return false;
    }
    free_memory(search);
    *search = fresh;
    return true;
}

static bool reserve(berth__search *search, uint32_t tiles, uint32_t scorers)
{
    if (tiles <= search->tile_capacity && scorers <= search->scorer_capacity)
        return true;
    if (tiles < search->tile_capacity)
        tiles = search->tile_capacity;
    if (scorers < search->scorer_capacity)
        scorers = search->scorer_capacity;
    return allocate(search, tiles, scorers);
}

/* Raw values are kept only for scorers that normalize, so memory for them comes when one runs. */
static bool reserve_raw(berth__search *search, uint32_t scorer)
{
    if (search->raw[scorer] == NULL)
        search->raw[scorer] = berth__alloc(
            search->allocator, (size_t)search->tile_capacity * BERTH__TILE * sizeof(int64_t), 64);
    return search->raw[scorer] != NULL;
}

/* ---- the walk ---- */

static const berth__layout *layout_of(const berth__search *search)
{
    return search->cycle->view->layout;
}

uint32_t berth__search_segment(const berth__search *search, uint32_t segment, berth__mask *slots)
{
    const berth__layout *layout = layout_of(search);
    uint32_t first = search->start / BERTH__TILE, offset = search->start % BERTH__TILE;
    uint32_t tile = first + segment;
    if (tile >= layout->tile_count)
        tile -= layout->tile_count;
    uint32_t end = layout->count - tile * BERTH__TILE;
    if (end > BERTH__TILE)
        end = BERTH__TILE;
    uint32_t begin = segment == 0 ? offset : 0;
    if (segment == layout->tile_count) /* the head of the tile that the walk began in */
        end = offset;
    *slots = berth__mask_range(begin, end);
    const uint64_t *allowed = search->prepared->allowed;
    for (uint32_t w = 0; allowed != NULL && w < BERTH__TILE_WORDS; w++)
        slots->words[w] &= allowed[(size_t)tile * BERTH__TILE_WORDS + w];
    return tile;
}

/* The candidates of one segment that pass every filter. */
static inline __attribute__((always_inline)) berth__mask filter_segment(berth__search *search,
                                                                        uint32_t segment)
{
    berth__mask mask;
    uint32_t tile = berth__search_segment(search, segment, &mask);
    const berth__profile *profile = search->profile;
    berth__prepared_mask(search->prepared, search->cycle, profile, tile);
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        mask.words[w] &= search->prepared->static_mask[tile].words[w];
    const berth__layout *layout = layout_of(search);
    for (uint32_t w = 0; layout->closed_count > 0 && w < BERTH__TILE_WORDS; w++)
        mask.words[w] &= ~layout->closed[(size_t)tile * BERTH__TILE_WORDS + w];
    for (uint32_t i = 0; i < profile->filter_count && !berth__mask_empty(&mask); i++) {
        const berth__stage *stage = &profile->filters[i];
        if (search->prepared->filters[i].outcome == BERTH__ACTIVE &&
            (stage->plugin->flags & BERTH__STATIC_FILTER) == 0)
            stage->plugin->filter(search->cycle, stage->instance,
                                  search->prepared->filters[i].state, tile, &mask);
    }
    return mask;
}

static void filter_job(void *context, uint32_t worker)
{
    (void)worker;
    berth__search *search = context;
    while (atomic_load_explicit(&search->count, memory_order_relaxed) <= search->limit) {
        uint32_t slice = atomic_fetch_add_explicit(&search->ticket, 1, memory_order_relaxed);
        uint32_t first = slice * search->slice_segments;
        if (first >= search->segment_count)
            return;
        uint32_t last = first + search->slice_segments;
        if (last > search->segment_count)
            last = search->segment_count;
        uint32_t count = 0;
        for (uint32_t segment = first; segment < last; segment++) {
            search->found[segment] = filter_segment(search, segment);
            count += berth__mask_count(&search->found[segment]);
        }
        atomic_fetch_add_explicit(&search->count, count, memory_order_relaxed);
    }
}

static uint32_t groups_of(const berth__search *search)
{
    return search->worker_count > 1 ? berth__workers_groups(search->workers) : 1;
}

static uint32_t group_of(const berth__search *search, uint32_t worker)
{
    return search->worker_count > 1 ? berth__workers_group_of(search->workers, worker) : 0;
}

/* A walk that cannot be cut short: tiles in any order, each worker those near it first. The head of the
 * start tile, which is the last segment, is left out. */
static void filter_all_job(void *context, uint32_t worker)
{
    berth__search *search = context;
    uint32_t tiles = layout_of(search)->tile_count, start = search->start / BERTH__TILE;
    uint32_t group = group_of(search, worker), first, last;
    while (berth__shares_take(&search->shares, group, &first, &last)) {
        uint32_t count = 0;
        for (uint32_t tile = first; tile < last; tile++) {
            uint32_t segment = tile >= start ? tile - start : tile + tiles - start;
            search->found[segment] = filter_segment(search, segment);
            count += berth__mask_count(&search->found[segment]);
        }
        atomic_fetch_add_explicit(&search->count, count, memory_order_relaxed);
    }
}

static void filter_all(berth__search *search)
{
    uint32_t tiles = layout_of(search)->tile_count;
    berth__shares_start(&search->shares, tiles, groups_of(search), SLICE_SEGMENTS);
    berth__workers_run(search->workers, filter_all_job, search);
    if (search->segment_count > tiles) {
        search->found[tiles] = filter_segment(search, tiles);
        atomic_fetch_add_explicit(&search->count, berth__mask_count(&search->found[tiles]),
                                  memory_order_relaxed);
    }
    atomic_store_explicit(&search->ticket, search->segment_count, memory_order_relaxed);
}

static bool is_parallel(const berth__search *search)
{
    return search->worker_count > 1 && search->segment_count >= PARALLEL_SEGMENTS;
}

/* Go on until more than `limit` are found or the walk ends. */
static void run_filter(berth__search *search)
{
    if (is_parallel(search))
        berth__workers_run(search->workers, filter_job, search);
    else
        filter_job(search, 0);
}

/* The start tile lies in two segments, which may go to two workers: its statics are made beforehand. */
static void start_filter(berth__search *search)
{
    atomic_store_explicit(&search->ticket, 0, memory_order_relaxed);
    atomic_store_explicit(&search->count, 0, memory_order_relaxed);
    search->slice_segments = is_parallel(search) ? SLICE_SEGMENTS : 1;
    if (is_parallel(search))
        berth__prepared_mask(search->prepared, search->cycle, search->profile,
                             search->start / BERTH__TILE);
    if (is_parallel(search) && search->limit >= layout_of(search)->count &&
        groups_of(search) > 1)
        filter_all(search);
    else
        run_filter(search);
}

static uint32_t taken_segments(const berth__search *search)
{
    uint32_t taken = atomic_load_explicit(&search->ticket, memory_order_relaxed) *
                     search->slice_segments;
    return taken < search->segment_count ? taken : search->segment_count;
}

/* Nodes kept for nominated pods: take back those of the segments that would not fit with these pods
 * there. What-ifs change the view for a moment, so they wait until no worker reads it. */
static berth_status withdraw(berth__search *search, uint32_t first, uint32_t last)
{
    for (uint32_t segment = first; segment < last; segment++) {
        uint32_t tile = (search->start / BERTH__TILE + segment) % layout_of(search)->tile_count;
        const berth__mask found = search->found[segment];
        BERTH__MASK_EACH(&found, s)
        {
            berth__kept_verdict kept;
            BERTH_TRY(berth__dry_run_kept(search->dry_run, tile * BERTH__TILE + s, &kept));
            if (kept == BERTH__KEPT_PLAIN || kept == BERTH__KEPT_PASSES)
                continue;
            berth__bit_clear(search->found[segment].words, s);
            atomic_fetch_sub_explicit(&search->count, 1, memory_order_relaxed);
        }
    }
    return BERTH_OK;
}

/* The walk stops when more than `limit` nodes are found; where some are taken back, it goes on. */
static berth_status filter_nominated(berth__search *search)
{
    uint32_t first = 0, last = taken_segments(search);
    while (first < last) {
        BERTH_TRY(withdraw(search, first, last));
        if (atomic_load_explicit(&search->count, memory_order_relaxed) <= search->limit)
            run_filter(search);
        first = last;
        last = taken_segments(search);
    }
    return BERTH_OK;
}

/* Drop the slots of `mask` from the n-th set one (from 0) on, and return that slot. */
static uint32_t cut_mask(berth__mask *mask, uint32_t n)
{
    uint32_t low = (uint32_t)__builtin_popcountll(mask->words[0]);
    uint32_t at = n < low ? berth__nth_bit(mask->words[0], n)
                          : 64 + berth__nth_bit(mask->words[1], n - low);
    berth__mask before = berth__mask_range(0, at);
    mask->words[0] &= before.words[0];
    mask->words[1] &= before.words[1];
    return at;
}

/* Keep the first `limit` feasible nodes; the node after them is where the next search begins. */
static void cut(berth__search *search)
{
    uint32_t taken = taken_segments(search), feasible = 0, visited = 0, segment = 0;
    bool full = false;
    for (; segment < taken && !full; segment++) {
        uint32_t tile = berth__search_segment(search, segment, &search->visited[segment]);
        (void)tile;
        berth__mask *found = &search->found[segment];
        uint32_t count = berth__mask_count(found);
        full = feasible + count > search->limit;
        if (full) {
            uint32_t at = cut_mask(found, search->limit - feasible);
            berth__mask before = berth__mask_range(0, at);
            search->visited[segment].words[0] &= before.words[0];
            search->visited[segment].words[1] &= before.words[1];
            count = search->limit - feasible;
        }
        feasible += count;
        visited += berth__mask_count(&search->visited[segment]);
    }
    search->used_segments = segment;
    search->feasible_count = feasible;
    search->visited_count = visited;
    search->cut_short = full;
}

static void merge_segments(berth__search *search)
{
    const berth__layout *layout = layout_of(search);
    memset(search->feasible, 0, layout->tile_count * sizeof(*search->feasible));
    uint32_t tile = search->start / BERTH__TILE;
    for (uint32_t segment = 0; segment < search->used_segments; segment++) {
        for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
            search->feasible[tile].words[w] |= search->found[segment].words[w];
        tile = tile + 1 == layout->tile_count ? 0 : tile + 1;
    }
}

static uint32_t allowed_count(const berth__search *search, uint32_t before)
{
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < before; slot++)
        count += berth__bit_get(search->prepared->allowed, slot);
    return count;
}

/* With an allow-list the walk goes over its nodes alone: the rotation index counts into that list. */
static uint32_t allowed_start(const berth__search *search, uint32_t candidates, uint32_t start)
{
    uint32_t wanted = candidates > 0 ? start % candidates : 0;
    for (uint32_t slot = 0; slot < layout_of(search)->count; slot++)
        if (berth__bit_get(search->prepared->allowed, slot) && wanted-- == 0)
            return slot;
    return 0;
}

static berth_status begin(berth__search *search, const berth__cycle *cycle,
                          const berth__profile *profile, berth__prepared *prepared)
{
    if (!reserve(search, cycle->view->layout->tile_count, profile->scorer_count))
        return BERTH_E_NOMEM;
    search->cycle = cycle;
    search->profile = profile;
    search->prepared = prepared;
    search->dry_run = NULL;
    search->refused_slot = BERTH__SLOT_NONE;
    return BERTH_OK;
}

static berth_status walk(berth__search *search, uint32_t start, uint32_t limit)
{
    search->start = start;
    search->limit = limit;
    search->segment_count = layout_of(search)->tile_count + (start % BERTH__TILE != 0);
    start_filter(search);
    if (search->dry_run != NULL)
        BERTH_TRY(filter_nominated(search));
    cut(search);
    merge_segments(search);
    return BERTH_OK;
}

static bool was_visited(const berth__search *search, uint32_t slot)
{
    for (uint32_t segment = 0; segment < search->used_segments; segment++) {
        berth__mask slots;
        if (berth__search_segment(search, segment, &slots) == slot / BERTH__TILE &&
            berth__bit_get(search->visited[segment].words, slot % BERTH__TILE))
            return true;
    }
    return false;
}

static berth_status walk_in_rotation(berth__search *search, uint32_t start)
{
    const berth__layout *layout = layout_of(search);
    const berth__profile *profile = search->profile;
    uint32_t rotation = start % layout->count, candidates = layout->count, first = rotation;
    if (search->prepared->allowed != NULL) {
        candidates = allowed_count(search, layout->count);
        first = allowed_start(search, candidates, start);
    }
    BERTH_TRY(walk(search, first, berth__profile_limit(profile, candidates)));
    /* v1.15's iterator has already moved past the node that is discarded. */
    uint64_t passed = search->visited_count +
                      (search->cut_short && profile->era == BERTH_ERA_V1ALPHA1);
    if (search->refused_slot != BERTH__SLOT_NONE && !was_visited(search, search->refused_slot))
        passed++;
    search->next = (uint32_t)((rotation + passed) % layout->count);
    return BERTH_OK;
}

berth_status berth__search_filter(berth__search *search, const berth__cycle *cycle,
                                  const berth__profile *profile, berth__prepared *prepared,
                                  uint32_t start)
{
    BERTH_TRY(begin(search, cycle, profile, prepared));
    return walk_in_rotation(search, start);
}

/* The answer is this one slot. The rotation stands still. */
static void answer_alone(berth__search *search, uint32_t slot, uint32_t start)
{
    uint32_t at = slot % BERTH__TILE;
    search->start = slot;
    search->segment_count = search->used_segments = 1;
    search->found[0] = search->visited[0] = berth__mask_range(at, at + 1);
    search->feasible_count = search->visited_count = 1;
    search->cut_short = false;
    search->next = start;
    merge_segments(search);
}

berth_status berth__search_nominated(berth__search *search, const berth__cycle *cycle,
                                     const berth__profile *profile, berth__prepared *prepared,
                                     uint32_t start, berth__dry_run *dry_run, uint32_t own_slot)
{
    BERTH_TRY(begin(search, cycle, profile, prepared));
    search->dry_run = dry_run;
    if (own_slot != BERTH__SLOT_NONE) {
        BERTH_TRY(berth__dry_run_begin(dry_run, own_slot));
        bool passes = !berth__layout_closed(layout_of(search), own_slot) &&
                      berth__dry_run_passes(dry_run, NULL);
        BERTH_TRY(berth__dry_run_end(dry_run));
        if (passes) {
            answer_alone(search, own_slot, start);
            return BERTH_OK;
        }
        search->refused_slot = own_slot;
    }
    return walk_in_rotation(search, start);
}

berth_status berth__search_all(berth__search *search, const berth__cycle *cycle,
                               const berth__profile *profile, berth__prepared *prepared)
{
    BERTH_TRY(begin(search, cycle, profile, prepared));
    return walk(search, 0, layout_of(search)->count);
}

/* ---- scores ---- */

static int64_t score_max(const berth__stage *stage)
{
    return stage->plugin->score_max != 0 ? stage->plugin->score_max : BERTH__SCORE_MAX;
}

static bool normalizes(const berth__search *search, uint32_t scorer)
{
    return search->ranked[scorer].outcome == BERTH__ACTIVE &&
           search->profile->scorers[scorer].plugin->normalize != BERTH__NORMALIZE_NONE;
}

/* Which scorers take part, after those that look at the feasible nodes have done so. */
static berth_status rank(berth__search *search, berth__arena *arena, bool *any_normalizes)
{
    search->constant = search->profile->ranks_nodes ? 0 : 1; /* nobody scores: 1 for each node */
    *any_normalizes = false;
    for (uint32_t i = 0; i < search->profile->scorer_count; i++) {
        const berth__stage *stage = &search->profile->scorers[i];
        berth__prepared_stage *ranked = &search->ranked[i];
        *ranked = search->prepared->scorers[i];
        if (stage->plugin->rank != NULL && ranked->outcome == BERTH__ACTIVE) {
            ranked->reasons = (berth__reasons){.arena = arena, .ok = true};
            berth__prepare prepare = {.cycle = search->cycle,
                                      .instance = stage->instance,
                                      .state = ranked->state,
                                      .arena = arena,
                                      .reasons = &ranked->reasons,
                                      .ok = true};
            ranked->outcome =
                stage->plugin->rank(&prepare, search->feasible, search->feasible_count);
            ranked->uniform = prepare.uniform;
            if (!prepare.ok)
                return BERTH_E_NOMEM;
        }
        if (ranked->outcome == BERTH__FAIL)
            return BERTH_E_INVALID;
        if (ranked->outcome == BERTH__UNIFORM)
            search->constant += ranked->uniform * stage->weight;
        if (normalizes(search, i)) {
            *any_normalizes = true;
            if (!reserve_raw(search, i))
                return BERTH_E_NOMEM;
        }
    }
    return BERTH_OK;
}

static void raw_values(const berth__search *search, uint32_t scorer, uint32_t tile, int64_t *out)
{
    const berth__prepared_stage *ranked = &search->ranked[scorer];
    const berth__stage *stage = &search->profile->scorers[scorer];
    if (ranked->static_raw != NULL &&
        (search->prepared->ready[tile] & BERTH__STATIC_RAW) != 0)
        memcpy(out, ranked->static_raw + (size_t)tile * BERTH__TILE,
               BERTH__TILE * sizeof(*out));
    else
        stage->plugin->score(search->cycle, stage->instance, ranked->state, tile,
                             &search->feasible[tile], out);
}

static int64_t normalized(int64_t value, int64_t highest, int64_t max, bool reversed)
{
    int64_t scaled = highest > 0 ? max * value / highest : value;
    return !reversed ? scaled : highest > 0 ? max - scaled : max;
}

static void normalize_max(int64_t *values, const berth__mask *mask,
                          const berth__scorer_range *range, int64_t max, bool reversed)
{
    BERTH__MASK_EACH(mask, s)
    {
        values[s] = normalized(values[s], range->highest, max, reversed);
    }
}

/* A division for each node is most of the cost, so that few different values are divided once each. */
static void tabulate(berth__search *search, uint32_t scorer)
{
    const berth__stage *stage = &search->profile->scorers[scorer];
    const berth__scorer_range *range = &search->own[0].ranges[scorer];
    berth__normalize how = stage->plugin->normalize;
    berth__score_table *table = &search->tables[scorer];
    table->known = (how == BERTH__NORMALIZE_MAX || how == BERTH__NORMALIZE_MAX_REVERSED) &&
                   range->lowest >= 0 && range->highest < BERTH__FEW;
    for (int64_t value = 0; table->known && value <= range->highest; value++)
        table->parts[value] = stage->weight * normalized(value, range->highest, score_max(stage),
                                                         how == BERTH__NORMALIZE_MAX_REVERSED);
}

static void normalize_values(const berth__search *search, uint32_t scorer, uint32_t tile,
                             const berth__scorer_range *range, int64_t *values)
{
    const berth__stage *stage = &search->profile->scorers[scorer];
    const berth__mask *mask = &search->feasible[tile];
    switch (stage->plugin->normalize) {
    case BERTH__NORMALIZE_NONE:
        break;
    case BERTH__NORMALIZE_MAX:
        normalize_max(values, mask, range, score_max(stage), false);
        break;
    case BERTH__NORMALIZE_MAX_REVERSED:
        normalize_max(values, mask, range, score_max(stage), true);
        break;
    case BERTH__NORMALIZE_OWN:
        stage->plugin->normalize_own(search->cycle, stage->instance, search->ranked[scorer].state,
                                     range->lowest, range->highest, tile, mask, values);
        break;
    }
}

/* Sums of the scorers that need no normalization, raw values of those that do. */
static void score_tile(berth__search *search, uint32_t tile, berth__search_worker *own)
{
    int64_t *total = search->totals + (size_t)tile * BERTH__TILE;
    _Alignas(64) int64_t values[BERTH__TILE];
    if (search->prepared->reused)
        berth__prepared_tile(search->prepared, search->cycle, search->profile, tile);
    for (uint32_t s = 0; s < BERTH__TILE; s++)
        total[s] = search->constant;
    for (uint32_t i = 0; i < search->profile->scorer_count; i++) {
        if (search->ranked[i].outcome != BERTH__ACTIVE)
            continue;
        if (normalizes(search, i)) {
            int64_t *raw = search->raw[i] + (size_t)tile * BERTH__TILE;
            raw_values(search, i, tile, raw);
            search->cycle->view->kernels->widen(raw, &search->feasible[tile],
                                                &own->ranges[i].lowest, &own->ranges[i].highest);
        } else {
            raw_values(search, i, tile, values);
            search->cycle->view->kernels->accumulate(total, values,
                                                     search->profile->scorers[i].weight);
        }
    }
}

static void find_best(berth__search *search, uint32_t tile, berth__search_worker *own)
{
    const int64_t *total = search->totals + (size_t)tile * BERTH__TILE;
    int64_t best;
    uint32_t count;
    search->cycle->view->kernels->best(total, &search->feasible[tile], &best, &count);
    search->tile_best[tile] = best;
    if (count == 0)
        return;
    own->best_count = best > own->best   ? count
                      : best == own->best ? own->best_count + count
                                          : own->best_count;
    own->best = best > own->best ? best : own->best;
}

static void normalize_tile(berth__search *search, uint32_t tile)
{
    const berth__kernels *kernels = search->cycle->view->kernels;
    int64_t *total = search->totals + (size_t)tile * BERTH__TILE;
    for (uint32_t i = 0; i < search->profile->scorer_count; i++) {
        if (!normalizes(search, i))
            continue;
        int64_t *raw = search->raw[i] + (size_t)tile * BERTH__TILE;
        if (search->tables[i].known) {
            kernels->add_looked_up(search->tables[i].parts, raw, total);
            continue;
        }
        normalize_values(search, i, tile, &search->own[0].ranges[i], raw);
        kernels->accumulate(total, raw, search->profile->scorers[i].weight);
    }
}

/* Tiles that the walk used, each once. */
static uint32_t used_tiles(const berth__search *search)
{
    uint32_t tiles = layout_of(search)->tile_count;
    return search->used_segments < tiles ? search->used_segments : tiles;
}

/* Run `each` on the used tiles. Where all are used, each worker begins with those near it; else they are
 * taken from the start on. */
typedef struct tile_run {
    berth__search *search;
    void (*each)(berth__search *search, uint32_t tile, berth__search_worker *own);
    uint32_t first_tile;
} tile_run;

static void tile_job(void *context, uint32_t worker)
{
    const tile_run *run = context;
    berth__search *search = run->search;
    uint32_t tiles = layout_of(search)->tile_count, first, last;
    uint32_t group = group_of(search, worker);
    while (berth__shares_take(&search->shares, group, &first, &last))
        for (uint32_t i = first; i < last; i++)
            run->each(search, (run->first_tile + i) % tiles, &search->own[worker]);
}

static void run_tiles(berth__search *search,
                      void (*each)(berth__search *, uint32_t, berth__search_worker *))
{
    uint32_t used = used_tiles(search), groups = groups_of(search);
    bool local = groups > 1 && used == layout_of(search)->tile_count;
    tile_run run = {search, each, local ? 0 : search->start / BERTH__TILE};
    berth__shares_start(&search->shares, used, local ? groups : 1, SLICE_SEGMENTS);
    if (search->worker_count > 1 && used >= PARALLEL_SEGMENTS)
        berth__workers_run(search->workers, tile_job, &run);
    else
        tile_job(&run, 0);
}

static void score_and_find(berth__search *search, uint32_t tile, berth__search_worker *own)
{
    score_tile(search, tile, own);
    find_best(search, tile, own);
}

static void normalize_and_find(berth__search *search, uint32_t tile, berth__search_worker *own)
{
    normalize_tile(search, tile);
    find_best(search, tile, own);
}

static void reset_workers(berth__search *search)
{
    for (uint32_t w = 0; w < search->worker_count; w++) {
        search->own[w].best = INT64_MIN;
        search->own[w].best_count = 0;
        for (uint32_t i = 0; i < search->profile->scorer_count; i++)
            search->own[w].ranges[i] = (berth__scorer_range){INT64_MAX, INT64_MIN};
    }
}

/* Extremes over all workers, into the first worker's. */
static void reduce_ranges(berth__search *search)
{
    for (uint32_t w = 1; w < search->worker_count; w++) {
        for (uint32_t i = 0; i < search->profile->scorer_count; i++) {
            berth__scorer_range *all = &search->own[0].ranges[i];
            const berth__scorer_range *one = &search->own[w].ranges[i];
            all->lowest = one->lowest < all->lowest ? one->lowest : all->lowest;
            all->highest = one->highest > all->highest ? one->highest : all->highest;
        }
    }
}

static void reduce_best(berth__search *search)
{
    search->best = INT64_MIN;
    search->best_count = 0;
    for (uint32_t w = 0; w < search->worker_count; w++) {
        const berth__search_worker *own = &search->own[w];
        if (own->best > search->best) {
            search->best = own->best;
            search->best_count = own->best_count;
        } else if (own->best == search->best) {
            search->best_count += own->best_count;
        }
    }
}

berth_status berth__search_score(berth__search *search, berth__arena *arena)
{
    bool any_normalizes;
    berth_status status = rank(search, arena, &any_normalizes);
    if (status != BERTH_OK)
        return status;
    reset_workers(search);
    if (any_normalizes) {
        run_tiles(search, score_tile);
        reduce_ranges(search);
        for (uint32_t i = 0; i < search->profile->scorer_count; i++)
            if (normalizes(search, i))
                tabulate(search, i);
        run_tiles(search, normalize_and_find);
    } else {
        run_tiles(search, score_and_find);
    }
    reduce_best(search);
    return BERTH_OK;
}

void berth__search_scorer_values(const berth__search *search, uint32_t scorer, uint32_t tile,
                                 int64_t *out)
{
    const berth__stage *stage = &search->profile->scorers[scorer];
    const berth__prepared_stage *ranked = &search->ranked[scorer];
    if (ranked->outcome == BERTH__UNIFORM) {
        for (uint32_t s = 0; s < BERTH__TILE; s++)
            out[s] = ranked->uniform;
    } else {
        raw_values(search, scorer, tile, out);
        normalize_values(search, scorer, tile, &search->own[0].ranges[scorer], out);
    }
    BERTH__MASK_EACH(&search->feasible[tile], s)
    {
        out[s] *= stage->weight;
    }
}

/* ---- selection ---- */

/* Slots of a segment whose total is the best. */
static berth__mask best_of_segment(const berth__search *search, uint32_t segment, uint32_t tile)
{
    berth__mask best = {{0}};
    if (search->tile_best[tile] != search->best)
        return best;
    const int64_t *total = search->totals + (size_t)tile * BERTH__TILE;
    BERTH__MASK_EACH(&search->found[segment], s)
    {
        if (total[s] == search->best)
            berth__bit_set(best.words, s);
    }
    return best;
}

uint32_t berth__search_nth_best(const berth__search *search, uint32_t n)
{
    uint32_t tiles = layout_of(search)->tile_count;
    for (uint32_t segment = 0; segment < search->used_segments; segment++) {
        uint32_t tile = (search->start / BERTH__TILE + segment) % tiles;
        berth__mask best = best_of_segment(search, segment, tile);
        uint32_t count = berth__mask_count(&best);
        if (n < count)
            return tile * BERTH__TILE + cut_mask(&best, n);
        n -= count;
    }
    BERTH_ASSERT(!"fewer best nodes than counted");
    return BERTH__SLOT_NONE;
}

uint32_t berth__search_only(const berth__search *search)
{
    uint32_t tiles = layout_of(search)->tile_count;
    for (uint32_t segment = 0; segment < search->used_segments; segment++) {
        berth__mask found = search->found[segment];
        if (!berth__mask_empty(&found))
            return (search->start / BERTH__TILE + segment) % tiles * BERTH__TILE +
                   cut_mask(&found, 0);
    }
    return BERTH__SLOT_NONE;
}
