/* Finds slots that read the same shelves. */
#include "plugins/same_shelves.h"

/* Add the labels that choose shelves. False: there are too many, or selectors demand more. */
static bool add_labels(berth__same_shelves *same, const berth__reach *reach)
{
    if (reach->set == NULL)
        return true;
    if (reach->set->demanding > 0 ||
        same->column_count + reach->set->label_count > BERTH__SAME_LABELS)
        return false;
    for (uint32_t i = 0; i < reach->set->label_count; i++)
        same->columns[same->column_count++] = reach->columns[i];
    return true;
}

void berth__same_shelves_begin(berth__same_shelves *same, const berth__binder *binder)
{
    same->count = same->column_count = 0;
    same->applies = binder->bound_count == 0 && binder->decided_count == 0;
    for (uint32_t i = 0; i < binder->unbound_count && same->applies; i++) {
        const berth__unbound_claim *unbound = &binder->unbound[i];
        same->applies = unbound->claim->first_pv == NULL && !unbound->topologies.has_terms &&
                        add_labels(same, &unbound->free_volumes) &&
                        (!unbound->needs_capacity || add_labels(same, &unbound->capacities));
    }
}

static bool reads_same(const berth__same_shelves *same, uint32_t entry, uint32_t slot)
{
    for (uint32_t i = 0; i < same->column_count; i++)
        if (same->values[entry][i] != same->columns[i][slot])
            return false;
    return true;
}

/* Where nearly every slot reads other shelves (host names), it is not worth looking. */
int64_t *berth__same_shelves_result(berth__same_shelves *same, uint32_t slot, bool *known)
{
    *known = false;
    for (uint32_t entry = 0; entry < same->count && same->applies; entry++)
        if (reads_same(same, entry, slot)) {
            *known = true;
            return &same->results[entry];
        }
    same->applies &= same->count < BERTH__SAME_SHELVES;
    if (!same->applies)
        return &same->unshared;
    for (uint32_t i = 0; i < same->column_count; i++)
        same->values[same->count][i] = same->columns[i][slot];
    return &same->results[same->count++];
}
