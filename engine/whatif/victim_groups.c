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

/* ---- groups above a pod ---- */

/* A group above a pod, or its own. */
typedef struct step {
    const berth__group_facts *facts; /* NULL: there is none, or it does not exist */
    berth__sym name;
    bool composite;
    uint32_t level;
} step;

static step first_above(const berth__view *view, const berth__identity *identity)
{
    return (step){identity->pod_group == 0
                      ? NULL
                      : berth__related_pod_group(view->related, identity->namespace_name,
                                                 identity->pod_group),
                  identity->pod_group, false, 1};
}

/* Source: kube-scheduler v1.37, framework/preemption/util.go, TraverseHierarchyUp. */
static step next_above(const berth__view *view, const berth__identity *identity, step below)
{
    const berth__sym parent = below.facts->parent;
    const bool any = parent != 0 && below.level < BERTH__GROUP_LEVELS_MAX;
    return (step){any ? berth__related_composite(view->related, identity->namespace_name, parent)
                      : NULL,
                  parent, true, below.level + 1};
}

int32_t berth__victim_priority(const berth__view *view, const berth__pod_record *record)
{
    const berth__identity *identity = record->cls->identity;
    int32_t priority = record->priority;
    for (step one = first_above(view, identity); one.facts != NULL;
         one = next_above(view, identity, one))
        priority = one.facts->priority;
    return priority;
}

/* Find the highest group above a pod whose pods are evicted together. */
static bool find_together(const berth__view *view, const berth__identity *identity,
                          berth__grouped_pod *out)
{
    bool found = false;
    for (step one = first_above(view, identity); one.facts != NULL;
         one = next_above(view, identity, one)) {
        if (!one.facts->disrupts_all)
            continue;
        *out = (berth__grouped_pod){.namespace_name = identity->namespace_name,
                                    .group = one.name,
                                    .composite = one.composite};
        found = true;
    }
    return found;
}

/* ---- the groups ---- */

static int by_group(const berth__grouped_pod *one, const berth__grouped_pod *other)
{
    if (one->namespace_name != other->namespace_name)
        return one->namespace_name < other->namespace_name ? -1 : 1;
    if (one->composite != other->composite)
        return one->composite ? 1 : -1;
    return (one->group > other->group) - (one->group < other->group);
}

static int order(const void *a, const void *b)
{
    const berth__grouped_pod *one = a, *other = b;
    const int groups = by_group(one, other);
    if (groups != 0)
        return groups;
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
    groups->view = view;
    for (uint32_t pod = 0; pod < pods->record_count; pod++) {
        const berth__pod_record *record = berth__pod_at(pods, pod);
        if (record->cls == NULL || record->cls->identity->pod_group == 0 ||
            !is_on_node(view, record))
            continue;
        berth__grouped_pod made;
        if (!find_together(view, record->cls->identity, &made))
            continue;
        made.pod = pod;
        if (!berth__grow(groups->allocator, &groups->items, &groups->capacity, groups->count + 1,
                         sizeof(*groups->items)))
            return BERTH_E_NOMEM;
        groups->items[groups->count++] = made;
    }
    berth__sort(groups->items, groups->count, sizeof(*groups->items), order);
    return BERTH_OK;
}

/* The first entry that does not come before this one. */
static uint32_t first_from(const berth__victim_groups *groups, const berth__grouped_pod *wanted)
{
    uint32_t low = 0, high = groups->count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (order(&groups->items[middle], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const berth__grouped_pod *berth__victim_groups_of(const berth__victim_groups *groups,
                                                  const berth__class *cls, uint32_t *count)
{
    berth__grouped_pod wanted = {0};
    *count = 0;
    if (groups->count == 0 || !find_together(groups->view, cls->identity, &wanted))
        return groups->items;
    const uint32_t first = first_from(groups, &wanted);
    wanted.pod = UINT32_MAX;
    *count = first_from(groups, &wanted) - first;
    return groups->items + first;
}
