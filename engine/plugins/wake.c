/* Whether a change of the cluster could help a waiting pod: room on the changed node, claims by
 * name. */
#include "plugins/wake.h"

#include "base/text.h"

/* The lowest priority that the waiter can't preempt: its own, or INT32_MIN if it does not
 * preempt. */
static int32_t lasting_priority(const berth__waiter *waiter)
{
    return waiter->preempts ? waiter->priority : INT32_MIN;
}

static void add_up(const berth__wake *wake, berth__wake_usage *usage)
{
    for (uint32_t i = wake->node->first_pod; i != BERTH_POD_INDEX_NONE;
         i = berth__pod_at(wake->pods, i)->next) {
        const berth__pod_record *pod = berth__pod_at(wake->pods, i);
        if (pod->priority < usage->priority)
            continue;
        usage->pods++;
        for (uint32_t r = 0; r < BERTH__SCALARS; r++)
            usage->amounts[r] += pod->cls->request->use[r];
    }
}

/* Pods of few different priorities wait at a time. If there are more, the remaining ones share the
 * last entry. */
static const berth__wake_usage *usage_of(berth__wake *wake, const berth__waiter *waiter)
{
    int32_t priority = lasting_priority(waiter);
    for (uint32_t i = 0; i < wake->usage_count; i++)
        if (wake->usages[i].priority == priority)
            return &wake->usages[i];
    if (wake->usage_count < BERTH__WAKE_USAGES)
        wake->usage_count++;
    berth__wake_usage *usage = &wake->usages[wake->usage_count - 1];
    *usage = (berth__wake_usage){.priority = priority};
    add_up(wake, usage);
    return usage;
}

static int64_t scalar_used(const berth__wake *wake, int32_t priority, uint32_t resource)
{
    int64_t used = 0;
    for (uint32_t i = wake->node->first_pod; i != BERTH_POD_INDEX_NONE;
         i = berth__pod_at(wake->pods, i)->next) {
        const berth__pod_record *pod = berth__pod_at(wake->pods, i);
        const berth__request *request = pod->cls->request;
        for (uint32_t s = 0; s < request->scalar_count && pod->priority >= priority; s++)
            used += request->scalars[s].resource == resource ? request->scalars[s].use : 0;
    }
    return used;
}

bool berth__wake_fits(berth__wake *wake, const berth__waiter *waiter,
                      const berth__scalar_request *scalars, uint32_t scalar_count, bool zeros_too)
{
    const berth__node_facts *facts = wake->node->facts;
    const berth__request *request = waiter->cls->request;
    if (facts == NULL)
        return false;
    const berth__wake_usage *usage = usage_of(wake, waiter);
    if (usage->pods >= facts->pods_max)
        return false;
    bool named;
    for (uint32_t r = 0; r < BERTH__SCALARS; r++)
        if ((request->ask[r] > 0 || zeros_too) &&
            request->ask[r] > berth__node_allocatable(facts, r, &named) - usage->amounts[r])
            return false;
    for (uint32_t s = 0; s < scalar_count; s++)
        if (scalars[s].ask > berth__node_allocatable(facts, scalars[s].resource, &named) -
                                 scalar_used(wake, usage->priority, scalars[s].resource))
            return false;
    return true;
}

bool berth__wake_is_own_claim(const berth__wake *wake, const berth__waiter *waiter)
{
    const berth__volume_list *list = waiter->cls->volumes;
    const berth__model *model = wake->view->model;
    berth_str space = berth__wake_namespace(wake);
    if (list == NULL || !berth__str_eq(berth__text(model, list->namespace_name), space))
        return false;
    for (uint32_t i = 0; i < list->count; i++)
        if ((list->items[i].kind == BERTH_VOLUME_CLAIM ||
             list->items[i].kind == BERTH_VOLUME_EPHEMERAL) &&
            berth__str_eq(berth__text(model, list->items[i].handle), wake->name))
            return true;
    return false;
}
