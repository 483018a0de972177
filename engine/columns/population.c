/* Populations: sets of running pods that a selector matches, interned and counted by slot. */
#include <string.h>

#include "base/assert.h"
#include "columns/pod_counts.h"
#include "model/related.h"

static bool is_held(const berth__population *population)
{
    return population->kind >= BERTH__HOLDERS_REQUIRED_AFFINITY;
}

/* ---- keys ---- */

static void put(berth__pod_counts *counts, uint32_t word, bool *ok)
{
    if (!berth__grow(counts->model->allocator, &counts->words, &counts->word_capacity,
                     counts->word_count + 1, sizeof(*counts->words))) {
        *ok = false;
        return;
    }
    counts->words[counts->word_count++] = word;
}

static void put_selector(berth__pod_counts *counts, const berth__selector *selector, bool *ok)
{
    put(counts, (uint32_t)selector->kind, ok);
    put(counts, selector->count, ok);
    for (uint32_t i = 0; i < selector->count; i++) {
        const berth__interned_requirement *item = &selector->items[i];
        put(counts, item->key, ok);
        put(counts, (uint32_t)item->op, ok);
        put(counts, item->value_count, ok);
        for (uint32_t v = 0; v < item->value_count; v++)
            put(counts, item->values[v], ok);
    }
}

static void put_filter(berth__pod_counts *counts, const berth__pod_filter *filter, bool *ok)
{
    put(counts, filter->namespace_count, ok);
    for (uint32_t i = 0; i < filter->namespace_count; i++)
        put(counts, filter->namespaces[i], ok);
    put_selector(counts, &filter->namespace_selector, ok);
    put_selector(counts, &filter->selector, ok);
}

/* ---- copies ---- */

static berth__pod_filter copy_filter(berth__arena *arena, const berth__pod_filter *source, bool *ok)
{
    size_t bytes = source->namespace_count * sizeof(*source->namespaces);
    return (berth__pod_filter){berth__arena_copy(arena, source->namespaces, bytes, ok),
                               source->namespace_count,
                               berth__selector_copy(arena, &source->namespace_selector, ok),
                               berth__selector_copy(arena, &source->selector, ok)};
}

static bool selects_by_labels(const berth__pod_filter *filter)
{
    return filter->namespace_selector.kind == BERTH__SELECTOR_REQUIREMENTS;
}

static void copy_filters(berth__population *population, const berth__pod_filter *filters,
                         uint32_t count, bool *ok)
{
    berth__pod_filter *own =
        berth__arena_alloc(&population->arena, count * sizeof(*own), _Alignof(berth__pod_filter));
    if (own == NULL)
        *ok = false;
    for (uint32_t i = 0; *ok && i < count; i++) {
        own[i] = copy_filter(&population->arena, &filters[i], ok);
        population->asks_namespaces |= selects_by_labels(&filters[i]);
    }
    population->filters = own;
    population->filter_count = count;
}

/* ---- the indexes ---- */

static bool matches_none(const berth__selector *selector)
{
    return selector->kind == BERTH__SELECTOR_NOTHING || selector->kind == BERTH__SELECTOR_INVALID;
}

/* The only namespace that a filter allows, or 0. */
static berth__sym only_namespace(const berth__pod_filter *filter)
{
    return filter->namespace_count == 1 && matches_none(&filter->namespace_selector)
               ? filter->namespaces[0]
               : 0;
}

/* The filter by which a population is found: one that matches nothing, otherwise the most
 * specific. */
const berth__pod_filter *berth__population_leading(const berth__population *population)
{
    const berth__pod_filter *best = &population->filters[0];
    for (uint32_t i = 0; i < population->filter_count; i++) {
        const berth__pod_filter *one = &population->filters[i];
        if (matches_none(&one->selector))
            return one;
        if (berth__label_index_rank(only_namespace(one), &one->selector) >
            berth__label_index_rank(only_namespace(best), &best->selector))
            best = one;
    }
    return best;
}

static berth__label_index *index_of(berth__pod_counts *counts, const berth__population *population)
{
    return is_held(population) ? &counts->holders : &counts->matching;
}

static bool enter(berth__view *view, berth__population *population)
{
    berth__pod_counts *counts = view->counts;
    const berth__pod_filter *filter = berth__population_leading(population);
    if (!berth__label_index_add(index_of(counts, population), only_namespace(filter),
                                &filter->selector, population))
        return false;
    berth__keymap_add(&counts->populations, &population->entry);
    population->next = counts->first;
    if (counts->first != NULL)
        counts->first->previous = population;
    counts->first = population;
    if (is_held(population)) {
        counts->holder_count++;
        counts->new_holders[counts->holders_added++ % BERTH__NEW_HOLDERS] = population;
    } else {
        berth__groups_enter(view, population);
    }
    return true;
}

/* ---- create and destroy ---- */

static berth__population *make(berth__pod_counts *counts, const berth__pod_filter *filters,
                               uint32_t filter_count)
{
    berth__arena arena;
    size_t key_bytes = counts->word_count * sizeof(uint32_t);
    berth__arena_init_sized(&arena, counts->model->allocator,
                            sizeof(berth__population) + 2 * key_bytes + 256);
    berth__population *population =
        berth__arena_alloc_zero(&arena, sizeof(*population), _Alignof(berth__population));
    if (population == NULL)
        return NULL;
    population->arena = arena;
    bool ok = true;
    population->entry.key = berth__arena_copy(&population->arena, counts->words, key_bytes, &ok);
    population->entry.key_bytes = (uint32_t)key_bytes;
    copy_filters(population, filters, filter_count, &ok);
    if (ok)
        return population;
    arena = population->arena;
    berth__arena_destroy(&arena);
    return NULL;
}

berth__population *berth__population_intern(berth__view *view, berth__population_kind kind,
                                            int32_t weight, berth__sym topology_key,
                                            const berth__pod_filter *filters, uint32_t filter_count)
{
    berth__pod_counts *counts = view->counts;
    bool ok = true;
    counts->word_count = 0;
    put(counts, (uint32_t)kind, &ok);
    put(counts, (uint32_t)weight, &ok);
    put(counts, topology_key, &ok);
    for (uint32_t i = 0; i < filter_count; i++)
        put_filter(counts, &filters[i], &ok);
    if (!ok)
        return NULL;
    berth__population *population = (berth__population *)berth__keymap_find(
        &counts->populations, counts->words, counts->word_count * sizeof(uint32_t));
    if (population != NULL)
        return population;
    population = make(counts, filters, filter_count);
    if (population == NULL)
        return NULL;
    population->kind = kind;
    population->weight = weight;
    population->topology_key = topology_key;
    /* Held terms are registered before the first pod that holds them is counted. Pods that a filter
     * matches may exist already. */
    population->valid = is_held(population);
    if (enter(view, population))
        return population;
    berth__arena arena = population->arena;
    berth__arena_destroy(&arena);
    return NULL;
}

static void forget_slots(berth__pod_counts *counts, berth__population *population)
{
    berth__slot_pods_free(&population->slots, counts->model->allocator);
    population->total = 0;
}

void berth__population_void(berth__pod_counts *counts, berth__population *population)
{
    forget_slots(counts, population);
    population->valid = false;
    for (berth__domain_counts *one = population->domains; one != NULL; one = one->next)
        one->since = BERTH__EPOCH_NONE;
}

void berth__population_drop(berth__view *view, berth__population *population)
{
    berth__pod_counts *counts = view->counts;
    BERTH_ASSERT(population->users == 0 && population->domains == NULL);
    const berth__pod_filter *filter = berth__population_leading(population);
    berth__label_index_remove(index_of(counts, population), only_namespace(filter),
                              &filter->selector, population);
    berth__keymap_remove(&counts->populations, &population->entry);
    *(population->previous != NULL ? &population->previous->next : &counts->first) =
        population->next;
    if (population->next != NULL)
        population->next->previous = population->previous;
    if (is_held(population)) {
        counts->membership_epoch++;
        counts->holder_count--;
        counts->holders_epoch++;
    } else {
        berth__groups_leave(view, population);
    }
    forget_slots(counts, population);
    berth__arena arena = population->arena; /* the population itself lies in the arena */
    berth__arena_destroy(&arena);
}

/* ---- matching ---- */

static bool namespace_listed(const berth__pod_filter *filter, berth__sym name)
{
    for (uint32_t i = 0; i < filter->namespace_count; i++)
        if (filter->namespaces[i] == name)
            return true;
    return false;
}

bool berth__pod_filter_matches(const berth__view *view, const berth__pod_filter *filter,
                               const berth__identity *identity, bool object_needed)
{
    const berth__intern *strings = &view->model->strings;
    if (!berth__selector_matches(strings, &filter->selector, identity->labels))
        return false;
    if (namespace_listed(filter, identity->namespace_name))
        return true;
    if (filter->namespace_selector.kind == BERTH__SELECTOR_EVERYTHING)
        return true;
    if (!selects_by_labels(filter))
        return false;
    bool present = false;
    berth__labels labels = {0};
    if (view->related != NULL)
        labels = berth__related_namespace(view->related, identity->namespace_name, &present);
    return (present || !object_needed) &&
           berth__selector_matches(strings, &filter->namespace_selector, labels);
}

bool berth__population_matches(const berth__view *view, const berth__population *population,
                               const berth__identity *identity)
{
    for (uint32_t i = 0; i < population->filter_count; i++)
        if (!berth__pod_filter_matches(view, &population->filters[i], identity, true))
            return false;
    return true;
}

bool berth__population_concerns(const berth__view *view, const berth__population *population,
                                const berth__identity *identity)
{
    return berth__pod_filter_matches(view, &population->filters[0], identity, false);
}

/* ---- counting ---- */

uint32_t *berth__population_counter(berth__view *view, berth__population *population, uint32_t slot)
{
    return berth__slot_pods_counter(&population->slots, view->model->allocator,
                                    view->layout->tile_count, slot);
}

void berth__population_change(berth__view *view, berth__population *population, uint32_t slot,
                              int change)
{
    if (!population->valid)
        return;
    uint32_t *counter = berth__population_counter(view, population, slot);
    if (counter == NULL) {
        view->counts->lost = true;
        berth__population_void(view->counts, population);
        return;
    }
    BERTH_ASSERT(change > 0 || *counter > 0);
    uint32_t before = *counter;
    *counter = before + (uint32_t)change;
    population->changed[population->changes++ % BERTH__POPULATION_LOG] = slot;
    population->total += (uint64_t)(int64_t)change;
    for (berth__domain_counts *one = population->domains; one != NULL; one = one->next)
        berth__domain_counts_change(view, one, slot, before, change);
}

/* Results by identity, for walks over pods with few identities. */
enum { VERDICTS = 256 };
typedef struct verdicts {
    struct {
        uint64_t serial;
        uint32_t belongs;
    } items[VERDICTS];
} verdicts;

/* How often a pod counts in the population. Sets `*ok` to false when out of memory. */
static uint32_t times_counted(berth__view *view, const berth__population *population,
                              const berth__class *cls, verdicts *known, bool *ok)
{
    if (is_held(population)) {
        const berth__membership *held = NULL;
        uint32_t times = 0;
        if (cls->pod_rules == NULL)
            return 0;
        held = berth__pod_counts_of_rules(view, cls->pod_rules);
        *ok &= held != NULL;
        for (uint32_t i = 0; held != NULL && i < held->count; i++)
            times += held->items[i] == population || held->items[i] == population->same;
        return times;
    }
    if (population->kind == BERTH__PODS_STAYING && cls->deleting)
        return 0;
    uint64_t serial = cls->identity->part.serial;
    uint32_t at = (uint32_t)serial % VERDICTS;
    if (known->items[at].serial != serial) {
        known->items[at].serial = serial;
        known->items[at].belongs = berth__population_matches(view, population, cls->identity);
    }
    return known->items[at].belongs;
}

static bool walk(berth__view *view, berth__population *population, verdicts *known)
{
    const berth__pods *pods = view->counts->pods;
    bool ok = true;
    for (uint32_t slot = 0; slot < view->layout->count; slot++) {
        uint32_t index = berth__counted_pods(view, slot);
        for (; index != BERTH_POD_INDEX_NONE; index = berth__pod_at(pods, index)->next) {
            uint32_t times =
                times_counted(view, population, berth__pod_at(pods, index)->cls, known, &ok);
            if (times == 0)
                continue;
            uint32_t *counter = berth__population_counter(view, population, slot);
            if (counter == NULL || !ok)
                return false;
            *counter += times;
            population->total += times;
        }
    }
    return ok;
}

bool berth__population_walk(berth__view *view, berth__population *population)
{
    verdicts known;
    memset(&known, 0, sizeof(known));
    berth__population_void(view->counts, population);
    if (view->counts->supposing)
        return false;
    population->valid = walk(view, population, &known);
    if (!population->valid)
        forget_slots(view->counts, population);
    return population->valid;
}

/* Matched pods are summed from groups. Pods that hold a term need a walk over all pods, but their
 * counts become invalid only when memory is short. */
bool berth__population_renew(berth__view *view, berth__population *population)
{
    if (population->valid)
        return true;
    if (is_held(population))
        return berth__population_walk(view, population);
    berth__population_void(view->counts, population);
    population->valid = matches_none(&berth__population_leading(population)->selector) ||
                        (berth__groups_start(view) && berth__groups_sum(view, population));
    if (!population->valid)
        forget_slots(view->counts, population);
    return population->valid;
}

/* ---- following the layout ---- */

void berth__population_move(berth__view *view, berth__population *population, const uint32_t *slots,
                            uint32_t slot_count, uint32_t staying)
{
    const berth__slot_moves by = {slots, slot_count, staying, view->layout->tile_count};
    uint64_t lost;
    if (population->valid && slots != NULL &&
        berth__slot_pods_move(&population->slots, view->model->allocator, view->kernels, &by,
                              &lost))
        population->total -= lost;
    else
        berth__population_void(view->counts, population);
}
