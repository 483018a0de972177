/* Plans: the counters to which the rules of a pod class were resolved, in order of last use. */
#include <string.h>

#include "base/assert.h"
#include "base/limit.h"
#include "columns/pod_counts.h"

/* Bounds on plans: their number, and the memory that their counters may take on a large cluster,
 * where the tables of a population's tiles take most. The plans of one question must fit:
 * the engine's own, for which eight are enough, and those of an embedder's plugins. */
enum { PLANS_MIN = BERTH__LIMIT(256, 8), PLANS_MAX = BERTH__LIMIT(16384, 8) };
static const size_t COUNTERS_BYTES = (size_t)256 << 20;

static uint32_t most_plans(const berth__view *view)
{
    size_t plan_bytes = (size_t)view->layout->tile_count * 2 * sizeof(uint32_t *) + 4096;
    size_t most = COUNTERS_BYTES / plan_bytes;
    return most < PLANS_MIN ? PLANS_MIN : most > PLANS_MAX ? PLANS_MAX : (uint32_t)most;
}

/* ---- order of use ---- */

static void unlink_plan(berth__pod_counts *counts, berth__plan *plan)
{
    *(plan->newer != NULL ? &plan->newer->older : &counts->newest) = plan->older;
    *(plan->older != NULL ? &plan->older->newer : &counts->oldest) = plan->newer;
}

static void link_newest(berth__pod_counts *counts, berth__plan *plan)
{
    plan->newer = NULL;
    plan->older = counts->newest;
    *(counts->newest != NULL ? &counts->newest->newer : &counts->oldest) = plan;
    counts->newest = plan;
}

static void drop(berth__view *view, berth__plan *plan)
{
    berth__pod_counts *counts = view->counts;
    const berth_allocator *allocator = counts->model->allocator;
    unlink_plan(counts, plan);
    berth__keymap_remove(&counts->plans, &plan->entry);
    for (uint32_t i = 0; i < plan->use_count; i++)
        berth__domain_counts_release(view, plan->uses[i]);
    berth__free(allocator, plan->uses, plan->use_capacity * sizeof(*plan->uses));
    berth__arena_destroy(&plan->arena);
    berth__free(allocator, plan, sizeof(*plan));
}

void berth__plans_clear(berth__view *view)
{
    while (view->counts->oldest != NULL)
        drop(view, view->counts->oldest);
}

/* ---- finding ---- */

static berth__plan *make(berth__view *view, const berth__plan_key *key)
{
    berth__pod_counts *counts = view->counts;
    const berth_allocator *allocator = counts->model->allocator;
    if (counts->plans.count >= most_plans(view))
        drop(view, counts->oldest);
    berth__plan *plan = berth__alloc_zero(allocator, sizeof(*plan), _Alignof(berth__plan));
    if (plan == NULL)
        return NULL;
    plan->key = *key;
    plan->entry.key = &plan->key;
    plan->entry.key_bytes = sizeof(plan->key);
    berth__arena_init_sized(&plan->arena, allocator, 512);
    berth__keymap_add(&counts->plans, &plan->entry);
    link_newest(counts, plan);
    return plan;
}

/* A decision requests the same few plans again and again, so try the newest before the table. */
static berth__plan *find(const berth__pod_counts *counts, const berth__plan_key *key)
{
    berth__plan *plan = counts->newest;
    for (uint32_t i = 0; i < 2 && plan != NULL; i++, plan = plan->older)
        if (memcmp(&plan->key, key, sizeof(*key)) == 0)
            return plan;
    return (berth__plan *)berth__keymap_find(&counts->plans, key, sizeof(*key));
}

berth__plan *berth__plan_get(berth__view *view, const berth__plan_key *key,
                             const berth__plan_epochs *epochs)
{
    berth__pod_counts *counts = view->counts;
    berth__plan *plan = find(counts, key);
    if (plan == NULL) {
        plan = make(view, key);
    } else if (plan != counts->newest) {
        unlink_plan(counts, plan);
        link_newest(counts, plan);
    }
    if (plan == NULL)
        return NULL;
    if (memcmp(&plan->epochs, epochs, sizeof(*epochs)) != 0) {
        plan->epochs = *epochs;
        plan->resolved = false;
    }
    return plan;
}

/* ---- resolving ---- */

void *berth__plan_begin(berth__plan *plan, size_t body_bytes)
{
    plan->resolved = false;
    plan->old_count = plan->use_count;
    berth__arena_reset(&plan->arena);
    plan->body = berth__arena_alloc_zero(&plan->arena, body_bytes, 16);
    return plan->body;
}

void berth__plan_end(berth__view *view, berth__plan *plan)
{
    uint32_t old_count = plan->old_count;
    for (uint32_t i = 0; i < old_count; i++)
        berth__domain_counts_release(view, plan->uses[i]);
    plan->use_count -= old_count;
    if (plan->use_count > 0)
        memmove(plan->uses, plan->uses + old_count, plan->use_count * sizeof(*plan->uses));
    plan->old_count = 0;
    plan->resolved = true;
}

berth__domain_counts *berth__plan_count_population(berth__view *view, berth__plan *plan,
                                                   berth__population *population,
                                                   berth__sym topology_key,
                                                   berth__inclusion *inclusion)
{
    if (!berth__grow(view->model->allocator, &plan->uses, &plan->use_capacity, plan->use_count + 1,
                     sizeof(*plan->uses)))
        return NULL;
    berth__domain_counts *one =
        berth__domain_counts_intern(view, population, topology_key, inclusion);
    if (one != NULL)
        plan->uses[plan->use_count++] = one;
    return one;
}

berth__domain_counts *berth__plan_count(berth__view *view, berth__plan *plan,
                                        const berth__counted *counted)
{
    berth__population *population = berth__population_intern(
        view, counted->kind, 0, 0, counted->filters, counted->filter_count);
    if (population == NULL)
        return NULL;
    population->users++; /* hold it, so that the population survives if the next call fails */
    berth__domain_counts *one = berth__plan_count_population(
        view, plan, population, counted->topology_key, counted->inclusion);
    population->users--;
    if (one == NULL && population->users == 0)
        berth__population_drop(view, population);
    return one;
}

bool berth__plan_renew(berth__view *view, berth__plan *plan)
{
    for (uint32_t i = 0; i < plan->use_count; i++)
        if (BERTH_UNLIKELY(!berth__domain_counts_ready(view, plan->uses[i])) &&
            !berth__domain_counts_renew(view, plan->uses[i]))
            return false;
    return true;
}
