/* The pool of unschedulable pods: groups of equal pods, listed by what may wake them. */
#include "queue/waiting_pool.h"

#include <string.h>

#include "base/assert.h"

enum { STAGES = BERTH__STAGE_EXTENDERS + 1 };

berth_status berth__waiting_pool_init(berth__waiting_pool *pool, const berth_allocator *allocator,
                                      const berth__ready_profile *profiles, uint32_t profile_count)
{
    *pool = (berth__waiting_pool){
        .allocator = allocator, .profiles = profiles, .profile_count = profile_count};
    pool->lists = berth__alloc_zero(
        allocator, (size_t)profile_count * STAGES * sizeof(berth__group_link *), 64);
    if (pool->lists == NULL)
        return BERTH_E_NOMEM;
    return berth__keymap_init(&pool->groups, allocator);
}

static size_t group_bytes(uint32_t link_count)
{
    return sizeof(berth__waiting_group) + link_count * sizeof(berth__group_link);
}

void berth__waiting_pool_destroy(berth__waiting_pool *pool)
{
    if (pool->allocator == NULL)
        return;
    while (pool->by_flush.first != NULL)
        berth__waiting_pool_remove(pool, pool->by_flush.first);
    berth__keymap_destroy(&pool->groups);
    berth__free(pool->allocator, pool->lists,
                (size_t)pool->profile_count * STAGES * sizeof(berth__group_link *));
    *pool = (berth__waiting_pool){0};
}

/* ---- groups ---- */

static berth__group_link **list_of(const berth__waiting_pool *pool, uint32_t profile,
                                   uint32_t stage)
{
    return &pool->lists[(size_t)profile * STAGES + stage];
}

static void link_group(berth__waiting_pool *pool, berth__waiting_group *group)
{
    uint32_t at = 0;
    for (berth__stage_set left = group->key.rejectors; left != 0; left &= left - 1) {
        berth__group_link **list =
            list_of(pool, group->key.profile, (uint32_t)__builtin_ctzll(left));
        berth__group_link *link = &group->links[at++];
        *link = (berth__group_link){.group = group, .next = *list};
        if (*list != NULL)
            (*list)->previous = link;
        *list = link;
    }
}

static void unlink_group(berth__waiting_pool *pool, berth__waiting_group *group)
{
    uint32_t at = 0;
    for (berth__stage_set left = group->key.rejectors; left != 0; left &= left - 1) {
        berth__group_link *link = &group->links[at++];
        if (link->next != NULL)
            link->next->previous = link->previous;
        *(link->previous != NULL
              ? &link->previous->next
              : list_of(pool, group->key.profile, (uint32_t)__builtin_ctzll(left))) = link->next;
    }
}

static berth__waiting_group *group_of(berth__waiting_pool *pool, const berth__queue_item *item,
                                      berth__class *cls)
{
    berth__waiting_group wanted = {
        .key = {cls, item->rejectors, item->profile, item->priority, item->leaving > 0}};
    berth__keymap_entry *known = berth__keymap_find(&pool->groups, &wanted.key, sizeof(wanted.key));
    if (known != NULL)
        return (berth__waiting_group *)known;
    uint32_t link_count = (uint32_t)__builtin_popcountll(item->rejectors);
    berth__waiting_group *group = berth__alloc_zero(pool->allocator, group_bytes(link_count), 16);
    if (group == NULL)
        return NULL;
    group->key = wanted.key;
    group->link_count = link_count;
    group->entry.key = &group->key;
    group->entry.key_bytes = sizeof(group->key);
    berth__keymap_add(&pool->groups, &group->entry);
    link_group(pool, group);
    return group;
}

static void free_group(berth__waiting_pool *pool, berth__waiting_group *group)
{
    unlink_group(pool, group);
    berth__keymap_remove(&pool->groups, &group->entry);
    berth__free(pool->allocator, group, group_bytes(group->link_count));
}

/* ---- pods ---- */

berth_status berth__waiting_pool_add(berth__waiting_pool *pool, berth__queue_item *item,
                                     berth__class *cls)
{
    BERTH_ASSERT(item->rejectors != 0);
    berth__waiting_group *group = group_of(pool, item, cls);
    if (group == NULL)
        return BERTH_E_NOMEM;
    item->group = group;
    item->group_previous = NULL;
    item->group_next = group->first;
    if (group->first != NULL)
        group->first->group_previous = item;
    group->first = item;
    berth__item_list_append(&pool->by_flush, item);
    return BERTH_OK;
}

void berth__waiting_pool_remove(berth__waiting_pool *pool, berth__queue_item *item)
{
    berth__waiting_group *group = item->group;
    BERTH_ASSERT(group != NULL);
    if (item->group_next != NULL)
        item->group_next->group_previous = item->group_previous;
    *(item->group_previous != NULL ? &item->group_previous->group_next : &group->first) =
        item->group_next;
    item->group = NULL;
    berth__item_list_remove(&pool->by_flush, item);
    if (group->first == NULL)
        free_group(pool, group);
}

/* ---- waking ---- */

static bool stage_wakes(berth__wake *wake, const berth__ready_profile *profile, uint32_t stage,
                        const berth__waiter *waiter)
{
    if (stage == BERTH__STAGE_NO_NODES)
        return (wake->bits & BERTH_WAKE_NODE_ADD) != 0;
    if (stage == BERTH__STAGE_EXTENDERS)
        return true;
    const berth__plugin_ops *plugin = profile->filters[stage].plugin;
    uint32_t bits = wake->bits;
    if ((bits & plugin->wake_on) == 0)
        return false;
    if (plugin->wakes == NULL)
        return true;
    /* A plugin sees only the kinds of changes that it wakes on. */
    wake->bits = bits & plugin->wake_on;
    bool wakes = plugin->wakes(wake, waiter, profile->filters[stage].instance);
    wake->bits = bits;
    return wakes;
}

static berth__waiter waiter_of(const berth__ready_profile *profile, berth__class *cls,
                               int32_t priority, bool waits)
{
    bool policies = profile->behaviours->preemption_policies;
    return (berth__waiter){cls, priority,
                           profile->post.preempts && !waits && (!policies || cls->preempts)};
}

static bool listens(const berth__ready_profile *profile, uint32_t stage, uint32_t bits)
{
    if (stage == BERTH__STAGE_NO_NODES)
        return (bits & BERTH_WAKE_NODE_ADD) != 0;
    if (stage == BERTH__STAGE_EXTENDERS)
        return bits != 0;
    return stage < profile->filter_stages && (profile->filters[stage].plugin->wake_on & bits) != 0;
}

/* Check the groups of one list. A group on several lists is checked until one stage says yes. */
static void find_in_list(const berth__waiting_pool *pool, uint32_t profile, uint32_t stage,
                         berth__wake *wake, berth__waiting_group **woken)
{
    for (berth__group_link *link = *list_of(pool, profile, stage); link != NULL;
         link = link->next) {
        berth__waiting_group *group = link->group;
        const berth__waiter waiter = waiter_of(&pool->profiles[profile], group->key.cls,
                                               group->key.priority, group->key.waits != 0);
        if (group->woken || !stage_wakes(wake, &pool->profiles[profile], stage, &waiter))
            continue;
        group->woken = true;
        group->next_woken = *woken;
        *woken = group;
    }
}

berth__waiting_group *berth__waiting_pool_find(berth__waiting_pool *pool, berth__wake *wake)
{
    berth__waiting_group *woken = NULL;
    if (pool->by_flush.count == 0)
        return NULL;
    for (uint32_t profile = 0; profile < pool->profile_count; profile++)
        for (uint32_t stage = 0; stage < STAGES; stage++)
            if (*list_of(pool, profile, stage) != NULL &&
                listens(&pool->profiles[profile], stage, wake->bits))
                find_in_list(pool, profile, stage, wake, &woken);
    return woken;
}

berth__stage_set berth__wake_stages(berth__wake *wake, const berth__ready_profile *profile,
                                    berth__stage_set stages, berth__class *cls, int32_t priority)
{
    const berth__waiter waiter = waiter_of(profile, cls, priority, false);
    berth__stage_set turned = 0;
    for (berth__stage_set left = stages; left != 0; left &= left - 1) {
        uint32_t stage = (uint32_t)__builtin_ctzll(left);
        if (listens(profile, stage, wake->bits) && stage_wakes(wake, profile, stage, &waiter))
            turned |= UINT64_C(1) << stage;
    }
    return turned;
}

/* ---- checking ---- */

static uint64_t check_group(const berth__waiting_group *group, berth_pod_state state)
{
    uint64_t count = 0;
    for (const berth__queue_item *item = group->first; item != NULL; item = item->group_next) {
        if (item->group != group || item->state != (int32_t)state ||
            item->rejectors != group->key.rejectors || item->priority != group->key.priority)
            return UINT64_MAX / 2;
        count++;
    }
    for (uint32_t i = 0; i < group->link_count; i++)
        if (group->links[i].group != group)
            return UINT64_MAX / 2;
    return count;
}

bool berth__waiting_pool_check(const berth__waiting_pool *pool, berth_pod_state state)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < pool->groups.bucket_count; i++)
        for (const berth__keymap_entry *entry = pool->groups.buckets[i]; entry != NULL;
             entry = entry->next)
            count += check_group((const berth__waiting_group *)entry, state);
    return count == pool->by_flush.count;
}
