/* Memory, walking, cutting, selection. */
#include "decide/search_parts.h"

#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/error.h"

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
        berth__free(allocator, search->raw[i], tiles * BERTH__TILE * sizeof(int16_t));
    berth__free(allocator, search->raw, scorers * sizeof(*search->raw));
    berth__free(allocator, search->ranked, scorers * sizeof(*search->ranked));
    berth__free(allocator, search->runs, scorers * sizeof(*search->runs));
    berth__free(allocator, search->tabled, scorers * sizeof(*search->tabled));
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
    fresh.runs = berth__alloc_zero(allocator, scorers * sizeof(*fresh.runs), 64);
    fresh.tabled = berth__alloc_zero(allocator, scorers * sizeof(*fresh.tabled), 64);
    fresh.own = berth__alloc_zero(allocator, fresh.worker_count * sizeof(*fresh.own), 64);
    bool ok = fresh.found != NULL && fresh.visited != NULL && fresh.feasible != NULL &&
              fresh.totals != NULL && fresh.tile_best != NULL && fresh.raw != NULL &&
              fresh.ranked != NULL && fresh.runs != NULL && fresh.tabled != NULL &&
              fresh.own != NULL;
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

/* ---- the walk ---- */

uint32_t berth__search_segment(const berth__search *search, uint32_t segment, berth__mask *slots)
{
    const berth__layout *layout = berth__search_layout(search);
    uint32_t offset = search->start % BERTH__TILE, tile = berth__search_tile(search, segment);
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
    const berth__ready_profile *profile = search->profile;
    berth__prepared_mask(search->prepared, search->cycle, profile, tile);
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        mask.words[w] &= search->prepared->static_mask[tile].words[w];
    const berth__layout *layout = berth__search_layout(search);
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

/* Filter a segment, and score it if that can be told already. Returns how many were found. */
static uint32_t take_segment(berth__search *search, uint32_t segment, uint32_t worker)
{
    berth__mask *found = &search->found[segment];
    *found = filter_segment(search, segment);
    if (search->scores_now && !berth__mask_empty(found))
        berth__search_score_found(search, berth__search_tile(search, segment), found,
                                  &search->own[worker]);
    return berth__mask_count(found);
}

static void filter_job(void *context, uint32_t worker)
{
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
        for (uint32_t segment = first; segment < last; segment++)
            count += take_segment(search, segment, worker);
        atomic_fetch_add_explicit(&search->count, count, memory_order_relaxed);
    }
}

/* A walk that cannot be cut short: tiles in any order, each worker those near it first. The head
 * of the start tile, which is the last segment, is left out. */
static void filter_all_job(void *context, uint32_t worker)
{
    berth__search *search = context;
    uint32_t tiles = berth__search_layout(search)->tile_count, start = search->start / BERTH__TILE;
    uint32_t group = berth__search_group_of(search, worker), first, last;
    while (berth__shares_take(&search->shares, group, &first, &last)) {
        uint32_t count = 0;
        for (uint32_t tile = first; tile < last; tile++)
            count +=
                take_segment(search, tile >= start ? tile - start : tile + tiles - start, worker);
        atomic_fetch_add_explicit(&search->count, count, memory_order_relaxed);
    }
}

static void filter_all(berth__search *search)
{
    uint32_t tiles = berth__search_layout(search)->tile_count;
    berth__shares_start(&search->shares, tiles, berth__search_groups(search),
                        BERTH__SLICE_SEGMENTS);
    berth__workers_run(search->workers, filter_all_job, search);
    if (search->segment_count > tiles)
        atomic_fetch_add_explicit(&search->count, take_segment(search, tiles, 0),
                                  memory_order_relaxed);
    atomic_store_explicit(&search->ticket, search->segment_count, memory_order_relaxed);
}

static bool is_parallel(const berth__search *search)
{
    return search->worker_count > 1 && search->segment_count >= BERTH__PARALLEL_SEGMENTS;
}

/* Go on until more than `limit` are found or the walk ends. */
static void run_filter(berth__search *search)
{
    if (is_parallel(search))
        berth__workers_run(search->workers, filter_job, search);
    else
        filter_job(search, 0);
}

/* The start tile lies in two segments, which may go to two workers: its statics are made
 * beforehand. */
static void start_filter(berth__search *search)
{
    atomic_store_explicit(&search->ticket, 0, memory_order_relaxed);
    atomic_store_explicit(&search->count, 0, memory_order_relaxed);
    search->slice_segments = is_parallel(search) ? BERTH__SLICE_SEGMENTS : 1;
    if (is_parallel(search))
        berth__prepared_mask(search->prepared, search->cycle, search->profile,
                             search->start / BERTH__TILE);
    if (is_parallel(search) && search->limit >= berth__search_layout(search)->count &&
        berth__search_groups(search) > 1)
        filter_all(search);
    else
        run_filter(search);
}

static uint32_t taken_segments(const berth__search *search)
{
    uint32_t taken =
        atomic_load_explicit(&search->ticket, memory_order_relaxed) * search->slice_segments;
    return taken < search->segment_count ? taken : search->segment_count;
}

/* Nodes kept for nominated pods: take back those of the segments that would not fit with these pods
 * there. What-ifs change the view for a moment, so they wait until no worker reads it. */
static berth_status withdraw(berth__search *search, uint32_t first, uint32_t last)
{
    for (uint32_t segment = first; segment < last; segment++) {
        uint32_t tile = berth__search_tile(search, segment);
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
    uint32_t at =
        n < low ? berth__nth_bit(mask->words[0], n) : 64 + berth__nth_bit(mask->words[1], n - low);
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
    const berth__layout *layout = berth__search_layout(search);
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

/* With an allow-list the walk goes over its nodes alone: the rotation index counts into that
 * list. */
static uint32_t allowed_start(const berth__search *search, uint32_t candidates, uint32_t start)
{
    uint32_t wanted = candidates > 0 ? start % candidates : 0;
    for (uint32_t slot = 0; slot < berth__search_layout(search)->count; slot++)
        if (berth__bit_get(search->prepared->allowed, slot) && wanted-- == 0)
            return slot;
    return 0;
}

static berth_status begin(berth__search *search, const berth__question *cycle,
                          const berth__ready_profile *profile, berth__prepared_kind *prepared)
{
    if (!reserve(search, cycle->view->layout->tile_count, profile->scorer_count))
        return BERTH_E_NOMEM;
    search->cycle = cycle;
    search->profile = profile;
    search->prepared = prepared;
    search->dry_run = NULL;
    search->refused_slot = BERTH__SLOT_NONE;
    search->scores_now = false;
    return BERTH_OK;
}

static berth_status walk(berth__search *search, uint32_t start, uint32_t limit)
{
    search->start = start;
    search->limit = limit;
    search->segment_count = berth__search_layout(search)->tile_count + (start % BERTH__TILE != 0);
    search->scores_now = limit >= berth__search_layout(search)->count && search->dry_run == NULL;
    BERTH_TRY(berth__search_begin_scores(search));
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
    const berth__layout *layout = berth__search_layout(search);
    const berth__ready_profile *profile = search->profile;
    uint32_t rotation = start % layout->count, candidates = layout->count, first = rotation;
    if (search->prepared->allowed != NULL) {
        candidates = allowed_count(search, layout->count);
        first = allowed_start(search, candidates, start);
    }
    BERTH_TRY(walk(search, first, berth__profile_limit(profile, candidates)));
    /* v1.15's iterator has already moved past the node that is discarded. */
    uint64_t passed =
        search->visited_count + (search->cut_short && profile->behaviours->passes_discarded_node);
    if (search->refused_slot != BERTH__SLOT_NONE && !was_visited(search, search->refused_slot))
        passed++;
    search->next = (uint32_t)((rotation + passed) % layout->count);
    return BERTH_OK;
}

berth_status berth__search_filter(berth__search *search, const berth__question *cycle,
                                  const berth__ready_profile *profile,
                                  berth__prepared_kind *prepared, uint32_t start)
{
    BERTH_TRY(begin(search, cycle, profile, prepared));
    return walk_in_rotation(search, start);
}

/* The answer is this one slot. The rotation stands still. */
static berth_status answer_alone(berth__search *search, uint32_t slot, uint32_t start)
{
    uint32_t at = slot % BERTH__TILE;
    search->start = slot;
    search->segment_count = search->used_segments = 1;
    search->found[0] = search->visited[0] = berth__mask_range(at, at + 1);
    search->feasible_count = search->visited_count = 1;
    search->cut_short = false;
    search->next = start;
    merge_segments(search);
    return berth__search_begin_scores(search);
}

berth_status berth__search_nominated(berth__search *search, const berth__question *cycle,
                                     const berth__ready_profile *profile,
                                     berth__prepared_kind *prepared, uint32_t start,
                                     berth__dry_run *dry_run, uint32_t own_slot)
{
    BERTH_TRY(begin(search, cycle, profile, prepared));
    search->dry_run = dry_run;
    if (own_slot != BERTH__SLOT_NONE) {
        BERTH_TRY(berth__dry_run_begin(dry_run, own_slot));
        bool passes = !berth__layout_closed(berth__search_layout(search), own_slot) &&
                      berth__dry_run_passes(dry_run, NULL);
        BERTH_TRY(berth__dry_run_end(dry_run));
        if (passes)
            return answer_alone(search, own_slot, start);
        search->refused_slot = own_slot;
    }
    return walk_in_rotation(search, start);
}

berth_status berth__search_all(berth__search *search, const berth__question *cycle,
                               const berth__ready_profile *profile, berth__prepared_kind *prepared)
{
    BERTH_TRY(begin(search, cycle, profile, prepared));
    return walk(search, 0, berth__search_layout(search)->count);
}

/* ---- selection ---- */

/* Slots of a segment whose total is the best. */
static berth__mask best_of_segment(const berth__search *search, uint32_t segment, uint32_t tile)
{
    berth__mask best = {{0}};
    int64_t wanted = search->best - search->constant;
    if (search->tile_best[tile] != wanted)
        return best;
    const int64_t *total = search->totals + (size_t)tile * BERTH__TILE;
    BERTH__MASK_EACH(&search->found[segment], s)
    {
        if (total[s] == wanted)
            berth__bit_set(best.words, s);
    }
    return best;
}

uint32_t berth__search_nth_best(const berth__search *search, uint32_t n)
{
    uint32_t tiles = berth__search_layout(search)->tile_count;
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
    uint32_t tiles = berth__search_layout(search)->tile_count;
    for (uint32_t segment = 0; segment < search->used_segments; segment++) {
        berth__mask found = search->found[segment];
        if (!berth__mask_empty(&found))
            return (search->start / BERTH__TILE + segment) % tiles * BERTH__TILE +
                   cut_mask(&found, 0);
    }
    return BERTH__SLOT_NONE;
}
