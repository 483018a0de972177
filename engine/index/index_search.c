/* Queries of a kind's index: by the tree alone, by classes, or by a walk. */
#include "index/index_kind.h"

#include "base/bits.h"

bool berth__index_reserve(berth__index_cache *cache, const berth__view *view, bool totals)
{
    uint32_t steps = view->layout->tile_count + 1;
    if (!berth__grow(cache->allocator, &cache->visited, &cache->visited_capacity, steps,
                     sizeof(*cache->visited)) ||
        !berth__grow(cache->allocator, &cache->tops, &cache->top_capacity, steps,
                     sizeof(*cache->tops)))
        return false;
    return !totals ||
           (berth__grow(cache->allocator, &cache->walk_room, &cache->walk_room_capacity,
                        steps * BERTH__TILE, sizeof(*cache->walk_room)) &&
            berth__grow(cache->allocator, &cache->walk_stored, &cache->walk_stored_capacity, steps,
                        sizeof(*cache->walk_stored)));
}

/* The totals of a tile from the slot window. */
static const int32_t *fill_tile(void *context, uint32_t tile, int32_t *room, berth__mask *slots)
{
    const berth__index *index = context;
    const berth__slot_window *window = &index->cache->window;
    if (index->asked == NULL)
        return berth__slot_window_fill(window, &index->decision, tile, NULL, room, slots);
    const berth__basic_tile kept =
        berth__ask_totals_tile(index->asked, window, index->decision.cycle->view, tile);
    return berth__slot_window_fill(window, &index->decision, tile, &kept, room, slots);
}

static void keep_set(const berth__index *index, berth__gate_mask *set,
                     const berth__keyed_stages *stages, uint32_t tile, berth__mask *slots)
{
    if (set == NULL)
        return;
    const berth__mask *passing = berth__gate_mask_tile(set, &index->decision, stages, tile);
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        slots->words[w] &= passing->words[w];
}

/* Clear the slots of a tile that gates or late filters refuse, or that are kept for nominated pods,
 * although their leaves are feasible. */
static void keep_passing(void *context, uint32_t tile, berth__mask *slots)
{
    const berth__index *index = context;
    const berth__late_filters *late = &index->cache->late;
    keep_set(index, index->mask, &index->cache->gated, tile, slots);
    keep_set(index, index->fixed, &late->fixed, tile, slots);
    if (late->rest.count > 0 && berth__bit_get(late->busy, tile))
        berth__filter_list_keep(&late->rest, &index->decision, tile, slots);
    if (index->cache->nominated != NULL)
        berth__nominated_slots_keep(index->cache->nominated, tile, slots);
}

/* Find the best of the slots that a walk has visited, with the parts of their classes. */
static void find_best(const berth__score_classes *classes, const berth__tree_walk *walk,
                      uint32_t start, berth__tree_answer *out)
{
    berth__tree_sum best = {BERTH__TREE_INFEASIBLE, 0, 0};
    berth__walk_parts parts = {
        .parts = classes->totals, .count = classes->count, .most = classes->most};
    for (uint32_t step = 0; step < walk->visited_count; step++) {
        parts.ids = berth__score_classes_tile(classes, berth__tree_walk_tile(walk, start, step));
        berth__tree_walk_take(walk, start, step, &parts, &best);
    }
    out->best = best.best;
    out->best_count = best.best_count;
}

/* The cells of the slots that a fixed set lets pass, which are looked at once for each set of
 * cells. */
static uint64_t cells_of_set(berth__gate_mask *set, const berth__score_classes *classes)
{
    if (set == NULL || set->unfilled > 0 || !berth__score_classes_few_cells(classes))
        return UINT64_MAX;
    berth__set_cells *of = &set->of_cells[classes->cells->serial % BERTH__SET_CELLS];
    if (of->serial != classes->cells->serial) {
        *of = (berth__set_cells){.serial = classes->cells->serial};
        for (uint32_t tile = 0; tile < set->tile_count; tile++)
            of->cells |= berth__score_classes_cells(classes, tile, &set->passing[tile]);
    }
    return of->cells;
}

/* Add to the leaves of a tile what they lack: the parts of their classes, or values by slot, or
 * both. */
static void add_to_tile(void *context, uint32_t tile, const int32_t *leaves, int32_t *totals)
{
    const berth__index *index = context;
    const berth__score_classes *classes = index->cache->classes;
    const berth__view *view = index->decision.cycle->view;
    const uint32_t all = (view->layout->count + BERTH__FAN - 1) / BERTH__FAN;
    const uint32_t rest = all - tile * (BERTH__TILE / BERTH__FAN);
    const uint32_t groups = rest < BERTH__TILE / BERTH__FAN ? rest : BERTH__TILE / BERTH__FAN;
    const int32_t *sums = leaves;
    if (index->cache->uneven_count > 0) {
        view->kernels->class_totals(leaves, groups, berth__score_classes_tile(classes, tile),
                                    classes->totals, classes->count, totals);
        sums = totals;
    }
    if (index->value_weight == 0)
        return;
    const int16_t *values = index->fixed->values + (size_t)tile * BERTH__TILE;
    const int32_t weight = (int32_t)index->value_weight;
    for (uint32_t s = 0; s < groups * BERTH__FAN; s++)
        totals[s] = sums[s] + weight * values[s];
}

/* Compute what the classes of the slots that a walk has visited add. */
static bool rate_classes(berth__index_cache *cache, const berth__index *index, berth__arena *arena,
                         uint32_t start, berth__index_answer *out)
{
    berth__score_classes *classes = cache->classes;
    const berth__tree_walk *walk = &out->walk;
    classes->possible = cells_of_set(index->fixed, classes);
    for (uint32_t step = 0; step < walk->visited_count; step++)
        berth__score_classes_meet(classes, berth__tree_walk_tile(walk, start, step),
                                  &walk->visited[step]);
    return berth__score_classes_rate(classes, out->slots.feasible_count, arena);
}

static void add_set(berth__tree_walk *walk, const berth__gate_mask *set)
{
    if (set != NULL)
        walk->sets[walk->set_count++] =
            (berth__walk_set){set->passing, set->unfilled > 0 ? set->filled : NULL};
}

static berth__tree_walk walk_of(const berth__index_cache *cache, berth__index *index)
{
    const berth__view *view = index->decision.cycle->view;
    berth__tree_walk walk = {.tree = index->treeless ? NULL : &index->tree,
                             .fill = fill_tile,
                             .stored = index->treeless ? cache->walk_stored : NULL,
                             .room = index->treeless ? cache->walk_room : NULL,
                             .slot_count = view->layout->count,
                             .kernels = view->kernels,
                             .busy = index->walks ? cache->late.busy : NULL,
                             .keep = keep_passing,
                             .context = index,
                             .visited = cache->visited,
                             .tops = cache->tops};
    if (!index->treeless)
        berth__search_tree_mask(&index->tree, view->kernels);
    add_set(&walk, index->mask);
    add_set(&walk, index->fixed);
    return walk;
}

/* Answer by a walk that computes totals in steps. A single feasible slot needs no score. */
static bool ask_in_steps(berth__index_cache *cache, const berth__index *index, berth__arena *arena,
                         uint32_t start, uint32_t limit, berth__index_answer *out)
{
    berth__tree_walk_visit(&out->walk, start, limit, &out->slots);
    const bool values = index->value_weight > 0, by_class = cache->uneven_count > 0;
    if ((!by_class && !values) || out->slots.feasible_count < 2) {
        berth__tree_walk_rate(&out->walk, start, &out->slots);
        return true;
    }
    if (by_class && !rate_classes(cache, index, arena, start, out))
        return false;
    out->walk.add = add_to_tile;
    if (!values) {
        find_best(cache->classes, &out->walk, start, &out->slots);
        return true;
    }
    out->walk.add_most = (int32_t)(index->value_weight * index->fixed->highest) +
                         (by_class ? cache->classes->most : 0);
    berth__tree_walk_rate(&out->walk, start, &out->slots);
    return true;
}

/* Answer from a tree whose leaves are totals except for the parts of classes. */
static bool ask_classes(berth__index_cache *cache, berth__index *index, berth__arena *arena,
                        uint32_t start, uint32_t limit, berth__index_answer *out)
{
    berth__score_classes *classes = cache->classes;
    const berth__search_tree *tree = &index->tree;
    berth__search_tree_range(tree, start, limit, &out->slots);
    if (out->slots.feasible_count < 2) {
        out->form = BERTH__BY_TREE;
        berth__search_tree_ask(tree, start, limit, &out->slots);
        return true;
    }
    const berth__tree_ranges slots = berth__tree_ranges_of(tree, start, &out->slots);
    berth__score_classes_meet_ranges(classes, tree->leaves, &slots);
    if (!berth__score_classes_rate(classes, out->slots.feasible_count, arena))
        return false;
    out->form = BERTH__BY_CLASSES;
    berth__class_search_begin(&out->classes, tree, classes, index->decision.cycle->view->kernels,
                              berth__index_forest(cache, index, &slots));
    berth__search_tree_class_best(tree, &out->classes, start, &out->slots);
    return true;
}

/* Bring the totals up to date that a walk reads in any case: of its first `limit` slots. */
static void renew_totals(const berth__index_cache *cache, berth__index *index, uint32_t start,
                         uint32_t limit)
{
    const berth__view *view = index->decision.cycle->view;
    const uint32_t slots = view->layout->count;
    const uint32_t count = limit < slots ? limit : slots, rest = slots - start;
    const uint32_t last = start + (count < rest ? count : rest) - 1;
    berth__ask_totals_renew(index->asked, &cache->window, view, start / BERTH__TILE,
                            last / BERTH__TILE + 1);
    if (count > rest)
        berth__ask_totals_renew(index->asked, &cache->window, view, 0,
                                (count - rest - 1) / BERTH__TILE + 1);
}

static bool ask_walk(berth__index_cache *cache, berth__index *index, berth__arena *arena,
                     uint32_t start, uint32_t limit, berth__index_answer *out)
{
    out->form = BERTH__BY_WALK;
    if (index->asked != NULL)
        renew_totals(cache, index, start, limit);
    out->walk = walk_of(cache, index);
    if (cache->uneven_count > 0 || index->treeless || index->value_weight > 0)
        return ask_in_steps(cache, index, arena, start, limit, out);
    berth__tree_walk_ask(&out->walk, start, limit, &out->slots);
    return true;
}

/* Whether memory lasted for all dry runs. */
static bool nominations_asked(berth__index_cache *cache)
{
    if (cache->nominated == NULL || !cache->nominated->failed)
        return true;
    cache->why = BERTH_SCAN_MEMORY;
    return false;
}

bool berth__index_search(berth__index_cache *cache, berth__index *index, berth__arena *arena,
                         uint32_t start, uint32_t limit, berth__index_answer *out)
{
    bool ok = true;
    cache->why = BERTH_SCAN_SCORE;
    out->form = BERTH__BY_TREE;
    if (index->walks)
        ok = ask_walk(cache, index, arena, start, limit, out);
    else if (cache->uneven_count > 0)
        ok = ask_classes(cache, index, arena, start, limit, out);
    else
        berth__search_tree_ask(&index->tree, start, limit, &out->slots);
    out->best = out->slots.best + index->constant;
    return ok && nominations_asked(cache);
}

bool berth__index_list(berth__index_cache *cache, berth__index *index, berth__arena *arena,
                       berth__node_list *list)
{
    const berth__view *view = index->decision.cycle->view;
    cache->why = BERTH_SCAN_MEMORY;
    if (!berth__index_reserve(cache, view, index->treeless))
        return false;
    const bool by_class = cache->uneven_count > 0 && list->totals != NULL;
    const bool values = index->value_weight > 0 && list->totals != NULL;
    berth__index_answer answer = {.walk = walk_of(cache, index)};
    berth__tree_walk_visit(&answer.walk, 0, view->layout->count, &answer.slots);
    if (!nominations_asked(cache))
        return false;
    if (by_class && !rate_classes(cache, index, arena, 0, &answer))
        return false;
    for (uint32_t tile = 0; tile < answer.walk.visited_count; tile++) {
        const uint32_t first = tile * BERTH__TILE;
        const int32_t *totals =
            index->treeless ? answer.walk.stored[tile] : index->tree.leaves + first;
        int32_t own[BERTH__TILE];
        if (by_class || values) {
            add_to_tile(index, tile, totals, own);
            totals = own;
        }
        BERTH__MASK_EACH(&answer.walk.visited[tile], s)
        {
            berth__node_list_add(list, view->layout->nodes[first + s], totals[s] + index->constant);
        }
    }
    return true;
}

uint32_t berth__index_nth_best(const berth__index *index, uint32_t start,
                               const berth__index_answer *answer, uint32_t n)
{
    switch (answer->form) {
    case BERTH__BY_WALK:
        return berth__tree_walk_nth_best(&answer->walk, start, &answer->slots, n);
    case BERTH__BY_CLASSES:
        return berth__search_tree_class_nth_best(&index->tree, &answer->classes, start,
                                                 &answer->slots, n);
    default:
        return berth__search_tree_nth_best(&index->tree, start, &answer->slots, n);
    }
}

uint32_t berth__index_heap_best(const berth__index *index, uint32_t start,
                                const berth__index_answer *answer)
{
    const berth__kernels *kernels = index->decision.cycle->view->kernels;
    switch (answer->form) {
    case BERTH__BY_WALK:
        return berth__tree_walk_heap_best(&answer->walk, start, &answer->slots);
    case BERTH__BY_CLASSES:
        return berth__search_tree_class_heap_best(&index->tree, kernels, &answer->classes, start,
                                                  &answer->slots);
    default:
        return berth__search_tree_heap_best(&index->tree, kernels, start, &answer->slots);
    }
}
