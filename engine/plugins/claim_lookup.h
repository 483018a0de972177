/* Looks up the claims of a pod's volumes and writes the reasons for missing ones. Used by the
 * volume plugins of v1.15 and of later versions. */
#ifndef BERTH_PLUGINS_CLAIM_LOOKUP_H
#define BERTH_PLUGINS_CLAIM_LOOKUP_H

#include "columns/volume_use.h"
#include "plugins/plugin.h"
#include "store/storage.h"

/* Run the statement for each volume of a class that uses a claim, by name or as a generic ephemeral
 * volume. */
#define BERTH__CLAIM_VOLUMES(list, volume)                                                        \
    for (const berth__pod_volume *volume = (list)->items; volume < (list)->items + (list)->count; \
         volume++)                                                                                \
        if (berth__uses_claim(volume))

/* Run the statement for each volume of a class that uses a claim by name. */
#define BERTH__NAMED_CLAIM_VOLUMES(list, volume) \
    BERTH__CLAIM_VOLUMES(list, volume)           \
    if ((volume)->kind == BERTH_VOLUME_CLAIM)

static inline bool berth__uses_claim(const berth__pod_volume *volume)
{
    return volume->kind == BERTH_VOLUME_CLAIM || volume->kind == BERTH_VOLUME_EPHEMERAL;
}

/* The claim of a volume; NULL if it does not exist. */
berth__claim *berth__claim_find(const berth__view *view, const berth__volume_list *list,
                                const berth__pod_volume *volume);

/* The storage class of a claim; NULL if it names none or one that does not exist. */
const berth__storage_class_facts *berth__claim_class(const berth__view *view,
                                                     const berth__claim *claim);

/* Whether the claim of a generic ephemeral volume was created for this pod. */
bool berth__claim_is_owned(const berth__claim *claim, const berth__volume_list *list);

/* The PersistentVolume that a claim names; NULL if it names none or one that does not exist. */
const berth__pv_facts *berth__claim_volume(const berth__claim *claim);

/* Add the reason `persistentvolumeclaim "NAME" not found`. */
void berth__reason_no_claim(berth__reasons *reasons, const berth__view *view,
                            const berth__pod_volume *volume);

/* The claim of a volume; if it does not exist, NULL with that reason added. */
const berth__claim *berth__claim_find_or_reason(const berth__view *view,
                                                const berth__volume_list *list,
                                                const berth__pod_volume *volume,
                                                berth__reasons *reasons);

/* Add, after a prefix, the reason that the claim of a generic ephemeral volume belongs to another
 * owner. */
void berth__reason_not_owned(berth__reasons *reasons, const berth__view *view,
                             const berth__volume_list *list, const berth__pod_volume *volume,
                             const char *prefix);

/* Bring the counts of volumes in use up to date. Returns false when out of memory. */
bool berth__volumes_refresh(berth__view *view);

/* The volumes in use on the node of a slot; NULL: none. */
const berth__node_volumes *berth__slot_volumes(const berth__view *view, uint32_t slot);

#endif
