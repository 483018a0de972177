/* The scan path: the walk of all workers over nodes in rotation order, the early stop, and the
 * selection among the best nodes. */
#include "scan/search_parts.h"

#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/error.h"
#include "scan/heap_masks.h"

void berth__search_init(berth__search *search, const berth_allocator *allocator,
                        berth__workers *workers, uint32_t worker_count)
{
    memset(search, 0, sizeof(*search));
    search->memory.allocator = allocator;
    search->crew.workers = workers;
    search->crew.worker_count = worker_count;
}

/* ---- memory ---- */

static void free_memory(berth__search *search)
{
    const berth_allocator *allocator = search->memory.allocator;
    size_t tiles = search->memory.tile_capacity, scorers = search->memory.scorer_capacity;
    berth__free(allocator, search->walk.found, (tiles + 1) * sizeof(berth__mask));
    berth__free(allocator, search->walk.visited, (tiles + 1) * sizeof(berth__mask));
    berth__free(allocator, search->answer.feasible, tiles * sizeof(berth__mask));
    berth__free(allocator, search->scores.totals, tiles * BERTH__TILE * sizeof(int64_t));
    berth__free(allocator, search->scores.tile_best, tiles * sizeof(int64_t));
    for (size_t i = 0; search->scores.raw != NULL && i < scorers; i++)
        berth__free(allocator, search->scores.raw[i], tiles * BERTH__TILE * sizeof(int16_t));
    berth__free(allocator, search->scores.raw, scorers * sizeof(*search->scores.raw));
    berth__free(allocator, search->scores.ranked, scorers * sizeof(*search->scores.ranked));
    berth__free(allocator, search->scores.runs, scorers * sizeof(*search->scores.runs));
    berth__free(allocator, search->scores.tabled, scorers * sizeof(*search->scores.tabled));
    for (uint32_t w = 0; search->scores.own != NULL && w < search->crew.worker_count; w++)
        berth__free(allocator, search->scores.own[w].ranges, scorers * sizeof(berth__scorer_range));
    berth__free(allocator, search->scores.own,
                search->crew.worker_count * sizeof(*search->scores.own));
}

void berth__search_destroy(berth__search *search)
{
    free_memory(search);
    memset(search, 0, sizeof(*search));
}

static bool allocate(berth__search *search, uint32_t tiles, uint32_t scorers)
{
    const berth_allocator *allocator = search->memory.allocator;
    berth__search fresh;
    berth__search_init(&fresh, allocator, search->crew.workers, search->crew.worker_count);
    fresh.memory.tile_capacity = tiles;
    fresh.memory.scorer_capacity = scorers;
    fresh.walk.found = berth__alloc(allocator, ((size_t)tiles + 1) * sizeof(berth__mask), 64);
    fresh.walk.visited = berth__alloc(allocator, ((size_t)tiles + 1) * sizeof(berth__mask), 64);
    fresh.answer.feasible = berth__alloc(allocator, tiles * sizeof(berth__mask), 64);
    fresh.scores.totals =
        berth__alloc(allocator, (size_t)tiles * BERTH__TILE * sizeof(int64_t), 64);
    fresh.scores.tile_best = berth__alloc(allocator, tiles * sizeof(int64_t), 64);
    fresh.scores.raw = berth__alloc_zero(allocator, scorers * sizeof(*fresh.scores.raw), 64);
    fresh.scores.ranked = berth__alloc_zero(allocator, scorers * sizeof(*fresh.scores.ranked), 64);
    fresh.scores.runs = berth__alloc_zero(allocator, scorers * sizeof(*fresh.scores.runs), 64);
    fresh.scores.tabled = berth__alloc_zero(allocator, scorers * sizeof(*fresh.scores.tabled), 64);
    fresh.scores.own =
        berth__alloc_zero(allocator, fresh.crew.worker_count * sizeof(*fresh.scores.own), 64);
    bool ok = fresh.walk.found != NULL && fresh.walk.visited != NULL &&
              fresh.answer.feasible != NULL && fresh.scores.totals != NULL &&
              fresh.scores.tile_best != NULL && fresh.scores.raw != NULL &&
              fresh.scores.ranked != NULL && fresh.scores.runs != NULL &&
              fresh.scores.tabled != NULL && fresh.scores.own != NULL;
    for (uint32_t w = 0; ok && w < fresh.crew.worker_count; w++) {
        fresh.scores.own[w].ranges =
            berth__alloc(allocator, scorers * sizeof(berth__scorer_range), 64);
        ok = fresh.scores.own[w].ranges != NULL;
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
    if (tiles <= search->memory.tile_capacity && scorers <= search->memory.scorer_capacity)
        return true;
    if (tiles < search->memory.tile_capacity)
        tiles = search->memory.tile_capacity;
    if (scorers < search->memory.scorer_capacity)
        scorers = search->memory.scorer_capacity;
    return allocate(search, tiles, scorers);
}

/* ---- the walk ---- */

uint32_t berth__search_segment(const berth__search *search, uint32_t segment, berth__mask *slots)
{
    const berth__layout *layout = berth__search_layout(search);
    uint32_t offset = search->range.start % BERTH__TILE, tile = berth__search_tile(search, segment);
    uint32_t end = layout->count - tile * BERTH__TILE;
    if (end > BERTH__TILE)
        end = BERTH__TILE;
    uint32_t begin = segment == 0 ? offset : 0;
    if (segment == layout->tile_count) /* the head of the start tile */
        end = offset;
    *slots = berth__mask_range(begin, end);
    const uint64_t *allowed = search->decision.prepared->verdict.allowed;
    for (uint32_t w = 0; allowed != NULL && w < BERTH__TILE_WORDS; w++)
        slots->words[w] &= allowed[(size_t)tile * BERTH__TILE_WORDS + w];
    const berth__node_part *part = search->decision.cycle->part;
    for (uint32_t w = 0; part != NULL && w < BERTH__TILE_WORDS; w++)
        slots->words[w] &= part->slots[tile].words[w];
    return tile;
}

/* The candidates of one segment that pass every filter. */
static inline __attribute__((always_inline)) berth__mask filter_segment(berth__search *search,
                                                                        uint32_t segment)
{
    berth__mask mask;
    uint32_t tile = berth__search_segment(search, segment, &mask);
    const berth__ready_profile *profile = search->decision.profile;
    if (berth__mask_empty(&mask)) /* no node of the tile is allowed */
        return mask;
    const berth__mask *possible = berth__prepared_mask(&search->decision, tile);
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        mask.words[w] &= possible->words[w];
    berth__layout_leave_closed(berth__search_layout(search), tile, &mask);
    for (uint32_t i = 0; i < profile->filter_count && !berth__mask_empty(&mask); i++) {
        const berth__stage *stage = &profile->filters[i];
        if (search->decision.prepared->filters[i].outcome == BERTH__ACTIVE &&
            (stage->plugin->flags & BERTH__STATIC_FILTER) == 0)
            stage->plugin->filter(search->decision.cycle, stage->instance,
                                  search->decision.prepared->filters[i].state, tile, &mask);
    }
    return mask;
}

/* Filter a segment, and score it if that is possible already. Returns how many nodes were found. */
static uint32_t take_segment(berth__search *search, uint32_t segment, uint32_t worker)
{
    berth__mask *found = &search->walk.found[segment];
    *found = filter_segment(search, segment);
    if (search->scores.in_walk && !berth__mask_empty(found))
        berth__search_score_found(search, berth__search_tile(search, segment), found,
                                  &search->scores.own[worker]);
    return berth__mask_count(found);
}

static uint32_t found_so_far(const berth__search *search)
{
    /* Relaxed: a stale count costs one more slice, never the answer (search.h). */
    return atomic_load_explicit(&search->walk.count, memory_order_relaxed);
}

static void add_found(berth__search *search, uint32_t count)
{
    /* Relaxed: only a number; the results are read after the workers are done (WORK-2). */
    atomic_fetch_add_explicit(&search->walk.count, count, memory_order_relaxed);
}

static void filter_job(void *context, uint32_t worker)
{
    berth__search *search = context;
    while (found_so_far(search) <= search->range.limit) {
        /* relaxed: it only hands out numbers */
        uint32_t slice = atomic_fetch_add_explicit(&search->walk.ticket, 1, memory_order_relaxed);
        uint32_t first = slice * search->range.slice_segments;
        if (first >= search->range.segment_count)
            return;
        uint32_t last = first + search->range.slice_segments;
        if (last > search->range.segment_count)
            last = search->range.segment_count;
        uint32_t count = 0;
        for (uint32_t segment = first; segment < last; segment++)
            count += take_segment(search, segment, worker);
        add_found(search, count);
    }
}

/* A walk that can't be cut short: tiles in any order; each worker begins with the tiles near it.
 * Leaves out the head of the start tile, which is the last segment. */
static void filter_all_job(void *context, uint32_t worker)
{
    berth__search *search = context;
    uint32_t tiles = berth__search_layout(search)->tile_count,
             start = search->range.start / BERTH__TILE;
    uint32_t group = berth__search_group_of(search, worker), first, last;
    while (berth__shares_take(&search->crew.shares, group, &first, &last)) {
        uint32_t count = 0;
        for (uint32_t tile = first; tile < last; tile++)
            count +=
                take_segment(search, tile >= start ? tile - start : tile + tiles - start, worker);
        add_found(search, count);
    }
}

static void filter_all(berth__search *search)
{
    uint32_t tiles = berth__search_layout(search)->tile_count;
    berth__shares_start(&search->crew.shares, tiles, berth__search_groups(search),
                        BERTH__SLICE_SEGMENTS);
    berth__workers_run(search->crew.workers, filter_all_job, search);
    if (search->range.segment_count > tiles)
        add_found(search, take_segment(search, tiles, 0));
    /* relaxed: no worker is there */
    atomic_store_explicit(&search->walk.ticket, search->range.segment_count, memory_order_relaxed);
}

static bool is_parallel(const berth__search *search)
{
    return search->crew.worker_count > 1 && search->range.segment_count >= BERTH__PARALLEL_SEGMENTS;
}

/* Continue until more than `limit` nodes are found or the walk ends. */
static void run_filter(berth__search *search)
{
    if (is_parallel(search))
        berth__workers_run(search->crew.workers, filter_job, search);
    else
        filter_job(search, 0);
}

/* Start the walk. The start tile has two segments, which two workers may take, so its static mask
 * is computed first. */
static void start_filter(berth__search *search)
{
    /* relaxed: workers see them by WORK-1 */
    atomic_store_explicit(&search->walk.ticket, 0, memory_order_relaxed);
    atomic_store_explicit(&search->walk.count, 0, memory_order_relaxed); /* relaxed: as above */
    search->range.slice_segments = is_parallel(search) ? BERTH__SLICE_SEGMENTS : 1;
    if (is_parallel(search))
        (void)berth__prepared_mask(&search->decision, search->range.start / BERTH__TILE);
    if (is_parallel(search) && search->range.limit >= berth__search_layout(search)->count &&
        berth__search_groups(search) > 1)
        filter_all(search);
    else
        run_filter(search);
}

static uint32_t taken_segments(const berth__search *search)
{
    /* relaxed: the workers are done (WORK-2) */
    uint32_t taken = atomic_load_explicit(&search->walk.ticket, memory_order_relaxed) *
                     search->range.slice_segments;
    return taken < search->range.segment_count ? taken : search->range.segment_count;
}

/* Remove the found nodes of these segments on which the pod would not fit beside the pods nominated
 * for them. Dry runs change the view for a moment, so they run only when no worker reads it. */
static berth_status withdraw(berth__search *search, uint32_t first, uint32_t last)
{
    for (uint32_t segment = first; segment < last; segment++) {
        uint32_t tile = berth__search_tile(search, segment);
        const berth__mask found = search->walk.found[segment];
        BERTH__MASK_EACH(&found, s)
        {
            berth__kept_verdict kept;
            BERTH_TRY(berth__dry_run_kept(search->range.dry_run, tile * BERTH__TILE + s, &kept));
            if (kept == BERTH__KEPT_PLAIN || kept == BERTH__KEPT_PASSES)
                continue;
            berth__bit_clear(search->walk.found[segment].words, s);
            /* relaxed: no worker is there */
            atomic_fetch_sub_explicit(&search->walk.count, 1, memory_order_relaxed);
        }
    }
    return BERTH_OK;
}

/* The walk stops once more than `limit` nodes are found; if some are removed again, it
 * continues. */
static berth_status filter_nominated(berth__search *search)
{
    uint32_t first = 0, last = taken_segments(search);
    while (first < last) {
        BERTH_TRY(withdraw(search, first, last));
        if (found_so_far(search) <= search->range.limit)
            run_filter(search);
        first = last;
        last = taken_segments(search);
    }
    return BERTH_OK;
}

/* Drop the slots of `mask` from the n-th set slot (from 0) on, and return that slot. */
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

/* Keep the first `limit` feasible nodes; the next search begins at the node after them. */
static void cut(berth__search *search)
{
    uint32_t taken = taken_segments(search), feasible = 0, visited = 0, segment = 0;
    bool full = false;
    for (; segment < taken && !full; segment++) {
        uint32_t tile = berth__search_segment(search, segment, &search->walk.visited[segment]);
        (void)tile;
        berth__mask *found = &search->walk.found[segment];
        uint32_t count = berth__mask_count(found);
        full = feasible + count > search->range.limit;
        if (full) {
            uint32_t at = cut_mask(found, search->range.limit - feasible);
            berth__mask before = berth__mask_range(0, at);
            search->walk.visited[segment].words[0] &= before.words[0];
            search->walk.visited[segment].words[1] &= before.words[1];
            count = search->range.limit - feasible;
        }
        feasible += count;
        visited += berth__mask_count(&search->walk.visited[segment]);
    }
    search->answer.used_segments = segment;
    search->answer.feasible_count = feasible;
    search->answer.visited_count = visited;
    search->answer.cut_short = full;
}

static void merge_segments(berth__search *search)
{
    const berth__layout *layout = berth__search_layout(search);
    memset(search->answer.feasible, 0, layout->tile_count * sizeof(*search->answer.feasible));
    uint32_t tile = search->range.start / BERTH__TILE;
    for (uint32_t segment = 0; segment < search->answer.used_segments; segment++) {
        for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
            search->answer.feasible[tile].words[w] |= search->walk.found[segment].words[w];
        tile = tile + 1 == layout->tile_count ? 0 : tile + 1;
    }
}

/* One word of the set of slots that the walk may visit, if it may not visit all. */
static uint64_t candidate_word(const berth__search *search, uint32_t w)
{
    const uint64_t *allowed = search->decision.prepared->verdict.allowed;
    const berth__node_part *part = search->decision.cycle->part;
    const uint64_t word = allowed != NULL ? allowed[w] : UINT64_MAX;
    return part != NULL ? word & part->slots[w / BERTH__TILE_WORDS].words[w % BERTH__TILE_WORDS]
                        : word;
}

static bool visits_some(const berth__search *search)
{
    return search->decision.prepared->verdict.allowed != NULL ||
           search->decision.cycle->part != NULL;
}

static uint32_t candidate_count(const berth__search *search)
{
    const uint32_t slots = berth__search_layout(search)->count;
    uint32_t count = 0;
    if (!visits_some(search))
        return slots;
    for (uint32_t w = 0; w * 64 < slots; w++)
        count += (uint32_t)__builtin_popcountll(candidate_word(search, w));
    return count;
}

/* With an allow-list, or in a part of the nodes, the walk visits only their nodes, and the rotation
 * index counts within that list. */
static uint32_t first_candidate(const berth__search *search, uint32_t candidates, uint32_t start)
{
    uint32_t wanted = candidates > 0 ? start % candidates : 0;
    if (!visits_some(search))
        return wanted;
    for (uint32_t w = 0; w * 64 < berth__search_layout(search)->count; w++) {
        const uint64_t word = candidate_word(search, w);
        const uint32_t count = (uint32_t)__builtin_popcountll(word);
        if (wanted < count)
            return w * 64 + berth__nth_bit(word, wanted);
        wanted -= count;
    }
    return 0;
}

static berth_status begin(berth__search *search, const berth__decision *decision)
{
    if (!reserve(search, decision->cycle->view->layout->tile_count,
                 decision->profile->scorer_count))
        return BERTH_E_NOMEM;
    search->decision = *decision;
    search->range.dry_run = NULL;
    search->range.unscored = false;
    search->answer.refused_slot = BERTH__SLOT_NONE;
    search->answer.alone = false;
    search->scores.in_walk = false;
    return BERTH_OK;
}

static berth_status walk(berth__search *search, uint32_t start, uint32_t limit)
{
    search->range.start = start;
    search->range.limit = limit;
    search->range.segment_count =
        berth__search_layout(search)->tile_count + (start % BERTH__TILE != 0);
    search->scores.in_walk = limit >= berth__search_layout(search)->count &&
                             search->range.dry_run == NULL && !search->range.unscored;
    BERTH_TRY(berth__search_begin_scores(search));
    start_filter(search);
    if (search->range.dry_run != NULL)
        BERTH_TRY(filter_nominated(search));
    cut(search);
    merge_segments(search);
    return BERTH_OK;
}

bool berth__search_visited(const berth__search *search, uint32_t slot)
{
    for (uint32_t segment = 0; segment < search->answer.used_segments; segment++) {
        berth__mask slots;
        if (berth__search_segment(search, segment, &slots) == slot / BERTH__TILE &&
            berth__bit_get(search->walk.visited[segment].words, slot % BERTH__TILE))
            return true;
    }
    return false;
}

static berth_status walk_in_rotation(berth__search *search, uint32_t start)
{
    const berth__ready_profile *profile = search->decision.profile;
    const uint32_t count = berth__question_node_count(search->decision.cycle);
    const uint32_t candidates = candidate_count(search);
    BERTH_TRY(walk(search, first_candidate(search, candidates, start),
                   berth__profile_limit(profile, candidates)));
    /* v1.15's iterator has already moved past the discarded node. */
    uint64_t passed = search->answer.visited_count +
                      (search->answer.cut_short && profile->behaviours->passes_discarded_node);
    if (search->answer.refused_slot != BERTH__SLOT_NONE &&
        !berth__search_visited(search, search->answer.refused_slot))
        passed++;
    search->answer.next = (uint32_t)((start % count + passed) % count);
    return BERTH_OK;
}

berth_status berth__search_filter(berth__search *search, const berth__decision *decision,
                                  uint32_t start)
{
    BERTH_TRY(begin(search, decision));
    return walk_in_rotation(search, start);
}

/* Answer with this one slot. The rotation does not advance. */
static berth_status answer_alone(berth__search *search, uint32_t slot, uint32_t start)
{
    uint32_t at = slot % BERTH__TILE;
    search->range.start = slot;
    search->range.segment_count = search->answer.used_segments = 1;
    search->walk.found[0] = search->walk.visited[0] = berth__mask_range(at, at + 1);
    search->answer.feasible_count = search->answer.visited_count = 1;
    search->answer.cut_short = false;
    search->answer.alone = true;
    search->answer.next = start;
    merge_segments(search);
    return berth__search_begin_scores(search);
}

berth_status berth__search_nominated(berth__search *search, const berth__decision *decision,
                                     uint32_t start, berth__dry_run *dry_run, uint32_t own_slot)
{
    BERTH_TRY(begin(search, decision));
    search->range.dry_run = dry_run;
    if (own_slot != BERTH__SLOT_NONE) {
        BERTH_TRY(berth__dry_run_begin(dry_run, own_slot));
        bool passes = !berth__layout_closed(berth__search_layout(search), own_slot) &&
                      berth__dry_run_passes(dry_run, NULL);
        BERTH_TRY(berth__dry_run_end(dry_run));
        if (passes)
            return answer_alone(search, own_slot, start);
        if (!dry_run->failed) /* an error there does not matter */
            search->answer.refused_slot = own_slot;
    }
    return walk_in_rotation(search, start);
}

berth_status berth__search_all(berth__search *search, const berth__decision *decision,
                               berth__dry_run *dry_run, bool scored)
{
    BERTH_TRY(begin(search, decision));
    search->range.dry_run = dry_run;
    search->range.unscored = !scored;
    return walk(search, 0, berth__search_layout(search)->count);
}

/* ---- what the walk found ---- */

void berth__search_feasible(const berth__search *search, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t segment = 0; segment < search->answer.used_segments; segment++) {
        const uint32_t tile = berth__search_tile(search, segment);
        BERTH__MASK_EACH(&search->walk.found[segment], s)
        {
            out[count++] = tile * BERTH__TILE + s;
        }
    }
}

berth_status berth__search_keep(berth__search *search, const bool *keeps)
{
    uint32_t at = 0, kept = 0;
    for (uint32_t segment = 0; segment < search->answer.used_segments; segment++) {
        const berth__mask found = search->walk.found[segment];
        BERTH__MASK_EACH(&found, s)
        {
            kept += keeps[at];
            berth__bit_put(search->walk.found[segment].words, s, keeps[at++]);
        }
    }
    search->answer.feasible_count = kept;
    merge_segments(search);
    search->scores.in_walk = false; /* scores from the walk are computed again */
    return berth__search_begin_scores(search);
}

/* ---- selection ---- */

/* The slots of a segment whose total is the best. */
static berth__mask best_of_segment(const berth__search *search, uint32_t segment, uint32_t tile)
{
    const berth__search_scores *scores = &search->scores;
    int64_t wanted = scores->best - scores->constant;
    if (scores->tile_best[tile] != wanted)
        return (berth__mask){{0}};
    berth__mask best = search->decision.cycle->view->kernels->equal_totals(
        scores->totals + (size_t)tile * BERTH__TILE, wanted);
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        best.words[w] &= search->walk.found[segment].words[w];
    return best;
}

uint32_t berth__search_nth_best(const berth__search *search, uint32_t n)
{
    uint32_t tiles = berth__search_layout(search)->tile_count;
    for (uint32_t segment = 0; segment < search->answer.used_segments; segment++) {
        uint32_t tile = (search->range.start / BERTH__TILE + segment) % tiles;
        berth__mask best = best_of_segment(search, segment, tile);
        uint32_t count = berth__mask_count(&best);
        if (n < count)
            return tile * BERTH__TILE + cut_mask(&best, n);
        n -= count;
    }
    BERTH_ASSERT(!"fewer best nodes than counted");
    return BERTH__SLOT_NONE;
}

static berth__mask best_at(const void *search, uint32_t segment)
{
    return best_of_segment(search, segment, berth__search_tile(search, segment));
}

uint32_t berth__search_heap_best(const berth__search *search)
{
    const berth__heap_masks list = {search->walk.found, search->answer.used_segments,
                                    search->answer.feasible_count, best_at, search};
    const berth__heap_place place = berth__heap_first(&list);
    BERTH_ASSERT(place.mask < search->answer.used_segments);
    return berth__search_tile(search, place.mask) * BERTH__TILE + place.bit;
}

uint32_t berth__search_only(const berth__search *search)
{
    uint32_t tiles = berth__search_layout(search)->tile_count;
    for (uint32_t segment = 0; segment < search->answer.used_segments; segment++) {
        berth__mask found = search->walk.found[segment];
        if (!berth__mask_empty(&found))
            return (search->range.start / BERTH__TILE + segment) % tiles * BERTH__TILE +
                   cut_mask(&found, 0);
    }
    return BERTH__SLOT_NONE;
}
