/* The indexed path: finds kinds of pods, and builds and repairs their search trees. */
#include "base/limit.h"
#include "index/index_kind.h"

#include <string.h>

#include "base/hash.h"
#include "columns/facts_news.h"

enum { TREES_MAX = BERTH__LIMIT(4096, 3), SIGHTS = BERTH__LIMIT(4096, 16) };
/* For a branch, or for an engine with a memory limit. */
static const size_t TREE_BYTES_MAX = (size_t)256 << 20;

/* Remembers kinds that were seen but have no tree yet. Direct-mapped by hash. */
struct berth__sight {
    uint64_t hash; /* of key and the layout's order epoch */
    uint64_t sighted;
    uint64_t credit;
};

/* ---- the cache ---- */

static void free_cache(berth__index_cache *cache)
{
    const berth_allocator *allocator = cache->allocator;
    berth__tree_scratch_destroy(&cache->scratch, allocator);
    berth__free(allocator, cache->sights, SIGHTS * sizeof(*cache->sights));
    berth__free(allocator, cache->log, sizeof(*cache->log));
    berth__free(allocator, cache->totals, BERTH__LOG_PADDED * sizeof(*cache->totals));
    berth__free(allocator, cache->visited, cache->visited_capacity * sizeof(*cache->visited));
    berth__free(allocator, cache->tops, cache->top_capacity * sizeof(*cache->tops));
    berth__late_filters_destroy(&cache->late, allocator);
    berth__free(allocator, cache->walk_room, cache->walk_room_capacity * sizeof(*cache->walk_room));
    berth__free(allocator, cache->walk_stored,
                cache->walk_stored_capacity * sizeof(*cache->walk_stored));
    berth__score_classes_destroy(cache->classes);
    berth__slot_window_destroy(&cache->window);
    berth__ask_cache_destroy(&cache->asks);
    berth__free(allocator, cache->treeless, sizeof(*cache->treeless));
    berth__gate_masks_destroy(&cache->masks);
    berth__keymap_destroy(&cache->map);
}

berth_status berth__index_cache_init(berth__index_cache *cache, const berth_allocator *allocator)
{
    *cache = (berth__index_cache){.allocator = allocator, .bytes_max = TREE_BYTES_MAX};
    cache->window.allocator = allocator;
    cache->treeless = berth__alloc_zero(allocator, sizeof(*cache->treeless), 64);
    cache->sights = berth__alloc_zero(allocator, SIGHTS * sizeof(*cache->sights), 64);
    cache->log = berth__alloc_zero(allocator, sizeof(*cache->log), 64);
    cache->totals = berth__alloc_zero(allocator, BERTH__LOG_PADDED * sizeof(*cache->totals), 64);
    if (cache->sights != NULL && cache->log != NULL && cache->totals != NULL &&
        cache->treeless != NULL && berth__ask_cache_init(&cache->asks, allocator) == BERTH_OK &&
        berth__keymap_init(&cache->map, allocator) == BERTH_OK &&
        berth__gate_masks_init(&cache->masks, allocator) == BERTH_OK)
        return BERTH_OK;
    free_cache(cache);
    *cache = (berth__index_cache){0};
    return BERTH_E_NOMEM;
}

static void free_tree(berth__index_cache *cache, berth__index *index)
{
    berth__index_forests_free(cache, index);
    cache->bytes -= index->tree.memory_bytes;
    berth__search_tree_destroy(&index->tree, cache->allocator);
    index->built = false;
}

static void drop_oldest(berth__index_cache *cache)
{
    berth__index *index = (berth__index *)cache->order.oldest;
    berth__use_remove(&cache->order, &index->used);
    berth__keymap_remove(&cache->map, &index->used.entry);
    cache->epoch++;
    cache->counts.dropped++;
    free_tree(cache, index);
    berth__free(cache->allocator, index, sizeof(*index));
}

void berth__index_cache_destroy(berth__index_cache *cache)
{
    if (cache->allocator == NULL)
        return;
    while (cache->order.oldest != NULL)
        drop_oldest(cache);
    free_cache(cache);
}

/* Make room for a tree of `more` bytes by dropping the least recently used trees. */
static void trim(berth__index_cache *cache, size_t more)
{
    while (cache->order.oldest != cache->order.newest &&
           (cache->map.count > TREES_MAX || cache->bytes + more > cache->bytes_max))
        drop_oldest(cache);
}

static berth__index *add(berth__index_cache *cache, const index_key *key)
{
    berth__index *index = berth__alloc_zero(cache->allocator, sizeof(*index), 64);
    if (index == NULL)
        return NULL;
    index->key = *key;
    index->used.entry.key = &index->key;
    index->used.entry.key_bytes = sizeof(*key);
    berth__keymap_add(&cache->map, &index->used.entry);
    berth__use_add(&cache->order, &index->used);
    trim(cache, 0);
    return index;
}

/* ---- kinds ---- */

static bool uses_images(const berth__decision *decision)
{
    for (uint32_t i = 0; i < decision->profile->scorer_count; i++)
        if ((decision->prepared->scorers[i].is_static || decision->prepared->scorers[i].by_node) &&
            decision->profile->scorers[i].plugin->normalize == BERTH__NORMALIZATION_NONE)
            return true;
    return false;
}

static bool reads_class(const berth__ready_profile *profile)
{
    for (uint32_t i = 0; i < profile->filter_count; i++)
        if ((profile->filters[i].plugin->flags & BERTH__READS_CLASS) != 0)
            return true;
    for (uint32_t i = 0; i < profile->scorer_count; i++)
        if ((profile->scorers[i].plugin->flags & BERTH__READS_CLASS) != 0)
            return true;
    return false;
}

static index_key key_of(const berth__decision *decision)
{
    const berth__class *cls = decision->cycle->cls;
    return (index_key){
        .request = cls->request->part.serial,
        .node_rules = cls->node_rules != NULL ? cls->node_rules->part.serial : 0,
        .ports = cls->ports != NULL ? cls->ports->part.serial : 0,
        .images = uses_images(decision) ? cls->images->part.serial : 0,
        .cls = reads_class(decision->profile) ? cls->serial : 0,
        .profile = decision->profile_index,
    };
}

/* ---- gates and classes ---- */

/* Collect the gates of the listed filters. False: the filter at index `*failed` can't be expressed
 * as gates. */
static bool gather_gates(const berth__decision *decision, const berth__filter_list *filters,
                         berth__gates *gates, uint32_t *failed)
{
    berth__gates_begin(gates, decision->cycle->view);
    for (uint32_t i = 0; i < filters->count && gates->ok; i++) {
        const berth__stage *stage = &decision->profile->filters[filters->items[i]];
        stage->plugin->gate(decision->cycle, stage->instance,
                            decision->prepared->filters[filters->items[i]].state, gates);
        *failed = i;
    }
    berth__gates_settle(gates);
    return gates->ok;
}

/* Find the gates of the active filters; filters that can't be expressed as gates run late. False: a
 * list is full. */
static bool find_gates(const berth__decision *decision, berth__index_cache *cache)
{
    const berth__slot_plan *plan = &decision->prepared->memory.slot_plan;
    berth__filter_list *gated = &cache->gated.filters, *late = &cache->late.rest;
    uint32_t failed = 0;
    if (plan->gate_count + plan->late_count > BERTH__FILTER_LIST_MAX)
        return false;
    gated->count = plan->gate_count;
    late->count = plan->late_count;
    memcpy(gated->items, plan->gates, gated->count * sizeof(*gated->items));
    memcpy(late->items, plan->late, late->count * sizeof(*late->items));
    while (!gather_gates(decision, gated, &cache->gates, &failed)) {
        late->items[late->count++] = gated->items[failed];
        gated->items[failed] = gated->items[--gated->count];
    }
    return true;
}

/* If the array is full, only count. */
static void note_uneven(berth__index_cache *cache, uint32_t scorer)
{
    if (cache->uneven_count < BERTH__CLASS_SCORERS_MAX)
        cache->uneven[cache->uneven_count] = scorer;
    cache->uneven_count++;
}

/* Find the scorers computed outside the tree that distinguish nodes that pass the gates. */
static void find_uneven(const berth__decision *decision, berth__index_cache *cache)
{
    const berth__slot_plan *plan = &decision->prepared->memory.slot_plan;
    cache->uneven_count = 0;
    for (uint32_t i = 0; i < plan->apart_count; i++) {
        const berth__stage *stage = &decision->profile->scorers[plan->apart[i]];
        const void *state = decision->prepared->scorers[plan->apart[i]].state;
        if (stage->plugin->is_level == NULL ||
            !stage->plugin->is_level(decision->cycle, stage->instance, state, &cache->gates))
            note_uneven(cache, plan->apart[i]);
    }
}

/* Begin with the classes that these scorers distinguish. */
static bool begin_classes(berth__index_cache *cache, const berth__decision *decision, bool eager)
{
    if (cache->uneven_count == 0)
        return true;
    cache->why = BERTH_SCAN_MEMORY;
    if (cache->classes == NULL)
        cache->classes = berth__score_classes_create(cache->allocator);
    if (cache->classes == NULL)
        return false;
    bool begun = berth__score_classes_begin(cache->classes, decision, cache->uneven,
                                            cache->uneven_count, eager);
    cache->why = cache->classes->unmade ? BERTH_SCAN_NEW : BERTH_SCAN_DOMAINS;
    return begun;
}

/* ---- building and repairing ---- */

static bool allocate(berth__index_cache *cache, berth__index *index, uint32_t slots)
{
    free_tree(cache, index);
    size_t bytes = berth__search_tree_bytes(slots);
    if (bytes > cache->bytes_max)
        return false;
    trim(cache, bytes);
    if (!berth__search_tree_create(&index->tree, cache->allocator, slots))
        return false;
    cache->bytes += bytes;
    return true;
}

static bool scan(const berth__decision *decision, berth__search *search, berth__arena *arena)
{
    berth__slot_plan_set_aside(decision, BERTH__SKIP);
    bool ok = berth__search_all(search, decision, NULL, true) == BERTH_OK &&
              berth__search_score(search, arena) == BERTH_OK;
    berth__slot_plan_set_aside(decision, BERTH__ACTIVE);
    return ok;
}

/* Copy the leaves of one tile from a scan. */
static void take_leaves(berth__search_tree *tree, const berth__decision *decision,
                        const berth__search *search, uint32_t tile)
{
    uint32_t first = tile * BERTH__TILE, end = tree->slot_count - first;
    const berth__mask *feasible = &search->answer.feasible[tile];
    const berth__mask *possible = &decision->prepared->statics.mask[tile];
    for (uint32_t s = 0; s < BERTH__TILE && s < end; s++) {
        int32_t total = (int32_t)search->scores.totals[first + s];
        int32_t none =
            berth__bit_get(possible->words, s) ? BERTH__TREE_INFEASIBLE : BERTH__TREE_NEVER;
        tree->leaves[first + s] = berth__bit_get(feasible->words, s) ? total : none;
    }
}

/* Compute the leaves of one tile from the slot window. */
static void fill_leaves(berth__search_tree *tree, const berth__decision *decision,
                        const berth__slot_window *window, uint32_t tile)
{
    _Alignas(64) int32_t totals[BERTH__TILE];
    const uint32_t first = tile * BERTH__TILE, left = tree->slot_count - first;
    const uint32_t count = left < BERTH__TILE ? left : BERTH__TILE;
    const berth__mask all = berth__mask_range(0, count);
    berth__mask feasible = all, none;
    (void)berth__slot_window_fill(window, decision, tile, NULL, totals, &feasible);
    memcpy(tree->leaves + first, totals, count * sizeof(*totals));
    const berth__mask *possible = &decision->prepared->statics.mask[tile];
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        none.words[w] = all.words[w] & ~feasible.words[w];
    BERTH__MASK_EACH(&none, s)
    {
        tree->leaves[first + s] =
            berth__bit_get(possible->words, s) ? BERTH__TREE_INFEASIBLE : BERTH__TREE_NEVER;
    }
}

/* What building a tree needs. */
typedef struct build_context {
    berth__index_cache *cache;
    berth__search *search;
    berth__arena *arena; /* of the search's rank phase */
    uint32_t limit;      /* feasible nodes that the decision needs */
} build_context;

/* Compute them from the slot window if it is up to date, otherwise by a scan. */
static bool compute_leaves(const build_context *with, berth__search_tree *tree,
                           const berth__decision *decision)
{
    const berth__view *view = decision->cycle->view;
    berth__slot_window *window = &with->cache->window;
    const bool by_window = berth__slot_window_serves(decision) &&
                           berth__slot_window_is_made(window, view) &&
                           berth__slot_window_follow(window, view, 0);
    if (!by_window && !scan(decision, with->search, with->arena))
        return false;
    for (uint32_t tile = 0; tile < view->layout->tile_count; tile++) {
        if (by_window)
            fill_leaves(tree, decision, window, tile);
        else
            take_leaves(tree, decision, with->search, tile);
    }
    return true;
}

/* A number for the scorers whose values are in the leaves: others may be after facts have changed,
 * because a scorer that all nodes pleased equally is left out. */
static uint64_t scorers_in_leaves(const berth__decision *decision)
{
    const berth__slot_plan *plan = &decision->prepared->memory.slot_plan;
    return berth__hash_bytes(plan->scorers, plan->scorer_count * sizeof(*plan->scorers),
                             plan->scorer_count);
}

static bool build(const build_context *with, berth__index *index, const berth__decision *decision)
{
    const berth__view *view = decision->cycle->view;
    uint32_t slots = view->layout->count;
    index->built = false;
    if (index->tree.slot_count != slots && !allocate(with->cache, index, slots))
        return false;
    if (!compute_leaves(with, &index->tree, decision))
        return false;
    berth__search_tree_group(&index->tree, view->kernels);
    berth__index_forests_void(index);
    index->epoch = view->layout->epoch;
    index->scorers = scorers_in_leaves(decision);
    index->image_worth = berth__prepared_image_worth(decision);
    index->seen = view->journal_end;
    index->built = true;
    with->cache->counts.built++;
    return true;
}

static bool repair(berth__index_cache *cache, berth__index *index, const berth__decision *decision)
{
    const berth__view *view = decision->cycle->view;
    if (!berth__tree_scratch_reserve(&cache->scratch, cache->allocator, index->tree.slot_count,
                                     BERTH__LOG + 1))
        return false;
    while (index->seen != view->journal_end) {
        const berth__slot_states *states;
        uint32_t first;
        uint32_t count = berth__slot_log_read(cache->log, view, index->seen, &states, &first);
        berth__slot_plan_totals(decision, &index->tree, states, first, count, cache->totals);
        berth__search_tree_change(&index->tree, view->kernels, &cache->scratch,
                                  states->slots + first, cache->totals, count);
        berth__index_forests_follow(index, &cache->scratch);
        index->seen += count;
        cache->counts.repairs += count;
    }
    return true;
}

/* ---- following facts ---- */

/* Let the leaves of a slot be NEVER or not, as its node has it now. A slot that may become feasible
 * gets its total from the journal, which has it, too. */
static void follow_slot(berth__index_cache *cache, berth__index *index,
                        const berth__decision *decision, uint32_t slot)
{
    const berth__mask *possible = berth__prepared_mask(decision, slot / BERTH__TILE);
    const int32_t infeasible = BERTH__TREE_INFEASIBLE;
    int32_t *leaf = &index->tree.leaves[slot];
    if (*leaf >= 0) {
        berth__search_tree_change(&index->tree, decision->cycle->view->kernels, &cache->scratch,
                                  &slot, &infeasible, 1);
        berth__index_forests_follow(index, &cache->scratch);
    }
    *leaf = berth__bit_get(possible->words, slot % BERTH__TILE) ? infeasible : BERTH__TREE_NEVER;
}

/* Bring a tree to the current facts, if that is known to concern some slots alone. Leaves depend on
 * what the pod's images are worth, so on how many nodes have them. */
static bool follow_facts(berth__index_cache *cache, berth__index *index,
                         const berth__decision *decision)
{
    const berth__layout *layout = decision->cycle->view->layout;
    berth__facts_news news;
    if (index->epoch == layout->epoch)
        return true;
    if (!berth__facts_news_since(layout, BERTH__ON_ALL, index->epoch, &news) ||
        (berth__class_has_image(decision->cycle->cls, news.images) &&
         index->image_worth != berth__prepared_image_worth(decision)) ||
        index->scorers != scorers_in_leaves(decision) ||
        !berth__tree_scratch_reserve(&cache->scratch, cache->allocator, index->tree.slot_count, 1))
        return false;
    for (const berth__facts_note *note;
         (note = berth__facts_news_next(layout, &news, BERTH__FACTS_ANY)) != NULL;)
        follow_slot(cache, index, decision, note->slot);
    index->epoch = layout->epoch;
    index->image_worth = berth__prepared_image_worth(decision);
    return true;
}

/* Whether a tree can be repaired; it then has the current facts. */
static bool is_usable(berth__index_cache *cache, berth__index *index,
                      const berth__decision *decision)
{
    uint64_t lag = decision->cycle->view->journal_end - index->seen;
    return index->built && lag <= BERTH__JOURNAL && lag <= index->tree.slot_count &&
           follow_facts(cache, index, decision);
}

/* ---- whether a tree pays ---- */

/* Rough costs in tenths of a nanosecond on one core; see bench. */
enum {
    SCAN_COST = 5000,
    SCAN_SLOT_COST = 50,
    NORMALIZE_SLOT_COST = 100, /* in addition, with normalizing scorers */
    /* With a slot window, instead of both: more than a search of a tree costs. */
    WINDOW_SLOT_COST = 30,
    CLASS_SLOT_COST = 5,      /* with classes of few cells, where a tree reads every leaf, too; */
    CLASS_SLOTS_NEAR = 16384, /* for as many slots as the nearer caches hold */
    BUILD_SLOT_COST = 60,
    REPAIR_COST = 120,
    PLAIN_REPAIR_COST = 400
};

static uint64_t repair_cost(const berth__decision *decision, uint64_t lag)
{
    const berth__slot_plan *plan = &decision->prepared->memory.slot_plan;
    bool plain = !plan->basic || plan->extra_filter_count + plan->extra_scorer_count > 0;
    if (plan->stage_epoch != 0 && plain)
        return lag * PLAIN_REPAIR_COST;
    return lag * REPAIR_COST;
}

/* How many slots of a walk cost no more than those of a search by classes. */
static uint32_t cheap_slots(const berth__index_cache *cache, const berth__decision *decision)
{
    const berth__prepared_memory *memory = &decision->prepared->memory;
    const bool knows_cells = cache->classes != NULL && memory->cells != NULL &&
                             memory->cells_epoch == cache->classes->cells_cache.epoch;
    const bool many_cells = knows_cells && memory->cells->count > 64;
    return memory->slot_plan.apart_count > 0 && !many_cells ? CLASS_SLOTS_NEAR : 0;
}

/* The cost of a scan (or its substitute) that stops after `limit` nodes, if all are feasible. */
static uint64_t scan_cost(const berth__index_cache *cache, const berth__decision *decision,
                          uint32_t limit)
{
    const uint32_t all = decision->cycle->view->layout->count, slots = limit < all ? limit : all;
    const bool normalizes = decision->prepared->memory.slot_plan.apart_count > 0;
    const uint32_t most = cheap_slots(cache, decision), cheap = slots < most ? slots : most;
    if (berth__slot_window_serves(decision))
        return SCAN_COST + (uint64_t)cheap * CLASS_SLOT_COST +
               (uint64_t)(slots - cheap) * WINDOW_SLOT_COST;
    return SCAN_COST + (uint64_t)slots * (SCAN_SLOT_COST + (normalizes ? NORMALIZE_SLOT_COST : 0));
}

/* A tree pays off once the scans without it have cost more than repairs would have, by a quarter of
 * what building the tree costs. So if the kind does not recur, the wasted cost is small compared
 * with that of its decisions. */
static bool is_worth_it(const berth__index_cache *cache, const berth__decision *decision,
                        uint64_t limit, uint64_t cost, uint64_t *sighted, uint64_t *credit)
{
    const berth__view *view = decision->cycle->view;
    uint64_t scan = scan_cost(cache, decision, (uint32_t)limit);
    uint64_t repair = repair_cost(decision, view->journal_end - *sighted);
    *sighted = view->journal_end;
    if (repair < scan)
        *credit += scan - repair;
    else
        *credit = 0;
    return *credit * 4 >= cost;
}

/* Whether a kind without a tree should get one. */
static bool deserves_tree(berth__index_cache *cache, const berth__decision *decision,
                          const index_key *key, uint32_t limit)
{
    const berth__layout *layout = decision->cycle->view->layout;
    uint64_t hash = berth__hash_bytes(key, sizeof(*key), layout->order_epoch);
    berth__sight *sight = &cache->sights[hash % SIGHTS];
    if (sight->hash == hash)
        return is_worth_it(cache, decision, limit, (uint64_t)layout->count * BUILD_SLOT_COST,
                           &sight->sighted, &sight->credit);
    *sight = (berth__sight){hash, decision->cycle->view->journal_end, 0};
    return false;
}

/* Bring a kind's tree up to date unless a scan is cheaper. */
static bool bring_up(const build_context *with, berth__index *index,
                     const berth__decision *decision, bool eager)
{
    const berth__view *view = decision->cycle->view;
    bool usable = is_usable(with->cache, index, decision);
    uint64_t lag = view->journal_end - index->seen;
    if (!eager &&
        (!usable || repair_cost(decision, lag) > scan_cost(with->cache, decision, with->limit))) {
        uint64_t cost = (uint64_t)view->layout->count * BUILD_SLOT_COST;
        if (index->epoch != view->layout->epoch) {
            index->epoch = view->layout->epoch;
            index->built = false;
            index->credit = 0;
            index->sighted = view->journal_end;
            return false;
        }
        if (usable && repair_cost(decision, lag) < cost)
            cost = repair_cost(decision, lag);
        if (!is_worth_it(with->cache, decision, with->limit, cost, &index->sighted, &index->credit))
            return false;
    }
    index->credit = 0;
    index->sighted = view->journal_end;
    return usable ? repair(with->cache, index, decision) : build(with, index, decision);
}

/* ---- using an index ---- */

/* Find the kind's index, or NULL, and remember it in the prepared state: it depends only on the
 * class and the layout epoch. */
static berth__index *find_kind(berth__index_cache *cache, berth__prepared_kind *prepared,
                               const index_key *key)
{
    berth__index *index = NULL;
    if (cache->map.count > 0)
        index = (berth__index *)berth__keymap_find(&cache->map, key, sizeof(*key));
    prepared->memory.tree = index;
    prepared->memory.tree_epoch = cache->epoch;
    return index;
}

/* Nominated pods are asked about after the late filters. */
static void add_nominated_tiles(berth__index_cache *cache, uint32_t tile_count)
{
    for (uint32_t w = 0; cache->nominated != NULL && w < (tile_count + 63) / 64; w++)
        cache->late.busy[w] |= cache->nominated->tiles[w];
}

static bool needs_walk(const berth__index_cache *cache, const berth__decision *decision,
                       const berth__index *index)
{
    return index->treeless || cache->nominated != NULL ||
           decision->prepared->memory.slot_plan.has_keyed ||
           cache->gates.domain_count + cache->gates.slot_count + cache->late.rest.count > 0;
}

/* Find the sets of slots that gates and late filters let pass, if there are any. */
static bool find_masks(berth__index_cache *cache, const berth__decision *decision,
                       berth__index *index)
{
    index->decision = *decision;
    index->mask = index->fixed = NULL;
    index->cache = cache;
    index->walks = needs_walk(cache, decision, index);
    if (index->walks && !berth__index_reserve(cache, decision->cycle->view, index->treeless))
        return false;
    if (index->walks && !berth__late_filters_group(&cache->late, decision, cache->allocator))
        return false;
    if (!berth__late_filters_add_scorer(&cache->late, decision)) {
        cache->why = BERTH_SCAN_SCORE;
        return false;
    }
    add_nominated_tiles(cache, decision->cycle->view->layout->tile_count);
    const berth__keyed_stages *fixed = &cache->late.fixed;
    if (index->walks && (fixed->filters.count > 0 || fixed->scores)) {
        index->fixed = berth__gate_masks_fixed(&cache->masks, decision, fixed, &cache->late.key);
        if (index->fixed == NULL)
            return false;
    }
    if (cache->gates.domain_count + cache->gates.slot_count == 0)
        return true;
    index->mask = berth__gate_masks_get(&cache->masks, decision, &cache->gates);
    return index->mask != NULL;
}

/* If all nodes that pass a set have the same value, it counts like that of a uniform scorer;
 * otherwise a search adds it slot by slot. Returns what all nodes get. */
static int64_t share_values(const berth__index_cache *cache, berth__index *index)
{
    const berth__gate_mask *set = index->fixed;
    index->value_weight = 0;
    if (set == NULL || !set->scores)
        return 0;
    const int64_t weight = index->decision.profile->scorers[cache->late.fixed.scorer].weight;
    if (set->unfilled == 0 && set->lowest == set->highest)
        return weight * set->highest;
    index->value_weight = weight;
    return 0;
}

/* Plan the totals of a class; false, with the reason in `why`, if its decisions can't be
 * indexed. */
static bool can_plan(berth__index_cache *cache, const berth__decision *decision)
{
    if (berth__slot_plan_make(decision))
        return true;
    cache->why = decision->prepared->memory.slot_plan.why;
    return false;
}

/* The kind's index, added if a tree would pay off; `*eager` is then set. NULL: it has none. */
static berth__index *find_or_add(const build_context *build, const berth__decision *decision,
                                 bool *eager)
{
    berth__index_cache *cache = build->cache;
    /* An unplanned class may be the only one of its kind, so check first whether the kind deserves
     * a tree. */
    bool planned = decision->prepared->memory.slot_plan.stage_epoch != 0;
    if (planned && !can_plan(cache, decision))
        return NULL;
    berth__index *index = decision->prepared->memory.tree;
    if (index != NULL && decision->prepared->memory.tree_epoch == cache->epoch)
        return index;
    const index_key key = key_of(decision);
    index = find_kind(cache, decision->prepared, &key);
    bool deserves = index != NULL || *eager || deserves_tree(cache, decision, &key, build->limit);
    if (!deserves)
        cache->why = BERTH_SCAN_NEW;
    if (!deserves || (!planned && !can_plan(cache, decision)))
        return NULL;
    if (index == NULL) {
        index = add(cache, &key);
        *eager = true;
        cache->why = BERTH_SCAN_MEMORY; /* if add failed */
    }
    return index;
}

/* Bring the kind's tree up to date. False: a scan or a slot window is cheaper, or memory is
 * short. */
static bool make_current(const build_context *build, berth__index *index,
                         const berth__decision *decision, bool eager)
{
    berth__index_cache *cache = build->cache;
    berth__use_again(&cache->order, &index->used);
    berth__slot_log_follow(cache->log, decision->cycle->view);
    cache->why = eager ? BERTH_SCAN_MEMORY : BERTH_SCAN_BEHIND;
    return bring_up(build, index, decision, eager);
}

/* The index to use in place of a tree that is missing or out of date; NULL: none. */
static berth__index *find_treeless(berth__index_cache *cache, const berth__decision *decision,
                                   uint32_t limit)
{
    if ((cache->why != BERTH_SCAN_NEW && cache->why != BERTH_SCAN_BEHIND) ||
        !berth__slot_window_serves(decision) ||
        !berth__slot_window_follow(&cache->window, decision->cycle->view, limit))
        return NULL;
    cache->treeless->treeless = true;
    cache->treeless->asked =
        berth__ask_totals_get(&cache->asks, &cache->window, cache->log, decision, limit);
    return cache->treeless;
}

berth__index *berth__index_get(berth__index_cache *cache, const berth__decision *decision,
                               berth__search *search, berth__arena *arena, bool eager)
{
    const berth__view *view = decision->cycle->view;
    const build_context build = {cache, search, arena,
                                 berth__profile_limit(decision->profile, view->layout->count)};
    berth__index *index = find_or_add(&build, decision, &eager);
    berth_scan_reason treeless = cache->why;
    if (index == NULL && (treeless != BERTH_SCAN_NEW || !can_plan(cache, decision)))
        return NULL;
    cache->why = BERTH_SCAN_FILTER;
    if (!find_gates(decision, cache))
        return NULL;
    find_uneven(decision, cache);
    if (!begin_classes(cache, decision, eager))
        return NULL;
    cache->why = treeless;
    if (index == NULL || !make_current(&build, index, decision, eager))
        index = find_treeless(cache, decision, build.limit);
    if (index == NULL)
        return NULL;
    cache->why = BERTH_SCAN_MEMORY;
    if (!find_masks(cache, decision, index))
        return NULL;
    index->constant = decision->prepared->verdict.uniform + share_values(cache, index);
    index->constant += decision->profile->ranks_nodes ? 0 : 1; /* as in berth__search_score */
    return index;
}
