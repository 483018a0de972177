/* Finds the pods of groups that are evicted as a whole. */
#include "whatif/victim_groups.h"

#include "base/error.h"
#include "base/sort.h"

void berth__victim_groups_destroy(berth__victim_groups *groups)
{
    if (groups->allocator != NULL)
        berth__free(groups->allocator, groups->items, groups->capacity * sizeof(*groups->items));
    *groups = (berth__victim_groups){0};
}

static int order(const void *a, const void *b)
{
    const berth__grouped_pod *one = a, *other = b;
    if (one->namespace_name != other->namespace_name)
        return one->namespace_name < other->namespace_name ? -1 : 1;
    if (one->group != other->group)
        return one->group < other->group ? -1 : 1;
    return (one->pod > other->pod) - (one->pod < other->pod);
}

static bool is_on_node(const berth__view *view, const berth__pod_record *record)
{
    return record->node != BERTH_NODE_NONE &&
           berth__node_at(&view->nodes, record->node)->facts != NULL;
}

berth_status berth__victim_groups_gather(berth__victim_groups *groups, const berth__view *view,
                                         const berth__pods *pods)
{
    groups->count = 0;
    for (uint32_t pod = 0; pod < pods->record_count; pod++) {
        const berth__pod_record *record = berth__pod_at(pods, pod);
        if (record->cls == NULL || record->cls->identity->pod_group == 0 ||
            !is_on_node(view, record))
            continue;
        const berth__group_facts *group = berth__group_of(view, record->cls);
        if (group == NULL || !group->disrupts_all)
            continue;
        if (!berth__grow(groups->allocator, &groups->items, &groups->capacity, groups->count + 1,
                         sizeof(*groups->items)))
            return BERTH_E_NOMEM;
        groups->items[groups->count++] = (berth__grouped_pod){
            record->cls->identity->namespace_name, record->cls->identity->pod_group, pod};
    }
    berth__sort(groups->items, groups->count, sizeof(*groups->items), order);
    return BERTH_OK;
}

const berth__grouped_pod *berth__victim_groups_of(const berth__victim_groups *groups,
                                                  const berth__class *cls, uint32_t *count)
{
    const berth__grouped_pod wanted = {cls->identity->namespace_name, cls->identity->pod_group, 0};
    uint32_t low = 0, high = wanted.group != 0 ? groups->count : 0;
    *count = 0;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (order(&groups->items[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const berth__grouped_pod *first = groups->items + low;
    while (low + *count < groups->count && wanted.group != 0 &&
           first[*count].namespace_name == wanted.namespace_name &&
           first[*count].group == wanted.group)
        ++*count;
    return first;
}
