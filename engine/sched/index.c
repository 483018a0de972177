/* Search trees: finding, building, repairing, asking. */
#include "sched/index.h"

#include <string.h>

#include "base/assert.h"
#include "base/bits.h"

enum {
    LEVELS_MAX = 9, /* 16^8 slots and a root */
    INFEASIBLE = -1,
    TREES_MAX = 4096,
};
static const size_t TREE_BYTES_MAX = (size_t)256 << 20;

/* Nodes of one level, by position. */
typedef struct level {
    uint32_t count;  /* nodes in use */
    uint32_t padded; /* to a multiple of BERTH__FAN */
    int32_t *best;
    uint32_t *best_count;
    uint32_t *feasible;
} level;

/* What tells two kinds of pods apart, once no active plugin reads who the pod is. */
typedef struct index_key {
    uint64_t request;
    uint64_t node_rules;
    uint64_t ports;
    uint64_t images;
    uint64_t cls; /* 0 unless a plugin reads more of the class than that */
    uint64_t profile;
} index_key;

struct berth__index {
    berth__keymap_entry entry;
    index_key key;
    berth__index *newer, *older;
    bool built;
    uint64_t epoch;
    uint32_t slot_count;
    uint64_t seen;    /* journal entries taken in */
    int64_t constant; /* of the uniform scorers, not in the leaves */
    int32_t *leaves;  /* by slot, padded */
    uint32_t level_count;
    level levels[LEVELS_MAX]; /* levels[0] groups leaves */
    void *memory;
    size_t memory_bytes;
};

/* ---- the cache ---- */

berth_status berth__index_cache_init(berth__index_cache *cache, const berth_allocator *allocator)
{
    *cache = (berth__index_cache){.allocator = allocator, .bytes_max = TREE_BYTES_MAX};
    return berth__keymap_init(&cache->map, allocator);
}

static void unlink_index(berth__index_cache *cache, berth__index *index)
{
    *(index->newer != NULL ? &index->newer->older : &cache->newest) = index->older;
    *(index->older != NULL ? &index->older->newer : &cache->oldest) = index->newer;
}

static void link_newest(berth__index_cache *cache, berth__index *index)
{
    index->newer = NULL;
    index->older = cache->newest;
    *(cache->newest != NULL ? &cache->newest->newer : &cache->oldest) = index;
    cache->newest = index;
}

static void free_memory(berth__index_cache *cache, berth__index *index)
{
    berth__free(cache->allocator, index->memory, index->memory_bytes);
    cache->bytes -= index->memory_bytes;
    index->memory = NULL;
    index->memory_bytes = 0;
    index->built = false;
}

static void drop(berth__index_cache *cache, berth__index *index)
{
    unlink_index(cache, index);
    berth__keymap_remove(&cache->map, &index->entry);
    cache->drops++;
    free_memory(cache, index);
    berth__free(cache->allocator, index, sizeof(*index));
}

void berth__index_cache_destroy(berth__index_cache *cache)
{
    while (cache->oldest != NULL)
        drop(cache, cache->oldest);
    berth__keymap_destroy(&cache->map);
}

/* Make room for a tree of so many bytes by dropping those used longest ago. */
static void trim(berth__index_cache *cache, size_t more)
{
    while (cache->oldest != cache->newest &&
           (cache->map.count > TREES_MAX || cache->bytes + more > cache->bytes_max))
        drop(cache, cache->oldest);
}

static berth__index *find_or_add(berth__index_cache *cache, const index_key *key, bool *added)
{
    *added = false;
    if (cache->newest != NULL && memcmp(&cache->newest->key, key, sizeof(*key)) == 0)
        return cache->newest;
    berth__index *index = (berth__index *)berth__keymap_find(&cache->map, key, sizeof(*key));
    if (index != NULL) {
        unlink_index(cache, index);
        link_newest(cache, index);
        return index;
    }
    index = berth__alloc_zero(cache->allocator, sizeof(*index), 64);
    if (index == NULL)
        return NULL;
    index->key = *key;
    index->entry.key = &index->key;
    index->entry.key_bytes = sizeof(*key);
    berth__keymap_add(&cache->map, &index->entry);
    link_newest(cache, index);
    trim(cache, 0);
    *added = true;
    return index;
}

/* ---- what can be indexed ---- */

static bool filters_by_slot(const berth__profile *profile, const berth__prepared *prepared)
{
    for (uint32_t i = 0; i < profile->filter_count; i++)
        if (prepared->filters[i].outcome == BERTH__ACTIVE &&
            (profile->filters[i].plugin->flags & BERTH__STATIC_FILTER) == 0 &&
            profile->filters[i].plugin->filter_slot == NULL)
            return false;
    return true;
}

/* Also: totals must fit an int32 leaf, which weights of ordinary size leave far behind. */
static bool scorers_by_slot(const berth__profile *profile, const berth__prepared *prepared)
{
    int64_t weights = 0;
    for (uint32_t i = 0; i < profile->scorer_count; i++) {
        const berth__plugin *plugin = profile->scorers[i].plugin;
        if (prepared->scorers[i].outcome == BERTH__SKIP ||
            prepared->scorers[i].outcome == BERTH__UNIFORM)
            continue;
        bool by_slot = prepared->scorers[i].outcome == BERTH__ACTIVE && plugin->rank == NULL &&
                       plugin->normalize == BERTH__NORMALIZE_NONE &&
                       (plugin->score_slot != NULL || prepared->scorers[i].static_raw != NULL);
        if (!by_slot || profile->scorers[i].weight > 1 << 20)
            return false;
        weights += profile->scorers[i].weight;
    }
    return weights <= 1 << 23;
}

static bool uses_images(const berth__profile *profile, const berth__prepared *prepared)
{
    for (uint32_t i = 0; i < profile->scorer_count; i++)
        if (prepared->scorers[i].static_raw != NULL)
            return true;
    return false;
}

static bool reads_class(const berth__profile *profile)
{
    for (uint32_t i = 0; i < profile->filter_count; i++)
        if ((profile->filters[i].plugin->flags & BERTH__READS_CLASS) != 0)
            return true;
    for (uint32_t i = 0; i < profile->scorer_count; i++)
        if ((profile->scorers[i].plugin->flags & BERTH__READS_CLASS) != 0)
            return true;
    return false;
}

static index_key key_of(const berth__cycle *cycle, const berth__profile *profile,
                        uint32_t profile_index, const berth__prepared *prepared)
{
    const berth__class *cls = cycle->cls;
    return (index_key){
        .request = cls->request->part.serial,
        .node_rules = cls->node_rules != NULL ? cls->node_rules->part.serial : 0,
        .ports = cls->ports != NULL ? cls->ports->part.serial : 0,
        .images = uses_images(profile, prepared) ? cls->images->part.serial : 0,
        .cls = reads_class(profile) ? cls->serial : 0,
        .profile = profile_index,
    };
}

/* ---- building ---- */

typedef struct source {
    const berth__cycle *cycle;
    const berth__profile *profile;
    berth__prepared *prepared;
} source;

static int32_t evaluate(const source *from, uint32_t slot)
{
    const berth__profile *profile = from->profile;
    berth__prepared *prepared = from->prepared;
    uint32_t tile = slot / BERTH__TILE;
    if (!prepared->ready[tile])
        berth__prepared_tile(prepared, from->cycle, profile, tile);
    if (!berth__bit_get(prepared->static_mask[tile].words, slot % BERTH__TILE))
        return INFEASIBLE;
    for (uint32_t i = 0; i < prepared->slot_filter_count; i++) {
        const berth__stage *stage = &profile->filters[prepared->slot_filters[i]];
        if (!stage->plugin->filter_slot(from->cycle, stage->instance,
                                        prepared->filters[prepared->slot_filters[i]].state, slot))
            return INFEASIBLE;
    }
    int64_t total = 0;
    for (uint32_t i = 0; i < prepared->slot_scorer_count; i++) {
        const berth__stage *stage = &profile->scorers[prepared->slot_scorers[i]];
        const berth__prepared_stage *scorer = &prepared->scorers[prepared->slot_scorers[i]];
        total += stage->weight * (scorer->static_raw != NULL
                                      ? scorer->static_raw[slot]
                                      : stage->plugin->score_slot(from->cycle, stage->instance,
                                                                  scorer->state, slot));
    }
    return (int32_t)total;
}

/* Note which stages are evaluated slot by slot. Returns false when out of memory. */
static bool list_stages(const berth__profile *profile, berth__prepared *prepared)
{
    berth__arena *arena = &prepared->arena;
    prepared->slot_filters = berth__arena_alloc(arena, profile->filter_count * 4, 4);
    prepared->slot_scorers = berth__arena_alloc(arena, profile->scorer_count * 4, 4);
    prepared->slot_filter_count = prepared->slot_scorer_count = 0;
    if (prepared->slot_filters == NULL || prepared->slot_scorers == NULL)
        return false;
    for (uint32_t i = 0; i < profile->filter_count; i++)
        if (prepared->filters[i].outcome == BERTH__ACTIVE &&
            (profile->filters[i].plugin->flags & BERTH__STATIC_FILTER) == 0)
            prepared->slot_filters[prepared->slot_filter_count++] = i;
    for (uint32_t i = 0; i < profile->scorer_count; i++)
        if (prepared->scorers[i].outcome == BERTH__ACTIVE)
            prepared->slot_scorers[prepared->slot_scorer_count++] = i;
    return true;
}

static void regroup(const berth__kernels *kernels, berth__index *index, uint32_t at_level,
                    uint32_t position)
{
    berth__tree_sum group;
    level *own = &index->levels[at_level];
    if (at_level == 0) {
        kernels->group_leaves(index->leaves + (size_t)position * BERTH__FAN, &group);
    } else {
        const level *below = &index->levels[at_level - 1];
        size_t first = (size_t)position * BERTH__FAN;
        kernels->group_groups(below->best + first, below->best_count + first,
                              below->feasible + first, &group);
    }
    own->best[position] = group.best;
    own->best_count[position] = group.best_count;
    own->feasible[position] = group.feasible;
}

/* Shape of the tree for so many slots; returns the bytes of its arrays. */
static size_t shape(berth__index *index, uint32_t slots)
{
    uint32_t count = slots;
    size_t words = ((size_t)count + BERTH__FAN - 1) / BERTH__FAN * BERTH__FAN;
    index->level_count = 0;
    do {
        level *own = &index->levels[index->level_count++];
        count = (count + BERTH__FAN - 1) / BERTH__FAN;
        own->count = count;
        own->padded = (count + BERTH__FAN - 1) / BERTH__FAN * BERTH__FAN;
        words += 3 * (size_t)own->padded;
    } while (count > 1);
    return words * sizeof(int32_t);
}

static bool allocate(berth__index_cache *cache, berth__index *index, uint32_t slots)
{
    free_memory(cache, index);
    size_t bytes = shape(index, slots);
    if (bytes > cache->bytes_max)
        return false;
    trim(cache, bytes);
    index->memory = berth__alloc(cache->allocator, bytes, 64);
    if (index->memory == NULL)
        return false;
    index->memory_bytes = bytes;
    cache->bytes += bytes;
    int32_t *at = index->memory;
    index->leaves = at;
    at += (slots + BERTH__FAN - 1) / BERTH__FAN * BERTH__FAN;
    for (uint32_t l = 0; l < index->level_count; l++) {
        level *own = &index->levels[l];
        own->best = at;
        own->best_count = (uint32_t *)(at + own->padded);
        own->feasible = (uint32_t *)(at + 2 * (size_t)own->padded);
        at += 3 * (size_t)own->padded;
        for (uint32_t i = own->count; i < own->padded; i++) {
            own->best[i] = INFEASIBLE;
            own->best_count[i] = own->feasible[i] = 0;
        }
    }
    return true;
}

/* Leaves from one scan over all nodes, by all workers. */
static bool scan_leaves(berth__index *index, const source *from, berth__search *search,
                        berth__arena *arena)
{
    if (berth__search_all(search, from->cycle, from->profile, from->prepared) != BERTH_OK ||
        berth__search_score(search, arena) != BERTH_OK)
        return false;
    for (uint32_t slot = 0; slot < index->slot_count; slot++) {
        bool feasible = berth__bit_get(search->feasible[slot / BERTH__TILE].words,
                                       slot % BERTH__TILE);
        index->leaves[slot] =
            feasible ? (int32_t)(search->totals[slot] - search->constant) : INFEASIBLE;
    }
    for (uint32_t slot = index->slot_count; slot % BERTH__FAN != 0; slot++)
        index->leaves[slot] = INFEASIBLE;
    return true;
}

static bool build(berth__index_cache *cache, berth__index *index, const source *from,
                  berth__search *search, berth__arena *arena)
{
    const berth__view *view = from->cycle->view;
    uint32_t slots = view->layout->count;
    if ((index->memory == NULL || index->slot_count != slots) && !allocate(cache, index, slots))
        return false;
    index->slot_count = slots;
    if (!scan_leaves(index, from, search, arena))
        return false;
    for (uint32_t l = 0; l < index->level_count; l++)
        for (uint32_t i = 0; i < index->levels[l].count; i++)
            regroup(view->kernels, index, l, i);
    index->epoch = view->layout->epoch;
    index->seen = view->journal_end;
    index->built = true;
    return true;
}

static berth__tree_sum group_at(const level *own, uint32_t position)
{
    return (berth__tree_sum){own->best[position], own->best_count[position], own->feasible[position]};
}

/* A parent after one of its children changed, without a look at the others where that can be told: it
 * can't when the last of the best ones got worse. */
static bool adjust(berth__tree_sum *parent, berth__tree_sum before, berth__tree_sum after)
{
    parent->feasible += after.feasible - before.feasible;
    if (after.best > parent->best) {
        parent->best = after.best;
        parent->best_count = after.best_count;
        return true;
    }
    if (before.best == parent->best)
        parent->best_count -= before.best_count;
    if (after.best == parent->best)
        parent->best_count += after.best_count;
    return parent->best_count > 0 || parent->best < 0;
}

/* A changed leaf: carry it upwards until a node comes out as it was. */
static void repair_slot(berth__index *index, const source *from, uint32_t slot)
{
    int32_t leaf = evaluate(from, slot), old = index->leaves[slot];
    if (leaf == old)
        return;
    index->leaves[slot] = leaf;
    berth__tree_sum before = {old, old >= 0, old >= 0}, after = {leaf, leaf >= 0, leaf >= 0};
    uint32_t position = slot;
    for (uint32_t l = 0; l < index->level_count; l++) {
        position /= BERTH__FAN;
        level *own = &index->levels[l];
        berth__tree_sum parent = group_at(own, position), changed = parent;
        if (adjust(&changed, before, after)) {
            own->best[position] = changed.best;
            own->best_count[position] = changed.best_count;
            own->feasible[position] = changed.feasible;
        } else {
            regroup(from->cycle->view->kernels, index, l, position);
            changed = group_at(own, position);
        }
        if (changed.best == parent.best && changed.best_count == parent.best_count &&
            changed.feasible == parent.feasible)
            return;
        before = parent;
        after = changed;
    }
}

static bool is_behind(const berth__index *index, const berth__view *view)
{
    uint64_t lag = view->journal_end - index->seen;
    return lag > BERTH__JOURNAL || lag > index->slot_count;
}

/* The tree of a cycle's kind, built or not; NULL at a first sight that is not to be built. The prepared
 * state remembers it: which tree it is depends on the class and on its epoch's uniform scorers only. */
static berth__index *find_kind(berth__index_cache *cache, const berth__cycle *cycle,
                               const berth__profile *profile, uint32_t profile_index,
                               berth__prepared *prepared, bool eager)
{
    if (prepared->tree != NULL && prepared->tree_stamp == cache->drops) {
        berth__index *index = prepared->tree;
        if (cache->newest != index) {
            unlink_index(cache, index);
            link_newest(cache, index);
        }
        return index;
    }
    bool added;
    index_key key = key_of(cycle, profile, profile_index, prepared);
    berth__index *index = find_or_add(cache, &key, &added);
    if (index == NULL || (added && !eager) || !list_stages(profile, prepared))
        return NULL;
    prepared->tree = index;
    prepared->tree_stamp = cache->drops;
    return index;
}

berth__index *berth__index_get(berth__index_cache *cache, const berth__cycle *cycle,
                               const berth__profile *profile, uint32_t profile_index,
                               berth__prepared *prepared, berth__search *search,
                               berth__arena *arena, bool eager)
{
    if (prepared->allowed != NULL || cycle->required_node != BERTH__NODE_NONE ||
        !filters_by_slot(profile, prepared) || !scorers_by_slot(profile, prepared))
        return NULL;
    berth__index *index = find_kind(cache, cycle, profile, profile_index, prepared, eager);
    if (index == NULL)
        return NULL;
    const berth__view *view = cycle->view;
    const source from = {cycle, profile, prepared};
    if (!index->built || index->epoch != view->layout->epoch || is_behind(index, view)) {
        if (!build(cache, index, &from, search, arena))
            return NULL;
    }
    for (; index->seen != view->journal_end; index->seen++)
        repair_slot(index, &from, view->journal[index->seen % BERTH__JOURNAL]);
    index->constant = 0;
    for (uint32_t i = 0; i < profile->scorer_count; i++)
        if (prepared->scorers[i].outcome == BERTH__UNIFORM)
            index->constant += prepared->scorers[i].uniform * profile->scorers[i].weight;
    return index;
}

/* ---- ranks ---- */

/* Feasible slots before `slot`. */
static uint32_t rank_of(const berth__index *index, uint32_t slot)
{
    uint32_t rank = 0;
    for (uint32_t i = slot / BERTH__FAN * BERTH__FAN; i < slot; i++)
        rank += index->leaves[i] >= 0;
    uint32_t position = slot / BERTH__FAN;
    for (uint32_t l = 0; l + 1 < index->level_count; l++) {
        for (uint32_t i = position / BERTH__FAN * BERTH__FAN; i < position; i++)
            rank += index->levels[l].feasible[i];
        position /= BERTH__FAN;
    }
    return rank;
}

/* The slot of the feasible one number `rank` (from 0), which exists. */
static uint32_t slot_of_rank(const berth__index *index, uint32_t rank)
{
    uint32_t position = 0;
    for (uint32_t l = index->level_count - 1; l-- > 0;) {
        position *= BERTH__FAN;
        for (; rank >= index->levels[l].feasible[position]; position++)
            rank -= index->levels[l].feasible[position];
    }
    uint32_t slot = position * BERTH__FAN;
    for (;; slot++)
        if (index->leaves[slot] >= 0 && rank-- == 0)
            return slot;
}

/* ---- best of a range ---- */

/* A range of slots falls into few nodes: leaves and groups up to its left edge, then down from its
 * right edge. `level` -1 is a leaf. */
typedef struct piece {
    int32_t at_level;
    uint32_t position;
} piece;

typedef struct pieces {
    piece items[2 * BERTH__FAN * (LEVELS_MAX + 1)];
    uint32_t left;  /* items[0 .. left) in slot order */
    uint32_t right; /* items[right ..) in slot order */
} pieces;

static void split_range(const berth__index *index, uint32_t first, uint32_t last, pieces *out)
{
    enum { SIZE = sizeof(out->items) / sizeof(out->items[0]) };
    out->left = 0;
    out->right = SIZE;
    int32_t at_level = -1;
    while (first < last) {
        bool top = at_level + 1 == (int32_t)index->level_count;
        for (; first < last && (top || first % BERTH__FAN != 0); first++)
            out->items[out->left++] = (piece){at_level, first};
        for (; first < last && last % BERTH__FAN != 0; last--)
            out->items[--out->right] = (piece){at_level, last - 1};
        first /= BERTH__FAN;
        last /= BERTH__FAN;
        at_level++;
    }
}

static berth__tree_sum group_of(const berth__index *index, piece at)
{
    if (at.at_level < 0) {
        int32_t leaf = index->leaves[at.position];
        return (berth__tree_sum){leaf, leaf >= 0, leaf >= 0};
    }
    return group_at(&index->levels[at.at_level], at.position);
}

static void take_best(berth__tree_sum *best, berth__tree_sum other)
{
    if (other.best > best->best)
        *best = other;
    else if (other.best == best->best)
        best->best_count += other.best_count;
}

static void best_of_range(const berth__index *index, uint32_t first, uint32_t last,
                          berth__tree_sum *best)
{
    pieces parts;
    split_range(index, first, last, &parts);
    uint32_t size = sizeof(parts.items) / sizeof(parts.items[0]);
    for (uint32_t i = 0; i < parts.left; i++)
        take_best(best, group_of(index, parts.items[i]));
    for (uint32_t i = parts.right; i < size; i++)
        take_best(best, group_of(index, parts.items[i]));
}

/* The n-th leaf with that total below a node that has more than n of them. */
static uint32_t descend(const berth__index *index, piece at, int32_t best, uint32_t n)
{
    uint32_t position = at.position;
    for (int32_t l = at.at_level; l > 0; l--) {
        const level *below = &index->levels[l - 1];
        for (position *= BERTH__FAN;; position++) {
            uint32_t count = below->best[position] == best ? below->best_count[position] : 0;
            if (n < count)
                break;
            n -= count;
        }
    }
    if (at.at_level < 0)
        return position;
    for (position *= BERTH__FAN;; position++)
        if (index->leaves[position] == best && n-- == 0)
            return position;
}

/* Go on counting best ones piece by piece; BERTH__SLOT_NONE when `*n` of them are not in the range. */
static uint32_t nth_in_range(const berth__index *index, uint32_t first, uint32_t last, int32_t best,
                             uint32_t *n)
{
    pieces parts;
    split_range(index, first, last, &parts);
    uint32_t size = sizeof(parts.items) / sizeof(parts.items[0]);
    for (uint32_t i = 0; i < size; i++) {
        if (i == parts.left)
            i = parts.right;
        if (i >= size)
            break;
        berth__tree_sum group = group_of(index, parts.items[i]);
        uint32_t count = group.best == best ? group.best_count : 0;
        if (*n < count)
            return descend(index, parts.items[i], best, *n);
        *n -= count;
    }
    return BERTH__SLOT_NONE;
}

/* ---- answers ---- */

static uint32_t feasible_in_all(const berth__index *index)
{
    return index->levels[index->level_count - 1].feasible[0];
}

void berth__index_search(const berth__index *index, uint32_t start, uint32_t limit,
                         berth__index_answer *out)
{
    uint32_t all = feasible_in_all(index);
    berth__tree_sum best = {INFEASIBLE, 0, 0};
    *out = (berth__index_answer){.feasible_count = all, .next = start, .end = start};
    if (all <= limit) {
        const level *root = &index->levels[index->level_count - 1];
        best = (berth__tree_sum){root->best[0], root->best_count[0], all};
    } else {
        uint32_t rank = rank_of(index, start) + limit;
        bool wraps = rank >= all;
        out->feasible_count = limit;
        out->cut_short = true;
        out->next = out->end = slot_of_rank(index, wraps ? rank - all : rank);
        best_of_range(index, start, wraps ? index->slot_count : out->end, &best);
        if (wraps)
            best_of_range(index, 0, out->end, &best);
    }
    out->best = best.best + index->constant;
    out->best_count = best.best_count;
}

uint32_t berth__index_nth_best(const berth__index *index, uint32_t start,
                               const berth__index_answer *answer, uint32_t n)
{
    int32_t best = (int32_t)(answer->best - index->constant);
    bool wraps = answer->end <= start;
    uint32_t slot = nth_in_range(index, start, wraps ? index->slot_count : answer->end, best, &n);
    if (slot == BERTH__SLOT_NONE && wraps)
        slot = nth_in_range(index, 0, answer->end, best, &n);
    BERTH_ASSERT(slot != BERTH__SLOT_NONE);
    return slot;
}
