/* Keeps the counts of PodTopologySpread by hooks, as kube-scheduler does. */
#include "plugins/spread_hooks.h"

#include <string.h>

#include "plugins/spread_rules.h"

static bool is_included(const berth__domain_counts *counts, uint32_t slot)
{
    return berth__bit_get(counts->topology->present, slot) &&
           (counts->inclusion == NULL || berth__bit_get(counts->inclusion->slots, slot));
}

/* Keep a domain's count among the two lowest, if it belongs there. */
static void update_lowest(berth__spread_path *lowest, uint32_t domain, int64_t count)
{
    const berth__spread_path path = {domain, count};
    if (lowest[0].domain == domain || lowest[1].domain == domain) {
        lowest[lowest[0].domain == domain ? 0 : 1].count = count;
        if (lowest[0].count > lowest[1].count) {
            const berth__spread_path first = lowest[0];
            lowest[0] = lowest[1];
            lowest[1] = first;
        }
    } else if (count < lowest[0].count) {
        lowest[1] = lowest[0];
        lowest[0] = path;
    } else if (count < lowest[1].count) {
        lowest[1] = path;
    }
}

static bool make_tally(const berth__question *cycle, const berth__spreads *spreads, uint32_t i,
                       berth__arena *arena, berth__spread_tally *out)
{
    const berth__domain_counts *counts = spreads->items[i].counts;
    const uint32_t domains = counts->topology->domain_count + 1;
    out->counts = berth__arena_alloc(arena, domains * sizeof(int64_t), 8);
    out->domains = domains;
    out->entries = 0;
    out->lowest[0] = out->lowest[1] = (berth__spread_path){0, INT32_MAX};
    if (out->counts == NULL)
        return false;
    for (uint32_t d = 0; d < domains; d++)
        out->counts[d] = -1;
    for (uint32_t slot = 0; slot < cycle->view->layout->count; slot++) {
        const uint32_t domain = counts->topology->domains[slot];
        if (domain == 0 || out->counts[domain] >= 0 || !is_included(counts, slot) ||
            !berth__spread_has_all_keys(spreads, slot))
            continue;
        out->counts[domain] = berth__domain_counts_slot(counts, slot);
        out->entries++;
    }
    for (uint32_t d = 1; d < domains; d++)
        if (out->counts[d] >= 0)
            update_lowest(out->lowest, d, out->counts[d]);
    return true;
}

bool berth__spread_hooks_note(const berth__question *cycle, const void *instance,
                              berth__arena *arena, berth__spread_hooks *out)
{
    const berth__spreads *spreads;
    *out = (berth__spread_hooks){0};
    if (!berth__spread_resolve(cycle, instance, true, &spreads))
        return false;
    if (spreads == NULL || spreads->problem.data != NULL)
        return true;
    out->tallies = berth__arena_alloc(arena, spreads->count * sizeof(*out->tallies), 8);
    if (out->tallies == NULL)
        return false;
    for (uint32_t i = 0; i < spreads->count; i++)
        if (!make_tally(cycle, spreads, i, arena, &out->tallies[i]))
            return false;
    out->count = spreads->count;
    return true;
}

bool berth__spread_hooks_copy(const berth__spread_hooks *hooks, berth__arena *arena,
                              berth__spread_hooks *out)
{
    *out = *hooks;
    out->tallies = berth__arena_alloc(arena, hooks->count * sizeof(*out->tallies), 8);
    for (uint32_t i = 0; out->tallies != NULL && i < hooks->count; i++) {
        const berth__spread_tally *from = &hooks->tallies[i];
        out->tallies[i] = *from;
        out->tallies[i].counts = berth__arena_alloc(arena, from->domains * sizeof(int64_t), 8);
        if (out->tallies[i].counts == NULL)
            return false;
        memcpy(out->tallies[i].counts, from->counts, from->domains * sizeof(int64_t));
    }
    return out->tallies != NULL;
}

static bool counts_pod(const berth__question *cycle, const berth__spread *spread,
                       const berth__class *cls)
{
    return spread->everything
               ? cls->identity->namespace_name == cycle->cls->identity->namespace_name
               : berth__population_matches(cycle->view, spread->counts->population, cls->identity);
}

static void move_in(berth__spread_tally *tally, uint32_t domain, int change)
{
    int64_t *count = &tally->counts[domain];
    if (*count < 0) {
        *count = 0;
        tally->entries++;
    }
    *count += change;
    update_lowest(tally->lowest, domain, *count);
}

bool berth__spread_hooks_move(const berth__question *cycle, const void *instance,
                              berth__spread_hooks *hooks, const berth__class *cls, uint32_t slot,
                              int change)
{
    const berth__spreads *spreads;
    if (!berth__spread_resolve(cycle, instance, true, &spreads))
        return false;
    if (!berth__spread_has_all_keys(spreads, slot))
        return true;
    for (uint32_t i = 0; i < hooks->count; i++) {
        const berth__domain_counts *counts = spreads->items[i].counts;
        if (is_included(counts, slot) && counts_pod(cycle, &spreads->items[i], cls))
            move_in(&hooks->tallies[i], counts->topology->domains[slot], change);
    }
    return true;
}

bool berth__spread_hooks_fit(const berth__question *cycle, const void *instance,
                             const berth__spread_hooks *hooks, uint32_t slot, bool *fits)
{
    const berth__spreads *spreads;
    *fits = false;
    if (!berth__spread_resolve(cycle, instance, true, &spreads))
        return false;
    for (uint32_t i = 0; i < hooks->count; i++) {
        const berth__spread *spread = &spreads->items[i];
        const berth__spread_tally *tally = &hooks->tallies[i];
        const uint32_t domain = spread->counts->topology->domains[slot];
        if (domain == 0)
            return true;
        const int64_t count = tally->counts[domain] > 0 ? tally->counts[domain] : 0;
        const int64_t lowest = tally->entries < spread->min_domains ? 0 : tally->lowest[0].count;
        if (count + spread->self - lowest > spread->max_skew)
            return true;
    }
    *fits = true;
    return true;
}
