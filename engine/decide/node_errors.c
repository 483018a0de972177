/* Errors that v1.15's predicates met on nodes, found: a second pass of the filters over the walk,
 * for the few pods that can have any. */
#include "decide/node_errors.h"

#include <stdio.h>

#include "decide/message.h"

typedef struct collection {
    const berth__search *search;
    berth__arena *arena;
    bool first_only; /* the first error in the order of the search ended it */
    berth__histogram errors;
    uint32_t first; /* slot of that error, in its segment */
    bool ok;
} collection;

static bool may_fail(const berth__search *search)
{
    for (uint32_t i = 0; i < search->decision.profile->filter_count; i++)
        if (search->decision.prepared->filters[i].outcome == BERTH__ACTIVE &&
            search->decision.prepared->filters[i].may_fail)
            return true;
    return false;
}

/* Note the error, if it is one, for which a filter cleared a slot. */
static void note(collection *own, uint32_t filter, uint32_t slot)
{
    const size_t prefix = sizeof(BERTH__ERROR_PREFIX) - 1;
    const berth__stage *stage = &own->search->decision.profile->filters[filter];
    berth__reasons reasons = {.arena = own->arena, .ok = true};
    if (own->first_only && own->errors.count > 0 && own->first < slot % BERTH__TILE)
        return;
    stage->plugin->explain(own->search->decision.cycle, stage->instance,
                           own->search->decision.prepared->filters[filter].state, slot, &reasons);
    own->ok &= reasons.ok;
    if (!reasons.failed || reasons.count == 0)
        return;
    const berth_str *last = &reasons.items[reasons.count - 1];
    berth_str error = {last->data + prefix, last->len - (uint32_t)prefix};
    if (own->first_only) {
        berth__histogram_init(&own->errors, own->arena);
        own->first = slot % BERTH__TILE;
        reasons.count = 0;
        berth__reason_error(&reasons, "Filter", stage->name, error);
        own->ok &= reasons.ok;
        if (reasons.count > 0)
            error = reasons.items[0];
    }
    own->ok &= berth__histogram_add(&own->errors, error, 1);
}

/* Filters in order, each on what is left, or each on every slot where all are checked. */
static void collect_segment(collection *own, uint32_t segment)
{
    const berth__search *search = own->search;
    berth__mask slots;
    uint32_t tile = berth__search_segment(search, segment, &slots);
    berth__mask left = search->walk.visited[segment];
    for (uint32_t i = 0; i < search->decision.profile->filter_count && !berth__mask_empty(&left);
         i++) {
        const berth__prepared_stage *stage = &search->decision.prepared->filters[i];
        if (stage->outcome != BERTH__ACTIVE)
            continue;
        berth__mask kept = left;
        search->decision.profile->filters[i].plugin->filter(
            search->decision.cycle, search->decision.profile->filters[i].instance, stage->state,
            tile, &kept);
        berth__mask cleared = {{left.words[0] & ~kept.words[0], left.words[1] & ~kept.words[1]}};
        if (stage->may_fail) {
            BERTH__MASK_EACH(&cleared, s)
            {
                note(own, i, tile * BERTH__TILE + s);
            }
        }
        if (!search->decision.profile->always_check_all)
            left = kept;
    }
}

/* One error as it is, several in brackets; how often each came unless it came once. */
static berth_str errors_text(const collection *own)
{
    size_t bytes = 3;
    for (uint32_t i = 0; i < own->errors.count; i++)
        bytes += own->errors.items[i].reason.len + 40;
    char *text = berth__arena_alloc(own->arena, bytes, 1);
    if (text == NULL)
        return (berth_str){0};
    size_t at = 0;
    bool several = own->errors.count > 1;
    for (uint32_t i = 0; i < own->errors.count; i++) {
        const berth__histogram_entry *item = &own->errors.items[i];
        at += (size_t)snprintf(text + at, bytes - at, "%s%.*s",
                               i > 0     ? ", "
                               : several ? "["
                                         : "",
                               (int)item->reason.len, item->reason.data);
        if (item->count > 1)
            at += (size_t)snprintf(text + at, bytes - at, " (repeated %u times)",
                                   (unsigned)item->count);
    }
    if (several)
        text[at++] = ']';
    return (berth_str){text, (uint32_t)at};
}

/* How many nodes were visited before the first error, which is in that segment. */
static uint32_t visited_before(const collection *own, uint32_t segment)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < segment; i++)
        count += berth__mask_count(&own->search->walk.visited[i]);
    berth__mask before = berth__mask_range(0, own->first);
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        before.words[w] &= own->search->walk.visited[segment].words[w];
    return count + berth__mask_count(&before);
}

berth_status berth__node_errors(const berth__search *search, berth__arena *arena, berth_str *out,
                                uint32_t *visited)
{
    collection own = {.search = search,
                      .arena = arena,
                      .first_only = search->decision.profile->behaviours->error_texts_name_plugins,
                      .ok = true};
    *out = (berth_str){0};
    if (!may_fail(search))
        return BERTH_OK;
    berth__histogram_init(&own.errors, arena);
    uint32_t segment = 0;
    while (segment < search->answer.used_segments && !(own.first_only && own.errors.count > 0))
        collect_segment(&own, segment++);
    if (!own.ok)
        return BERTH_E_NOMEM;
    if (own.errors.count == 0)
        return BERTH_OK;
    if (own.first_only)
        *visited = visited_before(&own, segment - 1);
    *out = errors_text(&own);
    return out->data != NULL ? BERTH_OK : BERTH_E_NOMEM;
}
