/* VolumeRestrictions: inline disks that can't be mounted twice on a node, and claims that only one
 * pod may use.
 * Source: kube-scheduler v1.32, plugins/volumerestrictions. */
#include "plugins/disk_conflict.h"
#include "plugins/registry.h"

typedef struct filter_state {
    bool bare; /* preFilter is disabled: nodes without disk conflict are errors */
    bool disks;
    /* The names of the pod's ReadWriteOncePod claims, each once, and how many conflicts they
     * have. */
    berth__sym *claims;
    uint32_t claim_count;
    int64_t conflicts;
} filter_state;

static bool names_claim(const filter_state *own, berth__sym name)
{
    for (uint32_t i = 0; i < own->claim_count; i++)
        if (own->claims[i] == name)
            return true;
    return false;
}

/* Keep the name of a ReadWriteOncePod claim and count its conflict. Returns false, with the reason
 * added, if the claim does not exist. */
static bool note_claim(berth__prepare *prepare, const berth__pod_volume *volume, filter_state *own)
{
    const berth__view *view = prepare->cycle->view;
    const berth__claim *claim =
        berth__claim_find_or_reason(view, prepare->cycle->cls->volumes, volume, prepare->reasons);
    if (claim == NULL)
        return false;
    if ((claim->facts->asks & BERTH__OFFERS_ONE_POD) != 0 && !names_claim(own, volume->handle)) {
        own->claims[own->claim_count++] = volume->handle;
        own->conflicts += berth__volume_use_of_claim(view->volume_use, claim) > 0;
    }
    return true;
}

static berth__outcome volume_restrictions_prepare(berth__prepare *prepare)
{
    const berth__volume_list *list = prepare->cycle->cls->volumes;
    filter_state *own = prepare->state;
    if (prepare->bare) {
        own->bare = prepare->may_fail = true;
        own->disks = list != NULL && berth__disks_matter(list);
        return BERTH__ACTIVE;
    }
    prepare->stays = list == NULL;
    if (list == NULL)
        return BERTH__SKIP;
    own->disks = berth__disks_matter(list);
    own->claims = berth__arena_alloc(prepare->arena, list->count * sizeof(*own->claims), 8);
    prepare->ok = own->claims != NULL;
    if (!prepare->ok)
        return BERTH__SKIP;
    BERTH__NAMED_CLAIM_VOLUMES(list, volume)
    {
        if (!note_claim(prepare, volume, own))
            return BERTH__REFUSE;
    }
    return own->disks || own->conflicts > 0 ? BERTH__ACTIVE : BERTH__SKIP;
}

/* kube-scheduler compares only the names of claims here, not their namespaces. */
static void volume_restrictions_adjust(const berth__question *cycle, const void *instance,
                                       void *state, const berth__class *cls, uint32_t slot,
                                       int change)
{
    (void)cycle;
    (void)instance;
    (void)slot;
    filter_state *own = state;
    for (uint32_t i = 0; cls->volumes != NULL && i < cls->volumes->count; i++) {
        const berth__pod_volume *volume = &cls->volumes->items[i];
        if (volume->kind == BERTH_VOLUME_CLAIM && names_claim(own, volume->handle))
            own->conflicts += change;
    }
}

static void volume_restrictions_filter(const berth__question *cycle, const void *instance,
                                       const void *opaque, uint32_t tile, berth__mask *mask)
{
    (void)instance;
    const filter_state *own = opaque;
    if (own->bare || own->conflicts > 0)
        *mask = (berth__mask){{0}};
    else if (own->disks)
        berth__disks_conflict_tile(cycle->view, cycle->cls->volumes, tile, mask);
}

static void volume_restrictions_explain(const berth__question *cycle, const void *instance,
                                        const void *opaque, uint32_t slot, berth__reasons *reasons)
{
    (void)instance;
    const filter_state *own = opaque;
    if (own->disks && berth__disks_conflict(cycle->view, cycle->cls->volumes, slot))
        berth__reason(reasons, BERTH_CODE_UNSCHEDULABLE, "node(s) had no available disk");
    else if (own->bare)
        berth__reason_missed(reasons,
                             "cannot read \"PreFilterVolumeRestrictions\" from cycleState");
    else
        berth__reason(reasons, BERTH_CODE_UNSCHEDULABLE, "%s",
                      cycle->view->model->behaviours.restriction_text_new
                          ? "node(s) unavailable due to PersistentVolumeClaim with "
                            "ReadWriteOncePod access mode already in-use by another pod"
                          : "node has pod using PersistentVolumeClaim with the same name and "
                            "ReadWriteOncePod access mode");
}

static bool share_claim(const berth__volume_list *a, const berth__volume_list *b)
{
    if (a == NULL || b == NULL || a->namespace_name != b->namespace_name)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t k = 0; berth__uses_claim(&a->items[i]) && k < b->count; k++)
            if (berth__uses_claim(&b->items[k]) && a->items[i].handle == b->items[k].handle)
                return true;
    return false;
}

/* Wake if a conflicting pod is removed, alone or with its node, or if a claim of the waiting pod
 * changes. */
static bool volume_restrictions_wakes(berth__wake *wake, const berth__waiter *waiter,
                                      const void *instance)
{
    (void)instance;
    const berth__volume_list *list = waiter->cls->volumes;
    if ((wake->bits & BERTH_WAKE_CLAIM) != 0)
        return berth__wake_is_own_claim(wake, waiter);
    if ((wake->bits & BERTH_WAKE_POD_REMOVE) != 0)
        return share_claim(list, wake->before->volumes) ||
               berth__disk_lists_conflict(list, wake->before->volumes);
    return true;
}

const berth__plugin_ops berth__plugin_volume_restrictions = {
    .name = "VolumeRestrictions",
    .flags = BERTH__PREPARE_EACH | BERTH__ALWAYS_UNSCHEDULABLE | BERTH__FILTERS_LATE,
    .wake_on =
        BERTH_WAKE_NODE_ADD | BERTH_WAKE_NODE_REMOVE | BERTH_WAKE_POD_REMOVE | BERTH_WAKE_CLAIM,
    .wakes = volume_restrictions_wakes,
    .filter_state_bytes = sizeof(filter_state),
    .prepare_filter = volume_restrictions_prepare,
    .filter = volume_restrictions_filter,
    .explain = volume_restrictions_explain,
    .adjust = volume_restrictions_adjust,
};
