/* Finds the errors of filters on nodes by a second pass of the filters over the walk, for the few
 * pods that can have any. */
#include "explain/node_errors.h"

#include <stdio.h>

#include "base/bits.h"
#include "base/error.h"
#include "explain/message.h"

typedef struct collection {
    const berth__search *search;
    berth__arena *arena;
    bool first_only; /* the first error in search order ended the search */
    berth__histogram errors;
    uint32_t first; /* slot of the first error, within its segment */
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

/* If a filter cleared a slot with an error, note the error. */
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
    if (!reasons.ok || !reasons.failed || reasons.count == 0)
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

/* If a dry run with nominated pods fails on a slot, note the error. */
static void note_kept(collection *own, uint32_t slot)
{
    berth__dry_run *dry_run = own->search->range.dry_run;
    berth__reasons reasons = {.arena = own->arena, .ok = true};
    if (own->errors.count > 0 && own->first < slot % BERTH__TILE)
        return;
    own->ok &= berth__dry_run_begin(dry_run, slot) == BERTH_OK;
    if (!own->ok)
        return;
    (void)berth__dry_run_passes(dry_run, &reasons);
    bool failed = dry_run->failed;
    own->ok &= berth__dry_run_end(dry_run) == BERTH_OK && reasons.ok;
    if (!failed || reasons.count == 0)
        return;
    berth__histogram_init(&own->errors, own->arena);
    own->first = slot % BERTH__TILE;
    own->ok &= berth__histogram_add(&own->errors, reasons.items[reasons.count - 1], 1);
}

/* Check the slots that nominated pods affect one by one, and clear them in the mask. */
static void take_kept(collection *own, uint32_t tile, berth__mask *left)
{
    if (own->search->range.dry_run == NULL || !own->first_only)
        return;
    const berth__mask visited = *left;
    BERTH__MASK_EACH(&visited, s)
    {
        if (!own->ok ||
            !berth__dry_run_concerns(own->search->range.dry_run, tile * BERTH__TILE + s))
            continue;
        note_kept(own, tile * BERTH__TILE + s);
        berth__bit_clear(left->words, s);
    }
}

/* Run the filters in order, each on the slots left, or on every slot if all are checked. */
static void collect_segment(collection *own, uint32_t segment)
{
    const berth__search *search = own->search;
    berth__mask slots;
    uint32_t tile = berth__search_segment(search, segment, &slots);
    berth__mask left = search->walk.visited[segment];
    berth__layout_leave_closed(search->decision.cycle->view->layout, tile,
                               &left); /* no filter ran on them */
    take_kept(own, tile, &left);
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
            const berth__stage *of = &search->decision.profile->filters[i];
            if (of->plugin->keep_failed != NULL)
                of->plugin->keep_failed(search->decision.cycle, of->instance, stage->state, tile,
                                        &cleared);
            BERTH__MASK_EACH(&cleared, s)
            {
                note(own, i, tile * BERTH__TILE + s);
            }
        }
        if (!search->decision.profile->always_check_all)
            left = kept;
    }
}

/* A single error unchanged, several in brackets; each with its count unless it occurred once. */
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

/* Whether the node that was tried first and refused is among those visited in earlier segments or
 * in the last one's mask. */
static bool has_visited(const collection *own, uint32_t last, const berth__mask *in_last)
{
    uint32_t slot = own->search->answer.refused_slot, at = slot % BERTH__TILE;
    if (slot == BERTH__SLOT_NONE)
        return true;
    for (uint32_t i = 0; i <= last; i++) {
        const berth__mask *visited = i == last ? in_last : &own->search->walk.visited[i];
        if (berth__search_tile(own->search, i) == slot / BERTH__TILE &&
            berth__bit_get(visited->words, at))
            return true;
    }
    return false;
}

/* The number of nodes that count as visited before the first error, which is in that segment. */
static uint32_t visited_before(const collection *own, uint32_t segment)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < segment; i++)
        count += berth__mask_count(&own->search->walk.visited[i]);
    berth__mask before = berth__mask_range(0, own->first);
    for (uint32_t w = 0; w < BERTH__TILE_WORDS; w++)
        before.words[w] &= own->search->walk.visited[segment].words[w];
    return count + berth__mask_count(&before) + !has_visited(own, segment, &before);
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
