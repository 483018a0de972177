/* The prepared states that the decisions for a pod class share: computed, cached, dropped. */
#include "prepare/prepared.h"

#include <string.h>

#include "base/assert.h"
#include "base/limit.h"
#include "columns/facts_news.h"
#include "columns/pod_counts.h"
#include "model/related.h"
#include "plugins/extended_resources.h"
#include "prepare/prepared_statics.h"

/* Bounds of the cache. */
enum { PREPARED_MAX = BERTH__LIMIT(1 << 16, 4) };
/* Room for the states of most kinds. With the header of the chunk, a size that allocators have. */
enum { ARENA_BYTES = 3584 - 64 };
static const size_t PREPARED_BYTES_MAX = (size_t)256 << 20;

berth_status berth__prepared_cache_init(berth__prepared_cache *cache,
                                        const berth_allocator *allocator)
{
    *cache = (berth__prepared_cache){.allocator = allocator};
    berth__arena_init(&cache->first.arena, allocator);
    return berth__keymap_init(&cache->map, allocator);
}

/* The memory that a kind takes besides its struct. */
static size_t bytes_of(const berth__prepared_kind *prepared)
{
    return prepared->arena.total_bytes + berth__statics_bytes(&prepared->statics);
}

static void destroy(const berth__prepared_cache *cache, berth__prepared_kind *prepared)
{
    berth__statics_free(cache->allocator, &prepared->statics);
    berth__arena_destroy(&prepared->arena);
}

static void drop(berth__prepared_cache *cache, berth__prepared_kind *prepared)
{
    berth__use_remove(&cache->order, &prepared->used);
    berth__keymap_remove(&cache->map, &prepared->used.entry);
    if (prepared->class_place < cache->note_capacity &&
        cache->notes[prepared->class_place].kind == prepared)
        cache->notes[prepared->class_place].kind = NULL;
    cache->bytes -= bytes_of(prepared);
    destroy(cache, prepared);
    berth__free(cache->allocator, prepared, sizeof(*prepared));
}

static void drop_oldest(berth__prepared_cache *cache)
{
    drop(cache, (berth__prepared_kind *)cache->order.oldest);
}

void berth__prepared_cache_destroy(berth__prepared_cache *cache)
{
    while (cache->order.oldest != NULL)
        drop_oldest(cache);
    if (cache->allocator != NULL) {
        destroy(cache, &cache->first);
        berth__free(cache->allocator, cache->notes, cache->note_capacity * sizeof(*cache->notes));
    }
    berth__keymap_destroy(&cache->map);
}

/* ---- preparing ---- */

static bool each_time(const berth__stage *stage)
{
    return (stage->plugin->flags & BERTH__PREPARE_EACH) != 0;
}

/* An alignment that suffices for any type of this size: states are small, and most lines of memory
 * hold several. */
static size_t alignment_for(size_t bytes)
{
    const size_t lowest = bytes & -bytes;
    return lowest <= 16 ? 16 : lowest < 64 ? lowest : 64;
}

/* Run one plugin's prepare function. `*allowed` changes if the plugin restricts the search further.
 * Returns false when out of memory. */
static bool prepare_stage(const berth__question *cycle, const berth__stage *stage, bool filter,
                          berth__arena *arena, berth__prepared_stage *out, const uint64_t **allowed)
{
    const berth__plugin_ops *plugin = stage->plugin;
    size_t bytes = filter ? plugin->filter_state_bytes : plugin->score_state_bytes;
    out->reasons = (berth__reasons){.arena = arena, .ok = true};
    berth__prepare prepare = {.cycle = cycle,
                              .instance = stage->instance,
                              .state = berth__arena_alloc_zero(arena, bytes, alignment_for(bytes)),
                              .arena = arena,
                              .reasons = &out->reasons,
                              .allowed = *allowed,
                              .bare = stage->bare,
                              .ok = true};
    if (prepare.state == NULL)
        return false;
    berth__outcome (*function)(berth__prepare *) =
        filter ? plugin->prepare_filter : plugin->prepare_score;
    out->outcome = function != NULL ? function(&prepare) : BERTH__ACTIVE;
    BERTH_DASSERT(out->outcome != BERTH__ACTIVE ||
                  (filter ? plugin->filter != NULL : plugin->score != NULL));
    out->state = prepare.state;
    out->uniform = prepare.uniform;
    out->may_fail = prepare.may_fail;
    out->small = prepare.small;
    out->by_node = prepare.by_node;
    out->image_worth = prepare.image_worth;
    out->stays = prepare.stays && (out->outcome == BERTH__SKIP || out->outcome == BERTH__UNIFORM);
    *allowed = prepare.allowed;
    return prepare.ok && out->reasons.ok;
}

bool berth__prepare_filter(const berth__question *cycle, const berth__stage *stage,
                           berth__arena *arena, berth__prepared_stage *out)
{
    const uint64_t *allowed = NULL;
    return prepare_stage(cycle, stage, true, arena, out, &allowed);
}

bool berth__prepare_scorer(const berth__question *cycle, const berth__stage *stage,
                           berth__arena *arena, berth__prepared_stage *out)
{
    const uint64_t *allowed = NULL;
    return prepare_stage(cycle, stage, false, arena, out, &allowed);
}

static bool refuses(const berth__prepared_stage *filter)
{
    return filter->outcome == BERTH__REFUSE || filter->outcome == BERTH__FAIL;
}

static bool prepare_one_filter(const berth__decision *decision, uint32_t i, berth__arena *arena)
{
    berth__prepared_verdict *verdict = &decision->prepared->verdict;
    berth__prepared_stage *own = &decision->prepared->filters[i];
    verdict->refusing -= refuses(own);
    const bool ok = prepare_stage(decision->cycle, &decision->profile->filters[i], true, arena, own,
                                  &verdict->allowed);
    verdict->refusing += refuses(own);
    return ok;
}

/* What a scorer adds to each total without looking at nodes. */
static int64_t uniform_part(const berth__decision *decision, uint32_t i)
{
    const berth__prepared_stage *own = &decision->prepared->scorers[i];
    return own->outcome == BERTH__UNIFORM && i < decision->profile->scorer_count
               ? own->uniform * decision->profile->scorers[i].weight
               : 0;
}

static bool prepare_one_scorer(const berth__decision *decision, uint32_t i, berth__arena *arena)
{
    berth__prepared_verdict *verdict = &decision->prepared->verdict;
    verdict->uniform -= uniform_part(decision, i);
    const bool ok = prepare_stage(decision->cycle, &decision->profile->scorers[i], false, arena,
                                  &decision->prepared->scorers[i], &verdict->allowed);
    verdict->uniform += uniform_part(decision, i);
    return ok;
}

/* Prepare the stages that prepare at every decision (`each`), or the others. */
static bool prepare_stages(const berth__decision *decision, bool each, berth__arena *arena)
{
    const berth__ready_profile *profile = decision->profile;
    for (uint32_t i = 0; i < profile->filter_stages; i++)
        if (each_time(&profile->filters[i]) == each && !prepare_one_filter(decision, i, arena))
            return false;
    for (uint32_t i = 0; i < profile->scorer_stages; i++)
        if (each_time(&profile->scorers[i]) == each && !prepare_one_scorer(decision, i, arena))
            return false;
    return true;
}

/* ---- stages that prepare each time ---- */

static void list_each(berth__prepared_kind *prepared, const berth__ready_profile *profile)
{
    prepared->each.filter_count = prepared->each.scorer_count = 0;
    for (uint32_t i = 0; i < profile->filter_stages; i++)
        if (each_time(&profile->filters[i]) && !prepared->filters[i].stays)
            prepared->each.filters[prepared->each.filter_count++] = i;
    for (uint32_t i = 0; i < profile->scorer_stages; i++)
        if (each_time(&profile->scorers[i]) && !prepared->scorers[i].stays)
            prepared->each.scorers[prepared->each.scorer_count++] = i;
}

/* `*changed`: a stage takes part in another way than at the kind's last decision. */
static bool prepare_listed(const berth__decision *decision, berth__arena *arena, bool *changed)
{
    berth__prepared_kind *prepared = decision->prepared;
    const berth__prepared_each *each = &prepared->each;
    *changed = false;
    for (uint32_t i = 0; i < each->filter_count; i++) {
        const berth__prepared_stage *stage = &prepared->filters[each->filters[i]];
        const berth__outcome outcome = stage->outcome;
        const bool may_fail = stage->may_fail;
        if (!prepare_one_filter(decision, each->filters[i], arena))
            return false;
        *changed |= stage->outcome != outcome || stage->may_fail != may_fail;
    }
    for (uint32_t i = 0; i < each->scorer_count; i++) {
        const berth__prepared_stage *stage = &prepared->scorers[each->scorers[i]];
        const berth__outcome outcome = stage->outcome;
        if (!prepare_one_scorer(decision, each->scorers[i], arena))
            return false;
        *changed |= stage->outcome != outcome;
    }
    return true;
}

static bool prepare_all_each(const berth__decision *decision, berth__arena *arena, bool *changed)
{
    *changed = true;
    if (!prepare_stages(decision, true, arena))
        return false;
    list_each(decision->prepared, decision->profile);
    return true;
}

static berth__prepared_world world_of(const berth__view *view)
{
    const struct berth__related *related = view->related;
    return (berth__prepared_world){
        .holders_epoch = view->counts != NULL ? view->counts->holders_epoch : 0,
        .holders_added = view->counts != NULL ? view->counts->holders_added : 0,
        .namespace_epoch = related != NULL ? related->namespace_epoch : 0,
        .related_epoch = related != NULL ? related->epoch : 0,
    };
}

/* Whether nothing has changed that concerns the pod. */
static bool same_world(const berth__question *cycle, const berth__prepared_world *before,
                       const berth__prepared_world *now)
{
    return before->holders_epoch == now->holders_epoch &&
           before->namespace_epoch == now->namespace_epoch &&
           before->related_epoch == now->related_epoch &&
           (before->holders_added == now->holders_added ||
            !berth__pod_counts_newly_concerned(cycle->view, before->holders_added,
                                               cycle->cls->identity));
}

static bool allocate_slot_plan(berth__prepared_kind *prepared, const berth__ready_profile *profile)
{
    size_t filters = profile->filter_count, scorers = profile->scorer_count;
    uint32_t *lists = berth__arena_alloc(&prepared->arena, (4 * filters + 3 * scorers) * 4, 4);
    prepared->memory.slot_plan = (berth__slot_plan){.filters = lists};
    if (lists == NULL)
        return false;
    prepared->memory.slot_plan.extra_filters = lists + filters;
    prepared->memory.slot_plan.gates = lists + 2 * filters;
    prepared->memory.slot_plan.late = lists + 3 * filters;
    prepared->memory.slot_plan.scorers = lists + 4 * filters;
    prepared->memory.slot_plan.extra_scorers = lists + 4 * filters + scorers;
    prepared->memory.slot_plan.apart = lists + 4 * filters + 2 * scorers;
    return true;
}

/* Prepare everything that holds as long as node facts do. */
static bool prepare_epoch(const berth__decision *decision)
{
    berth__prepared_kind *prepared = decision->prepared;
    const berth__ready_profile *profile = decision->profile;
    berth__arena *arena = &prepared->arena;
    berth__arena_reset(arena);
    prepared->verdict.allowed = NULL;
    prepared->verdict.refusing = 0;
    prepared->verdict.uniform = 0;
    prepared->each.settled = false;
    prepared->memory.tree = NULL;
    prepared->memory.mask = NULL;
    prepared->memory.cells = NULL;
    prepared->memory.map = NULL;
    prepared->filters =
        berth__arena_alloc_zero(arena, profile->filter_stages * sizeof(*prepared->filters), 8);
    prepared->scorers =
        berth__arena_alloc_zero(arena, profile->scorer_stages * sizeof(*prepared->scorers), 8);
    prepared->each.filters = berth__arena_alloc(arena, profile->filter_stages * 4, 4);
    prepared->each.scorers = berth__arena_alloc(arena, profile->scorer_stages * 4, 4);
    if (prepared->filters == NULL || prepared->scorers == NULL || prepared->each.filters == NULL ||
        prepared->each.scorers == NULL || !prepare_stages(decision, false, arena) ||
        !berth__statics_prepare(decision) || !allocate_slot_plan(prepared, profile))
        return false;
    prepared->verdict.stage_epoch++;
    prepared->each.static_allowed = prepared->verdict.allowed;
    prepared->epoch = decision->cycle->view->layout->epoch;
    prepared->names_epoch = decision->cycle->view->names_epoch;
    prepared->backing_epoch = berth__backing_epoch(decision->cycle->view, decision->cycle->cls);
    return true;
}

/* Find the first plugin, in order of preparing, whose verdict ends the attempt. A verdict that
 * preemption can't change takes precedence over one that preemption may change. Scorers can only
 * fail. */
static void sum_up(berth__prepared_kind *prepared, const berth__ready_profile *profile)
{
    prepared->verdict.outcome = BERTH__ACTIVE;
    prepared->verdict.why = NULL;
    for (uint32_t i = 0; prepared->verdict.refusing > 0 && i < profile->filter_stages; i++) {
        const berth__prepared_stage *stage = &prepared->filters[profile->filter_order[i]];
        if (!refuses(stage))
            continue;
        bool final =
            stage->outcome == BERTH__FAIL || stage->reasons.code == BERTH_CODE_UNRESOLVABLE;
        if (prepared->verdict.why != NULL && !final)
            continue;
        prepared->verdict.outcome = stage->outcome;
        prepared->verdict.why = &stage->reasons;
        if (final)
            return;
    }
}

static berth__prepared_kind *create(berth__prepared_cache *cache, const berth__decision *decision)
{
    berth__prepared_kind *prepared =
        berth__alloc_zero(cache->allocator, sizeof(*prepared), _Alignof(berth__prepared_kind));
    if (prepared == NULL)
        return NULL;
    prepared->key.class_serial = decision->cycle->cls->serial;
    prepared->key.profile = decision->profile_index;
    prepared->class_place = decision->cycle->cls->place;
    prepared->used.entry.key = &prepared->key;
    prepared->used.entry.key_bytes = sizeof(prepared->key);
    berth__arena_init_sized(&prepared->arena, cache->allocator, ARENA_BYTES);
    prepared->counted = &cache->bytes;
    prepared->epoch = UINT64_MAX;
    berth__keymap_add(&cache->map, &prepared->used.entry);
    berth__use_add(&cache->order, &prepared->used);
    return prepared;
}

static berth__prepared_kind *find_or_create(berth__prepared_cache *cache,
                                            const berth__decision *decision)
{
    const uint64_t key[2] = {decision->cycle->cls->serial, decision->profile_index};
    berth__keymap_entry *found = berth__keymap_find(&cache->map, key, sizeof(key));
    return found != NULL ? (berth__prepared_kind *)found : create(cache, decision);
}

void berth__prepared_forget(berth__prepared_cache *cache, const berth__class *cls, uint32_t profile)
{
    const uint64_t key[2] = {cls->serial, profile};
    berth__keymap_entry *found = berth__keymap_find(&cache->map, key, sizeof(key));
    if (found != NULL)
        ((berth__prepared_kind *)found)->epoch = UINT64_MAX; /* the epoch of no layout */
}

/* The note at a class's place number, perhaps left by an earlier class with that number; NULL when
 * out of memory. */
static berth__kind_note *note_of(berth__prepared_cache *cache, const berth__class *cls)
{
    uint32_t before = cache->note_capacity;
    if (BERTH_UNLIKELY(cls->place >= before)) {
        if (!berth__grow(cache->allocator, &cache->notes, &cache->note_capacity, cls->place + 1,
                         sizeof(*cache->notes)))
            return NULL;
        memset(cache->notes + before, 0, (cache->note_capacity - before) * sizeof(*cache->notes));
    }
    return &cache->notes[cls->place];
}

static berth__prepared_kind *begin_first(berth__prepared_cache *cache,
                                         const berth__decision *decision)
{
    berth__prepared_kind *first = &cache->first;
    first->epoch = UINT64_MAX;
    first->statics.valid = false;
    first->key.class_serial = decision->cycle->cls->serial;
    first->key.profile = decision->profile_index;
    return first;
}

static berth__prepared_kind *lookup(berth__prepared_cache *cache, const berth__decision *decision)
{
    const berth__class *cls = decision->cycle->cls;
    berth__prepared_kind *found;
    if (cache->without_notes) {
        found = find_or_create(cache, decision);
    } else {
        berth__kind_note *note = note_of(cache, cls);
        if (note == NULL)
            return NULL;
        if (note->serial != cls->serial) {
            *note = (berth__kind_note){cls->serial, NULL};
            return begin_first(cache, decision);
        }
        if (note->kind == NULL || note->kind->key.profile != decision->profile_index)
            note->kind = find_or_create(cache, decision);
        found = note->kind;
    }
    if (found != NULL)
        berth__use_again(&cache->order, &found->used);
    return found;
}

static void trim(berth__prepared_cache *cache)
{
    while ((cache->map.count > PREPARED_MAX || cache->bytes > PREPARED_BYTES_MAX) &&
           cache->order.oldest != cache->order.newest)
        drop_oldest(cache);
}

/* Whether a plugin of an embedder, which may read any part of a node, takes part. */
static bool reads_all(const berth__ready_profile *profile)
{
    bool reads = false;
    for (uint32_t i = 0; i < profile->filter_stages; i++)
        reads |= (profile->filters[i].plugin->flags & BERTH__READS_CLASS) != 0;
    for (uint32_t i = 0; i < profile->scorer_stages; i++)
        reads |= (profile->scorers[i].plugin->flags & BERTH__READS_CLASS) != 0;
    return reads;
}

/* Whether node facts are the same for a kind, because only images changed that its pods have not:
 * each pod that starts may bring its image to a node. */
static bool facts_stay(const berth__decision *decision)
{
    const berth__prepared_kind *prepared = decision->prepared;
    const berth__layout *layout = decision->cycle->view->layout;
    berth__facts_news news;
    return prepared->epoch == layout->epoch ||
           (berth__facts_news_since(layout, BERTH__ON_ALL, prepared->epoch, &news) &&
            news.changes == BERTH__FACTS_IMAGES &&
            !berth__class_has_image(decision->cycle->cls, news.images) &&
            !reads_all(decision->profile));
}

/* If node facts have changed, prepare again the states that depend on them. */
static bool follow_epoch(berth__prepared_cache *cache, const berth__decision *decision)
{
    berth__prepared_kind *prepared = decision->prepared;
    const berth__view *view = decision->cycle->view;
    if (!berth__backing_refresh(view, decision->cycle->cls))
        return false;
    prepared->verdict.reused =
        prepared->names_epoch == view->names_epoch &&
        prepared->backing_epoch == berth__backing_epoch(view, decision->cycle->cls) &&
        facts_stay(decision);
    if (prepared->verdict.reused) {
        prepared->epoch = view->layout->epoch;
        return true;
    }
    bool first = prepared == &cache->first;
    cache->bytes -= first ? 0 : bytes_of(prepared);
    bool ok = prepare_epoch(decision);
    cache->bytes += first ? 0 : bytes_of(prepared);
    if (!ok && !first)
        drop(cache, prepared);
    if (ok)
        trim(cache);
    return ok;
}

berth_status berth__prepared_get(berth__prepared_cache *cache, berth__decision *decision,
                                 berth__arena *arena)
{
    const berth__question *cycle = decision->cycle;
    berth__prepared_kind *prepared = decision->prepared = lookup(cache, decision);
    if (prepared == NULL || !follow_epoch(cache, decision)) {
        decision->prepared = NULL;
        return BERTH_E_NOMEM;
    }
    berth__prepared_each *each = &prepared->each;
    berth__prepared_world world = world_of(cycle->view);
    bool as_before = each->settled && cycle->required_node == BERTH_NODE_NONE &&
                     same_world(cycle, &each->world, &world);
    if (as_before && each->filter_count + each->scorer_count == 0) {
        each->world = world;
        return BERTH_OK;
    }
    const bool restricted = prepared->verdict.allowed != NULL;
    bool changed = true;
    each->settled = false;
    prepared->verdict.allowed = each->static_allowed;
    if (!(as_before ? prepare_listed : prepare_all_each)(decision, arena, &changed)) {
        decision->prepared = NULL;
        return BERTH_E_NOMEM;
    }
    if (changed || restricted != (prepared->verdict.allowed != NULL))
        prepared->verdict.stage_epoch++;
    /* Store the world as it was before preparing: a stage may have changed it since by registering
     * terms. */
    each->world = world;
    each->settled = cycle->required_node == BERTH_NODE_NONE;
    sum_up(prepared, decision->profile);
    return BERTH_OK;
}
