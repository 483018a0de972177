/* Reservations in the store: volumes, claims and devices that placements have chosen. Restoring a
 * reservation that was given back, newest first, needs no memory: shelves only hide volumes
 * meanwhile.
 * Source: kube-scheduler v1.32, plugins/volumebinding/binder.go, AssumePodVolumes and
 * RevertAssumedPodVolumes. */
#include <string.h>

#include "base/assert.h"
#include "store/device_facts.h"

typedef struct reservation {
    berth__device_claim *devices; /* a claim of devices; NULL: the item is about volumes */
    const berth__device_allocation *chosen; /* for `devices`; the item holds one use of it */
    berth__claim *claim;
    berth__pv *volume; /* NULL: it will be provisioned for the claim */
    uint64_t serial;   /* the reservation holds while the volume or claim has this serial */
    berth__sym node_name;
    bool returned; /* by an unreserve that may be undone */
} reservation;

/* A pod has two lists, one for each reserving plugin. No padding. */
typedef struct list_key {
    uint32_t pod;
    uint32_t of_devices;
} list_key;

typedef struct pod_reservations {
    berth__keymap_entry entry;
    list_key key;
    uint32_t capacity;
    uint32_t count;
    reservation items[];
} pod_reservations;

static size_t list_bytes(uint32_t capacity)
{
    return sizeof(pod_reservations) + capacity * sizeof(reservation);
}

static pod_reservations *find(const berth__storage *storage, list_key key)
{
    return (pod_reservations *)berth__keymap_find(&storage->reservations, &key, sizeof(key));
}

static list_key volumes_of(uint32_t pod)
{
    return (list_key){pod, 0};
}

static list_key devices_of(uint32_t pod)
{
    return (list_key){pod, 1};
}

bool berth__pv_is_for(const berth__pv *volume, const berth__claim *claim)
{
    if (volume->claim != claim)
        return false;
    berth__sym uid = volume->reserved == NULL ? volume->facts->claim_uid : 0;
    return uid == 0 || uid == claim->facts->uid;
}

/* ---- one volume, one claim ---- */

static const berth__interned_node_selector *chooses(const berth__pv_facts *facts)
{
    return facts->has_affinity ? &facts->affinity : NULL;
}

/* Record who holds a volume or claim; serial 0: nobody. */
static void mark(berth__storage *storage, berth__stored *record, uint64_t serial, uint32_t pod)
{
    record->reservation = serial;
    record->holder = pod;
    berth__storage_touch(storage, record);
}

static void take_pv(berth__storage *storage, berth__pv *volume, berth__claim *claim)
{
    BERTH_ASSERT(volume->reserved == NULL && berth__pv_is_free(volume->facts));
    berth__shelf_item item = berth__pv_item(volume, volume->facts);
    berth__shelves_lend(&storage->free_volumes, volume->facts->class_name, chooses(volume->facts),
                        &item);
    volume->reserved = claim;
    berth__pv_unlink(volume);
    berth__pv_link(volume, claim);
}

static void release_pv(berth__storage *storage, berth__pv *volume)
{
    berth__shelf_item item = berth__pv_item(volume, volume->facts);
    berth__shelves_return(&storage->free_volumes, volume->facts->class_name, chooses(volume->facts),
                          &item);
    volume->reserved = NULL;
    mark(storage, &volume->record, 0, BERTH_POD_INDEX_NONE);
    berth__pv_unlink(volume);
    berth__pv_link(volume, volume->named);
}

void berth__storage_supersede_pv(berth__storage *storage, berth__pv *volume)
{
    if (volume->reserved != NULL)
        release_pv(storage, volume);
}

void berth__storage_supersede_claim(berth__storage *storage, berth__claim *claim)
{
    claim->assumed_node = 0;
    mark(storage, &claim->record, 0, BERTH_POD_INDEX_NONE);
}

void berth__storage_supersede_devices(berth__storage *storage, berth__device_claim *claim)
{
    const berth__device_allocation *chosen = claim->chosen;
    claim->chosen = NULL;
    mark(storage, &claim->record, 0, BERTH_POD_INDEX_NONE);
    berth__storage_note_device(storage, &claim->record);
    berth__device_choice_drop(storage, chosen);
}

/* ---- reservations as values ---- */

berth__held berth__storage_held(const berth__stored *record)
{
    const void *any = record;
    berth__held held = {.serial = record->reservation, .holder = record->holder};
    if (record->kind == BERTH_KIND_PERSISTENT_VOLUME)
        held.reserved = ((const berth__pv *)any)->reserved;
    else if (record->kind == BERTH_KIND_PERSISTENT_VOLUME_CLAIM)
        held.assumed_node = ((const berth__claim *)any)->assumed_node;
    else if (record->kind == BERTH_KIND_RESOURCE_CLAIM)
        held.chosen = ((const berth__device_claim *)any)->chosen;
    return held;
}

static void take_devices(berth__storage *storage, berth__device_claim *claim,
                         const berth__device_allocation *chosen)
{
    BERTH_ASSERT(claim->chosen == NULL);
    berth__device_choice_use(storage, chosen);
    claim->chosen = chosen;
    berth__storage_note_device(storage, &claim->record);
}

void berth__storage_hold_again(berth__storage *storage, berth__stored *record,
                               const berth__held *held)
{
    void *any = record;
    if (held->serial == 0)
        return;
    if (record->kind == BERTH_KIND_PERSISTENT_VOLUME)
        take_pv(storage, any, held->reserved);
    else if (record->kind == BERTH_KIND_RESOURCE_CLAIM)
        take_devices(storage, any, held->chosen);
    else
        ((berth__claim *)any)->assumed_node = held->assumed_node;
    mark(storage, record, held->serial, held->holder);
}

/* ---- items of a placement ---- */

static bool already_so(const berth__volume_choice *choice)
{
    return choice->volume != NULL ? berth__pv_is_for(choice->volume, choice->claim)
                                  : berth__claim_node(choice->claim) != 0;
}

/* The record that an item marks. */
static berth__stored *marked(const reservation *item)
{
    if (item->devices != NULL)
        return &item->devices->record;
    return item->volume != NULL ? &item->volume->record : &item->claim->record;
}

/* Mark the item's volume or claim as reserved. */
static void hold(berth__storage *storage, const reservation *item, uint32_t pod)
{
    const berth__held held = {item->serial, pod, item->claim, item->node_name, item->chosen};
    berth__storage_hold_again(storage, marked(item), &held);
}

/* End the item's reservation if it still holds; returns whether it did. */
static bool give_back(berth__storage *storage, const reservation *item)
{
    if (marked(item)->reservation != item->serial)
        return false;
    if (item->devices != NULL)
        berth__storage_supersede_devices(storage, item->devices);
    else if (item->volume != NULL)
        release_pv(storage, item->volume);
    else
        berth__storage_supersede_claim(storage, item->claim);
    return true;
}

static void give_all_back(berth__storage *storage, pod_reservations *list)
{
    for (uint32_t i = list->count; i-- > 0;)
        list->items[i].returned = give_back(storage, &list->items[i]);
}

static void enter(berth__storage *storage, pod_reservations *list)
{
    list->entry.key = &list->key;
    list->entry.key_bytes = sizeof(list->key);
    berth__keymap_add(&storage->reservations, &list->entry);
}

/* Set the pod in the records that the list's items still hold. */
static void say_holder(berth__storage *storage, const pod_reservations *list, uint32_t pod)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (marked(&list->items[i])->reservation == list->items[i].serial)
            mark(storage, marked(&list->items[i]), list->items[i].serial, pod);
}

static void free_list(berth__storage *storage, pod_reservations *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        berth__device_choice_drop(storage, list->items[i].chosen);
    berth__free(storage->model->allocator, list, list_bytes(list->capacity));
}

/* ---- undoing: a record is the list's address ---- */

static void undo_reserve(void *owner, void *record)
{
    berth__storage *storage = owner;
    pod_reservations *list = *(pod_reservations **)record;
    give_all_back(storage, list);
    berth__keymap_remove(&storage->reservations, &list->entry);
    free_list(storage, list);
}

static void hold_returned(berth__storage *storage, const pod_reservations *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i].returned)
            hold(storage, &list->items[i], list->key.pod);
}

static void undo_forget(void *owner, void *record)
{
    pod_reservations *list = *(pod_reservations **)record;
    hold_returned(owner, list);
    say_holder(owner, list, list->key.pod);
    enter(owner, list);
}

static void undo_unreserve(void *owner, void *record)
{
    pod_reservations *list = *(pod_reservations **)record;
    hold_returned(owner, list);
    enter(owner, list);
}

static void keep_forgotten(void *owner, void *record)
{
    free_list(owner, *(pod_reservations **)record);
}

static const berth__undo_kind reserved = {undo_reserve, NULL};
static const berth__undo_kind forgotten = {undo_forget, keep_forgotten};
static const berth__undo_kind unreserved = {undo_unreserve, keep_forgotten};

/* Leave an undo record for a list. Returns false if changes are not being recorded. */
static bool note_list(berth__storage *storage, const berth__undo_kind *kind, pod_reservations *list)
{
    pod_reservations **record =
        storage->undo == NULL ? NULL
                              : berth__undo_push(storage->undo, kind, storage, sizeof(*record));
    if (record != NULL)
        *record = list;
    return record != NULL;
}

static void leave(berth__storage *storage, pod_reservations *list, const berth__undo_kind *kind)
{
    berth__keymap_remove(&storage->reservations, &list->entry);
    if (!note_list(storage, kind, list))
        free_list(storage, list);
}

/* ---- for a pod ---- */

/* A volume or claim that was already reserved or bound has no serial of this list, so the list
 * neither holds nor returns it. */
static void take(berth__storage *storage, pod_reservations *list,
                 const berth__volume_choice *choice, berth__sym node_name)
{
    reservation *item = &list->items[list->count++];
    *item = (reservation){.claim = choice->claim,
                          .volume = choice->volume,
                          .serial = ++storage->reservation_serial,
                          .node_name = node_name};
    if (already_so(choice))
        storage->idle_items = true;
    else
        hold(storage, item, list->key.pod);
}

/* A claim that was never written is removed with its pod. */
static void give_special_back(berth__storage *storage, pod_reservations *list)
{
    berth_str pod;
    for (uint32_t i = 0; i < list->count; i++) {
        reservation *item = &list->items[i];
        item->returned = item->devices != NULL &&
                         berth__device_claim_is_special(storage, item->devices, &pod) &&
                         give_back(storage, item);
    }
}

static void forget(berth__storage *storage, list_key key)
{
    pod_reservations *list = find(storage, key);
    if (list == NULL)
        return;
    give_special_back(storage, list);
    say_holder(storage, list, BERTH_POD_INDEX_NONE);
    leave(storage, list, &forgotten);
}

void berth__storage_forget(berth__storage *storage, uint32_t pod)
{
    forget(storage, volumes_of(pod));
    forget(storage, devices_of(pod));
}

/* A list without items, in no map; NULL when out of memory. */
static pod_reservations *new_list(berth__storage *storage, list_key key, uint32_t capacity)
{
    pod_reservations *list =
        berth__alloc(storage->model->allocator, list_bytes(capacity), _Alignof(pod_reservations));
    if (list != NULL)
        *list = (pod_reservations){.key = key, .capacity = capacity};
    return list;
}

berth_status berth__storage_reserve(berth__storage *storage, uint32_t pod,
                                    const berth__volume_choice *choices, uint32_t count,
                                    berth__sym node_name)
{
    forget(storage, volumes_of(pod));
    if (count == 0)
        return BERTH_OK;
    pod_reservations *list = new_list(storage, volumes_of(pod), count);
    if (list == NULL)
        return BERTH_E_NOMEM;
    for (uint32_t i = 0; i < count; i++)
        take(storage, list, &choices[i], node_name);
    enter(storage, list);
    (void)note_list(storage, &reserved, list);
    return BERTH_OK;
}

static void unreserve(berth__storage *storage, list_key key)
{
    pod_reservations *list = find(storage, key);
    if (list == NULL)
        return;
    give_all_back(storage, list);
    leave(storage, list, &unreserved);
}

void berth__storage_unreserve(berth__storage *storage, uint32_t pod)
{
    unreserve(storage, volumes_of(pod));
}

bool berth__storage_choice(const berth__storage *storage, uint32_t pod, uint32_t i,
                           berth__volume_choice *out)
{
    const pod_reservations *list = find(storage, volumes_of(pod));
    if (list == NULL || i >= list->count)
        return false;
    *out = (berth__volume_choice){list->items[i].claim, list->items[i].volume};
    return true;
}

/* ---- of devices ---- */

berth_status berth__storage_reserve_devices(berth__storage *storage, uint32_t pod,
                                            const berth__device_grant *grants, uint32_t count)
{
    forget(storage, devices_of(pod));
    if (count == 0)
        return BERTH_OK;
    pod_reservations *list = new_list(storage, devices_of(pod), count);
    for (; list != NULL && list->count < count; list->count++) {
        const berth__device_grant *grant = &grants[list->count];
        reservation *item = &list->items[list->count];
        *item = (reservation){.devices = grant->claim};
        if (berth__device_claim_allocation(grant->claim) != NULL || grant->allocation == NULL)
            continue;
        item->chosen = berth__device_choice_make(storage, grant->allocation);
        if (item->chosen == NULL)
            break;
    }
    if (list == NULL || list->count < count) {
        if (list != NULL)
            free_list(storage, list);
        return BERTH_E_NOMEM;
    }
    for (uint32_t i = 0; i < count; i++) {
        list->items[i].serial = ++storage->reservation_serial;
        if (list->items[i].chosen != NULL && list->items[i].devices->chosen == NULL)
            hold(storage, &list->items[i], pod);
        else
            storage->idle_items = true;
    }
    enter(storage, list);
    (void)note_list(storage, &reserved, list);
    return BERTH_OK;
}

void berth__storage_unreserve_devices(berth__storage *storage, uint32_t pod)
{
    unreserve(storage, devices_of(pod));
}

berth__device_claim *berth__storage_granted_claim(const berth__storage *storage, uint32_t pod,
                                                  uint32_t i)
{
    const pod_reservations *list = find(storage, devices_of(pod));
    return list != NULL && i < list->count ? list->items[i].devices : NULL;
}

/* ---- marking for sweeps ---- */

/* Items that no longer hold a reservation still point to their records, so these records are kept,
 * too. */
void berth__storage_keep_reserved(berth__storage *storage)
{
    const berth__keymap *map = &storage->reservations;
    for (uint32_t b = 0; b < map->bucket_count; b++)
        for (berth__keymap_entry *at = map->buckets[b]; at != NULL; at = at->next) {
            const pod_reservations *list = (const pod_reservations *)at;
            for (uint32_t i = 0; i < list->count; i++) {
                berth__storage_keep(marked(&list->items[i]));
                if (list->items[i].claim != NULL)
                    berth__storage_keep(&list->items[i].claim->record);
            }
        }
}

/* ---- reservations of another store ---- */

/* The pod's list, with room for one more item; NULL when out of memory. No undo record refers to
 * it. */
static pod_reservations *make_room(berth__storage *storage, list_key key)
{
    pod_reservations *list = find(storage, key);
    if (list != NULL && list->count < list->capacity)
        return list;
    uint32_t capacity = list != NULL ? 2 * list->capacity : 2;
    pod_reservations *longer = new_list(storage, key, capacity);
    if (longer == NULL)
        return NULL;
    if (list != NULL) {
        longer->count = list->count;
        memcpy(longer->items, list->items, list->count * sizeof(*list->items));
        list->count = 0; /* the copy took over their uses of choices */
        berth__keymap_remove(&storage->reservations, &list->entry);
        free_list(storage, list);
    }
    enter(storage, longer);
    return longer;
}

/* The item that describes a record's reservation in its pod's list. */
static reservation item_of(berth__stored *record, const berth__held *held)
{
    void *any = record;
    reservation item = {.serial = held->serial, .node_name = held->assumed_node};
    if (record->kind == BERTH_KIND_RESOURCE_CLAIM) {
        item.devices = any;
        item.chosen = held->chosen;
        return item;
    }
    item.volume = record->kind == BERTH_KIND_PERSISTENT_VOLUME ? any : NULL;
    item.claim = item.volume != NULL ? held->reserved : any;
    return item;
}

/* The key of the list with the record's reservation. */
static list_key list_of(const berth__stored *record, uint32_t holder)
{
    return record->kind == BERTH_KIND_RESOURCE_CLAIM ? devices_of(holder) : volumes_of(holder);
}

bool berth__storage_adopt(berth__storage *storage, berth__stored *record, const berth__held *held)
{
    if (held->serial != 0 && held->holder != BERTH_POD_INDEX_NONE) {
        pod_reservations *list = make_room(storage, list_of(record, held->holder));
        if (list == NULL)
            return false;
        list->items[list->count++] = item_of(record, held);
        berth__device_choice_use(storage, held->chosen);
    }
    berth__storage_hold_again(storage, record, held);
    return true;
}

/* Remove the record's item from its pod's list. */
static void take_off_list(berth__storage *storage, const berth__stored *record)
{
    pod_reservations *list = find(storage, list_of(record, record->holder));
    for (uint32_t i = 0; list != NULL && i < list->count; i++)
        if (marked(&list->items[i]) == record) {
            berth__device_choice_drop(storage, list->items[i].chosen);
            list->items[i] = list->items[--list->count];
        }
    if (list == NULL || list->count > 0)
        return;
    berth__keymap_remove(&storage->reservations, &list->entry);
    free_list(storage, list);
}

void berth__storage_disown(berth__storage *storage, berth__stored *record)
{
    void *any = record;
    if (record->reservation == 0)
        return;
    if (record->holder != BERTH_POD_INDEX_NONE)
        take_off_list(storage, record);
    if (record->kind == BERTH_KIND_PERSISTENT_VOLUME)
        release_pv(storage, any);
    else if (record->kind == BERTH_KIND_RESOURCE_CLAIM)
        berth__storage_supersede_devices(storage, any);
    else
        berth__storage_supersede_claim(storage, any);
}

static void drop_idle(berth__storage *storage, pod_reservations *list)
{
    for (uint32_t i = list->count; i-- > 0;)
        if (marked(&list->items[i])->reservation != list->items[i].serial) {
            berth__device_choice_drop(storage, list->items[i].chosen);
            list->items[i] = list->items[--list->count];
        }
    if (list->count > 0)
        return;
    berth__keymap_remove(&storage->reservations, &list->entry);
    free_list(storage, list);
}

void berth__storage_drop_idle(berth__storage *storage)
{
    const berth__keymap *map = &storage->reservations;
    for (uint32_t b = 0; storage->idle_items && b < map->bucket_count; b++)
        for (berth__keymap_entry *at = map->buckets[b], *next; at != NULL; at = next) {
            next = at->next;
            drop_idle(storage, (pod_reservations *)at);
        }
    storage->idle_items = false;
}
