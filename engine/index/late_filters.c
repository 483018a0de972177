/* Groups late filters into those that node facts decide and others. */
#include "index/late_filters.h"

#include <string.h>

void berth__late_filters_destroy(berth__late_filters *late, const berth_allocator *allocator)
{
    berth__free(allocator, late->busy, late->busy_words * sizeof(*late->busy));
    *late = (berth__late_filters){0};
}

/* Add a filter's verdicts to the key. False, without a change, if a key can't identify them. */
static bool fix(berth__late_filters *late, const berth__decision *decision, uint32_t filter)
{
    const berth__stage *stage = &decision->profile->filters[filter];
    berth__verdict_key *key = &late->key;
    const uint32_t before = key->count;
    const uint64_t offers = key->offers;
    if (stage->plugin->verdict_key == NULL)
        return false;
    key->ok = true;
    berth__verdict_word(key, (uintptr_t)stage->plugin);
    if (stage->plugin->verdict_key(decision->cycle, stage->instance,
                                   decision->prepared->filters[filter].state, key) &&
        key->ok)
        return true;
    key->count = before;
    key->offers = offers;
    return false;
}

static void find_busy(berth__late_filters *late, const berth__decision *decision, uint32_t words)
{
    memset(late->busy, 0, words * sizeof(*late->busy));
    for (uint32_t i = 0; i < late->rest.count; i++) {
        const berth__stage *stage = &decision->profile->filters[late->rest.items[i]];
        if (stage->plugin->busy_tiles == NULL) {
            memset(late->busy, 0xff, words * sizeof(*late->busy));
            return;
        }
        stage->plugin->busy_tiles(decision->cycle, stage->instance,
                                  decision->prepared->filters[late->rest.items[i]].state,
                                  late->busy);
    }
}

bool berth__late_filters_group(berth__late_filters *late, const berth__decision *decision,
                               const berth_allocator *allocator)
{
    const uint32_t words = (decision->cycle->view->layout->tile_count + 63) / 64;
    uint32_t left = 0;
    if (!berth__grow(allocator, &late->busy, &late->busy_words, words, sizeof(*late->busy)))
        return false;
    late->fixed = (berth__keyed_stages){0};
    late->key.count = 0;
    late->key.offers = 0;
    for (uint32_t i = 0; i < late->rest.count; i++) {
        const uint32_t filter = late->rest.items[i];
        if (fix(late, decision, filter))
            late->fixed.filters.items[late->fixed.filters.count++] = filter;
        else
            late->rest.items[left++] = filter;
    }
    late->rest.count = left;
    find_busy(late, decision, words);
    return true;
}

bool berth__late_filters_add_scorer(berth__late_filters *late, const berth__decision *decision)
{
    const berth__slot_plan *plan = &decision->prepared->memory.slot_plan;
    if (!plan->has_keyed)
        return true;
    const berth__stage *stage = &decision->profile->scorers[plan->keyed];
    late->fixed.scores = true;
    late->fixed.scorer = plan->keyed;
    late->key.ok = true;
    berth__verdict_word(&late->key, (uintptr_t)stage->plugin | 1); /* no filter's address */
    berth__verdict_word(&late->key, decision->profile_index);
    return stage->plugin->value_key(decision->cycle, stage->instance,
                                    decision->prepared->scorers[plan->keyed].state, &late->key) &&
           late->key.ok;
}
