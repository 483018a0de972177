/* Counts refusals in a short table with linear search: callers who request reasons pay for texts
 * anyway. */
#include "explain/refusals.h"

#include "base/text.h"

void berth__refusals_init(berth__refusals *refusals, const berth_allocator *allocator)
{
    *refusals = (berth__refusals){.count = 0};
    berth__arena_init_sized(&refusals->arena, allocator, 512);
}

void berth__refusals_destroy(berth__refusals *refusals)
{
    berth__arena_destroy(&refusals->arena);
}

void berth__refusals_reset(berth__refusals *refusals)
{
    berth__arena_reset(&refusals->arena);
    refusals->items = NULL;
    refusals->count = refusals->last = 0;
    refusals->others = 0;
}

static bool is_it(const berth__refusal *item, berth_str plugin, berth_str reason, berth_code code)
{
    return item->code == code && berth__str_eq(item->reason, reason) &&
           berth__str_eq(item->plugin, plugin);
}

/* The entry, added if it is new; NULL: there is no room. */
static berth__refusal *entry_of(berth__refusals *refusals, berth_str plugin, berth_str reason,
                                berth_code code)
{
    bool ok = true;
    if (refusals->count > 0 && is_it(&refusals->items[refusals->last], plugin, reason, code))
        return &refusals->items[refusals->last];
    for (refusals->last = 0; refusals->last < refusals->count; refusals->last++)
        if (is_it(&refusals->items[refusals->last], plugin, reason, code))
            return &refusals->items[refusals->last];
    refusals->last = 0;
    if (refusals->items == NULL)
        refusals->items =
            berth__arena_alloc(&refusals->arena, BERTH__REFUSALS_MAX * sizeof(*refusals->items), 8);
    if (refusals->items == NULL || refusals->count == BERTH__REFUSALS_MAX)
        return NULL;
    const berth__refusal made = {.plugin = berth__arena_str(&refusals->arena, plugin, &ok),
                                 .reason = berth__arena_str(&refusals->arena, reason, &ok),
                                 .code = code};
    if (!ok)
        return NULL;
    refusals->last = refusals->count++;
    refusals->items[refusals->last] = made;
    return &refusals->items[refusals->last];
}

void berth__refusals_note(berth__refusals *refusals, berth_str plugin, berth_str reason,
                          berth_code code)
{
    berth__refusal *entry = entry_of(refusals, plugin, reason, code);
    uint64_t *count = entry != NULL ? &entry->count : &refusals->others;
    ++*count;
}

void berth__refusals_note_all(berth__refusals *refusals, const berth_explanation *explanation)
{
    if (explanation->pre_filter.data != NULL)
        berth__refusals_note(refusals, (berth_str){0}, explanation->pre_filter,
                             explanation->pre_filter_code);
    for (uint32_t i = 0; i < explanation->refused_count; i++) {
        const berth__refused_node *refused = &explanation->refused[i];
        for (uint32_t r = 0; r < refused->reason_count; r++)
            berth__refusals_note(refusals, refused->plugin,
                                 explanation->reasons[refused->first_reason + r], refused->code);
    }
}
