/* The indexed path: kinds of pods and their search trees found, built, repaired by the journal,
 * asked. */
#include "decide/index.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/bits.h"
#include "base/hash.h"

enum { TREES_MAX = 4096, SIGHTS = 4096 };
static const size_t TREE_BYTES_MAX = (size_t)256 << 20;

/* What a kind is: parts of the pod that active plugins read, but for filters that are gates. */
typedef struct index_key {
    uint64_t request;
    uint64_t node_rules;
    uint64_t ports;
    uint64_t images;
    uint64_t cls; /* 0 unless a plugin reads more of the class than that */
    uint64_t profile;
} index_key;

struct berth__index {
    berth__used used;
    index_key key;
    bool built;
    uint64_t epoch;
    uint64_t seen;    /* journal entries taken in */
    uint64_t sighted; /* journal entries there were when it was last met */
    uint64_t credit;  /* see is_worth_it */
    int64_t constant; /* of the uniform scorers, not in the leaves */
    berth__search_tree tree;
    /* of the decision that is being made: */
    berth__decision decision;
    berth__gate_mask *mask; /* NULL: there is no gate */
};

/* A kind without a tree that was met; direct mapped by hash. */
struct berth__sight {
    uint64_t hash; /* of key and layout epoch */
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
    berth__gate_masks_destroy(&cache->masks);
    berth__keymap_destroy(&cache->map);
}

berth_status berth__index_cache_init(berth__index_cache *cache, const berth_allocator *allocator)
{
    *cache = (berth__index_cache){.allocator = allocator, .bytes_max = TREE_BYTES_MAX};
    cache->sights = berth__alloc_zero(allocator, SIGHTS * sizeof(*cache->sights), 64);
    cache->log = berth__alloc_zero(allocator, sizeof(*cache->log), 64);
    cache->totals = berth__alloc_zero(allocator, BERTH__LOG_PADDED * sizeof(*cache->totals), 64);
    if (cache->sights != NULL && cache->log != NULL && cache->totals != NULL &&
        berth__keymap_init(&cache->map, allocator) == BERTH_OK &&
        berth__gate_masks_init(&cache->masks, allocator) == BERTH_OK)
        return BERTH_OK;
    free_cache(cache);
    *cache = (berth__index_cache){0};
    return BERTH_E_NOMEM;
}

static void free_tree(berth__index_cache *cache, berth__index *index)
{
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

/* Make room for a tree of so many bytes by dropping those used longest ago. */
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

/* ---- what can be indexed ---- */

/* Sort the active filters; false: one of them is of none of the sorts. */
static bool plan_filters(const berth__decision *decision, berth__slot_plan *plan)
{
    const berth__ready_profile *profile = decision->profile;
    const berth__prepared_stage *filters = decision->prepared->filters;
    for (uint32_t i = 0; i < profile->filter_count; i++) {
        const berth__stage *stage = &profile->filters[i];
        const berth__plugin_ops *plugin = stage->plugin;
        if (filters[i].outcome != BERTH__ACTIVE || (plugin->flags & BERTH__STATIC_FILTER) != 0)
            continue;
        if (plugin->filter_slot != NULL) {
            plan->filters[plan->filter_count++] = i;
            if (plugin->basic_filter == NULL ||
                !plugin->basic_filter(decision->cycle, stage->instance, filters[i].state,
                                      &plan->ask))
                plan->extra_filters[plan->extra_filter_count++] = i;
        } else if (plugin->gate != NULL) {
            plan->gates[plan->gate_count++] = i;
        } else {
            return false;
        }
    }
    return true;
}

/* Also: totals must fit an int32 leaf, which weights of ordinary size leave far behind. */
static bool plan_scorers(const berth__decision *decision, berth__slot_plan *plan)
{
    const berth__ready_profile *profile = decision->profile;
    int64_t weights = 0;
    for (uint32_t i = 0; i < profile->scorer_count; i++) {
        const berth__stage *stage = &profile->scorers[i];
        const berth__plugin_ops *plugin = stage->plugin;
        const berth__prepared_stage *own = &decision->prepared->scorers[i];
        if (own->outcome == BERTH__SKIP || own->outcome == BERTH__UNIFORM)
            continue;
        if (own->outcome == BERTH__ACTIVE && plugin->is_level != NULL) {
            plan->levels[plan->level_count++] = i;
            continue;
        }
        bool by_slot = own->outcome == BERTH__ACTIVE && plugin->rank == NULL &&
                       plugin->normalize == BERTH__NORMALIZATION_NONE &&
                       (plugin->score_slot != NULL || own->static_raw != NULL);
        if (!by_slot || stage->weight > BERTH__BASIC_WEIGHT_MAX)
            return false;
        weights += stage->weight;
        plan->scorers[plan->scorer_count++] = i;
        if (plugin->basic_score != NULL &&
            plugin->basic_score(decision->cycle, stage->instance, own->state,
                                (int32_t)stage->weight, &plan->ask))
            continue;
        plan->extra_scorers[plan->extra_scorer_count++] = i;
        plan->basic &= own->static_raw != NULL;
    }
    for (uint32_t i = profile->scorer_count; i < profile->scorer_stages; i++)
        if (decision->prepared->scorers[i].outcome == BERTH__FAIL)
            return false;
    return weights <= 1 << 23;
}

static bool plan_slots(const berth__decision *decision)
{
    berth__prepared_kind *prepared = decision->prepared;
    berth__slot_plan *plan = &prepared->memory.slot_plan;
    if (plan->stage_epoch == prepared->verdict.stage_epoch)
        return plan->possible;
    plan->stage_epoch = prepared->verdict.stage_epoch;
    plan->filter_count = plan->extra_filter_count = plan->gate_count = 0;
    plan->scorer_count = plan->extra_scorer_count = plan->level_count = 0;
    plan->basic = true;
    plan->ask = (berth__basic_ask){.cpu = -INFINITY, .memory = -INFINITY, .places = -INFINITY};
    plan->possible = false;
    if (prepared->verdict.allowed != NULL || decision->cycle->required_node != BERTH_NODE_NONE)
        plan->why = BERTH_SCAN_NAMED;
    else if (!plan_filters(decision, plan))
        plan->why = BERTH_SCAN_FILTER;
    else if (!plan_scorers(decision, plan))
        plan->why = BERTH_SCAN_SCORE;
    else
        plan->possible = true;
    return plan->possible;
}

static bool uses_images(const berth__decision *decision)
{
    for (uint32_t i = 0; i < decision->profile->scorer_count; i++)
        if (decision->prepared->scorers[i].static_raw != NULL)
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

/* ---- totals ---- */

/* The gates of the active filters; false: one of them can't be told as gates. */
static bool find_gates(const berth__decision *decision, berth__gates *gates)
{
    const berth__slot_plan *plan = &decision->prepared->memory.slot_plan;
    berth__gates_begin(gates, decision->cycle->view);
    for (uint32_t i = 0; i < plan->gate_count; i++) {
        const berth__stage *stage = &decision->profile->filters[plan->gates[i]];
        stage->plugin->gate(decision->cycle, stage->instance,
                            decision->prepared->filters[plan->gates[i]].state, gates);
    }
    berth__gates_settle(gates);
    return gates->ok;
}

/* Whether the scorers that a tree leaves out make no difference to what the gates let pass. */
static bool are_level(const berth__decision *decision, const berth__gates *gates)
{
    const berth__slot_plan *plan = &decision->prepared->memory.slot_plan;
    for (uint32_t i = 0; i < plan->level_count; i++) {
        const berth__stage *stage = &decision->profile->scorers[plan->levels[i]];
        if (!stage->plugin->is_level(decision->cycle, stage->instance,
                                     decision->prepared->scorers[plan->levels[i]].state, gates))
            return false;
    }
    return true;
}

static bool filters_pass(const berth__decision *decision, const uint32_t *filters, uint32_t count,
                         uint32_t slot)
{
    for (uint32_t i = 0; i < count; i++) {
        const berth__stage *stage = &decision->profile->filters[filters[i]];
        if (!stage->plugin->filter_slot(decision->cycle, stage->instance,
                                        decision->prepared->filters[filters[i]].state, slot))
            return false;
    }
    return true;
}

static int64_t sum_scorers(const berth__decision *decision, const uint32_t *scorers, uint32_t count,
                           uint32_t slot)
{
    int64_t total = 0;
    for (uint32_t i = 0; i < count; i++) {
        const berth__stage *stage = &decision->profile->scorers[scorers[i]];
        const berth__prepared_stage *scorer = &decision->prepared->scorers[scorers[i]];
        if (scorer->static_raw == NULL) {
            total += stage->weight * stage->plugin->score_slot(decision->cycle, stage->instance,
                                                               scorer->state, slot);
            continue;
        }
        berth__prepared_tile(decision, slot / BERTH__TILE);
        total += stage->weight * scorer->static_raw[slot];
    }
    return total;
}

/* The total of a slot, slot by slot: any plugins, any amounts. */
static int32_t plain_total(const berth__decision *decision, uint32_t slot)
{
    const berth__slot_plan *plan = &decision->prepared->memory.slot_plan;
    if (!filters_pass(decision, plan->filters, plan->filter_count, slot))
        return BERTH__TREE_INFEASIBLE;
    return (int32_t)sum_scorers(decision, plan->scorers, plan->scorer_count, slot);
}

/* What the kernel leaves open. */
static int32_t complete(const berth__decision *decision, uint32_t slot, int32_t total)
{
    const berth__slot_plan *plan = &decision->prepared->memory.slot_plan;
    if (!filters_pass(decision, plan->extra_filters, plan->extra_filter_count, slot))
        return BERTH__TREE_INFEASIBLE;
    return total +
           (int32_t)sum_scorers(decision, plan->extra_scorers, plan->extra_scorer_count, slot);
}

/* Totals of the slots in places first .. first + count of the log; those of slots that are NEVER
 * may be anything. */
static void find_totals(const berth__decision *decision, const berth__search_tree *tree,
                        const berth__slot_states *states, uint32_t first, uint32_t count,
                        int32_t *totals)
{
    const berth__slot_plan *plan = &decision->prepared->memory.slot_plan;
    const uint32_t *slots = states->slots + first;
    if (!plan->basic || decision->cycle->view->wide) {
        for (uint32_t i = 0; i < count; i++)
            totals[i] =
                tree->leaves[slots[i]] == BERTH__TREE_NEVER ? 0 : plain_total(decision, slots[i]);
        return;
    }
    const berth__basic_columns columns = berth__slot_states_columns(states);
    decision->cycle->view->kernels->basic(&columns, first, count, &plan->ask, totals);
    if (plan->extra_filter_count + plan->extra_scorer_count == 0)
        return;
    for (uint32_t i = 0; i < count; i++)
        if (totals[i] >= 0 && tree->leaves[slots[i]] != BERTH__TREE_NEVER)
            totals[i] = complete(decision, slots[i], totals[i]);
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

/* Filters that are gates, and scorers that are level behind them, take no part in a tree. */
static void set_aside(const berth__decision *decision, berth__outcome outcome)
{
    const berth__slot_plan *plan = &decision->prepared->memory.slot_plan;
    for (uint32_t i = 0; i < plan->gate_count; i++)
        decision->prepared->filters[plan->gates[i]].outcome = outcome;
    for (uint32_t i = 0; i < plan->level_count; i++)
        decision->prepared->scorers[plan->levels[i]].outcome = outcome;
}

static bool scan(const berth__decision *decision, berth__search *search, berth__arena *arena)
{
    set_aside(decision, BERTH__SKIP);
    bool ok = berth__search_all(search, decision, NULL, true) == BERTH_OK &&
              berth__search_score(search, arena) == BERTH_OK;
    set_aside(decision, BERTH__ACTIVE);
    return ok;
}

/* Leaves of one tile from a scan. */
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

/* What a tree is built with. */
typedef struct build_context {
    berth__index_cache *cache;
    berth__search *search;
    berth__arena *arena; /* of the search's rank phase */
    uint32_t limit;      /* feasible nodes that the decision asks for */
} build_context;

static bool build(const build_context *with, berth__index *index, const berth__decision *decision)
{
    const berth__view *view = decision->cycle->view;
    uint32_t slots = view->layout->count;
    index->built = false;
    if (index->tree.slot_count != slots && !allocate(with->cache, index, slots))
        return false;
    if (!scan(decision, with->search, with->arena))
        return false;
    for (uint32_t tile = 0; tile < view->layout->tile_count; tile++)
        take_leaves(&index->tree, decision, with->search, tile);
    berth__search_tree_group(&index->tree, view->kernels);
    index->epoch = view->layout->epoch;
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
        find_totals(decision, &index->tree, states, first, count, cache->totals);
        berth__search_tree_change(&index->tree, view->kernels, &cache->scratch,
                                  states->slots + first, cache->totals, count);
        index->seen += count;
        cache->counts.repairs += count;
    }
    return true;
}

static bool is_usable(const berth__index *index, const berth__view *view)
{
    uint64_t lag = view->journal_end - index->seen;
    return index->built && index->epoch == view->layout->epoch && lag <= BERTH__JOURNAL &&
           lag <= index->tree.slot_count;
}

/* ---- whether a tree pays ---- */

/* Rough costs in nanoseconds, of one core; see bench. */
enum { SCAN_NS = 500, SCAN_SLOT_NS = 5, BUILD_SLOT_NS = 6, REPAIR_NS = 12, PLAIN_NS = 40 };

static uint64_t repair_cost(const berth__decision *decision, uint64_t lag)
{
    const berth__slot_plan *plan = &decision->prepared->memory.slot_plan;
    bool plain = !plan->basic || plan->extra_filter_count + plan->extra_scorer_count > 0;
    if (plan->stage_epoch != 0 && plain)
        return lag * PLAIN_NS;
    return lag * REPAIR_NS;
}

/* Of a scan that stops once `limit` nodes are found, all being feasible. */
static uint64_t scan_cost(const berth__view *view, uint32_t limit)
{
    uint32_t slots = view->layout->count;
    return SCAN_NS + (uint64_t)(limit < slots ? limit : slots) * SCAN_SLOT_NS;
}

/* A tree is worth its cost once the scans made without it have cost a part of that more than
 * repairing it would have: what is lost on a kind that does not come again stays small beside
 * what was spent on it anyhow. */
static bool is_worth_it(const berth__decision *decision, uint64_t limit, uint64_t cost,
                        uint64_t *sighted, uint64_t *credit)
{
    const berth__view *view = decision->cycle->view;
    uint64_t scan = scan_cost(view, (uint32_t)limit);
    uint64_t repair = repair_cost(decision, view->journal_end - *sighted);
    *sighted = view->journal_end;
    if (repair < scan)
        *credit += scan - repair;
    else
        *credit = 0;
    return *credit * 4 >= cost;
}

/* A kind that has no tree: whether it shall have one. */
static bool deserves_tree(berth__index_cache *cache, const berth__decision *decision,
                          const index_key *key, uint32_t limit)
{
    const berth__layout *layout = decision->cycle->view->layout;
    uint64_t hash = berth__hash_bytes(key, sizeof(*key), layout->epoch);
    berth__sight *sight = &cache->sights[hash % SIGHTS];
    if (sight->hash == hash)
        return is_worth_it(decision, limit, (uint64_t)layout->count * BUILD_SLOT_NS,
                           &sight->sighted, &sight->credit);
    *sight = (berth__sight){hash, decision->cycle->view->journal_end, 0};
    return false;
}

/* Bring a kind's tree up to date unless a scan is better. */
static bool bring_up(const build_context *with, berth__index *index,
                     const berth__decision *decision, bool eager)
{
    const berth__view *view = decision->cycle->view;
    bool usable = is_usable(index, view);
    uint64_t lag = view->journal_end - index->seen;
    if (!eager && (!usable || repair_cost(decision, lag) > scan_cost(view, with->limit))) {
        uint64_t cost = (uint64_t)view->layout->count * BUILD_SLOT_NS;
        if (index->epoch != view->layout->epoch) {
            index->epoch = view->layout->epoch;
            index->built = false;
            index->credit = 0;
            index->sighted = view->journal_end;
            return false;
        }
        if (usable && repair_cost(decision, lag) < cost)
            cost = repair_cost(decision, lag);
        if (!is_worth_it(decision, with->limit, cost, &index->sighted, &index->credit))
            return false;
    }
    index->credit = 0;
    index->sighted = view->journal_end;
    return usable ? repair(with->cache, index, decision) : build(with, index, decision);
}

/* ---- asking ---- */

/* The kind of a cycle, or NULL. The prepared state remembers it: which one it is depends on the
 * class and the layout epoch alone. */
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

static bool reserve_visited(berth__index_cache *cache, const berth__view *view)
{
    return berth__grow(cache->allocator, &cache->visited, &cache->visited_capacity,
                       view->layout->tile_count + 1, sizeof(*cache->visited));
}

/* What gates let pass, if there are any. */
static bool find_mask(berth__index_cache *cache, const berth__decision *decision,
                      berth__index *index)
{
    index->decision = *decision;
    index->mask = NULL;
    if (cache->gates.domain_count + cache->gates.slot_count == 0)
        return true;
    if (!reserve_visited(cache, decision->cycle->view))
        return false;
    index->mask = berth__gate_masks_get(&cache->masks, decision, &cache->gates);
    return index->mask != NULL;
}

static int64_t uniform_sum(const berth__decision *decision)
{
    const berth__prepared_stage *scorers = decision->prepared->scorers;
    int64_t sum = decision->profile->ranks_nodes ? 0 : 1; /* as berth__search_score has it */
    for (uint32_t i = 0; i < decision->profile->scorer_count; i++)
        if (scorers[i].outcome == BERTH__UNIFORM)
            sum += scorers[i].uniform * decision->profile->scorers[i].weight;
    return sum;
}

/* Plan a class's slots; false, and why, if its decisions can't be indexed. */
static bool can_plan(berth__index_cache *cache, const berth__decision *decision)
{
    if (plan_slots(decision))
        return true;
    cache->why = decision->prepared->memory.slot_plan.why;
    return false;
}

/* The kind's index, made if it deserves one; `*eager` is then set. NULL: it has none. */
static berth__index *find_or_add(const build_context *build, const berth__decision *decision,
                                 bool *eager)
{
    berth__index_cache *cache = build->cache;
    /* A class that has not been planned for yet may well be the only one of its kind: so that comes
     * first. */
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
        cache->why = BERTH_SCAN_MEMORY; /* if there is none */
    }
    return index;
}

/* Bring the kind's tree and gates to the present. False: a scan is better, or there is no
 * memory. */
static bool make_current(const build_context *build, berth__index *index,
                         const berth__decision *decision, bool eager)
{
    berth__index_cache *cache = build->cache;
    berth__use_again(&cache->order, &index->used);
    berth__slot_log_follow(cache->log, decision->cycle->view);
    cache->why = eager ? BERTH_SCAN_MEMORY : BERTH_SCAN_BEHIND;
    if (!bring_up(build, index, decision, eager))
        return false;
    cache->why = BERTH_SCAN_MEMORY;
    return find_mask(cache, decision, index);
}

berth__index *berth__index_get(berth__index_cache *cache, const berth__decision *decision,
                               berth__search *search, berth__arena *arena, bool eager)
{
    const berth__view *view = decision->cycle->view;
    const build_context build = {cache, search, arena,
                                 berth__profile_limit(decision->profile, view->layout->count)};
    berth__index *index = find_or_add(&build, decision, &eager);
    if (index == NULL)
        return NULL;
    cache->why = BERTH_SCAN_DOMAINS;
    if (!find_gates(decision, &cache->gates))
        return NULL;
    cache->why = BERTH_SCAN_SCORE;
    if (!are_level(decision, &cache->gates) || !make_current(&build, index, decision, eager))
        return NULL;
    index->constant = uniform_sum(decision);
    return index;
}

static const berth__mask *passing_of_tile(void *context, uint32_t tile)
{
    const berth__index *index = context;
    return berth__gate_mask_tile(index->mask, &index->decision, tile);
}

void berth__index_search(const berth__index_cache *cache, berth__index *index, uint32_t start,
                         uint32_t limit, berth__index_answer *out)
{
    out->walk = (berth__tree_walk){.tree = &index->tree,
                                   .kernels = index->decision.cycle->view->kernels,
                                   .tile = passing_of_tile,
                                   .context = index,
                                   .visited = cache->visited};
    if (index->mask == NULL)
        berth__search_tree_ask(&index->tree, start, limit, &out->slots);
    else
        berth__tree_walk_ask(&out->walk, start, limit, &out->slots);
    out->best = out->slots.best + index->constant;
}

void berth__index_list(const berth__index *index, berth__node_list *list)
{
    const berth__layout *layout = index->decision.cycle->view->layout;
    const int32_t *leaves = index->tree.leaves;
    for (uint32_t first = 0; first < layout->count; first += BERTH__TILE) {
        const berth__mask *passing =
            index->mask != NULL
                ? berth__gate_mask_tile(index->mask, &index->decision, first / BERTH__TILE)
                : NULL;
        for (uint32_t s = 0; s < BERTH__TILE && first + s < layout->count; s++)
            if (leaves[first + s] >= 0 && (passing == NULL || berth__bit_get(passing->words, s)))
                berth__node_list_add(list, layout->nodes[first + s],
                                     leaves[first + s] + index->constant);
    }
}

uint32_t berth__index_nth_best(const berth__index *index, uint32_t start,
                               const berth__index_answer *answer, uint32_t n)
{
    return index->mask == NULL ? berth__search_tree_nth_best(&index->tree, start, &answer->slots, n)
                               : berth__tree_walk_nth_best(&answer->walk, start, &answer->slots, n);
}

uint32_t berth__index_heap_best(const berth__index *index, uint32_t start,
                                const berth__index_answer *answer)
{
    return index->mask == NULL ? berth__search_tree_heap_best(&index->tree, answer->walk.kernels,
                                                              start, &answer->slots)
                               : berth__tree_walk_heap_best(&answer->walk, start, &answer->slots);
}
