/* Checks each device separately, in the order of a search. */
#include "devices/standing.h"

/* Whether the device is of the class, and for the node; false if this can't be evaluated. */
static bool is_offered(berth__device_search *search, const berth__device_line *line,
                       const berth__offer *offer)
{
    berth_str problem = {0};
    if (offer->slice->facts->per_device &&
        !berth__reach_meets(search->model, &offer->device->reach, search->node, &problem))
        return false;
    return line->class_facts != NULL &&
           berth__device_selectors_met(search, line, true, offer) == BERTH__STEP_YES;
}

/* Whether the pool's counters suffice for what the device would consume. */
static bool counters_suffice(berth__device_search *search, const berth__offer *offer)
{
    const berth__device *device = offer->device;
    if (device->consume_count == 0 ||
        (device->allow_multiple && berth__device_is_shared_already(search, offer->use)))
        return true;
    if (berth__device_count(search, offer) != BERTH__STEP_YES)
        return false;
    berth__device_uncount(search, offer);
    return true;
}

static void add(berth__device_search *search, const berth__device_line *line,
                const berth__offer *offer, berth__device_standing *out)
{
    if (!is_offered(search, line, offer))
        return;
    out->devices++;
    if (!line->ask->admin_access && offer->use->whole > 0)
        out->used++;
    else if (berth__device_selectors_met(search, line, false, offer) != BERTH__STEP_YES)
        out->unlike++;
    else if (!berth__device_is_tolerated(search, line, offer))
        out->tainted++;
    else if (berth__device_has_capacity(search, line, offer) != BERTH__STEP_YES ||
             !counters_suffice(search, offer))
        out->cramped++;
    else
        out->fit++;
}

bool berth__device_standing_of(berth__device_search *search, const berth__offer_node *node,
                               const berth__node_offers *offers, uint32_t line,
                               berth__device_standing *out)
{
    *out = (berth__device_standing){0};
    berth__arena_reset(search->arena);
    search->node = node;
    search->offers = offers;
    search->counters = NULL;
    search->taken_count = search->entered_count = 0;
    for (uint32_t p = 0; p < offers->count; p++) {
        const berth__pool_view *view = offers->pools[p];
        for (uint32_t i = 0; !view->incomplete && i < view->offer_count; i++)
            add(search, &search->lines[line], view->offers[i], out);
    }
    search->problem = (berth_str){0};
    return !search->no_memory;
}
