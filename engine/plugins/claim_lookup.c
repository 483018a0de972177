/* Looks up the claims that a pod's volumes name, and writes the reasons for missing ones. */
#include "plugins/claim_lookup.h"

berth__claim *berth__claim_find(const berth__view *view, const berth__volume_list *list,
                                const berth__pod_volume *volume)
{
    berth__claim *claim = berth__storage_claim(view->storage, list->namespace_name, volume->handle);
    return claim != NULL && claim->facts != NULL ? claim : NULL;
}

const berth__storage_class_facts *berth__claim_class(const berth__view *view,
                                                     const berth__claim *claim)
{
    if (claim->facts->class_name == 0)
        return NULL;
    const berth__storage_class_record *record =
        berth__storage_class_find(view->storage, claim->facts->class_name);
    return record != NULL ? record->facts : NULL;
}

bool berth__claim_is_owned(const berth__claim *claim, const berth__volume_list *list)
{
    return claim->facts->owner_uid != 0 && claim->facts->owner_uid == list->pod_uid;
}

const berth__pv_facts *berth__claim_volume(const berth__claim *claim)
{
    return claim->volume != NULL ? claim->volume->facts : NULL;
}

void berth__reason_no_claim(berth__reasons *reasons, const berth__view *view,
                            const berth__pod_volume *volume)
{
    berth_str name = berth__text(view->model, volume->handle);
    berth__reason(reasons, BERTH_CODE_UNRESOLVABLE, "persistentvolumeclaim \"%.*s\" not found",
                  (int)name.len, name.data);
}

const berth__claim *berth__claim_find_or_reason(const berth__view *view,
                                                const berth__volume_list *list,
                                                const berth__pod_volume *volume,
                                                berth__reasons *reasons)
{
    const berth__claim *claim = berth__claim_find(view, list, volume);
    if (claim == NULL)
        berth__reason_no_claim(reasons, view, volume);
    return claim;
}

void berth__reason_not_owned(berth__reasons *reasons, const berth__view *view,
                             const berth__volume_list *list, const berth__pod_volume *volume,
                             const char *prefix)
{
    berth_str space = berth__text(view->model, list->namespace_name);
    berth_str name = berth__text(view->model, volume->handle);
    berth_str pod = berth__text(view->model, list->pod_name);
    berth__reason(reasons, BERTH_CODE_UNRESOLVABLE,
                  "%sPVC %.*s/%.*s was not created for pod %.*s/%.*s (pod is not owner)", prefix,
                  (int)space.len, space.data, (int)name.len, name.data, (int)space.len, space.data,
                  (int)pod.len, pod.data);
}

bool berth__volumes_refresh(berth__view *view)
{
    return berth__volume_use_refresh(view->volume_use, view->layout, &view->nodes);
}

const berth__node_volumes *berth__slot_volumes(const berth__view *view, uint32_t slot)
{
    return berth__volume_use_of(view->volume_use, view->layout->nodes[slot]);
}
