/* Reservations: volumes and claims that a placement has spoken for.
 * Source: kube-scheduler v1.32, plugins/volumebinding/binder.go, AssumePodVolumes and
 * RevertAssumedPodVolumes. */
#include <string.h>

#include "base/assert.h"
#include "model/storage.h"

typedef struct reservation {
    berth__claim *claim;
    berth__pv *volume; /* NULL: the claim is to be provisioned */
    uint64_t serial;   /* held while the volume or the claim still bears it */
} reservation;

typedef struct pod_reservations {
    berth__keymap_entry entry;
    uint32_t pod;
    uint32_t capacity;
    uint32_t count;
    reservation items[];
} pod_reservations;

static size_t list_bytes(uint32_t capacity)
{
    return sizeof(pod_reservations) + capacity * sizeof(reservation);
}

static pod_reservations *find(const berth__storage *storage, uint32_t pod)
{
    return (pod_reservations *)berth__keymap_find(&storage->reservations, &pod, sizeof(pod));
}

bool berth__pv_is_for(const berth__pv *volume, const berth__claim *claim)
{
    if (volume->claim != claim)
        return false;
    berth__sym uid = volume->reserved == NULL ? volume->facts->claim_uid : 0;
    return uid == 0 || uid == claim->facts->uid;
}

/* ---- one volume, one claim ---- */

static const berth__node_selector *chooses(const berth__pv_facts *facts)
{
    return facts->has_affinity ? &facts->affinity : NULL;
}

static void take_pv(berth__storage *storage, berth__pv *volume, berth__claim *claim,
                    uint64_t serial)
{
    BERTH_ASSERT(volume->reserved == NULL && berth__pv_is_free(volume->facts));
    berth__shelf_item item = berth__pv_item(volume, volume->facts);
    berth__shelves_lend(&storage->free_volumes, volume->facts->class_name, chooses(volume->facts),
                        &item);
    volume->reserved = claim;
    volume->reservation = serial;
    berth__pv_unlink(volume);
    berth__pv_link(volume, claim);
}

static void release_pv(berth__storage *storage, berth__pv *volume)
{
    berth__shelf_item item = berth__pv_item(volume, volume->facts);
    berth__shelves_return(&storage->free_volumes, volume->facts->class_name,
                          chooses(volume->facts), &item);
    volume->reserved = NULL;
    volume->reservation = 0;
    berth__pv_unlink(volume);
    berth__pv_link(volume, volume->facts->claim);
}

void berth__storage_supersede_pv(berth__storage *storage, berth__pv *volume)
{
    if (volume->reserved != NULL)
        release_pv(storage, volume);
}

void berth__storage_supersede_claim(berth__claim *claim)
{
    claim->assumed_node = 0;
    claim->reservation = 0;
}

/* ---- a placement's ---- */

static bool already_so(const berth__volume_choice *choice)
{
    return choice->volume != NULL ? berth__pv_is_for(choice->volume, choice->claim)
                                  : berth__claim_node(choice->claim) != 0;
}

static void take(berth__storage *storage, reservation *item, const berth__volume_choice *choice,
                 berth__sym node_name)
{
    *item = (reservation){choice->claim, choice->volume, ++storage->reservation_serial};
    if (choice->volume != NULL) {
        take_pv(storage, choice->volume, choice->claim, item->serial);
        return;
    }
    choice->claim->assumed_node = node_name;
    choice->claim->reservation = item->serial;
}

void berth__storage_forget(berth__storage *storage, uint32_t pod)
{
    pod_reservations *list = find(storage, pod);
    if (list == NULL)
        return;
    berth__keymap_remove(&storage->reservations, &list->entry);
    berth__free(storage->model->allocator, list, list_bytes(list->capacity));
}

berth_status berth__storage_reserve(berth__storage *storage, uint32_t pod,
                                    const berth__volume_choice *choices, uint32_t count,
                                    berth__sym node_name)
{
    berth__storage_forget(storage, pod);
    if (count == 0)
        return BERTH_OK;
    pod_reservations *list =
        berth__alloc(storage->model->allocator, list_bytes(count), _Alignof(pod_reservations));
    if (list == NULL)
        return BERTH_E_NOMEM;
    *list = (pod_reservations){.pod = pod, .capacity = count};
    for (uint32_t i = 0; i < count; i++)
        if (!already_so(&choices[i]))
            take(storage, &list->items[list->count++], &choices[i], node_name);
    list->entry.key = &list->pod;
    list->entry.key_bytes = sizeof(list->pod);
    berth__keymap_add(&storage->reservations, &list->entry);
    storage->version++;
    return BERTH_OK;
}

void berth__storage_unreserve(berth__storage *storage, uint32_t pod)
{
    const pod_reservations *list = find(storage, pod);
    if (list == NULL)
        return;
    for (uint32_t i = list->count; i-- > 0;) {
        const reservation *item = &list->items[i];
        if (item->volume != NULL && item->volume->reservation == item->serial)
            release_pv(storage, item->volume);
        else if (item->volume == NULL && item->claim->reservation == item->serial)
            berth__storage_supersede_claim(item->claim);
    }
    berth__storage_forget(storage, pod);
    storage->version++;
}
